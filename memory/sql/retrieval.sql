-- Before 0.8, pgvector cannot read an index on until enough rows have passed a filter.
DO $$
BEGIN
    IF (SELECT string_to_array(extversion, '.')::integer[] < ARRAY[0, 8] FROM pg_extension WHERE extname = 'vector') THEN
        RAISE EXCEPTION 'The extension pgvector of this database is older than 0.8.'
            USING HINT = 'Install a newer one, then, as a superuser, run there: ALTER EXTENSION vector UPDATE;';
    END IF;
END
$$;

-- What can be searched belongs to a tenant.
SELECT aresweb_isolate(relation) FROM unnest(ARRAY[
    'memory_knowledge', 'memory_passage', 'memory_tool', 'memory_indexedtext', 'memory_posting'
]::regclass[]) AS relation;

ALTER TABLE memory_knowledge ADD CONSTRAINT knowledge_of_tenant UNIQUE (tenant_id, id);
ALTER TABLE memory_passage ADD CONSTRAINT passage_knowledge
    FOREIGN KEY (tenant_id, knowledge_id) REFERENCES memory_knowledge (tenant_id, id);

-- A text that goes takes its postings along, whoever deletes it.
CREATE FUNCTION aresweb_forget_postings() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    DELETE FROM memory_posting AS posting USING gone
    WHERE posting.tenant_id = gone.tenant_id AND posting.collection = gone.collection
        AND posting.term = ANY (gone.terms) AND posting.text_id = gone.id;
    RETURN NULL;
END
$$;
CREATE TRIGGER forget_postings AFTER DELETE ON memory_indexedtext
    REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION aresweb_forget_postings();

-- An item that goes is found no more, whichever way it goes: its vectors and its terms go with it.
CREATE FUNCTION aresweb_forget_item() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    DELETE FROM memory_vector AS vector USING gone
    WHERE vector.tenant_id = gone.tenant_id AND vector.collection = TG_ARGV[0] AND vector.item_id = gone.id;
    DELETE FROM memory_indexedtext AS text USING gone
    WHERE text.tenant_id = gone.tenant_id AND text.collection = TG_ARGV[0] AND text.item_id = gone.id;
    RETURN NULL;
END
$$;
CREATE TRIGGER forget_item AFTER DELETE ON memory_experience
    REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION aresweb_forget_item('experience');
CREATE TRIGGER forget_item AFTER DELETE ON memory_passage
    REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION aresweb_forget_item('knowledge');
CREATE TRIGGER forget_item AFTER DELETE ON memory_tool
    REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION aresweb_forget_item('tool');

-- The index over one model's vectors, of every tenant. The table's owner alone may make one.
-- HNSW takes up to 2,000 dimensions of `vector`, and 4,000 of `halfvec`; larger ones are searched exactly.
CREATE FUNCTION aresweb_index_vectors(model text, dimension integer) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
-- The graph of 100,000 vectors of 384 dimensions fits into this memory, beyond which building gets many times slower.
-- Without parallel workers, since these need as much shared memory, of which containers have little.
SET maintenance_work_mem = '256MB' SET max_parallel_maintenance_workers = 0
AS $$
DECLARE
    kind text := CASE WHEN dimension <= 2000 THEN 'vector' WHEN dimension <= 4000 THEN 'halfvec' END;
BEGIN
    IF kind IS NULL OR dimension < 1 THEN
        RETURN false;
    END IF;
    SET CONSTRAINTS ALL IMMEDIATE;  -- references that this transaction has yet to check forbid making an index
    EXECUTE format(
        'CREATE INDEX IF NOT EXISTS %I ON memory_vector USING hnsw ((vector::%s(%s)) %s_cosine_ops) '
        'WHERE model = %L AND dimension = %s',
        'vector_hnsw_' || left(md5(model || ':' || dimension), 16), kind, dimension, kind, model, dimension
    );
    RETURN true;
END
$$;
REVOKE ALL ON FUNCTION aresweb_index_vectors(text, integer) FROM PUBLIC;

-- Nobody asks for a posting by its number, and there are many of them: the index of the key would double what each costs.
ALTER TABLE memory_posting DROP CONSTRAINT memory_posting_pkey;
