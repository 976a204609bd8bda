SELECT set_config('hnsw.iterative_scan', 'strict_order', true), set_config('hnsw.ef_search', %(wide)s, true),
    set_config('hnsw.max_scan_tuples', %(most)s, true)
