"""Convert rows in memory, of any library, into Polars frames with the columns of a file."""
