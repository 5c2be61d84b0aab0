"""The model that another is compared with."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from ..comparison.sides import Side
from ..config.gate_rules import GateRule
from ..errors import ConfigError, DataError
from ..results.result import Result
from ..results.wording import shortened
from .demands import Baseline, Demands


class NoBase(Struct, frozen=True):
    """Why there is no model to compare with."""

    reason: str


def base_of(rule: GateRule, model: str, result: Result, baseline: Baseline | None) -> Side | NoBase:
    """The model that a rule compares another with; `ConfigError` if the rule names one that there is not, or nothing does.

    `DataError` if there is no baseline, and this is an error.
    """
    if rule.against is not None:
        _refuse_unknown((rule.against,), result, f"rule '{rule}'")
        return Side(rule.against, result, rule.against)
    if baseline is None:
        raise ConfigError(f"rule '{rule}': there is nothing to compare with", "give --baseline DIR, gates.baseline, or against in the rule")
    base = NoBase(baseline.missing) if baseline.missing else _side(baseline, model, result)
    if isinstance(base, NoBase) and baseline.if_missing == "error":
        raise DataError(base.reason, "make one with receval baseline set DIR, or say what its absence means: gates.baseline.if_missing")
    return base


def judged_models(rule: GateRule, demands: Demands, result: Result) -> tuple[str, ...]:
    """The models that a rule judges, in the order of the result."""
    wanted = rule.models or demands.models
    if wanted:
        _refuse_unknown(wanted, result, f"rule '{rule}'")
        return tuple(model for model in result.models if model in wanted)
    bases = {one.against for one in demands.rules}
    if demands.baseline is not None and demands.baseline.result is None:
        bases.add(demands.baseline.name)
    return tuple(model for model in result.models if model not in result.yardsticks and model not in bases)


def _side(baseline: Baseline, model: str, result: Result) -> Side | NoBase:
    """The model of the baseline: the one of the same name, or the only one beside the only one."""
    if baseline.result is None:
        if baseline.name in result.models:
            return Side(baseline.name, result, baseline.name)
        return NoBase(f"there is no baseline {baseline.name}: no folder and no model is called so")
    others, own = (_own_models(one) for one in (baseline.result, result))
    partner = model if model in baseline.result.models else others[0] if len(others) == len(own) == 1 else None
    if partner is None:
        return NoBase(f"the baseline {baseline.name} has no model {model}: it has {shortened(others)}")
    return Side(baseline.name if len(others) == 1 else f"{baseline.name}/{partner}", baseline.result, partner)


def _own_models(result: Result) -> list[str]:
    return [model for model in result.models if model not in result.yardsticks]


def _refuse_unknown(names: Iterable[str], result: Result, where: str) -> None:
    for name in names:
        if name not in result.models:
            raise ConfigError(f"{where}: no model is called {name}", f"there are {shortened(result.models)}")
