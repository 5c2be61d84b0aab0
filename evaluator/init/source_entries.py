"""Write the entry of a file in the data section of a config, and describe what each file is used as, and what is doubtful about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from . import settings
from .records import ClassifiedFile, ColumnSummary, SourceEntry

_SHOWN_KEYS: Final = ("format", "separator", "decimal_comma", "categories", "split")
_KEYS: Final = {"position": "rank"}
_COLUMNS: Final[dict[str, tuple[str, ...]]] = {
    "interactions": ("user", "item", "rating"),
    "lists": ("user", "item", "position", "score"),
    "catalogue": ("item",),
    "people": ("user",),
    "policy": ("user", "item", "score"),
    "predictions": ("user", "item", "prediction"),
    "distances": ("item", "other", "distance"),
}
"""Kind of table → the roles of columns that a config can name."""


def source_entry(file: ClassifiedFile, comment: str) -> SourceEntry:
    """Return the keys that a config needs for a file, with a comment."""
    assert file.table is not None
    columns = {_KEYS.get(role, role): _name(file, file.columns[role]) for role in _COLUMNS[file.table] if role in file.columns}
    keys = {**file.summary.read_keys, "columns": columns}
    if any(column.decimal_comma for column in _numeric_columns(file)):
        keys["decimal_comma"] = True
    if file.table == "catalogue":
        keys |= settings.categories(file.summary)
    return SourceEntry(file, keys, comment)


def predictions_entry(file: ClassifiedFile) -> SourceEntry:
    """Return the entry of predicted ratings, which are classified as lists until their pairs are compared with the test set."""
    columns = {"user": file.columns["user"], "item": file.columns["item"], "prediction": file.columns["score"]}
    table = ClassifiedFile(file.summary, columns, file.pair_summary, "predictions", "predicted ratings")
    return source_entry(table, "predictions for pairs of the test set")


def _numeric_columns(file: ClassifiedFile) -> list[ColumnSummary]:
    """Return the columns that a config can name and that must hold numbers."""
    return [file.columns[role] for role in _COLUMNS[file.table or ""] if role in file.columns and role not in ("user", "item", "other")]


def _name(file: ClassifiedFile, column: ColumnSummary) -> str | int:
    """Return a column as a config names it: by name, or by number in a file without a header."""
    same = [other for other in file.summary.columns if other.name == column.name]
    return column.name if file.summary.has_header and len(same) == 1 else column.number


def lists_entry(file: ClassifiedFile) -> SourceEntry:
    """Return the entry of the lists of a model, with their length in the comment if whole users were read."""
    longest = file.by_user.longest
    length = f"; up to {longest} item{'' if longest == 1 else 's'} per user" if file.by_user.has_whole_users else ""
    return source_entry(file, f"{file.reason}{length}")


def describe(
    files: Sequence[ClassifiedFile],
    data: Mapping[str, SourceEntry],
    models: Mapping[str, SourceEntry],
    alternatives: Sequence[tuple[str, SourceEntry]],
    left_out: Mapping[str, str],
) -> tuple[tuple[str, str], ...]:
    """Describe the place of every file in the config, or why it has none; files in the order given, unreadable ones last."""
    by_path = {path: f"left out: {reason}" for path, reason in left_out.items()}
    by_path |= {entry.file.summary.path: f"left out, but listed in a comment: {entry.comment}" for _, entry in alternatives}
    by_path |= {entry.file.summary.path: f"data.{key}: {_reading(entry)}" for key, entry in data.items()}
    by_path |= {entry.file.summary.path: f"the model {name}: {_reading(entry)}" for name, entry in models.items()}
    by_path |= {file.summary.path: f"left out: {file.reason}" for file in files if file.summary.path not in by_path}
    order = dict.fromkeys([*(file.summary.path for file in files), *left_out])
    return tuple((path, by_path[path]) for path in order)


def _reading(entry: SourceEntry) -> str:
    """Describe why a file has its key, how it is read, and how many rows it has."""
    summary = entry.file.summary
    columns = ", ".join(f"{key}={name}" for key, name in entry.keys["columns"].items())
    keys = "".join(f"; {key} {value!r}" for key, value in entry.keys.items() if key in _SHOWN_KEYS)
    header = "" if summary.has_header else "; no header"
    return f"{entry.comment}; {columns}{keys}{header}; {'' if summary.n_rows_exact else 'about '}{summary.n_rows:,} rows"


def file_doubts(files: Sequence[ClassifiedFile]) -> list[str]:
    """Return the doubts about single files, one sentence for all files that share it, and the rows that `receval run` will refuse."""
    paths: dict[str, list[str]] = {}
    classified = [file for file in files if file.table]
    for file in classified:
        for doubt in file.doubts:
            paths.setdefault(doubt, []).append(file.summary.path)
    shared = [f"{', '.join(names)}: {doubt}" for doubt, names in paths.items()]
    return shared + [f"{file.summary.path}: {doubt}" for file in classified for doubt in (*_text_doubts(file), *_refusals(file))]


def _text_doubts(file: ClassifiedFile) -> list[str]:
    """Return how ambiguous text is read: as lists, or as numbers with a decimal comma."""
    keys = file.summary.read_keys
    lists = [file.columns["item"]] if "split" in keys and "item" in file.columns else []
    doubts = [f"column {column.name!r} is used as lists of items separated by {keys['split']!r}" for column in lists]
    for column in _numeric_columns(file):
        example = next((value for value in column.examples if column.decimal_comma and "," in value), "")
        doubts += [f"column {column.name!r} is used as numbers with a decimal comma, such as {example!r}"] if example else []
    return doubts


def _refusals(file: ClassifiedFile) -> list[str]:
    """Return what `receval run` will refuse among the previewed rows."""
    refusals = []
    for role in _COLUMNS[file.table or ""]:
        column = file.columns.get(role)
        if column is None:
            continue
        is_id = role in ("user", "item", "other")
        n_missing = file.summary.n_previewed - column.n_filled + (0 if is_id else column.n_missing_words)
        if n_missing:
            refusals.append(f"column {column.name!r} has no value in {n_missing:,} rows; receval run will refuse them")
        elif not is_id and column.kind == "text":
            refusals.append(f"column {column.name!r} holds text such as {column.examples[0]!r} where numbers are needed")
    return refusals
