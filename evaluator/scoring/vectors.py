"""Vectors of items, such as embeddings, from a column of lists or from several columns of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import polars as pl

from ..support.errors import DataError
from ..support.quoting import short
from ..tables.array import Array
from ..tables.prepared import Prepared

_BETWEEN: Final = r"[\[\](),;|\s]+"
"""The brackets and separators of the numbers in a text."""


def vectors_of_items(prepared: Prepared, catalogue: pl.DataFrame, columns: Sequence[str]) -> tuple[Array, list[str]]:
    """Return the vectors of the items, dimensions × items, each divided by its length, and a remark on items without one.

    An item whose vector is missing, or 0 in all dimensions, has NaN. `DataError` for text that is not a number, for vectors of different
    numbers of dimensions, and for an item with two different vectors.
    """
    numbers = (
        pl.concat_list(columns) if len(columns) > 1 else pl.col(columns[0]).str.replace_all(_BETWEEN, " ").str.strip_chars().str.split(" ")
    )
    rows = catalogue.select("item", text=pl.concat_str(columns, separator=" ", ignore_nulls=True), number=numbers)
    rows = rows.filter(pl.col("text").str.strip_chars() != "").unique(["item", "text"]).sort("item", "text")
    values = rows.select("item", "text", pl.col("number").list.eval(pl.element().cast(pl.Float64, strict=False)))
    wrong = values.filter(pl.col("number").list.eval(pl.element().is_null() | ~pl.element().is_finite()).list.any())
    if len(wrong):
        raise _error("is not a list of finite numbers", wrong)
    sizes = values.with_columns(size=pl.col("number").list.len())
    usual = int(sizes["size"].mode().min() or 1)  # type: ignore[arg-type]
    others = sizes.filter(pl.col("size") != usual)
    if len(others):
        n = others["size"][0]
        raise _error(f"has {n:,} number{'s' * (n != 1)}, where other items have {usual:,}", others)
    again = values.filter(pl.col("item").is_duplicated())
    if len(again):
        raise _error("is one of several vectors of this item", again)
    vectors = np.full((usual, len(prepared.items)), np.nan)
    vectors[:, prepared.items.index_of(values["item"])] = values["number"].explode().to_numpy().reshape(-1, usual).T if len(values) else 0.0
    largest = np.abs(vectors).max(axis=0, initial=0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        vectors /= largest  # so that squares stay within the numbers; 0/0 is NaN
        squares = np.zeros(len(prepared.items))
        for of_dimension in vectors:
            squares += of_dimension * of_dimension
        vectors /= np.sqrt(squares)
    n, total = (
        int((prepared.in_catalogue & np.isnan(vectors).any(axis=0)).sum()),
        int(prepared.in_catalogue.sum()),
    )
    have = "has" if n == 1 else "have"
    return vectors, [f"data.items: {n:,} of {total:,} items {have} no vector, or one of zeros."] if n else []


def _error(problem: str, rows: pl.DataFrame) -> DataError:
    item, text = rows["item"][0], short(repr(rows["text"][0]))
    return DataError(
        f"data.items: the vector {text} of item {item} {problem}", "correct it, or leave the cell empty: the item then has no distances"
    )
