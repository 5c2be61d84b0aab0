"""The settings that a value depends on: those that no table of a metric reads, or that its average ignores, are not worth a word."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from ..conventions import AXES, PROTOCOL
from ..names.measure_strings import Scalar
from ..tables.graph import TABLES, closure
from .registry import Metric, at

OF_POOLED: Final = "the metrics that it combines are pooled over all users, and the value is computed once from theirs"
"""The meaning of `average` = `micro` for a metric of metrics."""
_RELEVANCE: Final = frozenset({"relevance_rule", "threshold", "grades", "truth_filter"})
"""The axes that decide what is relevant; `truth_duplicates` also decides which rating of a pair counts."""
_ABSENT: Final = frozenset({"missing_lists", "no_relevant", "empty_truth", "no_truth"})
"""The axes for test users without a list or a relevant item, which only the population `test` reads."""


def reads_relevance(metrics: Iterable[tuple[Metric, Mapping[str, Scalar]]]) -> bool:
    """Return whether a value depends on which test items are relevant; `metrics` are the metric and those that it combines."""
    return "truth_table" in closure([name for metric, params in metrics for name in at(params, metric.uses)])


def axes_read(
    metrics: Iterable[tuple[Metric, Mapping[str, Scalar]]], axes: Mapping[str, Scalar], population: str, average: str
) -> frozenset[str]:
    """Return the axes that a value depends on; `metrics` are the metric with its parameters, then those that it combines."""
    metrics = list(metrics)
    reached = closure([name for metric, params in metrics for name in at(params, metric.uses)])
    varies = {choice for name in reached if name in TABLES for choice in TABLES[name].varies}
    counts_relevant = population == "test" and axes.get("no_relevant") == "drop"
    unread = set(() if "truth_table" in reached or counts_relevant else _RELEVANCE)
    unread |= set() if "truth" in varies or counts_relevant else {"truth_duplicates"}
    unread |= set() if population == "test" else _ABSENT
    unread |= {"f_of"} if average == "micro" else set()
    lists = {"lists", "positions"} & varies
    unread |= set() if lists else {axis for axis in PROTOCOL if AXES[axis].part == "lists"}
    return frozenset({*PROTOCOL, *metrics[0][0].axes.values()} - unread)


def meaning_of_value(axis: str, value: Scalar, combines: bool) -> str:
    """Return the meaning of a value of an axis for a metric, which `combines` others or does not; empty for a number."""
    return OF_POOLED if combines and (axis, value) == ("average", "micro") else AXES[axis].meanings.get(str(value), "")
