-- What verifications tell belongs to a tenant, like the streams that it is about.
SELECT aresweb_isolate(relation) FROM unnest(ARRAY['memory_verification', 'memory_finding']::regclass[]) AS relation;

ALTER TABLE memory_verification ADD CONSTRAINT verification_stream
    FOREIGN KEY (tenant_id, stream_id) REFERENCES memory_stream (tenant_id, id);
ALTER TABLE memory_finding ADD CONSTRAINT finding_stream
    FOREIGN KEY (tenant_id, stream_id) REFERENCES memory_stream (tenant_id, id);
