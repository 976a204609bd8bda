-- Which of these events stand in which of these prompts because they entered an earlier one of the same conversation and
-- have not left it since. A conversation is the prompt that began it and all that it is carried to.
SELECT
    entered.cause, prompt.effect, least(entered.certainty, prompt.certainty), entered.how
FROM memory_causallink AS prompt
JOIN memory_causallink AS entered
    ON entered.tenant_id = prompt.tenant_id AND entered.stream_id = prompt.stream_id AND entered.kind = 'entered'
    AND entered.cause = ANY (%(causes)s::bigint[]) AND entered.effect < prompt.effect
    AND (entered.effect = prompt.cause OR EXISTS (
        SELECT 1 FROM memory_causallink AS same
        WHERE same.tenant_id = prompt.tenant_id AND same.stream_id = prompt.stream_id AND same.kind = 'carried'
            AND same.cause = prompt.cause AND same.effect = entered.effect
    ))
WHERE prompt.tenant_id = aresweb_tenant_id() AND prompt.stream_id = %(stream_id)s AND prompt.kind = 'carried'
    AND (%(prompts)s::bigint[] IS NULL OR prompt.effect = ANY (%(prompts)s::bigint[]))
    AND NOT EXISTS (
        SELECT 1 FROM memory_causallink AS gone
        JOIN memory_causallink AS within
            ON within.tenant_id = gone.tenant_id AND within.stream_id = gone.stream_id AND within.kind = 'carried'
            AND within.cause = prompt.cause AND within.effect = gone.effect
        WHERE gone.tenant_id = prompt.tenant_id AND gone.stream_id = prompt.stream_id AND gone.kind = 'left'
            AND gone.cause = entered.cause AND gone.effect > entered.effect AND gone.effect <= prompt.effect
    )
ORDER BY prompt.effect, entered.cause
LIMIT %(most)s
