"""`Looker`: each source of the data section → its files, how they were recognised, and the options to read them. Long: one class."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path, PurePath
from typing import Final

import polars as pl
from msgspec import Struct, field
from msgspec.structs import replace

from .. import load
from ..config import Loaded, SourceConfig, dotted, unknown_model
from ..config.data_sources import EMPTY_TEST, NO_TEST, UNNAMED, Columns, InMemory, TestedSource
from ..config.whole_config import RelevanceConfig
from ..conventions.convention import DEFAULT
from ..engines.spark.session import SparkSession
from ..load.columns import without_type
from ..load.in_memory.frames import frame_of
from ..load.in_memory.matrices import positions_as_ids
from ..load.in_memory.python_values import users_without_items
from ..load.scan import KEY_COLUMN, flat_columns
from ..load.source import OpenedSource
from ..load.source_file import FrameFile
from ..metrics.definition import Definition
from ..metrics.intents import TEST_CATEGORIES
from ..recognise.applying import QuestionError, as_recognised, models_error
from ..recognise.evidence import Table
from ..recognise.reading import FileReading
from ..recognise.recogniser import Question, SourceRequest, recognise
from ..recognise.swapped import refuse_swapped
from ..support.errors import ConfigError, DataError, NoRowsError, RecevalError
from ..support.patterns import regex
from ..syntax.model_patterns import chosen_models
from ..syntax.row_filter import in_filter
from ..syntax.short_names import is_address
from ..tables.rows import EMPTY_TRUTH
from .matrix_inputs import is_masked, seen_pairs

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
_Opened = OpenedSource | pl.DataFrame
_ALIKE: Final = ("above_zero", "all_rows")
"""Rules of relevance for which all ratings above 0 are the same."""
_OF_ROWS: Final = regex(r"\brows\.([^\s\"\\,@()\[\]{}=]+)")
"""A column of the test file, as groups, weights and values name it."""


class _Lists(Struct, frozen=True):
    """A file of lists: the name of its model, its source, and its files, if they were looked for; `is_named` by a person."""

    name: str
    role: str
    configured: SourceConfig
    files: Sequence[load.SourceFile] | None = None
    is_named: bool = True
    setting: str = ""
    """The place of its source in the config, if its name is not there."""


class Looker(Struct, frozen=True):
    """Inspect the sources of a config with one of the `roles`; `wanted` are inputs and columns such as `users.age`.

    Temporary files live as long as `scratch`; `session` reads tables on Spark. A matrix of scores becomes lists of `depth` items.
    """

    loaded: Loaded
    wanted: frozenset[str]
    roles: frozenset[str]
    scratch: ExitStack
    session: SparkSession | None
    depth: int | None
    opened: dict[str, _Opened] = field(default_factory=dict)
    """Source → its files or frame, opened once."""
    found: dict[str, FileReading | Question] = field(default_factory=dict)
    """Source → how it is read, as far as it was recognised, or the readings between which a person must choose."""

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

    def recognise(self) -> None:
        """Recognise how the test set, the train set, and the lists are read, each beside the others."""
        requests = []
        data = self.loaded.config.data
        single = [(role, getattr(data, role)) for role in ("test", "train", "baseline") if role in self.roles]
        sources: list[tuple[str, Table, _Lists]] = [
            (f"data.{role}", "lists" if role == "baseline" else "interactions", _Lists("", f"data.{role}", source))
            for role, source in single
            if source is not None and source.frame is not NO_TEST and source.frame is not EMPTY_TEST
        ]
        sources += [(source.role, "lists", source) for source in self._lists()]
        for role, table, source in sources:
            with suppress(DataError):  # raised again, with its place, when the source is looked at
                if (request := self._request(role, table, source.configured, source.files)) is not None:
                    requests.append(replace(request, setting=source.setting))
        refuse_swapped(requests, " --replace" if self.loaded.name else "")
        evaluation = self.loaded.config.evaluation
        reads_ratings = any(definition.truth.graded or definition.truth.rule not in _ALIKE for definition in evaluation.computed)
        reads_ratings |= bool(what_needs_ratings(evaluation.relevance, evaluation.computed))
        self.found.update(recognise(requests, reads_ratings=reads_ratings))

    def _request(self, role: str, table: Table, configured: SourceConfig, files: Sequence[load.SourceFile] | None) -> SourceRequest | None:
        """Open a source; return what the recogniser looks at, or `None` for a table that only Spark reads."""
        labels = sorted(need.partition(".")[2] for need in self.wanted if role == f"data.{need.partition('.')[0]}" and "." in need)
        labels += self._columns_of_rows() if role == "data.test" else []
        options = load.ReadOptions.from_config(configured, labels, self._shared)
        opened = self._open(role, table, configured, options, files)
        if opened is None:
            return None
        if isinstance(opened, pl.DataFrame):
            return SourceRequest(role, table, load.SourceFile(FrameFile(opened.lazy()), configured.frame.kind), "frame", options)
        has_paths = any(file.path_columns for file in opened.files)  # whose columns are not in a sample
        return None if has_paths else SourceRequest(role, table, opened.files[0], opened.format, options)

    def _columns_of_rows(self) -> list[str]:
        """Return the columns of test rows that the config names for something else than what judges them, in this run or another."""
        named = self.loaded.config.model_dump_json(exclude={"data": True, "evaluation": {"metrics", "complex_metrics"}}, exclude_unset=True)
        return _OF_ROWS.findall(named)

    def _open(
        self, role: str, table: str, configured: SourceConfig, options: load.ReadOptions, files: Sequence[load.SourceFile] | None
    ) -> _Opened | None:
        """Return the files, or the frame, of a source, opened once; `None` for a table of Spark."""
        held = configured.frame
        if role in self.opened:
            return self.opened[role]
        if configured.table is not None or (isinstance(held, InMemory) and held.is_of_spark):
            return None
        if isinstance(held, InMemory):
            where = f"{role}: {held.kind}"
            seen = seen_pairs(where, held.rows, self.single("train") if is_masked(held.rows) else None, self.session)
            self.opened[role] = frame_of(where, table, held.rows, columns=options.columns, depth=self.depth, seen=seen)
        elif configured.uri is not None and configured.query is not None:
            folder = self.loaded.folder
            self.opened[role] = load.open_query(role, table, configured.uri, configured.query, folder, options, self.scratch)
        else:
            found = self._files(role, configured) if files is None else files
            copies = self.session is None
            self.opened[role] = load.open_source(role, table, configured.path, found, options, self.scratch, copies_stores=copies)
        return self.opened[role]

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
        models: dict[str, load.Source] = {}
        for lists in self._lists():
            column = self._model_column(lists)
            found = (
                {lists.name: self._look_at_lists(lists.role, lists.configured, lists.files)}
                if column is None
                else self._by_model(lists, column)
            )
            for twice in found.keys() & models.keys():
                raise _same_name(twice, (*models[twice].files, *found[twice].files))
            models |= {name: replace(source, setting=lists.setting or lists.role) for name, source in found.items()}
        return models

    def chosen(self, models: dict[str, load.Source]) -> dict[str, load.Source]:
        """Return the chosen ones of the models that files name; raise `ConfigError` for a choice that fits none."""
        data = self.loaded.config.data
        if data.models is None or data.all_models is not None:
            return models
        try:
            return {name: models[name] for name in chosen_models(data.models, models)}
        except ValueError as error:
            raise ConfigError(f"data.models (--models): {error}") from None

    def _model_column(self, lists: _Lists) -> str | int | None:
        """Return the column with the names of models: as the config says, or as recognised in a file that a person gave no name."""
        given, reading = self.loaded.config.data.model_column(lists.configured), self.found.get(lists.role)
        if given is not None or not isinstance(reading, FileReading) or "model" not in reading.columns:
            return given
        if lists.is_named:
            held = lists.configured.frame
            raise models_error(
                reading, held.kind if isinstance(held, InMemory) else str(lists.files[0] if lists.files else lists.configured.path[0])
            )
        column: str | int = reading.columns["model"]
        return column

    def _lists(self) -> list[_Lists]:
        """Return the files of lists, each of one model, or of several that a column names."""
        data = self.loaded.config.data
        if not data.recommendations:
            return []
        if isinstance(data.recommendations, dict):
            found = []
            for name, _, location, configured in data.named_lists():
                role = "data.recommendations" if name == UNNAMED and data.has_model_column else dotted(("data", *location))
                is_named = name != (load.without_endings(PurePath(configured.path[0]).name) if configured.path else UNNAMED)
                found.append(_Lists(name, role, configured, is_named=is_named))
            return found
        by_name: dict[str, _Lists] = {}
        for index, configured in enumerate(data.recommendations):
            files = self._files(f"data.recommendations[{index}]", configured)
            given = configured.name or configured.table
            if data.model_column(configured) is not None:
                by_name[f"[{index}]"] = _Lists("", f"data.recommendations[{index}]", configured, files)
                continue
            own: dict[str, list[load.SourceFile]] = {given: files} if given else {}
            for file in files if not given else ():
                base = load.without_endings(file.pure_path.name)
                if base in own:
                    raise _same_name(base, (*own[base], file))
                own[base] = [file]
            for name in own.keys() & by_name.keys():
                raise _same_name(name, (*(by_name[name].files or ()), *own[name]))
            by_name |= {
                name: _Lists(name, f"data.recommendations.{name}", configured, of_model, bool(given), f"data.recommendations[{index}]")
                for name, of_model in own.items()
            }
        if data.models is not None and all(lists.name for lists in by_name.values()):
            with suppress(ValueError):  # a column of one of the files may name the model
                return [by_name[name] for name in chosen_models(data.models, by_name)]
        return [*by_name.values()]

    def _by_model(self, lists: _Lists, column: str | int) -> dict[str, load.Source]:
        """Inspect the lists of all models in one file, whose column of models is a filter for the lists of each."""
        role, configured = lists.role, lists.configured
        files = self._files(role, configured) if configured.path and lists.files is None else lists.files
        kept = f"({configured.where}) and " if configured.where else ""

        def lists_of(model: str) -> str:
            return "{}{} == '{}'".format(kept, in_filter(str(column)), model.replace("'", "''"))

        whole = load.with_filter_remark(self._look_at_all_rows(role, "lists", configured, files, ())) if configured.where else None
        source = self._look_at_all_rows(role, "lists", configured.model_copy(update={"where": lists_of("")}), files, ())
        names = load.models_in(source, str(column), configured.where or "")
        doubts = (*(whole or source).scan.doubts, f"{role}: each value of column {column!r} is a model.")
        of_models = (
            replace(source, role=f"data.recommendations.{name}").with_scan(where=lists_of(name), doubts=() if index else doubts)
            for index, name in enumerate(names)
        )
        return {name: load.with_conversions(model) for name, model in zip(names, of_models, strict=True)}

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
        found = {model: self._look_at(f"data.predictions.{model}", table, source) for model, source in data.predictions.items()}
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
                    self.opened.pop(role, None)
                    self._look_at(role, table, configured, files)
            except load.MissingColumnsError as error:
                errors[error.message] = error
            except QuestionError as error:
                if isinstance(error.failure, load.MissingColumnsError):
                    errors[error.failure.message] = error.failure
            except RecevalError:
                continue  # reported when the columns are set
        errors.setdefault(first.message, first)
        return load.all_missing([*errors.values()], has_config=bool(self.loaded.name))

    def with_other_questions(self, error: QuestionError) -> QuestionError:
        """Return the question about a source with those about others."""
        asked = {question.request.source for question in error.questions}
        others = [answer for source, answer in self.found.items() if isinstance(answer, Question) and source not in asked]
        return QuestionError((*error.questions, *others), error.failure)

    def _plain_files(self, role: str, configured: SourceConfig) -> list[load.SourceFile]:
        """Return the local files of a source; none if one of them is a pipe or an address, which is read only once."""
        if any(path == "-" or is_address(path) for path in configured.path):
            return []
        found = load.find(role, configured.path, self.loaded.folder) if configured.path else []
        return (
            [load.SourceFile.from_path(path) for path in found]
            if all(isinstance(path, Path) and os.path.isfile(path) for path in found)
            else []
        )

    def empty_truth(self) -> load.Source | None:
        """Inspect the users to whom a dict in memory gives an empty list; `None` if there are none."""
        configured = self.loaded.config.data.test
        if not isinstance(configured.frame, InMemory) or configured.frame in (NO_TEST, EMPTY_TEST) or configured.frame.is_of_spark:
            return None
        held = configured.frame
        columns = load.ReadOptions.from_config(configured, shared=self._shared).columns
        users = users_without_items(f"data.test: {held.kind}", ROLES["test"], held.rows, columns)
        return None if users is None else load.look_at_frame("data.test (empty lists)", "people", users, name=held.kind)

    def refuse_lost_columns(self, sources: Sequence[load.Source]) -> None:
        """Raise `DataError` for a shared column that no source has; sources that the run does not need are looked at too."""

        def columns_of(source: load.Source) -> set[str]:
            return {*source.scan.names.values(), *(cell for cells in source.scan.wide.values() for cell in cells)}

        used = {name for source in sources for name in columns_of(source)}
        given = flat_columns(self._shared.given() if self._shared else {}).items()
        shared = [(role, part) for role, name in given for part in (name if isinstance(name, tuple) else (name,))]
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
            self.scratch.enter_context(load.copy_of_pipe(path))
            if isinstance(path, Path) and path.is_fifo()
            else load.SourceFile.from_path(path)
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
        options, held = load.ReadOptions.from_config(configured, labels, self._shared), configured.frame
        of_spark = held if isinstance(held, InMemory) and held.is_of_spark else None
        if configured.table is not None or of_spark is not None:
            from ..engines.spark.catalog_tables import look_at_table, name_of_view  # only here: most runs need no Spark

            assert self.session is not None, "the config was checked to read tables on Spark"
            shown = "" if of_spark is None else of_spark.kind
            name = str(configured.table) if of_spark is None else name_of_view(role, of_spark.rows, shown, self.scratch)
            return look_at_table(self.session, role, table, name, replace(options, nulls=()), shown)
        opened, found = self._open(role, table, configured, options, files), self.found.get(role)
        assert opened is not None, "tables of Spark were looked at"
        source = as_recognised(found, lambda own: self._look(role, table, configured, opened, own), options)
        if configured.query is not None:
            load.refuse_unordered(source, configured.query)
        return source

    def _look(self, role: str, table: str, configured: SourceConfig, opened: _Opened, options: load.ReadOptions) -> load.Source:
        """Decide how to read the files or the frame of a source with these options."""
        held = configured.frame
        if isinstance(opened, OpenedSource):
            return load.look(opened, options if configured.query is None else replace(options, format="ipc"), self.scratch)
        assert isinstance(held, InMemory), "only rows in memory are a frame"
        frame = frame_of(f"{role}: {held.kind}", table, opened, columns=options.columns)
        return replace(load.look_at_frame(role, table, frame, options, held.kind), positions=positions_as_ids(table, held.rows))

    def _look_at_lists(self, role: str, configured: SourceConfig, files: Sequence[load.SourceFile] | None) -> load.Source:
        """Inspect the lists of a model; they may be empty if a measure of another convention counts users without lists."""
        computed = self.loaded.config.evaluation.computed
        may_be_empty = any(definition.counts_without_lists and definition.convention != DEFAULT for definition in computed)
        try:
            source = self._look_at(role, "lists", configured, files)
        except NoRowsError:
            if not may_be_empty:
                raise
            source = _without_rows(role, configured.path, self._files(role, configured) if files is None else files)
        return replace(source, may_be_empty=may_be_empty)


def what_needs_ratings(relevance: RelevanceConfig, definitions: Sequence[Definition]) -> list[str]:
    """Return the names of settings and measures that need ratings of test rows."""
    found = ["evaluation.relevance.graded"] if relevance.graded else []
    found += ["evaluation.relevance.threshold"] if relevance.threshold is not None else []
    found += [f"the threshold of {definition.label}" for definition in definitions if definition.truth.threshold is not None]
    found += [definition.label for definition in definitions if definition.truth.gains]
    return found + [definition.label for definition in definitions if "ratings?" in definition.own_needs]


def _same_name(name: str, files: Iterable[load.SourceFile]) -> DataError:
    """Return the error for several files that would give the same model name."""
    named = " and ".join(str(file) for file in files)
    return DataError(f"data.recommendations: {named} would have the same model name, {name!r}", "give the models as name: path")


def _without_rows(role: str, given: Sequence[str], files: Sequence[load.SourceFile]) -> load.Source:
    """Return lists without rows, from empty files or from no file."""
    frame = pl.DataFrame(schema={"user": pl.Int64, "item": pl.Int64, "score": pl.Float64})
    source = load.look_at_frame(role, "lists", frame, name="no lists")
    return replace(source, given=tuple(given), originals=tuple(files)) if files else source
