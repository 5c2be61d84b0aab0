"""Gates, from Python: what `receval gate` does."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
from msgspec.structs import replace

from ..config.judgement import Inconclusive, MissingPolicy
from ..config.overrides import gates_of
from ..content.gates import document
from ..disk.reading_back import load as load_folder
from ..errors import ConfigError
from ..gates.demands import Baseline, Bases
from ..render.judgement_data import gate_cells
from ..render.screen import show
from ..render.terminal import PlainText
from ..results.gates import Gate, Verdicts
from ..results.result import Result
from ..session.judge import bases_of, gate_options, with_gates
from .sentences import told_of_arguments

RuleLike = str | Mapping[str, Any]
"""A rule: `"nDCG@10 max_loss 2%"`, or a mapping such as a config has."""
BaselineLike = Result | str | os.PathLike[str] | Mapping[str, Result]


class GateVerdicts(Verdicts, frozen=True):
    """What came of the rules: `passed`, and a `Gate` for each rule and model; printed it is the table of `receval gate`."""

    def __iter__(self) -> Iterator[Gate]:
        return iter(self.gates)

    def __len__(self) -> int:
        return len(self.gates)

    def to_polars(self) -> pl.DataFrame:
        """A row per gate."""
        return pl.DataFrame(self.to_dict()["gates"], infer_schema_length=None)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, as `--format json` has it."""
        return {"failed": self.failed(), "summary": self.summary(), **gate_cells(self.gates)}

    def __repr__(self) -> str:
        return f"{show(document(self.gates, summary=False), PlainText())}{self.summary()}"


def gate(
    result: Result | str | os.PathLike[str],
    rules: RuleLike | Sequence[RuleLike] = (),
    *,
    baseline: BaselineLike | None = None,
    baseline_model: str | None = None,
    anchor: BaselineLike | None = None,
    models: str | Sequence[str] = (),
    if_missing: MissingPolicy | None = None,
    inconclusive: Inconclusive | None = None,
    alpha: float | None = None,
    common: bool = False,
    cluster: str | None = None,
) -> GateVerdicts:
    """Say whether models may ship: judge `rules` about a result, an evaluation or the folder of one.

    A rule is written as `"Recall@20 >= 0.25"`, `"nDCG@10 max_loss 2%"` or `"nDCG@10 min_gain 0 against popular"`, or as a mapping; without
    any those of the config of the result are judged. `baseline` is another result, alone or as `{"main": result}`, the folder of one, or
    a model of this one; each model is compared with the one of its name, or with `baseline_model`. `anchor` is a baseline that is not
    renewed: margins must hold against it too. `if_missing` says what to do if such a folder is missing: `error`, `warn` or `pass`.
    `models` are those that are judged, all but yardsticks and baselines if none is named. `inconclusive` says what a rule does that is
    neither shown to hold nor to be violated, by one-sided bounds at 1 - `alpha`: `warn` or `fail`; what is not said here is as that config
    says. `common` judges the users that count on both sides; `cluster` names a column of groups that belong together. See docs/gates.md for
    the rest.

    `ConfigError` for rules that cannot be read or judged; `DataError` for results that cannot be compared.
    """
    judged = result if isinstance(result, Result) else load_folder(Path(result).expanduser())
    given = [rules] if isinstance(rules, str | Mapping) else list(rules)
    path, place = _path(baseline), _path(anchor)
    options = gate_options(given, path, baseline_model, place, if_missing, models=models, inconclusive=inconclusive, alpha=alpha)
    with told_of_arguments():
        gates, compare = gates_of(judged.config, options)
        if not gates.rules:
            raise ConfigError("there are no rules to judge", "give rules: ['nDCG@10 max_loss 2%']")
        if baseline is not None and path is None:
            gates = gates.model_copy(update={"baseline": None})
        bases = bases_of(gates, Path(), judged.models)
        if baseline is not None and path is None:
            bases = Bases(_base_of(baseline, baseline_model), bases.anchors)
        if anchor is not None and place is None:
            bases = Bases(bases.baseline, {**bases.anchors, "": replace(_base_of(anchor, None), is_anchor=True)})
        users = {"users": "common"} if common else {}
        compare = compare.model_copy(update={**users, **({"cluster": cluster} if cluster else {})})
        return GateVerdicts(with_gates(judged, gates, compare, bases).gates)


def _path(baseline: BaselineLike | None) -> str | None:
    """The path or name that a baseline is given by; `None` for one in memory."""
    return os.fspath(baseline) if isinstance(baseline, str | os.PathLike) else None


def _base_of(baseline: Any, model: str | None) -> Baseline:
    """A baseline in memory; `ConfigError` if it is none."""
    named = baseline if isinstance(baseline, Mapping) else {"baseline": baseline}
    ((name, result),) = named.items() if len(named) == 1 else ((None, None),)
    if not isinstance(name, str) or not isinstance(result, Result):
        raise ConfigError(f"baseline: {type(baseline).__qualname__}", "give a result, {'main': result}, a folder, or the name of a model")
    return Baseline(name, result, model)
