"""A measure string → its definition: every setting has a value, from the string, the policy of the config, or the convention."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from msgspec.structs import replace

from .. import conventions
from ..conventions import AXES, PROTOCOL, Convention
from ..conventions.axis import Relevance
from ..support.synonyms import did_you_mean
from ..syntax.measure_strings import CUTOFF_KEYS, UNSET, MetricSpec, Scalar, cutoff, parse, unquoted
from .definition import GAINS, ROWS, Definition, read_gains
from .f_of_means import f_text
from .registry import METRICS, Metric, check, find
from .weights import KEY

WEIGHT: Final = "beta_squared"
"""The usual weight of an F."""
_MEANS: Final = ("user_mean", "all_mean")
"""Rules of relevance that a threshold may name."""
_AS_DELIVERED: Final = {"duplicates": "keep_all", "seen_items": "keep", "unknown_items": "keep", "identical_ids": "keep"}
"""Settings of a metric that reads lists as they were delivered."""
NO_POLICY: Final[Mapping[str, str]] = MappingProxyType({})
DEFAULT_RELEVANCE: Final = Relevance()

Load = Callable[[str], Convention]
"""Function that returns the convention with a name."""


def resolve(
    spec: MetricSpec,
    convention: Convention,
    load: Load = conventions.load,
    relevance: Relevance = DEFAULT_RELEVANCE,
    policy: Mapping[str, str] = NO_POLICY,
    value_columns: Mapping[str, str] = NO_POLICY,
    weights: str = "",
) -> Definition:
    """Take every setting that `spec` leaves open from `policy`, else from `convention`; columns of values from `value_columns`.

    With `weights`, a column of data.users, means of per-user values become weighted means. A column of values that nothing names is empty.
    Raises `ValueError` if a name, parameter or value is wrong.
    """
    named = dict(spec.params).get("convention")
    chosen = load(str(named)) if named is not None else convention
    read = chosen.read(MetricSpec(spec.name, spec.components, tuple(pair for pair in spec.params if pair[0] != "convention"), spec.k))
    if named is None and "convention" in dict(read.params):  # this spelling sets the convention of its metric
        return resolve(read, convention, load, relevance, policy, value_columns, weights)
    entry = find(read.name, read.params)
    check(chosen)
    axes = chosen.axes_of(entry.name) | dict(policy) | (_AS_DELIVERED if entry.as_delivered else {})
    settings = _Settings(entry, read, axes, value_columns, relevance.threshold)
    settings.weigh(weights)
    for key, value in read.params:
        settings.take(key, value)
    settings.settle_average(weights)
    settings.settle_weight()
    settings.refuse_contradictions()
    shared, of_parts = settings.shared(), {key: column for key, column in value_columns.items() if key != KEY}
    whole = replace(read, k=settings.cut)
    components = _parts(whole, entry, shared, lambda part: resolve(part, chosen, load, relevance, policy, of_parts), chosen)
    printed = tuple(_without(part.spec.at(UNSET), shared) for part in components)
    printed = () if tuple(part.title for part in printed) == entry.combines else printed
    if named is not None and chosen != convention:
        settings.given["convention"] = str(named)
    definition = Definition(
        MetricSpec(entry.name, printed, settings.in_order(), settings.cut if entry.cut else None),
        entry,
        chosen.name,
        settings.axes,
        settings.numbers,
        Relevance(settings.threshold, relevance.graded),
        components,
        settings.texts,
        not chosen.library or entry.name in chosen.metrics,
        weights,
    )
    # Without a cut-off of its own a measure is resolved again at each cut-off of top_k: until then any cut-off will do.
    entry.validate(definition.params, 1 if entry.cut and settings.cut is UNSET else definition.k)
    entry.validate_combined(definition.params, len(components))
    return definition


class _Settings:
    """The settings of a measure while its string is read: defaults first, then each parameter that is written.

    `given` has what differs from the defaults, as it is printed in the name of the measure.
    """

    def __init__(
        self, entry: Metric, read: MetricSpec, axes: dict[str, Scalar], value_columns: Mapping[str, str], threshold: float | None
    ) -> None:
        self.entry, self.read, self.axes, self.threshold = entry, read, axes, threshold
        self.usual_average = axes["average"]
        self.numbers = {key: number.default for key, number in entry.numbers.items() if number.default is not None}
        self.texts: dict[str, str] = {key: text.default for key, text in entry.texts.items() if text.default is not None}
        self.texts |= {key: value_columns.get(text.key, text.default or "") for key, text in entry.texts.items() if text.key}
        self.weight = next((key for key, text in entry.texts.items() if text.shown), "")
        """The parameter that names a column of weights, empty if the metric has none."""
        self.given: dict[str, Scalar] = {}
        self.cut = read.k
        self.written = dict(read.params)

    def weigh(self, weights: str) -> None:
        """Average with weights of users, where a mean is usual."""
        if weights and _effective(self.entry, "average", self.usual_average) == "mean":
            self.axes["average"] = "weighted"

    def take(self, key: str, value: Scalar) -> None:
        """Take one parameter of the measure string."""
        entry = self.entry
        if key in CUTOFF_KEYS and key not in entry.numbers and entry.cut:
            if self.cut is not UNSET:
                raise ValueError(f"{entry.name} gives its cut-off twice")
            self.cut = cutoff(value)
        elif key in entry.numbers:
            self.numbers[key] = entry.numbers[key].read(f"{key} of {entry.name}", value)
            if self.numbers[key] != entry.numbers[key].default:
                self.given[key] = self.numbers[key]
        elif key in entry.texts:
            self._take_text(key, value)
        elif key.startswith(ROWS):
            if key in ("rows.timestamp", "rows.popularity"):
                raise ValueError(f"{key} has no groups of its own: write it with windows or a number of groups in evaluation.by")
            self.given[key] = unquoted(str(value))
        elif key == GAINS and "ndcg_gain" in entry.axes.values():
            self.given[key] = ",".join(f"{grade:.12g}={gain:.12g}" for grade, gain in read_gains(value))
        elif key == "threshold" and value not in AXES["threshold"].values:
            self.threshold = _threshold(value)
            applies = self.threshold is not None
            self.axes |= {"threshold": "applies"} if applies else {"threshold": "ignored", "relevance_rule": value}
            self.given[key] = value
        else:
            self._take_axis(key, value)

    def _take_text(self, key: str, value: Scalar) -> None:
        usual = self.texts.get(key)
        self.texts[key] = "" if key == self.weight and value == "none" else str(value)
        if key == self.weight and usual and not self.texts[key]:
            self.given[key] = "none"
        elif not self.entry.texts[key].key or self.texts[key] != usual:
            self.given[key] = unquoted(self.texts[key])

    def _take_axis(self, key: str, value: Scalar) -> None:
        axis = _axis(self.entry, key)
        checked = AXES[axis].read(value, key)
        if _effective(self.entry, axis, checked) != _effective(self.entry, axis, self.axes[axis]):
            self.given[key] = self.axes[axis] = checked

    def settle_average(self, weights: str) -> None:
        """Refuse an average that the metric has not, and give up weights that nobody asked for where they do not fit."""
        entry = self.entry
        if entry.per_model and self.written.get("average", "own") != "own":
            hint = "; LabelGAUC averages over users" if entry.name == "LabelAUC" else ""
            raise ValueError(f"{entry.name} is one value per model, without per-user values: it takes no average{hint}")
        of_means = "f_of" in entry.axes.values() and self.axes["f_of"] == "means"
        if self.axes["average"] != "weighted" or (weights and self.axes["divisor"] == "counted" and not entry.per_model and not of_means):
            return
        if not weights:
            raise ValueError(f"{entry.name}: average=weighted needs the weights of users: set evaluation.weights.users to users.COLUMN")
        if self.written.get("average") == "weighted":
            raise ValueError(f"{entry.name} is not a mean of per-user values over the users that count: it takes no average=weighted")
        self.axes["average"] = self.usual_average

    def settle_weight(self) -> None:
        """Take the column of weights of the config if the metric can be weighted with these parameters."""
        weight = self.weight
        if weight and self.texts[weight] and weight not in self.written:
            params = {key: self.axes[axis] for key, axis in self.entry.axes.items()} | self.numbers | self.texts
            self.texts[weight] = _fitting(self.entry, params, weight)
        if weight and self.texts[weight]:
            self.given[weight] = unquoted(self.texts[weight])

    def refuse_contradictions(self) -> None:
        """Raise `ValueError` for what is missing, and for parameters that exclude each other."""
        entry, read = self.entry, self.read
        if missing := [key for key in entry.texts if key not in self.texts]:
            raise ValueError(f"{entry.name} needs {missing[0]}, {entry.texts[missing[0]].means}: write {entry.name}({missing[0]}=…)")
        if read.components and len(read.components) != len(entry.combines) and not entry.any_number:
            takes = f"takes {len(entry.combines)} metrics" if entry.combines else "takes no other metrics"
            raise ValueError(f"{entry.name} {takes}, not {len(read.components)}")
        if "relevance_rule" in self.written:
            if self.threshold is not None and "threshold" in self.given:
                raise ValueError(f"{entry.name} has a threshold and a relevance_rule: give only one")
            self.axes["threshold"] = "ignored"
        if not entry.cut and isinstance(read.k, int):
            raise ValueError(f"{entry.name} uses the whole list and takes no cut-off: write '{entry.name}'")

    def shared(self) -> dict[str, Scalar]:
        """Return the parameters that the metrics which this one combines take over."""
        return {key: value for key, value in self.given.items() if key == "threshold" or key in PROTOCOL or key.startswith(ROWS)}

    def in_order(self) -> tuple[tuple[str, Scalar], ...]:
        """Return the given parameters in the order in which the name of a measure has them."""
        entry = self.entry
        rows = (key for key in self.given if key.startswith(ROWS))
        order = (*entry.axes, *entry.numbers, *entry.texts, "threshold", GAINS, *PROTOCOL, "convention", *rows)
        return tuple((key, self.given[key]) for key in dict.fromkeys(order) if key in self.given)


def _fitting(entry: Metric, params: Mapping[str, Scalar], weight: str) -> str:
    """Return the column of weights of the config, or an empty text if other parameters of a metric do not fit weights."""
    try:
        entry.validate({**params, weight: ""}, None)
        entry.validate(params, None)
    except ValueError:
        return ""
    return str(params[weight])


def _parts(
    read: MetricSpec, entry: Metric, shared: Mapping[str, Scalar], define: Callable[[MetricSpec], Definition], convention: Convention
) -> tuple[Definition, ...]:
    """Return the metrics that `read` combines, at its cut-off if they take one, with the protocol settings of `read`."""
    definitions = []
    parts = read.components or tuple(parse(name) for name in entry.combines)
    for part in parts:
        alone = [key for key, _ in part.params if key in PROTOCOL and AXES[key].part in ("users", "value")]
        if alone:
            raise ValueError(f"{alone[0]} cannot be set only for {part.name} in {entry.name}: write {entry.name}({alone[0]}=…)")
        params = {**{key: value for key, value in shared.items() if key != "average"}, **dict(part.params)}
        component = find(convention.read(part).name, part.params)
        if component.per_model:
            problem = f"{component.name} is one value per model, not per user: {entry.name} cannot combine it"
            raise ValueError(f"{problem}; {_instead(read, entry, parts, convention)}")
        at = read.k if component.cut else UNSET
        definitions.append(define(MetricSpec(part.name, part.components, tuple(params.items()), at)))
    return tuple(definitions)


def _instead(read: MetricSpec, entry: Metric, parts: tuple[MetricSpec, ...], convention: Convention) -> str:
    """Return the hint for a metric that cannot combine values of the whole model: arithmetic with the same measures."""
    cut = read.k if isinstance(read.k, int) else 10
    names = [str(part.at(cut) if find(convention.read(part).name).cut else part.at(UNSET)) for part in parts]
    if len(names) == 1:
        return f"use {names[0]} alone"
    if entry.name == "F1":
        written = dict(read.params)
        return (
            f"of=means combines the two values; this is {f_text(names, float(written.get('beta', 1)), str(written.get('weight', WEIGHT)))}"
        )
    return f"arithmetic can, as in ({' + '.join(names)})/{len(names)}"


def _without(spec: MetricSpec, shared: Mapping[str, Scalar]) -> MetricSpec:
    return MetricSpec(spec.name, spec.components, tuple(pair for pair in spec.params if pair[0] not in shared), spec.k)


def _threshold(value: Scalar) -> float | None:
    if value in _MEANS:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"threshold must be a number, {' or '.join(_MEANS)}, not {value!r}")
    if not math.isfinite(value):
        raise ValueError("threshold must be a finite number")
    return float(value)


def _effective(entry: Metric, axis: str, value: Scalar) -> Scalar:
    """Return the effective value of an axis for a metric: `average=own` becomes the metric's own average."""
    return entry.average if axis == "average" and value == "own" else value


def _axis(entry: Metric, key: str) -> str:
    if key in entry.axes:
        return entry.axes[key]
    if key in PROTOCOL:
        return key
    combined = ("metric_name_1", "metric_name_2") if entry.combines else ()
    allowed = (
        *entry.axes,
        *entry.numbers,
        *entry.texts,
        "threshold",
        "convention",
        *PROTOCOL,
        *combined,
        *(CUTOFF_KEYS if entry.cut else ()),
    )
    own = (*entry.axes, *entry.numbers, *entry.texts)
    if formed := [other.name for other in METRICS.values() if key in other.forms]:
        raise ValueError(f"{entry.name} takes no {key}, which {' and '.join(formed)} do")
    otherwise = f"; its own are {', '.join(own)}" if own else "; it has none of its own"
    raise ValueError(f"{entry.name} has no parameter '{key}'{did_you_mean(key, allowed, otherwise, before=' — ')}")
