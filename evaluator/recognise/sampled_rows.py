"""The canonical rows that a reading gives of a sample, and what they mean: readings are compared by this."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import repeat, zip_longest
from typing import Any

from .evidence import Table
from .reading import FileReading
from .sampled_values import LABELLED, number_of
from .sheets import Sheet

Row = tuple[str, str, str, float | None, float | None]
"""Model, user, item, what orders it (lower is better), and its rating."""


def rows_of(sheet: Sheet, reading: FileReading) -> list[Row]:
    """Return the rows of a sheet under a reading."""
    at, name = {column.key: column for column in sheet.columns}, reading.columns["item"]
    role = next((role for role in ("rank", "score", "rating") if role in reading.columns), None)
    judge = at[reading.columns[role]] if role else None

    def ids(role: str, key: Any) -> Sequence[Any]:
        return at[key].as_ids if role in reading.casts else at[key].values

    lists: Iterable[Sequence[str]]
    if reading.layout == "wide":
        lists = zip(*(ids("item", key) for key in name), strict=True)
    elif reading.layout == "long":
        lists = ((value,) for value in ids("item", name))
    elif reading.layout == "list":
        lists = ids("item", name)
    else:
        lists = (value.split(reading.split) for value in ids("item", name))
    numbers: Iterable[Sequence[float | None]] = repeat(())
    if judge is not None:
        numbers = (
            ([number_of(part) for part in value] for value in judge.values) if judge.is_list else ((number,) for number in judge.numbers)
        )
    models: Iterable[str] = at[reading.columns["model"]].values if "model" in reading.columns else repeat("")
    found: list[Row] = []
    for model, user, items, values in zip(models, ids("user", reading.columns["user"]), lists, numbers, strict=False):
        for item, number in zip_longest(items, values):
            if not item or not user or item in reading.padding:
                continue
            label = LABELLED.fullmatch(item) if reading.layout == "labels" else None
            rating = float(label[2]) if label else (number or 0.0) if role == "rating" else None  # a gap judges a row not relevant
            order = None if role in ("rating", None) or number is None else -number if reading.order == "score" else number
            found.append((model, user, label[1] if label else item, order, rating))
    return found


def effect_of(rows: Sequence[Row], table: Table, *, reads_ratings: bool = True) -> Mapping[Any, Any]:
    """Return what rows mean: the grade of each pair of a test file, or only whether it is above 0; the items in order of each list."""
    if table == "interactions":
        grades = {(user, item): 1.0 if rating is None else rating for _, user, item, _, rating in rows}
        is_constant = len({*grades.values()}) == 1 and all(grade > 0 for grade in grades.values())  # which judges nothing
        return grades if reads_ratings and not is_constant else {pair: grade > 0 for pair, grade in grades.items()}
    lists: dict[tuple[str, str], list[tuple[float, int, str]]] = {}
    for place, (model, user, item, order, _) in enumerate(rows):
        lists.setdefault((model, user), []).append((order or 0.0, place, item))
    return {key: [item for _, _, item in sorted(ranked_rows)] for key, ranked_rows in lists.items()}
