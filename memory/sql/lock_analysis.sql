-- One at a time analyses a stream; nobody who appends waits for it.
SELECT pg_advisory_xact_lock(hashtextextended('aresweb analysis', %(stream_id)s))
