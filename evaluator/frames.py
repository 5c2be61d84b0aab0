"""The canonical tables: their columns, and one check each.

Names are lower case and distinct without regard to case, because Spark folds case.

| table   | one row per                       | columns                                              |
|---------|-----------------------------------|------------------------------------------------------|
| truth   | relevant (user, item)             | user item gain                                       |
| lists   | recommended (user, item)          | user item rank                                       |
| users   | user who may count                | user, and of every choice: twin n_relevant           |
|         |                                   | n_recommended (n_candidates n_train)                 |
| hits    | recommended item that is relevant | user item rank gain found n_relevant                 |
| ideal   | relevant item, in the best order  | user rank gain                                       |
| outside | recommended item that is neither  | user rank                                            |
|         | relevant nor a candidate          |                                                      |

`rank` and `found` are 1-based Int64: the position in the user's list, and the count of hits up to that position. In
`users`, `twin` names a user with the same ideal list, so that equal ideals are computed once.
"""

from __future__ import annotations

from typing import Any, Final

import narwhals as nw

Frame = nw.LazyFrame[Any]
"""A lazy frame of whatever engine."""

TABLES: Final[dict[str, tuple[str, ...]]] = {
    "truth": ("user", "item", "gain"),
    "lists": ("user", "item", "rank"),
    "hits": ("user", "item", "rank", "gain", "found", "n_relevant"),
    "ideal": ("user", "rank", "gain"),
    "outside": ("user", "rank"),
}


def check(frame: Frame, table: str) -> Frame:
    """Return `frame` if it has the columns of `table`, and raise `ValueError` (a bug of ours) if it does not."""
    columns = frame.collect_schema().names()
    missing = [name for name in TABLES[table] if name not in columns]
    if missing:
        raise ValueError(f"table {table!r} lacks {', '.join(missing)}; it has {', '.join(columns)}")
    folded = [name.lower() for name in columns]
    if len(set(folded)) < len(folded):
        raise ValueError(f"table {table!r} has columns that differ only in case: {', '.join(columns)}")
    return frame
