-- The ledger belongs to a tenant, like the events that it is made from.
SELECT aresweb_isolate('memory_ledgerentry');

ALTER TABLE memory_ledgerentry ADD CONSTRAINT ledger_entry_stream
    FOREIGN KEY (tenant_id, stream_id) REFERENCES memory_stream (tenant_id, id);
