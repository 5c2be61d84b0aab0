"""The files of a run: looked at, the side inputs read, and what is known before the lists are read."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import TypeVar

import polars as pl

from .. import load
from ..config import Loaded
from ..errors import DataError
from ..load.opening import opened
from ..parts import Scratch, SideTable
from ..tables.prepared import Prepared
from ..tables.times import TimeFacts
from .inputs import Inputs, look_at_everything
from .plan import Plan
from .side_needs import prepared_for, side_frames
from .sources import SourceReader

T = TypeVar("T")
_IN_PARTS = ("test", "train", "baseline")
"""The sources of which a part has the rows of its users."""


@dataclass(eq=False)
class Files:
    """The sources of a run, what they say before the lists are read, and the tables that come to the parts of their users.

    `last` are the roles whose users come in the last parts if they have no list.
    """

    inputs: Inputs
    reader: SourceReader
    prepared: Prepared
    sides: Mapping[str, SideTable]
    remarks: tuple[str, ...]
    fingerprints: load.Fingerprints
    scratch: Scratch
    last: Collection[str]
    _predictions: dict[str, SideTable] = field(default_factory=dict)

    def sides_of(self, model: str) -> dict[str, SideTable]:
        """The side tables of a model: those that all models share, and its predictions."""
        source = self.inputs.predictions.get(model)
        if source is None:
            return dict(self.sides)
        if source.role not in self._predictions:
            self._predictions[source.role] = SideTable(self.reader.frame(source))
        return {**self.sides, "predictions": self._predictions[source.role]}

    def schemas(self, model: str) -> dict[str, pl.Schema]:
        """The schemas of the frames of a part of a model; lists that are made have users, items and rows."""
        if model not in self.inputs.models:
            test = self.sides["test"].frame.schema
            made = pl.Schema({"user": test["user"], "item": test["item"], "row": pl.Int64()})
            return {"lists": made, **{role: side.frame.schema for role, side in self.sides.items()}}
        source = self.inputs.models[model]
        lists = opened(self.reader.as_read.get(source.role, source).scan).collect_schema()
        known = {name: kind for name, kind in lists.items() if not name.startswith("odd_")}
        return {"lists": pl.Schema(known), **{role: side.frame.schema for role, side in self.sides_of(model).items()}}


def with_files(
    loaded: Loaded,
    plan: Plan,
    make: Callable[[Files], T],
    *,
    more_needs: Collection[str] = (),
    times: bool = False,
    tolerant: bool = False,
    all_of_train: bool = False,
    only: Callable[[Inputs], Inputs] = lambda inputs: inputs,
) -> T:
    """What `make` makes of the files of a config; it is called again with ids as text if some file holds ids that are no integers.

    Beside what the measures need, `more_needs` are looked at where the config gives them. With `times` the timestamps of test and train
    are read, a `tolerant` reader leaves rows without a value out, `all_of_train` brings users of train without a list to the last parts,
    `only` picks sources.
    """
    with ExitStack() as stack:
        inputs = only(look_at_everything(loaded, plan.needs | set(more_needs), stack))
        fingerprints = stack.enter_context(load.Fingerprints(path for source in inputs.all() for path in source.paths))
        scratch = stack.enter_context(Scratch())
        kinds = load.common_kinds(inputs.all())
        tolerant = tolerant or loaded.config.evaluation.policy.missing_values == "drop"
        while True:
            try:
                reader = SourceReader(loaded.folder, tolerant)
                return make(_read(loaded, plan, inputs.with_kinds(kinds), reader, fingerprints, scratch, times, all_of_train))
            except load.IdsAreText as found:
                kinds = load.as_text(kinds, found.columns)


def _read(
    loaded: Loaded,
    plan: Plan,
    inputs: Inputs,
    reader: SourceReader,
    fingerprints: load.Fingerprints,
    scratch: Scratch,
    times: bool,
    all_of_train: bool,
) -> Files:
    _refuse_missing_ratings(loaded, plan, inputs)
    frames = side_frames(inputs, reader)
    prepared, remarks = prepared_for(plan, inputs, loaded.config, frames)
    test, train = frames.test, frames.train
    assert test is not None
    if times and train is not None and "timestamp" in test.columns and "timestamp" in train.columns:
        prepared = replace(prepared, times=TimeFacts.of(test, train))
    sides = {"test": SideTable(test)}
    if train is not None and "user" in train.columns:
        sides["train"] = SideTable(train)
    if inputs.baseline is not None:
        sides["baseline"] = SideTable(reader.frame(inputs.baseline))
    last = {"test", *(plan.populations & set(_IN_PARTS)), *(("train",) if all_of_train else ())} & sides.keys()
    return Files(inputs, reader, prepared, sides, remarks, fingerprints, scratch, last)


def _refuse_missing_ratings(loaded: Loaded, plan: Plan, inputs: Inputs) -> None:
    """`DataError` for a config that speaks of ratings where the test file has none."""
    relevance = loaded.config.evaluation.relevance
    if "rating" in inputs.test.columns:
        return
    wants = ""
    if relevance.graded:
        wants = "evaluation.relevance.graded"
    elif relevance.threshold is not None:
        wants = "evaluation.relevance.threshold"
    else:
        thresholds = [f"the threshold of {one.label}" for one in plan.all if one.truth.threshold is not None]
        looks = [one.label for one in plan.all if "ratings?" in one.metric.needs(one.params)]
        wants = next(iter((*thresholds, *looks)), "")
    if wants:
        raise DataError(
            f"{inputs.test.role}: {inputs.test.paths[0]} has no rating column, which {wants} needs",
            "name it in the config, columns: {rating: NAME}",
        )
