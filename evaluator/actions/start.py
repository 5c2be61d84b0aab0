"""Write a first config: for files, from the config of another program, or with sample data."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from ..config.missing_inputs import CATEGORY_SETTINGS
from ..init import config_text, convert, guess, guess_categories, said, sample
from ..storage.overwriting import InputPath, Target, destination, is_plain
from ..storage.stage import Stage
from ..support.errors import ConfigError, DataError


class NewConfig(Struct, frozen=True, eq=False):
    """A new config: its text, its file (`None`: it is printed), remarks, and the problem if there is no config."""

    text: str
    target: Path | None
    remarks: tuple[str, ...] = ()
    problem: DataError | None = None
    read: tuple[InputPath, ...] = ()
    """The files from which it was made."""


def from_files(files: tuple[str, ...], output: str | None, *, force: bool = False) -> NewConfig:
    """Return a config for files, with remarks on the role of each."""
    target, folder = _target(output, force)
    found = guess(files)
    read = tuple(InputPath("an input", Path(file)) for file in (*files, *found.files) if os.path.isfile(file))
    remarks = tuple(said(found))
    remarks += tuple(f"proposed: {line.setting}: {line.reason}" for line in found.proposals if line.key != "metrics")
    if found.problem:
        hint: str | Sequence[str] = (
            "receval needs a test set and the lists of a model; it does not split data and does not train. "
            "Give both files, or write a config with columns: {user: NAME, item: NAME} for each",
            "on the command line: receval run --test FILE --recs MODEL=FILE -m nDCG@10 --set data.test.columns.user=NAME, "
            "and so on for item and for data.recommendations.MODEL; --print-config prints the config",
        )
        if found.unread is not None:
            first, last = found.unread
            hint = f"folders below {last} were not looked at; give them: receval init {shlex.quote(first)}"
        return NewConfig("", target, remarks, DataError(found.problem, hint))
    return NewConfig(config_text(found, folder), target, remarks, read=read)


def from_program(source: str, output: str | None, *, force: bool = False) -> NewConfig:
    """Convert the config of another program."""
    target, folder = _target(output, force)
    return NewConfig(convert(Path(source), folder), target, read=(InputPath("the config to convert", Path(source)),))


def save_config(config: NewConfig) -> None:
    """Write a config to its file, if it has one; raise its problem, if it has one."""
    if config.problem is not None:
        raise config.problem
    if config.target is not None:
        with Stage([Target(f"-o {config.target}", config.target, is_local=True)], config.read) as stage:
            stage.commit({destination(config.target): config.text.encode()})


def save_text(text: str, output: str) -> None:
    """Write a text to a file, whether it exists or not."""
    target = Path(output)
    with Stage([Target(f"-o {output}", target)], inputs=()) as stage:
        stage.commit({destination(target): text.encode()})


def save_sample(place: str, *, force: bool = False) -> Path:
    """Write sample data and configs into a folder, all or nothing; return the config to run first."""
    folder = Path(place)
    if os.path.exists(folder) and not os.path.isdir(folder):
        raise ConfigError(f"{folder} is a file", "give a folder for the sample")
    if os.path.isdir(folder) and os.listdir(folder) and not force:
        raise ConfigError(f"{folder} is not empty", "give a new folder, or add --force to write into it")
    files = {folder / name: content for name, content in sample().items()}
    folders = dict.fromkeys(path.parent for path in files)
    with Stage([Target(f"--demo {place}", path, lambda name: True, is_local=True) for path in folders], inputs=()) as stage:
        stage.commit(files)
    return folder / "quickstart.yaml"


def _target(output: str | None, force: bool) -> tuple[Path | None, Path | None]:
    """Return the file of a config and the folder of its relative paths, if any.

    Raises `ConfigError` if it would overwrite a file without `force`.
    """
    if output is None:
        return None, None
    target = Path(output)
    if os.path.exists(target) and is_plain(target) and not force:
        raise ConfigError(f"{target} already exists", "choose another name with -o, or add --force to overwrite it")
    return target, target.parent if is_plain(target) else None


def with_category_settings(error: ConfigError, items: str) -> ConfigError:
    """Return an error on missing categories with the settings for the column of a file of items, if one obviously holds them."""
    if not any(CATEGORY_SETTINGS in problem for problem in error.problems):
        return error
    keys = guess_categories(items)
    settings = " ".join(f"--set {shlex.quote(f'data.items.{key}={value}')}" for key, value in keys.items())
    return ConfigError([problem.replace(CATEGORY_SETTINGS, settings or CATEGORY_SETTINGS) for problem in error.problems], error.hint)
