"""`data.folds`: one config with several test sets → a config for each of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Annotated, Any, Final

from msgspec import Struct, field
from pydantic import WithJsonSchema

from ..names.yaml_text import Path

MARK: Final = "{fold}"

FoldEntries = Annotated[
    tuple[Any, ...],
    WithJsonSchema(
        {
            "type": "array",
            "minItems": 2,
            "items": {
                "anyOf": [
                    {"type": ["string", "integer"], "description": "the name of a fold, which stands for {fold} in paths"},
                    {"type": "object", "description": "the keys of data that the fold has of its own, such as test and recommendations"},
                ]
            },
        }
    ),
]


class Fold(Struct, frozen=True):
    """One fold: its name, the whole config as it is for that fold, and where keys of its data were written."""

    name: str
    value: dict[str, Any]
    moved: Mapping[Path, Path] = field(default_factory=dict)


def folds_of(value: Mapping[str, Any]) -> tuple[list[Fold], list[tuple[Path, str]]]:
    """The folds of a config, none if it has no `data.folds`; and what is wrong with them, each with its path."""
    data = value.get("data")
    if not isinstance(data, dict) or data.get("folds") is None:
        return [], []
    entries, shared = data["folds"], {key: given for key, given in data.items() if key != "folds"}
    if not isinstance(entries, list) or len(entries) < 2:
        return [], [(("data", "folds"), "folds are a list of at least two: names that stand for {fold} in paths, or mappings with a test")]
    folds, problems = [], []
    for index, entry in enumerate(entries):
        path: Path = ("data", "folds", index)
        named = {"name": entry} if isinstance(entry, str | int) and not isinstance(entry, bool) else entry
        if not isinstance(named, dict) or not isinstance(named.get("name", ""), str | int):
            problems.append((path, f"a fold is a name, or a mapping of the keys of data that it has of its own, not {entry!r}"))
            continue
        own = {key: given for key, given in named.items() if key != "name"}
        name = str(named.get("name", index + 1))
        moved: dict[Path, Path] = {("data", key): (*path, key) for key in own}
        if not own and not _has_mark(shared.get("test")):
            problems.append((path, f"the fold {name} has the test set of every other: write {MARK} in the path of data.test"))
        folds.append(Fold(name, {**value, "data": _filled(_together(shared, own), name)}, moved))
    twice = [name for name, n in Counter(fold.name for fold in folds).items() if n > 1]
    problems += [(("data", "folds"), f"two folds are called {name}") for name in twice]
    return ([], problems) if problems else (folds, [])


def _together(shared: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """The data section of a fold, which has the models of all folds and its own."""
    both = {**shared, **own}
    if isinstance(shared.get("recommendations"), dict) and isinstance(own.get("recommendations"), dict):
        both["recommendations"] = {**shared["recommendations"], **own["recommendations"]}
    return both


def _filled(value: Any, name: str) -> Any:
    """A part of the config with the name of the fold for `{fold}`."""
    if isinstance(value, str):
        return value.replace(MARK, name)
    if isinstance(value, dict):
        return {key: _filled(given, name) for key, given in value.items()}
    return [_filled(given, name) for given in value] if isinstance(value, list) else value


def _has_mark(value: Any) -> bool:
    return bool(_filled(value, "") != value)
