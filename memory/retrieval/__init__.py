"""Finding again what was kept: vectors and terms, ranked together."""
