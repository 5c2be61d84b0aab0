"""Reference lists are measured over parts: known values, the same for all parts, over the users that a model counts."""

from __future__ import annotations

import random

import numpy as np
import polars as pl
import pytest
from receval.scoring.finishing import finish
from receval.scoring.measuring import measure_users
from receval.scoring.partial import merge_partials
from receval.scoring.per_user import Scorer
from receval.scoring.reference_lists import ReferencePlan, measure_reference, reference_facts, values_over_same_users, with_shares_of_best
from receval.scoring.task import needs_scores, reads_only_hits, reads_whole_lists
from receval.tables.ids import Ids
from receval.tables.rows import PartData

from tests.scoring.small import frame, prepared, task


def rows_of(chosen, partial):
    """Return the rows of every measure."""
    return finish(chosen, partial, "model", n_train_users=None, schemas={}, predicted=frozenset()).rows


def values_of(chosen, partial):
    """Return the label of each measure → its value."""
    return {row.label: row.value for rows in rows_of(chosen, partial) for row in rows}


class Small:
    """A model measured in parts, and its reference lists."""

    def __init__(self, metrics, top_k, frames, seen_items="convention", n_parts=1):
        self.frames, self.n_parts = frames, n_parts
        self.task = task(prepared(frames.get("train")), metrics, top_k)
        partials = []
        for part in self.parts():
            scorer = Scorer.for_part(self.task.prepared, PartData(part))
            measured = measure_users(self.task, scorer)
            facts = reference_facts(scorer, self.task.groups, measured.values)
            partials.append(measured.partial.with_more({"reference_facts": facts}))
        self.partial = merge_partials(partials)
        self.facts = self.partial.more["reference_facts"]
        leaves_out = bool(self.facts.left_out.frames)
        self.reference_plan = ReferencePlan(self.task, len(self.task.definitions), self.facts, self.partial.longest, seen_items, leaves_out)

    def parts(self):
        rest = pl.col("user") % self.n_parts
        return [{name: rows.filter(rest == part) for name, rows in self.frames.items()} for part in range(self.n_parts)]

    def measure_list(self, name):
        """Return the task and the partial of a reference list."""
        users = Ids(self.frames["test"]["user"].unique().sort())
        wanted = {"oracle": name == "oracle", "popularity": name == "popularity", "random": 3 if name == "random" else None}
        (reference_task,) = (
            [self.reference_plan.baseline()] if name == "baseline" else self.reference_plan.tasks(**wanted, test_users=users)
        )
        return reference_task, merge_partials(measure_reference(reference_task, part) for part in self.parts())


TRAIN = [(1, 10), (2, 10), (3, 10), (2, 11), (3, 11), (3, 12)]
TEST = [(1, 11), (1, 12), (1, 13), (2, 12)]
LISTS = [(1, 12, 2.0), (1, 14, 1.0)]


def small(metrics, top_k=(2,), **options):
    frames = {"test": frame("user item", TEST), "train": frame("user item", TRAIN), "lists": frame("user item score", LISTS)}
    return Small(metrics, list(top_k), frames, **options)


@pytest.mark.parametrize("n_parts", [1, 3])
def test_the_oracle_has_all_relevant_items_and_popular_lists_leave_out_seen_items(n_parts):
    world = small(["Precision", "Recall"], n_parts=n_parts)
    reference_task, best = world.measure_list("oracle")
    # User 1 has 11 and 12 of three, user 2 has 12 alone.
    assert values_of(reference_task.task, best) == pytest.approx({"Precision@2": (1 + 1 / 2) / 2, "Recall@2": (2 / 3 + 1) / 2})
    reference_task, popular = world.measure_list("popularity")
    # Items by rows are 10, 11, 12: user 1 is shown 11 and 12, user 2 is shown 12.
    assert values_of(reference_task.task, popular) == pytest.approx({"Precision@2": (1 + 1 / 2) / 2, "Recall@2": (2 / 3 + 1) / 2})


def test_popular_lists_have_seen_items_if_the_policy_keeps_them():
    reference_task, popular = small(["Precision"], seen_items="keep").measure_list("popularity")
    assert values_of(reference_task.task, popular) == {"Precision@2": 0.25}  # both users get 10 and 11; 11 is relevant to user 1


def test_a_test_pair_that_leaked_into_train_does_not_change_popular_lists():
    frames = {"test": frame("user item", [*TEST, (2, 10)]), "train": frame("user item", TRAIN), "lists": frame("user item score", LISTS)}
    world = Small(["Precision"], [2], frames)
    reference_task, popular = world.measure_list("popularity")
    # One of five test pairs leaked into train: users 1 and 2 still get 11 12, and 12.
    assert values_of(reference_task.task, popular) == {"Precision@2": 0.75}
    assert world.reference_plan.remark(["(random)"]) == (
        "The lists of (random) leave out items of the user's train rows, because train contains 1 of 5 distinct test pairs (20.0 %), "
        "less than half."
    )


REPEATED = [(2, 10), (2, 11), (3, 10)]


@pytest.mark.parametrize(("n_new", "masked"), [(3, False), (4, True)])
@pytest.mark.parametrize("n_parts", [1, 3])
def test_reference_lists_can_have_seen_items_if_train_has_half_of_the_test_pairs(n_new, masked, n_parts):
    test = [*REPEATED, *((1, item) for item in range(11, 11 + n_new))]
    frames = {"test": frame("user item", test), "train": frame("user item", TRAIN), "lists": frame("user item score", LISTS)}
    world = Small(["Recall"], [2], frames, n_parts=n_parts)
    assert (world.facts.n_seen, world.facts.n_pairs, world.facts.repeats_train) == (3, 3 + n_new, not masked)
    assert {name: bool(world.measure_list(name)[0].masked) for name in ("popularity", "random", "baseline", "oracle")} == {
        "popularity": masked, "random": masked, "baseline": masked, "oracle": False
    }  # fmt: skip
    rule = "leave out items of the user's train rows, because train contains 3 of 7 distinct test pairs (42.9 %), less than half"
    if not masked:
        rule = "may contain items of the user's train rows, because train contains 3 of 6 distinct test pairs (50.0 %), half or more"
    assert world.reference_plan.seen_rule() == rule
    assert world.reference_plan.seen_rule("best") == "may contain items of the user's train rows, because test items are among them"


def test_a_duplicate_test_row_does_not_count_twice_in_the_share():
    test = [*REPEATED, *REPEATED, *((1, item) for item in range(11, 15))]
    frames = {"test": frame("user item", test), "train": frame("user item", TRAIN), "lists": frame("user item score", LISTS)}
    facts = Small(["Recall"], [2], frames).facts
    assert (facts.n_seen, facts.n_pairs) == (3, 7)


def test_a_repeated_train_row_does_not_count_twice_in_the_share():
    test = [*REPEATED, *((1, item) for item in range(11, 15))]
    frames = {"test": frame("user item", test), "train": frame("user item", TRAIN * 3), "lists": frame("user item score", LISTS)}
    frames = {name: rows.with_columns(pl.format("sku {}", "item").alias("item")) for name, rows in frames.items()}
    facts = Small(["Recall"], [2], frames).facts
    assert (facts.n_seen, facts.n_pairs, facts.repeats_train) == (3, 7, False)


def test_the_best_lists_include_a_test_item_that_leaked_into_train():
    frames = {"test": frame("user item", [*TEST, (2, 10)]), "train": frame("user item", TRAIN), "lists": frame("user item score", LISTS)}
    reference_task, best = Small(["Recall"], [2], frames).measure_list("oracle")
    # User 1 has two of three at most, user 2 both of 10 and 12: no model can be better than these lists.
    assert values_of(reference_task.task, best) == pytest.approx({"Recall@2": (2 / 3 + 1) / 2})


def test_a_model_is_compared_over_the_users_that_it_counts():
    world = small(["Recall", "Recall(missing_lists=drop)"])
    rows = rows_of(world.task, world.partial)
    reference_task, best = world.measure_list("oracle")
    same_users = values_over_same_users(world.task.definitions, rows, world.facts.left_out, reference_task, best)
    # User 2 has no list: if such users are left out, only the oracle's 2/3 of user 1 counts.
    assert same_users == pytest.approx({"Recall@2": (2 / 3 + 1) / 2, "Recall(missing_lists=drop)@2": 2 / 3})
    shares = [row.achieved for of_measure in rows for row in with_shares_of_best(of_measure, same_users)]
    assert shares == pytest.approx([(1 / 6) / (5 / 6), (1 / 3) / (2 / 3)])


HITS = ["nDCG", "MAP", "Recall(seen_items=drop_and_refill)", "Precision(denominator=rated)", "Recall(positions=among_rated)", "RocAuc"]


@pytest.mark.parametrize("seed", range(4))
def test_popularity_by_ranks_alone_has_the_values_of_the_popular_lists(seed):
    chance = random.Random(seed)
    pairs = [(user, item) for user in range(9) for item in range(15)]
    train = [pair for pair in pairs if chance.random() < 0.3]
    test = [pair for pair in pairs if chance.random() < 0.3]
    lists = [(user, item, chance.random()) for user, item in pairs if chance.random() < 0.3]
    frames = {"test": frame("user item", test), "train": frame("user item", train), "lists": frame("user item score", lists)}
    world = Small(HITS, [2, 5, None], frames, n_parts=2)
    task_of_lists, popular = world.measure_list("popularity")
    task_of_ranks, ranks = world.measure_list("baseline")
    assert values_of(task_of_ranks.task, ranks) == values_of(task_of_lists.task, popular)


@pytest.mark.parametrize("name", ["oracle", "popularity", "random", "baseline"])
def test_parts_do_not_change_a_bit_of_reference_lists(name):
    chance = np.random.default_rng(2)
    pairs = [(user, item) for user in range(30) for item in range(20)]
    train, test = ([pair for pair in pairs if chance.random() < 0.2] for _ in range(2))
    frames = {"test": frame("user item", test), "train": frame("user item", train), "lists": frame("user item score", [(1, 2, 1.0)])}
    totals = [Small(["nDCG", "MAP"], [3, None], frames, n_parts=n).measure_list(name)[1].moments.totals for n in (1, 4, 7)]
    assert totals[0] == totals[1] == totals[2]


def test_the_declared_tables_of_a_metric_decide_what_a_measure_reads():
    metrics = ["nDCG", "F1", "AUC", "ItemCoverage", "Correlation", "UserCoverage", "NumRelevant"]
    chosen = {definition.metric.name: definition for definition in task(prepared(), metrics).definitions}
    assert {name for name, definition in chosen.items() if reads_only_hits(definition)} == {"nDCG", "F1"}
    assert {name for name, definition in chosen.items() if needs_scores(definition)} == {"Correlation"}
    assert {name for name, definition in chosen.items() if reads_whole_lists(definition)} == {"ItemCoverage", "Correlation"}
