"""X05, X06 and X10: what train holds already of lists and test, and what of test it does not hold."""

from __future__ import annotations

import numpy as np
import polars as pl

from ..tables.array import Array
from ..tables.truth import TEST
from .context import Context, Symptom
from .part import ExaminedPart
from .registry import HealthCheck, check
from .tally import DistinctIds, Tally
from .wording import several, shared

TRAIN = "train"


@check("X05", uses=("rows_as_stored", "stored_hits", "stored_seen"), policy="seen_items")
class ItemsSeenInTrain(HealthCheck):
    """Recommended items that train holds for the user, and the share of hits that they are."""

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
        due = f"; they make {shared(tally.count('seen_hits'), n_hits, 'hits')}" if n_hits else ""
        users = several(tally.count("users"), "user")
        sentence = f"{shared(n, total, 'recommended rows')} are items that train holds for the user, for {users}{due}."
        return self.symptom(context, sentence, n, total, examples=tally.examples("user", "item"), rows=tally.rows())


@check("X06", per="files")
class TestPairsInTrain(HealthCheck):
    """Test rows whose pair of user and item train holds too."""

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
        sentence = f"{shared(n, total, 'test rows')} are pairs that train holds too."
        return self.symptom(context, sentence, n, total, examples=tally.examples("user", "item"), rows=tally.rows())


@check("X10", per="files")
class ColdTest(HealthCheck):
    """Users and items of the test file that train does not hold."""

    def tally(self, part: ExaminedPart) -> Tally:
        test, prepared = part.data.rows(TEST), part.prepared
        cold = (test.counts > 0) & (part.data.rows(TRAIN).counts == 0)
        users = part.users(cold)
        noted = {f"user_{key}": value for key, value in users.items()}
        items = test.frame["item"].unique()
        strange = ~np.append(prepared.in_train, False)[prepared.items.index_of(items)]
        strange_items = items.filter(pl.Series(strange))
        noted |= {"items": DistinctIds.of(items), "cold_items": DistinctIds.of(strange_items)}
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
            share = shared(n_of_rows, n_rows, "test rows")
            sentence = f"{shared(n, total, f'test {column}s')} are cold, train does not hold them: {share}."
            symptoms += self.symptom(context, sentence, n, total, examples=examples[column], rows=rows[column])
        return symptoms
