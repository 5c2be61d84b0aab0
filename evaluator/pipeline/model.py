"""The lists of one model, read once → the value of every measure for every user."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import narwhals as nw

from .. import match, tables
from ..engine import Engine
from ..metrics import Definition, Lists, View
from ..score import Rows, Scoring
from ..tables import Frame
from .lists import Reading
from .plan import Plan
from .truths import Truths


class ModelTables:
    """The tables of one model, each made when a definition first asks for it.

    Readings that turn out to give the same lists share their tables: without ties, repeated items and items seen in train
    there is only one.
    """

    def __init__(self, truths: Truths, candidates: match.Candidates | None, engine: Engine, readings: Mapping[Lists, Reading]) -> None:
        self.truths, self.candidates, self.engine = truths, candidates, engine
        self.readings = list({id(reading): reading for reading in readings.values()}.values())
        self.place = {choice: [id(one) for one in self.readings].index(id(reading)) for choice, reading in readings.items()}
        self.rows: dict[str, Rows] = {}
        self.more: dict[tuple[int, int], match.TruthTables] = {}
        """The tables of truth where repeated items are relevant items of their own."""

    def view(self, definition: Definition) -> View:
        """Where a definition finds its tables; makes those that are not there yet."""
        place = self.place[definition.lists]
        truth, t = self._truth(definition, place)
        among = definition.axes["positions"] == "among_rated"
        reading = self.readings[place]
        one = f"{t}_{place}{'_rated' if among else ''}"
        if f"hits_{one}" not in self.rows:
            rows = match.among_rated(reading.found.rows, self.engine) if among else reading.found.rows
            hits = match.hits(self._relevant(rows, truth), truth.users, self.engine)
            if definition.truth.duplicates == "rows_count":
                (hits,) = self.engine.settle([match.each_copy(hits, self.engine)], ordered=True)
            self.rows[f"hits_{one}"] = Rows(tables.check(hits, "hits"))
            self.rows[f"ideal_{t}"] = Rows(tables.check(truth.ideal, "ideal"), f"twin_{t}")
        if definition.axes.get("ndcg_ideal") == "retrieved" and f"retrieved_{one}" not in self.rows:
            best = self.rows[f"hits_{one}"].frame.select("user", "item", "gain")
            self.rows[f"retrieved_{one}"] = Rows(match.in_best_order(best, self.engine))
        if definition.axes.get("precision_denominator") == "rated":
            self.rows[f"rated_{place}"] = Rows(reading.found.rows)
        if reading.dropped is not None:
            self.rows[f"dropped_{place}"] = Rows(reading.dropped)
        if reading.outside is not None:
            self.rows[f"outside_{one}"] = Rows(tables.check(match.outside(reading.outside, truth.relevant), "outside"))
        return View(
            hits=f"hits_{one}",
            rated=f"rated_{place}",
            ideal=f"ideal_{t}",
            retrieved=f"retrieved_{one}",
            outside=f"outside_{one}",
            n_relevant=f"n_relevant_{t}",
            n_recommended=f"n_recommended_{place}",
            n_candidates=f"n_candidates_{t}",
            dropped=f"dropped_{place}" if reading.dropped is not None else "",
            offset=definition.offset if self.truths.graded[definition.truth] else 1.0,
        )

    def _relevant(self, rows: Frame, truth: match.TruthTables) -> Frame:
        if self.truths.tested is None:  # the lists were joined with what is relevant
            return rows
        return rows.join(truth.relevant, on=match.PAIR, how="inner")

    def _truth(self, definition: Definition, place: int) -> tuple[match.TruthTables, str]:
        """The tables of truth of a definition and what their columns are called."""
        t = self.truths.place[definition.truth]
        truth = self.truths.tables[t]
        if definition.lists.duplicates != "each_counts_as_relevant" or not self.readings[place].repeats:
            return truth, str(t)
        if (t, place) not in self.more:
            listed = self._relevant(self.readings[place].found.rows, truth)
            repeats = match.repeats(listed)
            relevant = nw.concat([match.each_copy(truth.relevant, self.engine).select("user", "item", "gain"), repeats])
            made = match.truth_tables(relevant, definition.truth.graded, self.engine)
            self.more[t, place] = replace(made, relevant=truth.relevant)  # a hit is looked up once, not once per repeat
        return self.more[t, place], f"{t}_more_{place}"

    def users(self, plan: Plan, asked: frozenset[str]) -> Frame:
        """The table `users` with the columns that are `asked` for.

        Its users are those with a relevant item; all of the test file where users without one may count; and those with a
        list only, where they may.
        """
        truths = {f"{self._truth(one, self.place[one.lists])[1]}": self._truth(one, self.place[one.lists])[0] for one in plan.all}
        base: Frame | None = None
        if self.truths.tested is not None:
            base = self.truths.tested
            if plan.needs_untested:
                lists = [reading.found.lengths.select("user") for reading in self.readings]
                listed = nw.concat(lists).unique("user").join(base, on="user", how="anti")
                base = nw.concat([base.with_columns(tested=nw.lit(1)), listed.with_columns(tested=nw.lit(0))])
                base = base.with_columns(untested=1 - nw.col("tested"))
        for name, truth in truths.items():
            renamed = truth.users.rename({"n_relevant": f"n_relevant_{name}", "twin": f"twin_{name}"})
            if base is None:
                base = renamed
            else:
                base = base.join(renamed, on="user", how="left").with_columns(nw.col(f"n_relevant_{name}").fill_null(0))
        assert base is not None
        for place, reading in enumerate(self.readings):
            lengths = reading.found.lengths.rename({"n_recommended": f"n_recommended_{place}"})
            base = base.join(lengths, on="user", how="left").with_columns(nw.col(f"n_recommended_{place}").fill_null(0))
        if self.candidates is not None:
            for name, truth in truths.items():
                if f"n_candidates_{name}" in asked:
                    base = match.with_candidates(base, truth.relevant, self.candidates, f"n_candidates_{name}")
            if "n_items" in asked:
                base = base.with_columns(n_items=nw.lit(self.candidates.size))
            if "n_train" in asked:
                base = match.with_unseen(base, self.candidates, "n_train")
        return base

    def untested(self, plan: Plan) -> int:
        """How many users without a test row count for the first measure."""
        if plan.definitions[0].counted.no_truth != "zero" or self.truths.tested is None:
            return 0
        lengths = self.readings[self.place[plan.definitions[0].lists]].found.lengths
        others = lengths.join(self.truths.tested, on="user", how="anti")
        return int(self.engine.collect(others.select(nw.len().alias("n")))["n"].item())

    def scored(self, plan: Plan) -> Frame:
        """The value of every measure for every user: `user`, `n_relevant`, `n_recommended`, and the columns of `Scoring`.

        A user who does not count for a measure has no value; where all measures count the same users, the others are left out.
        """
        scoring = Scoring(plan.definitions, self.view, plan.pooled)
        users = self.users(plan, scoring.user_columns)
        conditions = [self._counts(definition, plan) for definition in plan.definitions]
        counts: dict[int, nw.Expr] = {}
        if len(set(conditions)) == 1:
            users = users.filter(_all_of(conditions[0])) if conditions[0] else users
        else:
            counts = {index: _all_of(columns) for index, columns in enumerate(conditions) if columns}
        first = self.view(plan.definitions[0])
        kept = {"n_relevant": nw.col(first.n_relevant), "n_recommended": nw.col(first.n_recommended)}
        return scoring.per_user(users, self.rows, kept, counts)

    def _counts(self, definition: Definition, plan: Plan) -> tuple[tuple[str, ...], ...]:
        """Who counts: of each group of columns of `users` one must be above 0."""
        view, counted = self.view(definition), definition.counted
        above: list[tuple[str, ...]] = []
        if counted.no_relevant == "drop" and self.truths.tested is not None:
            above.append((view.n_relevant, "untested") if counted.no_truth == "zero" else (view.n_relevant,))
            if counted.no_truth == "zero":  # of the users whom the test file does not hold only those whose list is not empty
                above.append(("tested", view.n_recommended))
        elif plan.needs_untested and counted.no_truth == "drop":
            above.append(("tested",))
        if counted.missing_lists == "drop":
            above.append((view.n_recommended,))
        return tuple(above)


def _all_of(groups: Sequence[Sequence[str]]) -> nw.Expr:
    conditions = [nw.any_horizontal(*(nw.col(name) > 0 for name in names), ignore_nulls=False) for names in groups]
    return nw.all_horizontal(*conditions, ignore_nulls=False)
