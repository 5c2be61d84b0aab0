"""Texts of items from columns of data.items: titles, from a column with a usual name, and addresses of pictures."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from typing import Final

import polars as pl

from ..config import Loaded
from ..evaluation.files import Files, reading
from ..evaluation.inputs import look_at_labels
from ..load.opening import open_rows
from ..support.errors import DataError

TITLE_COLUMNS: Final = (
    "title", "Title", "name", "Name", "item_title", "item_name", "movie_title", "product_title", "product_name", "track_name",
)  # fmt: skip
"""Names of columns with titles; the first that the file has is used."""


def titles_of(files: Files, items: Iterable[pl.Series]) -> dict[str, str]:
    """Return item id as text → title, for those of these items that have one; empty without data.items or a column of titles."""
    wanted = {str(item) for series in items for item in series.unique()}
    return titles_in(files.request.loaded, wanted) if wanted else {}


def titles_in(loaded: Loaded, items: Iterable[str]) -> dict[str, str]:
    """Return item id as text → title, for those of these items that have one; see `titles_of`."""
    if loaded.config.data.items is None:
        return {}
    for column in TITLE_COLUMNS:
        try:
            return texts_in(loaded, items, column)
        except _NoColumn:
            continue  # the run itself reports what else is wrong with the file
    return {}


class _NoColumn(DataError):
    """The items file cannot be read with this column."""


def texts_in(loaded: Loaded, items: Iterable[str], column: str) -> dict[str, str]:
    """Return item id as text → its text in a column of data.items; the first row of an item counts.

    Raises `DataError` without the column.
    """
    with ExitStack() as stack:
        try:
            source = look_at_labels(loaded, "items", (column,), stack)
        except DataError as error:
            raise _NoColumn(error.message, error.hint) from None
        with reading():
            rows = open_rows(source.scan).select(pl.col("item").cast(pl.String), pl.col(source.labels[column]).alias("text"))
            found = rows.filter(pl.col("item").is_in(list(items))).drop_nulls().unique("item", keep="first", maintain_order=True).collect()
        return dict(found.select("item", "text").iter_rows())
