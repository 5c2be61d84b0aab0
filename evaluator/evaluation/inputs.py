"""The data section of a config → the sources of a run."""

from __future__ import annotations

import difflib
import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path, PurePath

from msgspec import Struct, field
from msgspec.structs import replace

from .. import load
from ..config import Loaded, SourceConfig, dotted, unknown_model
from ..config.data import Data
from ..config.in_memory import UNNAMED
from ..conventions.convention import DEFAULT
from ..errors import ConfigError, DataError
from ..load.scan import Kind
from ..names.addresses import is_address
from ..names.yardstick_names import YARDSTICK_NAMES
from ..parts.spark.session import SparkSession
from ..results.result import Input, InputFile
from ..secrets import without_values
from .looking import Looker, masks_seen, without_lists
from .missing_files import refuse_missing_files


class Inputs(Struct, frozen=True):
    """The sources of a run, inspected but not yet read. `models` and `predictions` have one per model; models may share theirs."""

    test: load.Source
    train: load.Source | None
    items: load.Source | None
    models: Mapping[str, load.Source]
    users: load.Source | None = None
    baseline: load.Source | None = None
    previous_policy: load.Source | None = None
    distances: load.Source | None = None
    predictions: Mapping[str, load.Source] = field(default_factory=dict)
    empty_truth: load.Source | None = None
    """The users whom the test set holds with an empty list."""

    def all(self) -> list[load.Source]:
        """Every source once, in the order of the config."""
        single = (self.test, self.train, self.items, self.users, self.baseline, self.previous_policy, self.empty_truth)
        everything = (*single, *self.predictions.values(), self.distances, *self.models.values())
        return list({source.role: source for source in everything if source is not None}.values())

    def with_kinds(self, kinds: Mapping[str, Kind]) -> Inputs:
        """The same sources with their ids read as `kinds` says."""
        read = {source.role: source.with_kinds(kinds) for source in self.all()}
        return Inputs(
            test=read[self.test.role],
            train=self.train and read[self.train.role],
            items=self.items and read[self.items.role],
            models={name: read[source.role] for name, source in self.models.items()},
            users=self.users and read[self.users.role],
            baseline=self.baseline and read[self.baseline.role],
            previous_policy=self.previous_policy and read[self.previous_policy.role],
            distances=self.distances and read[self.distances.role],
            predictions={name: read[source.role] for name, source in self.predictions.items()},
            empty_truth=self.empty_truth and read[self.empty_truth.role],
        )

    def single(self, name: str | None) -> Inputs:
        """The same sources with the lists of one model only; `ConfigError` if `name` is none of them, or none is named."""
        if name is None and len(self.models) == 1:
            return self
        if name is None or name not in self.models:
            close = difflib.get_close_matches(name or "", self.models, n=1)
            hint = f"did you mean '{close[0]}'?" if close else f"name one of the models {', '.join(self.models)}"
            raise ConfigError(f"there is no model '{name}': {hint}" if name else f"--model: {hint}")
        predictions = {model: source for model, source in self.predictions.items() if model == name}
        return replace(self, models={name: self.models[name]}, predictions=predictions)


def look_at_everything(
    loaded: Loaded, needed: frozenset[str], stack: ExitStack, session: SparkSession | None = None, depth: int | None = None
) -> Inputs:
    """Find the sources of a config and detect how to read them.

    Temporary files live as long as `stack`; `session` reads tables of a catalog. Of a matrix of scores lists of `depth` are made.

    Raises `DataError` if a file is missing or cannot be read as the config says. The test file and the lists are always inspected,
    other files only if `needed`; a need that ends in `?`, such as `train?`, is optional. A need such as
    `users.age` is a column to read.
    """
    data = loaded.config.data
    wanted = {need.removesuffix("?") for need in needed}
    roles = {need.partition(".")[0] for need in wanted}
    refuse_missing_files(loaded, roles)

    def paths(role: str, configured: SourceConfig) -> list[Path | load.Remote]:
        if not configured.path:
            return []
        if configured.path == ("-",):
            return [stack.enter_context(load.spooled())]
        files = load.find(role, configured.path, loaded.folder, configured.storage)
        return [stack.enter_context(load.spooled(path)) if isinstance(path, Path) and path.is_fifo() else path for path in files]

    looker = Looker(loaded.folder, stack, session, depth, lambda: source("train", "interactions", data.train, "train"))
    roles |= {"train"} if masks_seen(data) else set()

    def source(key: str, table: str, configured: SourceConfig | None, *needs: str, labels: Sequence[str] = ()) -> load.Source | None:
        role = f"data.{key}"
        return (
            looker.look_at(role, table, configured, paths(role, configured), labels)
            if configured and roles & set(needs or (key,))
            else None
        )

    computed = loaded.config.evaluation.computed
    may_be_empty = any(one.counts_without_lists and one.convention != DEFAULT for one in computed)

    def lists(role: str, configured: SourceConfig, files: Sequence[Path | load.Remote]) -> load.Source:
        return looker.look_at_lists(role, configured, files, may_be_empty=may_be_empty)

    models: dict[str, load.Source] = {}
    model_paths: dict[str, list[Path | load.Remote]] = {}
    if not data.recommendations:
        models = {name: without_lists(f"data.recommendations.{name}") for name in _models_of_predictions(data)}
    elif isinstance(data.recommendations, dict):
        for name, _, place, configured in data.named_lists():
            role = dotted(("data", *place))
            models[name] = lists(role, configured, paths(role, configured))
    else:
        for index, configured in enumerate(data.recommendations):
            files = paths(f"data.recommendations[{index}]", configured)
            by_name = {configured.name: files} if configured.name else {configured.table: files} if configured.table else _by_name(files)
            for name in by_name.keys() & models.keys():
                raise _same_name(name, (*model_paths[name], *by_name[name]))
            model_paths |= by_name
            models |= {name: lists(f"data.recommendations.{name}", configured, files) for name, files in by_name.items()}
    if yardstick := next((name for name in models if name in YARDSTICK_NAMES), None):
        raise DataError(f"data.recommendations: {yardstick} is the name of a yardstick: give the model another one", "name: path")
    item_columns = _columns("items", wanted)
    if data.items and "categories" in wanted:
        item_columns = list(dict.fromkeys((*item_columns, *data.items.category_columns)))
    predictions: dict[str, load.Source | None] = {}
    if isinstance(data.predictions, dict) and "predictions" in roles:
        model_of = {name: name for name in models} | {name: model for name, model, _, _ in data.named_lists()}
        _refuse_unknown_models(data.predictions, model_of.values(), required="predictions" in needed)
        given = {model: source(f"predictions.{model}", "predictions", one, "predictions") for model, one in data.predictions.items()}
        predictions = {name: given[model] for name, model in model_of.items() if model in given}
    elif not isinstance(data.predictions, dict):
        predictions = dict.fromkeys(models, source("predictions", "predictions", data.predictions))
    return Inputs(
        test=looker.look_at("data.test", "interactions", data.test, paths("data.test", data.test)),
        train=source("train", "interactions", data.train, "catalogue", "train", "known"),
        items=source("items", "catalogue", data.items, "catalogue", "items", "categories", "known", labels=item_columns),
        models=models,
        users=source("users", "people", data.users, labels=_columns("users", wanted)),
        baseline=source("baseline", "lists", data.baseline),
        previous_policy=source("previous_policy", "policy", data.previous_policy),
        distances=source("distances", "distances", data.distances),
        predictions={name: file for name, file in predictions.items() if file},
        empty_truth=looker.look_at_empty("data.test", "interactions", data.test),
    )


def _models_of_predictions(data: Data) -> tuple[str, ...]:
    """The names of the models of which there are predictions and no lists."""
    if isinstance(data.predictions, dict):
        return tuple(data.predictions)
    file = data.predictions.path if data.predictions is not None else ()
    return (load.without_endings(PurePath(file[0]).name) if file and file != ("-",) else UNNAMED,)


def _by_name(files: Iterable[Path | load.Remote]) -> dict[str, list[Path | load.Remote]]:
    """The file of each model, called as the file without its endings; `DataError` if two files would be one model."""
    by_name: dict[str, list[Path | load.Remote]] = {}
    for file in files:
        name = load.without_endings(file.name)
        if name in by_name:
            raise _same_name(name, (*by_name[name], file))
        by_name[name] = [file]
    return by_name


def _same_name(name: str, files: Iterable[Path | load.Remote]) -> DataError:
    named = " and ".join(str(file) for file in files)
    return DataError(f"data.recommendations: the model {name!r} would be {named}", "name the models, as name: path")


def _columns(role: str, wanted: Iterable[str]) -> list[str]:
    """The columns of a file that are needed by name."""
    return sorted(need.removeprefix(f"{role}.") for need in wanted if need.startswith(f"{role}."))


def _refuse_unknown_models(predictions: Collection[str], models: Collection[str], required: bool) -> None:
    """`DataError` if the names of predictions are not those of the models, which the files may have given."""
    for name in predictions:
        if name not in models:
            raise DataError(f"data.predictions: {unknown_model(name, models)}")
    lacking = [name for name in models if name not in predictions]
    if required and lacking:
        raise DataError(f"data.predictions: there are no predicted ratings of the model {lacking[0]}", "give those of every model")


def describe(
    inputs: Inputs, n_rows: Mapping[str, int], fingerprints: load.Fingerprints, folder: Path, variables: Mapping[str, str]
) -> tuple[Input, ...]:
    """The inputs of the manifest: for each source its paths as the config writes them, sizes, hashes and the number of rows read."""
    return tuple(
        Input(
            source.role,
            n_rows[source.role],
            tuple(
                _file(path, name, source, fingerprints, folder, variables)
                for path, name in zip(source.paths, source.display_names, strict=True)
            ),
        )
        for source in inputs.all()
    )


def _file(
    path: Path | load.Remote | load.FrameFile,
    name: str,
    source: load.Source,
    fingerprints: load.Fingerprints,
    folder: Path,
    variables: Mapping[str, str],
) -> InputFile:
    size = path.stat().st_size if isinstance(path, Path) else fingerprints.size(path) if isinstance(path, load.FrameFile) else path.size
    return InputFile(without_values(_configured_path(path, name, source, folder), variables), size, fingerprints.of(path))


def _configured_path(path: Path | load.Remote | load.FrameFile, name: str, source: load.Source, folder: Path) -> str:
    """A file of a source as the config writes it: the same wherever the `folder` of the config lies. `name` is its name in messages."""
    if not isinstance(path, Path):
        return name
    if path.name == "stdin":
        return source.given[0]
    if is_address(name) or any(os.path.isabs(os.path.expanduser(configured)) for configured in source.given):
        return name
    return os.path.relpath(path, folder)


def with_configured_paths(message: str, source: load.Source, folder: Path) -> str:
    """The message about a source with its paths as the config writes them."""
    for path, name in zip(source.paths, source.display_names, strict=True):
        message = message.replace(str(name), _configured_path(path, str(name), source, folder))
    return without_values(message)
