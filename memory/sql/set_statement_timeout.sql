-- How long each statement may take, until the transaction ends or is told otherwise. In milliseconds, or with a unit.
SELECT set_config('statement_timeout', %(timeout)s, true)
