"""What a comparison is given and what it says: `Subject`, `Settings`, `Difference` and `Conclusion`; and the words for gates."""

from __future__ import annotations

import math
from typing import Any, Final, Literal, get_args

from msgspec import Struct

from ..errors import ConfigError

MarginKind = Literal["max_loss", "min_gain"]
LimitKind = Literal["min", "max"]
GateOutcome = Literal["pass", "fail", "inconclusive"]
"""`pass`: the rule is shown to hold; `fail`: it is shown to be violated; `inconclusive`: neither."""


TestName = Literal["t", "permutation", "bootstrap", "bootstrap-t", "wilcoxon"]
CorrectionName = Literal["holm", "bh", "by", "none"]
Verdict = Literal["better", "worse", "equivalent", "identical", "inconclusive"]
"""What is concluded of a difference.

- `better`, `worse`: a difference is shown, in the direction of the measure
- `equivalent`: shown to lie within the margin, whether or not a difference from 0 is shown as well
- `identical`: no user's value differs
- `inconclusive`: neither is shown

A difference has no verdict (`None`) if it is not judged, if nothing is known of its error, or if it is shown but the measure has no better
direction.
"""

TESTS: Final = get_args(TestName)
CORRECTIONS: Final = get_args(CorrectionName)
VERDICTS: Final[tuple[Verdict, ...]] = get_args(Verdict)
MEANINGS: Final[dict[Verdict, str]] = {
    "better": "a difference is shown, in the better direction",
    "worse": "a difference is shown, in the worse direction",
    "equivalent": "shown to differ by less than the margin",
    "identical": "no user's value differs",
    "inconclusive": "neither a difference nor equivalence is shown",
}
"""What each verdict means, for legends."""


class Subject(Struct, frozen=True):
    """What is compared: one measure of two models, over all users or over one group.

    `measure` is the name for people, with the cut-off, and with the aggregate where it is not the mean: `nDCG@10`, `nDCG@10 (median)`.
    `higher_is_better` is `None` for a measure of which neither more nor less is better.
    """

    measure: str
    base: str
    model: str
    higher_is_better: bool | None = True
    k: int | None = None
    aggregate: str = "mean"
    by: str | None = None
    group: str | None = None


class Settings(Struct, frozen=True):
    """How differences are tested: at level `alpha`, corrected within their family; `seed` and `resamples` for tests by resampling.

    No p value of such a test is below one by the number of resamples, so that for a `family` of so many differences there are at least as
    many as a difference takes to be shown.

    `ConfigError` if a setting is impossible.
    """

    test: TestName = "t"
    correction: CorrectionName = "holm"
    alpha: float = 0.05
    seed: int = 0
    resamples: int = 9_999
    family: int = 1

    def __post_init__(self) -> None:
        problems = []
        if self.test not in TESTS:
            problems.append(f"unknown test {self.test}: choose {', '.join(TESTS)}")
        if self.correction not in CORRECTIONS:
            problems.append(f"unknown correction {self.correction}: choose {', '.join(CORRECTIONS)}")
        if not 0 < self.alpha < 0.5:
            problems.append(f"alpha is the rate of false alarms and must be between 0 and 0.5, not {self.alpha:g}")
        if self.resamples < 99:
            problems.append(f"a resampling test needs at least 99 resamples, not {self.resamples}")
        if self.family < 1:
            problems.append(f"a family must have at least one difference, not {self.family}")
        if not 0 <= self.seed < 2**32:
            problems.append(f"a seed must be an integer from 0 to 4294967295, not {self.seed}")
        if problems:
            raise ConfigError(problems)

    @property
    def level(self) -> float:
        """The level of intervals: 0.95 for an `alpha` of 0.05."""
        return 1 - self.alpha


class Difference(Struct, frozen=True):
    """How much a measure of two models differs, and what is concluded.

    `difference` is model - base in units of the measure, `low` and `high` its interval at `level`, each on its own; `one_sided_low` and
    `one_sided_high` bound it with the same level from one side, and are the two ends of the interval that shows equivalence.
    `up` users have a better value with the model, `down` a worse one (a higher and a lower one if the measure has no better direction).
    `n_unpaired` users have a value for only one of the two and were left out. `relative` is the difference as a share of the base value,
    with its interval (Fieller), whose ends are `None` if the base value is too uncertain. `p_equivalent` is the p value of the
    hypothesis that the difference lies outside of the margin, `probability_equivalent` the probability that it lies within.

    `p_adjusted`, `p_equivalent_adjusted`, `family` (how many differences were corrected together), `detectable`, `real` (a difference from
    0 is shown, whichever direction is better), `verdict` and `sentence` are final after `corrected`. What cannot be computed is `None`.
    """

    subject: Subject
    n_users: int
    base_value: float | None
    value: float | None
    difference: float | None
    low: float | None = None
    high: float | None = None
    one_sided_low: float | None = None
    one_sided_high: float | None = None
    level: float = 0.95
    relative: float | None = None
    relative_low: float | None = None
    relative_high: float | None = None
    sd: float | None = None
    se: float | None = None
    statistic: float | None = None
    df: float | None = None
    p: float | None = None
    p_adjusted: float | None = None
    family: int | None = None
    correction: CorrectionName | None = None
    test: str | None = None
    effect_size: float | None = None
    n_changed: int | None = None
    up: int | None = None
    same: int | None = None
    down: int | None = None
    n_unpaired: int = 0
    margin: float | None = None
    p_equivalent: float | None = None
    p_equivalent_adjusted: float | None = None
    probability_equivalent: float | None = None
    detectable: float | None = None
    real: bool = False
    verdict: Verdict | None = None
    sentence: str = ""
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.margin is not None and not (math.isfinite(self.margin) and self.margin > 0):
            raise ConfigError(f"a margin must be above 0, not {self.margin:g}")

    @property
    def interval(self) -> tuple[float, float] | None:
        """`low` and `high`; `None` where there is no interval."""
        return None if self.low is None or self.high is None else (self.low, self.high)

    @property
    def bounds(self) -> tuple[float, float] | None:
        """`one_sided_low` and `one_sided_high`; `None` where there is no interval."""
        return None if self.one_sided_low is None or self.one_sided_high is None else (self.one_sided_low, self.one_sided_high)

    def cells(self) -> dict[str, Any]:
        """The difference as the JSON form has it."""
        subject = {name: getattr(self.subject, name) for name in ("measure", "k", "aggregate", "by", "group", "base", "model")}
        return subject | {"higher_is_better": self.subject.higher_is_better} | {name: getattr(self, name) for name in FIELDS}


FIELDS: Final = tuple(name for name in Difference.__struct_fields__ if name != "subject")
"""The columns of a difference beside those of its subject."""


class Rival(Struct, frozen=True):
    """How the best model compares with another one, on the users that count for both.

    `verdict` is that of the best model: `better` if it beats the other one; `None` if that was not tested. `difference` is that of
    the best model less the other one, in units of the measure; `low` and `high` its interval, simultaneous over all pairs of models of the
    measure. `n_unpaired` users count for one of the two only and were left out.
    """

    model: str
    verdict: Verdict | None
    n_users: int
    n_unpaired: int
    best_value: float | None
    value: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_adjusted: float | None
    p_equivalent_adjusted: float | None
    margin: float | None
    detectable: float | None


class Conclusion(Struct, frozen=True):
    """What is concluded of one measure: its best model, and how the others compare with it.

    `best` is the model that no other leads on the users that count for both; `None` where there is none, since every two models have other
    users in common. `users` says how many count for each model. `family` comparisons were corrected together by `correction`, those of all
    pairs of models of all measures; intervals hold together for the `n_pairs` pairs of this measure, with probability `level`.
    """

    measure: str
    models: tuple[str, ...]
    best: str | None
    rivals: tuple[Rival, ...]
    users: dict[str, int]
    level: float
    test: TestName
    correction: CorrectionName
    family: int
    n_pairs: int

    @property
    def is_tested(self) -> bool:
        """Return whether any model was tested against the best one, or there is no best one since all were."""
        return self.best is None or any(rival.verdict is not None for rival in self.rivals)

    @property
    def alike(self) -> tuple[str, ...]:
        """The best model and those that are not clearly different from it, or equivalent; none where nothing was tested."""
        if self.best is None or not self.is_tested:
            return ()
        return (self.best, *(rival.model for rival in self.rivals if rival.verdict not in (None, "better")))

    @property
    def untested(self) -> tuple[str, ...]:
        """The models that were not tested against the best one."""
        return tuple(rival.model for rival in self.rivals if rival.verdict is None)

    @property
    def beaten(self) -> tuple[Rival, ...]:
        """The models that the best one beats, the nearest first."""
        return tuple(rival for rival in self._nearest_first() if rival.verdict == "better")

    @property
    def has_other_users(self) -> bool:
        """Return whether models were compared that count different users."""
        return any(rival.n_unpaired for rival in self.rivals)

    def _nearest_first(self) -> list[Rival]:
        return sorted(self.rivals, key=lambda rival: abs(rival.difference or 0.0))
