"""What to compute: the relevance threshold, the cut-offs, the metrics; and the categories of items."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from . import name_words
from .records import Column, File, Glance

_USUAL: Final = (5, 10, 20)
_ALWAYS: Final = ("nDCG", "Recall", "Precision", "MAP", "MRR", "HitRate")
_SEPARATORS: Final = ("|", ";", ", ", ",", "/")


def threshold(test: File) -> tuple[float | None, str]:
    """The least rating of a relevant item where ratings look like one to five stars, and the reason; otherwise none, and what there is."""
    rating = test.columns.get("rating")
    if rating is None or rating.least is None or rating.most is None:
        return None, "no column of ratings: every test row is relevant"
    span = f"the ratings go from {rating.least:g} to {rating.most:g}"
    if rating.stepped and rating.least >= 0.5 and 4 <= rating.most <= 5 and rating.distinct >= 3:
        return 4, f"{span} like stars, so 4 or more is relevant; without this every rated item is"
    return None, f"{span}: every test row with a rating above 0 is relevant; threshold: N asks for at least N"


def cutoffs(lists: Sequence[File]) -> tuple[tuple[int, ...], str]:
    """The usual cut-offs that no longest list falls short of, and the reason."""
    lengths = [found.shape.longest for found in lists if found.shape is not None and found.shape.whole]
    if not lengths:
        return _USUAL[:2], "how long the lists are was not seen"
    least, most = min(lengths), max(lengths)
    usual = tuple(k for k in _USUAL if k <= least) or (least,)
    several = f"the lists have up to {least} items" if least == most else f"the longest lists of the models have {least} to {most} items"
    return usual, several


def measures(train: bool, items: bool, categories: bool) -> tuple[tuple[str, str], ...]:
    """The metrics to ask for, each with a comment."""
    found = [(name, "") for name in _ALWAYS]
    if train or items:
        found.append(("ItemCoverage", "the share of the catalogue that any list has"))
    if train:
        found.append(("EPC", "novelty: how unpopular the recommended items were in train"))
    if categories:
        found.append(("ILD(distance=jaccard)", "diversity: how different the categories within a list are"))
    return tuple(found)


def categories(glance: Glance) -> dict[str, Any]:
    """The keys of `data.items` that say the categories, if a column is obviously one of them."""
    for column in glance.columns if glance.header else ():
        if "genre" in name_words.of_column(column.name) and column.kind == "text" and column.values and not _nested(column):
            split = _separator(column)
            if split or 2 * column.distinct <= column.filled:
                return {"categories": column.name, **({"split": split} if split else {})}
    return {}


def _nested(column: Column) -> bool:
    return column.listed or column.values[0].startswith(("[", "{"))


def _separator(column: Column) -> str:
    """What separates the categories in a column: the sign that most values have, if taking values apart leaves fewer distinct ones.

    Space is one if that leaves far fewer, since names of categories may have spaces.
    """
    having = {sign: sum(sign in value for value in column.values) for sign in _SEPARATORS}
    best = max(_SEPARATORS, key=lambda sign: having[sign])
    parts = {part for value in column.values for part in value.split(best)}
    if having[best] and (best == "|" or len(parts) < len(column.values)):
        return best
    words_alone = {word for value in column.values for word in value.split()}
    return " " if any(" " in value for value in column.values) and 2 * len(words_alone) < len(column.values) else ""
