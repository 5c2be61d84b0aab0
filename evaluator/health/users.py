"""X01 and X02: users whom one of the test file and the lists has and the other has not."""

from __future__ import annotations

from ..tables.part import EMPTY_TRUTH
from ..tables.truth import TEST, TruthTable
from .context import Context, Symptom
from .part import ExaminedPart
from .registry import HealthCheck, check
from .tally import Tally
from .wording import shared


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
