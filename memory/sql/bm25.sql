-- The best items of a collection by BM25 (memory/retrieval/bm25.py has the formula) among those that pass a filter.
-- All statistics are counted in the statement, so they are exact; the filter narrows what is found, not what is counted.
-- `share` is how much of the weight of the query's terms the item's own have; terms that stand nowhere weigh most.
WITH collection AS (
    SELECT count(*)::float8 AS texts, avg(length) AS average
    FROM memory_indexedtext WHERE tenant_id = aresweb_tenant_id() AND collection = %(collection)s
), matched AS MATERIALIZED (
    SELECT term, text_id, frequency, length
    FROM memory_posting
    WHERE tenant_id = aresweb_tenant_id() AND collection = %(collection)s AND term = ANY (%(terms)s::text[])
), spread AS MATERIALIZED (
    SELECT term, count(*)::float8 AS texts FROM matched GROUP BY term
), weights AS (
    SELECT term, ln(1 + (collection.texts - coalesce(spread.texts, 0) + 0.5) / (coalesce(spread.texts, 0) + 0.5)) AS idf
    FROM unnest(%(terms)s::text[]) AS term LEFT JOIN spread USING (term) CROSS JOIN collection
), scored AS (
    SELECT text_id, sum(
        idf * frequency * (%(k1)s + 1) / (frequency + %(k1)s * (1 - %(b)s + %(b)s * length / average))
    ) AS score, sum(idf) / (SELECT sum(idf) FROM weights) AS share
    FROM matched JOIN weights USING (term) CROSS JOIN collection
    GROUP BY text_id
)
SELECT text.item_id, best.score, best.share
FROM (SELECT text_id, score, share FROM scored ORDER BY score DESC OFFSET 0) AS best
JOIN memory_indexedtext AS text ON text.id = best.text_id
WHERE text.tenant_id = aresweb_tenant_id() AND {filter}
ORDER BY best.score DESC LIMIT %(limit)s
