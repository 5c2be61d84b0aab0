"""R07, X11 and X12: listed items that nobody knows, hits of popular items, and items that are never recommended."""

from __future__ import annotations

import math

import numpy as np
import polars as pl

from ..tables.array import Array
from ..tables.list_rows import ListRows
from ..tables.prepared import Prepared
from .context import Context, Symptom
from .part import ExaminedPart
from .registry import HealthCheck, check
from .tally import DistinctIds, Marks, Tally
from .wording import several, shared


@check("R07", uses=("rows_as_stored", "item_counts"), policy="unknown_items")
class UnknownItems(HealthCheck):
    """Recommended items that neither train nor the items file holds."""

    def tally(self, part: ExaminedPart) -> Tally:
        rows: ListRows = part.table("rows_as_stored")
        unknown = ~np.append(part.prepared.in_train | part.prepared.in_catalogue, False)
        if not part.table("item_counts")[unknown].any():
            return Tally()
        frame = part.lists.frame.filter(pl.Series(unknown[rows.item_index]))
        return Tally.of(unknown=len(frame), items=DistinctIds.of(frame["item"].unique()), **part.notes(frame, "item"))

    def finding(self, tally: Tally, context: Context) -> list[Symptom]:
        n, total = tally.count("unknown"), context.counts.count("list_rows")
        n_items = len(tally["items"].ids) if n else 0
        which = f"one of {n_items:,} items" if n_items > 1 else "an item"
        sentence = f"{shared(n, total, 'recommended rows')} hold {which} that neither the train nor the items file knows."
        return self.symptom(context, sentence, n, total, examples=tally.examples("item"), rows=tally.rows())


@check("X11", uses=("rows_as_stored", "stored_hits", "item_counts"))
class PopularHits(HealthCheck):
    """Hits that are among the most popular items of train, and the lift of the lists.

    The lift is the mean popularity of what is recommended, divided by that of what train holds.
    """

    def tally(self, part: ExaminedPart) -> Tally:
        rows: ListRows = part.table("rows_as_stored")
        hits, _ = part.table("stored_hits")
        popular = np.append(_head(part.prepared, part.setting.limit("head")), False)[rows.item_index[hits]]
        popularity = int(part.table("item_counts")[:-1] @ part.prepared.train_rows.astype(np.int64))
        notes = part.notes(part.lists.frame[hits[popular]], "item")
        return Tally.of(hits=len(hits), popular=int(popular.sum()), popularity=popularity, **notes)

    def finding(self, tally: Tally, context: Context) -> list[Symptom]:
        n, n_hits = tally.count("popular"), tally.count("hits")
        if not n_hits:
            return []
        own = context.prepared.train_rows[context.prepared.in_train].astype(object)
        n_items, n_head = len(own), _size_of_head(len(own), context.limit(self.id, "head"))
        lift = (tally.count("popularity") / context.counts.count("list_rows")) / (int((own * own).sum()) / int(own.sum()))
        best = "most popular" if n_head == 1 else f"{n_head:,} most popular"
        lists = f"the lists are {lift:.2f} times as popular as train"
        sentence = f"{shared(n, n_hits, 'hits')} come from the {best} of {several(n_items, 'item')}; {lists}."
        return self.symptom(context, sentence, n, n_hits, examples=tally.examples("item"), details={"popularity_lift": lift})


@check("X12", uses=("item_counts",))
class NeverRecommended(HealthCheck):
    """Items of the catalogue that no list holds."""

    def tally(self, part: ExaminedPart) -> Tally:
        return Tally.of(listed=Marks(part.table("item_counts")[:-1] > 0))

    def finding(self, tally: Tally, context: Context) -> list[Symptom]:
        catalogue = context.prepared.in_catalogue
        never = np.flatnonzero(catalogue & ~tally["listed"].mask)
        n, total = len(never), int(catalogue.sum())
        items = pl.DataFrame({"item": context.prepared.items.ids.gather(never)})
        examples = [f"item {item}" for item in items["item"].head(5)]
        sentence = f"{shared(n, total, 'items of the catalogue')} are never recommended."
        return self.symptom(context, sentence, n, total, examples=examples, rows=items)


def _size_of_head(n_items: int, share: float) -> int:
    return max(1, math.ceil(share * n_items))


def _head(prepared: Prepared, share: float) -> Array:
    """For each item that is known before whether it is among the `share` of train's items with the most rows, the first by id."""
    key = ("head", share)
    if key not in prepared.memo:
        trained = np.flatnonzero(prepared.in_train)
        order = np.argsort(-prepared.train_rows[trained].astype(np.int64), kind="stable")
        mask = np.zeros(len(prepared.items), dtype=np.bool_)
        mask[trained[order[: _size_of_head(len(trained), share)]]] = True
        prepared.memo[key] = mask
    head: Array = prepared.memo[key]
    return head
