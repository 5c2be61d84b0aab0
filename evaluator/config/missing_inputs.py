"""Find the inputs that measures and groupings need and a config does not give."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from ..metrics import Definition
from ..metrics.intents import TEST_CATEGORIES
from ..metrics.value import OF_LISTED, VALUE_NEEDS
from ..support.errors import worded
from ..tables.prepared import GroupBy
from .data import Data

CATEGORY_SETTINGS: Final = "--set data.items.categories=genres --set 'data.items.split=|'"
"""An example of the settings for categories; a command that knows the file names its own column."""
_GIVE_CATEGORIES: Final = worded(
    "give data.items with its key categories, and split if",
    option="give --items FILE --set data.items.categories=COLUMN, and --set 'data.items.split=|' if",
    argument="give items and categories='COLUMN', and split='|' if",
)
_TEST_CATEGORIES: Final = worded(
    "set data.test.categories to their column (--set data.test.categories=COLUMN; iter in qrels, with data.test.format=trec)",
    argument="give {'frame': TABLE, 'categories': 'COLUMN'} as test (iter in qrels, with test.format=trec)",
)
_INPUTS: Final = {
    "items": "the items of the catalogue",
    "users": "the file of users",
    "baseline": "the lists of a reference model",
    "previous_policy": "the scores of the policy that collected the data",
    "distances": "the distances between items",
    "predictions": "predicted ratings",
}
_INSIDE_LISTS: Final = "; for AUC among the items of each list, such as sampled candidates, use RocAuc"


def missing(definition: Definition, data: Data) -> Iterator[str]:
    """Yield a sentence for each input that the definition needs and `data` does not give.

    A need is an input (`train`, `items`, …), `catalogue` (train or items), `categories` (of the items), or a column of an input
    (`users.age`); a need that ends in `?` is optional.
    """
    for need in sorted(need for need in definition.needs if not need.endswith("?")):
        role, _, column = need.partition(".")
        if need == "catalogue":
            if data.train is None and data.items is None:
                inside = _INSIDE_LISTS if definition.metric.name in ("AUC", "GAUC", "LAUC") else ""
                yield f"{definition.label} needs the catalogue: give data.train or data.items{inside}"
        elif need == "train":
            if data.train is None:
                yield _without_train(definition)
        elif need == "categories":
            if data.items is None:
                yield f"{definition.label} needs the categories of the items: {_GIVE_CATEGORIES} a cell has several"
            elif data.items.categories is None:
                keys = "data.items.categories to their column, and data.items.split if a cell has several"
                yield f"{definition.label} needs the categories of the items: set {keys}: {CATEGORY_SETTINGS}"
        elif need == "vectors":
            if data.items is None:
                yield f"{definition.label} needs the vectors of the items: give data.items with its key vector"
            elif data.items.vector is None:
                yield f"{definition.label} needs the vectors of the items: set data.items.vector to their column, or to a list of columns"
        elif need == TEST_CATEGORIES:
            if data.test.categories is None:
                yield f"{definition.label} needs the categories of the test rows: {_TEST_CATEGORIES}"
        elif need in VALUE_NEEDS:
            yield _without_value_column(definition, need)
        elif column and getattr(data, role) is None:
            yield f"{definition.label} needs the column {column!r} of the {role}: give data.{role}"
        elif not getattr(data, role):
            yield f"{definition.label} needs {_INPUTS[role]}: give data.{role}"


def _without_value_column(definition: Definition, need: str) -> str:
    """Return what to set for a measure of value without a column, or with a column of test rows that lacks values of listed items."""
    part = next(part for part in definition.all if need in part.own_needs)
    key, column = next((text.key, part.texts[name]) for name, text in part.metric.texts.items() if text.key)
    if column:
        return (
            f"{definition.label} adds up the weights of all listed items, but test rows have those of relevant items only: use items.COLUMN"
        )
    whose, columns = "relevant", "rows.COLUMN (of the test rows) or items.COLUMN (of data.items)"
    if need == OF_LISTED:
        whose, columns = "listed", "items.COLUMN (of data.items)"
    place = f"evaluation.value_columns.{key}"
    give = worded(f"set {place} to ", option=f"give --set {place}=") + columns
    return f"{definition.label} needs the column that has the value of each {whose} item: {give}"


def _without_train(definition: Definition) -> str:
    if "train" in _over_who_counts(definition).needs:
        return f"{definition.label} needs the train interactions: give data.train"
    average = f"{definition.label} under the convention {definition.convention} is averaged over the users of data.train"
    return f"{average}: give data.train, or write {definition.metric.name}(divisor=counted)"


def _over_who_counts(definition: Definition) -> Definition:
    """Return the same measure, averaged over the users that count."""
    parts = tuple(_over_who_counts(part) for part in definition.components)
    return replace(definition, axes={**definition.axes, "divisor": "counted"}, components=parts)


def missing_for_groups(by: GroupBy, data: Data) -> Iterator[str]:
    """Yield a sentence for each input that a grouping needs and `data` does not give."""
    for part in by.crossed:
        if getattr(data, part.role) is None:
            yield f"{part.name} comes from data.{part.role}: give data.{part.role}"
        elif "categories" in part.needs and (data.items is None or data.items.categories is None):
            yield f"{part.name} needs the categories of the items: give data.items with its key categories"
