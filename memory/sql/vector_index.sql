-- Whether there is a usable index over the vectors of this model.
SELECT count(*) FROM pg_class JOIN pg_index ON indexrelid = pg_class.oid
WHERE relname = 'vector_hnsw_' || left(md5(%(model)s || ':' || %(dimension)s), 16) AND indisvalid
