"""Choices of lists and of truth that have the same tables for a part."""

from __future__ import annotations

from functools import cached_property

from msgspec.structs import replace

from ..conventions.axis import Lists, Truth
from ..support.lazy import np
from .array import Array
from .graph import Tables
from .lists import ListRows, has_id_of_user, ranks_are_of_file, tie_key
from .prepared import Prepared
from .rows import PartData, number_rows, within_users
from .truth import TestPairs

_BY_RANK = Lists("rank", "file", "float64", "keep_all", "keep", "keep")


class Canonical:
    """Map from choices of lists and of truth to the first choice with the same tables for a part."""

    def __init__(self, prepared: Prepared, part: PartData, tables: Tables) -> None:
        self._prepared, self._part, self._tables = prepared, part, tables
        self._lists: dict[Lists, Lists] = {}
        self._truths: dict[Truth, Truth] = {}
        self._unknowns = {"keep": "keep"}
        self._orders: list[tuple[Lists, Array | None]] = []

    def lists(self, choice: Lists) -> Lists:
        """Return the first choice of lists with the same tables as `choice`."""
        if choice not in self._lists:
            self._lists[choice] = self._canonical_lists(choice)
        return self._lists[choice]

    def _canonical_lists(self, choice: Lists) -> Lists:
        rows: ListRows = self._tables.get("rows_as_stored")
        duplicates = choice.duplicates if rows.repeats else "keep_all"
        seen = choice.seen if choice.seen != "keep" and "train" in self._part and self._some_seen else "keep"
        unknown = self._unknown(choice.unknown) if len(self._prepared.items) else "keep"
        leaves_out = choice.drops_identical or (seen, unknown) != ("keep", "keep")
        may_move_up = leaves_out or duplicates not in ("unique_hits", "keep_all", "keep_all_as_relevant")
        keeps_ranks = ranks_are_of_file(rows, choice) and (may_move_up or self._has_gaps(rows))
        simplest = replace(
            choice,
            duplicates=duplicates,
            seen=seen,
            unknown=unknown,
            keeps_ranks=keeps_ranks,
            hit_scores=choice.hit_scores if self._some_not_positive else "any",
            drops_identical=choice.drops_identical and self._some_identical,
        )
        if simplest.tied_rank and duplicates == "keep_all" and not simplest.leaves_out and not self._has_ties(simplest):
            return self.lists(replace(simplest, tied_rank=""))
        if duplicates in ("keep_last_row", "sum_scores") or keeps_ranks or simplest.judges_ties or simplest.hit_scores != "any":
            return simplest
        order = rows.order_by(choice)
        for other, other_order in self._orders:
            if _same(order, other_order):
                return replace(simplest, order=other.order, ties=other.ties, score_type=other.score_type)
        self._orders.append((simplest, order))
        return simplest

    def _has_ties(self, choice: Lists) -> bool:
        """Return whether items of a list are equal in the column that orders the list."""
        rows: ListRows = self._tables.get("rows_as_stored")
        order, column = rows.order_by(choice), tie_key(rows.rows, choice)
        key = np.asarray(rows.key(column)) if column else np.arange(len(rows.user))
        key = key if order is None else key[order]
        return bool(within_users(key[1:] == key[:-1], rows.rows.starts).any())

    @cached_property
    def _some_seen(self) -> bool:
        """Return whether an item is in the user's train rows."""
        rows: ListRows = self._tables.get("rows_as_stored")
        return bool(rows.seen(self._part).any())

    def _unknown(self, rule: str) -> str:
        """Return the first rule for unknown items that removes the same items: `keep` if none does."""
        if rule not in self._unknowns:
            rows: ListRows = self._tables.get("rows_as_stored")
            gone = {choice: rows.unknown(choice) for choice in ("drop_and_refill", "drop_and_refill_untrained")}
            whole, own = gone["drop_and_refill"], gone.get(rule, gone["drop_and_refill"])
            same = own is not None and whole is not None and np.array_equal(own, whole)
            simplest = "drop_and_refill" if same and rule != "drop" else rule
            self._unknowns[rule] = "keep" if rule == "keep" or own is None or not own.any() else simplest
        return self._unknowns[rule]

    @cached_property
    def _some_not_positive(self) -> bool:
        """Return whether a score is not above 0."""
        rows: ListRows = self._tables.get("rows_as_stored")
        return "score" in rows.rows and not (rows.rows.column("score") > 0).all()

    @cached_property
    def _some_identical(self) -> bool:
        """Return whether an item has the id of its user."""
        rows: ListRows = self._tables.get("rows_as_stored")
        return bool(has_id_of_user(rows.user, rows.rows.item, self._part).any())

    def _has_gaps(self, rows: ListRows) -> bool:
        """Return whether the ranks of a list have gaps or ties."""
        written = np.asarray(rows.rows.column("position"))
        rank = written if (order := rows.order_by(_BY_RANK)) is None else written[order]
        return not np.array_equal(rank, number_rows(rows.user, rows.rows.n_users, rows.rows.starts))

    def truth(self, choice: Truth) -> Truth:
        """Return the first choice of truth with the same tables as `choice`."""
        if choice not in self._truths:
            self._truths[choice] = self._canonical_truth(choice)
        return self._truths[choice]

    def _canonical_truth(self, choice: Truth) -> Truth:
        pairs: TestPairs = self._tables.get("test_pairs")
        if not self._prepared.sources & {"train", "items"}:
            choice = replace(choice, filter="none")
        if not pairs.repeats:
            choice = replace(choice, duplicates="best")
        if pairs.rating is None:
            duplicates = choice.duplicates if "row" in choice.duplicates else "best"
            return replace(choice, rule="all_rows", threshold=None, graded=False, duplicates=duplicates, gains=())
        return replace(choice, rule="all_rows") if choice.threshold is not None else choice


def _same(order: Array | None, other: Array | None) -> bool:
    if order is None or other is None:
        return order is other
    return order is other or np.array_equal(order, other)
