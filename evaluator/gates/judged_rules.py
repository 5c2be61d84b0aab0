"""Expand a rule into cases: one for each model, measure and group."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import inf

from msgspec import Struct

from ..comparison.comparison_options import named, rows_of
from ..config.contradictions import MeasureFacts, rule_problem
from ..config.judgement import GateRule
from ..metrics.registry import bounds_of
from ..results.result import Result, Row
from ..support.errors import ConfigError


class RuleCase(Struct, frozen=True, eq=False):
    """One rule for one measure of one model, over all users or over a group: `row` has its value."""

    rule: GateRule
    model: str
    row: Row

    @property
    def label(self) -> str:
        """The measure."""
        return self.row.label


def cases_of(rule: GateRule, result: Result, model: str) -> Iterator[RuleCase]:
    """Yield the cases of a rule for a model; raise `ConfigError` for a measure or groups that the result does not have."""
    rows = rows_of(result, model)
    if not rule.measure:
        yield RuleCase(rule, model, rows[_first_of_users(rule, rows, result)])
        return
    for label in named(rule.measure, tuple(rows), f"rule '{rule}'", result.definitions):
        problem = rule_problem(rule, label, _facts(rows[label], result))
        if problem:
            raise ConfigError(f"rule '{rule}': {problem}")
        if not rule.by or rule.slices is not None:
            yield RuleCase(rule, model, rows[label])
        for by in rule.by if rule.slices is None else ():
            yield from (RuleCase(rule, model, row) for row in _groups(rule, by.name, label, result, model))


def _first_of_users(rule: GateRule, rows: Mapping[str, Row], result: Result) -> str:
    """Return the first measure that is a mean of per-user values and has a better direction."""
    found = (label for label, row in rows.items() if row.aggregate == "mean" and rule_problem(rule, label, _facts(row, result)) is None)
    first = next(found, None)
    if first is None:
        raise ConfigError(
            f"rule '{rule}': no measure of the results has slices", "name one in the rule: 'nDCG@10 slices: none worse than 5%'"
        )
    return first


def _groups(rule: GateRule, by: str, label: str, result: Result, model: str) -> list[Row]:
    """Return the rows of a measure within each group."""
    found = [row for row in result.by_group if (row.model, row.label, row.by) == (model, label, by)]
    if not found:
        known = ", ".join(dict.fromkeys(row.by for row in result.by_group if row.by is not None))
        hint = f"there are values by {known}" if known else "evaluate again with evaluation.by, or with the rule in the config"
        raise ConfigError(f"rule '{rule}': the results have no values of {label} by {by}", hint)
    return found


def _facts(row: Row, result: Result) -> MeasureFacts:
    definition = result.definitions[row.metric]
    least, largest = bounds_of(row.metric)
    if row.aggregate == "sum":
        least, largest = min(least, 0.0), inf
    return MeasureFacts(row.higher_is_better, not definition.of_models, least, largest)
