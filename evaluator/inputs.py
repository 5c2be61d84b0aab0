"""The data section of a config → the sources of a run."""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from . import load
from .config import Loaded
from .config import Source as Given
from .engine import Kind
from .errors import ConfigError, DataError
from .result import Input, InputFile


@dataclass(frozen=True)
class Inputs:
    """The sources of a run, looked at but not read."""

    test: load.Source
    train: load.Source | None
    items: load.Source | None
    models: Mapping[str, load.Source]

    def all(self) -> list[load.Source]:
        """Every source, in the order of the config."""
        return [source for source in (self.test, self.train, self.items, *self.models.values()) if source is not None]

    def with_kinds(self, kinds: Mapping[str, Kind]) -> Inputs:
        """The same sources with their ids read as `kinds` says."""
        return Inputs(
            self.test.with_kinds(kinds),
            self.train and self.train.with_kinds(kinds),
            self.items and self.items.with_kinds(kinds),
            {name: source.with_kinds(kinds) for name, source in self.models.items()},
        )

    def single(self, name: str | None) -> Inputs:
        """The same sources with the lists of one model only; `ConfigError` if `name` is none of them, or none is named."""
        if name is None and len(self.models) == 1:
            return self
        if name is None or name not in self.models:
            close = difflib.get_close_matches(name or "", self.models, n=1)
            hint = f"did you mean '{close[0]}'?" if close else f"name one of the models {', '.join(self.models)}"
            raise ConfigError(f"there is no model '{name}': {hint}" if name else f"--model: {hint}")
        return replace(self, models={name: self.models[name]})


def look_at_everything(loaded: Loaded, needed: frozenset[str], stack: ExitStack) -> Inputs:
    """Find the files of a config and see how to read them; `stack` holds what must be tidied up after the run.

    Raises `DataError` if a file is missing or cannot be read as the config says. Of train and items only what is `needed` is
    looked at.
    """
    data = loaded.config.data

    def paths(role: str, given: Given) -> list[Path]:
        if given.path == ("-",):
            return [stack.enter_context(load.spooled())]
        found = load.find(role, given.path, loaded.folder)
        return [stack.enter_context(load.spooled(path)) if path.is_fifo() else path for path in found]

    def source(role: str, table: str, given: Given | None) -> load.Source | None:
        return _look(role, table, given, paths(role, given)) if given else None

    models: dict[str, load.Source] = {}
    if isinstance(data.recommendations, dict):
        for name, given in data.recommendations.items():
            role = f"data.recommendations.{name}"
            models[name] = _look(role, "lists", given, paths(role, given))
    else:
        for index, given in enumerate(data.recommendations):
            found = paths(f"data.recommendations[{index}]", given)
            by_name = {given.name: found} if given.name else {path.name.split(".")[0]: [path] for path in found}
            if (len(by_name) < len(found) > 1 and not given.name) or by_name.keys() & models.keys():
                raise DataError("data.recommendations: two files give a model the same name", "name the models, as name: path")
            models |= {name: _look(f"data.recommendations.{name}", "lists", given, files) for name, files in by_name.items()}
    test = source("data.test", "interactions", data.test)
    assert test is not None
    train = source("data.train", "interactions", data.train if needed & {"catalogue", "train", "known"} else None)
    items = source("data.items", "catalogue", data.items if needed & {"catalogue", "known"} else None)
    return Inputs(test, train, items, models)


def _look(role: str, table: str, given: Given, paths: Sequence[Path]) -> load.Source:
    return load.look(
        role,
        table,
        given.path,
        paths,
        format="csv" if given.format == "tsv" else given.format,
        separator="\t" if given.format == "tsv" else given.separator,
        header=given.header,
        columns=given.columns.given(),
    )


def described(inputs: Inputs, n_rows: Mapping[str, int], fingerprints: load.Fingerprints, folder: Path) -> tuple[Input, ...]:
    """Every source as it goes into the manifest: paths as given, sizes, hashes, and the rows that were read."""
    return tuple(
        Input(source.role, n_rows[source.role], tuple(_file(path, source, fingerprints, folder) for path in source.paths))
        for source in inputs.all()
    )


def _file(path: Path, source: load.Source, fingerprints: load.Fingerprints, folder: Path) -> InputFile:
    if path.name == "stdin":
        shown = source.given[0]
    elif any(os.path.isabs(given) for given in source.given):
        shown = str(path)
    else:
        shown = os.path.relpath(path, folder)
    return InputFile(shown, path.stat().st_size, fingerprints.of(path))
