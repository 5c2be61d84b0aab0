"""What people are told of the files and the guesses: one sentence for each file, or for all of which the same is said."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from ..results.row import shortened
from .classification import ClassifiedFile
from .guessed_config import GuessedConfig, SourceEntry

_IDS: Final = ("user", "item", "other")
_SHOWN_KEYS: Final = ("format", "separator", "decimal_comma", "categories", "split", "null_values")
DROPS: Final = "the config leaves such rows out (evaluation.policy.missing_values: drop)"
_REFUSED: Final = "receval run refuses such rows"
_MOST_LINES: Final = 20
"""Number of files of which each has a line of its own."""


def said(config: GuessedConfig) -> list[str]:
    """Return what people are told of the files and the guesses, one sentence for all files of which the same is said, if there are many."""
    lines = [f"{path}: {what}" for path, what in config.descriptions]
    if len(lines) > _MOST_LINES:
        lines = _grouped((path, config.shared.get(path, what)) for path, what in config.descriptions)
    doubts = _grouped((place, what) for place, _, what in (doubt.partition(": ") for doubt in config.doubts))
    return lines + [f"not sure: {doubt}" for doubt in doubts]


def _grouped(pairs: Iterable[tuple[str, str]]) -> list[str]:
    """Return sentences on places: the same about several is said once."""
    places: dict[str, list[str]] = {}
    for place, what in pairs:
        places.setdefault(what, []).append(place)
    return [
        f"{shortened(dict.fromkeys(some))}: {what}" if what else place
        for what, some in places.items()
        for place in some[: 1 if what else None]
    ]


def whose_lists(name: str, entry: SourceEntry) -> str:
    """Return of which model lists are, or of which models."""
    return f"the models {shortened(entry.file.models)}" if entry.file.models else f"the model {name}"


def what_was_recognised(config: GuessedConfig) -> list[str]:
    """Return what was recognised by content or position, one sentence for all files that are read so."""
    paths: dict[str, list[str]] = {}
    for entry in (*config.data.values(), *config.models.values()):
        if entry.doubt:
            paths.setdefault(entry.doubt, []).append(entry.file.path)
    return [f"{shortened(files)}: {doubt}" for doubt, files in paths.items()]


def described_entry(entry: SourceEntry) -> str:
    """Describe why a file has its key, how it is read, and how many rows it has."""
    n_rows, is_exact = entry.file.n_rows
    shown = f"{n_rows:,}" if is_exact else f"about {int(float(f'{n_rows:.1e}')):,}"  # of an estimate two digits
    return f"{entry.comment}; {columns_text(entry)}; {shown} rows"


def columns_text(entry: SourceEntry) -> str:
    """Return the columns of a file and how it is cut into them."""
    columns = ", ".join(f"{role}={_shown(name)}" for role, name in entry.file.names.items())
    keys = "".join(f"; {key} {value!r}" for key, value in entry.keys.items() if key in _SHOWN_KEYS)
    return f"{columns}{keys}{'' if entry.file.has_header else '; no header'}"


def _shown(name: Any) -> str:
    return f"{name[0]} to {name[-1]}" if isinstance(name, list | tuple) else str(name)


def file_doubts(files: Sequence[ClassifiedFile]) -> list[str]:
    """Return the doubts about single files, one sentence for all files that share it."""
    paths: dict[str, list[str]] = {}
    classified = [file for file in files if file.table]
    for file in classified:
        for doubt in file.doubts:
            paths.setdefault(doubt, []).append(file.path)
    shared = [f"{', '.join(names)}: {doubt}" for doubt, names in paths.items()]
    return shared + [f"{file.path}: {doubt}" for file in classified for doubt in _column_doubts(file)]


def _column_doubts(file: ClassifiedFile) -> list[str]:
    """Return how ambiguous text is read (lists, or numbers with a decimal comma), and the rows that `receval run` will refuse."""
    doubts, refusals, scan = [], [], file.opened.scan
    if scan.split is not None and "item" in file.columns:
        doubts.append(f"column {file.columns['item'].name!r} is used as lists of items separated by {scan.split!r}")
    for role in ("user", "item", "score"):
        same = [
            other
            for other in file.every
            if role in other.usual_roles and role in file.columns and other.number != file.columns[role].number
        ]
        others = [repr(other.name) for other in same if all(other.number != taken.number for taken in file.columns.values())]
        if others and role in file.columns[role].usual_roles:
            used = f"column {file.columns[role].name!r} is used as the {role}"
            doubts.append(f"{used}; {' or '.join(others)} could also be the {role}")
    for role, column in file.columns.items():
        if role in _IDS or role == "timestamp" or role in scan.lists:
            continue
        example = next((value for value in column.examples if column.decimal_comma and "," in value), "")
        if example:
            doubts.append(f"column {column.name!r} is used as numbers with a decimal comma, such as {example!r}")
        if not _n_missing(file, role) and column.sampled.kind == "text":
            refusals.append(f"column {column.name!r} contains text such as {column.examples[0]!r}, but must contain numbers")
    return doubts + refusals


def _n_missing(file: ClassifiedFile, role: str) -> int:
    """Return the number of rows of the sample without a value in the column of a role."""
    column = file.columns[role]
    return len(column.sampled.values) - column.n_filled + (0 if role in _IDS else column.n_missing_words)


def rows_without_values(files: Sequence[ClassifiedFile]) -> list[str]:
    """Return a sentence for each column of the files of a config that lacks values, which a run refuses."""
    sentences = []
    for file in files:
        n_seen = len(file.every[0].sampled.values)
        of_rows = "" if file.n_rows == (n_seen, True) else f" of the first {n_seen:,}"
        for role, column in file.columns.items():
            if role != "timestamp" and not file.opened.scan.skips_gaps and (n := _n_missing(file, role)):
                rows = f"{n:,}{of_rows} row{'s' * (n > 1 or bool(of_rows))}"
                sentences.append(f"{file.path}: column {column.name!r} has no value in {rows}; {_REFUSED if role in _IDS else DROPS}")
    return sentences
