"""The check of measures under exposure, X17: how many relevant items decide a value."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..metrics.propensity import POPULARITY, settings_of
from ..results.row import listed
from ..scoring.partial import MomentTable
from ..tables.rows import Rows
from .checker import Context, HealthCheck, Symptom, check, count_text
from .examined import ExaminedPart
from .tallies import Tally


class EffectiveSize(NamedTuple):
    """The relevant items and users in a value, and the number of items of equal weight that is as good: with propensities, and without.

    `no_train` is the number of its relevant items without train rows, if propensities follow from them.
    """

    n_items: int
    n_users: int
    effective: float
    unweighted: float
    no_train: int
    pooled: bool

    @classmethod
    def from_moments(cls, table: MomentTable, pooled: bool) -> EffectiveSize:
        """Return the numbers from the sums over users of a tally."""
        n, total, squares, in_mean, equal_in_mean, no_train = (table.measure(index).total for index in range(6))
        n_users = table.measure(0).n
        if not n_users:
            return cls(0, 0, 0.0, 0.0, 0, pooled)
        pair = (total**2 / squares, n) if pooled else (n_users**2 / in_mean, n_users**2 / equal_in_mean)
        return cls(int(n), n_users, float(pair[0]), float(pair[1]), int(no_train), pooled)


@check("X17", uses=("ips_relevant", "ips_weights"), per="files")
class FewItemsDecide(HealthCheck):
    """Inverse propensities under which the relevant items count like few of equal weight.

    The number is the effective sample size of Kish, (Σ v)²/Σ v², over the weights v of all relevant items in the value: w/Σw of its user
    in a mean over users, w if it is pooled. The share is that of the same number with equal w.
    """

    def tally(self, part: ExaminedPart) -> Tally:
        tables: dict[str, MomentTable] = {}
        for index, definition in enumerate(part.definitions):
            if "ips_relevant" not in definition.tables or definition.spec.title in tables:
                continue
            settings = settings_of(definition.params, str(definition.axes["truth_duplicates"]))
            relevant: Rows = part.table_of(definition, "ips_relevant", **settings)
            weights = relevant["weight"]
            above_equal = part.table_of(definition, "ips_weights", **{**settings, "gamma": 0.0, "floor": 0.0})[relevant["pair"]]
            no_train = (weights > 0) & (above_equal == 0) & (definition.params.get("ips") == POPULARITY)
            rows = ((weights > 0) * 1.0, weights, weights * weights, no_train * 1.0)
            n, total, squares, n_no_train = (relevant.exact_sums(row, None)[0] for row in rows)
            some = ~np.isnan(part.values[index]) & (total > 0)
            in_mean, equal_in_mean = squares / np.where(some, total**2, 1.0), 1.0 / np.where(some, n, 1.0)
            tables[definition.spec.title] = MomentTable.from_values(np.stack([n, total, squares, in_mean, equal_in_mean, n_no_train]), some)
        return Tally(tables)

    def finding(self, tally: Tally, context: Context) -> list[Symptom]:
        measures: dict[EffectiveSize, list[str]] = {}
        for definition in context.definitions:
            if (name := definition.spec.title) in tally:
                size = EffectiveSize.from_moments(tally[name], pooled=definition.average == "micro")
                if name not in measures.setdefault(size, []):
                    measures[size].append(name)
        return [symptom for size, names in measures.items() if size.n_users for symptom in self._symptom(context, size, names)]

    def _symptom(self, context: Context, size: EffectiveSize, names: list[str]) -> list[Symptom]:
        few = size.effective < max(context.limit(self.id, "min_items"), context.limit(self.id, "min_share") * size.unweighted)
        counted = f"{count_text(size.n_items, 'relevant item')} of {count_text(size.n_users, 'user')}"
        verb = "counts" if size.n_items == 1 else "count"
        like = f"{counted} {verb} like {size.effective:,.0f} of equal weight (Kish), and without propensities like {size.unweighted:,.0f}."
        if size.n_items == size.n_users > 1 and not size.pooled:
            cancels = f"each of {size.n_users:,} users has one relevant item, so that its propensity cancels out"
            few, like = True, f"{cancels}; average=micro has an effect."
        details = {
            "effective": size.effective,
            "unweighted": size.unweighted,
            "items": size.n_items,
            "no_train": size.no_train,
            "users": size.n_users,
            "measures": names,
        }
        return self.symptom(context, f"{listed(names)}: {like}", 1, 1, severity=None if few else "info", details=details)
