-- The items whose vectors are nearest by the index of this model, which is read on until enough have passed the filter.
-- The model stands here as a literal: a partial index is used for no other.
SELECT stored.item_id, 1 - (stored.vector::{type} <=> %(vector)s::{type}) AS cosine
FROM memory_vector AS stored
WHERE stored.tenant_id = aresweb_tenant_id() AND stored.collection = %(collection)s
    AND stored.model = {model} AND stored.dimension = {dimension} AND {filter}
ORDER BY stored.vector::{type} <=> %(vector)s::{type} LIMIT %(limit)s
