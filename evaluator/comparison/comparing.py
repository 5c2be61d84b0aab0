"""Results → `Comparison`: every measure of every pair, and what is concluded of those that are judged."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl
from msgspec.structs import replace

from ..errors import DataError
from ..results.comparison import Comparison
from ..results.description import Spread
from ..results.result import Result
from ..results.row import shortened
from ..stats.concluding import corrected, unjudged
from ..stats.difference import Difference
from ..stats.letters import letters, pairs_told_apart
from .comparable import notes_on_inputs, refuse_incomparable
from .differing import Differing
from .measures import all_named, margins_of, rows_of
from .questions import Questions
from .sides import Sides, sides_of
from .spreading import spread_of_differences


def largest_losses(differing: Differing, label: str, n: int) -> pl.DataFrame | None:
    """The `n` users with the largest losses of a measure, largest first, equal ones in the order of their ids.

    Columns: user, with folds fold, base, model (the values), difference (model - base). `None` for a measure without values of users or
    without a better direction.
    """
    values, better = differing.sides_of(label), differing.row(differing.base, label).higher_is_better
    if values is None or differing.pairing is None or better is None:
        return None
    base, model = values
    difference = model - base
    loss = np.where(np.isfinite(difference), -difference if better else difference, 0.0)
    order = np.argsort(-loss, kind="stable")[:n]
    order = order[loss[order] > 0]
    columns = {"base": base[order], "model": model[order], "difference": difference[order]}
    return differing.pairing.keys[order].with_columns(**{name: pl.Series(column) for name, column in columns.items()})


def compare(results: Mapping[str, Result], questions: Questions) -> Comparison:
    """Compare the models of named results; see `sides_of` for which with which.

    `ConfigError` for a question about what the results do not have; `DataError` for results that cannot be compared: other test data or
    definitions, other users (unless those in `common` are asked for), groups or values of users that were not kept.
    """
    sides = sides_of(results, questions.baseline, all_pairs=questions.all_pairs)
    labels = _common_labels(sides)
    judged = all_named(questions.measures, labels) if questions.measures else labels
    margins = margins_of(questions.margins, labels)
    questions = replace(questions, settings=replace(questions.settings, family=max(1, len(judged) * len(sides.pairs))))
    differences: list[Difference] = []
    by_group: list[Difference] = []
    losers: dict[tuple[str, str], pl.DataFrame] = {}
    spreads: list[Spread] = []
    notes: list[str] = list(sides.notes)
    for base, model in sides.pairs:
        metrics = dict.fromkeys(rows_of(base.result, base.model)[label].metric for label in labels)
        refuse_incomparable(base, model, metrics, unpaired=questions.unpaired)
        notes += notes_on_inputs(base, model, metrics)
        differing = Differing(base, model, questions)
        sizes = {label: margins[label].of(differing.value(base, label)) or None if label in margins else None for label in labels}
        differences += differing.all(sizes)
        for label in judged:
            by_group += differing.by_group(label, sizes[label])
            lost = largest_losses(differing, label, questions.losers) if questions.losers else None
            losers |= {} if lost is None else {(model.name, label): lost}
        spread_labels = all_named(questions.spreads, labels, "distribution") if questions.spreads else ()
        spreads += [spread for label in spread_labels if (spread := spread_of_differences(differing, label)) is not None]
        differing.refuse_other_users()
        notes += differing.notes()
    finished = _judged(differences, judged, questions)
    first = sides.pairs[0][0]
    return Comparison(
        base=None if questions.all_pairs else sides.base,
        models=tuple(side.name for side in sides.all),
        differences=finished,
        settings=questions.settings,
        judged=judged,
        values={(label, side.name): rows_of(side.result, side.model)[label].value for label in labels for side in sides.all},
        higher_is_better={label: rows_of(first.result, first.model)[label].higher_is_better for label in labels},
        by_group=corrected(by_group, questions.settings),
        letters=_letters(finished, sides, judged) if questions.all_pairs else {},
        losers=losers,
        spreads=tuple(spreads),
        notes=tuple(dict.fromkeys(notes)),
        paired=not questions.unpaired,
    )


def _common_labels(sides: Sides) -> tuple[str, ...]:
    """The measures that all sides have, in the order of the first; `DataError` if there is none."""
    rows = [rows_of(side.result, side.model) for side in sides.all]
    labels = tuple(label for label in rows[0] if all(label in one for one in rows))
    if not labels:
        raise DataError(
            f"{sides.all[0].name} and {sides.all[1].name} have no measure in common: {shortened(rows[0])}; {shortened(rows[1])}",
            "evaluate both with the same metrics and cut-offs",
        )
    return labels


def _judged(differences: list[Difference], judged: tuple[str, ...], questions: Questions) -> tuple[Difference, ...]:
    """The differences, those of judged measures corrected together, in their order."""
    family = iter(corrected([one for one in differences if one.subject.measure in judged], questions.settings))
    return tuple(next(family) if one.subject.measure in judged else unjudged(one) for one in differences)


def _letters(differences: tuple[Difference, ...], sides: Sides, judged: tuple[str, ...]) -> dict[str, dict[str, str]]:
    """By measure and model the letters that say which models cannot be told apart; none of a measure without intervals."""
    made: dict[str, dict[str, str]] = {}
    for label in judged:
        of_measure = [one for one in differences if one.subject.measure == label]
        values = {side.name: rows_of(side.result, side.model)[label] for side in sides.all}
        if any(one.p is None and one.verdict != "identical" for one in of_measure) or any(row.value is None for row in values.values()):
            continue
        sign = -1.0 if next(iter(values.values())).higher_is_better is not False else 1.0
        order = sorted(values, key=lambda name: sign * (values[name].value or 0.0))
        lettered = letters(order, pairs_told_apart(of_measure))
        made |= {} if lettered is None else {label: lettered}
    return made
