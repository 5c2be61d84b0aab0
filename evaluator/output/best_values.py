"""Which values are the best of the models: a reading of the numbers as printed, and no claim that a difference is real."""

from __future__ import annotations

from collections.abc import Mapping

from ..results.result import Result, Row
from .cells import Formats


def best(result: Result, formats: Formats) -> frozenset[tuple[str, str]]:
    """The (model, label) of the values that no other is better than as they are printed; none where all look alike.

    Yardsticks are not compared, nor are measures of which neither more nor less is better.
    """
    table = result.by_model()
    rivals = {model: rows for model, rows in table.items() if model not in result.yardsticks}
    marked: set[tuple[str, str]] = set()
    for label in result.labels():
        printed = _printed(label, rivals, formats)
        if result.higher_is_better[label] is not None and len(set(printed.values())) > 1:
            winner = _winner(result, label, rivals, printed)
            marked |= {(model, label) for model, text in printed.items() if text == winner}
    return frozenset(marked)


def _printed(label: str, rivals: Mapping[str, Mapping[str, Row]], formats: Formats) -> dict[str, str]:
    """The values of a measure by model, as text, without those that are none."""
    values = {model: rows[label].value for model, rows in rivals.items() if label in rows}
    return {model: formats.text(label, value) for model, value in values.items() if value is not None}


def _winner(result: Result, label: str, rivals: Mapping[str, Mapping[str, Row]], printed: Mapping[str, str]) -> str:
    choose = max if result.higher_is_better[label] else min
    return printed[choose(printed, key=lambda model: rivals[model][label].value or 0.0)]


def explained(mark: str, alike: bool = False) -> str:
    """What the mark says, and what it does not say; `alike` if it also stands at values that cannot be told from the best."""
    best_one = f"{mark} highest value printed, or lowest where less is better"
    if alike:
        return f"{best_one}, and those that cannot be told from it."
    return f"{best_one}; it says nothing about whether the difference is real: receval compare does."
