"""The side inputs, each read once → frames, numbers and groups."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import narwhals as nw

from .. import load, match, rank, side
from ..config import Config
from ..engine import Engine
from ..frames import Frame
from ..inputs import Inputs
from ..metrics import Group, Lists, Side
from ..naming import MetricSpec
from .plan import Plan
from .truths import Read

_MANY_KINDS = 64
_MOST_BITS = 62
_PAIR = ["user", "item"]


@dataclass
class Sides:
    """What was read beside the test file and the lists: frames where they are needed, and what is known of them as a whole."""

    known: match.Known = field(default_factory=match.Known)
    popularity: Frame | None = None
    """`item rows users first` of the items of train."""
    first_rows: Frame | None = None
    """`user first`: the first row of each user of train, where a definition asks for it."""
    times: Frame | None = None
    """`user item timestamp` of the rows of train, where they are examined and the test file has timestamps too."""
    catalogue: Frame | None = None
    """`item`: those of the items file, or else of train."""
    train: Frame | None = None
    """`user item`, each pair once."""
    categories: Frame | None = None
    """`item code`."""
    item_groups: dict[str, Frame] = field(default_factory=dict)
    user_groups: dict[str, Frame] = field(default_factory=dict)
    """`item` or `user`, and `value`, the code of its group, by column."""
    baseline: Frame | None = None
    """`user item other_rank` of the reference model."""
    policy: Frame | None = None
    """`item previous`, and `user` where the file names users."""
    distances: Frame | None = None
    """`item other distance`, both ways."""
    numbers: dict[str, float] = field(default_factory=dict)
    groups: dict[str, tuple[Group, ...]] = field(default_factory=dict)
    kinds: tuple[int, ...] = ()
    remarks: list[str] = field(default_factory=list)
    candidates: match.Candidates | None = None
    """Where negatives are counted: the items that a user could have been recommended."""

    @property
    def side(self) -> Side:
        """What definitions see."""
        return Side(self.numbers, self.groups, self.kinds)


class SideReader:
    """Reads what the definitions of a plan need."""

    def __init__(self, inputs: Inputs, plan: Plan, config: Config, engine: Engine, read: Read, timed: bool = False) -> None:
        self.inputs, self.plan, self.config, self.engine, self.read = inputs, plan, config, engine, read
        self.timed = timed and inputs.train is not None and "timestamp" in inputs.train.columns & inputs.test.columns
        self.sides = Sides()

    def sides_read(self) -> Sides:
        """Every side input that is needed, read once."""
        needs = self.plan.needs
        if self.inputs.train is not None:
            self.train(self.inputs.train)
        if self.inputs.items is not None:
            self.items(self.inputs.items, needs)
        if self.inputs.users is not None:
            self.users(self.inputs.users, needs)
        if self.inputs.baseline is not None:
            self.baseline(self.inputs.baseline)
        if self.inputs.previous_policy is not None:
            self.policy(self.inputs.previous_policy)
        if self.inputs.distances is not None:
            self.distances(self.inputs.distances)
        catalogue = self.sides.catalogue
        if catalogue is not None:
            self.sides.numbers["items"] = self.size(catalogue)
            if self.sides.popularity is not None:
                untrained = catalogue.join(self.sides.popularity, on="item", how="anti")
                self.sides.numbers["untrained_items"] = self.size(untrained) if self.inputs.items is not None else 0.0
            self.groups_of_catalogue(catalogue)
            if self.plan.needs_candidates:
                size, of_train = (int(self.sides.numbers.get(name, 0)) for name in ("items", "train_items"))
                self.sides.candidates = match.Candidates(catalogue, self.sides.known.seen, size, of_train or size)
        return self.sides

    def settle(self, source: load.Source, make: Callable[[Frame], Sequence[Frame]]) -> list[Frame]:
        """What is made of a source, in the pass that looks for faults."""

        def compute(source: load.Source, scan: Frame) -> list[Frame]:
            return self.engine.settle([*make(scan), load.counted(scan, source)])

        return self.read(source, compute)

    def train(self, source: load.Source) -> None:
        """The pairs of train, and how popular its items are."""
        sides = self.sides
        if "user" not in source.columns:
            return
        ordered = any(definition.axes.get("popular_ties") == "first_row" for definition in self.plan.all)

        def make(scan: Frame) -> list[Frame]:
            firsts = [scan.group_by("user").agg(first=nw.col("row").min())] if ordered else []
            times = [scan.select(*_PAIR, "timestamp").drop_nulls("timestamp")] if self.timed else []
            return [scan.select(*_PAIR).unique(_PAIR), side.counts_of_items(scan), *times, *firsts]

        train, counts, *firsts = self.settle(source, make)
        sides.times = firsts.pop(0) if self.timed else None
        sides.first_rows = firsts[0] if firsts else None
        items = counts.select("item")
        sides.train = train
        sides.known = match.Known(train, items, items)
        sides.popularity, sides.catalogue = counts, items
        sums = self.one(
            counts.select(
                rows=nw.col("rows").sum(),
                items=nw.len(),
                least=nw.col("rows").min(),
            )
        )
        users = self.one(train.select(n=nw.col("user").n_unique()))["n"]
        sides.numbers |= {"train_rows": sums["rows"], "train_items": sums["items"], "least_rows": sums["least"], "train_users": users}

    def items(self, source: load.Source, needs: frozenset[str]) -> None:
        """The catalogue, the categories of its items, and their groups."""
        given = self.config.data.items
        assert given is not None, "the source is that of the config"
        of_categories = [(name, source.labels[name]) for name in given.category_columns] if "categories" in needs else []
        wanted = [need.removeprefix("items.") for need in sorted(needs) if need.startswith("items.")]

        def make(scan: Frame) -> list[Frame]:
            frames = [scan.select("item").unique("item")]
            frames += [side.category_pairs(scan, of_categories, given.split)] if of_categories else []
            return frames + [side.labelled(scan, "item", source.labels[column]) for column in wanted]

        items, *rest = self.settle(source, make)
        self.sides.catalogue = items
        self.sides.known = replace(self.sides.known, items=items)
        if of_categories:
            categories = self.categories(items, rest.pop(0))
            if self.sides.popularity is not None:
                of_train = categories.join(self.sides.popularity, on="item", how="semi")
                self.sides.numbers["train_categories"] = self.one(of_train.select(n=nw.col("code").n_unique()))["n"]
        for column, labels in zip(wanted, rest, strict=True):
            self.sides.item_groups[column] = self.group("items", column, labels, "item")

    def categories(self, items: Frame, pairs: Frame) -> Frame:
        """`item code`: codes for categories, and the distinct sets of them where they are few."""
        coded, groups = self.coded(pairs.rename({"category": "name"}))
        sides = self.sides
        sides.groups["categories"] = groups
        (found,) = self.engine.settle([coded.select("item", "code")])
        sides.categories = found
        sides.numbers["categories"] = len(groups)
        without = self.one(items.join(found, on="item", how="anti").select(n=nw.len()))["n"]
        sides.numbers["items_without_category"] = without
        if without:
            sides.remarks.append(
                f"data.items: {int(without):,} of {int(self.size(items)):,} items have no category; they count as items without any."
            )
        if len(groups) <= _MOST_BITS:
            masks = self.engine.collect(side.with_masks(found).select("value").unique("value"))["value"].to_list()
            sides.kinds = tuple(sorted(int(mask) for mask in masks)) if len(masks) <= _MANY_KINDS else ()
        return found

    def users(self, source: load.Source, needs: frozenset[str]) -> None:
        """The groups of users."""
        wanted = [need.removeprefix("users.") for need in sorted(needs) if need.startswith("users.")]
        for column, labels in zip(
            wanted, self.settle(source, lambda scan: [side.labelled(scan, "user", source.labels[c]) for c in wanted]), strict=True
        ):
            self.sides.user_groups[column] = self.group("users", column, labels, "user")

    def group(self, table: str, column: str, labels: Frame, key: str) -> Frame:
        """The codes of a column of groups."""
        coded, groups = self.coded(labels)
        self.sides.groups[f"{table}.{column}"] = groups
        if len(groups) < 2:
            self.sides.remarks.append(
                f"data.{table}: {column} has {len(groups)} group{'s' * (len(groups) != 1)}: there is nothing to compare."
            )
        alone = [one.name for one in groups if one.size == 1]
        if alone:
            self.sides.remarks.append(f"data.{table}: the {column} {', '.join(alone[:5])} ha{'s' if len(alone) == 1 else 've'} one member.")
        (found,) = self.engine.settle([coded.select(key, value="code")])
        return found

    def coded(self, named: Frame) -> tuple[Frame, tuple[Group, ...]]:
        """`named` with the `code` of each name, and the groups."""
        (sizes,) = self.engine.settle([side.codes(named)])
        return named.join(sizes.select("name", "code"), on="name", how="left"), side.groups(self.engine.collect(sizes))

    def groups_of_catalogue(self, catalogue: Frame) -> None:
        """Sizes of the groups of items, counted in the catalogue."""
        for column, codes in self.sides.item_groups.items():
            counts = self.engine.collect(codes.join(catalogue, on="item", how="semi").group_by("value").agg(n=nw.len()))
            sizes = dict(zip(counts["value"].to_list(), counts["n"].to_list(), strict=True))
            groups = self.sides.groups[f"items.{column}"]
            self.sides.groups[f"items.{column}"] = tuple(Group(one.name, one.code, int(sizes.get(one.code, 0))) for one in groups)

    def baseline(self, source: load.Source) -> None:
        """The lists of the reference model, ranked as the convention of the config ranks lists."""
        choice = self.config.evaluation.resolve(MetricSpec("Precision", k=1)).lists
        self.sides.baseline = self.ranked(source, choice)

    def ranked(self, source: load.Source, choice: Lists) -> Frame:
        """`user item other_rank`, each item once, at its best rank."""
        order = rank.order_of(source.columns, choice)
        kept: list[Frame] = []

        def compute(source: load.Source, scan: Frame) -> list[Frame]:
            def want(lists: Frame) -> list[Frame]:
                return [lists.select("user", "item", "rank"), load.counted(lists, source)]

            (ranked,) = self.engine.ranked(*rank.prepared(scan, [order]), want)
            kept[:] = [ranked.frames[0]]
            return [ranked.frames[1]]

        self.read(source, compute)
        best = kept[0].group_by(_PAIR).agg(other_rank=nw.col("rank").min())
        (found,) = self.engine.settle([best])
        return found

    def policy(self, source: load.Source) -> None:
        """The scores of the previous policy; of several rows of a pair the highest counts."""
        keys = [column for column in _PAIR if column in source.columns]
        (policy,) = self.settle(source, lambda scan: [scan.group_by(keys).agg(previous=nw.col("score").cast(nw.Float64).max())])
        self.sides.policy = policy
        low = self.one(
            policy.select(zero=(nw.col("previous") == 0).cast(nw.Int64).sum(), less=(nw.col("previous") < 0).cast(nw.Int64).sum())
        )
        for count, said in ((low["zero"], "0"), (low["less"], "below 0")):
            if count:
                what = f"{int(count):,} score{'s are' if count > 1 else ' is'} {said}"
                rule = "weighs as much as can be" if said == "0" else "weighs as little as can be"
                self.sides.remarks.append(f"data.previous_policy: {what}; without an activation such a pair {rule}.")

    def distances(self, source: load.Source) -> None:
        """The distances of pairs of items, both ways: a pair that stands both ways keeps both; of several rows the smallest counts."""

        def make(scan: Frame) -> list[Frame]:
            rows = scan.select("item", "other", nw.col("distance").cast(nw.Float64))
            given = rows.group_by("item", "other").agg(nw.col("distance").min())
            turned = given.select(item="other", other="item", distance="distance").join(given, on=["item", "other"], how="anti")
            return [nw.concat([given, turned.select("item", "other", "distance")])]

        (distances,) = self.settle(source, make)
        self.sides.distances = distances
        below = int(self.one(distances.select(n=(nw.col("distance") < 0).cast(nw.Int64).sum()))["n"])
        if below:
            are = "distance is below 0 and is taken as it is" if below == 1 else "distances are below 0 and are taken as they are"
            self.sides.remarks.append(f"data.distances: {below:,} {are}.")

    def size(self, frame: Frame) -> float:
        """The number of rows."""
        return self.one(frame.select(n=nw.len()))["n"]

    def one(self, frame: Frame) -> dict[str, float]:
        """The only row."""
        return {name: float(value or 0) for name, value in self.engine.collect(frame).rows(named=True)[0].items()}
