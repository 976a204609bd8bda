-- Takes the rows of these items, or makes them, and holds them until the transaction ends: two that index the same item
-- come one after the other. Answers each item's id and its row's.
INSERT INTO memory_indexedtext (tenant_id, collection, item_id, length, terms, names, sequence, place, leaning)
SELECT aresweb_tenant_id(), %(collection)s, item_id, 0, '{}', '{}', '', 0, 0
FROM unnest(%(ids)s::text[]) AS item_id ORDER BY item_id
ON CONFLICT (tenant_id, collection, item_id) DO UPDATE SET length = memory_indexedtext.length
RETURNING item_id, id
