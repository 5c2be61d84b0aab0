"""The data section of a config → the sources of a run."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from . import load, metrics
from .config import Loaded
from .config import Source as Given
from .engine import Kind
from .errors import DataError
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


def look_at_everything(loaded: Loaded, stack: ExitStack) -> Inputs:
    """Find the files of a config and see how to read them; `stack` holds what must be tidied up after the run.

    Raises `DataError` if a file is missing or cannot be read as the config says. Only what the metrics need is looked at.
    """
    data = loaded.config.data
    needed = frozenset[str]().union(*(metrics.needs(spec) for spec in loaded.config.evaluation.specs))
    by_name: dict[str, tuple[str, Given, list[Path]]] = {}
    named = data.recommendations if isinstance(data.recommendations, dict) else {}
    for name, given in named.items():
        role = f"data.recommendations.{name}"
        paths = [stack.enter_context(load.spooled())] if given.path == ("-",) else load.find(role, given.path, loaded.folder)
        by_name[name] = (role, given, paths)
    for index, given in enumerate(() if named else data.recommendations):
        for path in load.find(f"data.recommendations[{index}]", given.path, loaded.folder):  # type: ignore[union-attr]
            name = path.name.split(".")[0]
            if name in by_name:
                raise DataError(f"data.recommendations: two files are called {name}", "give the models names: {name: path}")
            by_name[name] = (f"data.recommendations.{name}", given, [path])  # type: ignore[assignment]

    def look(role: str, table: str, given: Given, paths: Sequence[Path] | None = None) -> load.Source:
        tabs = {"separator": "\t"} if given.format == "tsv" else {}
        return load.look(
            role,
            table,
            given.path,
            paths or load.find(role, given.path, loaded.folder),
            **{"format": "csv" if given.format == "tsv" else given.format, "separator": given.separator, **tabs},
            header=given.header,
            columns=given.columns.given(),
        )

    catalogue = "catalogue" in needed
    return Inputs(
        look("data.test", "interactions", data.test),
        look("data.train", "interactions", data.train) if data.train and catalogue else None,
        look("data.items", "catalogue", data.items) if data.items and catalogue else None,
        {name: look(role, "lists", given, paths) for name, (role, given, paths) in by_name.items()},
    )


def described(inputs: Inputs, n_rows: Mapping[str, int], fingerprints: load.Fingerprints, folder: Path) -> tuple[Input, ...]:
    """Every source as it goes into the manifest: paths as given, sizes, hashes, and the rows that were read."""
    return tuple(
        Input(source.role, n_rows[source.role], tuple(_file(path, source, fingerprints, folder) for path in source.paths))
        for source in inputs.all()
    )


def _file(path: Path, source: load.Source, fingerprints: load.Fingerprints, folder: Path) -> InputFile:
    if source.given == ("-",):
        shown = "-"
    elif any(os.path.isabs(given) for given in source.given):
        shown = str(path)
    else:
        shown = os.path.relpath(path, folder)
    return InputFile(shown, path.stat().st_size, fingerprints.of(path))
