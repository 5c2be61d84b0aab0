"""How the files of a config are read together: as a run reads them, with the keys of the config that choose it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from .. import load
from ..load import sniff
from ..load.scan import ReadOptions
from ..recognise.applying import QuestionError, as_recognised, with_reading
from ..recognise.reading import FileReading, described, differing
from ..recognise.recogniser import Question, recognise
from ..support.errors import DataError
from .classification import ClassifiedFile, has_names, names_of
from .table_preview import TablePreview


class ChosenReading(Struct, frozen=True):
    """How a source is read, and the `keys` that a config needs for it.

    `alternatives` are the readings of a question that only a person answers: their keys, and what they mean. `doubt` is what a person
    should confirm.
    """

    source: load.Source
    found: FileReading | Question | None
    keys: Mapping[str, Any]
    alternatives: tuple[tuple[Mapping[str, Any], str], ...] = ()
    doubt: str = ""


def read_together(files: Mapping[str, ClassifiedFile]) -> dict[str, ChosenReading]:
    """Return role → how its file is read beside the others; raise `DataError` if one cannot be read.

    A run asks the recogniser with the keys again; a source that it would read in another way with few keys gets all of them.
    """
    found = _recognised({role: (file, file.preview.request(role, file.table)) for role, file in files.items()})  # type: ignore[arg-type]
    chosen = {role: _chosen(file, found.get(role)) for role, file in files.items()}
    options = {role: file.preview.options(file.table or "", chosen[role].keys) for role, file in files.items()}
    again = _recognised({role: (file, file.preview.request(role, file.table, options[role])) for role, file in files.items()})  # type: ignore[arg-type]
    for role, file in files.items():
        choice = chosen[role]
        if not choice.alternatives and not _is_read_again(choice, file, again.get(role), options[role]):
            chosen[role] = replace(choice, keys=_every_key(file.preview, choice))
    return chosen


def read_beside(test: ClassifiedFile, lists: Sequence[ClassifiedFile]) -> list[tuple[ClassifiedFile, ClassifiedFile]]:
    """Return each of some lists with the test set, as they are read beside each other."""
    files = dict(zip(("data.test", *(f"data.recommendations.{n}" for n in range(len(lists)))), (test, *lists), strict=True))
    found = _recognised({role: (file, file.preview.request(role, file.table)) for role, file in files.items()})  # type: ignore[arg-type]
    first, *others = (file.read_as(file.preview.source(file.table or "", found.get(role)), found.get(role)) for role, file in files.items())
    return [(first, other) for other in others]


def _recognised(files: Mapping[str, tuple[ClassifiedFile, Any]]) -> dict[str, FileReading | Question]:
    return recognise([request for _, request in files.values() if request is not None])


def _is_read_again(choice: ChosenReading, file: ClassifiedFile, found: FileReading | Question | None, options: ReadOptions) -> bool:
    """Return whether a run with the keys reads a source in the same way."""
    try:
        source = as_recognised(found, partial(file.preview.look, file.table or ""), options)
    except QuestionError:
        return False
    return _are_same(source, choice.source)


def _chosen(file: ClassifiedFile, found: FileReading | Question | None) -> ChosenReading:
    """Return how a source is read: of a question with one reading this one, of others the first one, without keys: a run asks."""
    preview, table = file.preview, file.table or ""
    options = preview.options(table) if found is None else preview.open_options(table)
    look, doubt = partial(preview.look, table), ""
    if isinstance(found, Question) and len(found.readings) == 1 and found.readings[0].casts:  # ids match only so
        found = found.readings[0]
        options, doubt = replace(options, integers=frozenset(found.casts)), described(found)
    try:
        source = as_recognised(found, look, options)
    except QuestionError as error:
        (question,) = error.questions
        readings = question.readings
        source = look(with_reading(options, readings[0]))
        if len(readings) > 1:
            keys = tuple((_keys_of(option, readings), described(option)) for option in readings)
            doubt = f"{', or '.join(text for _, text in keys)}? receval run asks; choose one in the config, where they are comments"
            return ChosenReading(source, question, preview.keys, keys, doubt)
        found, doubt = readings[0], described(readings[0])
    reading = found if isinstance(found, FileReading) else None
    if reading is not None and "timestamp" in reading.columns and "timestamp" not in source.columns:  # that names alone do not find
        options = replace(options, columns={**options.columns, "timestamp": reading.columns["timestamp"]})
        source = as_recognised(reading, look, options)
    commas = {"decimal_comma": True} if _has_decimal_commas(preview, reading, source) else {}
    if commas:
        options = replace(options, decimal_comma=True)
        source = as_recognised(reading, look, options)
    keys_of_reading = _keys(preview, table, reading, source, commas)
    if reading is not None and "model" in reading.columns:
        keys_of_reading["columns"] = {**keys_of_reading.get("columns", {}), "model": reading.columns["model"]}
    return ChosenReading(source, found, keys_of_reading, doubt=doubt or ("" if source.is_by_name else source.reading))


def _keys_of(reading: FileReading, others: tuple[FileReading, ...]) -> dict[str, Any]:
    """Return the keys of a source that choose a reading among others."""
    keys: dict[str, Any] = {}
    for key, value in differing(reading, others).items():
        section, _, role = key.rpartition(".")
        (keys.setdefault(section, {}) if section else keys)[role] = value
    return {key: value for key, value in keys.items() if value is not None}


def _are_same(source: load.Source, other: load.Source) -> bool:
    """Return whether two sources are read in the same way."""
    return replace(source.scan, doubts=()) == replace(other.scan, doubts=())


def _keys(preview: TablePreview, table: str, reading: FileReading | None, source: load.Source, commas: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys with which a run reads a source so; `commas` is the one for decimal commas, if it is needed."""
    scan, settings = source.scan, {} if reading is None else reading.settings
    options = replace(preview.open_options(table), decimal_comma=commas.get("decimal_comma"), integers=scan.integers & {"user", "item"})
    is_applied = reading is not None and _are_same(preview.look(table, with_reading(options, reading)), source)
    settings = settings if is_applied else {}
    if scan.format == "lines" and not scan.separator:
        is_plain = not preview.keys and _is_plain(preview, table, {}, source)
        return {} if is_plain else {"format": "trec"}
    keys = dict(preview.keys)
    if scan.ragged:
        keys |= {key: settings[key] for key in ("format", "separator", "header") if key in settings}
    elif scan.format in ("csv", "lines"):
        usual = "\t" if sniff.ending_of(preview.files[0].pure_path) in (".tsv", ".tab", ".inter", ".item", ".user") else ","
        keys |= {"separator": scan.separator} if scan.separator != usual or keys else {}
        keys |= {} if scan.has_header else {"header": False}
    keys |= {key: settings[key] for key in ("label_separator", "padding") if key in settings}
    if scan.split is not None and not scan.ragged:
        keys["split"] = scan.split
    keys |= commas
    if has_names(source) and _is_plain(preview, table, keys, source):
        return keys
    return {**keys, "columns": _columns(source, reading if is_applied else None)}


def _columns(source: load.Source, reading: FileReading | None) -> dict[str, Any]:
    """Return the columns of a source as a config names them."""
    settings = {} if reading is None else reading.settings
    places = {"": 1 + list(source.scan.header).index("")} if "" in source.scan.header else {}  # a config cannot name it
    names = {role: settings.get(f"columns.{role}", name) for role, name in names_of(source, reading).items()}
    return {role: places.get(name, name) if isinstance(name, str) else name for role, name in names.items()}


def _every_key(preview: TablePreview, choice: ChosenReading) -> dict[str, Any]:
    """Return all keys that choose a reading, with the columns that are not read."""
    if not isinstance(choice.found, FileReading):
        return {**choice.keys, "columns": _columns(choice.source, None)}
    keys = {**choice.keys, **{key: value for key, value in choice.found.settings.items() if "." not in key}}
    columns = {key.removeprefix("columns."): value for key, value in choice.found.settings.items() if key.startswith("columns.")}
    return {**preview.keys, **keys, "columns": {**_columns(choice.source, choice.found), **columns}}


def keys_alone(file: ClassifiedFile) -> dict[str, Any]:
    """Return the keys that a config needs for a file that is read by itself."""
    reading = file.reading if file.table in ("interactions", "lists") else None
    return _keys(file.preview, file.table or "", reading, file.opened, {})


def _is_plain(preview: TablePreview, table: str, keys: Mapping[str, Any], source: load.Source) -> bool:
    """Return whether names alone read a source so, with these keys."""
    try:
        return _are_same(preview.look(table, preview.options(table, keys)), source)
    except DataError:
        return False


def _has_decimal_commas(preview: TablePreview, reading: FileReading | None, source: load.Source) -> bool:
    """Return whether numbers are written with a decimal comma, and a run would not know it."""
    names = {name for role, name in names_of(source, reading).items() if role in ("rating", "score") and not isinstance(name, list)}
    commas = any(column.decimal_comma and column.sampled.key in names for column in preview.columns(reading))
    return commas and not source.scan.decimal_comma
