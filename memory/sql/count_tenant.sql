SELECT relation, held FROM aresweb_count_tenant()
