"""Exact sums: the order of terms, parts, threads or workers does not change a bit of them."""
