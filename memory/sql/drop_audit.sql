-- Drops the beginning of the tenant's audit log; no row where nothing is that old.
SELECT dropped, last_number, last_hash FROM aresweb_drop_audit(%(before)s)
