INSERT INTO memory_posting (tenant_id, collection, term, text_id, frequency, length)
SELECT aresweb_tenant_id(), %(collection)s, term, text_id, frequency, length
FROM unnest(%(terms)s::text[], %(text_ids)s::bigint[], %(frequencies)s::float8[], %(lengths)s::float8[])
    AS posting (term, text_id, frequency, length)
ORDER BY term, text_id
RETURNING 1
