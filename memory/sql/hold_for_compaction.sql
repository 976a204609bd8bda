-- One at a time compacts a stream; nobody who appends waits for it.
SELECT pg_advisory_xact_lock(hashtextextended('aresweb compaction', %(stream_id)s))
