-- What is known of these items apart from the query, of those that pass the filter.
SELECT item.id, coalesce(text.names, '{{}}') AS names, {columns}
FROM {table} LEFT JOIN memory_indexedtext AS text
    ON text.tenant_id = item.tenant_id AND text.collection = %(collection)s AND text.item_id = item.id
WHERE item.tenant_id = aresweb_tenant_id() AND item.id = ANY (%(ids)s::text[]) AND {filter}
