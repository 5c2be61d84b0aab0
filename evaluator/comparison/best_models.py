"""Conclude a run of several models: for every measure the best model, and the models that it beats."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from msgspec.structs import replace

from ..documents.headline import closing_of_result
from ..results.candidates import largest_group
from ..results.comparison import main_measure
from ..results.result import Result
from ..stats.best import ModelValues, Pair, conclude
from ..stats.difference import Conclusion
from ..stats.estimates import Estimate
from ..stats.rare_changes import ValueRange
from ..support.errors import RecevalError
from .comparing import compare
from .comparison_options import ComparisonOptions, all_named, margins_of, rows_of
from .model_pair import ModelPair
from .pairing import Side


def with_conclusions(result: Result, options: ComparisonOptions) -> Result:
    """Return the result with conclusions on its models; unchanged with fewer than two models, or without per-user values."""
    made = conclusions_of(result, options)
    return replace(result, conclusions=made) if made else result


def conclusions_of(result: Result, options: ComparisonOptions) -> tuple[Conclusion, ...]:
    """Conclude which model is best and which others it beats, for every judged measure with a better direction.

    All pairs of models are compared on the users that count for both, as `compare` does with `users: common`. If some models rank sampled
    candidates and others do not, only the largest group is compared. Empty with fewer than two models, or without per-user values.
    """
    models = largest_group(result)
    if len(models) < 2 or not all(model in result.per_user for model in models):
        return ()
    rows = {model: rows_of(result, model) for model in models}
    first = rows[models[0]]
    labels = tuple(label for label in first if all(label in of_model for of_model in rows.values()))
    judged = all_named(options.measures, labels, definitions=result.definitions) if options.measures else labels
    compared = [label for label in judged if first[label].higher_is_better is not None]
    margins = margins_of(options.margins, labels, result.definitions)
    overridden = replace(options, common=True, by=(), unpaired=False)
    sides = {model: Side(model, result, model) for model in models}
    of_pairs: dict[Pair, ModelPair] = {}

    def model_pair(pair: Pair) -> ModelPair:
        if pair not in of_pairs:
            of_pairs[pair] = ModelPair(sides[pair[0]], sides[pair[1]], overridden, relative=False, labels=compared)
        return of_pairs[pair]

    def values_of(label: str) -> ModelValues:
        of_models = {model: of_model[label] for model, of_model in rows.items()}
        known = {model: row.value for model, row in of_models.items() if row.value is not None}

        def estimate(pair: Pair) -> Estimate:
            return model_pair(pair).estimate(label)

        def margin(pair: Pair) -> float | None:
            return margins[label].in_units(known[pair[0]]) or None if label in margins else None

        def value_range(pair: Pair) -> ValueRange | None:
            return model_pair(pair).value_range(label)

        row = first[label]
        better, users = bool(row.higher_is_better), {model: of_model.n_users for model, of_model in of_models.items()}
        return ModelValues(label, known, users, estimate, better, margin, value_range, row.k, row.aggregate)

    return conclude([values_of(label) for label in compared], options.settings)


def closing_with_groups(result: Result, options: ComparisonOptions, measures: Collection[str] | None = None) -> list[str]:
    """Return the closing sentences of a result (see `closing_of_result`), and a group in which the best model is worse, if there is one."""
    concluded = [conclusion for conclusion in result.conclusions if measures is None or conclusion.measure in measures]
    tested = {conclusion.measure: conclusion for conclusion in concluded if conclusion.is_tested and conclusion.best is not None}
    groups = _worse_groups(result, tested[main_measure(tuple(tested))], options) if tested else ()
    return [*closing_of_result(result, measures), *groups]


def _worse_groups(result: Result, concluded: Conclusion, options: ComparisonOptions) -> Iterable[str]:
    """Return a sentence if the best model is worse, within a group of users, than one that it beats."""
    beaten = {rival.model for rival in concluded.beaten}
    if not beaten or not any(row.by for row in result.by_group):
        return ()
    options = replace(options, baseline=concluded.best, by=(), losers=0, spreads=())
    try:
        found = compare({"": result}, options).in_groups
    except RecevalError:  # such as measures that count different users
        return ()
    return [sentence for (_, model), sentence in found.items() if model in beaten]
