"""The table of shapes."""

from __future__ import annotations

import pytest
from receval.recognise.sampled_values import IdSet
from receval.recognise.shapes import SHAPES, padding_of


def test_every_shape_has_its_own_name_and_an_example() -> None:
    assert len({shape.name for shape in SHAPES}) == len(SHAPES)
    assert all(shape.examples for shape in SHAPES)


@pytest.mark.parametrize(
    ("rows", "padding"),
    [
        ([("1", "2", "3"), ("4", "-1", "-1")], ("-1",)),
        ([("1", "2", "3"), ("4", "5", "-1")], ("-1",)),
        ([("-7", "2", "3"), ("4", "5", "-1")], ()),
        ([("1", "2", "3"), ("4", "0", "0")], ("0",)),
        ([("1", "2", "3"), ("4", "5", "0")], ()),
        ([("a", "b", "c"), ("d", "e", "0")], ("0",)),
        ([("806", "3215"), ("1576", "0")], ("0",)),
        ([("0", "2", "3"), ("4", "0", "5")], ()),
        ([("1", "2", "nan"), ("4", "nan", "nan")], ("nan",)),
    ],
)
def test_what_fills_up_lists_is_only_at_their_ends(rows: list[tuple[str, ...]], padding: tuple[str, ...]) -> None:
    assert padding_of(rows, IdSet()) == padding
