"""The data section of a config → the sources of a run."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from .. import load
from ..config import Loaded, dotted
from ..config.data_sources import InMemory
from ..engines.spark.session import SparkSession
from ..load.in_memory.tensors import as_arrays
from ..recognise.applying import QuestionError
from ..support.errors import ConfigError, DataError
from ..support.synonyms import is_question
from ..syntax.model_patterns import chosen_models
from ..syntax.short_names import REFERENCE_NAMES
from ..tables.rows import EMPTY_TRUTH
from .looking import ROLES, Looker
from .matrix_inputs import deepest, masks_seen, refuse_unknown_columns

NEEDS_OF_ROLES: Final = {"train": {"catalogue", "train", "known"}, "items": {"catalogue", "items", "categories", "vectors", "known"}}
"""The needs for which a role is inspected, if they are others than its own name."""
_OF_RUN: Final = ""
"""The key of a source that does not belong to a model."""


class Inputs(Struct, frozen=True):
    """The sources of a run, inspected but not yet read: role → model → source.

    Predictions and recommendations have a source per model, which models may share; all other roles have one for the whole run.
    """

    by_role: Mapping[str, Mapping[str, load.Source]]
    n_models: int = 0
    """The number of models of the config, of which `data.models` may choose some."""

    def source(self, role: str) -> load.Source | None:
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
        by_role = {role: {model: made[source.role] for model, source in of_role.items()} for role, of_role in self.by_role.items()}
        return replace(self, by_role=by_role)

    def with_common_kinds(self) -> Inputs:
        """Return the sources with ids of one kind in all of them: text as soon as one file stores text."""
        kinds = load.common_kinds(self.all())
        return self.map_sources(lambda source: source.with_kinds(kinds))

    def with_models(self, models: Mapping[str, load.Source]) -> Inputs:
        """Return the same sources with the lists of other models."""
        return replace(self, by_role={**self.by_role, "recommendations": models})

    def single(self, name: str | None) -> Inputs:
        """Return the same sources with the lists of one model only.

        `name` may be `None` if there is one model. Raises `ConfigError` if there is no such model.
        """
        if name is None and len(self.models) == 1:
            return self
        if name is None:
            raise ConfigError(f"--models: name one of the models {', '.join(self.models)}")
        found = self.only(name)
        if len(found.models) > 1:
            raise ConfigError(f"--models: name one of the models {', '.join(found.models)}")
        return found

    def only(self, *names: str) -> Inputs:
        """Return the same sources with the lists of these models only; raise `ConfigError` if there is no such model."""
        try:
            names = tuple(model for name in names for model in chosen_models((name,), self.models))
        except ValueError as error:
            raise ConfigError(f"{error}") from None
        of_models = {"recommendations": self.models, "predictions": self.predictions}
        chosen = {role: {name: of_role[name] for name in names if name in of_role} for role, of_role in of_models.items()}
        return replace(self, by_role={**self.by_role, **chosen})


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
    looker = Looker(loaded, frozenset(wanted), frozenset(roles), stack, session, None if whole_lists else deepest(loaded.config.evaluation))
    try:
        looker.recognise()
        every = looker.models()
        models = looker.chosen(every)
        if reference_name := next((name for name in models if name in REFERENCE_NAMES), None):
            raise DataError(
                f"data.recommendations: {reference_name} is the name of reference lists (yardsticks): rename the model", "name: path"
            )
        predictions = looker.predictions(every, required="predictions" in needed) if "predictions" in roles else {}
        predictions = {name: source for name, source in predictions.items() if name in models}
        found = {role: looker.single(role) for role in ROLES if role not in (EMPTY_TRUTH, "predictions", "recommendations")}
    except load.MissingColumnsError as error:
        raise looker.with_other_files(error) from None
    except QuestionError as error:
        raise looker.with_other_questions(error) from None
    for location, source in data.sources():
        if location[0] == "recommendations" and isinstance(source.frame, InMemory) and not source.frame.is_of_spark:
            refuse_unknown_columns(f"{dotted(('data', *location))}: {source.frame.kind}", source.frame.rows, found["test"])
    found[EMPTY_TRUTH] = looker.empty_truth()
    looker.refuse_lost_columns([source for source in (*found.values(), *models.values(), *predictions.values()) if source is not None])
    of_run = {role: {_OF_RUN: source} for role, source in found.items() if source is not None}
    return Inputs({**of_run, "predictions": predictions, "recommendations": models}, len(data.all_models or every))


def look_at_labels(loaded: Loaded, role: str, columns: Sequence[str], stack: ExitStack) -> load.Source:
    """Inspect a source that serves the whole run with further columns, which are read as text; raise `DataError` if one is missing."""
    looker = Looker(loaded, frozenset(f"{role}.{column}" for column in columns), frozenset({role}), stack, None, None)
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
    if len(errors) == 1:
        raise errors[0]
    if errors:
        texts = (f"{error.message}: {error.hint}" if is_question(error.hint or "") else error.message for error in errors)
        hint = next((error.hint for error in reversed(errors) if error.hint and not is_question(error.hint)), None)
        raise DataError([line for text in texts for line in text.split("\n")], hint)
