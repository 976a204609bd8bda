SELECT 1 - (stored.vector <=> %(vector)s::vector) FROM memory_vector AS stored
WHERE stored.tenant_id = aresweb_tenant_id() AND stored.collection = %(collection)s AND stored.item_id = %(id)s
    AND stored.model = %(model)s AND stored.dimension = %(dimension)s
