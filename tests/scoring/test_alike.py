"""Measures of many conventions share what they have in common in a part; each has the sums that it has alone."""

from __future__ import annotations

import random
from dataclasses import dataclass

import polars as pl
import pytest
from msgspec.structs import replace
from receval import conventions
from receval.scoring.measuring import measure
from receval.scoring.per_user import Scorer
from receval.scoring.task import Task
from receval.tables.prepared import Prepared
from receval.tables.rows import PartData

from tests.scoring.small import frame, prepared, task
from tests.sizes import draws, each_once, some

METRICS = ("Precision", "Recall", "F1", "HitRate", "RPrecision", "MAP", "MRR", "DCG", "nDCG", "RocAuc", "SetMAP")


@dataclass
class World:
    """Rows of a few users, with or without odd ones."""

    frames: dict[str, pl.DataFrame]
    known: Prepared


def a_world(seed: int, *, is_odd: bool) -> World:
    """Return users of whom some have no list or no test rows; odd ones have ties, repeated items, scores below 0, and their own id."""
    chance = random.Random(seed)
    lists, test, train = [], [], []
    for user in range(1, 15):
        items = chance.sample(range(20, 40), 8) + ([user] if is_odd else [])
        if user % 5:
            scores = [chance.randint(-2, 4) if is_odd else 9 - place for place in range(len(items))]
            lists += [(user, item, float(score)) for item, score in zip(items, scores, strict=True)]
        lists += [(user, items[0], 0.0)] if is_odd and user % 4 == 1 else []
        if user % 7:
            test += [(user, item, float(chance.randint(0, 5))) for item in chance.sample(range(20, 40), 4)]
            test += [(*test[-1][:2], 3.0)] if is_odd and user % 3 == 0 else []
        train += [(user, item) for item in chance.sample(range(18, 42), 3)] if user % 6 else []
    rows = {"lists": frame("user item score", lists), "test": frame("user item rating", test), "train": frame("user item", train)}
    return World(rows, prepared(rows["train"]))


def task_of_all_conventions(known: Prepared, **options: object) -> Task:
    """Return the task of an audit, as far as conventions have the metrics."""
    of_each = [task(known, METRICS, (1, 3, None), convention=name, **options) for name in conventions.builtin_names()]
    definitions = dict.fromkeys(definition for each in of_each for definition in each.definitions)
    return replace(of_each[0], definitions=tuple(definitions), aggregates=("mean", "std"))


@pytest.mark.parametrize(("is_odd", "options"), some(each_once([True, False], [{"relevance": {"threshold": 3, "graded": True}}, {}]), 1))
def test_every_measure_has_the_sums_that_it_has_alone(is_odd, options):
    world = a_world(1, is_odd=is_odd)
    together = task_of_all_conventions(world.known, **options)
    partial = measure(together, world.frames)
    for index, definition in [*enumerate(together.definitions)][:: draws(3, 1)]:
        alone = measure(replace(together, definitions=(definition,)), world.frames)
        for name in ("moments", "covered", "warm"):
            assert getattr(partial, name).measure(index) == getattr(alone, name).measure(0), (definition.convention, definition.label, name)
        for name in ("cells", "valued", "others"):
            assert getattr(partial, name)[index].tolist() == getattr(alone, name)[0].tolist(), (
                definition.convention,
                definition.label,
                name,
            )


def test_conventions_share_values_but_not_those_of_other_users():
    world = a_world(2, is_odd=False)
    scorer = Scorer.for_part(world.known, PartData(world.frames))
    together = task_of_all_conventions(world.known)
    values = [scorer.values(group, None) for group in together.per_user_groups]
    assert len(set(values)) < 0.6 * len(values)
    (plain,) = task(world.known, ["Recall(missing_lists=zero)@3"]).groups
    (dropped,) = task(world.known, ["Recall(missing_lists=drop)@3"]).groups
    assert scorer.values(plain, None) is scorer.values(plain, None)
    assert scorer.body(plain, None, None) is scorer.body(dropped, None, None)
    assert scorer.values(plain, None) is not scorer.values(dropped, None)


@pytest.mark.parametrize("setting", ["positions=ties_last", "hit_scores=positive", "identical_ids=drop_and_refill"])
def test_settings_for_odd_rows_make_a_difference_only_where_there_are_such_rows(setting):
    (plain,), (other,) = (task(prepared(), [metric]).definitions for metric in ("Precision@3", f"Precision({setting})@3"))
    for is_odd in (True, False):
        scorer = Scorer.for_part(prepared(), PartData(a_world(3, is_odd=is_odd).frames))
        assert (scorer.choice(plain) == scorer.choice(other)) is not is_odd
