-- Each tenant sees its own notes and views alone.
SELECT aresweb_isolate(relation) FROM unnest(ARRAY['memory_note', 'memory_savedview']::regclass[]) AS relation;
