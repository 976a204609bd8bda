-- Which event of a stream was the last with each of these digests.
SELECT digest, version FROM memory_piece
WHERE tenant_id = aresweb_tenant_id() AND stream_id = %(stream_id)s AND digest = ANY (%(digests)s::bigint[])
