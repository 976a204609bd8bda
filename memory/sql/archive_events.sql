-- One way out of the table of events.
SELECT aresweb_archive_events(%(stream_id)s, %(first)s, %(last)s, %(content)b, %(raw_bytes)s, %(letters)s)
