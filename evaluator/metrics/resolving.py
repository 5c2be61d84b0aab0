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
from ..names.measure_strings import CUTOFF_KEYS, UNSET, MetricSpec, Scalar, cutoff, parse, unquoted
from ..synonyms import did_you_mean
from .definition import GAINS, ROWS, Definition, read_gains
from .f_of_means import f_text
from .registry import Metric, check, find
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
    entry = find(read.name)
    check(chosen)
    axes, threshold = chosen.axes_of(entry.name) | dict(policy) | (_AS_DELIVERED if entry.as_delivered else {}), relevance.threshold
    usual_average = axes["average"]
    if weights and _effective(entry, "average", usual_average) == "mean":
        axes["average"] = "weighted"
    numbers = {key: number.default for key, number in entry.numbers.items()}
    texts: dict[str, str] = {key: text.default for key, text in entry.texts.items() if text.default is not None}
    texts |= {key: value_columns.get(text.key, "") for key, text in entry.texts.items() if text.key}
    weight = next((key for key, text in entry.texts.items() if text.shown), "")
    given: dict[str, Scalar] = {}
    cut = read.k
    for key, value in read.params:
        if key in CUTOFF_KEYS and key not in entry.numbers and entry.cut:
            if cut is not UNSET:
                raise ValueError(f"{entry.name} gives its cut-off twice")
            cut = cutoff(value)
            continue
        if key in entry.numbers:
            numbers[key] = entry.numbers[key].read(f"{key} of {entry.name}", value)
            if numbers[key] != entry.numbers[key].default:
                given[key] = numbers[key]
        elif key in entry.texts:
            usual, texts[key] = texts.get(key), "" if key == weight and value == "none" else str(value)
            if key == weight and usual and not texts[key]:
                given[key] = "none"
            elif not entry.texts[key].key or texts[key] != usual:
                given[key] = unquoted(texts[key])
        elif key.startswith(ROWS):
            if key in ("rows.timestamp", "rows.popularity"):
                raise ValueError(f"{key} has no groups of its own: write it with windows or a number of groups in evaluation.by")
            given[key] = unquoted(str(value))
        elif key == GAINS and "ndcg_gain" in entry.axes.values():
            given[key] = ",".join(f"{grade:.12g}={gain:.12g}" for grade, gain in read_gains(value))
        elif key == "threshold" and value not in AXES["threshold"].values:
            threshold = _threshold(value)
            axes |= {"threshold": "applies"} if threshold is not None else {"threshold": "ignored", "relevance_rule": value}
            given[key] = value
        else:
            axis = _axis(entry, key)
            checked = AXES[axis].read(value, key)
            if _effective(entry, axis, checked) != _effective(entry, axis, axes[axis]):
                given[key] = axes[axis] = checked
    if entry.per_model and dict(read.params).get("average", "own") != "own":
        raise ValueError(f"{entry.name} is one value per model, without per-user values: it takes no average{_of_users(entry)}")
    if axes["average"] == "weighted" and not (weights and _has_mean(entry, axes)):
        if not weights or dict(read.params).get("average") == "weighted":
            raise ValueError(_without_weights(entry, weights))
        axes["average"] = usual_average
    if weight and texts[weight] and weight not in dict(read.params):
        texts[weight] = _fitting(entry, {key: axes[axis] for key, axis in entry.axes.items()} | numbers | texts, weight)
    given |= {weight: unquoted(texts[weight])} if weight and texts[weight] else {}
    missing = [key for key in entry.texts if key not in texts]
    if missing:
        raise ValueError(f"{entry.name} needs {missing[0]}, {entry.texts[missing[0]].means}: write {entry.name}({missing[0]}=…)")
    if read.components and len(read.components) != len(entry.combines) and not entry.any_number:
        takes = f"takes {len(entry.combines)} metrics" if entry.combines else "takes no other metrics"
        raise ValueError(f"{entry.name} {takes}, not {len(read.components)}")
    if "relevance_rule" in dict(read.params):
        if threshold is not None and "threshold" in given:
            raise ValueError(f"{entry.name} has a threshold and a relevance_rule: give only one")
        axes["threshold"] = "ignored"
    if not entry.cut and isinstance(read.k, int):
        raise ValueError(f"{entry.name} uses the whole list and takes no cut-off: write '{entry.name}'")
    shared = {key: value for key, value in given.items() if key == "threshold" or key in PROTOCOL or key.startswith(ROWS)}
    of_parts = {key: column for key, column in value_columns.items() if key != KEY}
    components = _parts(replace(read, k=cut), entry, shared, lambda part: resolve(part, chosen, load, relevance, policy, of_parts), chosen)
    printed = tuple(_without(part.spec.at(UNSET), shared) for part in components)
    printed = () if tuple(part.title for part in printed) == entry.combines else printed
    if named is not None and chosen != convention:
        given["convention"] = str(named)
    rows = (key for key in given if key.startswith(ROWS))
    order = (*entry.axes, *entry.numbers, *entry.texts, "threshold", GAINS, *PROTOCOL, "convention", *rows)
    params = tuple((key, given[key]) for key in dict.fromkeys(order) if key in given)
    spec = MetricSpec(entry.name, printed, params, cut if entry.cut else None)
    own = not chosen.library or entry.name in chosen.metrics
    definition = Definition(
        spec, entry, chosen.name, axes, numbers, Relevance(threshold, relevance.graded), components, texts, own, weights
    )
    # Without a cut-off of its own a measure is resolved again at each cut-off of top_k: until then any cut-off will do.
    entry.validate(definition.params, 1 if entry.cut and cut is UNSET else definition.k)
    entry.validate_combined(definition.params, len(components))
    return definition


def _of_users(entry: Metric) -> str:
    """Return a hint for the metric that averages what `entry` computes over all users together."""
    return "; LabelGAUC averages over users" if entry.name == "LabelAUC" else ""


def _fitting(entry: Metric, params: Mapping[str, Scalar], weight: str) -> str:
    """Return the column of weights of the config, or an empty text if other parameters of a metric do not fit weights."""
    try:
        entry.validate({**params, weight: ""}, None)
        entry.validate(params, None)
    except ValueError:
        return ""
    return str(params[weight])


def _has_mean(entry: Metric, axes: Mapping[str, Scalar]) -> bool:
    """Return whether a metric has per-user values, which can be averaged over the users that count."""
    of_means = "f_of" in entry.axes.values() and axes["f_of"] == "means"
    return axes["divisor"] == "counted" and not entry.per_model and not of_means


def _without_weights(entry: Metric, weights: str) -> str:
    """Return why a measure has no weighted mean."""
    if not weights:
        return f"{entry.name}: average=weighted needs the weights of users: set evaluation.weights.users to users.COLUMN"
    return f"{entry.name} is not a mean of per-user values over the users that count: it takes no average=weighted"


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
        component = find(convention.read(part).name)
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
    otherwise = f"; its own are {', '.join(own)}" if own else "; it has none of its own"
    raise ValueError(f"{entry.name} has no parameter '{key}'{did_you_mean(key, allowed, otherwise, before=' — ')}")
