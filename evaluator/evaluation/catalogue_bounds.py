"""Counted ranks of a model → the bounds of its values over the whole catalogue."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from msgspec.structs import replace

from ..config.evaluation_keys import CandidatesConfig
from ..results.catalogue_bounds import CatalogueBounds, MeasureBounds
from ..results.row import Row
from ..scoring.sampled_ranks import RankCounts
from ..scoring.task import BOUNDED, is_bounded
from ..stats.catalogue_bounds import MOST_SAMPLED, Band, Floats, Images, solver, worth_of
from .models import EvaluatedModel

LEVEL = 0.95
"""The share of draws in which the bounds of all models of a run hold together."""
_MOST_ITEMS = 1.5
"""So many times as many different items as the catalogue has cannot be, even if items that a user knows are not among the candidates."""
_DIGITS = 1e4
"""Bounds are rounded outwards to four decimals, so that versions of the solver give the same."""


class Bounding:
    """Bounds the values of the models of a run, which share distributions of ranks."""

    def __init__(self, config: CandidatesConfig, n_models: int) -> None:
        """Raise `MissingExtraError` without a solver, before anything is evaluated."""
        solver()
        self._config, self._n_models, self._images = config, n_models, dict[tuple[int, bool], Images]()

    def bounds(self, model: EvaluatedModel, counts: RankCounts) -> CatalogueBounds:
        """Return the bounds of a model, or the reason why it has none."""
        sizes, numbers, config = counts.sizes, counts.numbers, self._config
        sampled = config.sampled or max(sizes, default=1) - 1
        made = CatalogueBounds(
            sampled,
            config.catalogue,
            config.replacement,
            LEVEL,
            self._n_models,
            counts.n_users,
            lacking=numbers["lacking"],
            tied=numbers["tied"],
            unlisted=numbers["unlisted"],
            n_items=len(counts.items),
        )
        refused = self._refused(counts, sampled)
        if refused:
            return replace(made, refused=refused)
        first, last = (_histogram(ranks, sampled + 1) for ranks in (counts.first, counts.last))
        first[0] += made.lacking
        last[-1] += made.lacking
        band = Band.around(first, last, 1 - (1 - LEVEL) / self._n_models)
        rows = {index: row for index, rows in enumerate(model.finished.rows) for row in rows if row.aggregate == "mean"}
        shown = {index: row for index, row in rows.items() if model.plan.definitions[index] in model.plan.shown}
        left_out = {
            definition.label: reason
            for index, definition in enumerate(model.plan.definitions)
            if definition in model.plan.shown and (reason := _left_out(index, model, counts, shown))
        }
        values, not_falling = [], False
        is_exact = not (made.lacking or made.tied)  # then no rank in the catalogue is before that among the candidates
        for index, row in shown.items():
            if row.label in left_out or row.value is None:
                continue
            definition = model.plan.definitions[index]
            assert definition.k is not None
            worth, share = worth_of(definition.metric.name, definition.k), counts.n_users / counts.counted[index]
            plain = self._of(sampled, False).bounds(band, worth)
            if plain is None:
                return replace(made, refused=_IMPOSSIBLE.format(sampled=sampled, catalogue=config.catalogue))
            falling = self._of(sampled, True).bounds(band, worth) if config.density == "falling" and not not_falling else None
            not_falling = config.density == "falling" and falling is None
            values.append(_rounded(row, share, plain, falling, row.value if is_exact else 1.0))
        return replace(made, values=tuple(values), left_out=left_out, not_falling=not_falling)

    def _of(self, sampled: int, falling: bool) -> Images:
        """Return the images of all ranks, computed once for all models."""
        if (sampled, falling) not in self._images:
            self._images[sampled, falling] = Images(sampled, self._config.catalogue, self._config.replacement, falling)
        return self._images[sampled, falling]

    def _refused(self, counts: RankCounts, sampled: int) -> str:
        """Return why a model has no bounds; empty if it has some."""
        sizes, numbers, config = counts.sizes, counts.numbers, self._config
        n, ranked = counts.n_users, counts.n_users + numbers["several"]
        if numbers["several"]:
            return (
                f"{numbers['several']:,} of {ranked:,} users have more than one relevant item, and bounds are for one: "
                "give a test set with one row per user"
            )
        if not sizes:
            return "no list has a relevant item"
        if len(sizes) > 1:
            repeats = ", repeats included (evaluation.policy.duplicates: unique_hits)" if config.replacement else ""
            return f"the lists have from {min(sizes):,} to {max(sizes):,} items: give all candidates of each user{repeats}"
        (size,) = sizes
        if size == 1:
            return "the lists have only the relevant item"
        cut = "if lists were cut, give all candidates of each user; " if size <= sampled or config.sampled is None else ""
        hint = f": {cut}if {size - 1:,} items were sampled for each user, set evaluation.candidates.sampled: {size - 1}"
        if config.sampled is None and numbers["lacking"]:
            return f"{numbers['lacking']:,} of {n:,} lists do not have the relevant item, so their items may be no sample{hint}"
        if size != sampled + 1:
            return f"the lists have {size:,} items, not {sampled + 1:,} (the relevant item and {sampled:,} sampled ones){hint}"
        if len(counts.items) > _MOST_ITEMS * config.catalogue:
            return f"the lists have {len(counts.items):,} different items, and evaluation.candidates.catalogue is {config.catalogue:,}"
        if sampled > MOST_SAMPLED:
            return f"{sampled:,} items were sampled, and bounds are for {MOST_SAMPLED:,} at most"
        if sampled >= config.catalogue and not config.replacement:
            return f"{sampled:,} items cannot be sampled from a catalogue of {config.catalogue:,} without the relevant one"
        return ""


_IMPOSSIBLE = (
    "no true ranks explain the ranks among {sampled:,} items that are sampled uniformly from {catalogue:,}: check "
    "evaluation.candidates, and how items were sampled"
)


def _left_out(index: int, model: EvaluatedModel, counts: RankCounts, rows: Mapping[int, Row]) -> str:
    """Return why a measure has no bounds; empty if it has some."""
    definition = model.plan.definitions[index]
    if not is_bounded(definition):
        return f"only {', '.join(BOUNDED[:-1])} and {BOUNDED[-1]} with a cut-off have bounds"
    if index not in rows:
        return "it is not a mean over users"
    if counts.other[index]:
        return f"its settings give {counts.other[index]:,} users another value than its formula for one relevant item"
    return ""


def _histogram(ranks: Mapping[int, int], size: int) -> Floats:
    counts = np.zeros(size)
    for rank, n in ranks.items():
        counts[rank - 1] += n
    return counts


def _rounded(row: Row, share: float, plain: tuple[float, float], falling: tuple[float, float] | None, greatest: float) -> MeasureBounds:
    """Return the bounds of a measure in which this share of users has a list; the others count 0, and no value is above `greatest`."""
    assert row.value is not None
    low, high = _outwards(share, plain, greatest)
    return MeasureBounds(row.label, row.value, min(low, high), high, None if falling is None else _outwards(share, falling))


def _outwards(share: float, bounds: tuple[float, float], greatest: float = 1.0) -> tuple[float, float]:
    low, high = (share * bound * _DIGITS for bound in bounds)
    return math.floor(low) / _DIGITS, math.ceil(min(high, greatest * _DIGITS)) / _DIGITS
