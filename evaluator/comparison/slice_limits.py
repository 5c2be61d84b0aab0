"""The guard of a gate: slices of users in which a model loses more than a limit against its base."""

from __future__ import annotations

from typing import Final

import numpy as np
import polars as pl
from msgspec import Struct

from ..config.judgement import GateRule
from ..results.gates import SliceVerdict
from ..results.slices import counts_text
from ..stats.estimates import Estimate
from ..stats.gates import GateTest, margin_test, observed_text
from ..stats.paired import Floats, PairedSums, both_finite
from ..stats.rare_changes import ValueRange
from ..stats.slices import Candidate, Groups, SliceSettings, find_below
from ..syntax.short_names import Margin
from .model_pair import ModelPair
from .slicing import SliceOptions, feature_names, features_in, halves, refuse_dependent, refuse_values

_OF_RUNS: Final = "Users have their mean over training runs: slices do not include the variation between trainings."


class SliceLimit(Struct, frozen=True):
    """The outcome of a search for slices beyond a limit: `n_searched` slices were looked at, and `slices` examined on the other half.

    `n_groupings` groupings have several groups. `n_searched` is 0 if there are too few users for any
    slice; `least` is the number that a slice needs in each half. `p` is the p value of no slice losing more, corrected for those examined.
    """

    n_groupings: int
    n_searched: int
    least: int
    slices: tuple[SliceVerdict, ...]
    notes: tuple[str, ...] = ()
    p: float | None = None

    @property
    def confirmed(self) -> tuple[SliceVerdict, ...]:
        """The slices that are shown to lose more than the limit."""
        return tuple(user_slice for user_slice in self.slices if user_slice.confirmed)

    @property
    def found(self) -> str:
        """How many slices were looked at, tested on the other half, and confirmed, see `counts_text`."""
        return counts_text(self.n_searched, len(self.slices), len(self.confirmed))

    @property
    def why(self) -> str:
        """The confirmed slices; or why no slice could be examined."""
        if not self.n_groupings:
            return "all users are in one group of each grouping"
        if not self.n_searched:
            return f"too few users: a slice needs {self.least} in each half"
        return "; ".join(f"worse for {user_slice.sentence}" for user_slice in self.confirmed)


def find_beyond(pair: ModelPair, label: str, rule: GateRule, alpha: float, of_all: Estimate) -> SliceLimit:
    """Search the users of a pair of models for slices in which the model loses more than the limit of a rule.

    Slices are found on one half of the users, see `find_below`, by the value b - (1 - limit)·a of each user (a limit in units of the
    measure: b - a + limit), and tested on the other half as a margin of this limit, at the error rate `alpha` over all of them.

    Raises `ConfigError` for folds, weights or clusters, without per-user values or groups of users, and for an unknown group.
    """
    result, margin = pair.model.result, rule.margin
    refuse_dependent(result, pair.options)
    row = pair.row(pair.model, label)
    for side in (pair.base, pair.model):
        if side.model not in side.result.per_user or row.aggregate != "mean" or of_all.untested:
            refuse_values(side.result, label, side.model)
    sides, pairing = pair.sides_of(label), pair.pairing
    if sides is None or pairing is None:
        refuse_values(result, label, pair.model.model)
    assert sides is not None
    assert pairing is not None
    names = feature_names(result, SliceOptions(pair.options, tuple(by.name for by in rule.by)))
    known = np.isfinite(sides[0]) & np.isfinite(sides[1])
    notes: list[str] = [_OF_RUNS] if pairing.has_runs else []
    features = tuple(features_in({name: pairing.groups_of_model(name).filter(pl.Series(known)) for name in names}, notes))
    groupings = [feature.groups for feature in features]
    settings = SliceSettings(alpha=alpha, seed=pair.options.settings.seed)
    in_first = halves(pairing.keys["user"].filter(pl.Series(known)), settings.seed)
    base, model = sides[0][known], sides[1][known]
    better = bool(row.higher_is_better)
    first, second = np.flatnonzero(in_first), np.flatnonzero(~in_first)
    above = above_limit(base[first], model[first], better, margin)
    search = find_below(above, [groups.subset(first) for groups in groupings], settings)
    halved = [groups.subset(second) for groups in groupings]
    tests = confirm_beyond(base[second], model[second], halved, search.candidates, better, margin, alpha, pair.value_range(label))
    slices = []
    for candidate, test in zip(search.candidates, tests, strict=True):
        conditions = tuple((features[index].name, features[index].names[code]) for index, code in candidate.conditions)
        numbers = test.n_users, test.base_value, test.value, test.difference, test.high
        slices.append(SliceVerdict(conditions, *numbers, confirmed=test.outcome == "fail", found=observed_text(test)))
    slices.sort(key=lambda user_slice: (not user_slice.confirmed, 0.0 if user_slice.difference is None else user_slice.difference))
    least = settings.least(min(len(first), len(second)))
    p_values = [test.p_fail for test in tests if test.p_fail is not None]
    p = min(1.0, len(p_values) * min(p_values)) if p_values else None
    return SliceLimit(len(features), search.n_scored, least, tuple(slices), tuple(dict.fromkeys(notes)), p)


def above_limit(base: Floats, model: Floats, higher_is_better: bool, margin: Margin) -> Floats:
    """Return how far each user is above the limit of a loss; the mean of a slice is below 0 if the slice loses more than the limit."""
    sign = 1.0 if higher_is_better else -1.0
    allowed = margin.size * np.sign(base.mean()) * base if margin.is_share and len(base) else np.full(len(base), margin.size)
    return np.asarray(sign * (model - base) + allowed)


def confirm_beyond(
    base: Floats,
    model: Floats,
    groupings: list[Groups],
    candidates: tuple[Candidate, ...],
    higher_is_better: bool,
    margin: Margin,
    alpha: float,
    values: ValueRange | None,
) -> list[GateTest]:
    """Test each slice as a `max_loss` over its users, who took no part in finding it; `alpha` is shared by all slices (Bonferroni).

    A slice with the outcome `fail` is shown to lose more than the limit.
    """
    tests = []
    for candidate in candidates:
        members = candidate.members(groupings)
        one, other, _ = both_finite(base[members], model[members])
        sums, level = PairedSums.from_values(one, other), alpha / len(candidates)
        tests.append(margin_test(sums, higher_is_better, "max_loss", margin.size, margin.is_share, level, values, "shown_beyond"))
    return tests
