"""The shapes of files: a row of `SHAPES` is a name, its signs, and examples. Signs yield the ways in which a sample may have the shape.

A package adds a shape with `SHAPES.append`; the page on files names those of receval.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from ..checks.table import FILLERS
from .evidence import MOST_GRADES, Judge, Table, item_bits
from .headers import SURE
from .names import MOST, bits_of, is_generic, is_plural, meanings, series_part
from .sampled_values import INTEGER, LABELLED, IdSet, KnownIds, SampledColumn, form_of, overlap, share
from .sheets import Sheet

Layout = Literal["long", "list", "cells", "labels", "wide"]
_FAR: Final = 100
"""Ids that begin at 0 have smaller ones."""
_MOST_GRADE: Final = 1e6
"""Numbers behind a document that are larger are times, not grades."""
_PADS: Final = ("0", *FILLERS)


class Items(Struct, frozen=True):
    """A way to find the items of a row: a column, its parts, a list, or several columns. `judge` is set where the shape decides it."""

    layout: Layout
    columns: tuple[SampledColumn, ...]
    bits: float
    why: str = ""
    split: str | None = None
    padding: tuple[str, ...] = ()
    judge: Judge | None = None


Signs = Callable[[Sheet, SampledColumn, Table, KnownIds], Iterator[Items]]


class Shape(Struct, frozen=True):
    """A known shape of files."""

    name: str
    signs: Signs
    examples: tuple[str, ...]
    """The first line of files of this shape."""


def _truths(table: Table) -> tuple[str, ...]:
    """Return the roles of names that also say items in a table: those of a truth in a test file."""
    return ("truth",) if table == "interactions" else ()


def _long(sheet: Sheet, user: SampledColumn, table: Table, known: KnownIds) -> Iterator[Items]:
    """An item per row: no user has one twice, and the rows of a user are together rather than those of an item."""
    numbered = {c.place for group, bits in _series(sheet, user) for c in group if bits >= 8 and (len(group) > 3 or c.is_named)}
    free = [c for c in sheet.columns if c is not user and c is not sheet.model and not c.is_index and not c.is_list]
    for column in free:
        bits = item_bits(user, column, "item", *(_truths(table) if column.kind != "boolean" else ())) + known.bits(column.ids, "item")
        bits -= min(10.0 if table == "lists" else 6.0, 40 * sheet.repeats(user, column))
        bits -= 4 * (user.is_unique and table == "lists") + 10 * (column.place in numbered) + 20 * user.is_index
        cells = _cells(column, known, sheet.separator) if column.kind in ("text", "comma") else ()
        bits -= 6 * any(items.layout == "cells" and items.bits > 3 for items in cells)
        if column.runs * 2 < len(column.values) and user.runs * 1.3 > len(user.values):
            bits -= 7 if table == "lists" else 3
        if not user.is_named:
            bits -= _unread_bits(sheet, user, column, free, known)
            if table == "lists":  # one column is what orders; others would be more items
                bits -= 3 * max(0, sum(other.kind in ("integer", "text") for other in free if other is not column) - 1)
        yield Items("long", (column,), bits if not column.preset else 20.0 if column.preset == "item" else -20.0)


def _unread_bits(sheet: Sheet, user: SampledColumn, column: SampledColumn, free: Sequence[SampledColumn], known: KnownIds) -> float:
    """Return what speaks against a reading without a header that leaves columns unread."""
    others = [other for other in free if other is not column]
    unread = sum(max(0.0, overlap(other.ids, known.items)) for other in others) if len(free) < 5 else 0.0
    skipped = sum(other.place < max(user.place, column.place) and other.kind in ("integer", "text") for other in others)
    return min(10, max(0, len(sheet.columns) - 5)) + min(6.0, unread / 2) + 3 * min(2, skipped)


def _lists(sheet: Sheet, user: SampledColumn, table: Table, known: KnownIds) -> Iterator[Items]:
    """A list of items per row."""
    for column in sheet.columns:
        if column.is_list:
            bits = item_bits(user, column, "item", "list", *_truths(table)) + known.bits(column.ids, "item")
            bits += (3 if user.is_unique else -3) - 6 * user.is_index
            why = "lists in brackets" if column.is_bracketed else ""
            yield Items("list", (column,), 20.0 if column.preset else bits, why, sheet.facts.get("split"))


def _beside_single(column: SampledColumn, separator: str, parts: Sequence[str], forms: Counter[str], known: KnownIds) -> float:
    """Return what the cells of one item say: their forms are those of the parts of the others; all of one form are hardly by chance.

    A few odd cells are no lists, unless their parts are items.
    """
    values = [value for value in column.parts if separator not in value]
    single = Counter(map(form_of, values))
    if not single:
        return 0.0
    if len(forms | single) == 1 and any("9" in form or form == "U" for form in forms):
        return 6.0
    common = sum(min(forms[form] / forms.total(), single[form] / single.total()) for form in forms)
    are_few = len(values) > 0.9 * len(column.parts)
    return (2.0 if common > 0.3 else -8.0) - 6 * are_few * share(
        parts, lambda part: part not in known.items and part not in column.distinct
    )


def _cells(column: SampledColumn, known: KnownIds, between: str | None) -> Iterator[Items]:
    """Yield the ways to split the cells of a column, with what the form of the parts says."""
    text = "\n".join(column.distinct)
    if 2 * sum(value[:1] in "[{" for value in column.parts) >= len(column.parts):
        return  # lists in brackets, of which some are broken, or objects: `load` says which
    labels = {label[2] if (label := LABELLED.fullmatch(part)) else "" for part in text.split()}
    if labels <= {"0", "1"}:
        bits = {2: 15.0, 1: 8.0, 0: -6.0}[(len(labels) > 1) + (" " in text)]
        yield Items("labels", (column,), bits, "each item has its label after it", " ")
        if bits > 0:
            return
    both = text.count(", ")
    for separator in (", ", ";", "|", ",", " "):
        if text.count(separator) <= both * (separator in ", " and separator != ", "):
            continue
        parts = [part for value in column.parts if separator in value for part in value.split(separator) if part]
        if not parts:
            continue
        forms = Counter(map(form_of, parts))
        top, n = forms.most_common(1)[0]
        bits = 6.0 if n >= 0.9 * len(parts) and ("9" in top or top == "U") else -5.0 if top in ("a", "9") else -8.0
        bits -= 5 * (top == "a" and share(parts, lambda part: part[0].isupper()) > 0.5)  # words of titles
        bits = max(bits, 3.0 if separator in ";|" else -2.0) if separator != " " else bits  # hardly ever in an id
        inside = sum(separator in item for item in islice(known.items, 200))
        bits += _beside_single(column, separator, parts, forms, known) - (MOST if inside > 10 else 2 * inside)
        bits -= 6 * (separator == between)  # who separates fields by it separates items by another one
        yield Items("cells", (column,), bits, "the parts of cells look like items", separator)


def _in_cells(sheet: Sheet, user: SampledColumn, table: Table, known: KnownIds) -> Iterator[Items]:
    """Several items in a cell, with a separator between them, perhaps each with its label."""
    orders = [c for c in sheet.columns if None not in c.numbers and not c.is_list and {"rank", "score"} & meanings(c.name).keys()]
    for column in sheet.columns:
        if column is user or column.is_list or column.kind not in ("text", "comma"):
            continue
        for items in _cells(column, known, sheet.separator):
            assert items.split is not None
            bits = item_bits(user, column, "item", "list", *_truths(table))
            bits += (3 if user.is_unique else -6) - 4 * (user.is_unique and table == "lists") - 5 * (sheet.separator is None)
            bits += 4 * is_plural(column.name) - 16 * (table == "lists" and bool(orders))  # one number of a list orders nothing in it
            parts = [part for value in column.parts for part in value.split(items.split) if part]
            if items.layout == "labels":
                bits, parts = max(item_bits(user, column, "item"), 0) + 6, [LABELLED.sub(r"\1", part) for part in parts]
                bits -= 40 * (table == "lists")
            yield replace(items, bits=items.bits + bits + known.bits(IdSet(parts), "item") - 6 * user.is_index)


def _series(sheet: Sheet, user: SampledColumn) -> Iterator[tuple[list[SampledColumn], float]]:
    """Yield the groups of columns that may be the ranks of wide lists: rec_1, rec_2, …, or all columns after the user."""
    flat = [c for c in sheet.columns if not c.is_list and c is not user and c is not sheet.model and not c.is_index and not c.preset]
    numbered: dict[str, list[tuple[int, SampledColumn]]] = {}
    for column in flat:
        if part := series_part(column.name or ""):
            numbered.setdefault(part[0], []).append((part[1], column))
    for prefix, found in numbered.items():
        numbers = sorted(number for number, _ in found)
        is_cut = numbers[0] == 1 and any(c.name == f"{prefix}0" for c in sheet.columns)  # the first of the series as the user
        is_cut &= prefix != "" or user.place > 1  # pandas counts all columns
        counts = numbers == list(range(numbers[0], numbers[0] + len(numbers)))
        if len(found) > 1 and numbers[0] in (0, 1) and not is_cut and counts:
            said = -8.0 if is_generic(f"{prefix}1") else bits_of(prefix, ("item", "list", "rank")) if prefix else 4.0
            yield [c for _, c in sorted(found, key=lambda pair: pair[0])], 8 + said + min(8, 2 * len(found) - 4)
    is_open = not numbered and len(flat) == len(sheet.columns) - 1 > 1 and not any(meanings(c.name) for c in flat)
    if is_open and (sheet.columns[0].name is not None or user.place == 1):
        yield flat, 4.0 if sheet.columns[0].name is None and len(flat) > 2 else 0.0


def _wide(sheet: Sheet, user: SampledColumn, table: Table, known: KnownIds) -> Iterator[Items]:
    """An item per column: a row per user, no item twice in it, and values of one kind, size and variety."""
    if 2 * len(sheet.groups(user)) < len(user.values):
        return
    for group, said in _series(sheet, user):
        if not any(column.kind == "text" for column in group) and any(column.kind in ("decimal", "boolean", "date") for column in group):
            continue
        rows = list(zip(*(column.values for column in group), strict=True))
        pads = padding_of(rows, known.items)
        kept = [[value for value in column.parts if value not in pads] for column in group]
        bits = said + _alike(group, kept)
        repeats = share(rows, lambda row, pads=pads: len({*row} - {"", *pads}) < sum(v not in pads and v != "" for v in row))  # type: ignore[misc]
        shared = [known.bits(IdSet(column.ids - {*pads}), "item") for column in group[:: 1 + len(group) // 12]]
        bits += (3 if user.is_unique else -8) - min(12, 60 * repeats) + sum(shared) / len(shared)
        bits -= 3 * (table == "interactions") + (12 if table == "interactions" else 6) * user.is_index
        yield Items("wide", tuple(group), bits, "a column of items for each rank", None, pads)


def _alike(group: Sequence[SampledColumn], kept: Sequence[Sequence[str]]) -> float:
    """Return what the values of several columns say for being of one kind: ids of the same items."""
    kinds = {"integer" if column.kind == "time" else column.kind for column, values in zip(group, kept, strict=True) if values}
    if not kinds:
        return -100.0
    if "text" in kinds and len(kinds) > 1:
        return -12.0
    full = [values for values in kept if 3 * len(values) > max(map(len, kept))]
    if "text" in kinds:
        forms = {"9" in top or top == "U" for values in full for top, _ in Counter(map(form_of, values[:50])).most_common(1)}
        return -5.0 if len(forms) > 1 else 8.0 if forms == {True} else 5.0
    middles = [sorted(abs(float(value.replace(",", "."))) for value in values)[len(values) // 2] + 1 for values in full]
    variety = [len(set(values)) for values in full]
    has_few = min(variety) <= MOST_GRADES < max(variety) and 3 * min(variety) < max(variety)
    bits = (3.0 if max(middles) < 20 * min(middles) else -8.0) - 5 * has_few
    has_gaps = all(not all(column.values) for column in group if column.kind == "whole")  # for which pandas writes 12 as 12.0
    return bits + min(3, len(group) - 2) - 8 * ({"integer", "whole"} <= kinds and not has_gaps)


def padding_of(rows: Sequence[Sequence[str]], items: IdSet) -> tuple[str, ...]:
    """Return the values that only fill the ends of lists: nothing else follows them, and they are repeated there or are no known item.

    Nor is -1 an item if no other one is negative, 0 if others are far from it, or an integer among texts.
    """
    found = []
    for pad in _PADS:
        padded = [row for row in rows if pad in row]
        if padded and all(set(row[row.index(pad) :]) <= {pad, ""} for row in padded):
            is_repeated = any(list(row).count(pad) > 1 for row in padded)
            others = {value for row in rows for value in row if value not in ("", pad)}
            is_odd = not any(map(INTEGER.fullmatch, others)) or (pad == "-1" and not any(value.startswith("-") for value in others))
            is_odd |= pad == "0" and all(INTEGER.fullmatch(value) and abs(int(value)) >= _FAR for value in others)
            if pad not in ("0", "-1") or is_repeated or is_odd or (len(padded) > 1 and items and pad not in items):
                found.append(pad)
    return tuple(found)


def _trec_run(sheet: Sheet, user: SampledColumn, table: Table, known: KnownIds) -> Iterator[Items]:
    """Six fields between white space: topic, Q0, document, rank, score, tag."""
    columns = sheet.columns
    is_six = table == "lists" and sheet.format == "trec" and len(columns) == 6 and user is columns[0]
    if is_six and columns[3].kind == "integer" and None not in columns[4].numbers:
        is_other = len(columns[1].distinct) == 1 and sheet.order(columns[0], columns[3]).permutes > 0
        bits = 32.0 if columns[1].distinct <= {"Q0", "q0", "0"} else 18 if is_other or sheet.bits >= SURE else -12
        bits += 4 if len(columns[5].distinct) == 1 else -4
        bits += max(0.0, known.bits(columns[2].ids, "item"))
        yield Items("long", (columns[2],), bits, "columns of a TREC run", judge=Judge(columns[4], "score"))


def _trec_qrels(sheet: Sheet, user: SampledColumn, table: Table, known: KnownIds) -> Iterator[Items]:
    """Four fields between white space: topic, iteration, document, grade."""
    columns = sheet.columns
    is_four = table == "interactions" and sheet.format == "trec" and len(columns) == 4 and user is columns[0]
    if is_four and all(number is not None and number < _MOST_GRADE for number in columns[3].numbers) and columns[3].kind != "time":
        is_constant = len(columns[1].distinct) == 1 and columns[1].kind == "integer"
        bits = 22.0 if columns[1].distinct <= {"Q0", "q0", "0"} else 16 if is_constant or sheet.bits >= SURE else -12
        bits += 6 * (len(columns[3].distinct) <= MOST_GRADES)
        bits += max(0.0, known.bits(columns[2].ids, "item"))
        yield Items("long", (columns[2],), bits, "columns of TREC judgements", judge=Judge(columns[3], "rating"))


def _behaviors(sheet: Sheet, user: SampledColumn, table: Table, known: KnownIds) -> Iterator[Items]:
    """Five columns without a header: impression, user, time, history, shown items with labels (MIND)."""
    columns = sheet.columns
    is_five = table == "interactions" and sheet.header is False and len(columns) == 5 and user is columns[1]
    is_five = is_five and columns[2].kind == "date" and columns[0].kind == "integer"
    if is_five and all(LABELLED.fullmatch(part) for value in columns[4].parts[:200] for part in value.split()):
        yield Items("labels", (columns[4],), 60.0, "columns of MIND", " ", judge=Judge(None, "rating"))


SHAPES: Final[list[Shape]] = [
    Shape("TREC run", _trec_run, ("q1 Q0 d7 1 9.5 tag",)),
    Shape("TREC qrels", _trec_qrels, ("q1 0 d7 1", "q1 0 d7 0.9")),
    Shape("MIND behaviors", _behaviors, ("1⇥u1⇥11/15/2019 8:55:22 AM⇥n4⇥n7-0 n9-1",)),
    Shape(
        "long",
        _long,
        (
            "user,item,score",
            "u1,d7,0.9",
            "q1⇥d7⇥1",
            "user_id:token⇥item_id:token⇥rating:float",
            ",user,item,rating",
            '{"user": 1, "item": 7, "score": 0.9}',
            '{"input": {"userId": 1}, "output": {"itemId": 7}}',
        ),
    ),
    Shape(
        "lists",
        _lists,
        (
            '{"user": 1, "items": [7, 9], "scores": [0.9, 0.4]}',
            '{"1": [7, 9]}',
            '{"output": {"recommendedItems": [7, 9]}}',
            '{"user": 1, "items": [{"id": 7}, {"id": 9}]}',
            'user,items and 1,"[7, 9]"',
            "1 7 9 4",
            "1: 7, 9, 4",
        ),
    ),
    Shape("cells", _in_cells, ("user,items and 1,7 9", "impression,shown and 1,n7-0 n9-1")),
    Shape("wide", _wide, ("user,rec_1,rec_2", "u1,d7,d9,d4")),
]
"""The known shapes, in the order in which equally likely ones are taken."""
