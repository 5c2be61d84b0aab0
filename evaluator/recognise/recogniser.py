"""`recognise`: how each file of a request is read, the surest first, each beside the ids of the others.

Every shape proposes drafts for every way to cut a file; a draft collects evidence in bits, and the likeliest is taken unless another within
`MARGIN` gives other rows. Compared are the rows, not the readings: a rank and a score of the same order are no question. Before a question
is asked, everything (up to 50,000 rows) is read. Long: one class and its weighing of drafts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from ..load.columns import usual_roles
from ..load.made_columns import is_named_in
from ..load.scan import KEY_COLUMN, Format, ReadOptions, SharedName
from ..load.source_file import SourceFile
from ..support.patterns import regex
from .evidence import MARGIN, Judge, Table, is_in_pieces, judges_of, may_rank, user_bits
from .headers import SURE, counts_columns
from .names import MOST, bits_of, meanings
from .reading import FileReading
from .sampled_rows import effect_of, rows_of
from .sampled_values import IdSet, KnownIds, SampledColumn, plain
from .shapes import SHAPES, Items
from .sheets import Sheet, look

_SAME_LINE: Final = 8.0
"""Bits that a first line is a header which is also that of another file."""
_DIGIT: Final = regex(r"\d")
_WEAK: Final = 8.0
"""Bits that a user or an item costs that nothing speaks for: never by elimination."""
_MOST_READINGS: Final = 4
_MOST_NEAR: Final = 40
"""Number of drafts whose rows are compared; a file of thousands of columns has thousands that are equally likely."""
_MOST_UNNAMED: Final = 4
"""With more columns without names, positions alone say nothing."""
_MOST_USERS, _MOST_DRAFTS = 3, 5


class SourceRequest(Struct, frozen=True, dict=True):
    """A source to recognise: its name (`data.test`), its table, its first file and its format, and what is given.

    `setting` is its place in the config if that is not its name: several files of a glob are `data.recommendations[0]` together.
    """

    source: str
    table: Table
    file: SourceFile
    format: Format
    options: ReadOptions
    setting: str = ""

    @property
    def place(self) -> str:
        """Its place in the config."""
        return self.setting or self.source

    @cached_property
    def sheets(self) -> list[Sheet]:
        """The ways to cut its head into columns."""
        return look(self.file, self.format, self.options)


class Question(Struct, frozen=True):
    """Readings that give different rows, none clearly likelier."""

    request: SourceRequest
    readings: tuple[FileReading, ...]


class Draft(Struct, frozen=True):
    """A possible reading and its evidence."""

    bits: float
    sheet: Sheet
    request: SourceRequest
    shape: str
    user: SampledColumn
    items: Items
    judge: Judge
    why: tuple[str, ...]
    is_weak: bool = False
    """True if nothing speaks for its users, its items, or its header."""

    @property
    def source(self) -> tuple[Any, ...]:
        """The columns of users and items, by which drafts differ apart from their order."""
        items = self.items
        return (self.sheet.header, self.user.place, items.layout, items.split, *(column.place for column in items.columns))

    def reading(self) -> FileReading:
        """Return the reading."""
        sheet, items, judge, table = self.sheet, self.items, self.judge, self.request.table
        columns: dict[str, Any] = {"user": self.user.key}
        columns["item"] = [column.key for column in items.columns] if items.layout == "wide" else items.columns[0].key
        if judge.column is not None:
            columns["score" if judge.order == "ascending" else judge.order] = judge.column.key
        models = tuple(sorted(sheet.model.distinct)) if sheet.model and table == "lists" else ()
        if sheet.model and models and (len(models) > 1 or not sheet.is_complete):
            columns["model"] = sheet.model.key
        times = [c for c in sheet.columns if c.kind in ("time", "date") and not c.is_list] if table == "interactions" else []
        used = {column.place for column in (self.user, *items.columns, judge.column) if column} | {
            c.place for c in sheet.columns if c.key == columns.get("model")
        }
        times = [c for c in times if not items.split or not any(items.split in value for value in c.values)]  # or it would be split too
        if len(times) == 1 and times[0].place not in used and not sheet.has_usual_time and not self.shape.startswith("TREC"):
            columns["timestamp"] = times[0].key
            used.add(times[0].place)
        casts = [role for role, group in (("user", (self.user,)), ("item", items.columns)) if _is_whole(group)]
        return FileReading(
            self.request.source,
            table,
            self.shape,
            sheet.format,
            sheet.header,
            sheet.separator,
            items.layout,
            columns,
            judge.order,
            items.split,
            "-" if items.layout == "labels" else None,
            items.padding,
            tuple(casts),
            tuple(column.key for column in sheet.columns if column.place not in used and column.name not in sheet.filtered),
            self.why,
            self.bits,
            is_by_name=self._is_by_name(),
            facts=_facts(sheet, self.user, judge),
            models=models if "model" in columns else (),
        )

    def _is_by_name(self) -> bool:
        """Return whether names decide every role."""
        columns = {"user": self.user, "item": self.items.columns[0]} | ({self.judge.order: self.judge.column} if self.judge.column else {})
        said = {"item": ("item", "list", "truth"), "score": ("score", "estimate", "rating"), "ascending": ("distance",)}
        named = all(any(role in meanings(c.name) for role in said.get(name, (name,))) for name, c in columns.items())
        return named and self.items.layout in ("long", "list") and self.sheet.header is not False and not self.items.padding

    def rows(self) -> list[tuple[Any, ...]]:
        """Return the canonical rows of the sample."""
        return rows_of(self.sheet, self.reading())


def _is_whole(group: Sequence[SampledColumn]) -> bool:
    """Return whether columns have integers that are written `12.0`, and no other ids."""
    kinds = {column.kind for column in group}
    return "whole" in kinds <= {"whole", "integer", "empty"}


def _facts(sheet: Sheet, user: SampledColumn, judge: Judge) -> str:
    if judge.column is None or judge.order != "rank" or judge.column.is_list:
        return ""
    order = sheet.order(user, judge.column)
    numbers = [number for number in judge.column.numbers if number is not None]
    return f"{min(numbers):g} to {max(numbers):g}" + (" in every list" if order.permutes or order.counts else "") if numbers else ""


def recognise(requests: Sequence[SourceRequest], *, reads_ratings: bool = True) -> dict[str, FileReading | Question]:
    """Return source → reading, or a question; a source of which nothing is recognised, or everything is given, is not in it.

    Without `reads_ratings` all ratings above 0 mean the same, and readings that differ only in them are no question.
    """
    return _Recogniser(requests, reads_ratings).found()


class _Recogniser:
    def __init__(self, requests: Sequence[SourceRequest], reads_ratings: bool) -> None:
        self._reads_ratings = reads_ratings
        self._requests = {request.source: request for request in requests if request.options.format not in ("delta", "iceberg")}
        self._sheets = {source: request.sheets for source, request in self._requests.items()}
        self._requests = {source: request for source, request in self._requests.items() if self._sheets[source]}
        self._pools: dict[str, list[Draft]] = {}
        self._known: dict[str, KnownIds] = {}
        self._beside: dict[str, KnownIds] = {}
        self._other_way: dict[str, Draft] = {}
        self._whole: set[str] = set()
        self._needs_ids = True
        """False if no file needs the ids of another one."""

    def found(self) -> dict[str, FileReading | Question]:
        of_table = {table: [s for s, request in self._requests.items() if request.table == table] for table in ("interactions", "lists")}
        for source in (source for sources in of_table.values() for source in sources[:3]):  # of many, three to begin
            self._pools[source] = self._drafts(source, KnownIds())
        self._pools = {source: pool for source, pool in self._pools.items() if pool}
        first = sorted(self._pools, key=lambda source: -_lead(self._pools[source]))[:1]
        for source in first:
            self._weigh_both_ways(source)
        order = (
            sorted(self._requests, key=lambda s: (s not in first, self._requests[s].table == self._requests[first[0]].table))
            if first
            else []
        )
        self._needs_ids = not all(map(_is_sure, self._pools.values()))
        for source in order:
            self._settle(source)
        self._needs_ids = not all(map(_is_sure, self._pools.values()))
        for source in (*order, *order) if self._needs_ids else ():
            self._settle(source)
        decided = ((source, self._decided(source)) for source, request in self._requests.items() if _is_open(request.options))
        return {source: answer for source, answer in decided if answer is not None}

    def _drafts(self, source: str, beside: KnownIds) -> list[Draft]:
        """Return the drafts of a source that agree with what is given, the likeliest first."""
        request = self._requests[source]
        pool = [draft for sheet in self._sheets[source] for draft in _drafts_of(sheet, request, beside)]
        pool = sorted((draft for draft in pool if _agrees(draft, request.options)), key=lambda draft: -draft.bits)
        if pool and not self._is_whole(source) and _may_be_cut(pool[0]):
            self._sheets[source] = look(request.file, request.format, request.options, whole=True)
            self._whole.add(source)
            return self._drafts(source, beside)
        return pool

    def _is_whole(self, source: str) -> bool:
        """Return whether all rows of a source were read, or as many as are ever read."""
        return source in self._whole or all(sheet.is_complete for sheet in self._sheets[source])

    def _weigh_both_ways(self, source: str) -> None:
        """Choose which of two columns has the users: ids in common never say it, so both ways are weighed over all files."""
        pool = self._pools[source]
        turned = _turned(pool)
        if turned is None:
            return
        ways = []
        for draft in (pool[0], turned):
            others = [other for other in self._pools if self._requests[other].table != draft.request.table]
            best = {other: self._drafts(other, _known_from(draft))[:1] for other in others}
            ways.append({source: draft} | {other: found[0] for other, found in best.items() if found})
        gap = sum(draft.bits for draft in ways[1].values()) - sum(draft.bits for draft in ways[0].values())
        pool.insert(0, ways[gap > 0][source])
        if len(ways[0]) > 1 and abs(gap) < MARGIN:
            self._other_way = ways[gap <= 0]

    def _settle(self, source: str) -> None:
        """Weigh the drafts of a source again beside the ids of the others."""
        table = self._requests[source].table
        others = [known for other, known in self._known.items() if self._requests[other].table != table]
        others = others or [known for other, known in self._known.items() if other != source]
        if source not in self._pools and not others:
            self._pools[source] = self._drafts(source, KnownIds())
        pool = self._pools.get(source, [])
        if others and self._beside.get(source) is not others[0] and not _is_sure(pool):
            self._beside[source] = others[0]
            pool = self._pools[source] = self._drafts(source, others[0])
        is_first = source in self._known or all(self._requests[other].table != table for other in self._known)
        if pool and self._needs_ids and is_first and (source not in self._known or self._known[source].source != pool[0].source):
            self._known[source] = _known_from(pool[0])

    def _decided(self, source: str) -> FileReading | Question | None:
        request, pool = self._requests[source], self._pools.get(source, [])
        found = _decide(request, pool, self._reads_ratings)
        if isinstance(found, Question) and not self._is_whole(source):
            self._sheets[source] = look(request.file, request.format, request.options, whole=True)
            found = _decide(request, self._drafts(source, self._beside.get(source, KnownIds())), self._reads_ratings)
        if isinstance(found, FileReading) and found.casts:
            found = self._with_casts(found)
        if source in self._other_way and found is not None:
            readings = (found,) if isinstance(found, FileReading) else found.readings
            other = self._other_way[source].reading()
            return Question(request, readings if any(reading.settings == other.settings for reading in readings) else (*readings, other))
        return found

    def _with_casts(self, reading: FileReading) -> FileReading | Question:
        """Return a reading of ids as they are written; or the question whether `12.0` is 12, if only then other files have them."""
        request, draft = self._requests[reading.source], self._pools[reading.source][0]
        known = self._beside.get(reading.source, KnownIds())
        groups = {"user": (draft.user,), "item": draft.items.columns}
        written = {role: IdSet(text for column in groups[role] for text in column.distinct) for role in reading.casts}
        same = {"user": known.users, "item": known.items}
        needed = tuple(role for role, ids in written.items() if same[role] & IdSet(map(plain, ids - same[role])))
        given = request.options.integers
        asked = replace(reading, casts=tuple(role for role in reading.casts if role in given or role in needed))
        return Question(request, (asked,)) if {*needed} - given else asked


def _is_open(options: ReadOptions) -> bool:
    """Return whether there is something to recognise.

    A person who names several columns for a role, the rows of a page, or users and items by their positions has looked at the file.
    """
    given = options.columns
    several = any(role.startswith(KEY_COLUMN) or role == "row" or isinstance(name, tuple) for role, name in given.items())
    patterns = any(isinstance(name, str) and "*" in name for name in given.values())
    by_position = all(isinstance(given.get(role), int) for role in ("user", "item"))
    return not (several or patterns or by_position)


def _drafts_of(sheet: Sheet, request: SourceRequest, known: KnownIds) -> Iterator[Draft]:
    of_ids = (field for field in sheet.first if field not in known.first and (field in known.items or field in known.users))
    is_of_ids = bool(sheet.header) and not all(map(str.isdigit, of_ids))
    has_same = bool(sheet.header) and len(sheet.first) > 1 and sheet.first == known.first and not any(map(_DIGIT.search, sheet.first))
    base = sheet.bits - 15 * is_of_ids + _SAME_LINE * has_same + (_counted_bits(sheet, known) if sheet.header else 0.0)
    users = sorted(((*user_bits(sheet, column, request.table, known), column) for column in sheet.columns), key=lambda pair: -pair[0])
    users = [(SURE, "", column) for *_, column in users if _is_given((column,), "user", request.options)] or users
    shapes = [shape for shape in SHAPES if shape.name.startswith("TREC") == (sheet.format == "trec")]
    users = [user for user in users if not user[2].is_list]
    likely = [user for user in users[:_MOST_USERS] if user[0] > -MOST] or users[:1]
    likely += [user for user in users if user[2].place == 1 + sheet.columns[0].is_index and user not in likely and user[0] > -MOST]
    for bits, why, user in likely:
        found = [(shape, _as_given(items, request.options)) for shape in shapes for items in shape.signs(sheet, user, request.table, known)]
        for shape, items in sorted(found, key=lambda pair: -pair[1].bits)[:_MOST_DRAFTS]:
            is_named = "user" in meanings(user.name) and bits_of(items.columns[0].name, ("item", "list")) > 0
            is_weak = sheet.bits < 0 or (min(bits, items.bits) < 0 and not is_named)
            is_unnamed = sheet.header is False and len(sheet.columns) > _MOST_UNNAMED
            is_weak |= is_unnamed and (shape.name == "long" or (shape.name == "wide" and not user.is_unique))
            judges: Iterable[Judge] = (
                [items.judge] if items.judge else judges_of(sheet, user, items.columns, request.table, known, items.layout)
            )
            for judge in judges:
                more = 8.0 if items.judge else judge.bits
                reasons = tuple(text for text in dict.fromkeys((sheet.why, why, items.why, judge.why)) if text)
                yield Draft(
                    base + bits + items.bits + more - _WEAK * is_weak, sheet, request, shape.name, user, items, judge, reasons, is_weak
                )


def _counted_bits(sheet: Sheet, known: KnownIds) -> float:
    """Return what other files say about a first line `0,1,2`: they begin alike, or have no user 0."""
    if not counts_columns(sheet.first):
        return 0.0
    if counts_columns(known.first) and len(sheet.first) + len(known.first) > 4:
        return _SAME_LINE
    is_user = sheet.first[0] in known.users
    return (-_SAME_LINE if is_user else _SAME_LINE if known.is_complete else 0.0) if known.users else 0.0


def _are_named(columns: Sequence[SampledColumn], name: Any) -> bool:
    """Return whether columns are those of a name in the config: a name or position, several of them, or a name with one *."""
    if isinstance(name, str) and name.count("*") == 1 and all(column.name != name for column in columns):
        return all(is_named_in(name, [column.name or ""]) for column in columns)
    names = name if isinstance(name, tuple) else (name,)
    pairs = zip(columns, names, strict=False)
    return len(names) == len(columns) and all(
        column_name == (column.place if isinstance(column_name, int) else column.name) for column, column_name in pairs
    )


def _is_given(columns: Sequence[SampledColumn], role: str, options: ReadOptions) -> bool:
    name = options.columns.get(role)
    return name is not None and _are_named(columns, name)


def _as_given(items: Items, options: ReadOptions) -> Items:
    """Return items with the evidence of what was said: the config names their columns."""
    return replace(items, bits=max(items.bits, 0.0) + SURE) if _is_given(items.columns, "item", options) else items


def _agrees(draft: Draft, options: ReadOptions) -> bool:
    """Return whether a draft is what was given; a score that is given by its name alone is one of which more is better."""
    used: dict[str, Sequence[SampledColumn]] = {"user": (draft.user,), "item": draft.items.columns}
    is_ascending = draft.judge.order == "ascending"
    if draft.judge.column is not None:
        used["score" if is_ascending else draft.judge.order] = (draft.judge.column,)
    if any(role in used for role in options.absent) or ("score" in options.columns and is_ascending != ("score" in options.ascending)):
        return False
    names = {column.name for column in draft.sheet.columns}
    for role in ("user", "item", "rating", "score", "rank"):
        name = options.columns.get(role)
        if name is None or (isinstance(name, SharedName) and name not in names):
            continue
        if role == "score" and "rank" in used and "position" in usual_roles(used["rank"][0].name or ""):  # of both, ranks order lists
            continue
        if role not in used or not _are_named(used[role], name):
            return False
    is_split = draft.items.layout in ("cells", "labels")
    if options.split is not None:
        if not options.may_split or not is_split:
            return not is_split and not (options.may_split and any(options.split in value for value in draft.items.columns[0].values))
        return draft.items.split == options.split
    return options.format is None or (options.format == "trec") == draft.shape.startswith("TREC")


def _contradicts(draft: Draft) -> bool:
    """Return whether the name of a column says another role than that of the ids for which it is taken: a rating as the item."""
    roles = {"user": (draft.user,), "item": draft.items.columns}
    said = {"user": ("user",), "item": ("item", "list", "truth", "rank", "estimate")}
    return draft.is_weak and any(bits_of(column.name, said[role]) < 0 for role, columns in roles.items() for column in columns)


def _decide(request: SourceRequest, pool: Sequence[Draft], reads_ratings: bool) -> FileReading | Question | None:
    """Take the likeliest reading, or ask if another within MARGIN gives different rows, or nothing speaks for any."""
    pool = [draft for draft in pool if not _contradicts(draft)]
    if not pool:
        return None
    near = [draft for draft in pool if pool[0].bits - draft.bits < MARGIN]
    near[1:] = sorted(near[1:_MOST_NEAR], key=lambda draft: draft.source == pool[0].source)  # other columns first, then other orders
    effects: list[Mapping[Any, Any]] = []
    readings: list[FileReading] = []
    for draft in near:
        effect = effect_of(draft.rows(), request.table, reads_ratings=reads_ratings) if len(near) > 1 else {}
        if effect not in effects:
            effects.append(effect)
            readings.append(draft.reading())
    if len(readings) > 1 or pool[0].bits < 0 or pool[0].is_weak:
        return Question(request, tuple(readings[:_MOST_READINGS]))
    return readings[0]


def _may_be_cut(draft: Draft) -> bool:
    """Return whether more of a file may tell more: of lists in pieces, whether numbers are ranks, and which models there are."""
    column = draft.judge.column
    is_open = column is not None and column.kind == "integer" and is_in_pieces(draft.sheet, draft.user) and may_rank(column, 5)
    return draft.request.table == "lists" and (is_open or draft.sheet.model is not None)


def _turned(pool: Sequence[Draft]) -> Draft | None:
    """Return the draft whose users are the items of the first one, if neither a name nor a shape says which is which."""
    user, items = pool[0].user, pool[0].items
    if items.layout != "long" or user.preset or items.judge or "user" in meanings(user.name) or "item" in meanings(items.columns[0].name):
        return None
    wanted = (pool[0].sheet.header, items.columns[0].place, "long", None, user.place)
    return next((draft for draft in pool if draft.source == wanted), None)


def _lead(pool: Sequence[Draft]) -> float:
    """Return by how many bits the likeliest columns of users and items lead."""
    return min((pool[0].bits - draft.bits for draft in pool if draft.source != pool[0].source), default=MOST)


def _is_sure(pool: Sequence[Draft]) -> bool:
    """Return whether the likeliest draft stays so, whatever ids in common with other files say."""
    if not pool or pool[0].is_weak or pool[0].items.layout not in ("long", "list"):
        return False
    top = pool[0]
    if _is_whole((top.user,)) or _is_whole(top.items.columns):
        return False
    swings = (MOST / 2 if draft.source == top.source else 3 * MOST if draft.user is top.user else 4 * MOST for draft in pool[1:])
    return all(top.bits - draft.bits > swing + MARGIN for draft, swing in zip(pool[1:], swings, strict=True))


def _known_from(draft: Draft) -> KnownIds:
    rows = draft.rows()
    return KnownIds(
        (row[1] for row in rows),
        (row[2] for row in rows),
        first=draft.sheet.first,
        is_complete=draft.sheet.is_complete,
        source=draft.source,
    )
