"""A config → its result."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass

import narwhals as nw
import numpy as np
import polars as pl

from .. import load, provenance
from ..config import Composite, Loaded
from ..inputs import Inputs, described, look_at_everything
from ..measure.finishing import chosen, finish
from ..measure.measuring import Task
from ..metrics.definition import Definition
from ..parts import Scratch, SideTable
from ..result import Result, Row
from ..tables.ids import Ids
from ..tables.prepared import Prepared
from .passes import pass_over
from .sources import SourceReader


def _silent(model: str, done: int, total: int) -> None:
    pass


@dataclass(frozen=True)
class Plan:
    """The measures of a run, the aggregates that the config asks for, and arithmetic of measures.

    Measures that only `composites` are made of are computed and not shown.
    """

    shown: tuple[Definition, ...]
    aggregates: tuple[str, ...] = ()
    composites: tuple[Composite, ...] = ()

    @property
    def definitions(self) -> tuple[Definition, ...]:
        """The measures to compute, those that are shown first."""
        return tuple(dict.fromkeys((*self.shown, *(part for composite in self.composites for part in composite.definitions))))

    @property
    def all(self) -> tuple[Definition, ...]:
        """Every definition, also those that another combines."""
        return tuple(dict.fromkeys(inner for definition in self.definitions for inner in definition.all))

    @property
    def pooled(self) -> frozenset[int]:
        """The measures that are pooled over users."""
        own = {part for composite in self.composites for part in composite.definitions if part.average == "micro"}
        definitions = self.definitions
        return frozenset(index for index, one in enumerate(definitions) if "micro" in chosen(one, self.aggregates) or one in own)


def run(loaded: Loaded, keep_users: bool = True) -> Result:
    """Evaluate the models of a config."""
    evaluation = loaded.config.evaluation
    plan = Plan(tuple(evaluation.definitions), tuple(evaluation.aggregates), tuple(evaluation.composites))
    with ExitStack() as stack:
        inputs = look_at_everything(loaded, frozenset(), stack)
        fingerprints = stack.enter_context(load.Fingerprints(path for source in inputs.all() for path in source.paths))
        scratch = stack.enter_context(Scratch())
        kinds = load.common_kinds(inputs.all())
        while True:
            try:
                return _evaluated(loaded, plan, inputs.with_kinds(kinds), fingerprints, scratch, keep_users)
            except load.IdsAreText as found:
                kinds = load.as_text(kinds, found.columns)


def _evaluated(loaded: Loaded, plan: Plan, inputs: Inputs, fingerprints: load.Fingerprints, scratch: Scratch, keep_users: bool) -> Result:
    reader = SourceReader(loaded.folder, loaded.config.evaluation.policy.missing_values == "drop")
    test = reader.frame(inputs.test)
    empty = np.empty(0, dtype=np.int64)
    prepared = Prepared(Ids(test["item"].head(0)), empty, empty, empty, empty.astype(bool), empty.astype(bool))
    sides = {"test": SideTable(test)}
    task = Task(prepared, plan.definitions, plan.aggregates, plan.pooled, keep_users)
    rows: list[Row] = []
    per_user = {}
    for name, source in inputs.models.items():
        partial = pass_over(source, task, sides, reader, last=("test",), memory=None, scratch=scratch, progress=lambda n: None)
        finished = finish(task, partial, name, n_train_users=None, schemas={}, predicted=frozenset())
        rows += [row for of_one in finished.rows[: len(plan.shown)] for row in of_one]
        if finished.user_values is None:
            continue
        names = [one.label for one in plan.shown if not one.metric.system]
        columns = {one.label: f"v{index}" for index, one in enumerate(plan.definitions)}
        per_user[name] = nw.from_native(
            finished.user_values.select("user", "n_relevant", "n_recommended", *(pl.col(columns[n]).alias(n) for n in names)),
            eager_only=True,
        )
    return Result(
        rows=tuple(rows),
        counts={},
        higher_is_better={row.label: row.higher_is_better for row in rows},
        per_user=per_user,
        inputs=described(inputs, reader.n_rows, fingerprints, loaded.folder),
        config=loaded.resolved(),
        remarks=(),
        versions=provenance.versions("polars"),
    )
