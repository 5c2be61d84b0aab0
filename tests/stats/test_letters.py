"""Letters: models that share a letter have no clear difference."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from receval.stats.concluding import judge_family
from receval.stats.difference import Settings, Subject
from receval.stats.letters import different_pairs, letter_groups, letters
from receval.stats.two_models import compare_paired

MODELS = ("als", "bpr", "cf", "deep", "ease")
PAIRS = [frozenset(pair) for pair in combinations(MODELS, 2)]


@given(st.sets(st.sampled_from(PAIRS)))
def test_two_models_share_a_letter_exactly_if_they_have_no_clear_difference(different):
    found = letters(MODELS, different)
    shared = {pair for pair in PAIRS if set.intersection(*(set(found[model]) for model in pair))}
    assert shared == set(PAIRS) - different
    assert all(found.values())


@given(st.sets(st.sampled_from(PAIRS)), st.randoms(use_true_random=False))
def test_letters_do_not_depend_on_the_order_of_pairs_and_none_is_superfluous(different, random):
    shuffled = random.sample(sorted(different, key=sorted), len(different))
    groups = letter_groups(MODELS, shuffled)
    assert groups == letter_groups(MODELS, different)
    assert not [first for first, other in combinations(map(set, groups), 2) if first <= other or other <= first]


def test_letters_of_a_textbook_case():
    assert letters(("a", "b", "c"), [frozenset("ac")]) == {"a": "a", "b": "ab", "c": "b"}
    assert letters(("a",), []) == {"a": "a"}


def test_more_than_26_groups_have_no_letters():
    models = [str(i) for i in range(27)]
    assert letters(models, [frozenset(pair) for pair in combinations(models, 2)]) is None


def test_models_whose_corrected_p_values_are_small_share_no_letter():
    noise = np.random.default_rng(0).normal(0, 0.1, (3, 300))
    values = {"als": 0.5 + noise[0], "bpr": 0.5 + noise[1], "cf": 0.2 + noise[2]}
    pairs = list(combinations(values, 2))
    found = [compare_paired(Subject("nDCG@10", *pair), values[pair[0]], values[pair[1]], Settings()) for pair in pairs]
    judged = judge_family(found, Settings())
    assert different_pairs(judged) == {frozenset(("als", "cf")), frozenset(("bpr", "cf"))}
    assert letters(("als", "bpr", "cf"), different_pairs(judged)) == {"als": "a", "bpr": "a", "cf": "b"}
