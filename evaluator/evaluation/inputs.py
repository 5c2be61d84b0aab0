"""The data section of a config → the sources of a run."""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path, PurePath
from typing import Final

import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from .. import load
from ..config import Loaded, SourceConfig, dotted, unknown_model
from ..config.data import Data
from ..config.data_sources import EMPTY_TEST, NO_TEST, UNNAMED, Columns, InMemory, TestedSource
from ..config.whole_config import Evaluation
from ..conventions.convention import DEFAULT
from ..errors import ConfigError, DataError, NoRowsError, RecevalError
from ..load.columns import without_type
from ..load.in_memory.frames import frame_of
from ..load.in_memory.matrices import Matrix, positions_as_ids, unnamed_columns
from ..load.in_memory.python_values import users_without_items
from ..load.in_memory.tensors import as_arrays
from ..load.opening import FAILURES, open_rows
from ..load.scan import KEY_COLUMN, ReadError, flat_columns
from ..metrics import Definition
from ..metrics.intents import TEST_CATEGORIES
from ..names.row_filter import in_filter
from ..names.short_names import REFERENCE_NAMES, is_address
from ..parts.spark.session import SparkSession
from ..tables.rows import EMPTY_TRUTH

ROLES: Final[Mapping[str, str]] = {
    "test": "interactions",
    "train": "interactions",
    "items": "catalogue",
    "users": "people",
    "baseline": "lists",
    "previous_policy": "policy",
    EMPTY_TRUTH: "interactions",
    "predictions": "predictions",
    "distances": "distances",
    "recommendations": "lists",
}
"""Every role of the data section and the kind of its tables, in the order in which results list their sources.

`empty_truth` are users whom the test set holds with an empty list.
"""
NEEDS_OF_ROLES: Final = {"train": {"catalogue", "train", "known"}, "items": {"catalogue", "items", "categories", "vectors", "known"}}
"""The needs for which a role is inspected, if they are others than its own name."""
_OF_RUN: Final = ""
"""The key of a source that does not belong to a model."""


class Inputs(Struct, frozen=True):
    """The sources of a run, inspected but not yet read: role → model → source.

    Predictions and recommendations have a source per model, which models may share; all other roles have one for the whole run.
    """

    by_role: Mapping[str, Mapping[str, load.Source]]

    def of(self, role: str) -> load.Source | None:
        """Return the source of a role that has one for the whole run; `None` if there is none."""
        return self.by_role.get(role, {}).get(_OF_RUN)

    @property
    def test(self) -> load.Source:
        """The test set."""
        return self.by_role["test"][_OF_RUN]

    @property
    def models(self) -> Mapping[str, load.Source]:
        """The lists of each model."""
        return self.by_role.get("recommendations", {})

    @property
    def predictions(self) -> Mapping[str, load.Source]:
        """The predicted ratings of each model that has them."""
        return self.by_role.get("predictions", {})

    def all(self) -> list[load.Source]:
        """Return every source once, in the order of the roles."""
        return list({source.role: source for role in ROLES for source in self.by_role.get(role, {}).values()}.values())

    def map_sources(self, change: Callable[[load.Source], load.Source]) -> Inputs:
        """Return the inputs with `change` applied to every source."""
        made = {source.role: change(source) for source in self.all()}
        return Inputs({role: {model: made[source.role] for model, source in of_role.items()} for role, of_role in self.by_role.items()})

    def with_common_kinds(self) -> Inputs:
        """Return the sources with ids of one kind in all of them: text as soon as one file stores text."""
        kinds = load.common_kinds(self.all())
        return self.map_sources(lambda source: source.with_kinds(kinds))

    def with_models(self, models: Mapping[str, load.Source]) -> Inputs:
        """Return the same sources with the lists of other models."""
        return Inputs({**self.by_role, "recommendations": models})

    def single(self, name: str | None) -> Inputs:
        """Return the same sources with the lists of one model only.

        `name` may be `None` if there is one model. Raises `ConfigError` if there is no such model.
        """
        if name is None and len(self.models) == 1:
            return self
        if name is None:
            raise ConfigError(f"--model: name one of the models {', '.join(self.models)}")
        return self.only(name)

    def only(self, *names: str) -> Inputs:
        """Return the same sources with the lists of these models only; raise `ConfigError` if there is no such model."""
        for name in names:
            if name not in self.models:
                close = difflib.get_close_matches(name, self.models, n=1)
                hint = f"did you mean '{close[0]}'?" if close else f"name one of the models {', '.join(self.models)}"
                raise ConfigError(f"there is no model '{name}': {hint}")
        of_models = {"recommendations": self.models, "predictions": self.predictions}
        chosen = {role: {name: of_role[name] for name in names if name in of_role} for role, of_role in of_models.items()}
        return Inputs({**self.by_role, **chosen})


def look_at_everything(
    loaded: Loaded, needed: frozenset[str], stack: ExitStack, session: SparkSession | None = None, *, whole_lists: bool = False
) -> Inputs:
    """Find the sources of a config and detect how to read them.

    Temporary files live as long as `stack`; `session` reads tables of a catalog. A matrix of scores becomes `whole_lists`, or lists down
    to the lowest rank that a measure reads.

    Raises `DataError` if a file is missing or cannot be read as the config says. The test file and the lists are always inspected,
    other files only if `needed`; a need that ends in `?`, such as `train?`, is optional. A need such as
    `users.age` is a column to read.
    """
    data = loaded.config.data
    wanted = {need.removesuffix("?") for need in needed}
    there = {need.partition(".")[0] for need in wanted}
    roles = {"test", EMPTY_TRUTH, "recommendations"} | {role for role in ROLES if there & NEEDS_OF_ROLES.get(role, {role})}
    refuse_missing_files(loaded, roles)
    roles |= {"train"} if masks_seen(data) else set()
    for location, source in data.sources():
        if isinstance(held := source.frame, InMemory) and not held.is_of_spark:
            held.rows = as_arrays(f"{dotted(('data', *location))}: {held.kind}", held.rows)
    depth = None if whole_lists else deepest(loaded.config.evaluation)
    looker = _Looker(loaded, frozenset(wanted), frozenset(roles), stack, session, depth)
    try:
        models = looker.models()
        if yardstick := next((name for name in models if name in REFERENCE_NAMES), None):
            taken = f"data.recommendations: {yardstick} is the name of reference lists (yardsticks): rename the model"
            raise DataError(taken, "name: path")
        predictions = looker.predictions(models, required="predictions" in needed) if "predictions" in roles else {}
        found = {role: looker.single(role) for role in ROLES if role not in (EMPTY_TRUTH, "predictions", "recommendations")}
    except load.MissingColumnsError as error:
        raise looker.with_other_files(error) from None
    for location, source in data.sources():
        if location[0] == "recommendations" and isinstance(source.frame, InMemory) and not source.frame.is_of_spark:
            refuse_unknown_columns(f"{dotted(('data', *location))}: {source.frame.kind}", source.frame.rows, found["test"])
    found[EMPTY_TRUTH] = looker.empty_truth()
    looker.refuse_lost_columns([source for source in (*found.values(), *models.values(), *predictions.values()) if source is not None])
    of_run = {role: {_OF_RUN: source} for role, source in found.items() if source is not None}
    return Inputs({**of_run, "predictions": predictions, "recommendations": models})


def look_at_labels(loaded: Loaded, role: str, columns: Sequence[str], stack: ExitStack) -> load.Source:
    """Inspect a source that serves the whole run with further columns, which are read as text; raise `DataError` if one is missing."""
    looker = _Looker(loaded, frozenset(f"{role}.{column}" for column in columns), frozenset({role}), stack, None, None)
    source = looker.single(role)
    if source is None:
        raise DataError(f"data.{role} is not given")
    return source


def refuse_missing_files(loaded: Loaded, roles: Collection[str] = tuple(ROLES)) -> None:
    """Raise `DataError` with a line for every missing path, glob or folder of these roles, before any file is opened.

    Addresses, standard input and tables of a catalog are not checked.
    """
    errors: list[DataError] = []
    for location, source in loaded.config.data.sources():
        local = [path for path in source.path if path != "-" and "://" not in path]
        if str(location[0]) not in roles:
            continue
        try:
            load.find(dotted(("data", *location)), local, loaded.folder)
        except DataError as error:
            errors.append(error)
    if errors:
        raise DataError([line for error in errors for line in error.message.split("\n")], errors[-1].hint)


class _Looker(Struct, frozen=True):
    """Inspect the sources of a config with one of the `roles`; `wanted` are inputs and columns such as `users.age`.

    Temporary files live as long as `scratch`; `session` reads tables on Spark. A matrix of scores becomes lists of `depth` items.
    """

    loaded: Loaded
    wanted: frozenset[str]
    roles: frozenset[str]
    scratch: ExitStack
    session: SparkSession | None
    depth: int | None

    @property
    def _shared(self) -> Columns | None:
        """The columns of all sources."""
        return self.loaded.config.data.columns

    def single(self, role: str) -> load.Source | None:
        """Inspect a source that serves the whole run, with the wanted columns; `None` if it is not given, or not needed."""
        data = self.loaded.config.data
        configured: SourceConfig | None = getattr(data, role)
        if configured is None or configured.frame is NO_TEST or role not in self.roles:
            return None
        if configured.frame is EMPTY_TEST:
            return replace(_without_rows("data.test", (), ()), may_be_empty=True)
        labels = sorted(need.removeprefix(f"{role}.") for need in self.wanted if need.startswith(f"{role}."))
        if role == "items" and data.items and "categories" in self.wanted:
            labels = list(dict.fromkeys((*labels, *data.items.category_columns)))
        if role == "items" and data.items and data.items.vector and "vectors" in self.wanted:
            labels = list(dict.fromkeys((*labels, *data.items.vector)))
        if role == "test" and data.test.categories and TEST_CATEGORIES in self.wanted:
            labels = list(dict.fromkeys((*labels, data.test.categories)))
        source = self._look_at(f"data.{role}", ROLES[role], configured, labels=labels)
        target = configured.target if isinstance(configured, TestedSource) else None
        return replace(source, target=target if target is not None and target.rule != "all" else None)

    def models(self) -> dict[str, load.Source]:
        """Inspect the lists of each model; a model that has only predictions gets empty lists."""
        data = self.loaded.config.data
        if not data.recommendations and data.predictions is None:
            return {}
        if not data.recommendations:
            file = data.predictions.path if isinstance(data.predictions, SourceConfig) else ()
            only = load.without_endings(PurePath(file[0]).name) if file and file != ("-",) else UNNAMED
            names = data.predictions if isinstance(data.predictions, dict) else (only,)
            nothing = {name: _without_rows(f"data.recommendations.{name}", (), ()) for name in names}
            return {name: replace(source, may_be_empty=True, given=(), originals=()) for name, source in nothing.items()}
        if isinstance(data.recommendations, dict):
            named = [(name, dotted(("data", *location)), configured) for name, _, location, configured in data.named_lists()]
            if data.has_model_column:
                ((name, role, configured),) = named
                return self._by_model("data.recommendations" if name == UNNAMED else role, configured)
            return {name: self._look_at_lists(role, configured, self._files(role, configured)) for name, role, configured in named}
        models: dict[str, load.Source] = {}
        model_files: dict[str, list[load.SourceFile]] = {}
        for index, configured in enumerate(data.recommendations):
            if data.model_column(configured) is not None:
                by_model = self._by_model(f"data.recommendations[{index}]", configured)
                for twice in by_model.keys() & models.keys():
                    raise _same_name(twice, (*models[twice].files, *by_model[twice].files))
                models, model_files = models | by_model, model_files | {name: [*one.files] for name, one in by_model.items()}
                continue
            files = self._files(f"data.recommendations[{index}]", configured)
            given = configured.name or configured.table
            by_name: dict[str, list[load.SourceFile]] = {given: files} if given else {}
            for one in files if not given else ():
                base = load.without_endings(one.pure_path.name)
                if base in by_name:
                    raise _same_name(base, (*by_name[base], one))
                by_name[base] = [one]
            for name in by_name.keys() & models.keys():
                raise _same_name(name, (*model_files[name], *by_name[name]))
            model_files |= by_name
            for name, of_model in by_name.items():
                models[name] = self._look_at_lists(f"data.recommendations.{name}", configured, of_model)
        return models

    def _by_model(self, role: str, configured: SourceConfig) -> dict[str, load.Source]:
        """Inspect the lists of all models in one file, whose column of models is a filter for the lists of each."""
        column, files = str(self.loaded.config.data.model_column(configured)), self._files(role, configured) if configured.path else None
        kept = f"({configured.where}) and " if configured.where else ""

        def lists_of(model: str) -> str:
            return "{}{} == '{}'".format(kept, in_filter(column), model.replace("'", "''"))

        whole = load.with_filter_remark(self._look_at_all_rows(role, "lists", configured, files, ())) if configured.where else None
        source = self._look_at_all_rows(role, "lists", configured.model_copy(update={"where": lists_of("")}), files, ())
        names = load.models_in(source, column, configured.where or "")
        doubts = (*(whole or source).scan.doubts, f"{role}: each value of column {column!r} is a model.")
        of_models = (
            replace(source, role=f"data.recommendations.{name}").with_scan(where=lists_of(name), doubts=() if index else doubts)
            for index, name in enumerate(names)
        )
        return {name: load.with_conversions(one) for name, one in zip(names, of_models, strict=True)}

    def predictions(self, models: Mapping[str, load.Source], *, required: bool) -> dict[str, load.Source]:
        """Inspect the predicted ratings of each model that has them: one file for all models, or a file each.

        Raises `DataError` if predictions name a model that has no lists, or, if `required`, if a model has no predictions.
        """
        data, table = self.loaded.config.data, ROLES["predictions"]
        if data.predictions is None:
            return {}
        if not isinstance(data.predictions, dict):
            return dict.fromkeys(models, self._look_at("data.predictions", table, data.predictions))
        of_config = () if data.has_model_column else data.named_lists()
        model_of = {name: name for name in models} | {name: model for name, model, _, _ in of_config}
        for name in data.predictions:
            if name not in model_of.values():
                raise DataError(f"data.predictions: {unknown_model(name, model_of.values())}")
        lacking = [name for name in model_of.values() if name not in data.predictions]
        if required and lacking:
            raise DataError(
                f"data.predictions: there are no predicted ratings of the model {lacking[0]}", "give the predicted ratings of every model"
            )
        found = {model: self._look_at(f"data.predictions.{model}", table, one) for model, one in data.predictions.items()}
        return {name: found[model] for name, model in model_of.items() if model in found}

    def with_other_files(self, first: load.MissingColumnsError) -> DataError:
        """Return the error about the columns that a source lacks with those that others lack, as far as they can be looked at again."""
        errors: dict[str, load.MissingColumnsError] = {}
        for location, configured in self.loaded.config.data.sources():
            role, table = dotted(("data", *location)), ROLES[str(location[0])]
            try:
                files = None if isinstance(configured.frame, InMemory) else self._plain_files(role, configured)
                if isinstance(location[-1], int) and files and len(location) == 2:  # the file names the model
                    role = f"data.recommendations.{load.without_endings(files[0].pure_path.name)}"
                if files != [] and str(location[0]) in self.roles:
                    self._look_at(role, table, configured, files)
            except load.MissingColumnsError as error:
                errors[error.message] = error
            except RecevalError:
                continue  # reported when the columns are set
        errors.setdefault(first.message, first)
        return load.all_missing([*errors.values()], has_config=bool(self.loaded.name))

    def _plain_files(self, role: str, configured: SourceConfig) -> list[load.SourceFile]:
        """Return the local files of a source; none if one of them is a pipe or an address, which is read only once."""
        if any(path == "-" or is_address(path) for path in configured.path):
            return []
        found = load.find(role, configured.path, self.loaded.folder) if configured.path else []
        return [load.SourceFile.of(path) for path in found] if all(isinstance(one, Path) and os.path.isfile(one) for one in found) else []

    def empty_truth(self) -> load.Source | None:
        """Inspect the users to whom a dict in memory gives an empty list; `None` if there are none."""
        configured = self.loaded.config.data.test
        if not isinstance(configured.frame, InMemory) or configured.frame in (NO_TEST, EMPTY_TEST) or configured.frame.is_of_spark:
            return None
        held = configured.frame
        columns = load.ReadOptions.of(configured, shared=self._shared).columns
        users = users_without_items(f"data.test: {held.kind}", ROLES["test"], held.rows, columns)
        return None if users is None else load.look_at_frame("data.test (empty lists)", "people", users, name=held.kind)

    def refuse_lost_columns(self, sources: Sequence[load.Source]) -> None:
        """Raise `DataError` for a shared column that no source has; sources that the run does not need are looked at too."""

        def columns_of(source: load.Source) -> set[str]:
            return {*source.scan.names.values(), *(cell for cells in source.scan.wide.values() for cell in cells)}

        used = {name for source in sources for name in columns_of(source)}
        given = flat_columns(self._shared.given() if self._shared else {}).items()
        shared = [(role, one) for role, name in given for one in (name if isinstance(name, tuple) else (name,))]
        lost = [(role, name) for role, name in shared if isinstance(name, str) and not {name, without_type(name)} & used]
        if lost:
            everything = replace(self, roles=frozenset(ROLES))
            others = (everything.single(role) for role in ROLES if role not in self.roles | {EMPTY_TRUTH, "predictions", "recommendations"})
            used |= {name for source in others if source is not None for name in columns_of(source)}
        for role, name in lost:
            if not {name, without_type(name)} & used:
                raise DataError(
                    f"data.columns: no file or table has a column {name!r} for the {'user' if role.startswith(KEY_COLUMN) else role}",
                    "choose an existing column",
                )

    def _files(self, role: str, configured: SourceConfig) -> list[load.SourceFile]:
        """Find the files and folders of a source; standard input and pipes are read into temporary files."""
        if configured.path == ("-",):
            return [self.scratch.enter_context(load.copy_of_pipe())]
        found = load.find(role, configured.path, self.loaded.folder, configured.storage)
        return [
            self.scratch.enter_context(load.copy_of_pipe(path)) if isinstance(path, Path) and path.is_fifo() else load.SourceFile.of(path)
            for path in found
        ]

    def _look_at(
        self, role: str, table: str, configured: SourceConfig, files: Sequence[load.SourceFile] | None = None, labels: Sequence[str] = ()
    ) -> load.Source:
        """Inspect a source, or only `files` of it; `labels` are further columns to read."""
        return load.with_conversions(load.with_filter_remark(self._look_at_all_rows(role, table, configured, files, labels)))

    def _look_at_all_rows(
        self, role: str, table: str, configured: SourceConfig, files: Sequence[load.SourceFile] | None, labels: Sequence[str]
    ) -> load.Source:
        options, held = load.ReadOptions.of(configured, labels, self._shared), configured.frame
        of_spark = held if isinstance(held, InMemory) and held.is_of_spark else None
        if configured.table is not None or of_spark is not None:
            from ..parts.spark.catalog_tables import look_at_table, name_of_view  # only here: most runs need no Spark

            assert self.session is not None, "the config was checked to read tables on Spark"
            shown = "" if of_spark is None else of_spark.kind
            name = str(configured.table) if of_spark is None else name_of_view(role, of_spark.rows, shown, self.scratch)
            return look_at_table(self.session, role, table, name, replace(options, nulls=()), shown)
        if isinstance(held, InMemory):
            where = f"{role}: {held.kind}"
            seen = seen_pairs(where, held.rows, self.single("train") if _is_masked(held.rows) else None, self.session)
            frame = frame_of(where, table, held.rows, columns=options.columns, depth=self.depth, seen=seen)
            return replace(load.look_at_frame(role, table, frame, options, held.kind), positions=positions_as_ids(table, held.rows))
        if configured.uri is not None and configured.query is not None:
            return load.look_at_query(role, table, configured.uri, configured.query, self.loaded.folder, options, self.scratch)
        files = self._files(role, configured) if files is None else files
        return load.look(role, table, configured.path, files, options, self.scratch, copies_stores=self.session is None)

    def _look_at_lists(self, role: str, configured: SourceConfig, files: Sequence[load.SourceFile]) -> load.Source:
        """Inspect the lists of a model; they may be empty if a measure of another convention counts users without lists."""
        computed = self.loaded.config.evaluation.computed
        may_be_empty = any(one.counts_without_lists and one.convention != DEFAULT for one in computed)
        try:
            source = self._look_at(role, "lists", configured, files)
        except NoRowsError:
            if not may_be_empty:
                raise
            source = _without_rows(role, configured.path, files)
        return replace(source, may_be_empty=may_be_empty)


def _same_name(name: str, files: Iterable[load.SourceFile]) -> DataError:
    """Return the error for several files that would give the same model name."""
    named = " and ".join(str(file) for file in files)
    return DataError(f"data.recommendations: {named} would have the same model name, {name!r}", "give the models as name: path")


def _without_rows(role: str, given: Sequence[str], files: Sequence[load.SourceFile]) -> load.Source:
    """Return lists without rows, from empty files or from no file."""
    frame = pl.DataFrame(schema={"user": pl.Int64, "item": pl.Int64, "score": pl.Float64})
    source = load.look_at_frame(role, "lists", frame, name="no lists")
    return replace(source, given=tuple(given), originals=tuple(files)) if files else source


def seen_pairs(where: str, rows: object, train: load.Source | None, session: SparkSession | None = None) -> pl.DataFrame | None:
    """Return the pairs of train that a matrix masks as seen, with ids as text; `None` if the matrix masks none.

    `session` reads a train table on Spark. Raises `ConfigError` if `train` is missing.
    """
    if not _is_masked(rows):
        return None
    if train is None:
        raise ConfigError(f"{where}: seen items are not known", "give data.train, or remove mask_seen")
    as_text = train.with_kinds({"user": "text", "item": "text"})
    try:
        if train.scan.format == "table" and session is not None:
            from ..parts.spark.shuffle import table_frame  # only here: most runs need no Spark

            return table_frame(session, as_text).select("user", "item")
        return open_rows(as_text.scan).select("user", "item").collect()
    except (*FAILURES, ReadError) as error:
        raise load.explain(train, ReadError(str(error))) from error


def refuse_unknown_columns(where: str, rows: object, test: load.Source | None) -> None:
    """Raise `DataError` if most test rows have items that are no columns of a matrix of scores without ids of items.

    A test set that only Spark can read is not checked.
    """
    n_items = unnamed_columns(rows)
    if n_items is None or test is None or test.scan.format == "table":
        return
    try:
        tested = open_rows(test.with_kinds({"user": "text", "item": "text"}).scan).select(pl.col("item").cast(pl.Int64, strict=False))
        items = tested.collect()["item"]
    except FAILURES as error:
        raise load.explain(test, ReadError(str(error))) from error
    n_lost = len(items) - int(items.is_between(0, n_items - 1).sum())
    if n_lost * 2 > len(items):
        raise DataError(
            f"{where}: {n_lost:,} of {len(items):,} test rows have an item that this matrix of scores does not have: "
            f"its columns have no ids, so they are the items 0 to {n_items - 1:,}",
            "give the ids of the columns, receval.Matrix(scores, items=ids); for candidates of each user give their ids too: (ids, scores)",
        )


def _is_masked(rows: object) -> bool:
    """Return whether rows are a matrix of scores that masks the items of train."""
    return isinstance(rows, Matrix) and rows.mask_seen


def masks_seen(data: Data) -> bool:
    """Return whether a matrix of scores of a config masks the items of train."""
    return any(isinstance(source.frame, InMemory) and _is_masked(source.frame.rows) for _, source in data.sources())


def deepest(evaluation: Evaluation) -> int | None:
    """Return how many items of a list measures read at most.

    `None` means all: a measure has no cut-off, removes items from lists first, or looks at all items with the same score.
    """
    definitions = [inner for definition in evaluation.computed for inner in definition.all]
    leaves_out = any(one.lists.leaves_out or one.lists.judges_ties or _looks_at_ties(one) for one in definitions)
    cutoffs = [one.k for one in definitions if one.metric.cut]
    if leaves_out or not cutoffs or None in cutoffs or any(not one.metric.cut for one in evaluation.computed):
        return None
    return max(k for k in cutoffs if k is not None)


def _looks_at_ties(definition: Definition) -> bool:
    return definition.params.get("ties", "list_order") != "list_order" and "ties" in definition.metric.axes
