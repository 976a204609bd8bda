-- The oldest transaction that is still running: every older one has ended.
SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint
