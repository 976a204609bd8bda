-- Decisions about a tenant's experiences are taken one distillation at a time: each sees what the one before has written.
SELECT pg_advisory_xact_lock(hashtextextended('aresweb:memory', aresweb_tenant_id()))
