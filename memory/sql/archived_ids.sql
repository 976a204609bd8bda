-- The segments that may hold events whose ids have these hashes.
SELECT id_hash, segment_id FROM memory_archivedid
WHERE tenant_id = aresweb_tenant_id() AND id_hash = ANY(%(hashes)b::bigint[])
