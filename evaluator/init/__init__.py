"""Write a first config: guess it from unlabelled files, convert that of another program, or take the sample of the package."""

from importlib.resources import files
from typing import Final

from ..config import json_schema
from .conversion import convert
from .guess import config_text, guess, guess_categories
from .sentences import said

_CONFIGS: Final = ("families.yaml", "grids.yaml", "quickstart.yaml")
"""The configs that need only the sample data; pyproject.toml puts the same ones into the wheel."""
SCHEMA: Final = "receval.schema.json"
"""The schema that the configs name for editors, in the folder of a config."""


def sample() -> dict[str, bytes]:
    """Return the files that `receval init --demo` writes, by path: the name of a config, its schema, or `data/` and a name; sorted."""
    folder = files("receval.configs")
    data = [entry for entry in (folder / "data").iterdir() if entry.name.endswith((".csv", ".parquet"))]
    contents = {name: (folder / name).read_bytes() for name in _CONFIGS} | {f"data/{entry.name}": entry.read_bytes() for entry in data}
    return dict(sorted({**contents, SCHEMA: json_schema().encode()}.items()))


__all__ = ["config_text", "convert", "guess", "guess_categories", "said", "sample"]
