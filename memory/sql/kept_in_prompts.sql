-- Which prompts still have these events because they entered an earlier one of the same conversation and have not left it
-- since. A conversation is the prompt that began it and all that it is carried to. The first ones of each, of these
-- prompts alone where some are given.
WITH entered AS (
    SELECT
        link.cause, link.effect AS first, link.certainty, link.how,
        coalesce((
            SELECT carried.cause FROM memory_causallink AS carried
            WHERE carried.tenant_id = link.tenant_id AND carried.stream_id = link.stream_id
                AND carried.effect = link.effect AND carried.kind = 'carried'
            LIMIT 1
        ), link.effect) AS began
    FROM memory_causallink AS link
    WHERE link.tenant_id = aresweb_tenant_id() AND link.stream_id = %(stream_id)s
        AND link.cause = ANY (%(causes)s::bigint[]) AND link.kind = 'entered'
)
SELECT entered.cause, prompt.effect, least(entered.certainty, prompt.certainty), entered.how
FROM entered
CROSS JOIN LATERAL (
    SELECT min(gone.effect) AS left_at FROM memory_causallink AS gone
    JOIN memory_causallink AS within
        ON within.tenant_id = gone.tenant_id AND within.stream_id = gone.stream_id AND within.kind = 'carried'
        AND within.cause = entered.began AND within.effect = gone.effect
    WHERE gone.tenant_id = aresweb_tenant_id() AND gone.stream_id = %(stream_id)s AND gone.kind = 'left'
        AND gone.cause = entered.cause AND gone.effect > entered.first
) AS gone
CROSS JOIN LATERAL (
    SELECT link.effect, link.certainty FROM memory_causallink AS link
    WHERE link.tenant_id = aresweb_tenant_id() AND link.stream_id = %(stream_id)s AND link.kind = 'carried'
        AND link.cause = entered.began AND link.effect > entered.first
        AND (gone.left_at IS NULL OR link.effect < gone.left_at)
        AND (%(prompts)s::bigint[] IS NULL OR link.effect = ANY (%(prompts)s::bigint[]))
    ORDER BY link.effect
    LIMIT %(most)s
) AS prompt
