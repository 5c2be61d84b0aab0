"""Rows in memory in the place of a file: what Python code gives and a YAML file cannot."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

from ..errors import DataError

_SIDES: Final = ("test", "train", "items", "users", "baseline", "previous_policy", "distances")
_OF_MODELS: Final = ("recommendations", "predictions")
UNNAMED: Final = "model"
"""What lists in memory are called where nobody names them."""
_SPLITS: Final = frozenset({"DatasetDict", "IterableDatasetDict"})
"""The classes of HuggingFace that map the names of splits to tables: splits are no models."""
_SOURCE_KEYS: Final = frozenset({"path", "table", "uri", "frame"})
"""The keys of which a section that describes a source has one."""


class InMemory(Struct, frozen=True, eq=False):
    """Rows in memory; the config passes them on and never looks into them."""

    rows: Any

    @property
    def kind(self) -> str:
        """What the rows are held in, such as `pandas.DataFrame` or `dict`."""
        held = type(self.rows)
        library = held.__module__.partition(".")[0]
        return held.__qualname__ if library in ("builtins", "receval") else f"{library}.{held.__qualname__}"

    @property
    def is_of_spark(self) -> bool:
        """Whether it is a DataFrame of Spark, whose rows are on a cluster."""
        return self.kind.startswith("pyspark.")

    def __deepcopy__(self, memo: Any) -> InMemory:
        """Rows are never copied."""
        return self


def describes_a_source(value: Any) -> bool:
    """Whether a mapping is a section of a config that describes a source, and not data by user."""
    return isinstance(value, Mapping) and bool(_SOURCE_KEYS & value.keys())


def is_section(value: Any) -> bool:
    """Whether a mapping is a section of a config, as far as its keys tell, and not data by user: those hold lists or mappings."""
    held = [inner for key, inner in value.items() if key != "columns"]
    has_rows = any(hasattr(inner, "__len__") and not isinstance(inner, str) for inner in held)
    return describes_a_source(value) or not (not value or has_rows or any(not isinstance(key, str) for key in value))


def source_of(value: Any) -> Any:
    """A source as a config has it: a path, a section, or rows in memory."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, Mapping) and is_section(value):
        return {key: in_memory(held) if key == "frame" else _plain_path(held) if key == "path" else held for key, held in value.items()}
    if isinstance(value, list | tuple) and value and all(isinstance(entry, str | os.PathLike) for entry in value):
        return [os.fspath(entry) for entry in value]
    return in_memory(value)


def refuse_splits(role: str, value: Any) -> None:
    """Raise `DataError` for the splits of a data set, where one table or the lists of models are expected."""
    if isinstance(value, Mapping) and _SPLITS & {kind.__name__ for kind in type(value).__mro__}:
        names = list(value)
        raise DataError(
            f"data.{role}: a {type(value).__name__} has the splits {', '.join(names)}", f"choose one of them: data[{names[-1]!r}]"
        )


def in_memory(rows: Any) -> InMemory:
    """Rows in memory, marked as such."""
    return rows if isinstance(rows, InMemory) else InMemory(rows)


def with_rows_marked(config: Mapping[str, Any]) -> dict[str, Any]:
    """A config in which all rows in memory are marked, and paths are text."""
    data = config.get("data")
    return {**config, "data": _marked(data)} if isinstance(data, Mapping) else dict(config)


def _marked(data: Mapping[str, Any]) -> dict[str, Any]:
    """The data section, or that of a fold."""
    marked = {key: source_of(data[key]) if key in _SIDES else _of_models(key, data[key]) for key in data if key in (*_SIDES, *_OF_MODELS)}
    if isinstance(folds := data.get("folds"), list | tuple):
        marked["folds"] = [_marked(fold) if isinstance(fold, Mapping) else fold for fold in folds]
    return {**data, **marked}


def _of_models(key: str, value: Any) -> Any:
    """The lists, or predictions, of all models."""
    refuse_splits(key, value)
    if isinstance(value, Mapping) and not (key == "predictions" and describes_a_source(value)):
        return {name: _with_runs(given) for name, given in value.items()}
    if isinstance(value, list | tuple) and all(isinstance(one, str | os.PathLike) or describes_a_source(one) for one in value):
        return [source_of(one) for one in value]
    source = source_of(value)
    return {UNNAMED: source} if key == "recommendations" and isinstance(source, InMemory) else source


def _with_runs(given: Any) -> Any:
    if isinstance(given, Mapping) and isinstance(given.get("runs"), list | tuple):
        return {**given, "runs": [source_of(run) for run in given["runs"]]}
    return source_of(given)


def _plain_path(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_plain_path(one) for one in value]
    return os.fspath(value) if isinstance(value, os.PathLike) else value
