-- Whether an item is there, and which of these conditions it meets.
SELECT ARRAY[{conditions}]::boolean[] FROM {table} WHERE item.tenant_id = aresweb_tenant_id() AND item.id = %(id)s
