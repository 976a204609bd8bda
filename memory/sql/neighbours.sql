-- What stands up to two places before and after these items in their sequences, and how much it leans on others.
SELECT seed.item_id, near.item_id, near.steps, near.leaning
FROM memory_indexedtext AS seed CROSS JOIN LATERAL (
    (SELECT item_id, leaning, row_number() OVER (ORDER BY place DESC) AS steps FROM memory_indexedtext AS other
     WHERE other.tenant_id = aresweb_tenant_id() AND other.collection = %(collection)s
        AND other.sequence = seed.sequence AND other.sequence <> '' AND other.place < seed.place
     ORDER BY place DESC LIMIT 2)
    UNION ALL
    (SELECT item_id, leaning, row_number() OVER (ORDER BY place) AS steps FROM memory_indexedtext AS other
     WHERE other.tenant_id = aresweb_tenant_id() AND other.collection = %(collection)s
        AND other.sequence = seed.sequence AND other.sequence <> '' AND other.place > seed.place
     ORDER BY place LIMIT 2)
) AS near
WHERE seed.tenant_id = aresweb_tenant_id() AND seed.collection = %(collection)s
    AND seed.item_id = ANY (%(ids)s::text[]) AND seed.sequence <> ''
