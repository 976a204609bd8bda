-- Every table whose rows belong to a tenant, those that refer to others first.
CREATE FUNCTION aresweb_tables_of_tenants() RETURNS SETOF regclass
LANGUAGE sql STABLE
AS $$
    WITH RECURSIVE isolated AS (
        SELECT attrelid AS relation FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
        WHERE attname = 'tenant_id' AND relnamespace = 'public'::regnamespace AND relkind = 'r'
    ), ordered AS (
        SELECT relation, 0 AS depth FROM isolated
        UNION
        SELECT confrelid, depth + 1 FROM ordered
        JOIN pg_constraint ON conrelid = relation AND contype = 'f' AND confrelid <> conrelid
        JOIN isolated AS referred ON referred.relation = confrelid
        WHERE depth < 20
    )
    SELECT relation::regclass FROM ordered GROUP BY relation ORDER BY max(depth), relation::regclass::text
$$;

-- Counts every row of the current tenant, by table.
CREATE FUNCTION aresweb_count_tenant() RETURNS TABLE (relation text, held bigint)
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    each regclass;
BEGIN
    FOR each IN SELECT aresweb_tables_of_tenants() LOOP
        EXECUTE format('SELECT count(*) FROM %s WHERE tenant_id = aresweb_tenant_id()', each) INTO held;
        relation := each::text;
        RETURN NEXT;
    END LOOP;
END
$$;

-- Deletes every row of the current tenant, events and archive among them, and the tenant; tells how many rows by table. Whoever
-- is writing for the tenant is waited for, and whoever begins to finds no tenant.
CREATE FUNCTION aresweb_erase_tenant() RETURNS TABLE (relation text, held bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
AS $$
DECLARE
    tenant bigint := aresweb_tenant_id();
    each regclass;
BEGIN
    PERFORM FROM memory_tenant WHERE id = tenant FOR UPDATE;
    PERFORM FROM memory_stream WHERE tenant_id = tenant ORDER BY id FOR UPDATE;
    RETURN QUERY SELECT * FROM aresweb_count_tenant();  -- before: some rows take others along
    PERFORM set_config('aresweb.archiving', 'on', true), set_config('aresweb.dropping', 'on', true);
    FOR each IN SELECT aresweb_tables_of_tenants() LOOP
        EXECUTE format('DELETE FROM %s WHERE tenant_id = $1', each) USING tenant;
    END LOOP;
    PERFORM set_config('aresweb.archiving', '', true), set_config('aresweb.dropping', '', true);
    DELETE FROM memory_tenant WHERE id = tenant;
    GET DIAGNOSTICS held = ROW_COUNT;
    relation := 'memory_tenant';
    RETURN NEXT;
END
$$;
