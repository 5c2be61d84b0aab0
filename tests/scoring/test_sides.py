"""Side inputs as frames become arrays by item, codes of groups and notes."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from receval.scoring.side_inputs import SideFrames, SideNeeds, prepare_sides
from receval.tables.prepared import Group, Prepared, ProfileGroups

TRAIN = pl.DataFrame({"user": [7, 7, 7, 3, 3, 5], "item": [20, 10, 20, 20, 30, 10], "row": range(6)})
"""Item 20 has three rows of two users, 10 two rows of two users, 30 one."""
TEST = pl.DataFrame({"user": [3, 9], "item": [40, 10], "rating": [2.0, 4.5], "row": [0, 1]})
ITEMS = pl.DataFrame(
    {
        "item": [10, 20, 30, 50],
        "genre": ["b|a", " a ", None, "0"],
        "a": ["1", "no", None, "x"],
        "b": ["", "yes", "0", "y"],
        "age": ["10", "9", "9", ""],
    }
)


NOTHING = SideNeeds()


def prepared(needs: SideNeeds = NOTHING, **frames: pl.DataFrame) -> Prepared:
    return prepare_sides(SideFrames(**({"test": TEST, "train": TRAIN} | frames)), needs)[0]


def column(side: Prepared, name: str, **params: str | float) -> dict[int, float]:
    """Return the values of an item column by id; -1 is an unknown item."""
    return dict(zip([*side.items.ids.to_list(), -1], side.item_column(name, **params).tolist(), strict=True))


def test_popularity_counts_rows_users_and_first_rows() -> None:
    side = prepared()
    assert column(side, "train_rows") == {10: 2, 20: 3, 30: 1, -1: 0}
    assert column(side, "train_users") == {10: 2, 20: 2, 30: 1, -1: 0}
    assert side.train_first.tolist() == [1, 0, 4]
    assert side.numbers == {
        "train_rows": 6, "train_items": 3, "train_users": 3, "least_rows": 1, "train_pairs": 5, "least_users": 1,
        "items": 3, "untrained_items": 0, "least_rating": 2
    }  # fmt: skip


@pytest.mark.parametrize(
    ("params", "tail"),
    [
        ({"ratio": 0.4, "border": "reaches"}, {10: 0, 20: 1, 30: 1, 50: -1, -1: -1}),
        ({"ratio": 0.4, "border": "exceeds"}, {10: 0, 20: 0, 30: 1, 50: -1, -1: -1}),
        ({"ratio": 0.5, "border": "reaches", "count": "rows"}, {10: 1, 20: 0, 30: 1, 50: -1, -1: -1}),
        ({"ratio": 0.5, "border": "exceeds", "count": "rows"}, {10: 0, 20: 0, 30: 1, 50: -1, -1: -1}),
        ({"ratio": 0.5, "border": "exceeds", "untrained": "tail"}, {10: 0, 20: 0, 30: 1, 50: 1, -1: -1}),
        ({"ratio": 0.1, "border": "least_popular"}, {10: 0, 20: 0, 30: 1, 50: -1, -1: -1}),
        ({"ratio": 2.0, "border": "least_popular"}, {10: 1, 20: 1, 30: 1, 50: -1, -1: -1}),
        ({"ratio": 2.0, "border": "least_popular", "count": "rows"}, {10: 1, 20: 0, 30: 1, 50: -1, -1: -1}),
    ],
)
def test_the_tail_begins_at_the_set_border(params: dict[str, str | float], tail: dict[int, float]) -> None:
    assert column(prepared(items=ITEMS), "tail", **params) == tail


def test_items_have_ranks_by_popularity() -> None:
    side = prepared(items=ITEMS)
    assert column(side, "dense_rank", count="users") == {10: 1, 20: 1, 30: 2, 50: 0, -1: 0}
    assert column(side, "dense_rank", count="rows") == {10: 2, 20: 1, 30: 3, 50: 0, -1: 0}
    assert column(side, "mean_rank", by="users") == pytest.approx({10: 2.5 / 3, 20: 2.5 / 3, 30: 1 / 3, 50: 0, -1: 0})
    assert column(side, "mean_rank", by="rows") == pytest.approx({10: 2 / 3, 20: 1, 30: 1 / 3, 50: 0, -1: 0})


def test_popular_items_of_train_and_test_together() -> None:
    side = prepared(SideNeeds(test_popularity=True))
    both = {"source": "train_and_test", "count": "rows"}
    assert column(side, "pop", source="train", count="users") == pytest.approx({10: 2 / 3, 20: 2 / 3, 30: 1 / 3, 40: 0, -1: 0})
    assert column(side, "pop", source="train", count="rows") == pytest.approx({10: 2 / 3, 20: 1, 30: 1 / 3, 40: 0, -1: 0})
    assert column(side, "pop", **both) == {10: 0.75, 20: 0.75, 30: 0.25, 40: 0.25, -1: 0}
    assert column(side, "pop", **both | {"count": "users"}) == {10: 0.75, 20: 0.5, 30: 0.25, 40: 0.25, -1: 0}
    assert column(side, "popular", share=0.25, ties="id", **both) == {10: 1, 20: 0, 30: 0, 40: 0, -1: 0}
    assert column(side, "popular", share=0.25, ties="first_row", **both) == {10: 0, 20: 1, 30: 0, 40: 0, -1: 0}
    assert column(side, "popular", share=0.67, ties="id", source="train", count="users") == {10: 1, 20: 1, 30: 0, 40: 0, -1: 0}


def test_a_test_row_of_a_train_pair_does_not_add_a_user() -> None:
    repeated = pl.DataFrame({"user": [3, 3, 9, 9], "item": [20, 40, 40, 40], "row": range(4)})
    side = prepared(SideNeeds(test_popularity=True), test=repeated)
    # Users of 20: 7 and 3, who have it in train; of 40: 3 and 9. Users 3, 5, 7, 9.
    assert column(side, "pop", source="train_and_test", count="users") == {10: 0.5, 20: 0.5, 30: 0.25, 40: 0.5, -1: 0}
    assert column(side, "pop", source="train_and_test", count="rows") == {10: 0.5, 20: 1, 30: 0.25, 40: 0.75, -1: 0}


def test_users_are_grouped_by_the_share_of_popular_items() -> None:
    by_id, by_row = (ProfileGroups("train", "rows", 0.34, ties, "0.4;0.6") for ties in ("id", "first_row"))
    side = prepared(SideNeeds(profile_groups=(by_id, by_row)))
    # The popular item is 20: user 7 has it among two items, user 3 too, user 5 has another one.
    for choice, codes in ((by_id, [1, 2, 2]), (by_row, [2, 2, 1])):
        users, groups = side.profile_groups[choice]
        assert (users.ids.to_list(), groups.tolist()) == ([3, 5, 7], codes)


def test_the_catalogue_is_the_items_file_if_there_is_one() -> None:
    side, remarks = prepare_sides(SideFrames(train=TRAIN, items=ITEMS.filter(pl.col("item") > 10)), SideNeeds())
    assert column(side, "is_known", of="train") == {10: 1, 20: 1, 30: 1, 50: 0, -1: 0}
    assert column(side, "is_known", of="catalogue") == {10: 0, 20: 1, 30: 1, 50: 1, -1: 0}
    assert (side.numbers["items"], side.numbers["untrained_items"], remarks) == (3, 1, ())


def test_categories_are_split_or_a_column_each() -> None:
    split, remarks = prepare_sides(SideFrames(train=TRAIN, items=ITEMS), SideNeeds((("genre", "genre"),), "|"))
    assert split.groups["categories"] == (Group("0", 1, 1), Group("a", 2, 2), Group("b", 3, 1))
    assert list(zip(split.category_item.tolist(), split.category_code.tolist(), strict=True)) == [(0, 2), (0, 3), (1, 2), (3, 1)]
    assert split.category_sets == (1, 2, 6)
    assert {name: split.numbers[name] for name in ("categories", "train_categories", "items_without_category")} == {
        "categories": 3, "train_categories": 2, "items_without_category": 1
    }  # fmt: skip
    assert remarks == ("data.items: 1 of 4 items have no category; they count as items without any.",)
    columns = prepared(SideNeeds((("is_a", "a"), ("is_b", "b"))), items=ITEMS)
    assert columns.groups["categories"] == (Group("is_a", 1, 2), Group("is_b", 2, 2))


def test_groups_have_codes_and_notes() -> None:
    users = pl.DataFrame({"user": [3, 3, 7], "side": ["right", "left", "left"]})
    needs = SideNeeds(item_groups={"age": "age"}, user_groups={"side": "side"})
    side, remarks = prepare_sides(SideFrames(test=TEST, train=TRAIN, items=ITEMS, users=users), needs)
    assert side.groups["items.age"] == (Group("9", 2, 2), Group("10", 1, 1))
    assert column(side, "group", column="age") == {10: 1, 20: 2, 30: 2, 50: 0, -1: 0}
    assert (side.group_users["side"].ids.to_list(), side.user_groups["side"].tolist()) == ([3, 7], [1, 1])
    assert remarks == (
        "data.items: the age 10 has one member.",
        "data.users: side has 1 group: there is nothing to compare.",
        "1 test user has no side in data.users and is left out where groups are compared",
    )


def test_policy_and_distances_have_each_pair_once() -> None:
    policy = pl.DataFrame({"item": [1, 1, 2, 3], "score": [0.5, 0.7, 0.0, -1.0]})
    distances = pl.DataFrame({"item": [1, 1, 2, 3], "other": [2, 2, 1, 1], "distance": [0.4, 0.3, 0.9, -0.1]})
    side, remarks = prepare_sides(SideFrames(previous_policy=policy, distances=distances), SideNeeds())
    assert side.policy is not None
    assert side.distances is not None
    assert dict(side.policy.rows()) == {1: 0.7, 2: 0.0, 3: -1.0}
    assert {(item, other): value for item, other, value in side.distances.rows()} == {(1, 2): 0.3, (2, 1): 0.9, (3, 1): -0.1, (1, 3): -0.1}
    assert remarks == (
        "data.previous_policy: 1 score is 0; without an activation such a pair gets the largest possible weight.",
        "data.previous_policy: 1 score is below 0; without an activation such a pair gets the smallest possible weight.",
        "data.distances: 2 distances are below 0 and are used as they are.",
    )


def test_ids_may_be_text() -> None:
    text = prepared(
        train=TRAIN.with_columns(pl.col("user", "item").cast(pl.String)), test=TEST.cast({"user": pl.String, "item": pl.String})
    )
    number = prepared()
    assert text.items.ids.to_list() == [str(item) for item in number.items.ids.to_list()]
    assert all(np.array_equal(getattr(text, name), getattr(number, name)) for name in ("train_rows", "train_users", "train_first"))


def test_categories_that_look_like_lists_and_are_not_split_are_named() -> None:
    items = pl.DataFrame({"item": [10, 20, 30], "genre": ["a|b", "b|c", "a"]})
    needs = SideNeeds(category_columns=(("genre", "genre"),))
    frames = SideFrames(test=TEST, train=TRAIN, items=items)
    counted = "data.items: 2 of 3 categories contain '|', such as 'a|b', and count as one category each"
    assert f"{counted}; to split them, set data.items.split: '|'." in prepare_sides(frames, needs)[1]
    assert prepare_sides(frames, SideNeeds(category_columns=(("genre", "genre"),), split="|"))[1] == ()
