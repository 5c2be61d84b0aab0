"""Random worlds: who was recommended what and what was relevant, written as files in every shape, each with what it means.

`World(seed)` draws users, items, lists and truths; `LISTS` and `TESTS` are the shapes, by name: functions of a world and a `Pen` that
return a `Made` file, or `None` if ids of this world cannot be written so. `files_of_lists` and `files_of_truths` fill them.
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


def _words(text: str) -> list[str]:
    return text.split()


USER: Final = _words(
    "user_id user userId USER uid u_id customer_id CustomerId customer visitorid accountId memberId reviewerID user_idx "
    "sessionId session qid query-id query_id topic_id User-ID userID clientId reader_id cust_id"
)
ITEM: Final = _words(
    "item_id item itemId ITEM iid movieId movie_id product_id ProductId asin ISBN sku article_id track_id songId "
    "docid doc_id corpus-id docno news_id business_id video_id item_idx recipe_id game_id bookId itemID"
)
SCORE: Final = _words(
    "score scores Score prediction pred predicted_score est similarity sim probability prob y_pred model_score logit relevance_score"
)
RANK: Final = _words("rank Rank ranking position pos item_rank rank_position")
DISTANCE: Final = _words("distance dist l2_distance cosine_distance euclidean_dist")
GRADE: Final = _words(
    "rating Rating stars relevance rel label grade overall Book-Rating score clicked click target y_true gt gain judgment purchase "
    "is_positive liked is_click feedback relevance_label user_rating"
)
LISTED: Final = _words("items recommendations recs recommended_items predictions item_ids topk_items ranked_items recommendation_list")
TRUTH: Final = _words("items item_ids relevant_items ground_truth targets test_items true_items positives")
SERIES: Final = _words("rec_ item_ rec item top_ rank_ Recommendation_ pred_ r")
MODEL: Final = _words("model Model algorithm Algorithm algo method")
VAGUE: Final = _words("a b c d e w x y z c1 c2 c3 col1 col2 V1 V2 field1 var_1 k v left right foo bar data key value id1 id2")
_HALVES: Final = tuple(half / 2 for half in range(1, 11))
_SCALES: Final = ((0, 1), (0, 1), (0, 1, 2), (0, 1, 2, 3), (1, 2, 3, 4, 5), (1, 2, 3, 4, 5), _HALVES, tuple(range(11)))
_ODD: Final = (
    *('say "hi"', "it's", "NA", "1e5", "2024-01-05", "a;b", "a,b", "a|b", "naïve", "日本", "x\ty", "0x1F", "-", "null"),
    *("12.0", "True"),
)
_TREES: Final = _words(
    "amber birch cedar delta ember fjord grove heron inlet joker koala lilac maple north olive pearl quilt raven stone tulip"
)
_KINDS: Final = _words("dense dense zero from sparse sparse large negative zeros coded coded asin words uuid hex hostile titles")


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
    kind = r.choice(_KINDS)
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
    words = [
        f"{r.choice(_TREES)}{r.choice(_TREES) if r.random() < 0.5 else ''}{r.choice(('', '-', '_'))}{r.choice(_TREES)}" for _ in range(n)
    ]
    if kind == "titles":
        words = [" ".join(r.choice(_TREES).title() for _ in range(r.randint(1, 4))) + r.choice(("", " 2", " (1999)")) for _ in range(n)]
    if kind == "hostile":
        words = [r.choice(_ODD) if r.random() < 0.3 else f"{letter}.{r.choice(_TREES)}/{r.randint(1, 99)}" for _ in range(n)]
    return list(dict.fromkeys([*words, f"{letter}last"]))


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
        """Write rows of fields; the user and the item, the first two, change places in some worlds.

        Not in both files if neither has names: nothing would tell.
        """
        table = [list(row) for row in rows]
        can_tell = head is not None or (self.stem == "lists" and not _are_alike(self.world.users, self.world.items))
        is_swapped = self.is_swapped and can_tell
        if is_swapped:
            table, head = [[row[1], row[0], *row[2:]] for row in table], head and [head[1], head[0], *head[2:]]
        return self.table(table, head, ending, separator)

    def table(
        self,
        rows: Iterable[Sequence[Any]],
        head: Sequence[Any] | None,
        ending: str = ".csv",
        separator: str | None = None,
        quoting: Any = csv.QUOTE_MINIMAL,
    ) -> Path:
        """Write rows of fields as they are."""
        text = io.StringIO(newline="")
        writer = csv.writer(
            text,
            delimiter=separator or self.separator(),
            lineterminator=self.chance.choice("\n\n\r")[:1].replace("\r", "\r\n"),
            quoting=quoting,
        )
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
            r.choice(("date", "created_at")): [
                f"2024-{r.randint(1, 12):02}-{r.randint(1, 28):02} 1{r.randint(0, 9)}:00:00" for _ in range(n)
            ],
            r.choice(("title", "item_name", "product_name")): [f"The {r.choice(_TREES)}, part {r.randint(1, 5)}" for _ in range(n)],
        }
        return dict(r.sample(list(found.items()), r.randint(1, 3)))


def _are_alike(some: Sequence[str], others: Sequence[str]) -> bool:
    """Return whether ids of two kinds cannot be told apart: both are integers of the same range."""
    return all(text.removeprefix("-").isdigit() for text in (*some, *others)) or not {*some}.isdisjoint(others)


Shape = Callable[[World, Pen], Made | None]
LISTS: dict[str, Shape] = {}
TESTS: dict[str, Shape] = {}


def shape(shapes: dict[str, Shape], name: str) -> Callable[[Shape], Shape]:
    def kept(make: Shape) -> Shape:
        shapes[name] = make
        return make

    return kept


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
        (
            lambda user, n: round(base[user] - 0.0173 * n, 6),
            lambda _, n: 5000 - 11 * n,
            lambda _, n: round(1 / (n + 1.7), 7),
            lambda user, n: -base[user] - n,
        )
    )
    rows = [Ranked(user, item, n, score(user, n)) for user, items in world.lists.items() for n, item in enumerate(items)]
    return r.sample(rows, len(rows)) if world.is_shuffled else rows


def meant(world: World) -> dict[tuple[str, str], list[str]]:
    return {("", user): items for user, items in world.lists.items()}


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
