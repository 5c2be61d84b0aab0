"""Everything about one user: the user's rows in all files, and what the measures and checks of a run make of them.

Only the rows of this user come into memory, unless a measure needs a whole file. Values are those of a run, to the last bit: they come from
the same function over a part with only this user.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, Final

import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from ..checks import CHECKS, setting
from ..config import Loaded
from ..evaluation.files import Files, open_inputs
from ..evaluation.plan import Options, Plan, Request
from ..evaluation.progress import Report, silent
from ..evaluation.running import checks_of_model, run
from ..evaluation.user_ids import id_in, id_of_type, unknown_user, written_id
from ..health import examine
from ..health.tallies import Examples, Tally
from ..metrics.definition import Definition
from ..results.result import Result, columns_of, select
from ..results.row import sentences_with_models
from ..results.user_view import UserFinding, UserValue, UserView
from ..scoring.measuring import enriched_rows, measure_users
from ..scoring.model_level_sums import CollectSums
from ..scoring.per_user import Scorer
from ..scoring.task import group_measures
from ..support.errors import ConfigError
from ..syntax.measure_strings import MetricSpec
from ..tables.array import Array
from ..tables.graph import sentences
from ..tables.item_columns import user_codes
from ..tables.rows import PartData
from .explained_rows import columns_of_rows, value_columns
from .explaining import user_frames, value_or_reason
from .titles import titles_of
from .user_policies import effects_on_lists, effects_on_test, effects_on_user, rows_left_out

_CHANGED: Final = "Not the values of the results any more: {values}. The files, or receval, have changed since."
_MOST_EXAMPLES: Final = 5


def view_user(
    loaded: Loaded,
    user: Any,
    models: Sequence[str] = (),
    result: Result | None = None,
    *,
    n_shown: int = 5,
    quick: bool = False,
    report: Report = silent,
) -> UserView:
    """Return everything about a user of a config: all models, or those named.

    Means, the place of the user among all users and findings are those of `result`; without it the config is evaluated first, unless
    `quick`. Raises `ConfigError` for a model that does not exist or a config with folds, `DataError` if no file has the user, and what
    `run` raises.
    """
    name = written_id(user)
    request = Request.for_run(loaded, Options(complete=False))
    request = replace(request, compares=False, whole_lists=True, history_of=name)
    if result is None and not quick and not loaded.folds:  # those are refused below
        _refuse_unknown(loaded, name, models)
        result = run(loaded, report, complete=False, concludes=False)
    on = {finding.check for finding in result.findings} if result is not None else set()
    checks = {check.id: request.checks.setting(check.id) if check.id in on else setting(check, "off") for check in CHECKS.values()}
    request = replace(request, checks=replace(request.checks, settings=checks, policy=frozenset(), sees_candidates=False))

    def view_files(files: Files) -> UserView:
        return _view(files, name, result, n_shown)

    return open_inputs(request, view_files, only=(lambda inputs: inputs.only(*models)) if models else None)


def _refuse_unknown(loaded: Loaded, name: str, models: Sequence[str]) -> None:
    """Raise `DataError` if no file has the user, before all users are evaluated."""

    def is_tested(files: Files) -> bool:
        user = id_in(files.inputs, name)
        return user is not None and bool((files.sides["test"].users == user).any())

    simple = Plan((loaded.config.evaluation.resolve(MetricSpec("Precision", k=1)),))
    if not open_inputs(Request(loaded, simple), is_tested, only=(lambda inputs: inputs.only(*models)) if models else None):
        view_user(loaded, name, models, quick=True)


class _UserOfModel(Struct, frozen=True, eq=False):
    """One user under one model: the scorer of the part with this user, the partial, and the values of all measures (measures × users)."""

    model: str
    scorer: Scorer
    row: dict[str, Any]
    values: Array
    remarks: tuple[str, ...]


def _view(files: Files, name: str, result: Result | None, n_shown: int) -> UserView:
    user = id_in(files.inputs, name)
    if user is None:
        raise unknown_user(name, files.sides["test"].users)
    plan = files.request.plan
    definitions = (
        tuple(definition for definition in plan.shown if not definition.metric.per_model) or plan.shown or plan.definitions
    )  # of formulas
    measured = [_measured(files, model, user) for model in files.inputs.models]
    present = [model for model in measured if model.scorer.part.n_users]
    if not present:
        raise unknown_user(name, files.sides["test"].users)
    first = present[0]
    values = [value for model in measured for value in _values(files, model, definitions)]
    lists = {model.model: enriched_rows(model.scorer, definitions[0]).drop("user") for model in present}
    history, test = _history(files, user), _test(files, present, definitions)
    cutoffs = [definition.k for definition in definitions if definition.metric.cut]
    items = [frame["item"] for frame in (*lists.values(), history, test) if frame is not None]
    effects = [*effects_on_test(first.scorer, definitions)]
    for model in present:
        effects += [*effects_on_user(model.scorer, definitions, model.model), *effects_on_lists(model.scorer, definitions, model.model)]
    relevant = int(first.scorer.counts(definitions[0])[1][0])
    titles = titles_of(files, items)
    view = UserView(
        user=user,
        values=tuple(values),
        history=history,
        test=test,
        lists=lists,
        groups=_groups(files, first.scorer),
        weight=float(first.scorer.weights[0]) if plan.weights else None,
        n_relevant=relevant,
        k=None if not cutoffs or None in cutoffs else max(k for k in cutoffs if k is not None),
        relevance=files.protocols[definitions[0].label].relevance,
        policies=tuple(dict.fromkeys((*effects, *rows_left_out(files, [*files.inputs.models], user)))),
        findings=tuple(_findings(files, present, result, titles)) if result is not None else (),
        titles=titles,
        n_shown=n_shown,
        time_unit=files.prepared.time_unit,
        notes=tuple(sentences_with_models((model.model, f"{remark}.") for model in present for remark in model.remarks)),
    )
    return view if result is None else beside_all(view, result)


def _measured(files: Files, model: str, user: int | str) -> _UserOfModel:
    """Return the values of the user under a model, as a run computes them."""
    scorer = Scorer.for_part(files.prepared, PartData(user_frames(files, model, user)))
    measured = measure_users(files.task, scorer)
    partial = measured.partial
    assert partial.user_values is not None
    rows = partial.user_values.frame().to_dicts()
    return _UserOfModel(model, scorer, rows[0] if rows else {}, measured.values, tuple(sentences(partial.notes)))


def _values(files: Files, model: _UserOfModel, definitions: Sequence[Definition]) -> Iterator[UserValue]:
    """Yield the value of each measure, or the reason why there is none."""
    indexes = {definition: index for index, definition in enumerate(files.request.plan.definitions)}
    for definition in definitions:
        if definition.metric.per_model:
            continue
        value = _finite(model.row.get(f"v{indexes[definition]}"))
        reason = ""
        if value is None and not model.scorer.part.n_users:
            reason = "the user is in no file of this model"
        elif value is None:
            (group,) = group_measures((definition,))
            reason = value_or_reason(definition, model.scorer.values(group, CollectSums()))[1]
        yield UserValue(definition.label, model.model, value, reason, higher_is_better=definition.higher_is_better)


def _finite(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else float(value)


def _history(files: Files, user: int | str) -> pl.DataFrame | None:
    """Return the train rows of the user, newest first; without times in the reverse order of the file."""
    if "train" not in files.sides:
        return None
    rows = files.sides["train"].frame.filter(pl.col("user") == user)
    rows = rows.sort("timestamp", maintain_order=True, nulls_last=False) if "timestamp" in rows.columns else rows
    return rows.reverse().select(name for name in ("item", "rating", "timestamp") if name in rows.columns)


def _test(files: Files, present: Sequence[_UserOfModel], definitions: Sequence[Definition]) -> pl.DataFrame:
    """Return the test rows of the user: relevant ones first, by their best rank in any list."""
    by = tuple(grouping for grouping in files.request.plan.row_groupings if grouping.kind == "rows")
    columns = value_columns(*files.request.plan.all)
    frames = [columns_of_rows(model.scorer, definitions[0], by, columns) for model in present]
    ranks = [frame["rank"].alias(f"rank {model.model}") for model, frame in zip(present, frames, strict=True)]
    rows = frames[0].drop("rank").with_columns(ranks)
    best = pl.min_horizontal(rank.name for rank in ranks)
    return rows.sort(~pl.col("relevant"), best, nulls_last=True, maintain_order=True)


def _groups(files: Files, scorer: Scorer) -> dict[str, str]:
    """Return the group of the user in each grouping of users."""
    groups = {}
    for by in map(files.prepared.with_borders, files.request.plan.group_columns):
        names = dict(files.prepared.groups_by(by))
        groups[by.name] = str(names[int(user_codes(by, scorer.part, files.prepared)[0])])
    return groups


def _findings(files: Files, present: Sequence[_UserOfModel], result: Result, titles: dict[str, str]) -> Iterator[UserFinding]:
    """Yield the findings of a result that concern the user: whose check counts rows of this user, or the user."""
    definitions = files.request.plan.definitions
    tallies: dict[str, dict[str, Tally]] = {}
    for number, model in enumerate(present):
        task = checks_of_model(files, model.model, first=not number)
        tallies[model.model] = dict(examine(task, model.scorer, definitions, model.values).checks) if task is not None else {}
    for finding in result.findings:
        of_check = [held[finding.check] for model, held in tallies.items() if finding.model in ("", model) and finding.check in held]
        examples = [text for tally in of_check for text in _examples(tally, titles)]
        if examples:
            found = (finding.check, finding.severity, finding.model, CHECKS[finding.check].finds)
            yield UserFinding(*found, examples=tuple(text for text in dict.fromkeys(examples) if text)[:_MOST_EXAMPLES])


def _examples(tally: Tally, titles: dict[str, str]) -> Iterator[str]:
    """Yield the rows of a user that a check counts, in words; an empty text if it counts only the user."""
    for held in tally.values.values():
        if isinstance(held, Examples) and "user" in held.frame.columns:
            for row in held.frame.drop("user").rows(named=True):
                yield ", ".join(f"{name} {titles.get(str(value), value) if name == 'item' else value}" for name, value in row.items())


# Beside all users


def beside_all(view: UserView, result: Result) -> UserView:
    """Return a view with means, and the number of users with a lower or the same value, and the values of reference lists and formulas.

    A note says if a value differs from that of the result.
    """
    values, changed = list(view.values), dict[str, list[str]]()
    known = {(value.measure, value.model) for value in values}
    for model in dict.fromkeys((*(value.model for value in values), *result.yardsticks)):
        stored = user_row(result, model, view.user) if model in result.per_user else None
        if stored is None:
            continue
        for measure in dict.fromkeys(row.measure for row in result.rows_by_model[model] if row.measure in stored):
            if (measure, model) not in known:
                values.append(_stored(UserValue(measure, model, None), stored, result))
        for value in view.values:
            if value.model == model and value.measure in stored and _finite(stored[value.measure]) != value.value:
                changed.setdefault(model, []).append(value.measure)
    said = [_CHANGED.format(values="; ".join(f"{model} {', '.join(some)}" for model, some in changed.items()))] if changed else []
    return replace(view, values=_in_order([_beside(value, result) for value in values], result), notes=(*said, *view.notes))


def _in_order(values: Sequence[UserValue], result: Result) -> tuple[UserValue, ...]:
    """Return the values in the order of the measures of a result; those of one measure keep theirs."""
    order = {measure: index for index, measure in enumerate(dict.fromkeys(row.measure for row in result.rows))}
    return tuple(sorted(values, key=lambda value: order.get(value.measure, len(order))))


def _beside(value: UserValue, result: Result) -> UserValue:
    """Return the value with that of the model over all users, and the number of users with a lower value and the same."""
    rows = [row for row in result.rows_by_model.get(value.model, ()) if row.measure == value.measure]
    if rows:
        row = next((row for row in rows if row.aggregate == "mean"), rows[0])
        value = replace(value, mean=row.value, n_users=row.n_users)
    if value.value is None or value.model not in result.per_user or value.measure not in columns_of(result.per_user, value.model):
        return value
    every = select(result.per_user, value.model, [value.measure])[value.measure].cast(pl.Float64).drop_nulls().drop_nans()
    n_lower, n_equal = int((every < value.value).sum()), int((every == value.value).sum())
    return replace(value, n_lower=n_lower, n_equal=n_equal, n_valued=len(every))


def user_row(result: Result, model: str, user: Any) -> dict[str, Any] | None:
    """Return the stored values of a user under a model; `None` if there are none, or several, of folds or runs."""
    users = select(result.per_user, model, ["user"])["user"]
    wanted = id_of_type(written_id(user), users.dtype.is_integer())
    if wanted is None:
        return None
    index = (users == wanted).arg_true()
    return result.per_user[model][index].to_dicts()[0] if len(index) == 1 else None


def view_stored_user(result: Result, user: Any, why: str, *, n_shown: int = 5) -> UserView:
    """Return what stored per-user values tell of a user, `why` there is not more as a note.

    Raises `ConfigError` for the results of several folds or runs, `DataError` if no stored value is of the user.
    """
    if result.folds or any(row.run is not None for row in result.repeated):
        raise ConfigError(
            "per-user values of several folds or runs cannot be shown for one user",
            "give the config, and choose one fold in data.folds: receval.load_config(CONFIG, overrides=['data.folds=[NAME]'])",
        )
    name = written_id(user)
    rows = {model: row for model in result.per_user if (row := user_row(result, model, name)) is not None}
    if not rows:
        raise unknown_user(name, select(result.per_user, next(iter(result.per_user)), ["user"])["user"])
    first = next(iter(rows.values()))
    groups = {by: str(first[by]) for by in result.user_groups}
    view = UserView(first["user"], (), groups=groups, n_relevant=first["n_relevant"], n_shown=n_shown, notes=(why,))
    values = [
        _beside(_stored(UserValue(measure, model, None), row, result), result)
        for model, row in rows.items()
        for measure in dict.fromkeys(row_of.measure for row_of in result.rows_by_model[model])
        if measure in row
    ]
    return replace(view, values=_in_order(values, result))


def _stored(value: UserValue, row: dict[str, Any], result: Result) -> UserValue:
    """Return the value that a row of stored values has."""
    number = _finite(row[value.measure])
    better = next((record.higher_is_better for record in result.rows_by_model[value.model] if record.measure == value.measure), None)
    return replace(value, value=number, reason="" if number is not None else "the user has no value", higher_is_better=better)
