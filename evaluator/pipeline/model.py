"""The lists of one model, read once → the value of every measure for every user."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

import narwhals as nw

from .. import frames, match
from ..engine import Engine
from ..errors import DataError
from ..frames import Frame
from ..metrics import Definition, Lists, Reductions, Request, View
from ..score import Rows, Scoring
from .asked import ITEM_COLUMNS, TABLES, USER_COLUMNS
from .counted import all_of, base, conditions
from .lists import Reading
from .plan import Plan
from .sides import Sides
from .truths import Truths


class ModelTables:
    """The tables of one model, each made when a definition first asks for it.

    Readings that turn out to give the same lists share their tables: without ties, repeated items and items seen in train
    there is only one.
    """

    def __init__(self, truths: Truths, sides: Sides, plan: Plan, engine: Engine, readings: Mapping[Lists, Reading]) -> None:
        self.plan, self.truths, self.sides, self.candidates, self.engine = plan, truths, sides, sides.candidates, engine
        self.readings = list({id(reading): reading for reading in readings.values()}.values())
        self.place = {choice: [id(one) for one in self.readings].index(id(reading)) for choice, reading in readings.items()}
        self.rows: dict[str, Rows] = {}
        self.more: dict[tuple[int, int], match.TruthTables] = {}
        """The tables of truth where repeated items are relevant items of their own."""
        self.by_name: dict[str, match.TruthTables] = {}
        self.asked = Reductions()
        self.of_items: tuple[Frame, dict[str, float]] | None = None
        self.remarks: list[str] = []
        self.predictions: Frame | None = None
        """`user item prediction` of the test pairs that data.predictions has, where it is given and needed."""
        self.made: set[str] = set()
        """The tables of hits that have the columns of items."""

    def view(self, definition: Definition) -> View:
        """Where a definition finds its tables; makes those that are not there yet."""
        place = self.place[definition.lists]
        truth, t = self._truth(definition, place)
        self.by_name[t] = truth
        among = definition.axes["positions"] == "among_rated"
        reading = self.readings[place]
        one = f"{t}_{place}{'_rated' if among else ''}"
        if f"hits_{one}" not in self.rows:
            rows = match.among_rated(reading.found.rows, self.engine) if among else reading.found.rows
            hits = match.hits(self._relevant(rows, truth), truth.users, self.engine)
            if definition.truth.duplicates == "rows_count":
                (hits,) = self.engine.settle([match.each_copy(hits, self.engine)], ordered=True)
            self.rows[f"hits_{one}"] = Rows(frames.check(hits, "hits"))
            self.rows[f"ideal_{t}"] = Rows(frames.check(truth.ideal, "ideal"), f"twin_{t}")
        if definition.axes.get("ndcg_ideal") == "retrieved" and f"retrieved_{one}" not in self.rows:
            best = self.rows[f"hits_{one}"].frame.select("user", "item", "gain")
            self.rows[f"retrieved_{one}"] = Rows(match.in_best_order(best, self.engine))
        if definition.axes.get("precision_denominator") == "rated":
            self.rows[f"rated_{place}"] = Rows(reading.found.rows)
        if reading.dropped is not None:
            self.rows[f"dropped_{place}"] = Rows(reading.dropped)
        if reading.outside is not None:
            self.rows[f"outside_{one}"] = Rows(frames.check(match.outside(reading.outside, truth.relevant), "outside"))
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
            lists=str(place),
            truth=t,
            counts=self.counts(definition),
            side=self.sides.side,
            kept=(definition.truth.duplicates, definition.truth.filter),
            level=definition.relevance.threshold or 0.0,
        )

    def _relevant(self, rows: Frame, truth: match.TruthTables) -> Frame:
        if self.truths.tested is None:  # the lists were joined with what is relevant
            return rows
        return rows.join(truth.relevant, on=match.PAIR, how="inner")

    def _truth(self, definition: Definition, place: int) -> tuple[match.TruthTables, str]:
        """The tables of truth of a definition and what their columns are called."""
        t = self.truths.place[definition.truth]
        truth = self.truths.tables[t]
        if definition.lists.duplicates != "keep_all_as_relevant" or not self.readings[place].repeats:
            return truth, str(t)
        if (t, place) not in self.more:
            listed = self._relevant(self.readings[place].found.rows, truth)
            repeats = match.repeats(listed)
            relevant = nw.concat([match.each_copy(truth.relevant, self.engine).select("user", "item", "gain"), repeats])
            made = match.truth_tables(relevant, definition.truth.graded, self.engine)
            self.more[t, place] = replace(made, relevant=truth.relevant)  # a hit is looked up once, not once per repeat
        return self.more[t, place], f"{t}_more_{place}"

    def users(self, asked: Reductions) -> Frame:
        """The table `users` with the columns that are `asked` for; see `counted.base`."""
        used = [self._truth(one, self.place[one.lists]) for one in self.plan.all]
        frame = base(self.truths.tested, {name: truth for truth, name in used}, self.readings, self.sides, self.plan)
        if self.candidates is not None:
            for truth, name in used:
                if f"n_candidates_{name}" in asked.user_columns - set(frame.collect_schema().names()):
                    frame = match.with_candidates(frame, truth.relevant, self.candidates, f"n_candidates_{name}")
            if "n_items" in asked.user_columns:
                frame = frame.with_columns(n_items=nw.lit(self.candidates.size))
            if "n_train" in asked.user_columns:
                frame = match.with_unseen(frame, self.candidates, "n_train")
        for request, name in asked.of_users.items():
            column, otherwise = USER_COLUMNS[request.kind](self, request)
            frame = frame.join(column.rename({"value": name}), on="user", how="left").with_columns(nw.col(name).fill_null(otherwise))
        return frame

    def untested(self) -> int:
        """How many users without a test row count for the first measure."""
        if self.plan.definitions[0].counted.no_truth != "zero" or self.truths.tested is None:
            return 0
        lengths = self.readings[self.place[self.plan.definitions[0].lists]].found.lengths
        others = lengths.join(self.truths.tested, on="user", how="anti")
        return int(self.engine.collect(others.select(nw.len().alias("n")))["n"].item())

    def scored(self) -> tuple[Frame, Scoring]:
        """The value of every measure for every user: `user`, `n_relevant`, `n_recommended`, and the columns of `Scoring`.

        A user who does not count for a measure has no value; where all measures count the same users, the others are left out.
        """
        definitions = self.plan.definitions
        try:
            scoring = Scoring(definitions, self.view, self.plan.pooled)
        except ValueError as error:  # a group that a file does not name
            raise DataError(str(error)) from None
        self.make(scoring.asked, scoring.tables)
        users = self.users(scoring.asked)
        conditions = [self.counts(definition) for definition in definitions]
        counts: dict[int, nw.Expr] = {}
        if len(set(conditions)) == 1:
            users = users.filter(all_of(conditions[0])) if conditions[0] else users
        else:
            counts = {index: all_of(columns) for index, columns in enumerate(conditions) if columns}
        first = self.view(definitions[0])
        kept = {"n_relevant": nw.col(first.n_relevant), "n_recommended": nw.col(first.n_recommended)}
        kept |= {name: nw.col(name) for name in (f"n_recommended_{place}" for place in range(len(self.readings)))}
        return scoring.per_user(users, self.rows, kept, counts, lambda frame: self.engine.settle([frame])[0]), scoring

    def counts(self, definition: Definition) -> tuple[tuple[str, ...], ...]:
        """Who counts: of each group of columns of `users` one must be above 0."""
        place, _, t = self.found_under(definition)
        tested = self.truths.tested is not None
        return conditions(
            definition, f"n_relevant_{t}", f"n_recommended_{place}", all_tested=tested, untested=tested and self.plan.needs_untested
        )

    def found_under(self, definition: Definition) -> tuple[int, match.TruthTables, str]:
        """Which reading of the lists a definition looks at, its tables of truth, and what their columns are called."""
        place = self.place[definition.lists]
        return place, *self._truth(definition, place)

    def make(self, asked: Reductions, names: Collection[str]) -> None:
        """Make the tables called `names` that are not there yet, and give those of hits the columns of items."""
        if asked.of_items.keys() - self.asked.of_items.keys():
            self.of_items = None
            self.made.clear()
        self.asked = asked
        for request, name in asked.tables.items():
            if name not in self.rows:
                self.rows[name] = TABLES[request.kind](self, request)
        for name in names if asked.of_items else ():
            if name.startswith("hits_") and name not in self.made:
                (frame,) = self.engine.settle([self.with_items(self.rows[name].frame)], ordered=True)
                self.rows[name] = Rows(frame, self.rows[name].key)
                self.made.add(name)

    def with_items(self, rows: Frame) -> Frame:
        """`rows` with the columns of items that the definitions ask for."""
        if not self.asked.of_items:
            return rows
        if self.of_items is None:
            columns = {name: ITEM_COLUMNS[request.kind](self, request) for request, name in self.asked.of_items.items()}
            frame = nw.concat([column.select("item") for column, _ in columns.values()]).unique("item")
            for name, (column, _) in columns.items():
                frame = frame.join(column.rename({"value": name}), on="item", how="left")
            (settled,) = self.engine.settle([frame])
            self.of_items = settled, {name: otherwise for name, (_, otherwise) in columns.items()}
        items, otherwise = self.of_items
        return rows.join(items, on="item", how="left").with_columns(nw.col(name).fill_null(value) for name, value in otherwise.items())

    def listed(self, view: View) -> Frame:
        """Every recommended item: `user item rank` (and `score`, where it is asked for)."""
        listed = self.readings[int(view.lists)].listed
        assert listed is not None, "the plan asks for every row of the lists"
        return listed

    def with_scores(self, rows: Frame) -> Frame:
        """`rows` of the lists, which were read with their scores; `DataError` if there are none."""
        if "score" not in rows.collect_schema().names():
            raise DataError(
                "the lists have no scores, which a metric of this run looks at",
                "name the column: columns: {score: NAME}",
            )
        return rows.with_columns(score=nw.col("score").cast(nw.Float64))

    def truth_of(self, view: View) -> match.TruthTables:
        """The tables of truth of a view."""
        return self.by_name[view.truth]

    def of_counted(self, rows: Frame, view: View) -> Frame:
        """The `rows` of users who count."""
        if view.counts == ((view.n_recommended,),):  # everybody with a list
            return rows
        users = self.users(Reductions())
        return rows.join(users.filter(all_of(view.counts)).select("user") if view.counts else users.select("user"), on="user", how="semi")

    def deepest(self, request: Request) -> int | None:
        """The largest cut-off at which a table is looked at; `None`: the whole list."""
        name = self.asked.tables[request]
        cutoffs = [reduction.k for reduction in self.asked.columns if reduction.table == name]
        return None if None in cutoffs else max((k for k in cutoffs if k is not None), default=None)

    def size(self, frame: Frame) -> int:
        """The number of rows."""
        return int(self.engine.collect(frame.select(nw.len().alias("n")))["n"].item())

    def note(self, remark: str) -> None:
        """Note what there is to say of the side inputs as they meet these lists."""
        if remark not in self.remarks:
            self.remarks.append(remark)

    def rows_of_items(self, of: str) -> tuple[Frame, float]:
        """`item`, `rows`, and `source` and `first` row, by which items stand in the order of train, then test; and the number of users."""
        train = self.popularity.select("item", "rows", "first", source=nw.lit(0))
        if of == "train":
            return train, self.sides.numbers["train_users"]
        tested = self.truths.rows
        assert tested is not None, "the plan keeps the rows of the test file"
        more = tested.group_by("item").agg(more=nw.len().cast(nw.Int64), first=nw.col("row").min())
        both = train.join(more.select("item", "more"), on="item", how="left")
        both = both.with_columns(rows=nw.col("rows") + nw.col("more").fill_null(0)).select("item", "rows", "first", "source")
        new = more.join(train, on="item", how="anti").select("item", "first", rows="more", source=nw.lit(1))
        pairs = nw.concat([self.train.select("user"), tested.select("user")])
        users = self.engine.collect(pairs.select(n=nw.col("user").n_unique()))["n"].item()
        return nw.concat([both, new.select("item", "rows", "first", "source")]), float(users)

    @property
    def popularity(self) -> Frame:
        """How popular the items of train are."""
        return _there(self.sides.popularity)

    @property
    def train(self) -> Frame:
        """What train holds."""
        return _there(self.sides.train)

    @property
    def catalogue(self) -> Frame:
        """The items of the catalogue."""
        return _there(self.sides.catalogue)

    @property
    def categories(self) -> Frame:
        """The categories of items."""
        return _there(self.sides.categories)

    @property
    def baseline(self) -> Frame:
        """The lists of the reference model."""
        return _there(self.sides.baseline)


def _there(frame: Frame | None) -> Frame:
    assert frame is not None, "the config was checked to give what the metrics need"
    return frame
