"""R08 and R10: lists that are the same for many users, and lists that look like sampled candidates."""

from __future__ import annotations

from typing import Final

import numpy as np
import polars as pl
from msgspec import Struct

from ..tables.array import Array
from ..tables.ids import gathered
from ..tables.truth import TruthTable
from .context import Context, Symptom
from .part import ExaminedPart
from .registry import HealthCheck, check
from .tally import Least, Most, Tally
from .wording import shared

_FEW_ITEMS: Final = 20
"""Lists shorter than this are not taken for sampled candidates."""


class Signatures(Struct, frozen=True, eq=False):
    """The users with a list, and of each list the number of rows and a sum of item hashes that lists of the same items share.

    Two lists of different items have the same sum of 64 bits by a rare accident only.
    """

    users: tuple[pl.Series, ...]
    lengths: tuple[Array, ...]
    sums: tuple[Array, ...]

    def __add__(self, other: Signatures) -> Signatures:
        return Signatures(self.users + other.users, self.lengths + other.lengths, self.sums + other.sums)

    def frame(self) -> pl.DataFrame:
        """`user n_recommended sum`."""
        return pl.DataFrame(
            {"user": pl.concat(self.users), "n_recommended": np.concatenate(self.lengths), "sum": np.concatenate(self.sums)}
        )


@check("R08", uses=("item_hashes",))
class SameLists(HealthCheck):
    """Users whose lists hold the same items."""

    def tally(self, part: ExaminedPart) -> Tally:
        listed = np.flatnonzero(part.lists.counts)
        if not len(listed):
            return Tally()
        sums = np.add.reduceat(part.table("item_hashes"), part.lists.starts[listed])
        return Tally.of(lists=Signatures((gathered(part.data.users, listed),), (part.lists.counts[listed],), (sums,)))

    def finding(self, tally: Tally, context: Context) -> list[Symptom]:
        if "lists" not in tally:
            return []
        lists = tally["lists"].frame()
        if lists["sum"].n_unique() == len(lists):
            return []
        groups = lists.group_by("n_recommended", "sum").agg(users=pl.len())
        most = int(groups["users"].to_numpy().max())
        if most < 2:
            return []
        largest = groups.filter(pl.col("users") == most)
        same = lists.join(largest, on=["n_recommended", "sum"], how="semi").select("user", "n_recommended").sort("user")
        examples = [f"user {user}" for user in same["user"].head(5)]
        sentence = f"{shared(most, context.n_lists, 'users')} have the same items in their list."
        return self.symptom(context, sentence, most, context.n_lists, examples=examples, rows=same)


@check("R10", uses=("stored_hits", "truth_table"))
class SampledCandidates(HealthCheck):
    """Lists that are all of one size, with nearly every relevant item inside."""

    def tally(self, part: ExaminedPart) -> Tally:
        lengths = part.lists.counts
        listed = lengths > 0
        if not listed.any():
            return Tally()
        least, most = int(lengths[listed].min()), int(lengths.max())
        numbers = {"least": Least(least), "most": Most(most)}
        if least != most or most < _FEW_ITEMS:
            return Tally.of(**numbers)
        truth: TruthTable = part.table("truth_table")
        _, pair = part.table("stored_hits")
        relevant = int((truth.relevant & listed[truth.pairs.user]).sum())
        inside = np.zeros(len(truth.pairs), dtype=np.bool_)
        inside[pair] = True
        return Tally.of(**numbers, inside=int(inside.sum()), relevant=relevant, **part.users(listed, n_recommended=lengths))

    def finding(self, tally: Tally, context: Context) -> list[Symptom]:
        inside, relevant = tally.count("inside"), tally.count("relevant")
        if not relevant or tally["least"].value != tally["most"].value or inside < context.limit(self.id, "min_inside") * relevant:
            return []
        size, prepared = int(tally["most"].value), context.prepared
        if "catalogue" in context.available and 2 * size > int((prepared.in_train | prepared.in_catalogue).sum()):
            return []  # the lists hold most of the catalogue
        held = shared(inside, relevant, "relevant items")
        sentence = f"All lists have {size:,} rows, and {held} are in them: they look like candidates that were sampled around the truth."
        n = context.n_lists
        return self.symptom(context, sentence, n, n, examples=tally.examples("user"), rows=tally.rows())
