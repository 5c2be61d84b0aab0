"""Compare models over several data sets: each result is one of them, with the same models and definitions, and other test data."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from ..results.across import AcrossComparison, AcrossDifference, AcrossVerdict, DataSetEffect, Scale, missing_text
from ..results.result import Result
from ..results.row import listed, shortened
from ..stats.concluding import adjust
from ..stats.estimates import Estimate
from ..stats.meta_analysis import LEAST_FOR_INTERVAL, mean_effect
from ..stats.paired import TOLERANCE
from ..stats.ranks import Ranks, rank_models
from ..support.errors import ArgumentError, ConfigError, DataError, worded
from .bases import Base, base_of, known_name, own_models
from .comparing import SAME_CANDIDATES, notes_on_candidates, notes_on_other_measures, other_definitions, refuse_other_candidates
from .comparison_options import ComparisonOptions, all_named, rows_of
from .model_pair import ModelPair
from .pairing import Side

Complete = Literal["models", "data-sets"]
"""What is left out where a model has no results on a data set."""
_OF_DATA: Final = ("threshold",)
"""Settings that say which rows of a data set are relevant: its ratings may have another scale."""
_MOST: Final = 3
_OPTIONS: Final = {"margins": "margin"}
"""Arguments whose option has another name."""


class AcrossOptions(Struct, frozen=True):
    """Options of a comparison over data sets, beside those of all comparisons; with `ranks`, models are ranked too."""

    comparison: ComparisonOptions
    ranks: bool = False
    complete: Complete | None = None


def compare_across(results: Mapping[str, Result], options: AcrossOptions) -> AcrossComparison:
    """Compare the models of results, each of which is a data set under its label.

    Raises `ConfigError` for fewer than two data sets or models, and a base or measure that there is not; `DataError` for models without
    results on a data set (unless `complete`), and data sets that are equal, or whose definitions differ.
    """
    if len(results) < 2:
        given = f"there is only {next(iter(results))!r}" if results else "there is none"
        raise ConfigError(
            f"a comparison across data sets needs the results of two or more; {given}",
            worded(
                "give a folder for each: receval compare --across ml1m/ lastfm/; or name them in a config: datasets: [ml1m, lastfm]",
                argument="give a result for each, by name",
            ),
        )
    _refuse_equal_data(results)
    base = _base(results, options.comparison)
    results, models, notes = _complete(results, base.name, options.complete)
    _refuse_other_candidates(results, models)
    asked, labels = options.comparison, _labels(results, models)
    definitions = next(iter(results.values())).definitions
    judged = all_named(asked.measures, labels, definitions=definitions) if asked.measures else labels
    sides = [Side(name, result, models[0]) for name, result in results.items()]
    others = () if asked.measures else notes_on_other_measures(sides, labels, "data sets")
    notes = (*notes, *_notes_on_definitions(sides, judged), *others)
    pairs = list(combinations(models, 2)) if asked.all_pairs else [(base.name, model) for model in models if model != base.name]
    differences: list[AcrossDifference] = []
    untested: list[str] = []
    for one, other in pairs:
        of_data_sets = {name: _pair(name, result, one, other, asked) for name, result in results.items()}
        for label in judged:
            made = _difference(label, of_data_sets, asked)
            if isinstance(made, str):
                untested.append(made)
            else:
                differences.append(made)
    if not differences:
        raise DataError("no measure can be combined over the data sets", untested[0])
    return AcrossComparison(
        tuple(results),
        tuple(models),
        None if asked.all_pairs else base.name,
        _judged(differences, asked),
        asked.settings.correction,
        asked.settings.level,
        tuple(_ranks(results, models, judged, asked.settings.alpha)) if options.ranks else (),
        tuple(dict.fromkeys((*notes, *untested, *_notes_on_weights(differences), *_notes_on_lists(results, models)))),
        base.is_default and not asked.all_pairs and len(models) > 2,
    )


def _refuse_equal_data(results: Mapping[str, Result]) -> None:
    """Raise `DataError` if two results have the same test set: one data set would count twice."""
    for (name, one), (other, two) in combinations(results.items(), 2):
        if one.truths and one.truths == two.truths:
            raise DataError(
                f"{name} and {other} have the same test data: one data set would count twice",
                worded(
                    "give one of them, or compare their models without --across",
                    argument="give one of them, or compare their models without across",
                ),
            )


def _refuse_other_candidates(results: Mapping[str, Result], models: Sequence[str]) -> None:
    """Raise `DataError` if a model has values among other numbers of sampled candidates, or among such on some data sets only."""
    for model in models:
        numbers: dict[int | None, list[str]] = {}
        for name, result in results.items():
            bounds = result.catalogue_bounds.get(model)
            numbers.setdefault(None if bounds is None else bounds.sampled, []).append(name)
        if len(numbers) > 1:
            found = [
                f"{listed(names)} {'have' if len(names) > 1 else 'has'} values "
                + ("over the whole catalogue" if n is None else f"among {n:,} sampled candidates")
                for n, names in sorted(numbers.items(), key=lambda item: item[0] is None)
            ]
            raise DataError(f"{model} cannot be combined over the data sets: {', and '.join(found)}", SAME_CANDIDATES)
        if None in numbers:
            first, *others = (Side(name, result, model) for name, result in results.items())
            for side in others:
                refuse_other_candidates(first, side, "combined")


def _base(results: Mapping[str, Result], options: ComparisonOptions) -> Base:
    """Return the model that the others are compared with: the given one, that of the configs, or else the first."""
    if options.baseline is not None:
        return Base(known_name(options.baseline, tuple(dict.fromkeys(model for one in results.values() for model in one.models)), "model"))
    bases = [base_of({"": result}) for result in results.values()]
    named = list(dict.fromkeys(base.name for base in bases if not base.is_default))
    if len(named) > 1:
        hint = worded("give one: --baseline NAME", argument="give one: baseline='NAME'")
        raise ConfigError(f"the configs of the data sets name different baselines: {listed(named)}", hint)
    return Base(named[0]) if named else bases[0]


def _complete(
    results: Mapping[str, Result], base: str, complete: Complete | None
) -> tuple[Mapping[str, Result], list[str], tuple[str, ...]]:
    """Return the data sets and models with all results, the base first, and a note on those that are left out."""
    models = [base, *dict.fromkeys(model for result in results.values() for model in own_models(result) if model != base)]
    missing = {model: lacking for model in models if (lacking := [name for name, one in results.items() if model not in one.models])}
    notes: tuple[str, ...] = ()
    if missing and complete is None:
        raise DataError(
            missing_text(missing),
            worded(
                f"evaluate them, or leave out the models ({shortened(missing)}) by --complete models, or the data sets by "
                "--complete data-sets",
                argument=f"evaluate them, or leave out the models ({shortened(missing)}) by complete='models', or the data sets by "
                "complete='data-sets'",
            ),
        )
    if missing:
        lacking = list(dict.fromkeys(name for names in missing.values() for name in names))
        left = list(missing) if complete == "models" else lacking
        notes = (f"Left out: {listed(left)}, because {missing_text(missing)}.",)
        models = [model for model in models if complete != "models" or model not in missing]
        results = {name: result for name, result in results.items() if complete == "models" or name not in lacking}
    if len(models) < 2 or base not in models or len(results) < 2:
        rest = f"{len(results)} data set{'s' * (len(results) != 1)} and the models {shortened(models) or '(none)'}"
        raise DataError(f"too little is left to compare: {rest}", missing_text(missing) or "evaluate two or more models on each data set")
    return results, models, notes


def _labels(results: Mapping[str, Result], models: Sequence[str]) -> tuple[str, ...]:
    """Return the measures that all models have on all data sets, in the order of the first."""
    of_models = [rows_of(result, model) for result in results.values() for model in models]
    labels = tuple(label for label in of_models[0] if all(label in rows for rows in of_models))
    if not labels:
        shown = "; ".join(f"{name} has {shortened(rows_of(result, models[0]))}" for name, result in results.items())
        raise DataError(f"the data sets have no measure in common: {shown}", "evaluate all of them with the same metrics and cut-offs")
    return labels


def _notes_on_definitions(sides: Sequence[Side], labels: Sequence[str]) -> Iterator[str]:
    """Yield a sentence if other ratings are relevant on some data sets; raise `DataError` if definitions differ in anything else."""
    first, *others = sides
    metrics = list(dict.fromkeys(rows_of(first.result, first.model)[label].metric for label in labels))
    for side in others:
        differing = list(other_definitions(first, side, metrics, _OF_DATA))
        if differing:
            more = f"; and {len(differing) - _MOST} more" if len(differing) > _MOST else ""
            raise DataError(
                f"{side.name} cannot be combined with {first.name}: {'; '.join(differing[:_MOST])}{more}",
                "evaluate all data sets with the same definitions",
            )
    thresholds: dict[str, list[str]] = {}
    for side in (first, *others):
        found = {threshold for name in metrics if (threshold := side.result.definitions[name].threshold) is not None}
        text = "ratings from " + listed([f"{threshold:g}" for threshold in sorted(found)]) if found else "all test rows"
        thresholds.setdefault(text, []).append(side.name)
    if len(thresholds) > 1:
        yield f"Relevant are {'; '.join(f'{text} on {listed(names)}' for text, names in thresholds.items())}."


def _pair(data_set: str, result: Result, base: str, model: str, options: ComparisonOptions) -> ModelPair:
    one, other = (Side(f"{data_set}/{name}", result, name) for name in (base, model))
    refuse_other_candidates(one, other)
    return ModelPair(one, other, options, relative=False)


def _difference(label: str, pairs: Mapping[str, ModelPair], options: ComparisonOptions) -> AcrossDifference | str:
    """Return the mean effect of one measure over data sets, not yet judged; a sentence if it has no value on one of them."""
    estimates = {name: pair.estimate(label) for name, pair in pairs.items()}
    for name, pair in pairs.items():
        pair.count_users({label: (estimates[name].n, estimates[name].n_unpaired)})
        pair.refuse_other_users([label])
    first = next(iter(pairs.values()))
    base, model, better = first.base.model, first.model.model, first.row(first.base, label).higher_is_better
    unknown = [name for name, estimate in estimates.items() if estimate.difference is None]
    if unknown:
        return f"{label} of {model} and {base} is not combined: it has no value on {listed(unknown)}."
    is_ratio = all((one.base_value or 0.0) > 0 and (one.value or 0.0) > 0 for one in estimates.values())
    effects = [_effect(name, label, pair, estimates[name], better, is_ratio=is_ratio) for name, pair in pairs.items()]
    if None in effects:
        lacking = [name for name, effect in zip(pairs, effects, strict=True) if effect is None]
        zero = [name for name, one in estimates.items() if not ((one.base_value or 0.0) > 0 and (one.value or 0.0) > 0)]
        reason = f"a value on {listed(zero)} is not above 0, so there is no ratio, and no standardised difference on {listed(lacking)}"
        return f"{label} of {model} and {base} is not combined: {reason}."
    known = tuple(effect for effect in effects if effect is not None)
    variances = [effect.se**2 for effect in known if effect.se]
    weighted = len(variances) == len(known)
    mean = mean_effect([effect.effect for effect in known], variances if weighted else None, options.settings.alpha)
    scale: Scale = "ratio" if is_ratio else "standardised"
    return AcrossDifference(label, base, model, better, scale, known, mean, weighted, options.settings.level)


def _effect(data_set: str, label: str, pair: ModelPair, estimate: Estimate, better: bool | None, *, is_ratio: bool) -> DataSetEffect | None:
    """Return the effect on one data set: ln(b/a), or the mean difference in standard deviations of per-user differences, if it has one."""
    a, b, d = estimate.base_value or 0.0, estimate.value or 0.0, estimate.difference or 0.0
    sign = 0 if abs(d) <= TOLERANCE * max(abs(a), abs(b), TOLERANCE) else 1 if d > 0 else -1
    if is_ratio:
        effect, se = math.log(b / a), pair.ratio_error(label, estimate)
    elif not estimate.sd:
        if sign or estimate.n < 2:
            return None
        effect, se = 0.0, 1 / math.sqrt(estimate.n)
    else:
        effect = d / estimate.sd
        se = None if estimate.se is None else math.sqrt((estimate.se / estimate.sd) ** 2 + effect**2 / (2 * estimate.n_units))
    return DataSetEffect(data_set, estimate.n, a, b, effect, se, -sign if better is False else sign)


def _judged(differences: Sequence[AcrossDifference], options: ComparisonOptions) -> tuple[AcrossDifference, ...]:
    """Correct the p values of all differences together, and judge them."""
    tested = [difference.mean.p for difference in differences if difference.mean.p is not None]
    adjusted = iter(adjust(tested, options.settings.correction))

    def verdict(difference: AcrossDifference, p: float | None) -> AcrossVerdict | None:
        if not any(effect.effect or effect.direction for effect in difference.effects):
            return "identical"
        if p is None or (p <= options.settings.alpha and difference.higher_is_better is None):
            return None
        if p > options.settings.alpha:
            return "inconclusive"
        return "better" if (difference.mean.mean > 0) == difference.higher_is_better else "worse"

    made = []
    for difference in differences:
        p = None if difference.mean.p is None else next(adjusted)
        family = None if p is None else 1 if options.settings.correction == "none" else len(tested)
        made.append(replace(difference, p_adjusted=p, family=family, verdict=verdict(difference, p)))
    return tuple(made)


def _notes_on_weights(differences: Sequence[AcrossDifference]) -> Iterator[str]:
    """Yield sentences on measures in which data sets count alike, and on those that are not compared by ratios."""
    alike: dict[tuple[str, ...], list[AcrossDifference]] = {}
    standardised: dict[tuple[str, ...], list[AcrossDifference]] = {}
    for difference in differences:
        if not difference.weighted:
            alike.setdefault(tuple(effect.data_set for effect in difference.effects if not effect.se), []).append(difference)
        if difference.scale == "standardised":
            zero = tuple(effect.data_set for effect in difference.effects if effect.base_value <= 0 or effect.value <= 0)
            standardised.setdefault(zero, []).append(difference)
    for names, some in alike.items():
        yield (
            f"{_of_pairs(some)}: data sets count alike, because the ratio has no standard error on {listed(names)} "
            "(no per-user values, a value without an error, or no user who differs)."
        )
    for names, some in standardised.items():
        yield (
            f"{_of_pairs(some)}: a value on {listed(names)} is not above 0, so there is no ratio; "
            "differences are in standard deviations of per-user differences."
        )
    if differences[0].mean.n < LEAST_FOR_INTERVAL:
        yield "Two data sets have no interval and no verdict: they do not show how much effects vary between data sets. Give three or more."


def _of_pairs(differences: Sequence[AcrossDifference]) -> str:
    """Name measures with their models: `nDCG@5 of als against pop; nDCG@5, MRR of bpr against pop`."""
    measures: dict[tuple[str, str], list[str]] = {}
    for difference in differences:
        measures.setdefault((difference.base, difference.model), []).append(difference.measure)
    pairs: dict[tuple[str, ...], list[str]] = {}
    for (base, model), labels in measures.items():
        pairs.setdefault(tuple(labels), []).append(f"{model} against {base}")
    return "; ".join(f"{shortened(labels)} of {listed(models)}" for labels, models in pairs.items())


def _notes_on_lists(results: Mapping[str, Result], models: Sequence[str]) -> Iterator[str]:
    return notes_on_candidates([Side(f"{name}/{model}", result, model) for name, result in results.items() for model in models])


def _ranks(results: Mapping[str, Result], models: Sequence[str], labels: Sequence[str], alpha: float) -> Iterator[Ranks]:
    """Yield the ranks of the models in each measure that has a better direction and a value of each model on each data set."""
    for label in labels:
        rows = {model: [rows_of(result, model)[label] for result in results.values()] for model in models}
        better = rows[models[0]][0].higher_is_better
        values = {model: [row.value for row in of_model if row.value is not None] for model, of_model in rows.items()}
        if better is not None and all(len(known) == len(results) for known in values.values()):
            yield rank_models(label, values, higher_is_better=better, alpha=alpha)


def refuse_unused(given: Mapping[str, object]) -> None:
    """Raise `ArgumentError` for an option of comparisons that is not one of comparisons over data sets."""
    unused = [name for name, value in given.items() if value]
    if unused:
        option = f"--{_OPTIONS.get(unused[0], unused[0]).replace('_', '-')}"
        raise ArgumentError(f"across does not go with {unused[0]}", option=f"--across does not go with {option}")
