-- Only a superuser may create this extension, so it must be there before: the embedded server brings it.
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'vector') THEN
        RAISE EXCEPTION 'The extension pgvector is missing in this database.'
            USING HINT = 'As a superuser, run there: CREATE EXTENSION vector;';
    END IF;
END
$$;
