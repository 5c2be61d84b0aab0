"""Classify one file: as pairs of users and items, lists or interactions, by the readings of the recogniser; else as a side table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from .. import load
from ..load.column_words import likely_column, words_of
from ..load.columns import UnclearColumnsError, public_name
from ..recognise.applying import with_reading
from ..recognise.names import meanings
from ..recognise.reading import FileReading
from ..recognise.recogniser import Question, SourceRequest
from ..support.errors import DataError
from .name_words import is_id_name, stem, table_words
from .table_preview import ROLE, ColumnSummary, PairSummary, TablePreview, collected, rows_of

_MAX_RATINGS: Final = 20
"""Largest number of distinct values of ratings; with more they are scores."""
_INTERACTION_WORDS: Final = ("test", "validation", "train")
_SIDE_ROLES: Final = ("user", "item", "other", "distance", "score", "prediction")
_ROLES: Final = ("user", "item", "rating", "rank", "score", "timestamp", "prediction", "other", "distance", "model")
"""The roles of columns, in the order in which they are shown."""
_IN_ONE_ROW: Final = ("list", "cells", "wide")
"""The layouts with several items in a row."""


class ClassifiedFile(Struct, frozen=True):
    """A file, its columns by role, and the kind of table it is classified as (none if unknown), with the reason.

    `path` and `label` are those of its table. `source` is how it is read, `names` role → column, as a config names it; `found` is what
    the recogniser says. `doubts` are sentences on possible mistakes. `is_told_by_length`: it was classified as lists only by the equal
    number of rows per user.
    """

    preview: TablePreview
    path: str
    label: str
    columns: Mapping[str, ColumnSummary] = {}
    every: tuple[ColumnSummary, ...] = ()
    """All columns of the sample."""
    has_header: bool = True
    pair_summary: PairSummary | None = None
    table: str | None = None
    reason: str = ""
    doubts: tuple[str, ...] = ()
    is_told_by_length: bool = False
    source: load.Source | None = None
    found: FileReading | Question | None = None
    n_rows: tuple[int, bool] = (0, False)
    """The number of rows, and whether it is exact."""

    @property
    def by_user(self) -> PairSummary:
        """The rows by user, for a file with columns of users and items."""
        assert self.pair_summary is not None
        return self.pair_summary

    @property
    def reading(self) -> FileReading | None:
        """How it is recognised, of a question the first reading."""
        return None if self.found is None else _first(self.found)

    @property
    def models(self) -> tuple[str, ...]:
        """The models whose lists a file has, if a column names them."""
        return self.reading.models if self.reading is not None and self.table == "lists" else ()

    @property
    def opened(self) -> load.Source:
        """How it is read, for a file of a known kind."""
        assert self.source is not None
        return self.source

    @property
    def names(self) -> dict[str, Any]:
        """Role → the name of its column, or its position."""
        return names_of(self.opened, self.reading)

    def read_as(self, source: load.Source, found: FileReading | Question | None) -> ClassifiedFile:
        """Return the file, read in another way."""
        file = replace(self, source=source, found=found)
        summary = self.preview.pair_summary(source, len(file.models) or 1) if "item" in source.columns else None
        return _with_columns(replace(file, pair_summary=summary))

    def filtered(self, where: str) -> load.Source:
        """Return how the rows are read that a filter keeps."""
        if not where:
            return self.opened
        options = self.preview.options(self.table or "", {"where": where})
        return self.preview.look(self.table or "", options if self.reading is None else with_reading(options, self.reading))

    def contains_any(self, role: str, ids: frozenset[str]) -> bool:
        """Return whether any of `ids` is in the column of a role, in all rows; true if they cannot be read, to be safe."""
        own = self.ids(role)
        if not ids.isdisjoint(own):
            return True
        is_whole = self.pair_summary.is_whole if self.pair_summary is not None else self.n_rows[0] <= self.columns[role].n_filled
        if is_whole or role not in self.opened.columns:
            return False
        wanted = pl.LazyFrame({role: sorted(ids)}, schema={role: pl.String})
        found = collected(rows_of(self.opened).select(role).join(wanted, on=role, how="semi").head(1))
        return found is None or found.height > 0

    def ids(self, role: str) -> frozenset[str]:
        """Return the users or items of the first rows."""
        if self.pair_summary is not None:
            return self.pair_summary.users if role == "user" else self.pair_summary.items
        return frozenset(self.columns[role].sampled.distinct) if role in self.columns else frozenset()

    @property
    def is_trec(self) -> bool:
        """True if its format alone says what it is."""
        return self.reading is not None and self.reading.shape.startswith("TREC")


def _first(found: FileReading | Question) -> FileReading:
    return found.readings[0] if isinstance(found, Question) else found


def has_names(source: load.Source) -> bool:
    """Return whether the columns of a source have names."""
    scan = source.scan
    return scan.has_header or scan.format == "ndjson" or not scan.is_text


def names_of(source: load.Source, reading: FileReading | None) -> dict[str, Any]:
    """Return role → the name of its column, or its position; as it was recognised, or else as a source is read."""
    recognised = dict(reading.columns) if reading is not None and not source.is_by_name else {}
    places: dict[str, Any] = {name: place for place, name in enumerate(source.scan.header, 1)}
    named = {public_name(role): name for role, name in source.scan.columns.items()}
    found = named if has_names(source) else {role: places[name] for role, name in named.items() if name in places}
    return {role: name for role in _ROLES if (name := recognised.get(role, found.get(role))) is not None}


def classify(preview: TablePreview, beside: Sequence[SourceRequest] = ()) -> ClassifiedFile:
    """Classify a single file, whose ids are compared with those of the files `beside` it."""
    place = preview.place
    lists = preview.recognised("lists", beside)
    reading = _first(lists) if lists is not None else None
    has_header = preview.sheet(reading).header is not False
    file = ClassifiedFile(preview, place.path, place.label, every=preview.columns(reading), has_header=has_header)
    words = table_words(place.label)
    is_open = isinstance(lists, Question) and len(lists.readings) > 1 and has_header
    if is_open and not words and not any(meanings(column.name) for column in file.every):  # nothing but a person says what it is
        return _unknown(file)
    kind = _side_table(file, words, reading) or _pairs(file, words, lists)
    if kind.table is not None and kind.table != "lists" and not (preview.is_of_many or preview.sheet().is_complete):
        return classify(TablePreview(place, preview.max_rows, whole=True), beside)
    return kind


def _side_table(file: ClassifiedFile, words: tuple[str, ...], reading: FileReading | None) -> ClassifiedFile | None:
    """Classify a file that has no pairs of users and items by the names of its columns; `None` if it may have such pairs."""
    every, names = file.every, [column.name for column in file.every]
    if any("@" in name for name in names) or {"metric", "value"} <= set(names):
        return replace(file, reason="it contains metric values")
    if len(every) < 2 and every and not every[0].is_list:
        return replace(file, reason="it has only one column")
    says_pairs = any(word in words for word in (*_INTERACTION_WORDS, "lists")) and not {"people", "catalogue", "policy"} & set(words)
    if not file.has_header:
        texts = [value.strip() for value in every[1].sampled.parts[:300]] if not every[1].is_list else []
        is_described = 2 * sum(" " in text for text in texts) > len(texts) and every[1].kind == "text"
        is_of_cells = reading is not None and reading.layout == "cells" and reading.columns["item"] == 2
        if says_pairs or not is_described or is_of_cells:
            return None
        table, role = ("people", "user") if "people" in words else ("catalogue", "item")
        return _side(file, table, {role: every[0]}, f"no header, and text after the first column, which is used as the {role}")
    roles = _side_roles(every)
    user, item = roles.get("user"), roles.get("item")
    if {"item", "other", "distance"} <= roles.keys():
        columns = {role: roles[role] for role in ("item", "other", "distance")}
        return _side(file, "distances", columns, "two columns of items and a distance")
    if says_pairs or (user is not None and item is not None):
        return None
    if item is not None and not item.is_list and "policy" in words and "score" in roles:
        return _side(file, "policy", {"item": item, "score": roles["score"]}, "by its name and a score of each item")
    if reading is not None and reading.layout in _IN_ONE_ROW and "people" not in words and "catalogue" not in words:
        return None
    if item is not None and not item.is_list and (reading is None or item.sampled.is_unique):
        return _side(file, "catalogue", {"item": item}, f"items in column {item.name!r}, and no users")
    if user is not None and (reading is None or (user.sampled.is_unique and "people" in words)):
        return _side(file, "people", {"user": user}, f"users in column {user.name!r}, and no items")
    return None


def _side_roles(every: Sequence[ColumnSummary]) -> dict[str, ColumnSummary]:
    """Return the columns whose names are usual for a role of a side table, or else have a word for users or items."""
    roles: dict[str, ColumnSummary] = {}
    for role in _SIDE_ROLES:
        usual = [column for column in every if role in column.usual_roles]
        likely = likely_column(role, [column.name for column in every], [column.name for column in roles.values()])
        found = usual or [column for column in every if column.name == likely and role in ("user", "item")]
        if found:
            roles[role] = found[0]
    return roles


def _side(file: ClassifiedFile, table: str, columns: Mapping[str, ColumnSummary], reason: str) -> ClassifiedFile:
    """Return a file as a table without lists and interactions; as nothing if it cannot be read so."""
    keys = {"columns": {role: column.sampled.key for role, column in columns.items()}}
    if not file.has_header:
        keys["header"] = False  # type: ignore[assignment]
    return _read(file, table, None, columns, reason, keys)


def _read(
    file: ClassifiedFile,
    table: str,
    found: FileReading | Question | None,
    columns: Mapping[str, ColumnSummary],
    reason: str,
    keys: Mapping[str, Any] | None = None,
) -> ClassifiedFile:
    """Return a file of a kind with the way it is read; without a kind if a run cannot read it."""
    preview = file.preview
    try:
        source = preview.source(table, found, keys)
        n_rows = preview.count_rows(source)
        n_models = len(_first(found).models) if table == "lists" and found is not None else 1
        summary = preview.pair_summary(source, n_models or 1) if {"user", "item"} <= source.columns else None
    except UnclearColumnsError:
        return file
    except DataError as error:
        return replace(file, reason=error.message.removeprefix(f"{ROLE}: {preview.place.paths[0]}").lstrip(",: "))
    return replace(file, table=table, found=found, columns=columns, reason=reason, source=source, pair_summary=summary, n_rows=n_rows)


def _pairs(file: ClassifiedFile, words: tuple[str, ...], lists: FileReading | Question | None) -> ClassifiedFile:
    """Classify a file of users and items: lists, interactions, a policy, or one row per user or item that an id only describes."""
    as_lists = _with_columns(_read(file, "lists", lists, {}, ""))
    is_pair = as_lists.table is not None and as_lists.pair_summary is not None
    if is_pair and (described := _one_row_each(as_lists, words)):
        return described
    if is_pair and "policy" in words and "score" in as_lists.columns:
        columns = {role: as_lists.columns[role] for role in ("user", "item", "score")}
        return _read(file, "policy", None, columns, "by its name and a score of each pair")
    if is_pair and as_lists.is_trec:
        return replace(as_lists, reason="a TREC run")
    is_for_a_set = any(word in words for word in _INTERACTION_WORDS)
    if is_pair and not is_for_a_set and (reason := _why_lists(as_lists, words)):
        return replace(as_lists, reason=reason)
    as_truth = _with_columns(_read(file, "interactions", file.preview.recognised("interactions"), {}, ""))
    if as_truth.table is None or as_truth.pair_summary is None:
        return as_lists if is_pair else _unknown(as_lists if lists is not None else as_truth)
    if as_truth.is_trec:
        return replace(as_truth, reason="TREC judgements (qrels)")
    rating = as_truth.columns.get("rating")
    if is_for_a_set and not (is_pair and _holds_lists_for_a_set(as_lists, rating, words)):
        return replace(as_truth, reason="by its name")
    if is_pair and (reason := _why_lists(as_lists, words) or _why_lists_by_content(as_lists, rating)):
        return replace(as_lists, reason=reason)
    times = [column for column in file.every if column.holds_times and column is not as_lists.columns.get("user")]
    is_unrated = rating is None or rating.n_distinct == 1  # a constant rates nothing
    if is_pair and as_lists.by_user.has_equal_lengths and is_unrated and not times:
        reason = f"nearly every user has {as_lists.by_user.median_length} rows, and there is no rating"
        return replace(as_lists, reason=reason, is_told_by_length=True)
    return replace(as_truth, reason="users and items, but no score or rank")


def _unknown(file: ClassifiedFile) -> ClassifiedFile:
    """Return a file of no kind, with the names of its columns if there is no other reason."""
    names = ", ".join(repr(column.name) for column in file.every[:6]) + (", …" if len(file.every) > 6 else "")
    return replace(file, reason=file.reason or f"no user or item column was recognised; the columns are {names}")


def _with_columns(file: ClassifiedFile) -> ClassifiedFile:
    """Return a file with the summaries of the columns that have a role."""
    if file.source is None:
        return file
    at = {column.sampled.key: column for column in file.preview.columns(file.reading)}
    names = {role: name[0] if isinstance(name, list | tuple) else name for role, name in file.names.items()}
    columns = {"position" if role == "rank" else role: at[name] for role, name in names.items() if name in at}
    if "user" not in columns or "item" not in columns:
        return replace(file, columns=columns, pair_summary=None) if columns.keys() & {"user", "item"} else file
    return replace(file, columns=columns, every=tuple(at.values()))


def _one_row_each(file: ClassifiedFile, words: tuple[str, ...]) -> ClassifiedFile | None:
    """Classify a file with one row per user or item whose other ids only describe it, such as a favourite film; `None` otherwise."""
    reading = file.reading
    if not file.has_header or (reading is not None and reading.layout in _IN_ONE_ROW):
        return None
    for table, role, other in (("people", "user", "item"), ("catalogue", "item", "user")):
        is_described = not is_id_name(file.columns[other]) and not any(word in words for word in (*_INTERACTION_WORDS, "lists"))
        if file.columns[role].sampled.is_unique and len(file.every) > 2 and (table in words or is_described):
            reason = f"{'by its name and ' if table in words else ''}one row per {role}"
            return _side(replace(file, pair_summary=None), table, {role: file.columns[role]}, reason)
    return None


def _holds_lists_for_a_set(file: ClassifiedFile, rating: ColumnSummary | None, words: tuple[str, ...]) -> bool:
    """Return whether a file named after a test or train set has lists for it, as `als_test` may; `test` itself never does."""
    if file.table is None:
        return False
    if "lists" in words or _has_named_rank(file):
        return True
    has_no_other_words = all(table_words(word) for word in words_of(stem(file.label)))
    return not has_no_other_words and (_is_score(file) or (rating is not None and _has_many_decimals(rating)))


def _has_named_rank(file: ClassifiedFile) -> bool:
    """Return whether a rank orders lists, by the name of its column, or without a header by its numbers."""
    rank = file.columns.get("position")
    return rank is not None and (not file.has_header or "position" in rank.usual_roles or "rank" in meanings(rank.name))


def _has_many_decimals(rating: ColumnSummary) -> bool:
    return rating.kind == "decimal" and not rating.half_steps and rating.n_distinct > _MAX_RATINGS


def _is_score(file: ClassifiedFile) -> bool:
    """Return whether a column that orders lists is a score by its name, or without a header by its decimals."""
    score = file.columns.get("score")
    if score is None:
        return False
    if not file.has_header:
        return not score.half_steps
    said = meanings(score.name)
    return bool({"score", "estimate", "distance"} & said.keys()) or "score" in score.usual_roles


def _why_lists(file: ClassifiedFile, words: tuple[str, ...]) -> str:
    """Return why a file has lists: by the names of its columns, or without a header by their numbers; empty if they do not say so."""
    place = "column {!r}" if file.has_header else "column {}"
    if "position" in file.columns and (_has_named_rank(file) or file.by_user.has_equal_lengths):
        said = "the rank in" if file.has_header else "numbers like a rank in"
        return f"{said} {place.format(file.columns['position'].name)}"
    if _is_score(file):
        said = "the score in" if file.has_header else "numbers like a score in"
        return f"{said} {place.format(file.columns['score'].name)}"
    return "by its name" if "lists" in words else ""


def _why_lists_by_content(file: ClassifiedFile, rating: ColumnSummary | None) -> str:
    """Return why a file has lists: by many decimals, lists in rows, or numbers that fall; empty if nothing says so."""
    reading, score = file.reading, file.columns.get("score")
    if rating is not None and _has_many_decimals(rating):
        return f"column {rating.name!r} has many decimals, like scores"
    if file.opened.scan.lists and (rating is None or (rating.kind == "decimal" and not rating.half_steps)):
        return "a list of items per user"
    is_open = score is not None and (rating is None or rating.name == score.name) and file.by_user.has_equal_lengths
    if is_open and score is not None and file.preview.sheet(reading).order(file.columns["user"].sampled, score.sampled).falls:
        return f"column {score.name!r} falls, and nearly every user has {file.by_user.median_length} rows"
    return ""


def as_predictions(file: ClassifiedFile) -> ClassifiedFile:
    """Return lists as predicted ratings."""
    columns = {"user": file.columns["user"], "item": file.columns["item"], "prediction": file.columns["score"]}
    return _side(file, "predictions", columns, file.reason)


def reclassified(files: Sequence[ClassifiedFile]) -> list[ClassifiedFile]:
    """Classify files again beside a test set: files of users, unless their names say users, and files of no kind.

    Those are lists if a column of any name has items of the test set.
    """
    tests = [file for file in files if file.table == "interactions"][:1]
    beside = [request for file in tests if (request := file.preview.request("data.test", "interactions")) is not None]
    doubtful = [file.path for file in files if beside and file.table in ("people", None) and "people" not in table_words(file.label)]
    return [classify(file.preview, beside) if file.path in doubtful else file for file in files]
