"""Compare results: every measure of every pair of models, with verdicts, as a `Comparison`. Long: all its parts share one pairing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final

import numpy as np
import polars as pl
from msgspec.structs import replace

from ..checks import SAMPLED
from ..results.candidates import candidates_by_place, candidates_text, incomparable_text, other_candidates
from ..results.comparison import Comparison, worse_in_groups
from ..results.description import HistogramBin, Spread
from ..results.list_lengths import caution
from ..results.notes import BY_FILE_ORDER, CHOSEN, uneven_lists_text
from ..results.result import InputFile, Result, columns_of, counts_lists, select
from ..results.row import Row, listed, shortened
from ..stats.concluding import judge_family, users_text, without_verdict
from ..stats.difference import Difference
from ..stats.letters import different_pairs, letters
from ..stats.paired import TOLERANCE
from ..support.errors import ConfigError, DataError, worded
from .comparison_options import ComparisonOptions, all_named, margins_of, rows_of
from .model_pair import ModelPair
from .pairing import Floats, Side, Sides, sides_of, unpaired_text

_MOST = 3
SAME_CANDIDATES: Final = "score the same candidates with both and give all of them, or rank the whole catalogue with both"


def refuse_incomparable(base: Side, model: Side, metrics: Iterable[str], *, unpaired: bool) -> None:
    """Raise `DataError` if two sides of different results have different test sets, or different definitions of one of the `metrics`.

    Definitions must always be the same; with `unpaired` users, test data may differ.
    """
    if base.result is model.result:
        return
    of_truth = [] if unpaired else list(other_truths(base, model))
    differences = [*of_truth, *other_definitions(base, model, metrics)]
    if differences:
        more = f"; and {len(differences) - _MOST} more" if len(differences) > _MOST else ""
        raise DataError(
            f"{model.name} cannot be compared with {base.name}: {'; '.join(differences[:_MOST])}{more}",
            "evaluate both on the same data with the same config"
            + (
                f"; {worded('receval compare --unpaired', argument='receval.compare with unpaired=True')} compares models that count "
                f"different users, and {worded('--across models', argument='receval.compare_across models')} over several data sets"
                if of_truth and len(of_truth) == len(differences)
                else ""
            ),
        )


def refuse_other_candidates(base: Side, model: Side, what: str = "compared") -> None:
    """Raise `DataError` if two sides are known to rank different numbers of sampled candidates, or only one of them ranks such."""
    numbers = other_candidates((base.result, base.model), (model.result, model.model))
    if numbers is not None:
        mine, other = numbers
        text = candidates_text({mine: [base.name], other: [model.name]})
        raise DataError(f"{model.name} cannot be {what} with {base.name}: {text}", SAME_CANDIDATES)


def _comparable_sides(sides: Sides) -> Sides:
    """Return the sides without pairs of models of one result that rank different candidates, and with a sentence on them.

    Raises `DataError` if no pair is left.
    """
    numbers = {side: n for some in _by_result(sides.all) for side, n in zip(some, candidates_by_place(_places(some)), strict=True)}
    pairs = tuple(pair for pair in sides.pairs if pair[0].result is not pair[1].result or numbers[pair[0]] == numbers[pair[1]])
    if len(pairs) == len(sides.pairs):
        return sides
    groups: dict[int | None, list[str]] = {}
    for side in sides.all:
        groups.setdefault(numbers[side], []).append(side.name)
    sentence = incomparable_text(groups)
    if not pairs:
        others = [names for n, names in groups.items() if len(names) > 1]
        hint = f"choose a baseline among {listed(others[0])}" if others else SAME_CANDIDATES
        raise DataError(f"{candidates_text(groups)}: their values are not compared", hint)
    if sides.base is None:  # letters need all pairs of all models that are left
        largest = max(groups, key=lambda n: (len(groups[n]), n is None))
        pairs = tuple(pair for pair in pairs if {numbers[side] for side in pair} == {largest})
    left = {side for pair in pairs for side in pair}
    return replace(sides, pairs=pairs, all=tuple(side for side in sides.all if side in left), left_out=sentence)


def _by_result(sides: Iterable[Side]) -> Iterable[list[Side]]:
    found: dict[int, list[Side]] = {}
    for side in sides:
        found.setdefault(id(side.result), []).append(side)
    return found.values()


def _places(sides: Iterable[Side]) -> list[tuple[Result, str]]:
    return [(side.result, side.model) for side in sides]


def notes_on_candidates(sides: Iterable[Side]) -> Iterator[str]:
    """Yield a sentence on the models that rank sampled candidates, as the config or check R10 says."""
    found: dict[int, list[str]] = {}
    for side in sides:
        candidates, bounds = side.result.candidates.get(side.model), side.result.catalogue_bounds.get(side.model)
        if bounds is not None:
            found.setdefault(bounds.sampled + 1, []).append(side.name)
        elif candidates is not None and any(finding.check == SAMPLED and finding.model == side.model for finding in side.result.findings):
            found.setdefault(candidates.per_user, []).append(side.name)
    for n, names in found.items():
        yield (
            f"{listed(names)} {'rank' if len(names) > 1 else 'ranks'} {n:,} sampled candidates per user: "
            "over the whole catalogue values would be lower, and the order of models can differ."
        )


def notes_on_lists(sides: Iterable[Side]) -> Iterator[str]:
    """Yield a sentence if models have no list for different shares of users."""
    counts = {side.name: side.result.counts[side.model] for side in sides if counts_lists(side.result, side.model)}
    yield from filter(None, (uneven_lists_text(counts),))


def _notes_on_order(sides: Iterable[Side]) -> Iterator[str]:
    """Yield the remarks of the results on lists that are read in the order of the file, against their ranks or scores."""
    yield from (remark for some in _by_result(sides) for remark in some[0].result.remarks if BY_FILE_ORDER in remark or CHOSEN in remark)


def notes_on_inputs(base: Side, model: Side, metrics: Iterable[str]) -> Iterator[str]:
    """Yield sentences on side inputs of measures that differ between two sides."""
    for role in other_inputs(base, model, metrics):
        yield f"{model.name} was evaluated with a different {role} than {base.name}; this also changes the measures that use it."


def other_inputs(base: Side, model: Side, metrics: Iterable[str]) -> Iterator[str]:
    """Yield the side inputs of measures that differ between two sides."""
    if base.result is model.result:
        return
    needs = {need.removesuffix("?").partition(".")[0] for metric in metrics for need in base.result.definitions[metric].needs}
    ours, theirs = ({source.role: source.files for source in side.result.inputs} for side in (base, model))
    for role in sorted(("train", "items") if "catalogue" in needs else ()) + sorted(needs - {"catalogue", "predictions"}):
        mine, other = (files.get(f"data.{role}", ()) for files in (ours, theirs))
        if len(mine) != len(other) or not all(map(InputFile.may_equal, mine, other)):
            yield f"data.{role}"


def other_truths(base: Side, model: Side) -> Iterator[str]:
    """Yield the differences between the test sets of two sides."""
    ours, theirs = base.result.truths, model.result.truths
    if ours.keys() != theirs.keys():
        yield f"the folds are {', '.join(ours) or 'none'} and {', '.join(theirs) or 'none'}"
        return
    for fold, truth in ours.items():
        other, named = theirs[fold], f" of fold {fold}" if fold else ""
        if truth.users != other.users:
            yield f"the test data{named} of {model.name} have {users_text(other.users)} and those of {base.name} {truth.users:,}"
        elif truth.rows != other.rows:
            yield f"the test data{named} of {model.name} have {other.rows:,} rows and those of {base.name} {truth.rows:,}"
        elif truth.hash != other.hash:
            yield f"the test data{named} differ, with the same number of rows"


def other_definitions(base: Side, model: Side, metrics: Iterable[str], besides: Collection[str] = ()) -> Iterator[str]:
    """Yield the differences between the definitions of metrics of two sides, `besides` some settings."""
    for metric in metrics:
        ours, theirs = base.result.definitions[metric], model.result.definitions[metric]
        for choice, mine, other in ours.differences(theirs):
            if choice in besides:
                continue
            yield f"{metric}: {choice} is {_shown(other)} in {model.name} and {_shown(mine)} in {base.name}"


def _shown(value: object) -> str:
    return "not set" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


_BINS: Final = 24


def spread_of_differences(pair: ModelPair, label: str) -> Spread | None:
    """Return the histogram of per-user differences in a measure; `None` without per-user values."""
    sides = pair.sides_of(label)
    if sides is None:
        return None
    better = pair.row(pair.base, label).higher_is_better
    return _spread(label, pair.model.name, pair.base.name, better, sides[1] - sides[0])


def spreads_of_values(result: Result, label: str) -> Iterator[Spread]:
    """Yield the histogram of per-user values in a measure, for each model whose per-user values were kept."""
    for model in result.models:
        row = rows_of(result, model).get(label)
        if row is not None and model in result.per_user and row.measure in columns_of(result.per_user, model):
            values = select(result.per_user, model, [row.measure])[row.measure].cast(pl.Float64).to_numpy()
            yield _spread(label, model, None, row.higher_is_better, values)


def _spread(label: str, model: str, base: str | None, better: bool | None, values: Floats) -> Spread:
    """Count values in bins of equal width, as many below 0 as above if there are values on both sides."""
    known = values[np.isfinite(values)]
    other = known[np.abs(known) > TOLERANCE]
    bins: tuple[HistogramBin, ...] = ()
    if len(other):
        most = float(np.abs(other).max())
        low, high = (-most if other.min() < 0 else 0.0), (most if other.max() > 0 else 0.0)
        counts, edges = np.histogram(other, bins=_BINS if low < 0 < high else _BINS // 2, range=(low, high))
        bins = tuple(HistogramBin(float(start), float(two), int(n)) for start, two, n in zip(edges[:-1], edges[1:], counts, strict=True))
    return Spread(label, model, base, better, len(known), len(known) - len(other), bins)


def largest_losses(pair: ModelPair, label: str, n: int) -> pl.DataFrame | None:
    """Return the `n` users with the largest losses in a measure, largest first, ties in the order of their ids.

    Columns: user, fold (if there are folds), base and model (the values), difference (model - base). `None` for a measure without
    per-user values or without a better direction.
    """
    values, better = pair.sides_of(label), pair.row(pair.base, label).higher_is_better
    if values is None or pair.pairing is None or better is None:
        return None
    base, model = values
    difference = model - base
    loss = np.where(np.isfinite(difference), -difference if better else difference, 0.0)
    order = np.argsort(-loss, kind="stable")[:n]
    order = order[loss[order] > 0]
    columns = {"base": base[order], "model": model[order], "difference": difference[order]}
    return pair.pairing.keys[order].with_columns(**{name: pl.Series(column) for name, column in columns.items()})


def compare(results: Mapping[str, Result], options: ComparisonOptions) -> Comparison:
    """Compare the models of named results; see `sides_of` for the pairs.

    Without `measures`, a measure is not judged for pairs of models that count different users (unless `common`), and a note names them.

    Models of one result that rank different candidates are not compared, and a note says so.

    Raises `ConfigError` for options about data that the results do not have, and `DataError` for results that cannot be compared: other
    test data, candidates or definitions, other users in one of `measures` or in all measures (unless `common`), groups or per-user values
    that were not kept.
    """
    named = sides_of(results, options.baseline, options.baseline_model, all_pairs=options.all_pairs, unnamed=options.unnamed)
    sides = _comparable_sides(named)
    labels = _common_labels(sides)
    sides = replace(sides, notes=(*sides.notes, *notes_on_other_measures(sides.all, labels)))
    if options.measures:
        judged = all_named(options.measures, labels, definitions=sides.definitions)
        return _compare(sides, options, labels, judged, same_users=judged)
    comparison = _compare(sides, options, labels, labels, same_users=())
    differing = {} if options.common else _other_users(comparison)
    if not differing:
        return comparison
    if all(_place(difference) in differing or not difference.n_users for difference in comparison.differences):
        return _compare(sides, options, labels, labels, same_users=labels)
    alike = {difference.subject.measure for difference in comparison.differences if _place(difference) not in differing}
    judged = tuple(label for label in labels if label in alike)
    comparison = _compare(sides, options, labels, judged, same_users=judged, left_out=differing.keys())
    return replace(comparison, notes=(*comparison.notes, *_notes_on_other_users(differing, len(sides.pairs))))


_Place = tuple[str, str, str]
"""A measure of a pair of models: base, model, measure."""


def _place(difference: Difference) -> _Place:
    return difference.subject.base, difference.subject.model, difference.subject.measure


def _other_users(comparison: Comparison) -> dict[_Place, int]:
    """Return the measures of pairs that count different users, with the number of users who count for only one model."""
    return {_place(difference): difference.n_unpaired for difference in comparison.differences if difference.n_unpaired}


def _notes_on_other_users(numbers: Mapping[_Place, int], n_pairs: int) -> Iterator[str]:
    """Yield sentences on measures that are not tested because they count different users; they name the pairs unless these are all."""
    pairs: dict[str, list[str]] = {}
    for base, model, label in numbers:
        pairs.setdefault(label, []).append(f"{model} against {base}")
    of_pairs: dict[tuple[str, ...], list[str]] = {}
    for label, some in pairs.items():
        of_pairs.setdefault(tuple(some), []).append(label)
    for names, labels in of_pairs.items():
        they, them = ("it counts", "it") if len(labels) == 1 else ("they count", "them")
        most = users_text(max(n for (*_, label), n in numbers.items() if label in labels))
        of = f" of {shortened(names)}" if len(names) < n_pairs else ""
        yield (
            f"{shortened(labels)}{of}: not tested, because {they} different users (up to {most} for only one model). "
            f"{worded('compare.users=common (or --users common)', argument='common=True')} tests {them} on the users that count for both."
        )


def _compare(
    sides: Sides,
    options: ComparisonOptions,
    labels: tuple[str, ...],
    judged: tuple[str, ...],
    *,
    same_users: tuple[str, ...],
    left_out: Collection[_Place] = (),
) -> Comparison:
    """Compare the pairs in the measures `labels`, and judge those of `judged`; the measures `same_users` must count the same users.

    Measures of pairs that are `left_out` are not judged, and may count different users.
    """
    margins = margins_of(options.margins, labels, sides.definitions)
    n_judged = len(judged) * len(sides.pairs) - sum(label in judged for *_, label in left_out)
    options = replace(options, settings=replace(options.settings, family=max(1, n_judged)))
    differences: list[Difference] = []
    by_group: list[Difference] = []
    losers: dict[tuple[str, str], pl.DataFrame] = {}
    spreads: list[Spread] = []
    pairs: list[tuple[ModelPair, Mapping[str, float | None]]] = []
    lacking: dict[str, None] = {}
    notes: list[str] = [*sides.notes, *notes_on_candidates(sides.all), *notes_on_lists(sides.all), *_notes_on_order(sides.all)]
    for base, model in sides.pairs:
        metrics = dict.fromkeys(rows_of(base.result, base.model)[label].metric for label in labels)
        refuse_other_candidates(base, model)
        refuse_incomparable(base, model, metrics, unpaired=options.unpaired)
        notes += notes_on_inputs(base, model, metrics)
        pair = ModelPair(base, model, options, labels=labels)
        sizes = {label: margins[label].in_units(pair.value(base, label)) or None if label in margins else None for label in labels}
        pairs.append((pair, sizes))
        differences += pair.all(sizes)
        of_pair = [label for label in judged if (base.name, model.name, label) not in left_out]
        for label in of_pair:
            by_group += pair.by_group(label, sizes[label])
            lost = largest_losses(pair, label, options.losers) if options.losers else None
            losers |= {} if lost is None else {(model.name, label): lost}
        spread_labels = all_named(options.spreads, labels, "distribution", sides.definitions) if options.spreads else ()
        spreads += [spread for label in spread_labels if (spread := spread_of_differences(pair, label)) is not None]
        pair.refuse_other_users([label for label in same_users if (base.name, model.name, label) not in left_out])
        notes += pair.notes(of_pair, with_unpaired=False)
        lacking |= dict.fromkeys(pair.lacking)
    notes += [unpaired_text([*lacking])] if lacking else []
    finished = _judged(differences, judged, options, left_out)
    tested = [difference for difference in finished if difference.subject.measure in judged and _place(difference) not in left_out]
    first, in_groups = sides.pairs[0][0], judge_family(by_group, options.settings)
    return Comparison(
        base=None if options.all_pairs else sides.base,
        models=tuple(side.name for side in sides.all),
        differences=finished,
        settings=options.settings,
        judged=judged,
        values={(label, side.name): rows_of(side.result, side.model)[label].value for label in labels for side in sides.all},
        higher_is_better={label: rows_of(first.result, first.model)[label].higher_is_better for label in labels},
        by_group=in_groups,
        letters=_letters(finished, sides, [label for label in judged if all(place[2] != label for place in left_out)])
        if options.all_pairs
        else {},
        losers=losers,
        spreads=tuple(spreads),
        notes=tuple(dict.fromkeys(notes)),
        paired=any(pair.pairing is not None for pair, _ in pairs),
        first=sides.first,
        own_names={side.name: side.model for side in sides.all},
        cautions=tuple(caution({side.name: (side.result, side.model) for side in sides.all}, judged)),
        margins=margins,
        left_out=sides.left_out,
        n_folds=len(first.result.folds),
        distinct_users=tuple(_distinct_users(first, tested)),
        in_groups=_worse_in_groups(tested, in_groups, pairs),
        own_users={side.name: tuple(n for label in judged if (n := rows_of(side.result, side.model)[label].n_users)) for side in sides.all}
        if options.unpaired
        else {},
        cluster=options.cluster,
    )


def _worse_in_groups(
    differences: Sequence[Difference],
    by_group: Sequence[Difference],
    pairs: Sequence[tuple[ModelPair, Mapping[str, float | None]]],
) -> dict[tuple[str, str], str]:
    """Return the sentence on groups in which the better model of a pair is worse in tested differences; see `worse_in_groups`.

    `by_group` are the differences within the groups of the options; without any, they are those of the groups of the results.
    """
    found = ((difference.subject.base, difference.subject.model, difference.verdict) for difference in differences)
    leads = {(base, model) if verdict == "better" else (model, base) for base, model, verdict in found if verdict in ("better", "worse")}
    if leads and not by_group:
        labels: dict[tuple[str, str], list[str]] = {}
        for difference in differences:
            labels.setdefault((difference.subject.base, difference.subject.model), []).append(difference.subject.measure)
        every = [
            difference
            for pair, sizes in pairs
            for label in labels.get((pair.base.name, pair.model.name), ())
            for difference in _in_stored_groups(pair, label, sizes[label])
        ]
        by_group = judge_family(every, pairs[0][0].options.settings)
    return worse_in_groups(by_group, leads, differences)


def _in_stored_groups(pair: ModelPair, label: str, margin: float | None) -> Iterator[Difference]:
    """Yield the differences in all groups of users, or of test rows, of which the results have per-user values."""
    for name in dict.fromkeys(row.by for row in pair.base.result.by_group if row.by is not None):
        try:
            yield from pair.by_group(label, margin, [name])
        except ConfigError:  # such as groups of items, or of test rows without values of each user
            continue


def _distinct_users(base: Side, differences: Iterable[Difference]) -> Iterator[int]:
    """Yield the numbers of distinct users of each measure over folds, from those of a base; nothing for pairs of other users."""
    rows = rows_of(base.result, base.model)
    counted = {difference.subject.measure: difference.n_users for difference in differences}
    for label, n_users in counted.items() if base.result.folds else ():
        found = base.result.distinct_users(rows[label]) if rows[label].n_users == n_users else None
        if found is not None:
            yield found


def _common_labels(sides: Sides) -> tuple[str, ...]:
    """Return the measures that all sides have, in the order of the first; raise `DataError` if there are none."""
    rows = [rows_of(side.result, side.model) for side in sides.all]
    labels = tuple(label for label in rows[0] if all(label in row for row in rows))
    if not labels:
        raise DataError(_without_common(sides, rows), f"evaluate {'both' if len(rows) == 2 else 'all'} with the same metrics and cut-offs")
    return labels


def _without_common(sides: Sides, rows: Sequence[Mapping[str, Row]]) -> str:
    """Return a sentence on sides without a common measure: of more than two, it names the one without which the others have some."""
    names = [side.name for side in sides.all]
    if len(rows) == 2:
        return f"{names[0]} and {names[1]} have no measure in common: the first has {shortened(rows[0])}, the second {shortened(rows[1])}"
    for place, name in enumerate(names):
        first, *others = (row for other, row in enumerate(rows) if other != place)
        if common := [label for label in first if all(label in row for row in others)]:
            return f"{name} has no measure in common with all others: it has {shortened(rows[place])}, the others {shortened(common)}"
    some = [f"{name} has {shortened(row)}" for name, row in zip(names, rows, strict=True)][:_MOST]
    return f"no measure is in all of {shortened(names)}: {'; '.join(some)}"


def notes_on_other_measures(sides: Sequence[Side], common: Collection[str], what: str = "models") -> Iterator[str]:
    """Yield a sentence if sides of some results, named as `what`, have measures that others do not have, which are not compared."""
    alone: dict[str, list[str]] = {}
    for side in sides if len({id(side.result) for side in sides}) > 1 else ():
        for label in rows_of(side.result, side.model):
            if label not in common:
                alone.setdefault(label, []).append(side.name)
    if alone:
        named = "; ".join(f"{label} (only {listed(names)})" for label, names in list(alone.items())[:_MOST])
        more = f"; and {len(alone) - _MOST} more" if len(alone) > _MOST else ""
        yield f"Not compared, since not all {what} have these measures: {named}{more}."


def _judged(
    differences: list[Difference], judged: tuple[str, ...], options: ComparisonOptions, left_out: Collection[_Place]
) -> tuple[Difference, ...]:
    """Return the differences in their order, those of judged measures corrected together, without those that are `left_out`."""
    is_judged = [difference.subject.measure in judged and _place(difference) not in left_out for difference in differences]
    family = iter(judge_family([difference for difference, judges in zip(differences, is_judged, strict=True) if judges], options.settings))
    return tuple(next(family) if judges else without_verdict(difference) for difference, judges in zip(differences, is_judged, strict=True))


def _letters(differences: tuple[Difference, ...], sides: Sides, judged: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return letters by measure and model (models that share one are not clearly different); none for a measure without intervals."""
    made: dict[str, dict[str, str]] = {}
    for label in judged:
        of_measure = [difference for difference in differences if difference.subject.measure == label]
        values = {side.name: rows_of(side.result, side.model)[label] for side in sides.all}
        if any(difference.p is None and difference.verdict != "identical" for difference in of_measure) or any(
            row.value is None for row in values.values()
        ):
            continue
        sign = -1.0 if next(iter(values.values())).higher_is_better is not False else 1.0
        order = sorted(values, key=lambda name: sign * (values[name].value or 0.0))
        lettered = letters(order, different_pairs(of_measure))
        made |= {} if lettered is None else {label: lettered}
    return made
