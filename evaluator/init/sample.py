"""Read the sample that comes with the package: the files of `configs/` that `receval init --demo` writes."""

from __future__ import annotations

from importlib.resources import files
from typing import Final

_PACKAGE: Final = "receval.configs"
_CONFIGS: Final = ("families.yaml", "grids.yaml", "quickstart.yaml", "receval.schema.json")
"""The configs that need nothing but the sample data; pyproject.toml puts the same into the wheel."""
_DATA_ENDINGS: Final = (".csv", ".parquet")


def sample() -> dict[str, bytes]:
    """Return the content of every file of the sample by its path, which is a name of a config or starts with `data/`, sorted by path."""
    folder = files(_PACKAGE)
    data = [entry for entry in (folder / "data").iterdir() if entry.name.endswith(_DATA_ENDINGS)]
    contents = {name: (folder / name).read_bytes() for name in _CONFIGS} | {f"data/{entry.name}": entry.read_bytes() for entry in data}
    return dict(sorted(contents.items()))
