"""Groups repeat and explore beside the formulas of the code of Li et al. (TOIS 2023) and of Cornac, on baskets worked by hand."""

from __future__ import annotations

import math
import random
from statistics import fmean

import pytest

from tests.conftest import table
from tests.scoring.test_by_group import by_group

# ann had milk, bread and jam; her next basket is milk, jam, tea and figs. Her list of four finds milk (rank 1), tea (3) and jam (4).
# bob had eggs; his next basket is eggs alone, at rank 2. cat had tea and milk; her next basket is rice, which train does not have.
EARLIER = {"ann": ["milk", "bread", "jam"], "bob": ["eggs"], "cat": ["tea", "milk"]}
NEXT = {"ann": ["milk", "jam", "tea", "figs"], "bob": ["eggs"], "cat": ["rice"]}
LISTED = {
    "ann": ["milk", "eggs", "tea", "jam"],
    "bob": ["milk", "eggs", "bread", "tea"],
    "cat": ["tea", "milk", "rice", "jam"],
}


def rows(baskets, extra=lambda rank: ()):
    return [(user, item, *extra(rank)) for user, items in baskets.items() for rank, item in enumerate(items, 1)]


@pytest.fixture
def next_basket(evaluate):
    """Return a function that evaluates lists for the next baskets after earlier ones, and returns the result."""

    def run(earlier, following, lists, k, metrics, **options):
        return evaluate(
            table(["user", "item"], rows(following)),
            table(["user", "item", "rank"], rows(lists, lambda rank: (rank,))),
            train=table(["user", "item"], rows(earlier)),
            metrics=metrics,
            top_k=[k],
            **options,
        )

    return run


def test_baskets_worked_by_hand(next_basket):
    result = next_basket(EARLIER, NEXT, LISTED, 4, ["Recall", "HitRate", "nDCG", "RepeatShare", "ExploreShare"], by="rows.repeat")
    # repeat: ann's milk and jam are both found, bob's eggs are; cat repeats nothing and does not count.
    # explore: ann's tea of tea and figs, cat's rice at rank 3; bob explores nothing and does not count.
    assert by_group(result, "Recall@4")["rows.repeat"] == {"repeat": (1, 2), "explore": (0.75, 2)}
    assert by_group(result, "HitRate@4")["rows.repeat"] == {"repeat": (1, 2), "explore": (1, 2)}
    # Cornac 3.0.1 has the same six numbers, with exclude_unknowns=False
    ideal = 1 + 1 / math.log2(3)
    repeat = [(1 + 1 / math.log2(5)) / ideal, 1 / math.log2(3)]
    explore = [(1 / math.log2(4)) / ideal, 1 / math.log2(4)]
    groups = by_group(result, "nDCG@4")["rows.repeat"]
    assert groups == {"repeat": (pytest.approx(fmean(repeat)), 2), "explore": (pytest.approx(fmean(explore)), 2)}
    # of four ranks ann has 2 that she bought before (milk, jam), bob 1 (eggs), cat 2 (tea, milk)
    shares = {row.measure: row.value for row in result.rows if row.measure in ("RepeatShare@4", "Novelty@4")}
    assert shares == {"RepeatShare@4": pytest.approx(5 / 12), "Novelty@4": pytest.approx(7 / 12)}


def published(earlier, following, lists, k):
    """Return the numbers of the published code: recall and hit rate of repeated and new items, and the share of repeated ranks."""
    found = {"repeat": [], "explore": []}
    hits = {"repeat": [], "explore": []}
    shares = []
    for user, basket in following.items():
        before, top = set(earlier.get(user, ())), lists[user][:k]
        shares.append(sum(item in before for item in top) / k)
        for name, wanted in (("repeat", set(basket) & before), ("explore", set(basket) - before)):
            if wanted:
                found[name].append(len(wanted & set(top)) / len(wanted))
                hits[name].append(float(not wanted.isdisjoint(top)))
    return found, hits, fmean(shares)


def cornac(earlier, following, lists, k, *, exclude_unknowns):
    """Return the recall of Cornac's NextBasketEvaluation over users with an item in the group.

    Cornac can leave out items that train lacks, in baskets and lists. A user without another item then makes its mean NaN, and is left out
    here.
    """
    known = {item for items in earlier.values() for item in items}
    groups: dict[str, list[float]] = {"repeat": [], "explore": []}
    for user, basket in following.items():
        before = set(earlier.get(user, ()))
        ranked = [item for item in lists[user] if item in known or not exclude_unknowns]
        for name, wanted in (("repeat", set(basket) & before), ("explore", set(basket) - before)):
            relevant = wanted & known if exclude_unknowns else wanted
            if relevant:
                groups[name].append(len(relevant & set(ranked[:k])) / len(relevant))
    return groups


def worlds():
    """Return baskets of 40 users of 30 items, of which five are only in the next baskets; each list has 12 of the others."""
    chance = random.Random(23)
    earlier = {user: chance.sample(range(25), chance.randint(1, 9)) for user in range(40)}
    following = {user: sorted({*chance.sample(range(30), 2), *chance.sample(earlier[user], 1)}) for user in range(40)}
    return earlier, following, {user: chance.sample(range(25), 12) for user in range(40)}


@pytest.mark.parametrize("baskets", [(EARLIER, NEXT, LISTED), worlds()], ids=["by hand", "random"])
@pytest.mark.parametrize("k", [2, 4])
def test_groups_are_those_of_the_published_code(baskets, k, next_basket):
    found, hits, share = published(*baskets, k)
    result = next_basket(*baskets, k, ["Recall", "HitRate", "RepeatShare"], by="rows.repeat")
    for measure, values in (("Recall", found), ("HitRate", hits)):
        expected = {name: (pytest.approx(fmean(group)), len(group)) for name, group in values.items()}
        assert by_group(result, f"{measure}@{k}")["rows.repeat"] == expected
    assert next(row.value for row in result.rows if row.measure == f"RepeatShare@{k}") == pytest.approx(share)


@pytest.mark.parametrize("baskets", [(EARLIER, NEXT, LISTED), worlds()], ids=["by hand", "random"])
def test_groups_are_those_of_cornac_with_unknown_items_and_without(baskets, next_basket):
    every, known = (cornac(*baskets, 4, exclude_unknowns=excluded) for excluded in (False, True))
    result = next_basket(*baskets, 4, ["Recall"], by=["rows.repeat", "rows.repeat*rows.new_item"])
    groups = by_group(result, "Recall@4")
    assert groups["rows.repeat"] == {name: (pytest.approx(fmean(values)), len(values)) for name, values in every.items()}
    crossed = groups["rows.repeat*rows.new_item"]
    assert crossed["repeat*known"] == groups["rows.repeat"]["repeat"]
    assert crossed["explore*known"] == (pytest.approx(fmean(known["explore"])), len(known["explore"]))


def test_a_list_that_is_too_short_is_divided_by_its_length_and_not_by_k(next_basket):
    # the published code divides ann's 2 repeated ranks by k = 8, and not by the 4 ranks of her list
    result = next_basket(EARLIER, {"ann": NEXT["ann"]}, {"ann": LISTED["ann"]}, 8, ["RepeatShare"])
    assert result.rows[0].value == 2 / 4
    assert published(EARLIER, {"ann": NEXT["ann"]}, LISTED, 8)[2] == 2 / 8
