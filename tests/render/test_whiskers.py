"""Intervals drawn in a line of text."""

from __future__ import annotations

from msgspec.structs import replace
from receval.documents.document import Interval
from receval.render.layout import pictures

ONE = Interval(0.5, 0.25, 1.0, margin=0.25)


def drawn(*intervals, room=17):
    return [picture.replace("\u00a0", " ") for picture in pictures(intervals, room) or []]


def test_all_intervals_are_drawn_to_one_scale_around_zero():
    other = replace(ONE, value=-0.5, low=-0.75, high=-0.25, margin=None)
    assert drawn(ONE, other) == [
        "      ░░│░├─●───┤",
        "  ├─●─┤ │        ",
    ]


def test_a_drawing_has_an_odd_number_of_columns_and_is_left_out_without_room():
    assert len(drawn(ONE, room=40)[0]) == 39
    assert len(drawn(ONE, room=1000)[0]) == 41
    assert pictures([ONE], 12) is None


def test_a_row_without_an_interval_has_only_the_zero_line():
    assert drawn(ONE, None)[1] == "        │        "
    assert pictures([None], 40) is None
