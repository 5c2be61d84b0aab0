"""Choose what to compute: the relevance threshold, the cut-offs, the metrics, and the categories of items."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from .name_words import column_words
from .records import ClassifiedFile, ColumnSummary, FileSummary

_USUAL_CUTOFFS: Final = (5, 10, 20)
_BASIC_METRICS: Final = ("nDCG", "Recall", "Precision", "MAP", "MRR", "HitRate")
_SEPARATORS: Final = ("|", ";", ", ", ",", "/")


def threshold(test: ClassifiedFile) -> tuple[float | None, str]:
    """Choose the lowest rating of a relevant item if ratings look like one to five stars, otherwise none; with the reason."""
    rating = test.columns.get("rating")
    if rating is None or rating.minimum is None or rating.maximum is None:
        return None, "no column of ratings: every test row is relevant"
    span = f"the ratings go from {rating.minimum:g} to {rating.maximum:g}"
    if rating.half_steps and rating.minimum >= 0.5 and 4 <= rating.maximum <= 5 and rating.n_distinct >= 3:
        return 4, f"{span} like stars, so 4 or more is relevant; otherwise every rated item counts as relevant"
    return None, f"{span}: every test row with a rating above 0 is relevant; threshold: N requires at least N"


def cutoffs(lists: Sequence[ClassifiedFile]) -> tuple[tuple[int, ...], str]:
    """Choose the usual cut-offs up to the length of the lists, with the reason."""
    lengths = [file.by_user.longest for file in lists if file.by_user.has_whole_users]
    if not lengths:
        return _USUAL_CUTOFFS[:2], "the list lengths are unknown"
    shortest, longest = min(lengths), max(lengths)
    usual = tuple(k for k in _USUAL_CUTOFFS if k <= shortest) or (shortest,)
    if shortest == longest:
        return usual, f"the lists have up to {shortest} items"
    return usual, f"the longest lists of the models have {shortest} to {longest} items"


def metrics(train: bool, items: bool, categories: bool) -> tuple[tuple[str, str], ...]:
    """Choose metrics that the inputs allow, each with a comment."""
    chosen = [(name, "") for name in _BASIC_METRICS]
    if train or items:
        chosen.append(("ItemCoverage", "the share of the catalogue that is recommended at least once"))
    if train:
        chosen.append(("EPC", "novelty: how unpopular the recommended items were in train"))
    if categories:
        chosen.append(("ILD(distance=jaccard)", "diversity: how different the categories within a list are"))
    return tuple(chosen)


def categories(summary: FileSummary) -> dict[str, Any]:
    """Return the keys of `data.items` for the categories, if a column obviously holds them."""
    for column in summary.columns if summary.has_header else ():
        is_genre = "genre" in column_words(column.name) and column.kind == "text" and column.examples
        if is_genre and not column.is_list and not column.examples[0].startswith(("[", "{")):
            split = _separator(column)
            if split or 2 * column.n_distinct <= column.n_filled:
                return {"categories": column.name, **({"split": split} if split else {})}
    return {}


def _separator(column: ColumnSummary) -> str:
    """Detect what separates the categories in a value; empty if nothing does.

    It is the sign that most values have, if splitting leaves fewer distinct names; a space only if it leaves far fewer, since names of
    categories may have spaces.
    """
    n_values = {sign: sum(sign in value for value in column.examples) for sign in _SEPARATORS}
    best = max(_SEPARATORS, key=lambda sign: n_values[sign])
    parts = {part for value in column.examples for part in value.split(best)}
    if n_values[best] and (best == "|" or len(parts) < len(column.examples)):
        return best
    single_words = {word for value in column.examples for word in value.split()}
    return " " if any(" " in value for value in column.examples) and 2 * len(single_words) < len(column.examples) else ""
