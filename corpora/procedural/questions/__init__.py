"""Questions with exact keys from a generated web's facts; those here wait for their benchmarks, news has its own."""
