"""The shapes of files of lists, and those that files of lists and of truths share."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from .worlds import (
    DISTANCE,
    ITEM,
    LISTED,
    LISTS,
    MODEL,
    RANK,
    SCORE,
    SERIES,
    TESTS,
    TRUTH,
    USER,
    Lists,
    Made,
    Pen,
    Ranked,
    World,
    graded,
    grades,
    meant,
    ranked,
    relevant,
    shape,
)


def _long(
    name: str, columns: Callable[[Pen], list[str]], values: Callable[[Ranked, int], tuple[Any, ...]], *, is_in_order: bool = False
) -> None:
    """Add a shape of long lists with a header, one without, and one with columns beside."""

    def rows_of(world: World, pen: Pen) -> list[tuple[Any, ...]]:
        start = world.chance.choice((0, 1))
        rows = ranked(world)
        if is_in_order and world.is_shuffled:
            rows = [row for user in world.lists for row in sorted(record for record in rows if record.user == user)]
            rows.sort(key=lambda row: row.rank)
            rows.sort(key=lambda row: list(world.lists).index(row.user))
        return [(row.user, row.item, *values(row, start)) for row in rows]

    @shape(LISTS, f"header, {name}")
    def _(world: World, pen: Pen) -> Made:
        return Made(pen.rows(rows_of(world, pen), [pen.user, pen.item, *columns(pen)]), meant(world))

    @shape(LISTS, f"header, {name}, columns beside")
    def _(world: World, pen: Pen) -> Made:
        rows = rows_of(world, pen)
        beside = pen.beside(len(rows))
        head, table = [pen.user, pen.item, *columns(pen)], [list(row) for row in rows]
        for title, more in beside.items():
            place = world.chance.randint(0 if world.is_helpful else 2, len(head))
            head.insert(place, title)
            for row, value in zip(table, more, strict=True):
                row.insert(place, value)
        return Made(pen.table(table, head), meant(world))

    @shape(LISTS, f"no header, {name}")
    def _(world: World, pen: Pen) -> Made:
        return Made(
            pen.rows(
                rows_of(world, pen),
                None,
                world.chance.choice((".tsv", ".txt", ".csv")),
                pen.separator(others="" if world.has(" ") else "  "),
            ),
            meant(world),
        )


_long("score", lambda pen: [pen.name(SCORE)], lambda row, start: (row.score,))
_long("rank", lambda pen: [pen.name(RANK)], lambda row, start: (row.rank + start,))
_long("rank and score", lambda pen: [pen.name(RANK), pen.name(SCORE)], lambda row, start: (row.rank + start, row.score))
_long("in order", lambda pen: [], lambda row, start: (), is_in_order=True)


@shape(LISTS, "header, distance")
def _(world: World, pen: Pen) -> Made:
    return Made(
        pen.rows([(*row[:2], round(8000 - row.score, 6)) for row in ranked(world)], [pen.user, pen.item, pen.name(DISTANCE)]), meant(world)
    )


@shape(LISTS, "header, 12.0")
def _(world: World, pen: Pen) -> Made | None:
    rows = [(user, f"{item}.0", score) for user, item, _, score in ranked(world)]
    return Made(pen.rows(rows, [pen.user, pen.item, pen.name(SCORE)]), meant(world)) if world.has_whole_items else None


@shape(LISTS, "no header, 12.0")
def _(world: World, pen: Pen) -> Made | None:
    rows = [(user, f"{item}.0", score) for user, item, _, score in ranked(world)]
    return Made(pen.rows(rows, None, ".tsv"), meant(world)) if world.has_whole_items else None


@shape(LISTS, "header, model column")
def _(world: World, pen: Pen) -> Made:
    names = world.chance.sample(("als", "bpr", "knn", "pop", "SASRec", "EASE-r", "mf_64"), world.chance.randint(1, 3))
    rows = [(name, *row[:2], row.score) for name in names for row in ranked(world)]
    truth = {(name if len(names) > 1 else "", user): items for name in names for user, items in world.lists.items()}
    head = [world.chance.choice(names) for names in (MODEL, USER, ITEM, SCORE)]  # with other names it would be a question
    return Made(pen.table(rows, head), truth)


@shape(LISTS, "header, one model of several by a filter")
def _(world: World, pen: Pen) -> Made:
    names = world.chance.sample(("als", "bpr", "knn"), 2)
    rows = [(*row[:2], row.score, names[0]) for row in ranked(world)]
    other = [(user, item, n, names[1]) for user, items in world.lists.items() for n, item in enumerate(items)]
    rows = world.chance.sample(rows + other, len(rows + other))
    column = world.chance.choice(MODEL)
    return Made(pen.table(rows, [pen.user, pen.item, pen.name(SCORE), column]), meant(world), where=f"{column} == '{names[0]}'")


def _trec(name: str, second: Sequence[str]) -> None:
    @shape(LISTS, f"TREC run, {name}")
    def _(world: World, pen: Pen) -> Made | None:
        r = world.chance
        start, sign, tag = r.choice((0, 1)), r.choice(second), r.choice(("run1", "bm25", "tag"))
        rows = [(row.user, sign, row.item, row.rank + start, row.score, tag) for row in ranked(world)]
        separator = r.choice(" \t")
        if world.has(separator + '"'):
            return None
        return Made(pen.table(rows, None, r.choice((".run", ".trec", ".txt")), separator), meant(world))


_trec("Q0", ["Q0"])
_trec("0", ["0"])
_trec("other", ["q0", "1", "x", "ITER"])


def _celled(name: str, inner: str) -> None:
    @shape(LISTS, f"header, cells with {name}")
    def _(world: World, pen: Pen) -> Made | None:
        rows = [(user, inner.join(items)) for user, items in world.lists.items()]
        if world.has(inner.strip() or inner) or max(map(len, world.lists.values())) < 2:
            return None
        return Made(pen.table(rows, [pen.user, pen.name(LISTED)], ".csv", pen.separator(avoid=inner)), meant(world))

    @shape(TESTS, f"header, cells with {name}")
    def _(world: World, pen: Pen) -> Made | None:
        rows = [(user, inner.join(items)) for user, items in world.truths.items()]
        if world.has(inner.strip() or inner) or max(map(len, world.truths.values())) < 2:
            return None
        return Made(pen.table(rows, [pen.user, pen.name(TRUTH)], ".csv", pen.separator(avoid=inner)), relevant(world))


for _name, _sign in (("spaces", " "), ("commas", ","), ("semicolons", ";"), ("bars", "|"), ("commas and spaces", ", ")):
    _celled(_name, _sign)


def _bracketed(name: str, write: Callable[[list[Any]], str]) -> None:
    @shape(LISTS, f"header, cells in brackets, {name}")
    def _(world: World, pen: Pen) -> Made | None:
        if world.has("'\"\\") or (name == "NumPy" and world.has(" ,")):
            return None
        rows = [(user, write(pen.values(items))) for user, items in world.lists.items()]
        return Made(pen.table(rows, [pen.user, pen.name(LISTED)]), meant(world))

    @shape(TESTS, f"header, cells in brackets, {name}")
    def _(world: World, pen: Pen) -> Made | None:
        if world.has("'\"\\") or (name == "NumPy" and world.has(" ,")):
            return None
        rows = [(user, write(pen.values(items))) for user, items in world.truths.items()]
        return Made(pen.table(rows, [pen.user, pen.name(TRUTH)]), relevant(world))


_bracketed("JSON", lambda items: json.dumps(items, ensure_ascii=False))
_bracketed("Python", str)
_bracketed("NumPy", lambda items: str(items).replace(",", ""))


def _wide(name: str, pad: str) -> None:
    @shape(LISTS, f"wide, filled up with {name}")
    def _(world: World, pen: Pen) -> Made | None:
        start, prefix = world.chance.choice((0, 1)), world.chance.choice(SERIES)
        n = max(map(len, world.lists.values()))
        if pad in world.items or n < 2:
            return None
        rows = [(user, *items, *[pad] * (n - len(items))) for user, items in world.lists.items()]
        return Made(pen.table(rows, [pen.user, *(f"{prefix}{start + number}" for number in range(n))]), meant(world))


_wide("nothing", "")
_wide("-1", "-1")
_wide("0", "0")


@shape(LISTS, "wide, columns 0, 1, 2")
def _(world: World, pen: Pen) -> Made | None:
    n = max(map(len, world.lists.values()))
    rows = [(user, *items, *[""] * (n - len(items))) for user, items in world.lists.items()]
    return Made(pen.table(rows, [world.chance.choice((pen.user, "")), *range(n)]), meant(world)) if n > 2 else None


@shape(LISTS, "wide, no header")
def _(world: World, pen: Pen) -> Made | None:
    n = min(map(len, world.lists.values()))
    rows = [(user, *items[:n]) for user, items in world.lists.items()]
    return Made(pen.table(rows, None, ".tsv"), {("", user): items[:n] for user, items in world.lists.items()}) if n > 3 else None


@shape(LISTS, "ragged")
def _(world: World, pen: Pen) -> Made | None:
    separator = world.chance.choice(" ,\t")
    if world.has(separator + '"') or len({len(items) for items in world.lists.values()}) < 2:
        return None
    return Made(pen.text("".join(separator.join((user, *items)) + "\n" for user, items in world.lists.items()), ".txt"), meant(world))


@shape(LISTS, "user: items")
def _(world: World, pen: Pen) -> Made | None:
    inner = world.chance.choice((", ", ",", " "))
    lines = "".join(f"{user}: {inner.join(items)}\n" for user, items in world.lists.items())
    return None if world.has(' :,;|"\t') else Made(pen.text(lines, ".txt"), meant(world))


@shape(LISTS, "JSON of lists")
def _(world: World, pen: Pen) -> Made:
    return Made(pen.json({user: pen.values(items) for user, items in world.lists.items()}), meant(world))


@shape(LISTS, "JSON of scores")
def _(world: World, pen: Pen) -> Made:
    found: dict[str, dict[str, float]] = {}
    for user, item, _, score in ranked(world):
        found.setdefault(user, {})[item] = score
    return Made(pen.json(found), meant(world))


@shape(LISTS, "JSON of records")
def _(world: World, pen: Pen) -> Made:
    score = pen.name(SCORE)
    return Made(pen.json([{pen.user: row.user, pen.item: row.item, score: row.score} for row in ranked(world)]), meant(world))


@shape(LISTS, "NDJSON of lists")
def _(world: World, pen: Pen) -> Made:
    listed = pen.name(LISTED)
    return Made(pen.objects({pen.user: user, listed: pen.values(items)} for user, items in world.lists.items()), meant(world))


@shape(LISTS, "NDJSON of lists and scores")
def _(world: World, pen: Pen) -> Made:
    listed, score = pen.name(LISTED), pen.name(SCORE)
    rows = (
        {pen.user: user, listed: pen.values(items), score: [0.9 - n / 100 for n in range(len(items))]}
        for user, items in world.lists.items()
    )
    return Made(pen.objects(rows), meant(world))


@shape(LISTS, "NDJSON of objects")
def _(world: World, pen: Pen) -> Made:
    listed, score = pen.name(LISTED), pen.name(SCORE)
    rows = (
        {pen.user: user, listed: [{pen.item: item, score: 9.5 - n / 7} for n, item in enumerate(items)]}
        for user, items in world.lists.items()
    )
    return Made(pen.objects(rows), meant(world))


@shape(LISTS, "NDJSON, nested")
def _(world: World, pen: Pen) -> Made:
    has_scores = world.chance.random() < 0.5
    rows = []
    for user, items in world.lists.items():
        scores = {"scores": [0.9 - n / 100 for n in range(len(items))]} if has_scores else {}
        rows.append(
            {
                "input": {pen.chance.choice(["userId"]): user, "numResults": len(items)},
                "output": {"recommendedItems": items, **scores},
                "error": None,
            }
        )
    return Made(pen.objects(rows), meant(world))


def _index(name: str, head: Callable[[Pen], list[Any]]) -> None:
    @shape(LISTS, f"index of pandas, {name}")
    def _(world: World, pen: Pen) -> Made:
        return Made(pen.table([(n, row.user, row.item, row.score) for n, row in enumerate(ranked(world))], head(pen)), meant(world))

    @shape(TESTS, f"index of pandas, {name}")
    def _(world: World, pen: Pen) -> Made:
        rows = graded(world)
        return Made(pen.table([(n, *row) for n, row in enumerate(rows)], head(pen)), grades(rows))


_index("names", lambda pen: [pen.chance.choice(("", "", "Unnamed: 0", "index")), pen.user, pen.item, pen.name(("score", "rating"))])
_index("columns 0, 1, 2", lambda pen: ["", 0, 1, 2])


@shape(LISTS, "Parquet, long")
def _(world: World, pen: Pen) -> Made:
    rows = ranked(world)
    data = {
        pen.user: pen.values(row.user for row in rows),
        pen.item: pen.values(row.item for row in rows),
        pen.name(SCORE): [float(row.score) for row in rows],
    }
    return Made(pen.frame(data), meant(world))


@shape(LISTS, "Parquet, lists")
def _(world: World, pen: Pen) -> Made:
    listed = typed_lists(pen, world.lists)
    return Made(pen.frame({pen.user: pen.values(world.lists), pen.name(LISTED): listed}), meant(world))


@shape(LISTS, "Parquet, structs")
def _(world: World, pen: Pen) -> Made:
    score = pen.name(SCORE)
    listed = [[{pen.item: item, score: 5.5 - n / 9} for n, item in enumerate(items)] for items in world.lists.values()]
    return Made(pen.frame({pen.user: pen.values(world.lists), pen.name(LISTED): listed}), meant(world))


@shape(LISTS, "RecBole")
def _(world: World, pen: Pen) -> Made:
    head = [f"{world.chance.choice(('user_id', 'uid', 'session_id'))}:token", "item_id:token", "score:float"]
    return Made(pen.table([(row.user, row.item, row.score) for row in ranked(world)], head, ".inter", "\t"), meant(world))


def typed_lists(pen: Pen, lists: Lists) -> list[list[Any]]:
    flat = iter(pen.values(item for items in lists.values() for item in items))
    return [[next(flat) for _ in items] for items in lists.values()]
