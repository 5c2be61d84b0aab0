"""`Demands`: the rules on a result, independent of files and the command line; and the bases that models are compared with."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from msgspec import Struct, field

from ..comparison.comparison_options import ComparisonOptions
from ..comparison.pairing import Side
from ..config.judgement import Compare, GateRule, Gates, Inconclusive, MissingPolicy
from ..results.gates import Consequence
from ..results.result import InputFile, Result
from ..results.row import shortened
from ..stats.difference import Failing, Settings
from ..support.errors import ConfigError, DataError, worded


class Baseline(Struct, frozen=True, eq=False):
    """The base of comparisons: the `result` of another run, or, without `result`, a model of the same run.

    `model` is the model of that result with which all are compared; if `None`, each is compared with the one of its name. `missing` is the
    reason why there is no base, else empty.
    """

    name: str
    result: Result | None = None
    model: str | None = None
    missing: str = ""
    if_missing: MissingPolicy = "error"
    is_anchor: bool = False

    @property
    def key(self) -> str:
        """The config key of its path."""
        return "gates.anchor" if self.is_anchor else "gates.baseline"

    @property
    def noun(self) -> str:
        """Its name in sentences."""
        return "anchor" if self.is_anchor else "baseline"


class Bases(Struct, frozen=True, eq=False):
    """The baseline, updated at each release, and anchors, updated less often: by the path in a rule, `""` for that of all rules."""

    baseline: Baseline | None = None
    anchors: Mapping[str, Baseline] = field(default_factory=dict)

    def anchor_of(self, rule: GateRule) -> Baseline | None:
        """Return the anchor that a rule must also hold against; `None` if there is none."""
        if not rule.compares or rule.against is not None or rule.anchor is False:
            return None
        return self.anchors.get(rule.anchor or "")


class Demands(Struct, frozen=True, eq=False):
    """Rules, their bases, the models to judge (default: all but reference lists and bases), and the options of comparisons.

    `fail` says when a margin fails, unless its rule does. With `strict` a gate that would only warn fails the run. `notes` are added to
    those of every margin.
    """

    rules: tuple[GateRule, ...]
    bases: Bases = field(default_factory=Bases)
    models: tuple[str, ...] = ()
    inconclusive: Inconclusive = "warn"
    options: ComparisonOptions = field(default_factory=ComparisonOptions)
    strict: bool = False
    fail: Failing = "shown_worse"
    notes: tuple[str, ...] = ()

    @classmethod
    def from_config(cls, gates: Gates, compare: Compare, bases: Bases, *, strict: bool = False, notes: tuple[str, ...] = ()) -> Demands:
        """Return the demands of a config; the keys `users` and `cluster` of its section `compare` apply too."""
        by = tuple(group.name for group in gates.splits())
        settings = Settings(alpha=gates.alpha)
        options = ComparisonOptions(settings=settings, by=by, cluster=compare.cluster, common=compare.users == "common")
        rules = tuple(dict.fromkeys(gates.rules))  # a repeated rule says nothing more, and would be corrected for itself
        return cls(rules, bases, gates.models, gates.inconclusive, options, strict, gates.fail, notes)


def consequence_of_missing(policy: MissingPolicy) -> Consequence:
    """Return the consequence for the run if a baseline is missing."""
    return "none" if policy == "pass" else "warn" if policy == "warn" else "fail"


OF_EARLIER_VERSION: Final = (
    "These results are of an earlier version, whose margins fail only if the true loss is shown to be beyond the limit "
    "(gates.fail: shown_beyond); with shown_worse they are judged as those of new configs."
)
USUAL_BASELINE: Final = "results/main"
"""The folder of the baseline of results whose config does not name one."""


def how_to_set(path: str | os.PathLike[str], key: str) -> str:
    """Return the hint for a missing baseline or anchor, whose config key is `key`."""
    to = "" if Path(path) == Path(USUAL_BASELINE) else f" --to {shlex.quote(os.fspath(path))}"
    create = worded(
        f"create it with receval baseline set DIR{to}; the first time use --if-missing pass, or", argument="create it with result.save, or"
    )
    return f"{create} set {key}.if_missing to warn or pass"


class NoBase(Struct, frozen=True):
    """The reason why there is no model to compare with, and a hint."""

    reason: str
    hint: str = ""


def base_of(rule: GateRule, model: str, result: Result, baseline: Baseline | None) -> Side | NoBase:
    """Return the base model of a rule for a model; raise `ConfigError` if the rule names an unknown one, or nothing names one.

    Raises `DataError` if the baseline is missing, with `if_missing: error`.
    """
    if rule.against is not None:
        _refuse_unknown((rule.against,), result, f"rule '{rule}'")
        return Side(rule.against, result, rule.against)
    if baseline is None:
        give = worded("give --baseline DIR, gates.baseline, or against in the rule", argument="give baseline, or against in the rule")
        raise ConfigError(f"rule '{rule}': there is nothing to compare with", give)
    return side_of(baseline, model, result)


def side_of(baseline: Baseline, model: str, result: Result) -> Side | NoBase:
    """Return the model of a baseline or an anchor; raise `DataError` if it is missing, with `if_missing: error`."""
    base = NoBase(baseline.missing) if baseline.missing else _side(baseline, model, result)
    if isinstance(base, NoBase) and baseline.if_missing == "error":
        raise DataError(base.reason, base.hint or how_to_set(baseline.name, baseline.key))
    return base


def judged_models(rule: GateRule, demands: Demands, result: Result) -> tuple[str, ...]:
    """Return the models that a rule judges, in the order of the result."""
    wanted = rule.models or demands.models
    if wanted:
        _refuse_unknown(wanted, result, f"rule '{rule}'")
        return tuple(model for model in result.models if model in wanted)
    bases = {other.against for other in demands.rules}
    every = (demands.bases.baseline, *demands.bases.anchors.values())
    bases |= {base.name for base in every if base is not None and base.result is None}
    left = tuple(model for model in result.models if model not in result.yardsticks and model not in bases)
    own = {base.model for base in every if base is not None and _has_same_lists(base, result)}
    return tuple(model for model in left if model not in own) or left


def _has_same_lists(baseline: Baseline, result: Result) -> bool:
    """Return whether a result also has the named model of a baseline, of the same files."""
    if baseline.result is None or baseline.model is None:
        return False
    role = f"data.recommendations.{baseline.model}"
    ours, theirs = ([file for source in side.inputs if source.role == role for file in source.files] for side in (baseline.result, result))
    return bool(ours) and len(ours) == len(theirs) and all(map(InputFile.may_equal, ours, theirs))


def _side(baseline: Baseline, model: str, result: Result) -> Side | NoBase:
    """Return the model of the baseline: the one of the same name, or the one that the config names."""
    if baseline.result is None:
        if baseline.name in result.models:
            return Side(baseline.name, result, baseline.name)
        return NoBase(f"there is no {baseline.noun} {baseline.name}: neither a folder nor a model has this name")
    partner = baseline.model or model
    own = [name for name in baseline.result.models if name not in baseline.result.yardsticks]
    if partner not in baseline.result.models:
        hint = f"choose the model to compare with by {baseline.key}.model, or the models to judge by gates.models" if own else ""
        return NoBase(f"the {baseline.noun} {baseline.name} has no model {partner}: it has {shortened(own)}", hint)
    return Side(baseline.name if len(own) == 1 else f"{baseline.name}/{partner}", baseline.result, partner)


def _refuse_unknown(names: Iterable[str], result: Result, where: str) -> None:
    for name in names:
        if name not in result.models:
            known = f"there {'is' if len(result.models) == 1 else 'are'} {shortened(result.models)}"
            raise ConfigError(f"{where}: there is no model named {name}", known)
