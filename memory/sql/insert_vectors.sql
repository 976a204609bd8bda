INSERT INTO memory_vector (tenant_id, collection, item_id, model, dimension, vector, text_digest, created_at)
SELECT aresweb_tenant_id(), %(collection)s, item_id, model, vector_dims(vector), vector, digest, now()
FROM unnest(%(item_ids)s::text[], %(models)s::text[], %(vectors)s::vector[], %(digests)s::bytea[])
    AS item (item_id, model, vector, digest)
ORDER BY item_id, model
ON CONFLICT (tenant_id, collection, item_id, model) DO UPDATE
SET dimension = excluded.dimension, vector = excluded.vector, text_digest = excluded.text_digest,
    created_at = excluded.created_at
RETURNING 1
