"""The data section of a config → the sources of a run."""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path, PurePath
from typing import Final, NamedTuple

from msgspec import Struct

from .. import load
from ..config import Loaded, SourceConfig, dotted, unknown_model
from ..config.data import Data
from ..config.data_sources import UNNAMED
from ..conventions.convention import DEFAULT
from ..errors import ConfigError, DataError
from ..names.short_names import YARDSTICK_NAMES, is_address
from ..parts.spark.session import SparkSession
from ..results.result import Input, InputFile
from ..secrets import without_values
from ..tables.rows import EMPTY_TRUTH
from .looking import Looker, masks_seen, without_lists


class InputRole(NamedTuple):
    """A role of the data section: the kind of its tables, and the needs for which it is looked at; none means always."""

    table: str
    needs: frozenset[str] = frozenset()


ROLES: Final[Mapping[str, InputRole]] = {
    "test": InputRole("interactions"),
    "train": InputRole("interactions", frozenset(("catalogue", "train", "known"))),
    "items": InputRole("catalogue", frozenset(("catalogue", "items", "categories", "known"))),
    "users": InputRole("people", frozenset(("users",))),
    "baseline": InputRole("lists", frozenset(("baseline",))),
    "previous_policy": InputRole("policy", frozenset(("previous_policy",))),
    EMPTY_TRUTH: InputRole("interactions"),
    "predictions": InputRole("predictions", frozenset(("predictions",))),
    "distances": InputRole("distances", frozenset(("distances",))),
    "recommendations": InputRole("lists"),
}
"""Every role, in the order in which results list their sources. `empty_truth` are users whom the test set holds with an empty list."""
_OF_RUN: Final = ""
"""The model of a source that belongs to none."""


class Inputs(Struct, frozen=True):
    """The sources of a run, inspected but not yet read: role → model → source.

    Predictions and recommendations have a source per model, which models may share; all other roles have one for the whole run.
    """

    by_role: Mapping[str, Mapping[str, load.Source]]

    def of(self, role: str) -> load.Source | None:
        """The source of a role that has one for the whole run; `None` if there is none."""
        return self.by_role.get(role, {}).get(_OF_RUN)

    @property
    def test(self) -> load.Source:
        """The test set."""
        return self.by_role["test"][_OF_RUN]

    @property
    def train(self) -> load.Source | None:
        """The interactions that models learnt from."""
        return self.of("train")

    @property
    def items(self) -> load.Source | None:
        """The catalogue."""
        return self.of("items")

    @property
    def models(self) -> Mapping[str, load.Source]:
        """The lists of each model."""
        return self.by_role.get("recommendations", {})

    @property
    def predictions(self) -> Mapping[str, load.Source]:
        """The predicted ratings of each model that has some."""
        return self.by_role.get("predictions", {})

    def all(self) -> list[load.Source]:
        """Every source once, in the order of the roles."""
        return list({source.role: source for role in ROLES for source in self.by_role.get(role, {}).values()}.values())

    def changed(self, change: Callable[[load.Source], load.Source]) -> Inputs:
        """What `change` makes of every source."""
        made = {source.role: change(source) for source in self.all()}
        return Inputs({role: {model: made[source.role] for model, source in of_role.items()} for role, of_role in self.by_role.items()})

    def with_common_kinds(self) -> Inputs:
        """The same sources with ids of the same kind in all of them: text as soon as one file stores them so."""
        kinds = load.common_kinds(self.all())
        return self.changed(lambda source: source.with_kinds(kinds))

    def with_models(self, models: Mapping[str, load.Source]) -> Inputs:
        """The same sources beside the lists of other models."""
        return Inputs({**self.by_role, "recommendations": models})

    def single(self, name: str | None) -> Inputs:
        """The same sources with the lists of one model only; `ConfigError` if `name` is none of them, or none is named."""
        if name is None and len(self.models) == 1:
            return self
        if name is None or name not in self.models:
            close = difflib.get_close_matches(name or "", self.models, n=1)
            hint = f"did you mean '{close[0]}'?" if close else f"name one of the models {', '.join(self.models)}"
            raise ConfigError(f"there is no model '{name}': {hint}" if name else f"--model: {hint}")
        predictions = {model: source for model, source in self.predictions.items() if model == name}
        return Inputs({**self.by_role, "recommendations": {name: self.models[name]}, "predictions": predictions})


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
    there = {need.partition(".")[0] for need in wanted}
    roles = {role for role, (_, needed_for) in ROLES.items() if not needed_for or there & needed_for}
    refuse_missing_files(loaded, roles)
    roles |= {"train"} if masks_seen(data) else set()

    def single(role: str) -> load.Source | None:
        configured: SourceConfig | None = getattr(data, role)
        if configured is None or role not in roles:
            return None
        labels = sorted(need.removeprefix(f"{role}.") for need in wanted if need.startswith(f"{role}."))
        if role == "items" and data.items and "categories" in wanted:
            labels = list(dict.fromkeys((*labels, *data.items.category_columns)))
        return looker.look_at(f"data.{role}", ROLES[role].table, configured, labels=labels)

    looker = Looker(loaded.folder, stack, session, depth, lambda: single("train"))
    computed = loaded.config.evaluation.computed
    may_be_empty = any(one.counts_without_lists and one.convention != DEFAULT for one in computed)
    models = _models(data, looker, may_be_empty)
    if yardstick := next((name for name in models if name in YARDSTICK_NAMES), None):
        raise DataError(f"data.recommendations: {yardstick} is the name of reference lists (yardsticks): rename the model", "name: path")
    predictions = _predictions(data, looker, models, required="predictions" in needed) if "predictions" in roles else {}
    found = {role: single(role) for role in ROLES if role not in (EMPTY_TRUTH, "predictions", "recommendations")}
    found[EMPTY_TRUTH] = looker.look_at_empty("data.test", ROLES["test"].table, data.test)
    of_run = {role: {_OF_RUN: source} for role, source in found.items() if source is not None}
    return Inputs({**of_run, "predictions": predictions, "recommendations": models})


def refuse_missing_files(loaded: Loaded, roles: Collection[str] = tuple(ROLES)) -> None:
    """`DataError` with a line for every path, glob or folder of these roles that is not there, before any file is opened.

    Addresses, standard input and tables of a catalog are not looked at.
    """
    problems: list[str] = []
    hint = None
    for location, source in loaded.config.data.sources():
        local = [path for path in source.path if path != "-" and "://" not in path]
        if str(location[0]) not in roles:
            continue
        try:
            load.find(dotted(("data", *location)), local, loaded.folder)
        except DataError as error:
            problems.append(error.message)
            hint = error.hint
    if problems:
        raise DataError("\n".join(problems), hint)


def _models(data: Data, looker: Looker, may_be_empty: bool) -> dict[str, load.Source]:
    """The lists of each model; those of a model of which there are only predictions are empty."""
    if not data.recommendations:
        return {name: without_lists(f"data.recommendations.{name}") for name in _models_of_predictions(data)}
    if isinstance(data.recommendations, dict):
        named = [(name, dotted(("data", *location)), configured) for name, _, location, configured in data.named_lists()]
        return {name: looker.look_at_lists(role, configured, may_be_empty=may_be_empty) for name, role, configured in named}
    models: dict[str, load.Source] = {}
    model_files: dict[str, list[load.SourceFile]] = {}
    for index, configured in enumerate(data.recommendations):
        files = looker.files(f"data.recommendations[{index}]", configured)
        by_name = {configured.name: files} if configured.name else {configured.table: files} if configured.table else _by_name(files)
        for name in by_name.keys() & models.keys():
            raise _same_name(name, (*model_files[name], *by_name[name]))
        model_files |= by_name
        for name, of_model in by_name.items():
            models[name] = looker.look_at_lists(f"data.recommendations.{name}", configured, of_model, may_be_empty=may_be_empty)
    return models


def _predictions(data: Data, looker: Looker, models: Mapping[str, load.Source], *, required: bool) -> dict[str, load.Source]:
    """The predicted ratings of each model that has some: in one file for all models, or a file each."""
    table = ROLES["predictions"].table
    if data.predictions is None:
        return {}
    if not isinstance(data.predictions, dict):
        return dict.fromkeys(models, looker.look_at("data.predictions", table, data.predictions))
    model_of = {name: name for name in models} | {name: model for name, model, _, _ in data.named_lists()}
    _refuse_unknown_models(data.predictions, model_of.values(), required=required)
    found = {model: looker.look_at(f"data.predictions.{model}", table, one) for model, one in data.predictions.items()}
    return {name: found[model] for name, model in model_of.items() if model in found}


def _models_of_predictions(data: Data) -> tuple[str, ...]:
    """The names of the models of which there are predictions and no lists."""
    if isinstance(data.predictions, dict):
        return tuple(data.predictions)
    file = data.predictions.path if data.predictions is not None else ()
    return (load.without_endings(PurePath(file[0]).name) if file and file != ("-",) else UNNAMED,)


def _by_name(files: Iterable[load.SourceFile]) -> dict[str, list[load.SourceFile]]:
    """The file of each model, called as the file without its endings; `DataError` if two files would be one model."""
    by_name: dict[str, list[load.SourceFile]] = {}
    for file in files:
        name = load.without_endings(file.base_name)
        if name in by_name:
            raise _same_name(name, (*by_name[name], file))
        by_name[name] = [file]
    return by_name


def _same_name(name: str, files: Iterable[load.SourceFile]) -> DataError:
    named = " and ".join(str(file) for file in files)
    return DataError(f"data.recommendations: the model {name!r} would be {named}", "give the models as name: path")


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

    def described(file: load.SourceFile, source: load.Source) -> InputFile:
        size = fingerprints.size(file.path) if isinstance(file.path, load.FrameFile) else file.size
        return InputFile(without_values(configured_path(file, source, folder), variables), size, fingerprints.of(file.path))

    return tuple(
        Input(source.role, n_rows[source.role], tuple(described(file, source) for file in source.originals)) for source in inputs.all()
    )


def configured_path(file: load.SourceFile, source: load.Source, folder: Path) -> str:
    """A file of a source as the config writes it: the same wherever the `folder` of the config lies."""
    if file.is_piped:
        return source.given[0]
    is_elsewhere = not isinstance(file.path, Path) or is_address(file.name)
    if is_elsewhere or any(os.path.isabs(os.path.expanduser(configured)) for configured in source.given):
        return file.name
    return os.path.relpath(file.name, folder)
