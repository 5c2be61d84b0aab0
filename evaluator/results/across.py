"""`AcrossComparison`: models compared over several data sets, and the sentences on it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from statistics import NormalDist
from typing import Any, Final, Literal

from msgspec import Struct, to_builtins

from ..stats.concluding import decimals, percent, plain, span, with_sign
from ..stats.difference import CorrectionName
from ..stats.meta_analysis import LEAST_FOR_INTERVAL, MeanEffect
from ..stats.ranks import Ranks
from .row import listed

FORMAT_VERSION: Final = 1
Scale = Literal["ratio", "standardised"]
"""`ratio`: effects are ln(b/a); `standardised`: mean differences divided by the standard deviation of per-user differences."""
AcrossVerdict = Literal["better", "worse", "inconclusive", "identical"]


class DataSetEffect(Struct, frozen=True):
    """One measure of two models on one data set: its values, its effect, and the standard error of the effect if it is known.

    `direction` is 1 if the value of the model is better, -1 if it is worse, and 0 if both are equal; of a measure without a better
    direction it is that of the larger value.
    """

    data_set: str
    n_users: int
    base_value: float
    value: float
    effect: float
    se: float | None
    direction: int


class AcrossDifference(Struct, frozen=True):
    """One measure of two models over data sets: the `mean` of the `effects` on their `scale`.

    `weighted` is false if all data sets count alike. `p_adjusted` is corrected for the `family` of all pairs and measures; it, the
    interval and the verdict are `None` with two data sets.
    """

    measure: str
    base: str
    model: str
    higher_is_better: bool | None
    scale: Scale
    effects: tuple[DataSetEffect, ...]
    mean: MeanEffect
    weighted: bool
    level: float
    p_adjusted: float | None = None
    family: int | None = None
    verdict: AcrossVerdict | None = None

    @property
    def n_better(self) -> int:
        """The number of data sets on which the value of the model is better; without a better direction, higher."""
        return sum(effect.direction > 0 for effect in self.effects)

    @property
    def n_worse(self) -> int:
        """The number of data sets on which it is worse, or lower."""
        return sum(effect.direction < 0 for effect in self.effects)

    def shown(self, effect: float) -> float:
        """Return an effect as people read it: a ratio as a change in percent."""
        return 100 * math.expm1(effect) if self.scale == "ratio" else effect

    @property
    def digits(self) -> int | None:
        """Decimals for the change and its interval: one significant digit of the half-width."""
        if self.mean.low is None or self.mean.high is None:
            return 1 if self.scale == "ratio" else 2
        digits = decimals((self.shown(self.mean.high) - self.shown(self.mean.low)) / 2)
        return digits if digits is None else max(0, digits - 1)

    @property
    def unit(self) -> str:
        """The unit behind a change."""
        return " %" if self.scale == "ratio" else " standard deviations"

    def interval_on(self, effect: DataSetEffect) -> tuple[float, float] | None:
        """Return the interval of the effect on one data set, over its users; `None` if its standard error is not known."""
        if effect.se is None:
            return None
        reach = NormalDist().inv_cdf((1 + self.level) / 2) * effect.se
        return effect.effect - reach, effect.effect + reach

    @property
    def sentence(self) -> str:
        """What may be claimed of this pair of models in this measure."""
        mean, higher, over = self.mean, "higher" if self.mean.mean > 0 else "lower", f"on average over {self.mean.n} data sets"
        size = f"{plain(abs(self.shown(mean.mean)), self.digits)}{self.unit}"
        start = f"{self.measure} of {self.model} is {higher} than that of {self.base} by {size}"
        if self.verdict == "identical":
            return f"{self.measure} of {self.model} and of {self.base} is identical on all {mean.n} data sets."
        if mean.low is None or mean.high is None or mean.further is None:
            return f"{start} {over}, too few for an interval; {self._counts()}."
        if self.verdict == "inconclusive":
            change = f"{with_sign(self.shown(mean.mean), self.digits)}{self.unit}"
            start = f"No clear difference between {self.base} and {self.model} in {self.measure}: {change}"
        elif self.verdict is not None:
            start = f"{self.model} is {self.verdict} than {self.base}: {self.measure} is {higher} by {size}"
        interval = f"({percent(self.level)} interval {self._span((mean.low, mean.high))}{self._uncorrected()})"
        end = "" if self.verdict else "; the measure has no better direction"
        return f"{start} {over} {interval}; on a further data set about {self._span(mean.further)}; {self._counts()}{end}."

    def _span(self, ends: tuple[float, float]) -> str:
        """Return an interval; that of a loss, which is named as one, without its sign."""
        sign = -1 if self.mean.mean < 0 and self.verdict != "inconclusive" else 1
        low, high = sorted(sign * self.shown(end) for end in ends)
        return f"{span(low, high, self.digits)}{self.unit if self.scale == 'ratio' else ''}"

    def _uncorrected(self) -> str:
        """Return a remark if the interval excludes 0 and the verdict does not."""
        excludes = self.mean.low is not None and self.mean.high is not None and not self.mean.low <= 0 <= self.mean.high
        return f", not corrected for {self.family:,} comparisons" if excludes and self.verdict == "inconclusive" and self.family else ""

    def _counts(self) -> str:
        words = ("better", "worse") if self.higher_is_better is not None else ("higher", "lower")
        word, number = (words[0], self.n_better) if self.n_better >= self.n_worse else (words[1], self.n_worse)
        return f"{word} on {'both' if number == self.mean.n == LEAST_FOR_INTERVAL - 1 else f'{number} of {self.mean.n}'}"

    def cells(self) -> dict[str, Any]:
        """Return the JSON form: `change` and its ends are shares of the base value (`ratio`), or standard deviations."""
        unit = 100 if self.scale == "ratio" else 1

        def in_units(effect: float | None) -> float | None:
            return None if effect is None else self.shown(effect) / unit

        further = self.mean.further or (None, None)
        return {
            **{name: getattr(self, name) for name in ("measure", "base", "model", "higher_is_better", "scale")},
            "n_data_sets": self.mean.n,
            "change": in_units(self.mean.mean),
            "low": in_units(self.mean.low),
            "high": in_units(self.mean.high),
            "further_low": in_units(further[0]),
            "further_high": in_units(further[1]),
            "mean_effect": self.mean.mean,
            "se": self.mean.se,
            "tau": self.mean.tau,
            "weighted": self.weighted,
            "better": self.n_better,
            "equal": self.mean.n - self.n_better - self.n_worse,
            "worse": self.n_worse,
            "p": self.mean.p,
            "p_adjusted": self.p_adjusted,
            "family": self.family,
            "verdict": self.verdict,
            "sentence": self.sentence,
        }


class AcrossComparison(Struct, frozen=True):
    """Differences of models over `data_sets`, from a `base` or between all pairs; `ranks` by measure, if they were asked for.

    `notes` are sentences on what was combined. `first` is true if the base is only the first model, because nothing names another one.
    """

    data_sets: tuple[str, ...]
    models: tuple[str, ...]
    base: str | None
    differences: tuple[AcrossDifference, ...]
    correction: CorrectionName
    level: float
    ranks: tuple[Ranks, ...] = ()
    notes: tuple[str, ...] = ()
    first: bool = False

    @property
    def family(self) -> int:
        """The number of comparisons that p values are corrected for; 0 if none was tested."""
        return max((difference.family or 0 for difference in self.differences), default=0)

    @property
    def sentences(self) -> list[str]:
        """A sentence for each pair of models and measure."""
        return [difference.sentence for difference in self.differences]


def rows(comparison: AcrossComparison) -> list[list[Any]]:
    """Return a head, and one line per measure, pair of models and data set."""
    places = ("measure", "base", "model", "scale")
    lines = (
        [getattr(row, name) for name in places] + [*to_builtins(effect).values()]
        for row in comparison.differences
        for effect in row.effects
    )
    return [[*places, *DataSetEffect.__struct_fields__], *lines]


def cells(comparison: AcrossComparison) -> dict[str, Any]:
    """Return the JSON form."""
    return {
        "format_version": FORMAT_VERSION,
        **{name: getattr(comparison, name) for name in ("base", "correction", "level")},
        **{name: list(getattr(comparison, name)) for name in ("data_sets", "models")},
        "comparisons": [{**row.cells(), "data_sets": [*to_builtins(row.effects)]} for row in comparison.differences],
        "ranks": [_cells_of_ranks(ranks) for ranks in comparison.ranks],
        "notes": list(comparison.notes),
    }


def _cells_of_ranks(ranks: Ranks) -> dict[str, Any]:
    cells: dict[str, Any] = to_builtins(ranks)
    if ranks.friedman is not None and not math.isfinite(ranks.friedman.f):
        cells["friedman"]["f"] = None
    return {**cells, "can_reject": ranks.can_reject}


def missing_text(missing: Mapping[str, Iterable[str]]) -> str:
    """Return which models have no results on which data sets: `als has no results on steam`."""
    return "; ".join(f"{model} has no results on {listed([*places])}" for model, places in missing.items())
