-- Takes from what may be done in a minute, in a transaction of its own.
SELECT granted, allowed, seconds_left
FROM aresweb_take(%(tenant)s::bigint, %(key)s::bigint, %(measure)s::text, %(wanted)s::bigint, %(setting)s::text, %(most)s::bigint)
