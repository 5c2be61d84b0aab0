"""RecBole's atomic files: a type after every name of the header, and lists of words in a field."""

from __future__ import annotations

import pytest

from tests.load.conftest import EXPECTED, look_at

INTER = "user_id:token\titem_id:token\trating:float\ttimestamp:float\n1\t10\t5\t1.5\n1\t11\t4\t2.5\n2\t12\t3\t3.5\n"


@pytest.mark.parametrize("name", ["ml.inter", "ml.test.inter", "inter.csv", "ml.xyz"])
def test_the_types_are_not_part_of_the_names(name, write, evaluate_lists):
    write(name, INTER)
    assert evaluate_lists(test={"path": name, "format": "tsv"} if name.endswith("xyz") else name) == EXPECTED


@pytest.mark.parametrize("rating", ["rating", "rating:float"])
def test_a_column_is_named_with_or_without_its_type(rating, write, evaluate_lists):
    write("ml.inter", INTER)
    assert evaluate_lists(test={"path": "ml.inter", "columns": {"rating": rating}}) == EXPECTED


@pytest.mark.parametrize("categories", ["class", "class:token_seq"])
def test_a_sequence_of_words_is_split_into_categories(categories, write):
    path = write("ml.item", "item_id:token\tmovie_title:token_seq\tclass:token_seq\n10\tToy Story, 2\tAnimation Comedy\n11\tHeat\tDrama\n")
    source = look_at("data.items", "catalogue", path, labels=[categories])
    assert source.scan.names == {"item": "item_id", "label_0": "class"}


def test_a_header_with_other_colons_is_not_changed(write):
    path = write("l.csv", "user_id:token,item,score:double\n1,10,0.5\n")
    source = look_at("data.test", "interactions", path, columns={"user": "user_id:token"})
    assert source.scan.header == ("user_id:token", "item", "score:double")
