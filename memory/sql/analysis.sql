-- What is found in a run belongs to its tenant, like the run.
SELECT aresweb_isolate(relation) FROM unnest(ARRAY[
    'memory_analysis', 'memory_causallink', 'memory_hint', 'memory_piece'
]::regclass[]) AS relation;

ALTER TABLE memory_analysis ADD CONSTRAINT analysis_stream
    FOREIGN KEY (tenant_id, stream_id) REFERENCES memory_stream (tenant_id, id);
ALTER TABLE memory_causallink ADD CONSTRAINT causal_link_stream
    FOREIGN KEY (tenant_id, stream_id) REFERENCES memory_stream (tenant_id, id);
ALTER TABLE memory_hint ADD CONSTRAINT hint_stream
    FOREIGN KEY (tenant_id, stream_id) REFERENCES memory_stream (tenant_id, id);
ALTER TABLE memory_piece ADD CONSTRAINT piece_stream
    FOREIGN KEY (tenant_id, stream_id) REFERENCES memory_stream (tenant_id, id);
