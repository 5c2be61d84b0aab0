"""Apply a reading: as options to read a source, and a question as the error that asks it, with a line to paste for each reading."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence

from msgspec.structs import replace

from ..errors import DataError
from ..load.columns import MissingColumnsError, public_name
from ..load.scan import ReadOptions, flat_columns
from ..load.source import Source
from .reading import Reading, described, options_of
from .recogniser import Question


def with_reading(options: ReadOptions, reading: Reading) -> ReadOptions:
    """Return the options with those of a reading; columns that were given stay as they were given."""
    settings = {key: value for key, value in reading.settings.items() if "." not in key}
    columns = {key.removeprefix("columns."): value for key, value in reading.settings.items() if key.startswith("columns.")}
    if options.header is None and options.columns and all(isinstance(name, int) for name in options.names):
        settings.pop("header", None)  # `load` looks whether the first line contradicts the positions
    names = {role: name["column"] if isinstance(name, dict) else name for role, name in columns.items() if role != "model"}
    found = flat_columns({role: name for role, name in names.items() if name is not None})
    return replace(
        options,
        **{key: tuple(value) if key == "padding" else value for key, value in settings.items()},
        columns={**found, **{role: name for role, name in options.columns.items() if role not in found}},
        absent=options.absent | {role for role, name in names.items() if name is None},
        integers=options.integers | {*reading.casts},
        ascending=options.ascending | ({"score"} if reading.order == "ascending" else frozenset()),
    )


def models_error(reading: Reading, file: str) -> DataError:
    """Return the error for a file that has the lists of several models, although the config gives it one name."""
    column = reading.columns["model"]
    name = f"column {column}" if isinstance(column, int) else repr(column)
    setting = f"columns.model={column}"
    return DataError(
        f"{reading.source}: {file} has the lists of {len(reading.models):,} models, {', '.join(reading.models[:5])}, in {name}",
        f"give the file without a name, or set its column of models by --set {shlex.quote(f'{reading.source}.{setting}')}",
    )


def as_recognised(found: Reading | Question | None, look: Callable[[ReadOptions], Source], options: ReadOptions) -> Source:
    """Return a source as it was recognised; `look` decides how to read it with options.

    Where the names of columns, positions and settings give the same reading, it is that one. Raises `DataError` if a person must choose,
    or if the source cannot be read.
    """
    plain, failure = None, None
    try:
        plain = look(options)
    except DataError as error:
        failure = error
    if isinstance(found, Question) and (plain is not None or isinstance(failure, MissingColumnsError)):
        if plain is not None and is_certain(plain, options):
            return plain
        raise question_error([found])
    source = plain
    if isinstance(found, Reading) and (plain is None or not is_read_so(plain, found)):
        try:
            source = look(with_reading(options, found))
        except DataError:
            if failure is None:
                raise
    if source is None:
        assert failure is not None, "a source that cannot be read has its error"
        raise failure
    return replace(source, reading=described(found), is_by_name=found.is_by_name) if isinstance(found, Reading) else source


def is_read_so(source: Source, reading: Reading) -> bool:
    """Return whether a source is read as a reading says: the same columns for users, items and what orders or judges them."""
    scan = source.scan
    if reading.settings.get("format") == "trec":
        return not scan.separator and scan.format == "lines"
    if (
        reading.layout not in ("long", "list")
        or reading.padding
        or reading.casts
        or reading.order == "ascending"
        or "model" in reading.columns
    ):
        return False
    names = {public_name(role): name for role, name in scan.columns.items()}
    header = dict(enumerate(scan.header, 1))
    wanted = {role: header.get(name) if isinstance(name, int) else name for role, name in reading.columns.items()}
    roles = ("user", "item", "rating", "score", "rank")
    judges = {role: names.get(role) for role in roles if not (role == "score" and "rank" in names)}
    is_list = bool(scan.lists) == (reading.layout == "list")
    return (
        judges == {role: wanted.get(role) for role in judges} and is_list and (reading.header is None or scan.has_header == reading.header)
    )


def is_certain(source: Source, options: ReadOptions) -> bool:
    """Return whether names or settings leave no doubt about a source, which was read by them."""
    roles = {"user", "item", *(("rating",) if source.table == "interactions" else ())}
    return roles <= {*options.columns}


def question_error(questions: Sequence[Question]) -> DataError:
    """Return the error for files that can be read in several ways, with the options for each way on a line of its own."""
    lines: list[str] = []
    for question in questions:
        source = question.request.source
        are = "can be read in several ways, which give different numbers" if len(question.readings) > 1 else "is not clearly recognised"
        lines.append(f"{source}: {question.request.file} {are}:")
        for reading in question.readings:
            lines += [f"  {described(reading)}", f"    {options_of(reading, question.readings, source)}"]
    return DataError(lines, "add the options of the reading that is right, or write them in the config")
