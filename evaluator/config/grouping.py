"""`evaluation.by`: what results are split by."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final

from pydantic import BeforeValidator, PlainSerializer, WithJsonSchema

from ..tables.groups import GroupBy

_KNOWN: Final = "a column of users (users.plan) or of items (items.genre), {train_count: [5, 20]}, or cold"
_BORDERS: Final[dict[str, Any]] = {"type": "array", "items": {"type": "integer", "minimum": 1}, "minItems": 1}
_ENTRY: Final[dict[str, Any]] = {
    "anyOf": [
        {"type": "string", "pattern": r"^(users|items)\..+$|^cold$", "description": "users.COLUMN, items.COLUMN, or cold"},
        {
            "type": "object",
            "required": ["train_count"],
            "additionalProperties": False,
            "properties": {"train_count": {"description": "a group of users begins at each of these numbers of train rows", **_BORDERS}},
        },
    ]
}


def _entry(value: Any) -> GroupBy:
    if isinstance(value, GroupBy):
        return value
    if value == "cold":
        return GroupBy("cold")
    if value == "train_count":
        raise ValueError("train_count needs the numbers of train rows at which a group begins: {train_count: [5, 20]}")
    if isinstance(value, str):
        kind, dot, column = value.partition(".")
        if dot and column and kind == "users":
            return GroupBy("users", column)
        if dot and column and kind == "items":
            return GroupBy("items", column)
    if isinstance(value, Mapping) and set(value) == {"train_count"}:
        return GroupBy("train_count", borders=_borders(value["train_count"]))
    raise ValueError(f"results are split by {_KNOWN}, not by {value!r}")


def _borders(value: Any) -> tuple[int, ...]:
    borders = value if isinstance(value, list | tuple) else [value]
    numbers = all(isinstance(border, int) and not isinstance(border, bool) and border > 0 for border in borders)
    if not borders or not numbers or sorted(set(borders)) != list(borders):
        raise ValueError(f"train_count is a list of ascending numbers from 1, such as [5, 20], not {value!r}")
    return tuple(borders)


def _entries(value: Any) -> Any:
    entries = value if isinstance(value, list | tuple) else [value]
    split = [_entry(entry) for entry in entries]
    names = [by.name for by in split]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        raise ValueError(f"results are split by {twice} twice")
    return tuple(split)


def _written(split: tuple[GroupBy, ...]) -> list[Any]:
    return [{"train_count": list(by.borders)} if by.kind == "train_count" else by.name for by in split]


GroupBys = Annotated[
    tuple[GroupBy, ...],
    BeforeValidator(_entries),
    PlainSerializer(_written),
    WithJsonSchema({"anyOf": [_ENTRY, {"type": "array", "items": _ENTRY}]}),
]
