DELETE FROM memory_posting AS posting
USING memory_indexedtext AS text
WHERE text.tenant_id = aresweb_tenant_id() AND text.id = ANY (%(ids)s::bigint[])
    AND posting.tenant_id = aresweb_tenant_id() AND posting.collection = text.collection
    AND posting.term = ANY (text.terms) AND posting.text_id = text.id
RETURNING 1
