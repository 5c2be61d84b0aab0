"""T01 to T03: what is odd in the test file."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from ..tables.truth import TEST, TestPairs, TruthTable
from .context import Context, Symptom
from .part import ExaminedPart
from .registry import HealthCheck, check
from .tally import Least, Most, Tally
from .wording import shared


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
