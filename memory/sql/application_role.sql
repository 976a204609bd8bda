-- The role that the application works as: no superuser, not exempt from row-level security, owner of nothing.
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'aresweb_app') THEN
        BEGIN
            CREATE ROLE aresweb_app NOLOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE;
        EXCEPTION
            WHEN duplicate_object OR unique_violation THEN NULL;  -- another database's migration made it just now
            WHEN insufficient_privilege THEN
                RAISE EXCEPTION 'The login role % may not create the role aresweb_app.', current_user
                USING HINT = format('As an administrator: CREATE ROLE aresweb_app; GRANT aresweb_app TO %I;', current_user);
        END;
    END IF;
    -- Since PostgreSQL 16 whoever makes a role may administer it, but must still be granted to work as it.
    BEGIN
        EXECUTE format('GRANT aresweb_app TO %I', current_user);
    EXCEPTION
        WHEN insufficient_privilege THEN NULL;  -- granted by an administrator, or the next connection says so
    END;
END
$$;
