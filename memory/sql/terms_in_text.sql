-- How often each of these terms stands in an item, and in how many items of the collection at all.
SELECT asked.term, coalesce(own.frequency, 0),
    (SELECT count(*) FROM memory_posting AS any_text WHERE any_text.tenant_id = aresweb_tenant_id()
        AND any_text.collection = %(collection)s AND any_text.term = asked.term)
FROM unnest(%(terms)s::text[]) WITH ORDINALITY AS asked (term, place)
LEFT JOIN memory_posting AS own ON own.tenant_id = aresweb_tenant_id() AND own.collection = %(collection)s
    AND own.term = asked.term AND own.text_id = %(text_id)s
ORDER BY asked.place
