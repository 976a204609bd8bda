-- How many vectors would have to be compared, counted up to a bound, in an index alone.
SELECT count(*) FROM (
    SELECT FROM memory_vector AS stored
    WHERE stored.tenant_id = aresweb_tenant_id() AND stored.collection = %(collection)s AND stored.model = %(model)s
    LIMIT %(bound)s
) AS counted
