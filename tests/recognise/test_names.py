"""What names of columns say."""

from __future__ import annotations

import pytest
from receval.load.column_words import words_of
from receval.recognise.names import bits_of, is_generic, is_plural, is_series, meanings, series_part


@pytest.mark.parametrize("name", ["user_id", "userId", "UserID", "user.id", "user-id", "USER ID"])
def test_one_name_is_written_in_many_ways(name: str) -> None:
    assert words_of(name) == ("user", "id")
    assert meanings(name) == {"user": 12}


def test_the_last_word_says_more_than_the_others() -> None:
    assert meanings("product_rating") == {"rating": 9}
    assert meanings("item_foo") == {"item": 5}
    assert meanings("foo") == {}


def test_a_name_of_another_role_speaks_against_a_role() -> None:
    assert bits_of("price", ["item"]) < 0
    assert bits_of("V1", ["item"]) == 0


def test_a_path_says_what_its_last_name_says() -> None:
    assert meanings("items.y_true") == {"rating": 12}
    assert meanings("item.id") == {"item": 12}


def test_an_event_among_the_labels_may_be_the_truth() -> None:
    assert set(meanings("labels.clicks")) == {"rating", "truth"}


def test_plurals_say_what_one_says() -> None:
    assert set(meanings("prices")) == {"other"}


def test_what_is_in_a_history_is_past() -> None:
    assert set(meanings("history.item_id")) == {"side"}
    assert set(meanings("item_history")) == {"side"}


def test_a_question_is_a_judgement() -> None:
    assert set(meanings("is_click")) == {"rating"}


def test_several_ids_are_plural() -> None:
    assert all(map(is_plural, ["items", "item_ids", "targets", "movieIds"]))
    assert not any(map(is_plural, ["item", "item_id", "pos", None, "ms"]))


def test_series_count() -> None:
    assert is_series(["rec_1", "rec_2", "rec_3"])
    assert not is_series(["rec_1", "rec_3"])
    assert not is_series(["4", "5"])
    assert series_part("rec_12") == ("rec", 12)
    assert is_generic("V1")
