SELECT relation, held FROM aresweb_erase_tenant()
