"""What is wrong with rules of gates: measures that there are not, or that cannot be judged so; told without looking at data."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from math import inf

from msgspec import Struct

from ..metrics import Definition
from ..names import yaml_text as text
from ..names.aggregate_names import is_spread
from ..results.labels import close_label, labels_named
from .gate_rules import GateRule
from .models import Config, Evaluation


class MeasureFacts(Struct, frozen=True):
    """What a rule has to know of a measure: which direction is better, whether users have values of it, and its least and largest value."""

    higher_is_better: bool | None
    has_users: bool
    least: float = -inf
    largest: float = inf


def rule_problem(rule: GateRule, label: str, facts: MeasureFacts) -> str | None:
    """Why a measure cannot be judged by a rule; `None` if it can."""
    if rule.compares and facts.higher_is_better is None:
        return f"neither more nor less of {label} is better, so there is no loss and no gain: use min or max"
    if rule.by and not facts.has_users:
        return f"{label} has no value per user, so there is none of a group"
    if rule.compares and not rule.margin.is_share and rule.margin.size >= facts.largest - facts.least:
        hint = f"; {rule.margin.size:g}% is a share of the baseline's value"
        return f"{label} is between {facts.least:g} and {facts.largest:g}: no {rule.kind} of {rule.margin} is possible{hint}"
    if rule.max_loss is not None and rule.margin.is_share and rule.margin.size >= 1 and facts.higher_is_better and facts.least >= 0:
        return f"max_loss of {rule.margin} can never fail: {label} is never below 0, so no loss is larger than 100% of the baseline's value"
    return None


def gate_problems(config: Config) -> Iterator[tuple[text.Path, str]]:
    """Every problem of the section `gates`, with its path."""
    gates, evaluation = config.gates, config.evaluation
    if not gates.rules:
        return
    facts = facts_of(evaluation)
    yield from ((("gates", "models", index), sentence) for index, sentence in _unknown(gates.models, config))
    for number, rule in enumerate(gates.rules):
        place: text.Path = ("gates", "rules", number)
        labels = labels_named(rule.measure, tuple(facts))
        if not labels and not _may_be_named_by_data(rule.measure, evaluation):
            yield place, f"no measure of the config is called {rule.measure[:80]!r}: {_hint(rule.measure, evaluation, tuple(facts))}"
        problems = (rule_problem(rule, label, facts[label]) for label in labels)
        yield from ((place, problem) for problem in problems if problem)
        yield from (((*place, "models", index), sentence) for index, sentence in _unknown(rule.models, config))
        if rule.against is not None:
            yield from (((*place, "against"), sentence) for _, sentence in _unknown((rule.against,), config))
        elif rule.compares and gates.baseline is None:
            yield place, f"{rule.kind} compares with a baseline: give gates.baseline, or against, a model of the config"


def facts_of(evaluation: Evaluation) -> dict[str, MeasureFacts]:
    """What is known of each measure before anything is read, by its label in results."""
    facts: dict[str, MeasureFacts] = {}
    for definition in evaluation.definitions:
        for aggregate in ("system",) if definition.metric.system else evaluation.aggregates or (definition.average,):
            if not is_spread(aggregate):
                facts[_label(definition, aggregate)] = _facts(definition, aggregate)
    return facts | {composite.formula.text: MeasureFacts(None, has_users=False) for composite in evaluation.composites}


def _label(definition: Definition, aggregate: str) -> str:
    return definition.label if aggregate in ("mean", "system") else f"{definition.label} ({aggregate})"


def _facts(definition: Definition, aggregate: str) -> MeasureFacts:
    least, largest = definition.metric.bounds
    if aggregate == "sum":
        least, largest = min(least, 0.0), inf
    return MeasureFacts(definition.higher_is_better, not definition.metric.system, least, largest)


def _may_be_named_by_data(measure: str, evaluation: Evaluation) -> bool:
    """Whether a measure may be one of several of a metric, which are named after what the files hold."""
    return any(one.several and measure.partition("(")[0] == one.metric.name for one in evaluation.definitions)


def _hint(measure: str, evaluation: Evaluation, labels: tuple[str, ...]) -> str:
    try:
        label = evaluation.define(measure).label
    except ValueError:
        label = ""
    if label in labels:
        return f"results call it {label}"
    return f"name it under evaluation.metrics, which has {', '.join(labels[:4])}" if label else close_label(measure, labels)


def _unknown(names: tuple[str, ...], config: Config) -> Iterator[tuple[int, str]]:
    """The names that no model of the config has; yardsticks are written in parentheses."""
    models = config.data.named_models
    if models is None:
        return  # the names of the models are those of the files, which are not looked for yet
    for index, name in enumerate(names):
        if name not in models and not name.startswith("("):
            close = difflib.get_close_matches(name, models, n=1)
            hint = f"did you mean '{close[0]}'?" if close else f"the models are {', '.join(models)}"
            yield index, f"no model is called '{name}': {hint}"
