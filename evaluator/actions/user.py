"""Find the config or the results that a command names, and collect everything about one user: `receval user`."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from glob import glob
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from ..config import Loaded
from ..evaluation.progress import Report, silent
from ..results.chosen_models import with_chosen_models
from ..results.result import Result
from ..results.user_view import UserView
from ..storage.overwriting import InputPath
from ..storage.own_inputs import inputs_of, inputs_of_folders
from ..storage.places import is_folder, place_of
from ..storage.result_folder import enriched_path, is_result_folder, load
from ..storage.stage import Stage
from ..studies.user_viewing import view_stored_user, view_user
from ..support.errors import ConfigError, DataError
from ..syntax.short_names import is_address
from .diff import config_here, found_path, stored_config
from .targets import PathLike, targets_of

Read = Callable[[str | Mapping[str, Any] | None], Loaded]
"""Reads a config, a path or a mapping, or without one the files of options."""
_HOW: Final = "receval user ID CONFIG, or receval user ID DIR"


class OpenedUser(Struct, frozen=True, eq=False):
    """The config or the results in which a user is looked up; of results alone, a note says what is missing."""

    loaded: Loaded | None
    result: Result | None = None
    note: str = ""
    folder: str | None = None

    def read(self) -> Iterator[InputPath]:
        """Yield every file and folder that is read, which outputs must not replace."""
        yield from inputs_of_folders([self.folder] if self.folder is not None else ())
        yield from inputs_of(self.loaded) if self.loaded is not None else ()

    def view(self, user: Any, models: Sequence[str] = (), *, n_shown: int = 5, quick: bool = False, report: Report = silent) -> UserView:
        """Return everything about a user; see `view_user` for its errors."""
        if self.loaded is None:
            assert self.result is not None
            result = with_chosen_models({"": self.result}, models)[""] if models else self.result
            return view_stored_user(result, user, self.note, n_shown=n_shown)
        return view_user(self.loaded, user, models, self.result, n_shown=n_shown, quick=quick and self.result is None, report=report)


def open_user(given: str | None, user: Any, read: Read, *, has_test: bool = False) -> OpenedUser:
    """Open a config or a folder of results, in which a user is looked up.

    Without a name it is the working folder, if it has results, or its only config, or with `has_test` the files of options. The files of
    the run of a folder are read again where they are; a note says what is missing.

    Raises `DataError` if a folder has neither per-user values nor its files.
    """
    if given is None and not has_test:
        given = "." if is_result_folder(Path()) else config_here(f": {_HOW}", f"receval user {shlex.quote(str(user))} {{}}")
    if given is None or not is_folder(given):
        return OpenedUser(read(given))
    folder = place_of(given)
    result = load(folder)
    if "folds" in (result.config.get("data") or {}):
        problem = f"{folder}: the results are of several folds, and a user is shown in one"
        raise DataError(
            problem, f"give the config and choose a fold: receval user {shlex.quote(str(user))} CONFIG --set 'data.folds=[NAME]'"
        )
    lists = _lists(folder, result)
    missing = [] if has_test else list(_missing(folder, result, lists=False))
    missing += _missing(folder, result, lists=True) if lists is None else ()
    if has_frames := _has_frames(result.config["data"]):
        missing = []
    if missing or has_frames:
        return OpenedUser(None, result, _note(folder, result, missing), given)
    config = stored_config(folder, result, lists or {}, has_test=has_test)
    return OpenedUser(read(_without_lost(config, result)), result, folder=given)


def _has_frames(data: Any) -> bool:
    """Return whether a source of stored results was a table in memory."""
    return isinstance(data, dict) and ("frame" in data or any(map(_has_frames, data.values())))


def _note(folder: Path, result: Result, missing: Sequence[str]) -> str:
    """Return why only the per-user values of a folder are shown: its files are `missing`, or were tables in memory."""
    where = f"the files of these results are not here ({', '.join(dict.fromkeys(missing))})" if missing else "its tables were in memory"
    how = "run this in the folder of the config" if missing else "call result.user in Python"
    if not result.per_user:
        raise DataError(f"{folder} has no per-user values, and {where}", how)
    return f"Only values: {where}. To see history, test rows and lists, {how}."


def _lists(folder: Path, result: Result) -> dict[str, Any] | None:
    """Return the lists and predictions of a folder: those of its config, if all are there, else the stored lists; `None` without either."""
    data = result.config["data"]
    if not list(_missing(folder, result, lists=True)):
        return {role: data[role] for role in ("recommendations", "predictions") if role in data}
    own = [model for model in result.models if model not in result.yardsticks]
    files = {model: folder / enriched_path(model) for model in own}
    return (
        {"recommendations": {model: str(file.absolute()) for model, file in files.items()}}
        if all(map(os.path.isfile, files.values()))
        else None
    )


def _missing(folder: Path, result: Result, *, lists: bool) -> Iterator[str]:
    """Yield the files of a run that are not where the config has them: lists and predictions, or all others."""
    for source in result.inputs:
        if source.role.startswith(("data.recommendations", "data.predictions")) == lists:
            yield from (
                file.path for file in source.files if not is_address(file.path) and not os.path.exists(found_path(folder, file.path))
            )


def _without_lost(config: dict[str, Any], result: Result) -> dict[str, Any]:
    """Return a config without the files that its run did not read, and that are not here."""
    read = {source.role for source in result.inputs}
    data = {}
    for role, source in config["data"].items():
        paths = source.get("path") if isinstance(source, dict) else None
        given = [paths] if isinstance(paths, str) else paths or []
        is_lost = any(not is_address(path) and not os.path.exists(path) and not glob(path) for path in given)
        if not (is_lost and role not in ("test", "recommendations", "predictions") and f"data.{role}" not in read):
            data[role] = source
    return {**config, "data": data}


def view_of_result(
    result: Result | None, loaded: Loaded | None, user: Any, models: Sequence[str] = (), *, n_shown: int = 5, quick: bool = False
) -> UserView:
    """Return everything about a user of a result and its config; of a result alone only values.

    Raises `ConfigError` for a result without a config and per-user values, and what `view_user` raises.
    """
    if loaded is not None:
        return view_user(loaded, user, models, result, n_shown=n_shown, quick=quick)
    if result is None or not result.per_user:
        raise ConfigError("this result has neither its tables nor per-user values", "evaluate again with keep_users=True")
    how = "call receval.user with the config, or with the folder where its files are"
    return view_stored_user(
        result, user, f"Only values: this result was read from a folder. For history, test rows and lists {how}.", n_shown=n_shown
    )


def user_of_inputs(
    given: str | None,
    user: str,
    read: Read,
    models: Sequence[str] = (),
    *,
    has_test: bool = False,
    outputs: Sequence[PathLike] = (),
    **options: Any,
) -> UserView:
    """Return everything about a user of a config or a folder of results (see `open_user`), and write the files of `outputs`."""
    targets = targets_of(outputs, "user")
    opened = open_user(given, user, read, has_test=has_test)
    with Stage(targets.written(of=opened.loaded), opened.read()) as stage:
        view = opened.view(user, models, **options)
        stage.commit(targets.rendered(view))
    return view
