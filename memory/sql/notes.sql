-- Each tenant sees its own notes and views alone.
SELECT aresweb_isolate(relation) FROM unnest(ARRAY['memory_note', 'memory_savedview']::regclass[]) AS relation;

ALTER TABLE memory_note ADD CONSTRAINT note_stream
    FOREIGN KEY (tenant_id, stream_id) REFERENCES memory_stream (tenant_id, id);
