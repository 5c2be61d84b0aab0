"""`FileReading`: how one file is read, as the keys of a config that say so; and the texts that say it to people."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

from ..load.scan import FormatName
from ..syntax import yaml_text
from .evidence import Order, Table
from .shapes import Layout

_MOST_UNREAD: Final = 5
"""Number of unread columns that a line names."""
_ORDERS: Final = {"file": "best first, as in the file", "ascending": "lower is better"}


class FileReading(Struct, frozen=True):
    """How the files of a source are read.

    `columns` is role → name, or position counted from 1, or for wide lists a list of these. `order` is what orders lists, `unread` are
    columns without a role. `is_by_name` is true if names alone decided; `bits` are the evidence.
    """

    source: str
    table: Table
    shape: str
    format: FormatName
    header: bool | None
    separator: str | None
    layout: Layout
    columns: Mapping[str, Any]
    order: Order = "file"
    split: str | None = None
    label_separator: str | None = None
    padding: tuple[str, ...] = ()
    casts: tuple[str, ...] = ()
    unread: tuple[str | int, ...] = ()
    why: tuple[str, ...] = ()
    bits: float = 0.0
    is_by_name: bool = False
    facts: str = ""
    """What was seen of the column that orders lists: `1 to 100 in every list`."""
    models: tuple[str, ...] = ()
    """The names in the column of models, if there are several."""

    @property
    def settings(self) -> dict[str, Any]:
        """The keys of the source in a config that choose this reading; a column of `None` is one that is not read."""
        judges = ("rating",) if self.table == "interactions" else ("rank", "score")
        columns = dict.fromkeys(judges) | {role: self._column(role) for role in self.columns}
        keys: dict[str, Any] = {"format": self.format if self.format == "ragged" or self.shape.startswith("TREC") else None}
        if (keys["format"] is None and self.separator is not None) or self.format == "ragged":
            keys |= {"separator": self.separator, "header": self.header}
        if self.shape.startswith("TREC"):
            return {"format": "trec"}
        keys |= {"split": self.split, "label_separator": self.label_separator, "padding": list(self.padding) or None}
        return {key: value for key, value in keys.items() if value is not None} | {
            f"columns.{role}": name for role, name in columns.items()
        }

    def _column(self, role: str) -> Any:
        name = self.columns[role]
        if role == "score" and self.order == "ascending":
            return {"column": name, "order": "ascending"}
        return {"column": name, "as": "integer"} if role in self.casts else name


def options_of(reading: FileReading, others: Iterable[FileReading], prefix: str) -> str:
    """Return the options of the command that choose a reading among others: the keys in which they differ."""
    differ = differing(reading, others)
    return " ".join(yaml_text.option(f"{prefix}.{key}", value) for key, value in differ.items())


def differing(reading: FileReading, others: Iterable[FileReading]) -> dict[str, Any]:
    """Return the settings of a reading that not all of the others have, or all if it is alone; keys that only others have are unset.

    Ids that are to be integers are always among them: no other key says so. Several columns of items are given with all others, because a
    source of which they are given is not recognised again.
    """
    own, rest = reading.settings, [other.settings for other in others]
    keys = dict.fromkeys((*own, *(key for other in rest for key in other)))
    unset = {"split": "none"}  # `null` is to detect it
    casts = {f"columns.{role}" for role in reading.casts}
    differ = [key for key in keys if key in casts or any(other.get(key, ...) != own.get(key, ...) for other in rest)]
    is_alone = (all(other == own for other in rest) and not casts) or isinstance(reading.columns["item"], list)
    return {key: own.get(key, unset.get(key)) for key in (own if is_alone else differ)}


def arguments_of(reading: FileReading, others: Iterable[FileReading], table: str) -> str:
    """Return the argument of Python that chooses a reading: `test={'path': FILE, 'columns': {'rating': 'gt'}}`, or with a TABLE."""
    return argument(reading.source, differing(reading, others), table)


def argument(source: str, settings: Mapping[str, Any], table: str) -> str:
    """Return the argument of Python that gives a source (`data.test`) settings (`columns.rating`)."""
    keys: dict[str, Any] = {}
    for key, value in settings.items():
        section, _, role = key.rpartition(".")
        (keys.setdefault(section, {}) if section else keys)[role] = value
    of_file = f"{'path' if table == 'FILE' else 'frame'}': {table}"
    given = f"{{'{', '.join((of_file, *(f'{key!r}: {value!r}' for key, value in keys.items())))}}}"
    _, role, *model = source.split(".", 2)
    return f"{role}={f'{{{model[0]!r}: {given}}}' if model else given}"


def as_argument(option: str, of_files: Iterable[str]) -> str:
    """Return an option of a command that reads a column otherwise (`--set data.test.columns.user=…`) as the argument of a call.

    The sources `of_files` (`data.test.`) have files, the others are tables.
    """
    key, _, value = shlex.split(option)[-1].partition("=")
    source, *_ = key.rpartition(".columns.") if ".columns." in key else key.rpartition(".")
    table = "FILE" if any(key.startswith(role) for role in of_files) else "TABLE"
    return argument(source, {key.removeprefix(f"{source}."): yaml_text.read(value, {}).value}, table)


def described(reading: FileReading) -> str:
    """Return what was recognised, in one line without the name of the file: `no header; user = column 1, item = column 2`."""
    is_trec = reading.shape.startswith("TREC")
    cut = "no header" if reading.header is False and not is_trec else ""
    roles = ", ".join(f"{role} = {_place(name)}" for role, name in reading.columns.items())
    if reading.layout in ("cells", "list"):
        roles += f" (lists{f' separated by {reading.split!r}' if reading.split else ''})"
    elif reading.layout == "labels":
        roles += f" (lists separated by {reading.split!r}, each item with its label behind {reading.label_separator!r})"
    order = _ORDERS.get(reading.order, "") if reading.table == "lists" else ""
    judge = (
        "every row is relevant"
        if reading.table == "interactions" and "rating" not in reading.columns and reading.layout != "labels"
        else ""
    )
    padding = f"{' and '.join(map(repr, reading.padding))} fills up lists" if reading.padding else ""
    casts = f"{' and '.join(reading.casts)} ids written as 12.0 are read as 12" if reading.casts else ""
    models = f"{len(reading.models)} models: {', '.join(reading.models[:_MOST_UNREAD])}" if reading.models else ""
    shape = reading.shape if reading.shape.startswith(("TREC", "MIND")) else ""
    said = [shape, cut, f"{roles}{f' ({reading.facts})' if reading.facts else ''}", order, judge, padding, casts, models]
    return "; ".join(filter(None, said)) + unread_text(() if is_trec else reading.unread)


def unread_text(unread: Sequence[str | int]) -> str:
    """Return the end of a line that names the columns that are not read."""
    if not unread:
        return ""
    more = len(unread) - _MOST_UNREAD
    return f"; not read: {', '.join(map(_place, unread[:_MOST_UNREAD]))}{f' and {more:,} more' if more > 0 else ''}"


def _place(name: Any) -> str:
    if isinstance(name, list | tuple):
        return f"columns {_bare(name[0])} to {_bare(name[-1])}"
    return f"column {name}" if isinstance(name, int) else repr(name)


def _bare(name: Any) -> str:
    return str(name) if isinstance(name, int) else repr(name)
