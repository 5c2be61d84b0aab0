"""Open folders of results as a history or a leaderboard, and write it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from msgspec.structs import replace

from ..comparison.comparison_options import ComparisonOptions
from ..comparison.series import history_of, leaderboard_of, ordered
from ..results.result import Result
from ..results.row import shortened
from ..results.series import History, Leaderboard, Order
from ..stats.difference import Settings
from ..storage.result_folder import is_result_folder, load
from ..storage.stage import Stage
from ..support.errors import ConfigError
from ..support.outputs import Subject
from .compare import open_inputs, path_of
from .targets import PathLike, targets_of

Made = TypeVar("Made", History, Leaderboard)


def options_of(measures: Sequence[str] = (), alpha: float | None = None) -> ComparisonOptions:
    """Return the options of both; users are those that count on both sides."""
    return ComparisonOptions(measures=tuple(measures), settings=Settings() if alpha is None else Settings(alpha=alpha), common=True)


def history(results: Mapping[str, Result], options: ComparisonOptions, order: Order | None = None, accepted: Sequence[str] = ()) -> History:
    """Return the history of named results, whatever their order."""
    in_order, used = ordered(results, order)
    made = history_of(in_order, options, used, accepted)
    dated = sum(run.date is not None for run in made.runs)
    if order is None and used == "name" and dated:
        note = f"{dated} of {len(made.runs)} runs {'has' if dated == 1 else 'have'} a report.date: without one in all, names set the order."
        made = replace(made, notes=(note, *made.notes))
    return made


def history_of_folders(
    folders: Sequence[str], models: Sequence[str], outputs: Sequence[PathLike], order: Order | None, accepted: Sequence[str], **options: Any
) -> History:
    """Return the history of folders of results, each `[LABEL=]DIR`, and write it into files, whose endings set their forms."""
    return _written("history", folders, models, outputs, lambda results: history(results, options_of(**options), order, accepted))


def leaderboard_of_folders(folders: Sequence[str], models: Sequence[str], outputs: Sequence[PathLike], **options: Any) -> Leaderboard:
    """Return the leaderboard of folders of results, and write it into files."""
    return _written("leaderboard", folders, models, outputs, lambda results: leaderboard_of(results, options_of(**options)))


def _written(
    subject: Subject,
    folders: Sequence[str],
    models: Sequence[str],
    outputs: Sequence[PathLike],
    make: Callable[[Mapping[str, Result]], Made],
) -> Made:
    targets = targets_of(outputs, subject)
    given = [(folder, text) for text in folders for folder in expanded(text)]
    _refuse_same_names(given)
    opened = open_inputs([folder for folder, _ in given], _refuse_config, {"models": models})
    with Stage(targets.written(), opened.read()) as stage:
        made = with_left_out(make(opened.stored), folders)
        stage.commit(targets.rendered(made))
    return made


def expanded(text: PathLike) -> list[str]:
    """Return the folders of results in a local folder that is none itself; any other text as it is.

    Folders without a manifest are left out: a run that failed leaves such.
    """
    place, inside = Path(text).expanduser(), list[str]()
    if os.path.isdir(place) and not is_result_folder(place):
        with suppress(OSError):  # the folder cannot be listed, which its reader reports
            inside = sorted(str(path) for path in place.iterdir() if is_result_folder(path))
    return inside or [os.fspath(text)]


def with_left_out(made: Made, places: Sequence[PathLike]) -> Made:
    """Add a note on the folders without results in the given folders of folders."""
    names = [name for text in places if (inside := expanded(text)) != [os.fspath(text)] for name in _without_results(text, inside)]
    if not names:
        return made
    many = len(names) > 1
    note = f"{len(names)} folder{'s have' if many else ' has'} no results and {'are' if many else 'is'} left out: {shortened(names)}."
    if isinstance(made, History):
        return replace(made, notes=(*made.notes, note))
    return replace(made, comparison=replace(made.comparison, notes=(*made.comparison.notes, note)))


def _without_results(place: PathLike, inside: Sequence[str]) -> list[str]:
    folders = (path for path in Path(place).expanduser().iterdir() if os.path.isdir(path) and not path.name.startswith("."))
    return sorted(path.name for path in folders if str(path) not in inside)


def _refuse_same_names(given: Sequence[tuple[str, str]]) -> None:
    """Raise `ConfigError` for two results of one name of which one is in a given folder of folders, which cannot be labelled."""
    named: dict[str, tuple[str, str]] = {}
    for folder, text in given:
        name = Path(folder).name if path_of(folder) == folder else folder.partition("=")[0]
        other, place = named.setdefault(name, (folder, text))
        if other != folder and (text != folder or place != other):
            hint = f"give the results of {text if text != folder else place} one by one, and this one with a label: LABEL={path_of(folder)}"
            raise ConfigError(f"two results are both named {name}: {other} and {folder}", hint)


def _refuse_config(path: str) -> NoReturn:
    load(path)  # raises the error: this is no folder of results
    raise AssertionError(path)
