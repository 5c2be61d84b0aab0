"""Sources with a list in a row: which columns hold one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from ..errors import DataError
from .columns import IDS, public_name
from .list_text import Syntax, elements_of, is_bracketed, is_list, is_nested, suspect, syntax_of

_TABLES: Final = ("interactions", "lists", "predictions")
"""The tables of which a row may hold a list of items."""


def may_hold_lists(table: str) -> bool:
    """Whether a row of `table` may hold a list of items."""
    return table in _TABLES


def as_list_columns(where: str, table: str, nested: Sequence[str]) -> frozenset[str]:
    """The canonical columns that hold lists, `nested`, as a set; `DataError` if rows of `table` cannot hold lists in them."""
    if not nested:
        return frozenset()
    if table not in _TABLES or "item" not in nested or "user" in nested:
        column = "user" if "user" in nested else nested[0]
        raise DataError(
            f"{where}: the {public_name(column)} column contains lists{'' if 'item' in nested else ', but the item column does not'}",
            "a row may contain one user, a list of items and a list of their scores, ranks or ratings with the same length",
        )
    return frozenset(nested)


def text_lists(
    where: str, table: str, columns: Mapping[str, str], samples: Mapping[str, Sequence[str]], split: str | None, one_suffices: bool = False
) -> tuple[frozenset[str], Syntax, dict[str, list[str]]]:
    """The canonical columns whose texts hold lists, judged by samples, how these are written, and the values of those of each column.

    Without `split` all fields of a column look like lists, or, where `one_suffices`, as in files that have no other way to write them,
    one is a list; what else the column holds is refused when it is read. With `split` the items are always lists; another column holds
    lists if any of its fields has the separator. `DataError` if texts look like lists and are not read as such.
    """
    values = {
        column: [value.strip() for value in samples[column] if value.strip()] for column in columns if not column.startswith("label_")
    }
    if split is None:
        found = [
            column
            for column, texts in values.items()
            if texts and (all(map(is_bracketed, texts)) or (one_suffices and any(map(is_list, texts))))
        ]
    else:
        found = [
            column for column, texts in values.items() if column == "item" or (column not in IDS and any(split in text for text in texts))
        ]
    nested = as_list_columns(where, table, found)
    if not nested and {"user", "item"} <= columns.keys():
        _refuse_unsplit(where, columns["item"], samples["item"], samples["user"])
    syntax = syntax_of([text for column in nested for text in samples[column]])
    return nested, syntax, {column: elements_of(samples[column], split, syntax) for column in nested}


def _refuse_unsplit(where: str, name: str, items: Sequence[str], users: Sequence[str]) -> None:
    """`DataError` if the texts of the column `name`, which would be read as one item each, look like lists of items."""
    found = suspect(items, users)
    if found is not None:
        text, sign = found
        shown = text if len(text) <= 40 else f"{text[:40]}…"
        nested = "write it as JSON, in a file of its own, or one row per item"
        cure = nested if is_nested(text) else f"set the separator of the items, split: {sign!r}"
        raise DataError(
            f"{where}: column {name!r} holds text such as {shown!r}, which looks like a list of items and would be read as one item",
            f"{cure}; or set split: none if each text is one item",
        )
