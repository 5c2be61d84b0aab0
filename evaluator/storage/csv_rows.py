"""Rows of a CSV file that receval wrote before and now adds to."""

from __future__ import annotations

import csv
import os
from pathlib import Path


def csv_rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file, column → text; empty if there is no such file."""
    if not os.path.isfile(path):
        return []
    with open(path, newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))
