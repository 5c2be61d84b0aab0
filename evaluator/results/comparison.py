"""`Comparison`: models against a base model, measure by measure; and its conclusions, or those of a run, in sentences."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final

import polars as pl
from msgspec import Struct, field

from ..stats.concluding import adjust, decimals, group_text, plain, users_text
from ..stats.difference import Difference, Settings
from ..stats.two_models import p_of_other_users
from ..syntax.short_names import Margin
from .description import Spread
from .row import FEW_USERS, listed, shortened
from .slices import Slices

FORMAT_VERSION: Final = 2
"""The version of the JSON form. 1: verdicts were better, worse, same, tiny, unknown, identical and none. 2: better, worse, equivalent,
identical, inconclusive and null; `p_equivalent` and `probability_equivalent` were `p_same` and `probability_same`."""


class Comparison(Struct, frozen=True):
    """Differences of models from a base, or between all pairs of models.

    `base` is the model that the others are compared with, `None` if all pairs are. `differences` are over all users: those of `judged`
    measures have a verdict, corrected together; the others are only shown. `by_group` are those within groups of users, corrected
    together. `values` has the value of every model by measure and model, `higher_is_better` the direction of every measure. `letters`
    are given by measure and model if all pairs are compared: models that share a letter are not clearly different. `losers` are the users
    with the largest losses, by model and measure, largest first, with the columns user, base, model and difference. `spreads` are
    histograms of per-user differences. `notes` are sentences on what was compared. `first` is the base if it is only the first of several
    models or results, because nothing names another one. `margins` has the margins as they were given, by measure. `own_names`
    are the names that the models have in their own results, by their names here, which may be those of folders. `left_out` is the sentence
    on models of one result that are not compared because they rank different candidates; empty if there are none. `distinct_users` are the
    numbers of users of judged measures over `n_folds` folds, each user counted once; empty without folds or if they are not known.
    `cautions` are sentences without which the conclusions would mislead. `in_groups` is the sentence on a group in which the worse model of
    a pair is better, by base and model. `own_users` are the numbers of users of each model in the judged measures, if users are not paired.
    """

    base: str | None
    models: tuple[str, ...]
    differences: tuple[Difference, ...]
    settings: Settings
    judged: tuple[str, ...]
    values: Mapping[tuple[str, str], float | None]
    higher_is_better: Mapping[str, bool | None]
    by_group: tuple[Difference, ...] = ()
    letters: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    losers: Mapping[tuple[str, str], pl.DataFrame] = field(default_factory=dict)
    spreads: tuple[Spread, ...] = ()
    notes: tuple[str, ...] = ()
    paired: bool = True
    first: str | None = None
    margins: Mapping[str, Margin] = field(default_factory=dict)
    own_names: Mapping[str, str] = field(default_factory=dict)
    left_out: str = ""
    n_folds: int = 0
    distinct_users: tuple[int, ...] = ()
    cautions: tuple[str, ...] = ()
    in_groups: Mapping[tuple[str, str], str] = field(default_factory=dict)
    own_users: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    slices: Slices | None = None
    """Slices of users in which a model is worse, or better, if they were searched."""
    cluster: str | None = None
    """The column whose values are clusters of users, if they are not independent."""

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures, in the order of the results."""
        return tuple(dict.fromkeys(difference.subject.measure for difference in self.differences))

    @property
    def tested(self) -> tuple[str, ...]:
        """The measures with a tested difference, in the order of the results."""
        return tuple(dict.fromkeys(difference.subject.measure for difference in self.differences if difference.is_tested))

    @property
    def others(self) -> tuple[str, ...]:
        """The models other than the base; all models if all pairs are compared."""
        return tuple(model for model in self.models if model != self.base)


def family_size(differences: Iterable[Difference]) -> int:
    """Return the number of tested comparisons that p values are corrected over; 0 if none was tested."""
    return max((difference.family or 0 for difference in differences), default=0)


_SAME_AS = {"identical": "identical for every user", "equivalent": "equivalent within the margin"}


def conclusions(comparison: Comparison, *, with_groups: bool = False) -> list[str]:
    """Return the sentence on models that are left out, the cautions, and for each pair the conclusion over all judged measures.

    A conclusion has the size of one difference, see `main_measure`. `with_groups`, it is followed by a group in which it does not hold.
    """
    pairs: dict[tuple[str, str], list[Difference]] = {}
    for difference in comparison.differences:
        if difference.subject.measure in comparison.judged:
            pairs.setdefault((difference.subject.base, difference.subject.model), []).append(difference)
    of_pairs: list[str] = []
    for (base, model), differences in pairs.items():
        first, *more = _pair_conclusions(base, model, differences)
        in_group = comparison.in_groups.get((base, model), "") if with_groups else ""
        of_pairs += [first, *([in_group] if in_group else []), *more]
    return [*filter(None, (comparison.left_out,)), *comparison.cautions, *of_pairs]


def _pair_conclusions(base: str, model: str, differences: Sequence[Difference]) -> Iterator[str]:
    tested = [difference for difference in differences if difference.is_tested]
    if len(differences) == 1 or len(tested) == 1:
        yield (tested or differences)[0].sentence
        yield from _untested(differences) if len(differences) > 1 else ()
        return
    by_verdict = {
        verdict: [difference for difference in differences if difference.verdict == verdict] for verdict in ("better", "worse", *_SAME_AS)
    }
    better, worse = by_verdict["better"], by_verdict["worse"]
    n = len(tested)
    if better or worse:
        most, fewest = (better, worse) if len(better) >= len(worse) else (worse, better)
        against = (
            f", {fewest[0].verdict} on {len(fewest)} ({shortened(difference.subject.measure for difference in fewest)})" if fewest else ""
        )
        against += "".join(
            f", {verdict} on {n_of}"
            for verdict in (*_SAME_AS, "inconclusive")
            if (n_of := sum(difference.verdict == verdict for difference in tested))
        )
        main = main_measure([difference.subject.measure for difference in most])
        detail = next(difference.sentence for difference in most if difference.subject.measure == main).partition(": ")[2]
        yield f"{model} is {most[0].verdict} than {base} on {count_of_measures(len(most), n)}{against}: {detail}"
    for verdict, meaning in _SAME_AS.items():
        if by_verdict[verdict]:
            yield f"{model} and {base} are {meaning} on {count_of_measures(len(by_verdict[verdict]), n)}."
    inconclusive = [difference for difference in differences if difference.verdict == "inconclusive"]
    if n and len(inconclusive) == n:
        yield f"No clear difference between {base} and {model} on any of {n} measures.{_can_detect(inconclusive[0])}"
    elif inconclusive:
        measures = shortened(difference.subject.measure for difference in inconclusive)
        yield f"Inconclusive between {base} and {model}: {measures}.{_can_detect(inconclusive[0])}"
    yield from _untested(differences)


def _untested(differences: Sequence[Difference]) -> Iterator[str]:
    """Yield a sentence on the measures that could not be tested; a note is on those that count different users."""
    untested = [
        difference.subject.measure
        for difference in differences
        if not difference.is_tested and not (difference.n_unpaired and difference.interval)
    ]
    if untested:
        yield f"Not tested, without an interval: {shortened(untested)}."


def main_measure(measures: Sequence[str]) -> str:
    """Return the measure whose difference sentences on several measures show: nDCG@10, else the first nDCG, else the first measure."""
    return next(
        (measure for measure in ("nDCG@10", *(name for name in measures if name.startswith("nDCG"))) if measure in measures), measures[0]
    )


def count_of_measures(some: int, n: int) -> str:
    """Return `all 4 measures`, `both measures` or `3 of 4 measures`."""
    return ("both measures" if n == 2 else f"all {n} measures") if some == n else f"{some} of {n} measures"


def _can_detect(difference: Difference) -> str:
    """Return a sentence on the smallest difference that these users can detect; empty if it is not known."""
    if difference.detectable is None or difference.interval is None:
        return ""
    size = plain(difference.detectable, decimals((difference.interval[1] - difference.interval[0]) / 2))
    users = users_text(difference.n_users, difference.subject.n_folds)
    return f" {users} can detect {size} in {difference.subject.measure} with 80 % power."


_MOST_GROUPS: Final = 3
_ALPHA: Final = 0.05


def worse_in_groups(
    by_group: Iterable[Difference], leads: Collection[tuple[str, str]], of_all: Iterable[Difference] = ()
) -> dict[tuple[str, str], str]:
    """Return the sentence on the groups in which a model is worse than one that it beats over all users, by base and model, if any.

    `by_group` are the differences within groups, `of_all` those over all users. `leads` are pairs of models, the better one last. Named are
    all groups in which the test shows it; without any, those in which the model is worse on all measures, if they are shown to differ from
    the other users.
    """
    whole = {(difference.subject.base, difference.subject.model, difference.subject.measure): difference for difference in of_all}
    groups: dict[tuple[str, str, str, str], list[tuple[float, Difference]]] = {}
    for difference in by_group:
        of, way = difference.subject, 1.0 if difference.subject.higher_is_better is not False else -1.0
        for worse, better, sign in ((of.base, of.model, way), (of.model, of.base, -way)):
            if (worse, better) in leads and difference.difference is not None and of.higher_is_better is not None:
                groups.setdefault((worse, better, of.by or "", of.group or ""), []).append((sign * difference.difference, difference))
    apart = _apart_from_others(groups, whole)
    found: dict[tuple[str, str], str] = {}
    for pair in dict.fromkeys(key[:2] for key in groups):
        of_pair = {key: differences for key, differences in groups.items() if key[:2] == pair}
        shown, values = (
            [
                (group_text(*key[2:]), _measures_of(lower, len(differences)), len(lower))
                for key, differences in of_pair.items()
                if (
                    lower := [
                        difference
                        for gain, difference in differences
                        if gain < 0 and (difference.verdict in ("better", "worse") or not is_tested)
                    ]
                )
                and (is_tested or (len(lower) == len(differences) and key in apart))
            ]
            for is_tested in (True, False)
        )
        if shown or values:
            of = next(iter(of_pair.values()))[0][1].subject
            found[of.base, of.model] = _groups_sentence(pair, shown or values, is_tested=bool(shown))
    return found


def _groups_sentence(pair: tuple[str, str], groups: Sequence[tuple[str, str, int]], *, is_tested: bool) -> str:
    """Return the sentence on groups with the measures on which the better model of a pair is worse, and their number."""
    (worse, better), (first, measures, n) = pair, groups[0]
    verb = "is worse" if is_tested else "has a worse value" if n == 1 else "has worse values"
    parts = [f"within {first} {better} {verb} than {worse} on {measures}"]
    parts += [f"within {group} on {names}" for group, names, _ in groups[1:_MOST_GROUPS]]
    parts += [f"in {len(groups) - _MOST_GROUPS} more groups"] if len(groups) > _MOST_GROUPS else []
    text = listed(parts) if len(parts) < 3 else f"{', '.join(parts[:-1])}, and {parts[-1]}"
    return f"But {text}{'' if is_tested else ' (not shown to be real)'}."


def _apart_from_others(
    groups: Mapping[tuple[str, str, str, str], Sequence[tuple[float, Difference]]], whole: Mapping[tuple[str, str, str], Difference]
) -> set[tuple[str, str, str, str]]:
    """Return the groups of which a test shows that their difference is not that of the other users; Holm over groups and measures."""
    keys, p_values = [], []
    for key, differences in groups.items():
        for _, difference in differences:
            of_all = whole.get((difference.subject.base, difference.subject.model, difference.subject.measure))
            p = None if of_all is None or difference.n_users < FEW_USERS else p_of_other_users(of_all, difference)
            if p is not None:
                keys.append(key)
                p_values.append(p)
    return {key for key, p in zip(keys, adjust(p_values, "holm"), strict=True) if p <= _ALPHA}


def _measures_of(some: Sequence[Difference], n: int) -> str:
    """Return the number of measures, or their names if they are not all of several."""
    return count_of_measures(len(some), n) if len(some) == n > 1 else shortened(difference.subject.measure for difference in some)
