"""The data of the page that compares the lists of two models: compact, with safe texts, and without hidden ids of users."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final
from urllib.parse import urlsplit

import polars as pl
from msgspec import Struct, field
from msgspec.structs import replace

from ..results.model_diff import BASE, MODEL, RANDOM, REASONS, ModelDiff, SampledUsers
from ..stats.concluding import users_text
from ..support.quoting import on_one_line
from .model_diff import REASON_TEXTS, name_of

_LONGEST: Final = 160
"""Characters of an id, a title or a group; the rest is cut."""
_LONGEST_ADDRESS: Final = 2000
_SHARE: Final = 0.4
"""Share of losses, and of gains, in a part of a small data set."""
_MOST_GROUPS: Final = 50
"""Groups of a grouping; one with more is no filter."""
_RELEVANT, _IN_TRAIN, _COLD = 1, 2, 4
"""Marks of a row of a list, which are added."""


class PageSize(Struct, frozen=True):
    """The largest numbers of rows of a user: ranks of each list, relevant items, items of the history; all measures or only the main."""

    ranks: int
    relevant: int
    history: int
    has_all: bool


SIZES: Final = (
    PageSize(50, 200, 30, has_all=True),
    PageSize(20, 50, 20, has_all=True),
    PageSize(20, 30, 10, has_all=False),
    PageSize(10, 15, 5, has_all=False),
    PageSize(5, 5, 0, has_all=False),
)
"""From the largest; the first with which the page is small enough counts."""


def sample_text(diff: ModelDiff, sample: SampledUsers) -> str:
    """Say which users the page has: `1,000 of 943,000 users: the 400 largest losses, 400 largest gains, 200 at random`."""
    if not sample.n_losses + sample.n_gains + sample.n_random:
        return f"All {diff.n_users:,} users." if diff.n_users > 1 else "The only user."
    parts = [
        f"{n:,} {text}"
        for n, text in ((sample.n_losses, "largest losses"), (sample.n_gains, "largest gains"), (sample.n_random, "at random"))
        if n
    ]
    return f"{len(sample.users):,} of {users_text(diff.n_users)}: the {', '.join(parts)} (seed {diff.seed})."


def with_users(diff: ModelDiff, sample: SampledUsers, n: int) -> SampledUsers:
    """Return a sample of `n` of its users: the largest losses and gains in the shares of the sample, and the others at random.

    A sample of all users becomes two fifths losses, two fifths gains, and others at random.
    """
    shares = [sample.n_losses, sample.n_gains, sample.n_random]
    changes = sample.users[f"{diff.measure} difference"]
    losses, gains = (changes > 0, changes < 0) if diff.main.higher_is_better is False else (changes < 0, changes > 0)
    whole = sum(shares) or len(sample.users)
    wanted = shares[:2] if sum(shares) else [int(_SHARE * whole)] * 2
    n_losses, n_gains = (min(share * n // whole, int(of.sum())) for share, of in zip(wanted, (losses, gains), strict=True))
    first, last = sample.users.with_row_index("at"), len(sample.users) - n_gains
    others = first.slice(n_losses, last - n_losses).sort(RANDOM, "user").head(n - n_losses - n_gains)
    at = sorted([*range(n_losses), *others["at"].to_list(), *range(last, len(sample.users))])
    users = sample.users[at]
    ids = users.select("user")
    lists, items, history = (
        frame.join(ids, on="user", how="semi", maintain_order="left") for frame in (sample.lists, sample.items, sample.history)
    )
    groups = {name: tuple(of[index] for index in at) for name, of in sample.groups.items()}
    return replace(
        sample,
        users=users,
        lists=lists,
        items=items,
        history=history,
        n_losses=n_losses,
        n_gains=n_gains,
        n_random=len(others),
        groups=groups,
    )


def page_data(diff: ModelDiff, sample: SampledUsers, size: PageSize) -> dict[str, Any]:
    """Return what the script of the page shows: numbers in full precision, and items as indexes into a list."""
    items = _Items(sample)
    measures = [measure for measure in diff.measures if size.has_all or measure.measure == diff.measure]
    formulas = dict(zip((measure.measure for measure in diff.measures), sample.formulas, strict=True))
    lists, relevant, history = (_by_user(frame) for frame in (sample.lists, sample.items, sample.history))
    split = [measure.measure for measure in measures if measure.is_split]
    users = []
    for row in sample.users.iter_rows(named=True):
        id = row["user"]
        own = relevant.get(id, [])
        own.sort(key=lambda item_row: -abs(item_row.get(diff.measure, 0.0)))
        seen = history.get(id, [])
        users.append(
            {
                "name": text_of(name_of(diff, id)),
                "n": row["n_relevant"],
                "values": [[row[f"{measure.measure} {end}"] for end in (BASE, MODEL, "difference")] for measure in measures],
                "overlap": [row["overlap"], row["jaccard"], row["rbo"]],
                "lists": [_list_cells(items, lists.get(id, []), side, size.ranks) for side in (BASE, MODEL)],
                "relevant": [_relevant_cells(items, item_row, split) for item_row in own[: size.relevant]],
                "n_more": max(len(own) - size.relevant, 0),
                "history": [items.index(item_row["item"]) for item_row in seen[: size.history]],
                "n_history": len(seen),
            }
        )
    return {
        "base": text_of(diff.base),
        "model": text_of(diff.model),
        "main": [measure.measure for measure in measures].index(diff.measure),
        "k": diff.k,
        "has_train": diff.has_train,
        "measures": [
            {"name": measure.measure, "lower": measure.higher_is_better is False,
             "split": split.index(measure.measure) if measure.is_split else None,
             "formula": formulas[measure.measure].text, "k": formulas[measure.measure].k, "gain": formulas[measure.measure].gain}
            for measure in measures
        ],
        "reasons": [REASON_TEXTS[reason] for reason in REASONS],
        "groups": [
            {"name": text_of(name), "of": list(map(text_of, of))}
            for name, of in sample.groups.items() if 1 < len(set(of)) <= _MOST_GROUPS
        ],
        "users": users,
        "items": items.cells(),
    }  # fmt: skip


class _Items(Struct):
    """The items of a page, in the order in which they come up."""

    sample: SampledUsers
    at: dict[Any, int] = field(default_factory=dict)

    def index(self, item: Any) -> int:
        """Return the index of an item."""
        return self.at.setdefault(item, len(self.at))

    def cells(self) -> list[list[str]]:
        """Return the id, the title and the address of the picture of each item; those that it has not are left out at the end."""
        made = []
        for id in map(str, self.at):
            cells = [text_of(id), text_of(self.sample.titles.get(id, "")), picture_address(self.sample.pictures.get(id, ""))]
            made.append(cells if cells[2] else cells[:2] if cells[1] else cells[:1])
        return made


def text_of(text: str) -> str:
    """Return a text of the data on one line, with visible control characters, and not too long."""
    safe = on_one_line(str(text)[: _LONGEST + 1])
    return safe if len(safe) <= _LONGEST else f"{safe[: _LONGEST - 1]}…"


def picture_address(text: str) -> str:
    """Return an address that a page may show as a picture, of the web only; otherwise nothing."""
    try:
        parts = urlsplit(text.strip())
    except ValueError:
        return ""
    is_web = parts.scheme in ("http", "https") and parts.netloc and len(text) <= _LONGEST_ADDRESS
    return on_one_line(text.strip()) if is_web else ""


def _by_user(frame: pl.DataFrame) -> dict[Any, list[dict[str, Any]]]:
    return {user: of_user.to_dicts() for (user,), of_user in frame.partition_by("user", as_dict=True, maintain_order=True).items()}


def _list_cells(items: _Items, rows: Iterable[Mapping[str, Any]], side: str, most: int) -> list[list[int]]:
    """Return rows of a list: rank, item, rank in the other list (0: not listed) and marks."""
    return [
        [
            row["rank"],
            items.index(row["item"]),
            row["other_rank"] or 0,
            row["relevant"] * _RELEVANT + row["in_train"] * _IN_TRAIN + row["cold"] * _COLD,
        ]
        for row in rows
        if row["side"] == side and row["rank"] <= most
    ]


def _relevant_cells(items: _Items, row: Mapping[str, Any], split: Iterable[str]) -> list[Any]:
    """Return a relevant item: its index, grade, both ranks (0: not listed), both reasons, and what it adds to each difference."""
    ranks = (row[f"{side} rank"] or 0 for side in (BASE, MODEL))
    reasons = (REASONS.index(row[f"{side} reason"]) for side in (BASE, MODEL))
    return [items.index(row["item"]), row["gain"], *ranks, *reasons, *(row[measure] or 0 for measure in split)]
