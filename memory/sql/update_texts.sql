UPDATE memory_indexedtext AS text
SET length = new.length, terms = string_to_array(new.terms, chr(10)), names = string_to_array(new.names, chr(10)),
    sequence = new.sequence, place = new.place, leaning = new.leaning
FROM unnest(
    %(ids)s::bigint[], %(lengths)s::float8[], %(terms)s::text[], %(names)s::text[], %(sequences)s::text[], %(places)s::bigint[],
    %(leanings)s::float8[]
) AS new (id, length, terms, names, sequence, place, leaning)
WHERE text.tenant_id = aresweb_tenant_id() AND text.id = new.id
RETURNING 1
