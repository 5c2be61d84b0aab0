"""Names that are too long for the screen lose their middle; names of measures are cut between words."""

from __future__ import annotations

import re

import pytest
from receval.render.terminal import Screen

MEASURE = "Precision(threshold=4,missing_lists=drop,average=micro)@2"
SCREEN = Screen(None, False, "utf-8", None)
WORD = re.compile(r"[\w.]+")


@pytest.mark.parametrize("room", range(24, len(MEASURE)))
def test_a_measure_is_never_cut_inside_a_word(room):
    shown = SCREEN.cut(MEASURE, room)
    start, gap, end = shown.partition("…")
    assert gap
    assert room / 2 <= len(shown) <= room
    words, first, last = WORD.findall(MEASURE), WORD.findall(start), WORD.findall(end)
    assert first
    assert last
    assert first == words[: len(first)]
    assert last == words[-len(last) :]


def test_names_without_parameters_or_room_are_cut_anywhere():
    assert SCREEN.cut("a-rather-long-name-of-a-model", 11) == "a-rat…model"
    assert len(SCREEN.cut(MEASURE, 5)) <= 5
    assert len(SCREEN.cut("f(" + "x," * 5_000 + ")", 40)) <= 40


def test_the_aggregate_of_a_measure_stays():
    assert SCREEN.cut("MAP(convention=elliot)@5 (ci95)", 20) == "MAP…elliot)@5 (ci95)"


def test_a_name_that_fits_is_whole():
    assert SCREEN.cut(MEASURE, len(MEASURE)) == MEASURE
