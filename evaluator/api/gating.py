"""Gates, from Python: what `receval gate` does."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from ..config.gating import Severity
from ..config.stored_gates import gates_of
from ..errors import ConfigError
from ..evaluation.gating import baseline_of, with_gates
from ..gates.demands import Baseline
from ..output import gates as pages
from ..output.data import gate_cells
from ..output.reading_back import load as load_folder
from ..output.screen import PlainText
from ..results.gates import Gate, Verdicts
from ..results.result import Result
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
        return f"{pages.show(self.gates, PlainText())}{self.summary()}"


def gate(
    result: Result | str | os.PathLike[str],
    rules: RuleLike | Sequence[RuleLike] = (),
    *,
    baseline: BaselineLike | None = None,
    models: str | Sequence[str] = (),
    if_missing: Severity | None = None,
    unproven: Severity | None = None,
    alpha: float | None = None,
    common: bool = False,
    cluster: str | None = None,
) -> GateVerdicts:
    """Say whether models may ship: judge `rules` about a result, an evaluation or the folder of one.

    A rule is written as `"Recall@20 >= 0.25"`, `"nDCG@10 max_loss 2%"` or `"nDCG@10 min_gain 0 against popular"`, or as a mapping; without
    any those of the config of the result are judged. `baseline` is another result, alone or as `{"main": result}`, the folder of one, or a
    model of this one; `if_missing` says what it is that such a folder is not there: `error`, `warn` or `pass`. `models` are those that are
    judged, all but yardsticks and baselines if none is named. `unproven` says what a rule is that holds by the values but is not shown to,
    by one-sided bounds at 1 - `alpha`; what is not said here is as that config says. `common` judges the users who count on both sides;
    `cluster` names a column of groups that belong together. See docs/gates.md for the rest.

    `ConfigError` for rules that cannot be read or judged; `DataError` for results that cannot be compared.
    """
    judged = result if isinstance(result, Result) else load_folder(Path(result).expanduser())
    given = [rules] if isinstance(rules, str | Mapping) else list(rules)
    asked: dict[str, Any] = {"rules": given, "models": models, "unproven": unproven, "alpha": alpha}
    options = {name: value for name, value in asked.items() if value not in (None, (), [])}
    path = os.fspath(baseline) if isinstance(baseline, str | os.PathLike) else None
    if path is not None:
        options["baseline"] = {"path": path} | ({"if_missing": if_missing} if if_missing else {})
    with told_of_arguments():
        gates, compare = gates_of(judged.config, options)
        if not gates.rules:
            raise ConfigError("there is no rule to judge", "give some: ['nDCG@10 max_loss 2%']")
        base = baseline_of(gates, Path(), judged.models) if baseline is None or path is not None else _base_of(baseline)
        users = {"users": "common"} if common else {}
        compare = compare.model_copy(update={**users, **({"cluster": cluster} if cluster else {})})
        return GateVerdicts(with_gates(judged, gates, compare, base).gates)


def _base_of(baseline: Any) -> Baseline:
    """A baseline in memory; `ConfigError` if it is none."""
    named = baseline if isinstance(baseline, Mapping) else {"baseline": baseline}
    ((name, result),) = named.items() if len(named) == 1 else ((None, None),)
    if not isinstance(name, str) or not isinstance(result, Result):
        raise ConfigError(f"baseline: {type(baseline).__qualname__}", "give a result, {'main': result}, a folder, or the name of a model")
    return Baseline(name, result)
