"""The sample that comes with the package: the files of `configs/` that `receval init --demo` writes."""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final

_HOME: Final = "receval.configs"
_ENDINGS: Final = (".yaml", ".json", ".csv", ".parquet")


def sample() -> dict[str, bytes]:
    """The content of every file of the sample by its path, which is `quickstart.yaml` or starts with `data/`, in order of paths."""
    return dict(sorted(_within(files(_HOME), "")))


def _within(folder: Traversable, above: str) -> list[tuple[str, bytes]]:
    found: list[tuple[str, bytes]] = []
    for entry in folder.iterdir():
        if entry.is_dir():
            found += _within(entry, f"{above}{entry.name}/")
        elif entry.name.endswith(_ENDINGS):
            found.append((f"{above}{entry.name}", entry.read_bytes()))
    return found
