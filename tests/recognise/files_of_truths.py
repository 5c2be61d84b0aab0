"""The shapes of test files."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from typing import Any

from .files_of_lists import typed_lists
from .worlds import GRADE, TESTS, TRUTH, Grades, Made, Pen, World, graded, grades, relevant, shape


@shape(TESTS, "header, pairs")
def _(world: World, pen: Pen) -> Made:
    return Made(pen.rows(relevant(world), [pen.user, pen.item]), relevant(world))


@shape(TESTS, "header, graded")
def _(world: World, pen: Pen) -> Made:
    rows = graded(world)
    return Made(pen.rows(rows, [pen.user, pen.item, pen.name(GRADE)]), grades(rows))


@shape(TESTS, "header, graded by an unknown name")
def _(world: World, pen: Pen) -> Made:
    rows = graded(world)
    return Made(pen.rows(rows, [pen.user, pen.item, world.chance.choice(("fb", "zz", "outcome", "resp", "val", "w"))]), grades(rows))


@shape(TESTS, "header, True and False")
def _(world: World, pen: Pen) -> Made:
    rows = [(user, item, world.chance.random() < 0.5) for user, item in relevant(world)]
    words = world.chance.choice(({True: "True", False: "False"}, {True: "true", False: "false"}))
    return Made(pen.rows([(user, item, words[grade]) for user, item, grade in rows], [pen.user, pen.item, pen.name(GRADE)]), grades(rows))


def _with_columns_beside(name: str, *, is_graded: bool) -> None:
    @shape(TESTS, f"header, {name}, columns beside")
    def _(world: World, pen: Pen) -> Made:
        rows = graded(world)
        head = [pen.user, pen.item, pen.name(GRADE)] if is_graded else [pen.user, pen.item]
        table = [list(row[: len(head)]) for row in rows]
        for title, values in pen.beside(len(rows)).items():
            place = world.chance.randint(0 if world.is_helpful else 2, len(head))
            head.insert(place, title)
            for row, value in zip(table, values, strict=True):
                row.insert(place, value)
        return Made(pen.table(table, head), grades(rows) if is_graded else relevant(world))


_with_columns_beside("pairs", is_graded=False)
_with_columns_beside("graded", is_graded=True)


def _plain(name: str, values: Callable[[Pen, int, Any], tuple[Any, ...]], *, is_graded: bool) -> None:
    @shape(TESTS, f"no header, {name}")
    def _(world: World, pen: Pen) -> Made:
        rows = graded(world)
        table = [(user, item, *values(pen, n, grade)) for n, (user, item, grade) in enumerate(rows)]
        separator = pen.separator(others="" if world.has(" ") else "  ")
        ending = world.chance.choice((".tsv", ".txt", ".data", ".csv"))
        return Made(pen.rows(table, None, ending, separator), grades(rows) if is_graded else relevant(world))


_plain("pairs", lambda pen, n, grade: (), is_graded=False)
_plain("graded", lambda pen, n, grade: (grade,), is_graded=True)
_plain("graded, time", lambda pen, n, grade: (grade, pen.time(n)), is_graded=True)
_plain("time", lambda pen, n, grade: (pen.time(n),), is_graded=False)


@shape(TESTS, "no header, ::")
def _(world: World, pen: Pen) -> Made | None:
    rows = graded(world)
    lines = "".join(f"{user}::{item}::{grade}::{pen.time(n)}\n" for n, (user, item, grade) in enumerate(rows))
    return None if world.has('"') else Made(pen.text(lines, ".dat"), grades(rows))


@shape(TESTS, "semicolons and quotes")
def _(world: World, pen: Pen) -> Made:
    rows = [(user, item, world.chance.choice((0, 0, 5, 7, 8, 10))) for user, item in relevant(world)]
    return Made(
        pen.table([tuple(map(str, row)) for row in rows], ["User-ID", "ISBN", "Book-Rating"], ".csv", ";", csv.QUOTE_ALL), grades(rows)
    )


def _qrels(name: str, second: Sequence[str], scale: Sequence[float]) -> None:
    @shape(TESTS, f"qrels, {name}")
    def _(world: World, pen: Pen) -> Made | None:
        r = world.chance
        sign, separator = r.choice(second), r.choice(" \t")
        rows = [(user, item, r.choice(scale)) for user, item in relevant(world)]
        if world.has(separator + '"'):
            return None
        return Made(
            pen.table([(user, sign, item, grade) for user, item, grade in rows], None, r.choice((".qrels", ".txt")), separator),
            grades(rows),
        )


_qrels("0", ["0"], (0, 1, 2))
_qrels("Q0", ["Q0"], (0, 1))
_qrels("0, decimal grades", ["0"], (0.0, 0.3, 0.75, 1.0))
_qrels("another iteration, decimal grades", ["1", "2", "7"], (0.1, 0.5, 0.9))


@shape(TESTS, "user: items")
def _(world: World, pen: Pen) -> Made | None:
    lines = "".join(f"{user}: {', '.join(items)}\n" for user, items in world.truths.items())
    return None if world.has(' :,;|"\t') else Made(pen.text(lines, ".txt"), relevant(world))


@shape(TESTS, "ragged")
def _(world: World, pen: Pen) -> Made | None:
    separator = world.chance.choice(" ,\t")
    if world.has(separator + '"') or len({len(items) for items in world.truths.values()}) < 2:
        return None
    return Made(pen.text("".join(separator.join((user, *items)) + "\n" for user, items in world.truths.items()), ".txt"), relevant(world))


@shape(TESTS, "JSON of lists")
def _(world: World, pen: Pen) -> Made:
    return Made(pen.json({user: pen.values(items) for user, items in world.truths.items()}), relevant(world))


@shape(TESTS, "JSON of grades")
def _(world: World, pen: Pen) -> Made:
    found: dict[str, dict[str, float]] = {}
    rows = graded(world)
    for user, item, grade in rows:
        found.setdefault(user, {})[item] = grade
    return Made(pen.json(found), grades(rows))


@shape(TESTS, "NDJSON of records")
def _(world: World, pen: Pen) -> Made:
    rows, grade = graded(world), pen.name(GRADE)
    return Made(pen.objects({pen.user: row[0], pen.item: row[1], grade: row[2]} for row in rows), grades(rows))


@shape(TESTS, "NDJSON of lists")
def _(world: World, pen: Pen) -> Made:
    listed = pen.name(TRUTH)
    return Made(pen.objects({pen.user: user, listed: pen.values(items)} for user, items in world.truths.items()), relevant(world))


@shape(TESTS, "NDJSON of objects")
def _(world: World, pen: Pen) -> Made:
    listed, grade = pen.name(TRUTH), pen.name(GRADE)
    found: dict[str, list[dict[str, Any]]] = {}
    rows = graded(world)
    for user, item, value in rows:
        found.setdefault(user, []).append({pen.item: item, grade: value})
    return Made(pen.objects({pen.user: user, listed: items} for user, items in found.items()), grades(rows))


@shape(TESTS, "NDJSON, nested")
def _(world: World, pen: Pen) -> Made:
    rows = graded(world)
    objects = (
        {"user": {"id": user, "country": "SE"}, "item": {"id": item, "title": "A Film"}, "rating": grade} for user, item, grade in rows
    )
    return Made(pen.objects(objects), grades(rows))


@shape(TESTS, "history and target")
def _(world: World, pen: Pen) -> Made:
    past, target = (
        world.chance.choice(("history", "item_history", "past_items", "context")),
        world.chance.choice(("target", "next_item", "ground_truth", "label")),
    )
    rows = [{pen.user: user, past: world.chance.sample(world.items, 2), target: items[0]} for user, items in world.truths.items()]
    return Made(pen.objects(rows), {(user, items[0]): 1.0 for user, items in world.truths.items()})


def labelled(world: World) -> tuple[Grades, list[tuple[str, str]]]:
    truth = {(user, item): float(world.chance.random() < 0.4) for user, item in relevant(world)}
    return truth, [(user, " ".join(f"{item}-{truth[user, item]:.0f}" for item in items)) for user, items in world.truths.items()]


@shape(TESTS, "impressions of MIND")
def _(world: World, pen: Pen) -> Made | None:
    truth, cells = labelled(world)
    if world.has(' "'):
        return None
    rows = [
        (n + 1, user, f"11/15/2019 {n % 12}:02:31 AM", " ".join(world.chance.sample(world.items, 2)), cell)
        for n, (user, cell) in enumerate(cells)
    ]
    return Made(pen.table(rows, None, ".tsv", "\t"), truth)


@shape(TESTS, "header, impressions with labels")
def _(world: World, pen: Pen) -> Made | None:
    truth, cells = labelled(world)
    return None if world.has(' "') else Made(pen.table(cells, [pen.user, "impressions"], ".csv", world.chance.choice(",\t")), truth)


@shape(TESTS, "header, 12.0")
def _(world: World, pen: Pen) -> Made | None:
    rows = graded(world)
    head = [pen.user, pen.item, pen.name(GRADE)]
    return Made(pen.rows([(user, f"{item}.0", grade) for user, item, grade in rows], head), grades(rows)) if world.has_whole_items else None


@shape(TESTS, "Parquet, long")
def _(world: World, pen: Pen) -> Made:
    rows = graded(world)
    data = {
        pen.user: pen.values(row[0] for row in rows),
        pen.item: pen.values(row[1] for row in rows),
        pen.name(GRADE): [float(row[2]) for row in rows],
    }
    return Made(pen.frame(data), grades(rows))


@shape(TESTS, "Parquet, lists")
def _(world: World, pen: Pen) -> Made:
    return Made(pen.frame({pen.user: pen.values(world.truths), pen.name(TRUTH): typed_lists(pen, world.truths)}), relevant(world))


@shape(TESTS, "Parquet, nested")
def _(world: World, pen: Pen) -> Made:
    rows = graded(world)
    data = {
        "user": [{"id": row[0], "age": 30} for row in rows],
        "item": [{"id": row[1], "title": "A Film"} for row in rows],
        "rating": [float(row[2]) for row in rows],
    }
    return Made(pen.frame(data), grades(rows))


@shape(TESTS, "RecBole")
def _(world: World, pen: Pen) -> Made:
    rows = graded(world)
    table = [(user, item, grade, pen.time(n)) for n, (user, item, grade) in enumerate(rows)]
    return Made(pen.table(table, ["user_id:token", "item_id:token", "rating:float", "timestamp:float"], ".inter", "\t"), grades(rows))


@shape(TESTS, "header, events by a filter")
def _(world: World, pen: Pen) -> Made:
    r, events = world.chance, world.chance.choice((("view", "purchase"), ("click", "order"), ("addtocart", "transaction")))
    rows = [(pen.time(n), user, events[1], item) for n, (user, item) in enumerate(relevant(world))]
    rows += [(pen.time(n), r.choice(world.users), events[0], r.choice(world.items)) for n in range(2 * len(rows))]
    column = r.choice(("event", "event_type", "behavior"))
    head = ["timestamp", pen.user, column, pen.item]
    return Made(pen.table(r.sample(rows, len(rows)), head), relevant(world), where=f"{column} == '{events[1]}'")
