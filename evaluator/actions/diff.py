"""Find the two lists that a command names, and compare them user by user: `receval diff`."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from glob import iglob
from itertools import chain
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from ..config import Loaded
from ..evaluation.progress import Report, silent
from ..results.model_diff import ModelDiff
from ..results.result import Result
from ..storage.own_inputs import inputs_of, inputs_of_folders
from ..storage.places import is_folder, place_of
from ..storage.result_folder import enriched_path, load
from ..storage.stage import Stage
from ..studies.diffing import DiffOptions, diff
from ..support.errors import ArgumentError, ConfigError, DataError
from .targets import PathLike, targets_of

__all__ = ["DiffOptions", "TwoModels", "diff", "diff_inputs", "two_models"]

Read = Callable[[str | Mapping[str, Any] | None, Sequence[str]], Loaded]
"""Reads a config, a path or a mapping, or without one the files of options, with lists added as `NAME=FILE`."""
_CONFIGS: Final = (".yaml", ".yml")
_USUAL: Final = ("config.yaml", "receval.yaml", "config.yml", "receval.yml", "quickstart.yaml")
_TABLES: Final = (".csv", ".tsv", ".parquet", ".gz", ".json", ".jsonl", ".ndjson", ".txt")
"""Endings of words that are files, not models."""
_LEFT_OUT: Final = ("gates", "report", "output", "track", "compare")
"""Sections of a stored config that have no part in a difference."""
_HOW: Final = "receval diff CONFIG A B, receval diff A.csv B.csv --test TEST.csv, or receval diff DIR_A DIR_B"


class TwoModels(Struct, frozen=True):
    """A config and the names of two of its models."""

    loaded: Loaded
    base: str
    model: str


def two_models(inputs: Sequence[str], read: Read, *, has_test: bool) -> TwoModels:
    """Return the two models that the words of a command name.

    The words are a config and two of its models (the names may be left out if it has two), only the models (then the folder has one
    config, or options give the files), two files of lists beside the test file (`has_test`), or folders of results with stored lists: two,
    or one and two of its models. Raises `ArgumentError` for other words, `DataError` for folders without lists.
    """
    configs = _configs_among(inputs)
    folders = [word for word in inputs if is_folder(_named(word)[1])]
    files = [word for word in inputs if word not in configs and word not in folders and os.path.isfile(_named(word)[1])]
    models = [word for word in inputs if word not in (*configs, *folders, *files)]
    lost = [word for word in models if "/" in word or os.path.splitext(word)[1].lower() in _TABLES]
    if lost:
        raise DataError(f"there is no file {lost[0]}", "paths are relative to the current folder")
    if len(configs) > 1 or (configs and (files or folders)) or (files and (folders or models)) or len(models) > 2:
        raise _unclear(inputs)
    if files:
        return _file_models(files, read, has_test=has_test)
    if folders:
        return _folder_models(folders, models, read, has_test=has_test)
    source = configs[0] if configs else None if has_test else _config_here(inputs)
    return _config_models(read(source, ()), models)


def config_among(words: Sequence[str]) -> str | None:
    """Return the config among these words, or the one of the working folder; `None` if there is none."""
    try:
        return next(iter(_configs_among(words)), None) or _config_here(words)
    except ArgumentError:
        return None


def _configs_among(words: Sequence[str]) -> list[str]:
    """Return the configs among words; a JSON file is one if it is the only file, because two are lists."""
    configs = [word for word in words if word.endswith(_CONFIGS) and not os.path.isdir(word)]
    there = [word for word in words if os.path.exists(_named(word)[1])]
    return configs or [word for word in there if len(there) == 1 and word.lower().endswith(".json") and os.path.isfile(word)]


def _unclear(inputs: Sequence[str]) -> ArgumentError:
    problem = f"give two models, not {' '.join(inputs)}: {_HOW}" if inputs else f"give two models: {_HOW}"
    return ArgumentError(problem, option=problem)


def _named(word: str) -> tuple[str, str]:
    """Return the label and the path of `PATH` or `NAME=PATH`."""
    name, equals, path = word.partition("=")
    return (name, path) if equals and name and "/" not in name else ("", word)


def config_here(none: str, several: str) -> str:
    """Return the config of the working folder; raise `ArgumentError` with the text `none`, or `several` with the first for `{}`."""
    there = sorted(name for name in os.listdir() if name.endswith(_CONFIGS) and not name.startswith("."))
    usual = [name for name in _USUAL if name in there]
    if usual or len(there) == 1:
        return (usual or there)[0]
    problem = (
        f"name one of the configs here ({', '.join(there)}): {several.format(there[0])}" if there else f"there is no config here{none}"
    )
    raise ArgumentError(problem, option=problem)


def _config_here(inputs: Sequence[str]) -> str:
    names = " ".join(inputs).replace("{", "{{").replace("}", "}}")
    return config_here(f", and {' and '.join(inputs) or 'nothing'} names no file: {_HOW}", f"receval diff {{}} {names or 'A B'}")


def _config_models(loaded: Loaded, models: Sequence[str]) -> TwoModels:
    """Return two models of a config: those named, or both that it has."""
    data = loaded.config.data
    names = [name for name, *_ in data.named_lists()] if not data.has_model_column else []
    if len(models) == 2:
        return TwoModels(loaded, *models)
    if not models and len(names) == 2:
        return TwoModels(loaded, *names)
    if len(models) == 1 and len(names) == 2 and models[0] in names:
        return TwoModels(loaded, models[0], next(name for name in names if name != models[0]))
    if len(names) == 1:
        raise ConfigError(f"there is one model, {names[0]}, and nothing to compare it with", "add the lists of another model")
    which, example = (f" of {', '.join(names)}", f", as in {names[0]} {names[1]}") if names else ("", "")
    raise ConfigError(f"name two models{which}", f"the base first{example}")


def _file_models(files: Sequence[str], read: Read, *, has_test: bool) -> TwoModels:
    if len(files) != 2:
        raise _unclear(files)
    named = [(name or Path(path).name.partition(".")[0], path) for name, path in map(_named, files)]
    (base, _), (model, _) = named
    if base == model:
        problem = f"both files are named {base}: label them, old={named[0][1]} new={named[1][1]}"
        raise ArgumentError(problem, option=problem)
    if not has_test:
        problem = "two files of lists need the test file"
        raise ArgumentError(f"{problem}: give test", option=f"{problem}: add --test FILE")
    return TwoModels(read(None, [f"{name}={path}" for name, path in named]), base, model)


def _folder_models(folders: Sequence[str], models: Sequence[str], read: Read, *, has_test: bool) -> TwoModels:
    """Return the models of one or two folders of results, whose lists are stored there."""
    if len(folders) > 2 or (len(folders) == 2 and models):
        raise _unclear((*folders, *models))
    places = [(name, place_of(path)) for name, path in map(_named, folders)]
    results = [(name or path.resolve().name, path, load(path)) for name, path in places]
    for _, path, result in results:
        if "folds" in (result.config.get("data") or {}):
            raise DataError(f"{path}: lists of several folds cannot be compared user by user", "give the config and the files of one fold")
    sides = results if len(results) == 2 else [results[0], results[0]]
    chosen = [_stored(path, result, model) for (_, path, result), model in zip(sides, _wanted(results, models), strict=True)]
    labels = [model for model, _ in chosen]
    if labels[0] == labels[1]:
        labels = [name for name, _, _ in results]
    if labels[0] == labels[1]:
        problem = f"both folders are named {labels[0]}: label them, old={folders[0]} new={folders[1]}"
        raise ArgumentError(problem, option=problem)
    _, path, result = results[0]
    lists = {label: str(file) for label, (_, file) in zip(labels, chosen, strict=True)}
    return TwoModels(read(stored_config(path, result, {"recommendations": lists}, has_test=has_test), ()), *labels)


def _wanted(results: Sequence[tuple[str, Path, Result]], models: Sequence[str]) -> list[str]:
    """Return the names of the models to compare: one per folder, or two of one folder."""
    own = [[model for model in result.models if model not in result.yardsticks] for _, _, result in results]
    if len(results) == 1:
        names = list(models) or own[0]
        if len(names) != 2:
            raise ConfigError(f"name two models of {', '.join(own[0])}", "or give two folders")
        return names
    common = [model for model in own[0] if model in own[1]]
    if len(own[0]) == len(own[1]) == 1:
        return [own[0][0], own[1][0]]
    if len(common) == 1:
        return [common[0], common[0]]
    raise ConfigError(
        f"the folders have several models: {', '.join(own[0])}; {', '.join(own[1])}",
        "give one folder and two of its models, or the config",
    )


def _stored(path: Path, result: Result, model: str) -> tuple[str, Path]:
    """Return a model and the file of its lists in a folder of results."""
    if model not in result.models:
        raise ConfigError(f"{path} has no model '{model}'", f"name one of {', '.join(result.models)}")
    file = path / enriched_path(model)
    if not os.path.isfile(file):
        raise DataError(f"{path} has no lists of {model}", "evaluate again with output.enriched: true (--set output.enriched=true)")
    return model, file.absolute()


def found_path(folder: Path, path: str) -> str:
    """Return the path of a file of stored results, or a pattern of paths, that exists; else the path as it is.

    It is relative to the working folder, the folder of results, or a folder above it.
    """
    places = (Path.cwd(), folder.resolve(), *folder.resolve().parents[:2])
    paths = (str(place / path) for place in places)
    return next((place for place in paths if os.path.exists(place) or next(iglob(place), None)), path)


def stored_config(folder: Path, result: Result, lists: Mapping[str, Any], *, has_test: bool) -> dict[str, Any]:
    """Return the config of stored results with these `recommendations` (and `predictions`), and its files as paths that exist.

    Files that are not found keep their paths. Raises `DataError` for a test file that is not found, unless there is another (`has_test`).
    """
    config = {name: section for name, section in result.config.items() if name not in _LEFT_OUT}
    data = {role: source for role, source in config["data"].items() if role not in ("recommendations", "predictions")}

    def found(source: Any) -> Any:
        match source:
            case str():
                return found_path(folder, source)
            case list():
                return [found(part) for part in source]
            case {"path": path}:
                return {**source, "path": found(path)}
        return source

    test = data.get("test")
    path = test.get("path") if isinstance(test, dict) else test
    if not has_test and (path is None or found(path) == path):
        raise DataError(f"{folder}: its test file {path or ''} is not here", "run this in the folder of its config, or add --test FILE")
    located = {role: found(source) if isinstance(source, dict) else source for role, source in data.items()}
    of_models = {
        role: {name: found(source) for name, source in some.items()} if isinstance(some, dict) and "path" not in some else found(some)
        for role, some in lists.items()
    }
    return {**config, "data": {**located, **of_models}}


def diff_inputs(
    inputs: Sequence[str], options: DiffOptions, *, read: Read, has_test: bool, outputs: Sequence[PathLike] = (), report: Report = silent
) -> tuple[ModelDiff, dict[str, Any]]:
    """Compare two models user by user and write the files of `outputs`; return the difference and the arguments of its forms."""
    targets = targets_of(outputs, "diff")
    found = two_models(inputs, read, has_test=has_test)
    with Stage(targets.written(of=found.loaded), chain(inputs_of(found.loaded), inputs_of_folders(inputs))) as stage:
        made = diff(found.loaded, found.base, found.model, options, report)
        arguments: dict[str, Any] = {"spreadsheet_safe": found.loaded.config.output.spreadsheet_safe}
        stage.commit(targets.rendered(made, **arguments))
    return made, arguments
