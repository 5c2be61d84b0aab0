"""Popularity lists are recognised by their items, under any model name."""

from __future__ import annotations

from collections import Counter

import pytest
import receval as api
from hypothesis import given, settings
from hypothesis import strategies as st
from receval.health.value_checks import popular_lists
from receval.scoring.per_user import Scorer
from receval.tables.rows import PartData

from tests.scoring.small import frame, prepared, task
from tests.sizes import draws

PAIRS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5)), min_size=1, max_size=12)


def literal(listed, train, seen):
    """Return whether a list has the items of train with the most rows, without those `seen`; equally popular ones in any order."""
    counts = Counter(item for _, item in train)
    allowed = sorted((count for item, count in counts.items() if item not in seen), reverse=True)
    own = [0 if item in seen else counts[item] for item in listed]
    return own == (allowed + [0] * len(own))[: len(own)] and not seen.intersection(listed)


def count_popular(train, lists):
    known = frame("user item", train)
    chosen = task(prepared(known, catalogue=range(7)), ["Recall"], [2])
    rows = [(user, item, -float(rank)) for user, items in lists.items() for rank, item in enumerate(items)]
    part = PartData({"lists": frame("user item score", rows), "test": frame("user item", [(0, 0)]), "train": known})
    scorer = Scorer.for_part(chosen.prepared, part)
    return popular_lists(scorer.tables.get("reading", scorer.choice(chosen.definitions[0])), part, chosen.prepared)


@settings(max_examples=draws(70, 200))
@given(train=PAIRS, masks=st.booleans(), cut=st.integers(1, 6), draw=st.randoms(), swap=st.booleans())
def test_a_list_is_popular_if_its_counts_are_those_of_the_most_popular_items(train, masks, cut, draw, swap):
    counts = Counter(item for _, item in train)
    lists = {}
    for user in range(5):
        seen = {item for owner, item in train if owner == user} if masks else set()
        items = sorted(counts.keys() - seen, key=lambda item: (-counts[item], draw.random()))[:cut]
        if swap and len(items) > 1:
            place = draw.randrange(len(items))
            items[0], items[place] = items[place], items[0]
        lists[user] = items
    lists = {user: items for user, items in lists.items() if items}
    n_lists, n_popular, n_unseen = count_popular(train, lists)
    seen = {user: {item for owner, item in train if owner == user} for user in lists}
    assert n_lists == len(lists)
    plain = [literal(items, train, set()) for items in lists.values()]
    masked = [literal(items, train, seen[user]) for user, items in lists.items()]
    assert (n_popular == n_lists) == all(plain)
    assert (n_unseen == n_lists) == all(masked)


def test_a_list_with_a_duplicate_is_not_a_popularity_list():
    assert count_popular([(1, 0), (2, 0), (1, 1), (2, 1)], {0: [0, 1, 0]}) == (1, 0, 0)


@pytest.mark.parametrize(("lists", "is_popular"), [("3,10,3\n3,11,2\n3,12,1\n", True), ("3,10,3\n3,12,2\n3,11,1\n", False)])
def test_a_model_with_popularity_lists_gets_a_note_below_the_table(receval, write, lists, is_popular):
    write("train.csv", "user,item\n1,10\n2,10\n4,10\n1,11\n2,11\n1,12\n")
    write("test.csv", "user,item\n3,10\n")
    write("als.csv", f"user,item,score\n{lists}")
    path = write("c.yaml", "data: {test: test.csv, train: train.csv, recommendations: {als: als.csv}}\nevaluation: {metrics: [MRR]}\n")
    code, out, _ = receval("run", path)
    assert code == 0
    assert ("als: its lists are those of the popularity baseline, so X14 skips it." in " ".join(out.split())) == is_popular
    assert ("X14" in receval("check", path)[1]) != is_popular


LEAKED = {"few": ("1,12\n2,13\n2,14\n", "leave out"), "half": ("1,10\n2,11\n", "may contain")}
"""Test rows of which one of three, or both, are also in train."""


@pytest.mark.parametrize("leak", LEAKED)
@pytest.mark.parametrize("lists", ["unseen", "all"])
def test_popularity_lists_with_and_without_seen_items_are_not_equal(receval, write, leak, lists):
    test, done = LEAKED[leak]
    # Of 10 11 12 13 14 by popularity user 1 has 10 11 12 in train, user 2 has 10 11.
    write("train.csv", "user,item\n1,10\n2,10\n3,10\n4,10\n1,11\n2,11\n3,11\n1,12\n4,12\n3,13\n4,13\n3,14\n")
    write("test.csv", f"user,item\n{test}")
    rows = {"unseen": "1,13,2\n1,14,1\n2,12,2\n2,13,1\n", "all": "1,10,2\n1,11,1\n2,10,2\n2,11,1\n"}[lists]
    write("als.csv", f"user,item,score\n{rows}")
    path = write(
        "c.yaml",
        "data: {test: test.csv, train: train.csv, recommendations: {als: als.csv}}\n"
        "evaluation: {metrics: [Recall@1, Precision@1], yardsticks: [popularity]}\nhealth: {X06: info, X05: info, R05: off}\n",
    )
    _, out, _ = receval("run", path)
    out = " ".join(out.split())
    assert f"The lists of (popularity) {done} items of the user's train rows, because train contains" in out
    same = (lists == "unseen") == (done == "leave out")
    assert ("als: its lists are those of the popularity baseline" in out) == same
    count_popular = " ".join(receval("check", path)[1].split())
    assert ("are not above the popularity baseline" in count_popular) != same
    if not same:
        assert f"The lists of this baseline {done} items of the user's train rows, because train contains" in count_popular


@pytest.mark.parametrize(("own", "compared"), [(2, "1 of 1 measures"), (9, "2 of 2 measures")])
def test_clearly_shorter_lists_than_those_of_another_model_are_not_compared_in_whole_lists_with_popularity(own, compared):
    train = {user: list(range(user % 10 + 1)) for user in range(100, 110)}  # the smallest id is the most popular item
    test = {user: [user % 10] for user in range(20)}
    lists = {"short": {user: [9, 8, 7, 6, 5, 4, 3, 2, 1][:own] for user in test}, "long": {user: list(range(10)) for user in test}}
    result = api.evaluate(test=test, train=train, recommendations=lists, metrics=["Recall@1", "Recall@none"])
    (found,) = [finding for finding in result.findings if (finding.check, finding.model) == ("X14", "short")]
    assert found.sentence.startswith(compared)
