"""Collect the inputs of a command, which its outputs must not replace: files of a config, folders of results, files of stored results."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..config import Loaded
from ..config.overrides import dotted
from ..conventions import is_path
from ..results.result import Result
from ..support.errors import DataError
from ..syntax.short_names import is_address, is_in_store
from .overwriting import InputPath, files_of_results, manifest_of
from .places import NO_OPTIONS, Storage, origin_of, place_of


def inputs_of(loaded: Loaded) -> Iterator[InputPath]:
    """Yield every local file and folder that a config names with its role, the files in those folders, and the config itself."""
    if loaded.name:  # a mapping in Python has no name
        yield InputPath("the config", Path(loaded.name))
    convention = str(loaded.config.evaluation.convention)
    if is_path(convention):
        yield InputPath("evaluation.convention", loaded.folder / convention)
    for config in (loaded, *loaded.of_folds().values()):
        yield from _data_of(config)


def _data_of(loaded: Loaded) -> Iterator[InputPath]:
    from ..load import find  # only here: a folder of results has no data
    from ..load.drivers import file_of
    from ..load.folders import parts_of

    for location, source in loaded.config.data.sources():
        role = dotted(("data", *location))
        if source.uri is not None and (database := file_of(source.uri, loaded.folder)) is not None:
            yield InputPath(role, database)
        for text in source.path:
            if is_in_store(text):
                yield InputPath(role, Path(text))
                continue
            try:
                for path in find(role, [text], loaded.folder) if text != "-" else ():
                    if isinstance(path, Path):
                        yield InputPath(role, path)
                        yield from (InputPath(role, part) for part in (parts_of(role, path) if os.path.isdir(path) else ()))
            except DataError:  # unreadable inputs are reported when they are read
                continue


def baselines_of(loaded: Loaded) -> Iterator[InputPath]:
    """Yield the folders of results that a config names as baselines and anchors, with their files."""
    compare, models = loaded.config.compare, loaded.config.data.named_models or ()
    named = dict.fromkeys((*loaded.config.gates.bases, *((compare.baseline,) if compare.baseline else ())))
    storage = loaded.config.output.storage
    yield from inputs_of_folders((name for name in named if name not in models), loaded.folder, role="the baseline", storage=storage)


def inputs_of_folders(
    given: Iterable[str], *places: Path, role: str = "a folder of results that this command reads", storage: Storage = NO_OPTIONS
) -> Iterator[InputPath]:
    """Yield those of some `[LABEL=]PATH` that are folders of results, their files, and the inputs that these results were computed from.

    They are relative to the working folder or `places`.
    """
    for text in given:
        for place in (Path(), *places):
            for path in dict.fromkeys((text, text.rpartition("=")[2])):
                folder = place_of(path, place, storage)
                if names := files_of_results(folder):
                    yield InputPath(role, origin_of(folder), "results")
                    yield from (InputPath(f"a file of the results in {folder}", folder / name) for name in names)
                    with suppress(LookupError, TypeError):  # a damaged manifest, which is reported when it is read
                        content = manifest_of(folder)
                        files = [(source["role"], file["path"]) for source in content["inputs"] for file in source["files"]]
                        yield from _stored(content["config"], files)


def inputs_of_result(result: Result) -> Iterator[InputPath]:
    """Yield the local files and folders that a result was computed from, if they are still there."""
    yield from _stored(result.config, [(source.role, file.path) for source in result.inputs for file in source.files])


def _stored(config: Mapping[str, Any], files: Iterable[tuple[str, str]]) -> Iterator[InputPath]:
    """Yield the inputs of stored results: files that were read, by role, and everything that the config names."""
    named = (*files, *_paths_in("data", config.get("data")))
    yield from (InputPath(role, Path(path)) for role, path in dict.fromkeys(named) if _is_there(path))


def _is_there(path: str) -> bool:
    return is_in_store(path) or (not is_address(path) and os.path.exists(path))


def _paths_in(role: str, source: Any) -> Iterator[tuple[str, str]]:
    """Yield the values of the keys `path` in the section `data` of a stored config, each with its place."""
    if isinstance(source, list):
        for part in source:
            yield from _paths_in(role, part)
    for name, part in source.items() if isinstance(source, Mapping) else ():
        if name == "path":
            yield from ((role, text) for text in ([part] if isinstance(part, str) else part))
        else:
            yield from _paths_in(f"{role}.{name}", part)
