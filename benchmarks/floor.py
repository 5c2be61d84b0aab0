"""The floor: the minimal work of any evaluator, by Polars on its streaming engine.

    python benchmarks/floor.py LISTS TEST

reads the lists, keeps the rows that are in the test set, and prints their number.
"""

from __future__ import annotations

import sys

import polars as pl


def count_hits(lists: str, test: str) -> int:
    """Return the number of rows of `lists` that are in `test`."""
    scan = pl.scan_csv if lists.endswith("csv") else pl.scan_parquet
    hits = scan(lists).join(scan(test), on=["user_id", "item_id"], how="semi").select(pl.len())
    return int(hits.collect(engine="streaming").item())


if __name__ == "__main__":
    print(count_hits(*sys.argv[1:]))
