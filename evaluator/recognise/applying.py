"""Apply a reading: as options to read a source, and a question as the error that asks it, with a line to paste for each reading."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence

from msgspec.structs import replace

from ..load.columns import MissingColumnsError, UnclearColumnsError, public_name, usual_roles
from ..load.scan import ReadOptions, flat_columns
from ..load.source import Source
from ..load.source_file import FrameFile
from ..results.row import shortened
from ..support.errors import DataError
from ..support.quoting import PASTED
from .reading import FileReading, arguments_of, described, differing, options_of
from .recogniser import Question


def with_reading(options: ReadOptions, reading: FileReading) -> ReadOptions:
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


def models_error(reading: FileReading, file: str) -> DataError:
    """Return the error for a file that has the lists of several models, although the config gives it one name."""
    column = reading.columns["model"]
    name = f"column {column}" if isinstance(column, int) else repr(column)
    setting = shlex.quote(f"{reading.source}.columns.model={column}")
    return DataError(
        f"{reading.source}: {file}: the lists are of {len(reading.models):,} models, {', '.join(reading.models[:5])}, in {name}",
        f"give the file without a name, or set it in the config, columns: {{model: {column}}}, or by --set {setting}",
    )


def as_recognised(found: FileReading | Question | None, look: Callable[[ReadOptions], Source], options: ReadOptions) -> Source:
    """Return a source as it was recognised; `look` decides how to read it with options.

    Where the names of columns, positions and settings give the same reading, it is that one. Raises `DataError` if a person must choose,
    or if the source cannot be read.
    """
    plain, failure = None, None
    try:
        plain = look(options)
    except UnclearColumnsError as error:
        if found is None:
            raise
        failure = error
    if isinstance(found, Question):
        found = found if plain is None else _still_asked(found, plain, options)
        if isinstance(found, Question):
            raise QuestionError([found], failure)
    source = plain
    if plain is not None and found is not None and found.layout == "long" and not {*found.casts} <= options.integers:
        found = replace(found, casts=tuple(options.integers & {*found.casts}))  # the health checks say that 12.0 is not 12, with a cure
    if found is not None and (plain is None or not (is_read_so(plain, found) or _leaves_unread(plain, found))):
        source = look(with_reading(options, found))
    assert source is not None, "a source that names do not decide was recognised"
    is_by_name = plain is source and (found is None or found.is_by_name or found.shape.startswith("TREC"))  # a format has its columns
    return source if found is None else replace(source, reading=described(found), is_by_name=is_by_name)


def is_read_so(source: Source, reading: FileReading) -> bool:
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


def _leaves_unread(source: Source, reading: FileReading) -> bool:
    """Return whether a reading leaves out a column whose usual name says that it orders or judges, which is never left unread.

    Beside a rank a score orders nothing.
    """
    scan = source.scan
    by_name = {public_name(role): name for role, name in scan.columns.items() if reading.header is not False and usual_roles(name)}
    judges = ("rank",) if "rank" in by_name else ("score", "rating")
    same = all(scan.columns.get(role) == reading.columns[role] for role in ("user", "item"))
    return same and any(by_name[role] not in reading.columns.values() for role in judges if role in by_name)


def _still_asked(question: Question, source: Source, options: ReadOptions) -> Question | FileReading | None:
    """Return what is left of a question for a source whose users and items have usual or given names; `None` if nothing is.

    Such columns are not in doubt, but what judges or orders them may be.
    """
    names = {role: source.scan.names.get(role, "") for role in ("user", "item")}
    has_names = source.scan.has_header or not source.scan.is_text or source.scan.format == "ndjson"
    if has_names and all(role in options.columns or role in usual_roles(name) for role, name in names.items()):
        of_names = (reading for reading in question.readings if all(reading.columns[role] == name for role, name in names.items()))
        left = tuple(reading for reading in of_names if not _leaves_unread(source, reading))
        may_differ = not left or left[0].layout == "long"  # lists of 12.0 are refused when they are read
        if len(left) < 2 and (not left or is_read_so(source, replace(left[0], casts=()) if may_differ else left[0])):
            return left[0] if left else None
        question = replace(question, readings=left)
    return question


class QuestionError(DataError):
    """Files that can be read in several ways (exit code 3), with the options for each way on a line of its own.

    `failure` is the error of the first one, if names and positions alone cannot read it.
    """

    heading = "a file can be read in several ways"

    def __init__(self, questions: Sequence[Question], failure: DataError | None = None, *, as_arguments: bool = False) -> None:
        self.questions, self.failure = tuple(questions), failure
        groups: dict[tuple[str, ...], list[Question]] = {}
        for number, question in enumerate(questions):
            first = failure.message if isinstance(failure, MissingColumnsError) and number == 0 else ""
            groups.setdefault((first, *map(described, question.readings)), []).append(question)
        lines = [line for (first, *_), group in groups.items() for line in _asked(group, first, as_arguments)]
        is_alone = all(len(question.readings) == 1 for question in questions)
        options = "arguments" if as_arguments else "options"
        which = f"the {options}, if this is right" if is_alone else f"the {options} of the right reading"
        super().__init__(lines, f"give {which}" if as_arguments else f"add {which}, or write them in the config")


def _asked(group: Sequence[Question], first: str, as_arguments: bool) -> list[str]:
    """Return the lines that ask a question about one source or several alike: what is unclear, and each reading with its options."""
    readings, sources = group[0].readings, [question.request.source for question in group]
    places = [*dict.fromkeys(question.request.place for question in group)]
    are = "can be read in several ways, which give different numbers" if len(readings) > 1 else "is not clearly recognised; it may be"
    lines = [first or f"{shortened(sources)}: {group[0].request.file} {are}:"]
    for index, reading in enumerate(readings):
        is_shared = len(places) > 1 and all(key.startswith("columns.") for key in differing(reading, readings))
        options = [options_of(reading, readings, place) for place in (["data"] if is_shared else places)]
        if as_arguments:
            of_files = [(question.readings[index], question.readings, question.request) for question in group]
            tables = ["TABLE" if isinstance(request.file.path, FrameFile) else "FILE" for *_, request in of_files]
            options = [arguments_of(choice, others, table) for (choice, others, _), table in zip(of_files, tables, strict=True)]
        lines += [f"  {described(reading)}", f"{PASTED}{' '.join(options)}"]
    return lines
