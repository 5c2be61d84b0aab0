"""Checks of the rows of files: R02 and X16, T01 to T03, X01 and X02, and comparisons with train: X05, X06 and X10."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import polars as pl

from ..tables.array import Array
from ..tables.rows import EMPTY_TRUTH
from ..tables.truth import TEST, TestPairs, TruthTable
from .checker import Context, HealthCheck, Symptom, check, count_text, share_text
from .examined import ExaminedPart
from .tallies import DistinctIds, KeptRows, Least, Most, Tally


@check("X16", wants=("twins",))
class SameFile(HealthCheck):
    """Lists of a model with the same bytes as the lists of a model before it, or as the test or the train file."""

    def finding(self, tally: Tally, context: Context) -> list[Symptom]:
        own, others = context.sources["lists"].role, " and ".join(context.twins)
        n = len(context.twins)
        return self.symptom(context, f"The file is identical, byte for byte, to that of {others}.", n, n, examples=(own, *context.twins))


@check("R02", wants=("faulty_rows",))
class RowsWithFaults(HealthCheck):
    """Rows that were left out; parts no longer have them, so there is no tally."""

    def finding(self, tally: Tally, context: Context) -> list[Symptom]:
        symptoms: list[Symptom] = []
        for fault in context.faults:
            share = share_text(fault.count, fault.total, f"rows of {fault.role}")
            first = f"the first: {fault.places[0]}"
            rows = None if fault.rows is None else KeptRows((fault.rows,)).frame()
            sentence = f"{share} lack a value or contain a number that is not finite, and are left out; {first}."
            symptoms += self.symptom(
                context,
                sentence,
                fault.count,
                fault.total,
                examples=fault.places,
                rows=rows,
                model=fault.model,
                severity="warn" if fault.by_policy else None,  # whoever asks to leave such rows out knows of them
            )
        return symptoms


TRAIN = "train"


@check("X05", uses=("rows_as_stored", "stored_hits", "stored_seen"), policy="seen_items")
class ItemsSeenInTrain(HealthCheck):
    """Recommended items that are in the user's train rows, and their share of the hits."""

    def tally(self, part: ExaminedPart) -> Tally:
        seen: Array = part.table("stored_seen")
        hits, _ = part.table("stored_hits")
        numbers = {"hits": len(hits)}
        if not seen.any():
            return Tally.of(**numbers)
        numbers |= {"seen": int(seen.sum()), "users": len(np.unique(part.lists.user[seen])), "seen_hits": int(seen[hits].sum())}
        return Tally.of(**numbers, **part.notes(part.lists.frame.filter(pl.Series(seen)), "user", "item"))

    def finding(self, tally: Tally, context: Context) -> list[Symptom]:
        n, total, n_hits = tally.count("seen"), context.counts.count("list_rows"), tally.count("hits")
        due = f"; {share_text(tally.count('seen_hits'), n_hits, 'hits at any rank')} are among them" if n_hits else ""
        users = count_text(tally.count("users"), "user")
        sentence = f"{share_text(n, total, 'recommended rows')} are already in train for the same user, for {users}{due}."
        return self.symptom(context, sentence, n, total, examples=tally.examples("user", "item"), rows=tally.rows())


@check("X06", per="files")
class TestPairsInTrain(HealthCheck):
    """Test rows whose user-item pair is also in train."""

    __test__ = False

    def tally(self, part: ExaminedPart) -> Tally:
        data = part.data
        both = np.zeros(len(data.rows(TEST)), dtype=np.bool_)
        both[data.lookup_of_train.find(data.pairs[TEST])[0]] = True
        if not both.any():
            return Tally()
        return Tally.of(both=int(both.sum()), **part.notes(data.rows(TEST).frame.filter(pl.Series(both)), "user", "item"))

    def finding(self, tally: Tally, context: Context) -> list[Symptom]:
        n, total = tally.count("both"), context.counts.count("test_rows")
        sentence = f"{share_text(n, total, 'test rows')} are also in train."
        return self.symptom(context, sentence, n, total, examples=tally.examples("user", "item"), rows=tally.rows())


@check("X10", per="files")
class ColdTest(HealthCheck):
    """Users and items of the test file that are not in train."""

    def tally(self, part: ExaminedPart) -> Tally:
        test, prepared = part.data.rows(TEST), part.prepared
        cold = (test.counts > 0) & (part.data.rows(TRAIN).counts == 0)
        users = part.users(cold)
        noted = {f"user_{key}": value for key, value in users.items()}
        items = test.frame["item"].unique()
        strange = ~np.append(prepared.in_train, False)[prepared.items.index_of(items)]
        strange_items = items.filter(pl.Series(strange))
        noted |= {"items": DistinctIds.from_ids(items), "cold_items": DistinctIds.from_ids(strange_items)}
        noted["item_rows"] = int(test.item.is_in(strange_items.implode()).sum()) if len(strange_items) else 0
        return Tally.of(**noted, users=int(cold.sum()), user_row_count=int(test.counts[cold].sum()))

    def finding(self, tally: Tally, context: Context) -> list[Symptom]:
        n_rows = context.counts.count("test_rows")
        items = tally["cold_items"].ids
        cold = {
            "user": (tally.count("users"), context.counts.count("test_users"), tally.count("user_row_count")),
            "item": (len(items), len(tally["items"].ids), tally.count("item_rows")),
        }
        examples = {"user": tally.examples("user", name="user_examples"), "item": [f"item {item}" for item in items.head(5)]}
        rows = {"user": tally.rows("user_rows"), "item": pl.DataFrame({"item": items})}
        symptoms: list[Symptom] = []
        for column, (n, total, n_of_rows) in cold.items():
            share = share_text(n_of_rows, n_rows, "test rows")
            sentence = f"{share_text(n, total, f'test {column}s')} are cold (not in train): {share}."
            symptoms += self.symptom(context, sentence, n, total, examples=examples[column], rows=rows[column])
        return symptoms


@check("T01", uses=("test_pairs",), per="files", policy="truth_duplicates")
class RepeatedPairs(HealthCheck):
    """Test rows that repeat a user-item pair."""

    def tally(self, part: ExaminedPart) -> Tally:
        pairs: TestPairs = part.table("test_pairs")
        if not pairs.repeats:
            return Tally()
        frame, row_pair = part.data.rows(TEST).frame, pairs.row_pair
        if column := part.prepared.test_categories:  # rows of a pair with different categories repeat nothing
            category = frame[column].fill_null("").rank("dense").to_numpy().astype(np.int64)
            _, row_pair = np.unique(row_pair * (len(frame) + 1) + category, return_inverse=True)
        counts = np.bincount(row_pair)
        return Tally.of(
            again=len(frame) - int((counts > 0).sum()), **part.notes(frame.filter(pl.Series(counts[row_pair] > 1)), "user", "item")
        )

    def finding(self, tally: Tally, context: Context) -> list[Symptom]:
        n, total = tally.count("again"), context.counts.count("test_rows")
        sentence = f"{share_text(n, total, 'test rows')} repeat a user-item pair."
        return self.symptom(context, sentence, n, total, examples=tally.examples("user", "item"), rows=tally.rows())


@check("T02", uses=("truth_table",), per="files", policy="no_relevant")
class NothingRelevant(HealthCheck):
    """Users of the test file without a relevant item."""

    def tally(self, part: ExaminedPart) -> Tally:
        truth: TruthTable = part.table("truth_table")
        without = (part.data.rows(TEST).counts > 0) & (truth.n_relevant == 0)
        return Tally.of(users=int(without.sum()), **part.users(without))

    def finding(self, tally: Tally, context: Context) -> list[Symptom]:
        n, total = tally.count("users"), context.counts.count("test_users")
        sentence = f"{share_text(n, total, 'test users')} have no relevant item."
        return self.symptom(context, sentence, n, total, examples=tally.examples("user"), rows=tally.rows())


_WHOLE_GRADES: Final = frozenset({"ranx"})
"""Conventions of libraries that cut the fractions of ratings."""


@check("T03", per="files")
class OddGains(HealthCheck):
    """Ratings that are negative, fractional or all equal, if they are used as gains."""

    _KINDS = (("below", "below 0, and count as gains of 0"), ("fractional", "not whole numbers"))

    def tally(self, part: ExaminedPart) -> Tally:
        frame = part.data.rows(TEST).frame
        if not len(frame):
            return Tally()
        rating = frame["rating"].cast(pl.Float64).to_numpy()
        noted: dict[str, Any] = {"least": Least(float(rating.min())), "most": Most(float(rating.max()))}
        for (name, _), mask in zip(self._KINDS, (rating < 0, rating != np.round(rating)), strict=True):
            if mask.any():
                notes = part.notes(frame.filter(pl.Series(mask)), "user", "item", "rating")
                noted |= {name: int(mask.sum()), **{f"{name}_{key}": value for key, value in notes.items()}}
        return Tally.of(**noted)

    def finding(self, tally: Tally, context: Context) -> list[Symptom]:
        total = context.counts.count("test_rows")
        symptoms: list[Symptom] = []
        for name, what in self._KINDS:
            n = tally.count(name)
            sentence = f"{share_text(n, total, 'test ratings')} are {what}; the ratings are gains here."
            cutting = sorted({definition.convention for definition in context.definitions if definition.truth.graded} & _WHOLE_GRADES)
            if name == "fractional" and cutting:
                sentence += f" {cutting[0]} takes whole grades only, and cuts 4.5 to 4; receval does not, so its values differ."
            examples = tally.examples("user", "item", "rating", name=f"{name}_examples")
            symptoms += self.symptom(context, sentence, n, total, examples=examples, rows=tally.rows(f"{name}_rows"))
        if total > 1 and tally["least"].value == tally["most"].value:
            sentence = f"All {total:,} test ratings are {tally['least'].value:g}: graded measures then have only one grade."
            symptoms += self.symptom(context, sentence, total, total)
        return symptoms


@check("X01", uses=("truth_table",), policy="missing_lists")
class WithoutList(HealthCheck):
    """Users with relevant items and no list."""

    def tally(self, part: ExaminedPart) -> Tally:
        truth: TruthTable = part.table("truth_table")
        relevant = truth.n_relevant > 0
        without = relevant & (part.lists.counts == 0)
        return Tally.of(without=int(without.sum()), relevant=int(relevant.sum()), **part.users(without))

    def finding(self, tally: Tally, context: Context) -> list[Symptom]:
        n, total = tally.count("without"), tally.count("relevant")
        sentence = f"{share_text(n, total, 'users with relevant items')} have no list, and {_treatment(context)}."
        return self.symptom(context, sentence, n, total, examples=tally.examples("user"), rows=tally.rows())


@check("X02", policy="no_truth")
class WithoutTest(HealthCheck):
    """Users with a list and no row of the test file."""

    def tally(self, part: ExaminedPart) -> Tally:
        tested = part.data.rows(TEST).counts + (part.data.rows(EMPTY_TRUTH).counts if EMPTY_TRUTH in part.data else 0)
        strangers = (part.lists.counts > 0) & (tested == 0)
        return Tally.of(strangers=int(strangers.sum()), **part.users(strangers))

    def finding(self, tally: Tally, context: Context) -> list[Symptom]:
        n, total = tally.count("strangers"), context.n_lists
        sentence = f"{share_text(n, total, 'users with a list')} are not in the test file."
        return self.symptom(context, sentence, n, total, examples=tally.examples("user"), rows=tally.rows())


def _treatment(context: Context) -> str:
    """Return what the first measure does with users who have relevant items and no list."""
    ledger = context.rows_by_measure[0][0].ledger if context.rows_by_measure and context.rows_by_measure[0] else None
    if ledger is None or not ledger.filled_without_list:
        return "are left out"
    return "have no defined value" if context.definitions[0].user_rules.missing_lists == "undefined" else "count 0"
