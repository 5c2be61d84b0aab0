"""A measure with every choice made: the convention's, unless the measure string says otherwise.

Beside its own parameters every metric takes `convention`, `threshold` (of relevance) and the axes of the protocol by name:
`nDCG(convention=elliot)@10`, `Precision(threshold=4,average=micro)@5`, `MAP(missing_lists=drop)@10`.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

import narwhals as nw

from .. import conventions
from ..conventions import AXES, PROTOCOL, Convention
from ..naming import UNSET, MetricSpec, Scalar, cutoff, parse, unquoted
from .check import check
from .collected import Reductions
from .measure import Measure, Ratio, plain
from .registry import Metric, find

USER_MEAN: Final = "user_mean"

Load = Callable[[str], Convention]
"""Finds a convention by name."""


@dataclass(frozen=True)
class Relevance:
    """Which test items are relevant as far as the config says: the least rating, and whether ratings are gains."""

    threshold: float | None = None
    graded: bool = False


@dataclass(frozen=True)
class Truth:
    """How test rows become relevant items; `None` as threshold: `rule` decides."""

    rule: str
    threshold: float | None
    graded: bool
    duplicates: str
    filter: str


@dataclass(frozen=True)
class Lists:
    """How rows become lists."""

    order: str
    ties: str
    score_type: str
    duplicates: str
    seen: str


@dataclass(frozen=True)
class Counted:
    """Which users count, and what the sum over them is divided by."""

    missing_lists: str
    no_relevant: str
    no_truth: str
    no_hits: str
    divisor: str


@dataclass(frozen=True)
class Definition:
    """A measure, resolved. `spec` is its printed form; `axes` has a value for every axis; `numbers` for its own parameters."""

    spec: MetricSpec
    metric: Metric
    convention: str
    axes: Mapping[str, Scalar]
    numbers: Mapping[str, float]
    relevance: Relevance
    of: tuple[Definition, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    of_library: bool = True
    """Whether the library that the convention speaks of has the metric."""

    def __hash__(self) -> int:
        return hash((self.spec, self.convention, self.relevance))

    @property
    def k(self) -> int | None:
        """The cut-off; `None` is the whole list."""
        return self.spec.k if isinstance(self.spec.k, int) else None

    @property
    def label(self) -> str:
        """The printed name; metrics without cut-offs are printed without one."""
        return self.spec.title if not self.metric.cut or self.spec.k is UNSET else str(self.spec)

    @property
    def printed(self) -> MetricSpec:
        """The measure as it is printed: without a cut-off where it takes none."""
        return self.spec if self.metric.cut else self.spec.at(UNSET)

    @property
    def several(self) -> bool:
        """Whether it has several values, told apart by further parameters."""
        made = self.metric.define(Measure(self.k, self.params, Reductions(), tuple(nw.lit(0.0) for _ in self.of)))
        return isinstance(made, Mapping) and () not in made

    @property
    def params(self) -> dict[str, Scalar]:
        """Every parameter of the formula with its value."""
        return {key: self.axes[axis] for key, axis in self.metric.axes.items()} | dict(self.numbers) | dict(self.texts)

    @property
    def higher_is_better(self) -> bool | None:
        """Whether a larger value is a better one; `None` where neither is."""
        better = self.metric.higher_is_better
        return better(self.params) if callable(better) else better

    @property
    def average(self) -> str:
        """How users are combined where the config asks for no aggregates."""
        return self.metric.average if self.axes["average"] == "own" else str(self.axes["average"])

    @property
    def population(self) -> str:
        """Whose users count."""
        return self.metric.population if self.axes["population"] == "own" else str(self.axes["population"])

    @cached_property
    def truth(self) -> Truth:
        """What is relevant."""
        applies = self.axes["threshold"] == "applies"
        return Truth(
            rule=str(self.axes["relevance_rule"]),
            threshold=self.relevance.threshold if applies else None,
            graded={"configured": self.relevance.graded, "ratings": True, "ones": False}[str(self.axes["grades"])],
            duplicates=str(self.axes["truth_duplicates"]),
            filter=str(self.axes["truth_filter"]),
        )

    @cached_property
    def lists(self) -> Lists:
        """How a list is read."""
        names = ("list_order", "tie_order", "score_type", "duplicates", "seen_items")
        return Lists(*(str(self.axes[name]) for name in names))

    @cached_property
    def counted(self) -> Counted:
        """Who counts."""
        names = ("missing_lists", "no_relevant", "no_truth", "no_hits", "divisor")
        return Counted(*(str(self.axes[name]) for name in names))

    @property
    def all(self) -> tuple[Definition, ...]:
        """The definition and those it combines."""
        return (self, *(inner for part in self.of for inner in part.all))

    @property
    def needs(self) -> frozenset[str]:
        """The inputs that the definition needs beside the truth and the lists."""
        own = set(self.metric.needs(self.params))
        own |= {"train"} if self.counted.divisor == "train_users" else set()
        own |= {self.population} & {"train", "baseline"}
        return frozenset(own).union(*(part.needs for part in self.of))

    @property
    def offset(self) -> float:
        """T of the gain 2^(g-t+1) - 1."""
        return (self.truth.threshold or 0.0) if self.truth.graded else 1.0

    def pooled(self, parts: Sequence[float]) -> nw.Expr:
        """The pooled value, given that of the ratio, or of each metric that is combined."""
        if not self.of:
            return nw.lit(parts[0])
        return plain(self.metric.define(Measure(self.k, self.params, Reductions(), tuple(nw.lit(part) for part in parts))))

    @property
    def is_pooled(self) -> bool:
        """Whether the metric can be pooled over users: a ratio, or a formula over metrics that can."""
        if self.metric.system:
            return False
        if self.of:
            return all(part.is_pooled for part in self.of)
        return isinstance(self.metric.define(Measure(1, self.params, Reductions())), Ratio)


def resolve(spec: MetricSpec, convention: Convention, load: Load = conventions.load, relevance: Relevance = Relevance()) -> Definition:
    """Make every choice that `spec` leaves open as `convention` does; `ValueError` if a name, parameter or value is wrong."""
    named = dict(spec.params).get("convention")
    used = load(str(named)) if named is not None else convention
    read = used.read(MetricSpec(spec.name, spec.of, tuple(pair for pair in spec.params if pair[0] != "convention"), spec.k))
    entry = find(read.name)
    check(used)
    axes, numbers, threshold = used.of(entry.name), {key: number.default for key, number in entry.numbers.items()}, relevance.threshold
    texts: dict[str, str] = {key: text.default for key, text in entry.texts.items() if text.default is not None}
    given: dict[str, Scalar] = {}
    cut = read.k
    for key, value in read.params:
        if key in ("k", "cutoff") and key not in entry.numbers and entry.cut:
            if cut is not UNSET:
                raise ValueError(f"{entry.name} gives its cut-off twice")
            cut = cutoff(value)
            continue
        if key in entry.numbers:
            numbers[key] = entry.numbers[key].read(f"{key} of {entry.name}", value)
            if numbers[key] != entry.numbers[key].default:
                given[key] = numbers[key]
        elif key in entry.texts:
            texts[key] = str(value)
            given[key] = unquoted(texts[key])
        elif key == "threshold" and value not in AXES["threshold"].values:
            threshold = _threshold(value)
            axes |= {"threshold": "applies"} if threshold is not None else {"threshold": "ignored", "relevance_rule": USER_MEAN}
            given[key] = value
        else:
            axis = _axis(entry, key)
            checked = AXES[axis].read(value)
            if checked != axes[axis]:
                given[key] = axes[axis] = checked
    missing = [key for key in entry.texts if key not in texts]
    if missing:
        raise ValueError(f"{entry.name} needs {missing[0]}, {entry.texts[missing[0]].means}: write {entry.name}({missing[0]}=…)")
    if read.of and len(read.of) != len(entry.combines) and not entry.any_number:
        takes = f"takes {len(entry.combines)} metrics" if entry.combines else "takes no other metrics"
        raise ValueError(f"{entry.name} {takes}, not {len(read.of)}")
    if "relevance_rule" in dict(read.params):
        if threshold is not None and "threshold" in given:
            raise ValueError(f"{entry.name} has a threshold and a relevance_rule: give one")
        axes["threshold"] = "ignored"
    if not entry.cut and isinstance(read.k, int):
        raise ValueError(f"{entry.name} looks at the whole list and takes no cut-off: write '{entry.name}'")
    shared = {key: value for key, value in given.items() if key == "threshold" or key in PROTOCOL}
    of = _parts(replace(read, k=cut), entry, shared, used, load, relevance)
    printed = tuple(_without(part.spec.at(UNSET), shared) for part in of)
    printed = () if tuple(part.title for part in printed) == entry.combines else printed
    if named is not None and used != convention:
        given["convention"] = str(named)
    order = (*entry.axes, *entry.numbers, *entry.texts, "threshold", *PROTOCOL, "convention")
    params = tuple((key, given[key]) for key in dict.fromkeys(order) if key in given)
    spec = MetricSpec(entry.name, printed, params, cut if entry.cut else None)
    own = not used.library or entry.name in used.metrics
    found = Definition(spec, entry, used.name, axes, numbers, Relevance(threshold, relevance.graded), of, texts, own)
    entry.define(Measure(found.k, found.params, Reductions(), tuple(nw.lit(0.0) for _ in of)))  # a definition may refuse its parameters
    return found


def _parts(
    read: MetricSpec, entry: Metric, shared: Mapping[str, Scalar], used: Convention, load: Load, relevance: Relevance
) -> tuple[Definition, ...]:
    """The metrics that `read` combines, at its cut-off where they have one, with the protocol that it was given."""
    found = []
    for part in read.of or tuple(parse(name) for name in entry.combines):
        alone = [key for key, _ in part.params if key in PROTOCOL and AXES[key].part in ("users", "value")]
        if alone:
            raise ValueError(f"{alone[0]} belongs to the whole of {entry.name}, not to {part.name} in it: write {entry.name}({alone[0]}=…)")
        params = {**{key: value for key, value in shared.items() if key != "average"}, **dict(part.params)}
        meant = find(used.read(part).name)
        if meant.system:
            raise ValueError(f"{meant.name} is a value of the whole model and has none per user: {entry.name} cannot combine it")
        at = read.k if meant.cut else UNSET
        found.append(resolve(MetricSpec(part.name, part.of, tuple(params.items()), at), used, load, relevance))
    return tuple(found)


def _without(spec: MetricSpec, shared: Mapping[str, Scalar]) -> MetricSpec:
    return MetricSpec(spec.name, spec.of, tuple(pair for pair in spec.params if pair[0] not in shared), spec.k)


def _threshold(value: Scalar) -> float | None:
    if value == USER_MEAN:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"threshold is a number, or {USER_MEAN}, not {value!r}")
    if not math.isfinite(value):
        raise ValueError("threshold is a finite number")
    return float(value)


def _axis(entry: Metric, key: str) -> str:
    if key in entry.axes:
        return entry.axes[key]
    if key in PROTOCOL:
        return key
    allowed = (*entry.axes, *entry.numbers, *entry.texts, "threshold", "convention", *PROTOCOL)
    close = difflib.get_close_matches(key, allowed, n=1)
    own = (*entry.axes, *entry.numbers, *entry.texts)
    hint = f" — did you mean '{close[0]}'?" if close else f"; its own are {', '.join(own)}" if own else "; it has none of its own"
    raise ValueError(f"{entry.name} has no parameter '{key}'{hint}")
