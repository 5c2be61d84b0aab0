"""The tables and columns that definitions ask for by name → how each is made, once, when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import narwhals as nw

from .. import match, side
from ..frames import Frame
from ..metrics import Request
from ..score import Rows

if TYPE_CHECKING:
    from .model import ModelTables

PAIR: Final = ["user", "item"]
TableMaker = Callable[["ModelTables", Request], Rows]
ColumnMaker = Callable[["ModelTables", Request], tuple[Frame, float]]
"""Makes `item` or `user`, and `value`; and says the value of those who are not in it."""

TABLES: Final[dict[str, TableMaker]] = {}
ITEM_COLUMNS: Final[dict[str, ColumnMaker]] = {}
USER_COLUMNS: Final[dict[str, ColumnMaker]] = {}
OF_LISTS: Final[set[str]] = set()
"""Tables that need every row of the lists."""
OF_SCORES: Final[set[str]] = set()
"""Tables that need the scores of the lists."""
OF_TEST: Final[set[str]] = set()
"""Tables that need every row of the test file."""
OF_PREDICTIONS: Final[set[str]] = set()
"""Tables that need predicted ratings: those of data.predictions, else the scores of the lists."""


def table(
    name: str, *, lists: bool = False, scores: bool = False, test: bool = False, predictions: bool = False
) -> Callable[[TableMaker], TableMaker]:
    """Enter the maker of a table, and what it needs: `predictions` are ratings that were predicted, or scores in their place."""

    def enter(make: TableMaker) -> TableMaker:
        TABLES[name] = make
        OF_LISTS.update({name} if lists or scores or predictions else ())
        OF_SCORES.update({name} if scores or predictions else ())
        OF_TEST.update({name} if test or predictions else ())
        OF_PREDICTIONS.update({name} if predictions else ())
        return make

    return enter


def _item(name: str) -> Callable[[ColumnMaker], ColumnMaker]:
    return lambda make: ITEM_COLUMNS.setdefault(name, make)


def _user(name: str) -> Callable[[ColumnMaker], ColumnMaker]:
    return lambda make: USER_COLUMNS.setdefault(name, make)


def cut(rows: Frame, k: int | None) -> Frame:
    """The rows before the cut-off: by their `place` where a list is cut before it closes up, else by their rank."""
    place = "place" if "place" in rows.collect_schema().names() else "rank"
    return rows.filter(nw.col(place) <= k) if k else rows


def at_place(rows: Frame) -> nw.Expr:
    """The column by which rows are cut, as `rank`, for tables that need no other rank."""
    return nw.col("place" if "place" in rows.collect_schema().names() else "rank").alias("rank")


def given(request: Request) -> dict[str, object]:
    """The parameters of a request."""
    return dict(request.params)


@_item("train_rows")
def train_rows(model: ModelTables, request: Request) -> tuple[Frame, float]:
    """How often train holds the item; 0 for an item that it does not hold."""
    return model.popularity.select("item", value="rows"), 0


@_item("train_users")
def train_users(model: ModelTables, request: Request) -> tuple[Frame, float]:
    """How many users of train have the item; 0 for an item that it does not hold."""
    return model.popularity.select("item", value="users"), 0


@_item("tail")
def tail(model: ModelTables, request: Request) -> tuple[Frame, float]:
    """1 in the long tail, 0 in the head, -1 for an item that train does not hold (`untrained` = `tail`: nor the catalogue)."""
    params = given(request)
    found = side.in_tail(model.popularity, float(str(params["ratio"])), str(params["border"]))
    if params.get("untrained") == "tail":
        others = model.catalogue.select("item").join(model.popularity.select("item"), on="item", how="anti")
        found = nw.concat([found, others.with_columns(value=nw.lit(1.0))])
    return found, -1


@_item("dense_rank")
def dense_rank(model: ModelTables, request: Request) -> tuple[Frame, float]:
    """The place by popularity, equal items sharing theirs; 0 for an item that train does not hold."""
    return side.dense_rank(model.popularity), 0


@_item("mean_rank")
def mean_rank(model: ModelTables, request: Request) -> tuple[Frame, float]:
    """The mean place by popularity from the least popular, as a share; 0 for an item that train does not hold."""
    return side.mean_rank(model.popularity, str(given(request)["by"])), 0


@_item("group")
def item_group(model: ModelTables, request: Request) -> tuple[Frame, float]:
    """The code of the item's group; 0 for an item without one."""
    return model.sides.item_groups[str(given(request)["column"])], 0


@_item("n_categories")
def n_categories(model: ModelTables, request: Request) -> tuple[Frame, float]:
    """How many categories the item has."""
    return model.categories.group_by("item").agg(value=nw.len().cast(nw.Int64)), 0


@_item("category")
def category(model: ModelTables, request: Request) -> tuple[Frame, float]:
    """Whether the item has the category of that code."""
    return model.categories.filter(nw.col("code") == given(request)["code"]).select("item", value=nw.lit(1)), 0


@_item("kind")
def kind(model: ModelTables, request: Request) -> tuple[Frame, float]:
    """The set of the item's categories, as bits."""
    return side.with_masks(model.categories), 0


@_item("known")
def known(model: ModelTables, request: Request) -> tuple[Frame, float]:
    """Whether train (or, `of` the catalogue, the items file) holds the item."""
    held = model.popularity if given(request)["of"] == "train" else model.catalogue
    return held.select("item", value=nw.lit(1)), 0


@_item("pop")
def pop(model: ModelTables, request: Request) -> tuple[Frame, float]:
    """The number of rows of the item divided by the number of users, in train, or in train and test together."""
    counts, users = model.rows_of_items(str(given(request)["of"]))
    return counts.select("item", value=nw.col("rows") / users), 0


def _popular(model: ModelTables, request: Request) -> Frame:
    params = given(request)
    counts, _ = model.rows_of_items(str(params["of"]))
    ties = ("source", "first") if params["ties"] == "first_row" else ("item",)
    return side.most_popular(counts, float(str(params["popular"])), model.size(counts), ties)


@_item("popular")
def popular(model: ModelTables, request: Request) -> tuple[Frame, float]:
    """Whether the item is among the most popular ones."""
    return _popular(model, request), 0


@_user("popularity_group")
def popularity_group(model: ModelTables, request: Request) -> tuple[Frame, float]:
    """The number of the user's group, users being ordered by the share of popular items in train, most first."""
    liked = _popular(model, request).filter(nw.col("value") == 1).select("item")
    shares = [float(part) for part in str(given(request)["shares"]).split(";")]
    users = model.size(model.train.select("user").unique("user"))
    order = model.sides.first_rows if given(request)["ties"] == "first_row" else None
    return side.by_share(model.train, liked, shares, users, order), 0


@_user("group")
def user_group(model: ModelTables, request: Request) -> tuple[Frame, float]:
    """The code of the user's group; 0 for a user without one."""
    column = str(given(request)["column"])
    groups = model.sides.user_groups[column]
    if model.truths.tested is not None:
        without = model.size(model.truths.tested.join(groups, on="user", how="anti"))
        if without:
            have, are = ("user has", "is") if without == 1 else ("users have", "are")
            model.note(f"{without:,} test {have} no {column} in data.users and {are} left out where groups are compared")
    return groups, 0


@_user("n_profile")
def n_profile(model: ModelTables, request: Request) -> tuple[Frame, float]:
    """How many items train holds for the user."""
    return model.train.group_by("user").agg(value=nw.len().cast(nw.Int64)), 0


@_user("n_baseline")
def n_baseline(model: ModelTables, request: Request) -> tuple[Frame, float]:
    """How many items the list of the reference model holds."""
    return model.baseline.group_by("user").agg(value=nw.len().cast(nw.Int64)), 0


@table("listed", lists=True)
def listed(model: ModelTables, request: Request) -> Rows:
    """`user item rank`: every recommended item, with the columns of items that are asked for."""
    return Rows(model.with_items(model.listed(request.view)), streamed=True)


@table("repeats", lists=True)
def repeats(model: ModelTables, request: Request) -> Rows:
    """`user item rank`: the places of items that stand further up already."""
    rows = model.listed(request.view)
    counts = rows.group_by("user").agg(n=nw.col("item").n_unique(), rows=nw.len())
    some = rows.join(counts.filter(nw.col("n") < nw.col("rows")).select("user"), on="user", how="semi")
    best = some.group_by(PAIR).agg(best=nw.col("rank").min())
    return Rows(some.join(best, on=PAIR, how="left").filter(nw.col("rank") > nw.col("best")).drop("best"))


@table("seen", lists=True)
def seen(model: ModelTables, request: Request) -> Rows:
    """`user item rank`: recommended items that train holds for the user, each once."""
    return Rows(match.one_per_item(model.listed(request.view).join(model.train.select(*PAIR), on=PAIR, how="semi")))


@table("overlap", lists=True)
def overlap(model: ModelTables, request: Request) -> Rows:
    """`user item rank other_rank`: recommended items that stand in the list of the reference model, each once."""
    return Rows(match.one_per_item(model.listed(request.view).join(model.baseline, on=PAIR, how="inner")))


@table("relevant")
def relevant(model: ModelTables, request: Request) -> Rows:
    """`user item gain`: the relevant items, all of rank 1, with the columns of items that are asked for."""
    truth = model.truth_of(request.view)
    return Rows(model.with_items(truth.relevant.with_columns(rank=nw.lit(1))))


@table("profile")
def profile(model: ModelTables, request: Request) -> Rows:
    """`user item`: what train holds for the user, all of rank 1, with the columns of items that are asked for."""
    return Rows(model.with_items(model.train.with_columns(rank=nw.lit(1))), streamed=True)


@table("scored", scores=True)
def scored(model: ModelTables, request: Request) -> Rows:
    """`user item rank score`: every recommended item with its score."""
    rows = model.with_scores(model.listed(request.view)).sort("user", "rank")  # sums of scores depend on their order
    (settled,) = model.engine.settle([rows], ordered=True)
    return Rows(settled)
