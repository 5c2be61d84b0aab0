"""T01 to T03, X01 and X02: odd rows of the test file, and users of it or of the lists whom the other one lacks."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from ..tables.part import EMPTY_TRUTH
from ..tables.truth import TEST, TestPairs, TruthTable
from .context import Context, Symptom, shared
from .part import ExaminedPart
from .registry import HealthCheck, check
from .tally import Least, Most, Tally


@check("T01", uses=("test_pairs",), per="files", policy="truth_duplicates")
class RepeatedPairs(HealthCheck):
    """Test rows that repeat a pair of user and item."""

    def tally(self, part: ExaminedPart) -> Tally:
        pairs: TestPairs = part.table("test_pairs")
        if not pairs.repeats:
            return Tally()
        again = np.bincount(pairs.row_pair)[pairs.row_pair] > 1
        frame = part.data.rows(TEST).frame.filter(pl.Series(again))
        return Tally.of(again=len(pairs.rows) - len(pairs), **part.notes(frame, "user", "item"))

    def finding(self, tally: Tally, context: Context) -> list[Symptom]:
        n, total = tally.count("again"), context.counts.count("test_rows")
        sentence = f"{shared(n, total, 'test rows')} repeat a pair of user and item that stands there already."
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
        sentence = f"{shared(n, total, 'test users')} have no relevant item."
        return self.symptom(context, sentence, n, total, examples=tally.examples("user"), rows=tally.rows())


@check("T03", per="files")
class OddGains(HealthCheck):
    """Ratings that are negative, fractional or all equal, where gains are made of them."""

    _KINDS = (("below", "below 0, and count as gains of 0"), ("fractional", "no whole numbers"))

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
            sentence = f"{shared(n, total, 'test ratings')} are {what}; the ratings are gains here."
            examples = tally.examples("user", "item", "rating", name=f"{name}_examples")
            symptoms += self.symptom(context, sentence, n, total, examples=examples, rows=tally.rows(f"{name}_rows"))
        if total > 1 and tally["least"].value == tally["most"].value:
            sentence = f"All {total:,} test ratings are {tally['least'].value:g}: a graded measure sees no grades."
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
        sentence = f"{shared(n, total, 'users with relevant items')} have no list, and {_treatment(context)}."
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
        sentence = f"{shared(n, total, 'users with a list')} do not stand in the test file."
        return self.symptom(context, sentence, n, total, examples=tally.examples("user"), rows=tally.rows())


def _treatment(context: Context) -> str:
    """What the first measure does with users who have relevant items and no list."""
    ledger = context.measured[0][0].ledger if context.measured and context.measured[0] else None
    if ledger is None or not ledger.filled_without_list:
        return "are left out"
    return "have no defined value" if context.definitions[0].user_rules.missing_lists == "undefined" else "count 0"
