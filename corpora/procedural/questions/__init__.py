"""Questions with exact answer keys from the facts of a generated web: one kind a module, for benchmarks to come."""
