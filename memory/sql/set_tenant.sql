-- Whose rows the transaction may see, until it ends.
SELECT set_config('aresweb.tenant_id', %(tenant_id)s, true)
