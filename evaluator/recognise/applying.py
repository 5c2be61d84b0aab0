"""Apply a reading: as options to read a source, and a question as the error that asks it, with a line to paste for each reading."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from ..errors import DataError
from ..load.scan import ReadOptions, flat_columns
from .reading import Reading, described, options_of
from .recogniser import Question


def with_reading(options: ReadOptions, reading: Reading) -> ReadOptions:
    """Return the options with those of a reading; columns that were given stay as they were given."""
    keys = {key: value for key, value in reading.settings.items() if not key.startswith("columns.")}
    columns = {key.removeprefix("columns."): value for key, value in reading.settings.items() if key.startswith("columns.")}
    given = {role: name for role, name in options.columns.items() if role not in columns}
    if "padding" in keys:
        keys["padding"] = tuple(keys["padding"])
    return replace(options, columns={**flat_columns(columns), **given} if columns else options.columns, **keys)


def question_error(questions: Sequence[Question]) -> DataError:
    """Return the error for files that can be read in several ways, with the options for each way on a line of its own."""
    lines: list[str] = []
    for question in questions:
        source = question.request.source
        are = "can be read in several ways, which give different numbers" if len(question.readings) > 1 else "is not clearly recognised"
        lines.append(f"{source}: {question.request.file} {are}:")
        for reading in question.readings:
            lines += [f"  {described(reading)}", f"    {options_of(reading, question.readings, source)}"]
    return DataError("\n".join(lines), "add the options of the reading that is right, or write them in the config")
