-- Keeps which event of a stream was the last with each of these digests; in order, so that nobody deadlocks.
INSERT INTO memory_piece (tenant_id, stream_id, digest, version)
SELECT aresweb_tenant_id(), %(stream_id)s, digest, version
FROM unnest(%(digests)s::bigint[], %(versions)s::bigint[]) AS piece (digest, version)
ORDER BY digest
ON CONFLICT (tenant_id, stream_id, digest) DO UPDATE SET version = EXCLUDED.version
RETURNING 1
