"""`Demands`: what is asked of a result, free of files and of the command line; and the model that another is compared with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct, field

from ..comparison.pairing import Side
from ..comparison.questions import Questions
from ..config.judgement import Compare, GateRule, Gates, Inconclusive, MissingPolicy
from ..errors import ConfigError, DataError
from ..results.gates import Consequence
from ..results.result import Result
from ..results.row import shortened
from ..stats.difference import Settings


class Baseline(Struct, frozen=True, eq=False):
    """What models are compared with: the `result` of another run, or a model of the same one, if there is no `result`.

    `model` is the one of that result that all are compared with; if it is `None` each is compared with the one of its name. `missing` says
    why there is none, if there is none.
    """

    name: str
    result: Result | None = None
    model: str | None = None
    missing: str = ""
    if_missing: MissingPolicy = "error"
    is_anchor: bool = False

    @property
    def key(self) -> str:
        """What says where it is, in a config."""
        return "gates.anchor" if self.is_anchor else "gates.baseline"

    @property
    def noun(self) -> str:
        """What sentences call it."""
        return "anchor" if self.is_anchor else "baseline"


class Bases(Struct, frozen=True, eq=False):
    """The baseline, which moves from release to release, and anchors, which do not: by what a rule calls its own, `""` for that of all."""

    baseline: Baseline | None = None
    anchors: Mapping[str, Baseline] = field(default_factory=dict)

    def anchor_of(self, rule: GateRule) -> Baseline | None:
        """The anchor that a rule has to hold against as well; `None` if there is none."""
        if not rule.compares or rule.against is not None or rule.anchor is False:
            return None
        return self.anchors.get(rule.anchor or "")


class Demands(Struct, frozen=True, eq=False):
    """The rules, what models are compared with, those that are judged (if none is named all but yardsticks and bases), who is paired."""

    rules: tuple[GateRule, ...]
    bases: Bases = field(default_factory=Bases)
    models: tuple[str, ...] = ()
    inconclusive: Inconclusive = "warn"
    questions: Questions = field(default_factory=Questions)

    @classmethod
    def of(cls, gates: Gates, compare: Compare, bases: Bases) -> Demands:
        """The demands of a config; of its section `compare` those users who count, and who belong together, matter here too."""
        by = tuple(group.name for group in gates.splits())
        settings = Settings(alpha=gates.alpha)
        questions = Questions(settings=settings, by=by, cluster=compare.cluster, common=compare.users == "common")
        return cls(gates.rules, bases, gates.models, gates.inconclusive, questions)


def consequence_of_missing(policy: MissingPolicy) -> Consequence:
    """What follows for the run if there is nothing to compare with."""
    return "none" if policy == "pass" else "warn" if policy == "warn" else "fail"


SET_ONE = "create it with receval baseline set DIR; the first time use --if-missing pass, or set {key}.if_missing"


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
        return NoBase(f"there is no {baseline.noun} {baseline.name}: neither a folder nor a model has this name")
    partner = baseline.model or model
    own = [one for one in baseline.result.models if one not in baseline.result.yardsticks]
    if partner not in baseline.result.models:
        hint = f"choose the model to compare with by {baseline.key}.model, or the models to judge by gates.models" if own else ""
        return NoBase(f"the {baseline.noun} {baseline.name} has no model {partner}: it has {shortened(own)}", hint)
    return Side(baseline.name if len(own) == 1 else f"{baseline.name}/{partner}", baseline.result, partner)


def _refuse_unknown(names: Iterable[str], result: Result, where: str) -> None:
    for name in names:
        if name not in result.models:
            raise ConfigError(f"{where}: there is no model named {name}", f"there are {shortened(result.models)}")
