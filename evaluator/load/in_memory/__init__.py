"""Rows in memory, whatever holds them → Polars frames with the columns that a file would have."""
