SELECT aresweb_index_vectors(%(model)s, %(dimension)s)
