"""Benchmarks. Each prints a table and writes JSON; speeds are ratios measured in one run."""
