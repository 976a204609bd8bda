-- How many items pass a filter, counted up to a bound.
SELECT count(*) FROM (
    SELECT FROM {table} WHERE item.tenant_id = aresweb_tenant_id() AND {conditions} LIMIT %(bound)s
) AS counted
