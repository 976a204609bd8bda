-- The next work of a queue becomes its owner's: what is due, and what a worker that is gone has left. It is chosen in an
-- array because the rows of a subquery may be chosen several times over, each time others, and more than asked for.
UPDATE memory_queueitem
SET status = 'processing', attempts = attempts + 1, lease_owner = %(owner)s, updated_at = clock_timestamp(),
    leased_until = clock_timestamp() + make_interval(secs => %(seconds)s)
WHERE id = ANY (ARRAY(
    SELECT id FROM memory_queueitem
    WHERE tenant_id = aresweb_tenant_id() AND queue = %(queue)s
        AND (status = 'pending' AND run_at <= clock_timestamp() OR status = 'processing' AND leased_until <= clock_timestamp())
    ORDER BY run_at, id
    LIMIT %(most)s
    FOR UPDATE SKIP LOCKED
))
RETURNING id
