"""What is said of the files: a line for each, and what is unsure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from .records import Entry, File
from .source_entries import COLUMNS, numbers

_HOW: Final = ("format", "separator", "decimal_comma", "categories", "split")
_KINDS: Final = {
    "interactions": "interactions",
    "lists": "lists",
    "catalogue": "items",
    "people": "users",
    "policy": "the scores of a policy",
    "distances": "distances",
}


def lines(
    files: Sequence[File],
    data: Mapping[str, Entry],
    of_models: Mapping[str, Entry],
    others: Sequence[tuple[str, Entry]],
    unreadable: Mapping[str, str],
) -> tuple[tuple[str, str], ...]:
    """What every file is taken to be, in the order in which they were found; what could not be read comes last."""
    said = {given: f"left out: {why}" for given, why in unreadable.items()}
    said |= {entry.file.glance.given: f"left out, but named in a comment: {entry.comment}" for _, entry in others}
    said |= {entry.file.glance.given: f"data.{key}: {_told(entry)}" for key, entry in data.items()}
    said |= {entry.file.glance.given: f"the model {name}: {_told(entry)}" for name, entry in of_models.items()}
    said |= {found.glance.given: f"left out: {found.why}" for found in files if found.glance.given not in said}
    order = [*(found.glance.given for found in files), *unreadable]
    return tuple((given, said[given]) for given in dict.fromkeys(order))


def _told(entry: Entry) -> str:
    """The reason, how the file is read, and how many rows it has."""
    stated = {key: value for key, value in entry.keys.items() if key in _HOW}
    how = "".join(f"; {key} {value!r}" for key, value in stated.items()) + ("" if entry.file.glance.header else "; no header")
    glance = entry.file.glance
    columns = ", ".join(f"{key}={name}" for key, name in entry.keys["columns"].items())
    return f"{entry.comment}; {columns}{how}; {'' if glance.exact else 'about '}{glance.n_rows:,} rows"


def unused(files: Sequence[File], unreadable: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """What every file looks like, where nothing can be made of them together."""
    said = [(found.glance.given, f"{_KINDS[found.table]}: {found.why}" if found.table else found.why) for found in files]
    return (*said, *unreadable.items())


def doubts(files: Sequence[File]) -> list[str]:
    """What is unsure of single files, files of which the same is to be said being named together; and what `run` will refuse."""
    together: dict[str, list[str]] = {}
    for found in files:
        for doubt in found.doubts if found.table else ():
            together.setdefault(doubt, []).append(found.glance.given)
    told = [f"{found.glance.given}: {said}" for found in files if found.table for said in (*_spelled(found), *_faults(found))]
    return [f"{', '.join(given)}: {doubt}" for doubt, given in together.items()] + told


def _spelled(found: File) -> list[str]:
    """What fields of text are taken for, where they could be something else."""
    lists = [found.columns["item"]] if "split" in found.glance.stated and "item" in found.columns else []
    said = [f"column {column.name!r} is taken for lists of items separated by {found.glance.stated['split']!r}" for column in lists]
    for column in numbers(found):
        example = next((value for value in column.values if column.comma and "," in value), "")
        said += [f"column {column.name!r} is taken for numbers with a decimal comma, such as {example!r}"] if example else []
    return said


def _faults(found: File) -> list[str]:
    """What of the rows that were seen `run` will refuse."""
    said = []
    for role in COLUMNS[found.table or ""]:
        column = found.columns.get(role)
        is_id = role in ("user", "item", "other")
        if column is None:
            continue
        missing = found.glance.n_seen - column.filled + (0 if is_id else column.no_value)
        if missing:
            said.append(f"column {column.name!r} has no value in {missing:,} rows, which receval run will refuse")
        elif not is_id and column.kind == "text":
            said.append(f"column {column.name!r} holds text such as {column.values[0]!r} where numbers are needed")
    return said
