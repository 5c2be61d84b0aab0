"""`AcrossComparison`: models compared over several data sets, and the sentences on it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
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
_TEN_TIMES: Final = math.log(10)
"""A range that is wider than this both ways says nothing; its ends are not printed."""
AcrossVerdict = Literal["better", "worse", "inconclusive", "identical"]
_ENOUGH: Final = 5
"""With fewer data sets, their spread is hardly known."""


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
        """Decimals for changes and intervals: one significant digit of the half-width; two of standard deviations, more of tiny ones."""
        if self.scale == "standardised":
            largest = max(map(abs, (self.mean.mean, *(effect.effect for effect in self.effects))))
            return min(9, max(2, 2 - math.floor(math.log10(largest)))) if 0 < largest < 0.1 else 2
        if self.mean.low is not None and self.mean.high is not None:
            return self._digits((self.mean.low, self.mean.high))
        return min((self._digits(ends) or 0 for effect in self.effects if (ends := self.interval_on(effect))), default=1)

    def _digits(self, ends: tuple[float, float]) -> int | None:
        digits = decimals((self.shown(ends[1]) - self.shown(ends[0])) / 2)
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
        return f"{start} {over} {interval}; on a further data set {self.further_text(signed=False)}; {self._counts()}{end}."

    def _span(self, ends: tuple[float, float]) -> str:
        """Return an interval; that of a loss, which is named as one, without its sign."""
        sign = -1 if self.mean.mean < 0 and self.verdict != "inconclusive" else 1
        low, high = sorted(sign * self.shown(end) for end in ends)
        return f"{span(low, high, self.digits)}{self.unit if self.scale == 'ratio' else ''}"

    def further_text(self, *, signed: bool) -> str:
        """Return the range on a further data set, in a sentence with `about`, or `at least` if it is too narrow; no absurd numbers."""
        if self.mean.further is None:
            return "–"
        (low, high), unit = self.mean.further, " %" if self.scale == "ratio" else " sd"
        start = "" if signed else "at least " if self.mean.tau == 0 else "about "
        if low < -_TEN_TIMES and high > _TEN_TIMES:
            return "any change" if signed else "any change is possible"
        if self.scale == "ratio" and high > 2 * _TEN_TIMES:
            return f"{start}{with_sign(self.shown(low), self.digits)}{unit} or more"
        if signed:
            return f"{with_sign(self.shown(low), self.digits)} to {with_sign(self.shown(high), self.digits)}{unit}"
        return f"{start}{self._span(self.mean.further)}"

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

    @property
    def cautions(self) -> tuple[str, ...]:
        """What the intervals are about, what little few data sets can show, and the notes."""
        return (*self._premises(), *self.notes)

    def _premises(self) -> Iterator[str]:
        n = len(self.data_sets)
        if n >= LEAST_FOR_INTERVAL:
            yield "Intervals of means are about data sets like these, as if these were a sample; the range on a further one is approximate."
        if any(one.verdict != "identical" and one.mean.further and one.mean.tau == 0 for one in self.differences):
            yield "A range of “at least” is too narrow: changes differ no more than their errors, so how far data sets differ is not known."
        yield "Intervals on one data set are about its users, each on its own, not corrected; receval compare tests one data set."
        if LEAST_FOR_INTERVAL <= n < _ENOUGH:
            only = f"With {n} data sets only large and even changes are shown on average"
            yield f"{only}; the rows of the data sets say what each shows alone."
        if self.ranks:
            yield "Ranks depend on the other models and ignore how large differences are: the changes above are the better summary."


def rows(comparison: AcrossComparison) -> list[list[Any]]:
    """Return a head, and for each measure and pair of models a line per data set and one of the mean, without a data set.

    Effects and their ends are log ratios or standard deviations, as `scale` says.
    """
    places, ends = ("measure", "base", "model"), ("low", "high", "further_low", "further_high")
    lines = []
    for row in comparison.differences:
        start = [*(getattr(row, name) for name in places), "log ratio" if row.scale == "ratio" else "standard deviations"]
        for effect in row.effects:
            low, high = row.interval_on(effect) or (None, None)
            lines.append([*start, *to_builtins(effect).values(), low, high, None, None, None, None, None])
        mean, further = row.mean, row.mean.further or (None, None)
        tested = (mean.p, row.p_adjusted, row.verdict)
        lines.append([*start, None, None, None, None, mean.mean, mean.se, None, mean.low, mean.high, *further, *tested])
    return [[*places, "scale", *DataSetEffect.__struct_fields__, *ends, "p", "p_adjusted", "verdict"], *lines]


def cells(comparison: AcrossComparison) -> dict[str, Any]:
    """Return the JSON form."""
    return {
        "format_version": FORMAT_VERSION,
        **{name: getattr(comparison, name) for name in ("base", "correction", "level")},
        **{name: list(getattr(comparison, name)) for name in ("data_sets", "models")},
        "comparisons": [{**row.cells(), "data_sets": [*to_builtins(row.effects)]} for row in comparison.differences],
        "ranks": [_cells_of_ranks(ranks) for ranks in comparison.ranks],
        "notes": list(comparison.cautions),
    }


def _cells_of_ranks(ranks: Ranks) -> dict[str, Any]:
    cells: dict[str, Any] = to_builtins(ranks)
    if ranks.friedman is not None and not math.isfinite(ranks.friedman.f):
        cells["friedman"]["f"] = None
    return {**cells, "can_reject": ranks.can_reject}


def missing_text(missing: Mapping[str, Iterable[str]]) -> str:
    """Return which models have no results on which data sets: `als has no results on steam`."""
    return "; ".join(f"{model} has no results on {listed([*places])}" for model, places in missing.items())
