"""`Demands`: what is asked of a result, free of files and of the command line."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from ..comparison.questions import Questions
from ..config.judgement import Compare, GateRule, Gates, Inconclusive, MissingPolicy
from ..results.gates import Consequence
from ..results.result import Result
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
