"""One user of one model → how the value comes about: the same measure over the rows of that user only."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import polars as pl
from msgspec.structs import replace

from ..config import Loaded, missing
from ..conventions import AXES, PROTOCOL, load
from ..errors import ConfigError, DataError
from ..load import Source
from ..load.tally import FaultTally
from ..measure.model_level_sums import CollectSums
from ..measure.scoring import GroupValues, Scorer, within_numbers
from ..measure.task import MeasureGroup, grouped
from ..metrics.definition import Definition
from ..metrics.measure import Ratio, plain
from ..results.explanation import ExplainedChoice, Explanation
from ..tables.array import Array
from ..tables.lists import Reading
from ..tables.rows import LISTS, PartData
from .files import Files, open_inputs
from .inputs import Inputs
from .plan import Plan
from .request import Request
from .sources import SourceReader, lazy_rows, reading
from .tracing import Recorder


def explain(loaded: Loaded, measure: str, user: str, model: str | None = None) -> Explanation:
    """Explain the value of `measure` (at the first of the config's cut-offs if it names none) for `user` under `model`.

    `model` may be left out where there is only one. Raises `ConfigError` if the measure or the model is wrong, `DataError` if no file
    holds the user, and what `run` raises.
    """
    definition = _definition(loaded, measure)

    def explained_from(files: Files) -> Explanation:
        (only,) = files.inputs.models
        part = PartData(user_frames(files, only, user_id(files.inputs, user)))
        return explained(Scorer.of(files.prepared, part), definition, only, user)

    request = Request.of(loaded, whole_lists=True)
    return open_inputs(request, Plan((definition,)), explained_from, only=lambda inputs: inputs.single(model))


def _definition(loaded: Loaded, measure: str) -> Definition:
    """The measure that a text names; `ConfigError` if it cannot be explained with the config."""
    try:
        definition = loaded.config.evaluation.define(measure)
    except ValueError as error:
        raise ConfigError(f"{measure}: {error}") from None
    for problem in missing(definition, loaded.config.data):
        raise ConfigError(problem)
    if definition.metric.system:
        raise ConfigError(f"{definition.label} is one value per model, not per user that could be explained")
    return definition


def explained(scorer: Scorer, definition: Definition, model: str, user: str) -> Explanation:
    """Explain the value of a measure for the only user of a part.

    `scorer` is that of a part with the rows of this user in all sources, `user` the id as it was given. `DataError` if no source has a
    row of the user.
    """
    if not scorer.part.n_users:
        raise DataError(f"no file contains the user {user!r}")
    (group,) = grouped((definition,))
    return _Explainer(scorer, model, user, scorer.values(group, CollectSums())).explanation(group, is_part=False)


class _Explainer:
    """Explains a measure, and the metrics that it combines, for one user."""

    def __init__(self, scorer: Scorer, model: str, user: str, values: GroupValues) -> None:
        assert scorer.part.n_users == 1, "only one user can be explained at a time"
        self.scorer, self.model, self.user, self.values = scorer, model, user, values

    @property
    def counts(self) -> bool:
        """Whether the user counts for the measure."""
        return bool(self.values.counts[0])

    def explanation(self, group: MeasureGroup, is_part: bool) -> Explanation:
        """Explain one metric: the measure itself, or a part of it that it combines."""
        parts = tuple(self.explanation(part, is_part=True) for part in group.components)
        definition, recorder = group.first, Recorder()
        made = self.body(group, recorder)
        equation = (" ".join(text.split()) for text in definition.metric.doc.split("\n\n")[1:] if "=" in text)
        if is_part:
            value, reason = (_number(plain(made)), "") if self.counts else (None, "")
        else:
            value, reason = self.result(definition)
        ratio = made if isinstance(made, Ratio) and self.counts else None
        reading: Reading = self.scorer.tables.get("reading", self.scorer.choice(definition))
        return Explanation(
            measure=definition.label,
            model=self.model,
            user=self.user,
            convention=definition.convention,
            formula=next(equation, ""),
            steps=recorder.explained(reading, among_rated=definition.axes["positions"] == "among_rated"),
            facts=recorder.facts if self.counts else (),
            numerator=None if ratio is None else _number(ratio.numerator),
            denominator=None if ratio is None else _number(ratio.denominator),
            value=value,
            reason=reason,
            choices=_choices(definition, is_part),
            components=parts,
        )

    def body(self, group: MeasureGroup, recorder: Recorder | None = None) -> Any:
        """What the body of a metric gives, while `recorder` records what it reads."""
        parts = tuple(np.broadcast_to(plain(self.body(part)), (1, 1)) for part in group.components)
        measure = self.scorer.measure(group, self.scorer.choice(group.first), CollectSums(), self.values.counts, parts)
        with within_numbers(group, CollectSums()):
            return group.metric.define(replace(measure, trace=recorder))

    def result(self, definition: Definition) -> tuple[float | None, str]:
        """The user's value in the results, or why there is none."""
        value = _number(self.values.values)
        if math.isinf(value):
            return None, "the value is not defined for this user, so the mean is not defined either"
        if not math.isnan(value):
            return value, ""
        counted = definition.user_rules
        if self.counts and counted.no_hits != "zero":
            return None, "the user has no hit, and is left out"
        if self.counts:
            return None, "the value is not defined for this user, who is left out"
        if not self.values.n_relevant[0] and counted.no_relevant == "drop":
            counts = "counts 0 in the mean over all users of data.train" if counted.divisor == "train_users" else "is left out"
            return None, f"the user has no relevant item in the test file, and {counts}"
        return None, "the user has no list, and is left out" if counted.missing_lists == "drop" else "the user is left out"


def _number(value: Array) -> float:
    """The only number of an array."""
    return float(np.reshape(value, -1)[0])


def _choices(definition: Definition, is_part: bool) -> tuple[ExplainedChoice, ...]:
    """The choices of the formula; for a measure that is no part of another also those of the protocol that differ from receval's."""
    defaults = load("receval").axes
    choices = [ExplainedChoice(key, *_meaning(axis, definition.axes[axis])) for key, axis in definition.metric.axes.items()]
    choices += [ExplainedChoice(key, f"{value:g}", definition.metric.numbers[key].means) for key, value in definition.numbers.items()]
    if is_part:
        return tuple(choices)
    threshold = definition.truth.threshold
    if threshold is not None:
        choices.append(ExplainedChoice("threshold", f"{threshold:g}", "the lowest rating of a relevant item"))
    without_effect = {"relevance_rule"} if threshold is not None else set[str]()
    others = [axis for axis in PROTOCOL if definition.axes[axis] != defaults[axis] and axis not in without_effect]
    return (*choices, *(ExplainedChoice(axis, *_meaning(axis, definition.axes[axis])) for axis in others))


def _meaning(axis: str, value: Any) -> tuple[str, str]:
    """A value of an axis as it is shown, and what it means."""
    known = AXES[axis]
    shown = f"{value:g}" if isinstance(value, float) else str(value)
    return shown, f"{known.decides}: {known.meanings[shown]}" if shown in known.meanings else known.decides


def user_id(inputs: Inputs, written: str) -> int | str:
    """The id of a user as the sources have it; `DataError` if their users are integers and it is none."""
    if inputs.test.scan.kinds["user"] != "integer":
        return written
    if not written.removeprefix("-").isdigit():
        raise DataError(f"no file contains the user {written!r}: users are integers")
    return int(written)


def user_frames(files: Files, model: str, user: int | str) -> dict[str, pl.DataFrame]:
    """The frames of a part that holds one user: the user's list of a model, and the user's rows in the tables beside the lists."""
    sides = files.sides_of(model)
    users = pl.Series("user", [user], dtype=sides["test"].frame.schema["user"])
    rows = {role: side.rows_of(users) for role, side in sides.items()}
    return {LISTS: _rows_of(files.reader, files.inputs.models[model], user), **rows}


def _rows_of(reader: SourceReader, source: Source, user: int | str) -> pl.DataFrame:
    """The rows of a user in a source, of which all rows are looked at for faults, as in a run."""

    def collect(resolved: Source, tally: FaultTally) -> pl.DataFrame:
        lazy = lazy_rows(resolved)
        with reading():
            tally.add(lazy)
            rows = lazy.filter(pl.col("user") == user).collect(engine="streaming")
        return rows.select(name for name in rows.columns if not name.startswith("odd_"))

    return reader.read_with_retries(source, collect)
