"""The values of each fold and run, as a page: one line per fold and run of a model, then their mean and standard deviation."""

from __future__ import annotations

from ..results.result import Result, Row
from .blocks import Block, Heading, Prose
from .cells import Formats, grids


def page(result: Result, digits: int | None = None) -> list[Block]:
    """The values over all users of each fold and run, with so many `digits`; nothing where there are no several."""
    over_all = [row for row in result.repeated if row.by is None]
    if not over_all:
        return []
    formats = Formats.of((*result.rows, *over_all), digits)
    kinds = [kind for kind in ("fold", "run") if any(getattr(row, kind) is not None for row in over_all)]
    lines: dict[tuple[str, ...], dict[str, str]] = {}
    folds = list(dict.fromkeys(row.fold for row in over_all))
    for model in result.models:
        of_model = [row for row in over_all if row.model == model]
        for row in sorted(of_model, key=lambda row: (folds.index(row.fold), row.run is None)):
            _add(lines, row, kinds, formats, spread=row.fold is not None and row.repeats is not None)
        for row in (row for row in result.rows if row.model == model and row.repeats is not None):
            _add(lines, row, kinds, formats, spread=True)
    blocks: list[Block] = [Heading(f"By {' and '.join(kinds)}", 2), *grids(("model", *kinds), lines)]
    blocks.append(Prose("The standard deviation is that of the sample: it divides by the number of values less 1."))
    return blocks


def _add(lines: dict[tuple[str, ...], dict[str, str]], row: Row, kinds: list[str], formats: Formats, *, spread: bool) -> None:
    """Add a value to its line; a mean over folds or runs to two of them, with its standard deviation (`spread`)."""
    for name, value in (("mean", row.value), ("std", row.repeats_std)) if spread else (("", row.value),):
        places = {"fold": row.fold, "run": row.run}
        if name:
            places["fold" if row.fold is None and "fold" in kinds else "run"] = name
        lines.setdefault((row.model, *(places[kind] or "" for kind in kinds)), {})[row.label] = formats.text(row.label, value)
