"""Exact sums: no order of terms, parts, threads or workers can change a bit of them."""
