"""The model that another is compared with."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from ..comparison.sides import Side
from ..config.judgement import GateRule
from ..errors import ConfigError, DataError
from ..results.result import Result
from ..results.row import shortened
from .demands import Baseline, Demands

SET_ONE = "make one with receval baseline set DIR, or say what to do without it: {key}.if_missing"


class NoBase(Struct, frozen=True):
    """Why there is no model to compare with, and what to do."""

    reason: str
    hint: str = ""


def base_of(rule: GateRule, model: str, result: Result, baseline: Baseline | None) -> Side | NoBase:
    """The model that a rule compares another with; `ConfigError` if the rule names one that there is not, or nothing does.

    `DataError` if there is no baseline, and this is an error.
    """
    if rule.against is not None:
        _refuse_unknown((rule.against,), result, f"rule '{rule}'")
        return Side(rule.against, result, rule.against)
    if baseline is None:
        raise ConfigError(f"rule '{rule}': there is nothing to compare with", "give --baseline DIR, gates.baseline, or against in the rule")
    return side_of(baseline, model, result)


def side_of(baseline: Baseline, model: str, result: Result) -> Side | NoBase:
    """The model of a baseline or an anchor; `DataError` if there is none, and this is an error."""
    base = NoBase(baseline.missing) if baseline.missing else _side(baseline, model, result)
    if isinstance(base, NoBase) and baseline.if_missing == "error":
        raise DataError(base.reason, base.hint or SET_ONE.format(key=baseline.key))
    return base


def judged_models(rule: GateRule, demands: Demands, result: Result) -> tuple[str, ...]:
    """The models that a rule judges, in the order of the result."""
    wanted = rule.models or demands.models
    if wanted:
        _refuse_unknown(wanted, result, f"rule '{rule}'")
        return tuple(model for model in result.models if model in wanted)
    bases = {one.against for one in demands.rules}
    every = (demands.bases.baseline, *demands.bases.anchors.values())
    bases |= {one.name for one in every if one is not None and one.result is None}
    return tuple(model for model in result.models if model not in result.yardsticks and model not in bases)


def _side(baseline: Baseline, model: str, result: Result) -> Side | NoBase:
    """The model of the baseline: the one of the same name, or the one that the config names."""
    if baseline.result is None:
        if baseline.name in result.models:
            return Side(baseline.name, result, baseline.name)
        return NoBase(f"there is no {baseline.noun} {baseline.name}: no folder and no model has this name")
    partner = baseline.model or model
    own = [one for one in baseline.result.models if one not in baseline.result.yardsticks]
    if partner not in baseline.result.models:
        hint = f"name the model to compare with: {baseline.key}.model, one of {shortened(own)}" if own else ""
        return NoBase(f"the {baseline.noun} {baseline.name} has no model {partner}: it has {shortened(own)}", hint)
    return Side(baseline.name if len(own) == 1 else f"{baseline.name}/{partner}", baseline.result, partner)


def _refuse_unknown(names: Iterable[str], result: Result, where: str) -> None:
    for name in names:
        if name not in result.models:
            raise ConfigError(f"{where}: no model is called {name}", f"there are {shortened(result.models)}")
