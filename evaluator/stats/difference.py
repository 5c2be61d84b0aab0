"""Inputs and results of comparisons: `Subject`, `Settings`, `Difference`, `Conclusion`; and the words for gates."""

from __future__ import annotations

import math
from typing import Any, Final, Literal, get_args

from msgspec import Struct

from ..support.errors import ConfigError
from .units import Units

MarginKind = Literal["max_loss", "min_gain"]
LimitKind = Literal["min", "max"]
SlicesKind = Literal["slices"]
"""No slice of users may be confirmed to lose more than the limit."""
GateOutcome = Literal["pass", "fail", "inconclusive"]
"""`pass`: the rule is shown to hold; `fail`: it is violated as `Failing` says; `inconclusive`: neither."""
Failing = Literal["shown_worse", "shown_beyond", "value"]
"""When a margin fails, from the most cases to the fewest.

- `value`: the value is beyond the limit
- `shown_worse`: so it is, and a loss is shown
- `shown_beyond`: the true value is shown to be beyond the limit
"""


TestName = Literal["t", "t-plain", "permutation", "bootstrap", "bootstrap-t", "wilcoxon"]
PLAIN: Final = "t-plain"
"""Student's t test without the correction for skewness, and without the exact test for few changes; `PLAIN_IN_FOLDS` is that of folds."""
PLAIN_IN_FOLDS: Final = "folds-plain"
CorrectionName = Literal["holm", "bh", "by", "none"]
Verdict = Literal["better", "worse", "equivalent", "identical", "inconclusive"]
"""Verdict on a difference.

- `better`, `worse`: a difference is shown, in the direction of the measure
- `equivalent`: shown to be within the margin, whether or not a difference from 0 is shown as well
- `identical`: no user's value differs
- `inconclusive`: neither is shown

A difference has no verdict (`None`) if it is not judged, if its error is unknown, or if it is shown but the measure has no better
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
"""Meaning of each verdict, for legends."""


class Subject(Struct, frozen=True):
    """Subject of a comparison: one measure of two models, over all users or over one group.

    `measure` is the name for people, with the cut-off, and with the aggregate if it is not the mean: `nDCG@10`, `nDCG@10 (median)`.
    `higher_is_better` is `None` for a measure without a better direction. With `n_folds`, numbers of users are added up over the folds.
    """

    measure: str
    base: str
    model: str
    higher_is_better: bool | None = True
    k: int | None = None
    aggregate: str = "mean"
    by: str | None = None
    group: str | None = None
    n_folds: int = 0


class Settings(Struct, frozen=True):
    """Settings of tests: level `alpha`, the correction within a family, and `seed` and `resamples` for tests by resampling.

    The p value of such a test is at least one divided by the number of resamples. With a `family` of this many differences there are at
    least as many resamples as a difference needs to be shown.

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
        """Level of intervals: 0.95 for an `alpha` of 0.05."""
        return 1 - self.alpha


class Difference(Struct, frozen=True):
    """Difference of a measure between two models, and the verdict.

    `difference` is model - base in units of the measure. `low` and `high` are its interval at `level`, not corrected for other comparisons.
    `one_sided_low` and `one_sided_high` bound it with the same level from one side, and are the two ends of the interval that shows
    equivalence. `up` users have a better value with the model, `down` a worse one (a higher and a lower one if the measure has no better
    direction). `n_unpaired` users have a value for only one of the two and were left out. `relative` is the difference as a share of the
    base value, with its interval (Fieller), whose ends are `None` if the base value is too uncertain. `p_equivalent` is the p value of the
    hypothesis that the difference is outside of the margin, `probability_equivalent` the probability that it is within. `test` is the
    method that gave `statistic` and `p`: a setting, or that of the data (`welch`, `micro`, `weighted`, `clusters`, `folds`, `runs`,
    `geometric`); `t_plain` and `p_plain` are the difference divided by `se`, and its p value by Student's t with `df`.

    `p_adjusted`, `p_equivalent_adjusted`, `family` (number of differences corrected together), `detectable`, `real` (a difference from 0 is
    shown, in any direction), `verdict` and `sentence` are final after `judge_family`. Fields that cannot be computed are `None`.

    Two fields are for verdicts alone: `units` are the independent units if these are not users who count alike, and `reach` is the largest
    change that may be missing from the sample (0 if none).
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
    t_plain: float | None = None
    p_plain: float | None = None
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
    units: Units | None = None
    reach: float = 0.0

    def __post_init__(self) -> None:
        if self.margin is not None and not (math.isfinite(self.margin) and self.margin > 0):
            raise ConfigError(f"a margin must be above 0, not {self.margin:g}")

    @property
    def independent(self) -> Units | None:
        """The independent units; `None` if users are not paired."""
        if self.units is not None or self.n_changed is None:
            return self.units
        return Units.from_users(self.n_users, self.n_changed)

    @property
    def is_tested(self) -> bool:
        """True if it was tested: it has a verdict, or a p value that is corrected with those of its family."""
        return self.verdict is not None or self.p_adjusted is not None

    @property
    def interval(self) -> tuple[float, float] | None:
        """`low` and `high`; `None` if there is no interval."""
        return None if self.low is None or self.high is None else (self.low, self.high)

    @property
    def bounds(self) -> tuple[float, float] | None:
        """`one_sided_low` and `one_sided_high`; `None` if there is no interval."""
        return None if self.one_sided_low is None or self.one_sided_high is None else (self.one_sided_low, self.one_sided_high)

    def cells(self) -> dict[str, Any]:
        """Return the difference in its JSON form."""
        subject = {name: getattr(self.subject, name) for name in ("measure", "k", "aggregate", "by", "group", "base", "model")}
        return subject | {"higher_is_better": self.subject.higher_is_better} | {name: getattr(self, name) for name in FIELDS}


FIELDS: Final = tuple(name for name in Difference.__struct_fields__ if name not in ("subject", "units", "reach"))
"""Columns of a difference beside those of its subject."""


class Rival(Struct, frozen=True):
    """Comparison of the best model with another one, on the users that count for both.

    `verdict` is that of the best model: `better` if it beats the other one; `None` if that was not tested. `difference` is best model -
    other model, in units of the measure; `low` and `high` are its interval, simultaneous over all pairs of models of the measure.
    `n_unpaired` users count for only one of the two and were left out.
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


class Conclusion(Struct, frozen=True, omit_defaults=True):
    """Conclusion for one measure: its best model, and the comparisons of the others with it.

    `best` is the model that no other leads on the users that count for both; `None` if there is none, which can happen if pairs of models
    share different users: then `shown` are the pairs whose first model is shown to be better than the second. `users` are the numbers of
    users that count for each model. `family` comparisons were corrected together by `correction`, those of all pairs of models of all
    measures; intervals hold together for the `n_pairs` pairs of this measure, with probability `level`. `notes` are cautions on the tests
    of the best model. `test` is the method of most pairs, as in `Difference`.
    """

    measure: str
    models: tuple[str, ...]
    best: str | None
    rivals: tuple[Rival, ...]
    users: dict[str, int]
    level: float
    test: str
    correction: CorrectionName
    family: int
    n_pairs: int
    shown: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def is_tested(self) -> bool:
        """True if a model was tested against the best one; also true if all were tested and there is no best one."""
        return self.best is None or any(rival.verdict is not None for rival in self.rivals)

    @property
    def alike(self) -> tuple[str, ...]:
        """Best model and those that are equivalent to it or not clearly different; empty if nothing was tested."""
        if self.best is None or not self.is_tested:
            return ()
        return (self.best, *(rival.model for rival in self.rivals if rival.verdict not in (None, "better")))

    @property
    def untested(self) -> tuple[str, ...]:
        """Models that were not tested against the best one."""
        return tuple(rival.model for rival in self.rivals if rival.verdict is None)

    @property
    def beaten(self) -> tuple[Rival, ...]:
        """Models that the best one beats, the nearest first."""
        nearest_first = sorted(self.rivals, key=lambda rival: abs(rival.difference or 0.0))
        return tuple(rival for rival in nearest_first if rival.verdict == "better")

    @property
    def has_other_users(self) -> bool:
        """True if models were compared that count different users."""
        return any(rival.n_unpaired for rival in self.rivals)
