-- The items whose vectors are nearest, every one of them compared: the cast that the index knows is left out on purpose.
SELECT stored.item_id, 1 - (stored.vector <=> %(vector)s::vector) AS cosine
FROM memory_vector AS stored
WHERE stored.tenant_id = aresweb_tenant_id() AND stored.collection = %(collection)s AND stored.model = %(model)s
    AND stored.dimension = %(dimension)s AND {filter}
ORDER BY stored.vector <=> %(vector)s::vector LIMIT %(limit)s
