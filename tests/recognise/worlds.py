"""Random worlds: who was recommended what and what was relevant, written as files in every shape, each with what it means.

`World(seed)` draws users, items, lists and truths; `LISTS` and `TESTS` are the shapes, by name: functions of a world and a `Pen` that
return a `Made` file, or `None` if ids of this world cannot be written so. Names of columns are lists of its own.
"""

from __future__ import annotations

import csv
import io
import json
import random
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import polars as pl

Lists = dict[Any, list[str]]
Grades = dict[tuple[str, str], float]

USER: Final = (
    "user_id user userId USER uid u_id customer_id CustomerId customer visitorid accountId memberId reviewerID user_idx "
    "sessionId session qid query-id query_id topic_id User-ID userID clientId reader_id cust_id"
).split()
ITEM: Final = (
    "item_id item itemId ITEM iid movieId movie_id product_id ProductId asin ISBN sku article_id track_id songId "
    "docid doc_id corpus-id docno news_id business_id video_id item_idx recipe_id game_id bookId itemID"
).split()
SCORE: Final = "score scores Score prediction pred predicted_score est similarity sim probability prob y_pred model_score logit relevance_score".split()
RANK: Final = "rank Rank ranking position pos item_rank rank_position".split()
DISTANCE: Final = "distance dist l2_distance cosine_distance euclidean_dist".split()
GRADE: Final = (
    "rating Rating stars relevance rel label grade overall Book-Rating score clicked click target y_true gt gain judgment purchase "
    "is_positive liked is_click feedback relevance_label user_rating"
).split()
LISTED: Final = "items recommendations recs recommended_items predictions item_ids topk_items ranked_items recommendation_list".split()
TRUTH: Final = "items item_ids relevant_items ground_truth targets test_items true_items positives".split()
SERIES: Final = "rec_ item_ rec item top_ rank_ Recommendation_ pred_ r".split()
MODEL: Final = "model Model algorithm Algorithm algo method".split()
VAGUE: Final = "a b c d e w x y z c1 c2 c3 col1 col2 V1 V2 field1 var_1 k v left right foo bar data key value id1 id2".split()
_SCALES: Final = ((0, 1), (0, 1), (0, 1, 2), (0, 1, 2, 3), (1, 2, 3, 4, 5), (1, 2, 3, 4, 5), tuple(half / 2 for half in range(1, 11)), tuple(range(11)))
_ODD: Final = ('say "hi"', "it's", "NA", "1e5", "2024-01-05", "a;b", "a,b", "a|b", "naïve", "日本", "x\ty", "0x1F", "-", "null", "12.0", "True")
_WORDS: Final = "amber birch cedar delta ember fjord grove heron inlet joker koala lilac maple north olive pearl quilt raven stone tulip".split()


class Made(NamedTuple):
    """A file, what it means, and the options that are given with it."""

    path: Path
    truth: Mapping[Any, Any]
    where: str | None = None


class World:
    """Users with lists and truths; `is_helpful` tells whether headers name the roles."""

    def __init__(self, seed: int, folder: Path) -> None:
        self.chance = r = random.Random(seed)
        self.folder, self.seed = folder, seed
        self.is_helpful = r.random() < 0.8
        n_users, n_items = round(3 * 100 ** r.random()), round(12 * 150 ** r.random())
        self.users, self.items = ids(r, n_users, "u"), ids(r, n_items, "i")
        self.length = min(r.choice((2, 3, 5, 10, 10, 20, 50)), len(self.items) // 2)
        self.is_equal, self.is_shuffled, self.is_swapped = r.random() < 0.6, r.random() < 0.25, r.random() < 0.08
        weights = [1 / (place + 3) for place in range(len(self.items))]
        is_popular, n_most = r.random() < 0.1, r.choice((1, 3, 8))
        top = r.sample(self.items, self.length)
        listed, tested = (r.sample(self.users, round(len(self.users) * r.choice((1, 1, 0.6))) or 1) for _ in range(2))
        self.lists: Lists = {}
        for user in sorted(listed, key=self.users.index) if r.random() < 0.7 else listed:
            drawn = r.choices(self.items, weights, k=3 * self.length) + r.sample(self.items, self.length)
            own = top if is_popular else list(dict.fromkeys(drawn))
            self.lists[user] = own[: self.length if self.is_equal else r.randint(1, self.length)]
        self.truths: Lists = {}
        for user in tested:
            hits = r.sample(self.lists.get(user, []), min(len(self.lists.get(user, [])), r.randint(0, 2)))
            self.truths[user] = list(dict.fromkeys([*hits, *r.choices(self.items, weights, k=r.randint(1, n_most))]))[:n_most]
        self.all_ids = {*self.users, *self.items}

    def has(self, signs: str) -> bool:
        """Return whether an id has one of these characters."""
        return any(sign in text for text in self.all_ids for sign in signs)

    @property
    def has_whole_items(self) -> bool:
        """True if items are integers as pandas has them."""
        return all(text.isdigit() and str(int(text)) == text for text in self.items)


def ids(r: random.Random, n: int, letter: str) -> list[str]:
    """Draw ids of one kind."""
    kind = r.choice("dense dense zero from sparse sparse large negative zeros coded coded asin words uuid hex hostile titles".split())
    if kind in ("dense", "zero", "from"):
        start = {"dense": 1, "zero": 0, "from": r.choice((100, 1000, 50_001))}[kind]
        return [str(start + number) for number in range(n)]
    if kind in ("sparse", "large", "negative", "zeros"):
        low, high = {"sparse": (1, 400 * n), "large": (10**16, 9 * 10**18), "negative": (-(10**9), 10**9), "zeros": (1, 10**6)}[kind]
        found = sorted({r.randint(low, high) for _ in range(n)})
        return [f"{number:07}" if kind == "zeros" else str(number) for number in found]
    if kind in ("coded", "asin", "uuid", "hex"):
        text = {
            "coded": lambda: f"{letter}{r.randint(1, 20 * n)}",
            "asin": lambda: "B0" + "".join(r.choices("ABCDEFGHJKLMNPQRSTUVWXYZ0123456789", k=8)),
            "uuid": lambda: str(uuid.UUID(int=r.getrandbits(128))),
            "hex": lambda: f"{r.getrandbits(96):024x}",
        }[kind]
        return list(dict.fromkeys(text() for _ in range(n)))
    words = [f"{r.choice(_WORDS)}{r.choice(_WORDS) if r.random() < 0.5 else ''}{r.choice(('', '-', '_'))}{r.choice(_WORDS)}" for _ in range(n)]
    if kind == "titles":
        words = [" ".join(r.choice(_WORDS).title() for _ in range(r.randint(1, 4))) + r.choice(("", " 2", " (1999)")) for _ in range(n)]
    if kind == "hostile":
        words = [r.choice(_ODD) if r.random() < 0.3 else f"{letter}.{r.choice(_WORDS)}/{r.randint(1, 99)}" for _ in range(n)]
    return list(dict.fromkeys(words)) + [f"{letter}last"]


class Pen:
    """Writes one file of a world; names of columns are drawn anew for each."""

    def __init__(self, world: World, stem: str) -> None:
        self.world, self.stem, self.chance = world, stem, world.chance
        self._vague = iter(world.chance.sample(VAGUE, len(VAGUE)))
        self.is_swapped = world.is_swapped
        self.user, self.item = self.name(USER), self.name(ITEM)
        self.start = self.chance.choice((880_000_000, 1_262_304_000, 1_700_000_000, 1_700_000_000_000))
        self.has_numbers = self.chance.random() < 0.7

    def name(self, names: Sequence[str]) -> str:
        """Return one of the names, or one that does not help."""
        return self.chance.choice(names) if self.world.is_helpful else next(self._vague)

    def time(self, place: int) -> int:
        """Return a time since 1970."""
        return self.start + 53 * place + place * 7919 % 1000

    def separator(self, others: str = "", avoid: str = "") -> str:
        """Return a separator of fields: any if a header or quotes help, without the ones that ids have."""
        signs = [sign for sign in f",,,\t\t;|{others}" if sign not in avoid]
        return self.chance.choice(signs)

    def rows(self, rows: Iterable[Sequence[Any]], head: Sequence[Any] | None, ending: str = ".csv", separator: str | None = None) -> Path:
        """Write rows of fields; the user and the item, the first two, change places in some worlds."""
        table = [list(row) for row in rows]
        is_swapped = self.is_swapped and (head is not None or not _are_alike(self.world.users, self.world.items))
        if is_swapped:
            table, head = [[row[1], row[0], *row[2:]] for row in table], head and [head[1], head[0], *head[2:]]
        return self.table(table, head, ending, separator)

    def table(
        self, rows: Iterable[Sequence[Any]], head: Sequence[Any] | None, ending: str = ".csv", separator: str | None = None, quoting: Any = csv.QUOTE_MINIMAL
    ) -> Path:
        """Write rows of fields as they are."""
        text = io.StringIO(newline="")
        writer = csv.writer(text, delimiter=separator or self.separator(), lineterminator=self.chance.choice("\n\n\r")[:1].replace("\r", "\r\n"), quoting=quoting)
        writer.writerows([*([head] if head else []), *rows])
        return self.text(text.getvalue(), ending)

    def text(self, text: str, ending: str) -> Path:
        path = self.world.folder / f"{self.stem}{ending}"
        path.write_bytes(text.encode())
        return path

    def json(self, value: Any, ending: str = ".json") -> Path:
        return self.text(json.dumps(value, ensure_ascii=self.chance.random() < 0.5, indent=self.chance.choice((None, None, 1))), ending)

    def objects(self, records: Iterable[Mapping[str, Any]]) -> Path:
        return self.text("".join(json.dumps(record) + "\n" for record in records), self.chance.choice((".jsonl", ".ndjson")))

    def frame(self, data: Mapping[str, Any], ending: str = ".parquet") -> Path:
        path = self.world.folder / f"{self.stem}{ending}"
        pl.DataFrame(data).write_parquet(path)
        return path

    def values(self, texts: Iterable[str]) -> list[Any]:
        """Return ids as numbers where a program would have them so."""
        texts = list(texts)
        if self.has_numbers and all(text.removeprefix("-").isdigit() and str(int(text)) == text for text in texts):
            return [int(text) for text in texts]
        return texts

    def beside(self, n: int) -> dict[str, list[Any]]:
        """Return a few columns that nothing should read."""
        r = self.chance
        found = {
            r.choice(("timestamp", "ts", "event_time", "time")): [self.time(r.randint(0, 10**5)) for _ in range(n)],
            r.choice(("price", "unit_price", "amount")): [round(r.uniform(1, 90), 2) for _ in range(n)],
            r.choice(("quantity", "qty", "count")): [r.choice((1, 1, 1, 2, 3, 10)) for _ in range(n)],
            r.choice(("category_id", "category", "department_id")): [r.choice((101, 102, 117, 204)) for _ in range(n)],
            r.choice(("genre", "brand", "country")): [r.choice(("Drama", "Comedy", "Film-Noir")) for _ in range(n)],
            r.choice(("date", "created_at")): [f"2024-{r.randint(1, 12):02}-{r.randint(1, 28):02} 1{r.randint(0, 9)}:00:00" for _ in range(n)],
            r.choice(("title", "item_name", "product_name")): [f"The {r.choice(_WORDS)}, part {r.randint(1, 5)}" for _ in range(n)],
        }
        return dict(r.sample(list(found.items()), r.randint(1, 3)))


def _are_alike(some: Sequence[str], others: Sequence[str]) -> bool:
    """Return whether ids of two kinds cannot be told apart: both are integers of the same range."""
    return all(text.removeprefix("-").isdigit() for text in (*some, *others)) or not {*some}.isdisjoint(others)


Shape = Callable[[World, Pen], Made | None]
LISTS: dict[str, Shape] = {}
TESTS: dict[str, Shape] = {}


def _shape(shapes: dict[str, Shape], name: str) -> Callable[[Shape], Shape]:
    def kept(make: Shape) -> Shape:
        shapes[name] = make
        return make

    return kept


# ---------------------------------------------------------------------------------------------------------------------- lists
class Ranked(NamedTuple):
    user: str
    item: str
    rank: int
    score: float


def ranked(world: World) -> list[Ranked]:
    """Return the rows of lists, with scores that fall, each user together or shuffled."""
    r = world.chance
    base = {user: r.uniform(1, 9) for user in world.lists}
    score: Callable[[str, int], float] = r.choice(
        (lambda user, n: round(base[user] - 0.0173 * n, 6), lambda _, n: 5000 - 11 * n, lambda _, n: round(1 / (n + 1.7), 7), lambda user, n: -base[user] - n)
    )
    rows = [Ranked(user, item, n, score(user, n)) for user, items in world.lists.items() for n, item in enumerate(items)]
    return r.sample(rows, len(rows)) if world.is_shuffled else rows


def meant(world: World) -> dict[tuple[str, str], list[str]]:
    return {("", user): items for user, items in world.lists.items()}


def _long(name: str, columns: Callable[[Pen], list[str]], values: Callable[[Ranked, int], tuple[Any, ...]], *, is_in_order: bool = False) -> None:
    """Add a shape of long lists with a header, one without, and one with columns beside."""

    def rows_of(world: World, pen: Pen) -> list[tuple[Any, ...]]:
        start = world.chance.choice((0, 1))
        rows = ranked(world)
        if is_in_order and world.is_shuffled:
            rows = [row for user in world.lists for row in sorted(one for one in rows if one.user == user)]
            rows.sort(key=lambda row: row.rank)
            rows.sort(key=lambda row: list(world.lists).index(row.user))
        return [(row.user, row.item, *values(row, start)) for row in rows]

    @_shape(LISTS, f"header, {name}")
    def _(world: World, pen: Pen) -> Made:
        return Made(pen.rows(rows_of(world, pen), [pen.user, pen.item, *columns(pen)]), meant(world))

    @_shape(LISTS, f"header, {name}, columns beside")
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

    @_shape(LISTS, f"no header, {name}")
    def _(world: World, pen: Pen) -> Made:
        return Made(pen.rows(rows_of(world, pen), None, world.chance.choice((".tsv", ".txt", ".csv")), pen.separator(others="" if world.has(" ") else "  ")), meant(world))


_long("score", lambda pen: [pen.name(SCORE)], lambda row, start: (row.score,))
_long("rank", lambda pen: [pen.name(RANK)], lambda row, start: (row.rank + start,))
_long("rank and score", lambda pen: [pen.name(RANK), pen.name(SCORE)], lambda row, start: (row.rank + start, row.score))
_long("in order", lambda pen: [], lambda row, start: (), is_in_order=True)


@_shape(LISTS, "header, distance")
def _(world: World, pen: Pen) -> Made:
    return Made(pen.rows([(*row[:2], round(8000 - row.score, 6)) for row in ranked(world)], [pen.user, pen.item, pen.name(DISTANCE)]), meant(world))


@_shape(LISTS, "header, 12.0")
def _(world: World, pen: Pen) -> Made | None:
    rows = [(user, f"{item}.0", score) for user, item, _, score in ranked(world)]
    return Made(pen.rows(rows, [pen.user, pen.item, pen.name(SCORE)]), meant(world)) if world.has_whole_items else None


@_shape(LISTS, "no header, 12.0")
def _(world: World, pen: Pen) -> Made | None:
    rows = [(user, f"{item}.0", score) for user, item, _, score in ranked(world)]
    return Made(pen.rows(rows, None, ".tsv"), meant(world)) if world.has_whole_items else None


@_shape(LISTS, "header, model column")
def _(world: World, pen: Pen) -> Made:
    names = world.chance.sample(("als", "bpr", "knn", "pop", "SASRec", "EASE-r", "mf_64"), world.chance.randint(1, 3))
    rows = [(name, *row[:2], row.score) for name in names for row in ranked(world)]
    truth = {(name if len(names) > 1 else "", user): items for name in names for user, items in world.lists.items()}
    pen.world.is_helpful, helpful = True, world.is_helpful
    head = [pen.name(MODEL), pen.name(USER), pen.name(ITEM), pen.name(SCORE)]
    world.is_helpful = helpful
    return Made(pen.table(rows, head), truth)


@_shape(LISTS, "header, one model of several by a filter")
def _(world: World, pen: Pen) -> Made:
    names = world.chance.sample(("als", "bpr", "knn"), 2)
    rows = [(*row[:2], row.score, names[0]) for row in ranked(world)]
    other = [(user, item, n, names[1]) for user, items in world.lists.items() for n, item in enumerate(items)]
    rows = world.chance.sample(rows + other, len(rows + other))
    column = world.chance.choice(MODEL)
    return Made(pen.table(rows, [pen.user, pen.item, pen.name(SCORE), column]), meant(world), where=f"{column} == '{names[0]}'")


def _trec(name: str, second: Sequence[str]) -> None:
    @_shape(LISTS, f"TREC run, {name}")
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
    @_shape(LISTS, f"header, cells with {name}")
    def _(world: World, pen: Pen) -> Made | None:
        rows = [(user, inner.join(items)) for user, items in world.lists.items()]
        if world.has(inner.strip() or inner) or max(map(len, world.lists.values())) < 2:
            return None
        return Made(pen.table(rows, [pen.user, pen.name(LISTED)], ".csv", pen.separator(avoid=inner)), meant(world))

    @_shape(TESTS, f"header, cells with {name}")
    def _(world: World, pen: Pen) -> Made | None:
        rows = [(user, inner.join(items)) for user, items in world.truths.items()]
        if world.has(inner.strip() or inner) or max(map(len, world.truths.values())) < 2:
            return None
        return Made(pen.table(rows, [pen.user, pen.name(TRUTH)], ".csv", pen.separator(avoid=inner)), relevant(world))


for _name, _sign in (("spaces", " "), ("commas", ","), ("semicolons", ";"), ("bars", "|"), ("commas and spaces", ", ")):
    _celled(_name, _sign)


def _bracketed(name: str, write: Callable[[list[Any]], str]) -> None:
    @_shape(LISTS, f"header, cells in brackets, {name}")
    def _(world: World, pen: Pen) -> Made | None:
        if world.has("'\"\\") or (name == "NumPy" and world.has(" ")):
            return None
        rows = [(user, write(pen.values(items))) for user, items in world.lists.items()]
        return Made(pen.table(rows, [pen.user, pen.name(LISTED)]), meant(world))

    @_shape(TESTS, f"header, cells in brackets, {name}")
    def _(world: World, pen: Pen) -> Made | None:
        if world.has("'\"\\") or (name == "NumPy" and world.has(" ")):
            return None
        rows = [(user, write(pen.values(items))) for user, items in world.truths.items()]
        return Made(pen.table(rows, [pen.user, pen.name(TRUTH)]), relevant(world))


_bracketed("JSON", lambda items: json.dumps(items, ensure_ascii=False))
_bracketed("Python", str)
_bracketed("NumPy", lambda items: str(items).replace(",", ""))


def _wide(name: str, pad: str) -> None:
    @_shape(LISTS, f"wide, filled up with {name}")
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


@_shape(LISTS, "wide, columns 0, 1, 2")
def _(world: World, pen: Pen) -> Made | None:
    n = max(map(len, world.lists.values()))
    rows = [(user, *items, *[""] * (n - len(items))) for user, items in world.lists.items()]
    return Made(pen.table(rows, [world.chance.choice((pen.user, "")), *range(n)]), meant(world)) if n > 2 else None


@_shape(LISTS, "wide, no header")
def _(world: World, pen: Pen) -> Made | None:
    n = min(map(len, world.lists.values()))
    rows = [(user, *items[:n]) for user, items in world.lists.items()]
    return Made(pen.table(rows, None, ".tsv"), {("", user): items[:n] for user, items in world.lists.items()}) if n > 3 else None


@_shape(LISTS, "ragged")
def _(world: World, pen: Pen) -> Made | None:
    separator = world.chance.choice(" ,\t")
    if world.has(separator + '"') or len({len(items) for items in world.lists.values()}) < 2:
        return None
    return Made(pen.text("".join(separator.join((user, *items)) + "\n" for user, items in world.lists.items()), ".txt"), meant(world))


@_shape(LISTS, "user: items")
def _(world: World, pen: Pen) -> Made | None:
    inner = world.chance.choice((", ", ",", " "))
    lines = "".join(f"{user}: {inner.join(items)}\n" for user, items in world.lists.items())
    return None if world.has(' :,;|"\t') else Made(pen.text(lines, ".txt"), meant(world))


@_shape(LISTS, "JSON of lists")
def _(world: World, pen: Pen) -> Made:
    return Made(pen.json({user: pen.values(items) for user, items in world.lists.items()}), meant(world))


@_shape(LISTS, "JSON of scores")
def _(world: World, pen: Pen) -> Made:
    found: dict[str, dict[str, float]] = {}
    for user, item, _, score in ranked(world):
        found.setdefault(user, {})[item] = score
    return Made(pen.json(found), meant(world))


@_shape(LISTS, "JSON of records")
def _(world: World, pen: Pen) -> Made:
    score = pen.name(SCORE)
    return Made(pen.json([{pen.user: row.user, pen.item: row.item, score: row.score} for row in ranked(world)]), meant(world))


@_shape(LISTS, "NDJSON of lists")
def _(world: World, pen: Pen) -> Made:
    listed = pen.name(LISTED)
    return Made(pen.objects({pen.user: user, listed: pen.values(items)} for user, items in world.lists.items()), meant(world))


@_shape(LISTS, "NDJSON of lists and scores")
def _(world: World, pen: Pen) -> Made:
    listed, score = pen.name(LISTED), pen.name(SCORE)
    rows = ({pen.user: user, listed: pen.values(items), score: [0.9 - n / 100 for n in range(len(items))]} for user, items in world.lists.items())
    return Made(pen.objects(rows), meant(world))


@_shape(LISTS, "NDJSON of objects")
def _(world: World, pen: Pen) -> Made:
    listed, score = pen.name(LISTED), pen.name(SCORE)
    rows = ({pen.user: user, listed: [{pen.item: item, score: 9.5 - n / 7} for n, item in enumerate(items)]} for user, items in world.lists.items())
    return Made(pen.objects(rows), meant(world))


@_shape(LISTS, "NDJSON, nested")
def _(world: World, pen: Pen) -> Made:
    has_scores = world.chance.random() < 0.5
    rows = []
    for user, items in world.lists.items():
        scores = {"scores": [0.9 - n / 100 for n in range(len(items))]} if has_scores else {}
        rows.append({"input": {pen.chance.choice(["userId"]): user, "numResults": len(items)}, "output": {"recommendedItems": items, **scores}, "error": None})
    return Made(pen.objects(rows), meant(world))


def _index(name: str, head: Callable[[Pen], list[Any]]) -> None:
    @_shape(LISTS, f"index of pandas, {name}")
    def _(world: World, pen: Pen) -> Made:
        return Made(pen.table([(n, row.user, row.item, row.score) for n, row in enumerate(ranked(world))], head(pen)), meant(world))

    @_shape(TESTS, f"index of pandas, {name}")
    def _(world: World, pen: Pen) -> Made:
        rows = graded(world)
        return Made(pen.table([(n, *row) for n, row in enumerate(rows)], head(pen)), grades(rows))


_index("names", lambda pen: [pen.chance.choice(("", "", "Unnamed: 0", "index")), pen.user, pen.item, pen.name(("score", "rating"))])
_index("columns 0, 1, 2", lambda pen: ["", 0, 1, 2])


@_shape(LISTS, "Parquet, long")
def _(world: World, pen: Pen) -> Made:
    rows = ranked(world)
    data = {pen.user: pen.values(row.user for row in rows), pen.item: pen.values(row.item for row in rows), pen.name(SCORE): [float(row.score) for row in rows]}
    return Made(pen.frame(data), meant(world))


@_shape(LISTS, "Parquet, lists")
def _(world: World, pen: Pen) -> Made:
    listed = _typed_lists(pen, world.lists)
    return Made(pen.frame({pen.user: pen.values(world.lists), pen.name(LISTED): listed}), meant(world))


@_shape(LISTS, "Parquet, structs")
def _(world: World, pen: Pen) -> Made:
    score = pen.name(SCORE)
    listed = [[{pen.item: item, score: 5.5 - n / 9} for n, item in enumerate(items)] for items in world.lists.values()]
    return Made(pen.frame({pen.user: pen.values(world.lists), pen.name(LISTED): listed}), meant(world))


@_shape(LISTS, "RecBole")
def _(world: World, pen: Pen) -> Made:
    head = [f"{world.chance.choice(('user_id', 'uid', 'session_id'))}:token", "item_id:token", "score:float"]
    return Made(pen.table([(row.user, row.item, row.score) for row in ranked(world)], head, ".inter", "\t"), meant(world))


def _typed_lists(pen: Pen, lists: Lists) -> list[list[Any]]:
    flat = iter(pen.values(item for items in lists.values() for item in items))
    return [[next(flat) for _ in items] for items in lists.values()]


# ---------------------------------------------------------------------------------------------------------------------- truths
def relevant(world: World) -> Grades:
    return {(user, item): 1.0 for user, items in world.truths.items() for item in items}


def graded(world: World) -> list[tuple[str, str, Any]]:
    """Return the rows of a truth with grades, not all equal; in some worlds 3 is written 3.0."""
    r = world.chance
    scale = r.choice(_SCALES)
    rows = [(user, item, r.choice(scale)) for user, items in world.truths.items() for item in items]
    if r.random() < 0.25:
        rows = [(user, item, float(grade)) for user, item, grade in rows]
    return r.sample(rows, len(rows)) if world.is_shuffled else rows


def grades(rows: Iterable[tuple[str, str, Any]]) -> Grades:
    return {(user, item): float(grade) for user, item, grade in rows}


def has_zero(rows: Iterable[tuple[Any, ...]]) -> bool:
    return any(not row[2] for row in rows)


@_shape(TESTS, "header, pairs")
def _(world: World, pen: Pen) -> Made:
    return Made(pen.rows(relevant(world), [pen.user, pen.item]), relevant(world))


@_shape(TESTS, "header, graded")
def _(world: World, pen: Pen) -> Made:
    rows = graded(world)
    return Made(pen.rows(rows, [pen.user, pen.item, pen.name(GRADE)]), grades(rows))


@_shape(TESTS, "header, graded by an unknown name")
def _(world: World, pen: Pen) -> Made:
    rows = graded(world)
    return Made(pen.rows(rows, [pen.user, pen.item, world.chance.choice(("fb", "zz", "outcome", "resp", "val", "w"))]), grades(rows))


@_shape(TESTS, "header, True and False")
def _(world: World, pen: Pen) -> Made:
    rows = [(user, item, world.chance.random() < 0.5) for user, item in relevant(world)]
    words = world.chance.choice(({True: "True", False: "False"}, {True: "true", False: "false"}))
    return Made(pen.rows([(user, item, words[grade]) for user, item, grade in rows], [pen.user, pen.item, pen.name(GRADE)]), grades(rows))


def _with_columns_beside(name: str, *, is_graded: bool) -> None:
    @_shape(TESTS, f"header, {name}, columns beside")
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
    @_shape(TESTS, f"no header, {name}")
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


@_shape(TESTS, "no header, ::")
def _(world: World, pen: Pen) -> Made | None:
    rows = graded(world)
    lines = "".join(f"{user}::{item}::{grade}::{pen.time(n)}\n" for n, (user, item, grade) in enumerate(rows))
    return None if world.has('"') else Made(pen.text(lines, ".dat"), grades(rows))


@_shape(TESTS, "semicolons and quotes")
def _(world: World, pen: Pen) -> Made:
    rows = [(user, item, world.chance.choice((0, 0, 5, 7, 8, 10))) for user, item in relevant(world)]
    return Made(pen.table([tuple(map(str, row)) for row in rows], ["User-ID", "ISBN", "Book-Rating"], ".csv", ";", csv.QUOTE_ALL), grades(rows))


def _qrels(name: str, second: Sequence[str], scale: Sequence[float]) -> None:
    @_shape(TESTS, f"qrels, {name}")
    def _(world: World, pen: Pen) -> Made | None:
        r = world.chance
        sign, separator = r.choice(second), r.choice(" \t")
        rows = [(user, item, r.choice(scale)) for user, item in relevant(world)]
        if world.has(separator + '"'):
            return None
        return Made(pen.table([(user, sign, item, grade) for user, item, grade in rows], None, r.choice((".qrels", ".txt")), separator), grades(rows))


_qrels("0", ["0"], (0, 1, 2))
_qrels("Q0", ["Q0"], (0, 1))
_qrels("0, decimal grades", ["0"], (0.0, 0.3, 0.75, 1.0))
_qrels("another iteration, decimal grades", ["1", "2", "7"], (0.1, 0.5, 0.9))


@_shape(TESTS, "user: items")
def _(world: World, pen: Pen) -> Made | None:
    lines = "".join(f"{user}: {', '.join(items)}\n" for user, items in world.truths.items())
    return None if world.has(' :,;|"\t') else Made(pen.text(lines, ".txt"), relevant(world))


@_shape(TESTS, "ragged")
def _(world: World, pen: Pen) -> Made | None:
    separator = world.chance.choice(" ,\t")
    if world.has(separator + '"') or len({len(items) for items in world.truths.values()}) < 2:
        return None
    return Made(pen.text("".join(separator.join((user, *items)) + "\n" for user, items in world.truths.items()), ".txt"), relevant(world))


@_shape(TESTS, "JSON of lists")
def _(world: World, pen: Pen) -> Made:
    return Made(pen.json({user: pen.values(items) for user, items in world.truths.items()}), relevant(world))


@_shape(TESTS, "JSON of grades")
def _(world: World, pen: Pen) -> Made:
    found: dict[str, dict[str, float]] = {}
    rows = graded(world)
    for user, item, grade in rows:
        found.setdefault(user, {})[item] = grade
    return Made(pen.json(found), grades(rows))


@_shape(TESTS, "NDJSON of records")
def _(world: World, pen: Pen) -> Made:
    rows, grade = graded(world), pen.name(GRADE)
    return Made(pen.objects({pen.user: row[0], pen.item: row[1], grade: row[2]} for row in rows), grades(rows))


@_shape(TESTS, "NDJSON of lists")
def _(world: World, pen: Pen) -> Made:
    listed = pen.name(TRUTH)
    return Made(pen.objects({pen.user: user, listed: pen.values(items)} for user, items in world.truths.items()), relevant(world))


@_shape(TESTS, "NDJSON of objects")
def _(world: World, pen: Pen) -> Made:
    listed, grade = pen.name(TRUTH), pen.name(GRADE)
    found: dict[str, list[dict[str, Any]]] = {}
    rows = graded(world)
    for user, item, value in rows:
        found.setdefault(user, []).append({pen.item: item, grade: value})
    return Made(pen.objects({pen.user: user, listed: items} for user, items in found.items()), grades(rows))


@_shape(TESTS, "NDJSON, nested")
def _(world: World, pen: Pen) -> Made:
    rows = graded(world)
    objects = ({"user": {"id": user, "country": "SE"}, "item": {"id": item, "title": "A Film"}, "rating": grade} for user, item, grade in rows)
    return Made(pen.objects(objects), grades(rows))


@_shape(TESTS, "history and target")
def _(world: World, pen: Pen) -> Made:
    past, target = world.chance.choice(("history", "item_history", "past_items", "context")), world.chance.choice(("target", "next_item", "ground_truth", "label"))
    rows = [{pen.user: user, past: world.chance.sample(world.items, 2), target: items[0]} for user, items in world.truths.items()]
    return Made(pen.objects(rows), {(user, items[0]): 1.0 for user, items in world.truths.items()})


def labelled(world: World) -> tuple[Grades, list[tuple[str, str]]]:
    truth = {(user, item): float(world.chance.random() < 0.4) for user, item in relevant(world)}
    return truth, [(user, " ".join(f"{item}-{truth[user, item]:.0f}" for item in items)) for user, items in world.truths.items()]


@_shape(TESTS, "impressions of MIND")
def _(world: World, pen: Pen) -> Made | None:
    truth, cells = labelled(world)
    if world.has(' "'):
        return None
    rows = [(n + 1, user, f"11/15/2019 {n % 12}:02:31 AM", " ".join(world.chance.sample(world.items, 2)), cell) for n, (user, cell) in enumerate(cells)]
    return Made(pen.table(rows, None, ".tsv", "\t"), truth)


@_shape(TESTS, "header, impressions with labels")
def _(world: World, pen: Pen) -> Made | None:
    truth, cells = labelled(world)
    return None if world.has(' "') else Made(pen.table(cells, [pen.user, "impressions"], ".csv", world.chance.choice(",\t")), truth)


@_shape(TESTS, "header, 12.0")
def _(world: World, pen: Pen) -> Made | None:
    rows = graded(world)
    head = [pen.user, pen.item, pen.name(GRADE)]
    return Made(pen.rows([(user, f"{item}.0", grade) for user, item, grade in rows], head), grades(rows)) if world.has_whole_items else None


@_shape(TESTS, "Parquet, long")
def _(world: World, pen: Pen) -> Made:
    rows = graded(world)
    data = {pen.user: pen.values(row[0] for row in rows), pen.item: pen.values(row[1] for row in rows), pen.name(GRADE): [float(row[2]) for row in rows]}
    return Made(pen.frame(data), grades(rows))


@_shape(TESTS, "Parquet, lists")
def _(world: World, pen: Pen) -> Made:
    return Made(pen.frame({pen.user: pen.values(world.truths), pen.name(TRUTH): _typed_lists(pen, world.truths)}), relevant(world))


@_shape(TESTS, "Parquet, nested")
def _(world: World, pen: Pen) -> Made:
    rows = graded(world)
    data = {"user": [{"id": row[0], "age": 30} for row in rows], "item": [{"id": row[1], "title": "A Film"} for row in rows], "rating": [float(row[2]) for row in rows]}
    return Made(pen.frame(data), grades(rows))


@_shape(TESTS, "RecBole")
def _(world: World, pen: Pen) -> Made:
    rows = graded(world)
    table = [(user, item, grade, pen.time(n)) for n, (user, item, grade) in enumerate(rows)]
    return Made(pen.table(table, ["user_id:token", "item_id:token", "rating:float", "timestamp:float"], ".inter", "\t"), grades(rows))


@_shape(TESTS, "header, events by a filter")
def _(world: World, pen: Pen) -> Made:
    r, events = world.chance, world.chance.choice((("view", "purchase"), ("click", "order"), ("addtocart", "transaction")))
    rows = [(pen.time(n), user, events[1], item) for n, (user, item) in enumerate(relevant(world))]
    rows += [(pen.time(n), r.choice(world.users), events[0], r.choice(world.items)) for n in range(2 * len(rows))]
    column = r.choice(("event", "event_type", "behavior"))
    head = ["timestamp", pen.user, column, pen.item]
    return Made(pen.table(r.sample(rows, len(rows)), head), relevant(world), where=f"{column} == '{events[1]}'")
