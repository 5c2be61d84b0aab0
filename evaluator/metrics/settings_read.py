"""The settings that a value depends on: those that no table of a metric reads, or that its average ignores, are not worth a word."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Final

from ..conventions import AXES, PROTOCOL
from ..syntax.measure_strings import Scalar
from ..tables.graph import TABLES, closure
from .registry import Metric, at

OF_POOLED: Final = "the metrics that it combines are pooled over all users, and the value is computed once from theirs"
"""The meaning of `average` = `micro` for a metric of metrics."""
_RELEVANCE: Final = frozenset({"relevance_rule", "threshold", "grades"})
"""The axes that decide what is relevant."""
_OF_TRUTH: Final = frozenset({"truth_duplicates", "truth_filter"})
"""The axes that decide which test rows there are; a metric may read these without what is relevant."""
_ABSENT: Final = frozenset({"missing_lists", "no_relevant", "empty_truth", "no_truth"})
"""The axes for test users without a list or a relevant item, which only the population `test` reads."""


_OVER_USERS: Final = frozenset({"average", "divisor", "no_hits", "float_type"})
"""The axes for the values of single users, which a value of the whole model does not have."""
_GAINS: Final = ("ndcg_gain", "rbp_gain")
_GRADED: Final = frozenset({
    "BPM", "Compatibility", "ERR", "G", "INSQ", "INST", "MeanRank", "NCRR", "NDCGRel", "NERR8", "NERR9", "NERR10", "NERR11",
    "PercentileRank", "PositionWeightedAverage", "Rndcg", "SDCG",
})  # fmt: skip
"""The metrics whose formula has the grades of items without an axis for their gain."""
_ONLY_WITH: Final = {"ndcg_gain": ("novelty_relevance", "gain"), "softmax_over": ("policy_activation", "softmax")}
"""Axis that is read only with a value of another axis, by metrics that have this."""


def _reached(metrics: Iterable[tuple[Metric, Mapping[str, Scalar]]]) -> tuple[Collection[str], set[str]]:
    """Return the tables that metrics read, directly or not, and the settings that these vary with."""
    reached = closure(tuple(name for metric, params in metrics for name in at(params, metric.uses)))
    return reached, {choice for name in reached if name in TABLES for choice in TABLES[name].varies}


def axes_read(
    metrics: Iterable[tuple[Metric, Mapping[str, Scalar]]], axes: Mapping[str, Scalar], population: str, average: str
) -> frozenset[str]:
    """Return the axes that a value depends on; `metrics` are the metric with its parameters, then those that it combines."""
    metrics = list(metrics)
    reached, varies = _reached(metrics)
    counts_relevant = population == "test" and axes.get("no_relevant") == "drop"
    unread = set(() if "truth_table" in reached or counts_relevant else _RELEVANCE)
    unread |= set() if "truth" in varies or counts_relevant else _OF_TRUTH
    unread |= set() if population == "test" else {axis for axis in _ABSENT if axes.get(axis) != "undefined"}
    unread |= {"f_of"} if average == "micro" else set()
    lists = {"lists", "positions"} & varies
    unread |= set() if lists else {axis for axis in PROTOCOL if AXES[axis].part == "lists"}
    return frozenset({*PROTOCOL, *metrics[0][0].axes.values()} - unread)


def meaning_of_value(axis: str, value: Scalar, combines: bool) -> str:
    """Return the meaning of a value of an axis for a metric, which `combines` others or does not; empty for a number."""
    return OF_POOLED if combines and (axis, value) == ("average", "micro") else AXES[axis].meanings.get(str(value), "")


def axes_in_effect(
    metrics: Iterable[tuple[Metric, Mapping[str, Scalar]]], axes: Mapping[str, Scalar], population: str, average: str
) -> frozenset[str]:
    """Return the axes that can change a value; `axes_read` also has those that are common to all metrics and that this one cannot show."""
    metrics = list(metrics)
    metric = metrics[0][0]
    read = axes_read(metrics, axes, population, average)
    unread = set(_OVER_USERS if metric.per_model else ())
    looks_at_hits = "hits" in _reached(metrics)[0]
    needs_hits = not metric.per_model and axes.get("no_hits", "zero") != "zero"
    unread |= set() if looks_at_hits or needs_hits else {"hit_scores"}
    unread |= set() if axes.get("tie_order") in ("worst", "best") or any(map(_reads_grades, metrics)) else {"grades"}
    return read - unread - {axis for axis in _ONLY_WITH if _is_idle(axis, axes)}


def _reads_grades(one: tuple[Metric, Mapping[str, Scalar]]) -> bool:
    """Return whether a metric reads the grades of relevant items: by a gain, or always; one that is not ours may."""
    metric, params = one
    values = {axis: params[name] for name, axis in metric.axes.items()}
    gains = [value for axis, value in values.items() if axis in _GAINS and not _is_idle(axis, values)]
    return metric.name in _GRADED or metric.origin != "receval" or any(gain != "binary" for gain in gains)


def _is_idle(axis: str, values: Mapping[str, Scalar]) -> bool:
    """Return whether an axis is read only with a value of another axis, which has another value."""
    other, needed = _ONLY_WITH.get(axis, ("", ""))
    return other in values and values[other] != needed


def reads_test(metrics: Iterable[tuple[Metric, Mapping[str, Scalar]]], population: str) -> bool:
    """Return whether a value depends on the test set, by its relevant items, its rows or its users."""
    return "truth" in _reached(metrics)[1] or population in ("test", "tested", "tested_lists")
