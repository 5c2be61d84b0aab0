"""The difference between the lists of two models: a summary, and some users with both lists side by side."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any, Final

import polars as pl
from msgspec import Struct
from msgspec.structs import asdict, replace

from ..results.model_diff import BASE, FORMAT_VERSION, MODEL, REASONS, ModelDiff, Order, Reason, ShownUsers
from ..stats.concluding import users_text
from . import numbers
from .document import ARROWS, Cell, Column, Document, Heading, Paragraph, Section, Sentences, Table

REASON_TEXTS: Final[Mapping[Reason, str]] = {
    "hit": "a hit",
    "below_cut": "just below the cut",
    "deep": "deep in the list",
    "in_train": "in train",
    "cold": "cold item",
    "unknown": "unknown to the model",
    "other_only": "other model only",
    "not_listed": "not listed",
}
"""Reason → its words."""
_TITLES: Final[Mapping[Order, str]] = {
    "loss": "Largest losses",
    "gain": "Largest gains",
    "relevant": "Users with most relevant items",
    "random": "Users at random",
}
_NOBODY: Final[Mapping[Order, str]] = {"loss": "No user loses.", "gain": "No user gains."}
_MOST_ROWS: Final = 20
"""Rows of lists that are shown if the measure has no cut-off, or a larger one."""
_MOST_ITEMS: Final = 5
"""Items in a sentence on one user."""
_SHORT: Final = 17
"""Characters of a title on a narrow screen."""
_HIT: Final = "✔"
_DIGITS: Final = 6
"""Bytes of a user's hash: 12 hexadecimal digits."""


def user_hash(user: Any) -> str:
    """Return a short hash of a user id, which hides the id from readers; who has the ids can compute it."""
    return hashlib.blake2b(str(user).encode(), digest_size=_DIGITS).hexdigest()


def document(diff: ModelDiff) -> Document:
    """Return the summary and the users of each order."""
    blocks = [
        Heading(f"{diff.model} beside {diff.base}"),
        Paragraph(_about(diff)),
        _measures(diff),
        Paragraph(_overlap(diff)),
        Section("missed", "Why relevant items were missed", (_reasons(diff),)),
    ]
    for order, shown in diff.shown.items():
        users = tuple(block for user in shown.users.rows(named=True) for block in _user(diff, shown, user))
        blocks.append(Section(order, _TITLES[order], users or (Paragraph(_NOBODY.get(order, "No user.")),)))
    notes = [*diff.notes, *_notes(diff)]
    return (*blocks, *((Sentences(tuple(notes)),) if notes else ()))


def _about(diff: ModelDiff) -> str:
    """Say who is compared."""
    filters = f" ({', '.join(diff.filters)})" if diff.filters else ""
    others = [
        f"{n:,} {'has' if n == 1 else 'have'} a value under {name} only"
        for n, name in ((diff.n_only_base, diff.base), (diff.n_only_model, diff.model))
        if n
    ]
    left = f"; left out: {', '.join(others)}" if others else ""
    return f"{users_text(diff.n_users)} with a value under both models{filters}{left}. A loss is a worse {diff.measure} under {diff.model}."


def _measures(diff: ModelDiff) -> Table:
    rows = []
    for measure in diff.measures:
        places = numbers.decimals((measure.base, measure.model))
        values = (measure.base, measure.model, measure.difference)
        cells = (Cell(_number(value, places, sign=at == 2) or "–", value=value) for at, value in enumerate(values))
        counts = (Cell(f"{n:,}", value=n) for n in (measure.n_worse, measure.n_same, measure.n_better))
        rows.append((Cell(measure.measure, direction=measure.higher_is_better), *cells, *counts))
    columns = (
        Column("measure", "key"), Column(diff.base, "value"), Column(diff.model, "value"), Column("Δ", "difference"),
        Column("worse", "counts"), Column("same", "counts", yields=1), Column("better", "counts"),
    )  # fmt: skip
    return Table(columns, tuple(rows), "Means over users, and the numbers of users that are worse, the same and better", "measures")


def _overlap(diff: ModelDiff) -> str:
    """Say how much the lists have in common."""
    shared, jaccard, rbo = (diff.overlap[name] for name in ("overlap", "jaccard", "rbo"))
    if shared is None or jaccard is None or rbo is None:
        return "No user has a list of both models."
    size = "" if diff.k is None else f" of {diff.k}"
    return (
        f"The lists of a user share {shared:,.1f}{size} items on average (Jaccard {jaccard:.2f}; "
        f"rank-biased overlap of the whole lists {rbo:.2f}, p = {diff.p:g})."
    )


def _reasons(diff: ModelDiff) -> Table:
    """Return the table of reasons why relevant items were missed."""
    of_kinds = (diff.missed.base, diff.missed.model, diff.missed.lost, diff.missed.gained)
    totals = [sum(of_kind.values()) for of_kind in of_kinds]
    shown = [reason for reason in REASONS[1:] if diff.has_train or reason not in ("in_train", "cold")]
    rows = [
        (
            Cell(REASON_TEXTS[reason]),
            *(
                Cell(f"{of_kind[reason]:,} {_share(of_kind[reason], total)}", value=of_kind[reason])
                for of_kind, total in zip(of_kinds, totals, strict=True)
            ),
        )
        for reason in shown
    ]
    rows.append((Cell("all"), *(Cell(f"{total:,} {_share(total, diff.n_relevant)}", value=total) for total in totals)))
    heads = (f"{diff.base} misses", f"{diff.model} misses", "lost", "gained")
    columns = (Column("reason", "key"), *(Column(head, "counts") for head in heads))
    notes = (
        f"lost: a hit under {diff.base} only, with the reason under {diff.model}; gained: a hit under {diff.model} only. "
        f"The last row has shares of all {diff.n_relevant:,} relevant items.",
        "The first reason that holds counts. "
        + (f"Just below the cut: ranks {diff.k + 1} to {2 * diff.k}; deep: below. " if diff.k else "")
        + ("in train: of this user; cold: in no train row. " if diff.has_train else "")
        + "unknown to the model: in none of its lists; other model only: listed for this user by the other model."
        + ("" if diff.has_train else " Without data.train there is no reason in train or cold."),
    )
    return Table(columns, tuple(rows), id="reasons", apart=1, notes=notes)


def _share(part: int, whole: int) -> str:
    return f"({100 * part / whole:.0f} %)" if whole else "(–)"


class _ListRow(Struct, frozen=True):
    """A row of a list."""

    text: str
    is_hit: bool
    other_rank: int | None


def _user(diff: ModelDiff, shown: ShownUsers, user: Mapping[str, Any]) -> Iterator[Any]:
    yield Heading(f"user {name_of(diff, user['user'])}", 3)
    yield Paragraph(_values(diff, user))
    yield _lists(diff, shown, user["user"])
    said = [*_said(diff, shown.items.filter(pl.col("user") == user["user"]))]
    if said:
        yield Sentences(tuple(said))


def name_of(diff: ModelDiff, user: Any) -> str:
    """Return the id of a user, or without `shows_users` its hash."""
    return str(user) if diff.shows_users else user_hash(user)


def _values(diff: ModelDiff, user: Mapping[str, Any]) -> str:
    """Say the values of a user, and what both lists have in common."""
    base, model, difference = (user[f"{diff.measure} {name}"] for name in ("base", "model", "difference"))
    places = numbers.decimals((base, model))
    n = user["n_relevant"]
    parts = [
        f"{diff.measure} {numbers.number(base, places)} → {numbers.number(model, places)} ({_number(difference, places, sign=True)})",
        f"{n:,} relevant item{'' if n == 1 else 's'}",
    ]
    if user["rbo"] is not None:
        size = f" item{'' if user['overlap'] == 1 else 's'}" if diff.k is None else f" of {diff.k} items"
        parts.append(f"{user['overlap']:,}{size} in common, rank-biased overlap {user['rbo']:.2f}")
    if user["promoted"] is not None:
        moved = f"from rank {user['promoted_from']:,} to {user['promoted_to']:,}"
        parts.append(f"the item that rises most is {_item(diff, user['promoted'])}, {moved}")
    return "; ".join(parts) + "."


def _lists(diff: ModelDiff, shown: ShownUsers, user: Any) -> Table:
    """Return both lists side by side; on a narrow screen long titles are cut."""
    rows = shown.lists.filter(pl.col("user") == user)
    depth = min(diff.k or _MOST_ROWS, _MOST_ROWS)
    by_rank = {
        side: {
            row["rank"]: _ListRow(_item(diff, row["item"]), row["relevant"], row["other_rank"])
            for row in rows.filter((pl.col("side") == side) & (pl.col("rank") <= depth)).rows(named=True)
        }
        for side in (BASE, MODEL)
    }
    whole = _list_table(diff, by_rank)
    longest = max((len(list_row.text) for of_side in by_rank.values() for list_row in of_side.values()), default=0)
    if longest <= _SHORT:
        return whole
    short, drop = _list_table(diff, by_rank, _SHORT), 2  # where an item goes is in the sentence below
    columns = (*short.columns[:drop], *short.columns[drop + 1 :])
    body = tuple((*row[:drop], *row[drop + 1 :]) for row in short.rows)
    return replace(whole, narrow=replace(short, columns=columns, rows=body))


def _list_table(diff: ModelDiff, by_rank: Mapping[str, Mapping[int, _ListRow]], longest: int | None = None) -> Table:
    """Return the table of two lists, with items of at most `longest` characters."""
    last = max((rank for of_side in by_rank.values() for rank in of_side), default=0)
    body = []
    for rank in range(1, last + 1):
        base, model = (by_rank[side].get(rank) for side in (BASE, MODEL))
        to = "" if base is None else "–" if base.other_rank is None else f"{base.other_rank:,}"
        body.append(tuple(map(Cell, (str(rank), _listed(base, longest), to, _listed(model, longest), _move(rank, model)))))
    columns = (
        Column("rank", "counts"), Column(diff.base, "name"), Column("goes to", "counts", yields=1),
        Column(diff.model, "name"), Column("move", "counts"),
    )  # fmt: skip
    return Table(columns, tuple(body))


def _listed(row: _ListRow | None, longest: int | None) -> str:
    if row is None:
        return ""
    text = row.text if longest is None or len(row.text) <= longest else f"{row.text[: longest - 1].rstrip()}…"
    return f"{_HIT if row.is_hit else ' '} {text}"


def _move(rank: int, row: _ListRow | None) -> str:
    """Return how an item of the model's list moved from the rank that it has in the base's."""
    if row is None:
        return ""
    if row.other_rank is None:
        return "new"
    return "=" if row.other_rank == rank else f"{ARROWS[row.other_rank > rank]}{abs(row.other_rank - rank):,}"


_LEAST_SHOWN: Final = 0.5e-4
"""The smallest contribution that is not printed as 0.0000."""


def _said(diff: ModelDiff, items: pl.DataFrame) -> Iterator[str]:
    """Yield sentences on the items that make the difference, and on hits of one model that the other misses."""
    if diff.main.is_split:
        changed = items.filter(pl.col(diff.measure).abs() >= _LEAST_SHOWN)
        ordered = changed.sort(pl.col(diff.measure).abs(), "item", descending=[True, False])
        parts = [
            f"{_item(diff, row['item'])} {_number(row[diff.measure], 4, sign=True)} ({_ranks(row)})"
            for row in ordered.head(_MOST_ITEMS).rows(named=True)
        ]
        more = len(ordered) - _MOST_ITEMS
        if parts:
            rest = f"; and {more:,} other item{'' if more == 1 else 's'}" if more > 0 else ""
            yield f"Difference by item: {', '.join(parts)}{rest}."
    for side, other, name in ((MODEL, BASE, diff.model), (BASE, MODEL, diff.base)):
        missed = items.filter((pl.col(f"{side} reason") != "hit") & (pl.col(f"{other} reason") == "hit")).head(_MOST_ITEMS)
        reasons = [f"{_item(diff, row['item'])} ({REASON_TEXTS[row[f'{side} reason']]})" for row in missed.rows(named=True)]
        if reasons:
            yield f"Missed only by {name}: {', '.join(reasons)}."


def _ranks(item: Mapping[str, Any]) -> str:
    ranks = ["not listed" if item[f"{side} rank"] is None else f"{item[f'{side} rank']:,}" for side in (BASE, MODEL)]
    return f"rank {ranks[0]} → {ranks[1]}"


def _item(diff: ModelDiff, item: Any) -> str:
    """Return the title of an item, or its id."""
    return diff.titles.get(str(item), str(item))


def _notes(diff: ModelDiff) -> Iterator[str]:
    whole = [measure.measure for measure in diff.measures if not measure.is_split]
    if whole:
        yield f"No contributions of items: {', '.join(whole)}. Only a sum with one term per hit divides between items."
    if diff.shown:
        yield f"{_HIT}: a relevant item. goes to: its rank under {diff.model}; move: from its rank under {diff.base}, or new."
    if diff.shown and not diff.shows_users:
        yield "Users are shown by a hash of their id; --show-users shows ids."
    yield (
        f"Whether the difference is more than chance: receval compare (here are only values). Seed {diff.seed}."
        if "random" in diff.shown
        else ("Whether the difference is more than chance: receval compare.")
    )


def _number(value: float | None, places: int, *, sign: bool = False) -> str:
    """Return a number, with a plus if it is a positive difference."""
    text = numbers.number(value, places, rounded=sign)
    return f"+{text}" if sign and value is not None and value > 0 and text.strip("0.,") else text.replace("-", "−") if sign else text


def with_names(diff: ModelDiff, frame: pl.DataFrame) -> pl.DataFrame:
    """Return a frame with hashes instead of user ids, unless ids are to be shown."""
    if diff.shows_users or "user" not in frame.columns:
        return frame
    users = frame["user"]
    if not users.is_sorted() or (len(users) > 1 and bool((users == users.shift(1)).any())):  # users of a difference are in order, once each
        distinct = users.unique()
        return frame.with_columns(pl.col("user").replace_strict(distinct, _hashes(distinct), return_dtype=pl.String))
    return frame.with_columns(_hashes(users))


def _hashes(users: pl.Series) -> pl.Series:
    """Return the hash of each user; see `user_hash`."""
    return pl.Series(users.name, list(map(user_hash, users.cast(pl.String).to_list())), dtype=pl.String)


def user_table(diff: ModelDiff) -> pl.DataFrame:
    """Return every user with the relevant items as a list of records."""
    items = diff.contributions
    if not len(items.columns):
        return with_names(diff, diff.users)
    records = items.group_by("user", maintain_order=True).agg(pl.struct(pl.exclude("user")).alias("items"))
    if records["user"].equals(diff.users["user"]):  # usually each user has items, and a join is not needed
        return with_names(diff, diff.users.with_columns(records["items"]))
    return with_names(diff, diff.users.join(records, on="user", how="left", maintain_order="left"))


def user_rows(diff: ModelDiff) -> pl.DataFrame:
    """Return every user without items."""
    return with_names(diff, diff.users)


def cells(diff: ModelDiff) -> dict[str, Any]:
    """Return everything as plain values."""
    scalars = ("base", "model", "measure", "k", "p", "seed", "n_users", "n_only_base", "n_only_model", "n_filtered", "n_relevant")
    return {
        "format_version": FORMAT_VERSION,
        **{name: getattr(diff, name) for name in scalars},
        "filters": list(diff.filters),
        "measures": list(map(asdict, diff.measures)),
        "overlap": dict(diff.overlap),
        "missed": {kind: dict(getattr(diff.missed, kind)) for kind in diff.missed._fields},
        "notes": list(diff.notes),
        "titles": dict(sorted(diff.titles.items())),
        "shown": {order: _shown_cells(diff, shown) for order, shown in diff.shown.items()},
        "users": user_table(diff).to_dicts(),
    }


def _shown_cells(diff: ModelDiff, shown: ShownUsers) -> list[dict[str, Any]]:
    """Return the users of an order with both lists."""
    made = []
    for user in shown.users["user"].to_list():
        rows = shown.lists.filter(pl.col("user") == user)
        lists = {side: rows.filter(pl.col("side") == side).drop("user", "side").to_dicts() for side in (BASE, MODEL)}
        values = shown.users.filter(pl.col("user") == user).drop("user").to_dicts()[0]
        items = shown.items.filter(pl.col("user") == user).drop("user").to_dicts()
        made.append({"user": user if diff.shows_users else user_hash(user), **values, "lists": lists, "items": items})
    return made
