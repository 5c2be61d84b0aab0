"""The functions of the Python API: the commands, on tables of any kind; nothing is printed, and only `evaluate_config` writes files."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, ParamSpec, TypeVar, Unpack, overload

import polars as pl
from msgspec.structs import asdict, replace

from ..actions import studies
from ..actions.judge import features_of_rules
from ..actions.outcome import RunRecord
from ..actions.run import check_config, run_config, track_run
from ..config import Loaded
from ..engines import Scratch
from ..evaluation.matrix_inputs import masks_seen
from ..evaluation.progress import Report
from ..evaluation.repeating import RepeatedRun
from ..evaluation.running import run
from ..load.in_memory.matrices import Matrix, is_matrix
from ..load.in_memory.tensors import as_arrays
from ..results.audit import Audit
from ..results.chosen_models import with_chosen_models
from ..results.description import Description
from ..results.explanation import Explanation
from ..results.result import Result
from ..storage.result_folder import enriched_frames, load
from ..support.errors import ConfigError, DataError
from ..support.forks import refuse_lost_threads
from ..support.synonyms import meaning_of, path_of, takes, wrong_type
from .arguments import (
    NO_MATRIX,
    Arguments,
    CallArguments,
    ConfigLike,
    collected,
    loaded_from,
    loaded_of,
    masked_matrix,
    matrix_of_users,
    names_of,
    single_model_lists,
    warn,
    with_change,
)
from .epoch_values import EpochValues, EvaluatorArguments
from .evaluation_result import EvaluationResult
from .studies import PrintedAudit, PrintedDescription, PrintedExplanation
from .wording import about_arguments, errors_as_arguments

_Given = ParamSpec("_Given")
_Returned = TypeVar("_Returned")
_NO_LISTS = pl.DataFrame(schema={"user": pl.Int64, "item": pl.Int64, "score": pl.Float64})


def with_each_argument(function: Callable[_Given, _Returned]) -> Callable[_Given, _Returned]:
    """Return a function that takes `**arguments` with a signature that names each, for `help` and notebooks."""
    signature = inspect.signature(function)
    *own, _ = signature.parameters.values()
    kinds = ((name, kind.__forward_arg__) for name, kind in Arguments.__annotations__.items())
    named = (inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind) for name, kind in kinds)
    first = [parameter for parameter in own if parameter.kind is not parameter.KEYWORD_ONLY]
    function.__signature__ = signature.replace(parameters=[*first, *named, *own[len(first) :]])  # type: ignore[attr-defined]
    return function


@with_each_argument
@takes(*Arguments.__annotations__)
def evaluate(
    config: ConfigLike | None = None,
    /,
    *,
    keep_users: bool = True,
    per_user_table: str | None = None,
    **arguments: Unpack[Arguments],
) -> EvaluationResult:
    """Evaluate the lists of one or more models, as `receval run` does.

    Give a config (a path, a mapping, or the result of `load_config`), or arguments:

    `test` has the test interactions, `recommendations` the lists of one model, or model → lists; measures that use only `predictions`,
    such as RMSE, need no lists. Both, and `train`, `items`, `users`, `baseline`, `previous_policy`, `predictions` and `distances`, are
    paths or tables of any kind: frames of Polars, pandas, pyarrow, DuckDB, Spark; `{user: [item, …]}`, `{user: {item: score}}`,
    `{user: [(item, score), …]}`; lists of records; matrices of users × items of NumPy or SciPy. `columns` names columns that have no usual
    names: `{"user": "uid"}`, or for one source `{"test": {"user": "uid"}}`.

    `metrics` are measure strings such as `nDCG@10`; those without a cut-off are cut at each of `top_k`. `value_columns` names the columns
    of Revenue, Profit and the weighted measures: `{"revenue": "rows.price"}`, and `weights` the column of `users` that weights them in
    means: `{"users": "users.revenue"}`. `candidates` says how the candidates in lists were sampled, such as
    `{"sampled": 100, "catalogue": 26744}`: then `catalogue_bounds` of the result has the bounds over the whole catalogue by model.
    `relevance` is the lowest rating of a relevant item, or
    `{"threshold": 4, "graded": True}`. `models` chooses some models of a config or of `recommendations`, by names or patterns such as
    `bpr*`; those that they are compared with stay. `mask_seen` removes the items of `train` from matrices of scores. `categories` is the
    column of `items` with their categories, and `split` the separator in it. `health=False` turns the checks off. The other arguments are
    those of the `evaluation` section of a config. With `keep_users=False` the result has no per-user values.
    `per_user_table` names a table of Spark's catalog: the workers write the per-user values into it, and they do not come to this process.

    Raises `ConfigError` for wrong arguments, `DataError` for wrong data, `MissingExtraError` if an engine is not installed.
    """
    with errors_as_arguments():
        loaded = loaded_of(config, arguments)
        keeps = keep_users and per_user_table is None
        made = run(
            loaded, features=features_of_rules(loaded), keep_users=keeps, concludes=per_user_table is None, per_user_table=per_user_table
        )
        return _result_of(config, made, loaded)


@takes(instead=with_change)
def evaluate_config(
    config: ConfigLike,
    /,
    *,
    outputs: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (),
    per_user: bool = False,
    store_failures: str | os.PathLike[str] | None = None,
    strict: bool = False,
    progress: Report | None = None,
    models: str | Sequence[str] = (),
) -> RunRecord[EvaluationResult]:
    """Evaluate a config as `receval run` does: judge its gates, make its reports, write everything, and log it with its trackers.

    `config` is a path, a mapping, or the result of `load_config`. `outputs` are files, whose endings set their forms, and folders, which
    end in `/`, in addition to those of the config; with `per_user` the files have the per-user values. `store_failures` is a folder for the
    offending rows of failed checks. With `strict` warnings of health checks count as errors, and gates that would only warn as failed.
    `progress` is called with the progress of the run. With `models`, names or patterns such as `bpr*`, only these of a config are
    evaluated; for the result of `load_config` give them there.

    The record has the `result` with its conclusions and gates, the `verdicts`, the files `written`, the trackers (`tracked`), the closing
    `sentences`, and the `exit_code` of the command. If gates cannot be judged, or a required tracker fails, everything else is done, and
    the record has the `failure`. Raises `ConfigError` for a wrong config or output, `DataError` for wrong data, `MissingExtraError` if an
    engine is not installed.
    """
    refuse_lost_threads()
    given = [outputs] if isinstance(outputs, str | os.PathLike) else list(outputs)
    options: dict[str, Any] = {"per_user": per_user, "store_failures": store_failures, "strict": strict, "progress": progress}
    record = track_run(run_config(loaded_of(config, Arguments(models=models)), outputs=given, **options))
    return RunRecord(**{**asdict(record), "result": EvaluationResult.of(record.result, record.loaded)})


@takes(*Arguments.__annotations__)
def check(config: ConfigLike | None = None, /, **arguments: Unpack[Arguments]) -> EvaluationResult:
    """Run the health checks, as `receval check` does: `findings` of the result say what is wrong or suspicious.

    All data that can be read are accepted. The arguments are those of `evaluate`; `metrics` is nDCG by default.
    """
    with errors_as_arguments():
        loaded = loaded_of(config, arguments, metrics="nDCG")
        return _result_of(config, check_config(loaded), loaded)


@takes(*Arguments.__annotations__)
def describe(config: ConfigLike | None = None, /, **arguments: Unpack[Arguments]) -> Description:
    """Describe the data, as `receval describe` does: rows, users, items, ratings or scores, times, and what tables have in common.

    The description prints as tables. The arguments are those of `evaluate`; one of `test`, `train` and `items` is enough, and `metrics` has
    no effect.
    """
    with errors_as_arguments():
        return PrintedDescription.of_record(studies.describe(loaded_of(config, arguments, metrics="nDCG", describes=True)))


@takes(*CallArguments.__annotations__)
def explain(
    config: ConfigLike | None = None, measure: str = "", user: Any = None, model: str | None = None, **arguments: Unpack[CallArguments]
) -> Explanation:
    """Explain the value of one user, row by row, as `receval explain` does; the explanation prints as tables.

    `measure` is a measure string such as `MAP(convention=elliot)@5`, `user` an id; `model` may be left out if there is only one. The other
    arguments are those of `evaluate`; `metrics` may be left out. Raises `ConfigError` if the measure or the model is wrong, `DataError` if
    no table has the user.
    """
    with errors_as_arguments():
        return PrintedExplanation.of_record(studies.explain(loaded_of(config, arguments, metrics=measure), measure, str(user), model))


@takes(*Arguments.__annotations__)
def enriched(config: ConfigLike | None = None, /, **arguments: Unpack[Arguments]) -> dict[str, pl.DataFrame]:
    """Return the lists of each model, each row joined with test and train, as `output.enriched` writes them.

    A frame has the columns `user`, `item`, `rank` (from 1), `score` (if the lists have scores), `relevant`, `gain` (0 if the item is not
    relevant), with train `in_train`, and with previous_policy the NCIS weights, `weight` and `capped_weight` (clipped to [1/10, 10], or to
    the threshold of the first measure); the rows of a user are ordered by rank. The lists are read as the first of `metrics` (by default
    nDCG) reads them. The keys are the names of the files: one per model, and one per run or fold if there are several.
    """
    with errors_as_arguments(), Scratch() as scratch:
        loaded = loaded_of(config, arguments, metrics="nDCG")
        return enriched_frames(run(loaded, keep_users=False, enriched=scratch.folder, complete=False))


@takes(*Arguments.__annotations__)
def audit(config: ConfigLike | None = None, conventions: str | Sequence[str] = (), **arguments: Unpack[Arguments]) -> Audit:
    """Evaluate the measures under several conventions, or all, as `receval audit` does; the audit prints as tables.

    The other arguments are those of `evaluate`; with `by`, the audit also has each measure in each group.
    """
    with errors_as_arguments():
        return PrintedAudit.of_record(
            studies.audit(loaded_of(config, arguments), names_of(conventions), by_group=bool(arguments.get("by")))
        )


def _result_of(config: ConfigLike | None, result: Result, loaded: Loaded) -> EvaluationResult:
    """Return the result of a call, whose sentences name the arguments if there is no config."""
    return EvaluationResult.of(about_arguments(result) if config is None else result, loaded)


def evaluate_tolerantly(**arguments: Unpack[CallArguments]) -> EvaluationResult:
    """Evaluate without health checks and accept all data that can be read, such as a small table that shares nothing with the test."""
    with errors_as_arguments():
        return EvaluationResult.of(run(loaded_of(None, {**arguments, "health": False}), tolerant=True))


Relevant = Iterable[Any] | Mapping[Any, float]
"""The relevant items, or a mapping from them to grades."""


@overload
def score(recommended: Iterable[Any], relevant: Relevant, metrics: str, *, convention: str = ...) -> float | None: ...
@overload
def score(
    recommended: Iterable[Any], relevant: Relevant, metrics: list[str] | tuple[str, ...], *, convention: str = ...
) -> dict[str, float | None]: ...
@takes()
def score(
    recommended: Iterable[Any],
    relevant: Relevant,
    metrics: str | list[str] | tuple[str, ...],
    *,
    convention: str = "receval",
) -> float | dict[str, float | None] | None:
    """Return the value of a measure for one list of items, or the values of several measures by name.

        receval.score([1, 2, 3], relevant={2, 5}, metrics="nDCG@3")     # 0.3869

    `relevant` are the relevant items, or a mapping from them to grades. Raises `DataError` if there are none, or the list is empty.
    """
    for name, value in (("recommended", recommended), ("relevant", relevant)):
        if isinstance(value, str) or hasattr(value, "columns") or not hasattr(value, "__iter__"):
            raise wrong_type(name, "the items of one user", value, "use receval.evaluate for tables of many users")
    truth = dict(relevant) if isinstance(relevant, Mapping) else list(dict.fromkeys(relevant))
    items = list(recommended)
    if not truth or not items:
        raise DataError(
            f"{'relevant' if items else 'recommended'}: there is no item", "a value needs a recommendation list and a relevant item"
        )
    relevance = {"graded": True} if isinstance(relevant, Mapping) else None
    lists = {"list": {0: items}}
    result = evaluate_tolerantly(test={0: truth}, recommendations=lists, metrics=metrics, convention=convention, relevance=relevance)
    values = {row.label: row.value for row in result.rows}
    return next(iter(values.values())) if isinstance(metrics, str) and len(values) == 1 else values


@takes()
def load_results(folder: str | os.PathLike[str], models: str | Sequence[str] = ()) -> EvaluationResult:
    """Read a folder written by `receval run -o FOLDER/` or `result.save`; raise `DataError` if it is not one, or incomplete.

    With `models`, names or patterns such as `bpr*`, the result has only these and the reference lists.
    """
    refuse_lost_threads()
    result = load(path_of("folder", folder))
    if models:
        with errors_as_arguments():
            result = with_chosen_models({"": result}, names_of(models))[""]
    return EvaluationResult.of(result)


_NOT_REPEATED: Final = ("recommendations", "predictions", "yardsticks", "by", "health", "engine")
"""The arguments of `evaluate` that an `Evaluator` does not have."""


def _instead_of_lists(name: str, value: Any) -> str:
    """Return what to write instead of an argument that an `Evaluator` does not have; empty for an unknown name."""
    name = meaning_of(name)
    return "receval.evaluate" + (", or evaluator(lists)" * (name == "recommendations")) if name in _NOT_REPEATED else ""


def _instead_of_call(name: str, value: Any) -> str:
    """Return where to write an argument of `Evaluator` that was given to its call; empty for an unknown name."""
    name = meaning_of(name) or name
    return f"receval.Evaluator(…, {name}=…)" if name in CallArguments.__annotations__ and name not in _NOT_REPEATED else ""


class Evaluator:
    """Evaluate lists of one model many times; the test data and all other inputs are read once.

        evaluator = receval.Evaluator(test=test, metrics=["nDCG@10", "Recall@20"])
        for epoch in range(20):
            ...
            values = evaluator(lists)      # {"nDCG@10": 0.213, "Recall@20": 0.334}

    The arguments are those of `receval.evaluate`, without `recommendations`, `predictions`, `yardsticks`, `by`, `health` and `engine`. No
    health checks are made. Values have the names of results, and are found under every other name: `HR@10` is `HitRate@10`. With
    `keep_users=True` `values.per_user` is a frame of the per-user values, which early stopping needs.

    It computes in this process: it brings the rows of DataFrames of Spark here, also those of lists. For lists that are larger than the
    memory of this machine use `receval.evaluate`, which leaves them where they are.
    """

    @takes(
        *(name for name in EvaluatorArguments.__annotations__ if name not in _NOT_REPEATED),
        instead=_instead_of_lists,
        refused=_NOT_REPEATED,
    )
    def __init__(self, **arguments: Unpack[EvaluatorArguments]) -> None:
        """Read everything but the lists; raise `ConfigError` for wrong arguments, `DataError` for wrong data."""
        self._arguments = EvaluatorArguments(**arguments)
        self.keeps_users = bool(arguments.pop("keep_users", False))
        if arguments.get("health") is False:  # as it is anyway
            del arguments["health"]
        for name in _NOT_REPEATED:
            if arguments.get(name) is not None:
                hint = f"use {_instead_of_lists(name, None)}"
                raise ConfigError(f"{name} does not work with an Evaluator, which evaluates lists of one model", hint)
        if arguments.get("test") is None:
            raise ConfigError("test is missing", "give test and metrics")
        columns: Mapping[str, Any] = arguments.get("columns") or {}
        shared: dict[str, Any] = {column: name for column, name in columns.items() if not isinstance(name, Mapping)}
        of_lists = {column: name for column, name in shared.items() if column in ("user", "item", "score", "rank")}
        self._mask_seen = bool(arguments.get("mask_seen"))
        others = {name: columns[name] for name in columns if name != "recommendations"}
        with errors_as_arguments():
            arguments = CallArguments(**{name: collected(name, value) for name, value in arguments.items()})  # type: ignore[typeddict-item]
            lists = Matrix(_NO_LISTS.to_numpy(), mask_seen=True) if self._mask_seen else _NO_LISTS
            given: Any = {**arguments, "columns": others, "recommendations": lists, "health": False}
            loaded = loaded_from(None, given)
            assert masks_seen(loaded.config.data) == self._mask_seen
            self._run = RepeatedRun(loaded, {**of_lists, **columns.get("recommendations", {})}, self.keeps_users)
            warn((*loaded.warnings, *self._run.remarks), above=4)
        self._batches: list[pl.DataFrame] = []

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle the arguments, from which the rest is made again, and the lists of batches."""
        return _with_batches, (self._arguments, self._batches)

    @takes(instead=_instead_of_call)
    def update(self, users: Any, lists: Any, scores: Any = None) -> None:
        """Keep the lists of a batch of users for `compute`: an array or a tensor with a row for each of `users`.

        `lists` are item ids (users × ranks, or lists of any lengths), a pair of item ids and their scores (also as two arguments), what
        `torch.topk` returns, or scores (users × items), for other item ids than column numbers as `receval.Matrix(scores, items=ids)`.
        Raises `DataError` if they cannot be read.
        """
        with errors_as_arguments():
            matrix = matrix_of_users(as_arrays("users", users), as_arrays("lists", lists if scores is None else (lists, scores)))
            self._batches.append(self._run.batch(replace(matrix, mask_seen=self._mask_seen)))

    @takes(instead=_instead_of_call)
    def compute(self) -> EpochValues:
        """Return the value of each measure for the lists of all batches, and forget them; raise `DataError` if there are none."""
        if not self._batches:
            raise DataError("there are no lists", "call update(users, lists) for each batch first")
        batches, self._batches = self._batches, []
        if len({tuple(batch.columns) for batch in batches}) > 1:
            raise DataError("some batches have scores, others have not", "give scores with all batches, or with none")
        lists = pl.concat(batches, how="vertical_relaxed")  # ids that are text in one batch are text in all
        users = pl.concat([batch["user"].unique().cast(lists.schema["user"]) for batch in batches])
        if len(again := users.filter(users.is_duplicated())):
            hint = "give all lists of a user in one batch; compute() forgets them after each epoch"
            raise DataError(f"user {again[0]} is in several batches", hint)
        with errors_as_arguments():
            return self._values(lists)

    @takes(instead=_instead_of_call)
    def __call__(self, lists: Any) -> EpochValues:
        """Return the value of each measure for lists: a table of any kind, or a matrix of scores, alone or as `{model: lists}`.

        Raises `DataError` if they cannot be read, `ConfigError` for the lists of several models.
        """
        with errors_as_arguments():
            lists = collected("recommendations.model", single_model_lists(lists))
        if self._mask_seen and not is_matrix(lists):
            raise ConfigError("mask_seen: the lists are not a matrix of scores", NO_MATRIX)
        with errors_as_arguments():
            return self._values(masked_matrix(lists) if self._mask_seen else lists)

    def _values(self, lists: Any) -> EpochValues:
        model = self._run.evaluated(lists)
        return EpochValues(model.rows, self._run.definitions, self._run.per_user(model) if self.keeps_users else None)


def _with_batches(arguments: EvaluatorArguments, batches: list[pl.DataFrame]) -> Evaluator:
    evaluator = Evaluator(**arguments)
    evaluator._batches = list(batches)
    return evaluator
