-- How much work there is in each queue, by its state.
SELECT queue,
    CASE
        WHEN status = 'pending' AND attempts > 0 AND run_at > %(now)s THEN 'waiting'
        WHEN status = 'processing' AND leased_until <= %(now)s THEN 'abandoned'
        WHEN status = 'processing' THEN 'leased'
        ELSE status
    END AS state,
    count(*)
FROM memory_queueitem
WHERE tenant_id = aresweb_tenant_id()
GROUP BY 1, 2
