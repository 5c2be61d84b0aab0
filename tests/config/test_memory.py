"""Amounts of memory in a config."""

from __future__ import annotations

import pytest
from receval.config.run_sections import parse_memory


@pytest.mark.parametrize(
    ("text", "size"), [("1GB", 10**9), ("1.5 GB", 1_500_000_000), ("2GiB", 2**31), ("7kb", 7000), (" 3 MiB ", 3 * 2**20), ("5B", 5)]
)
def test_amounts_are_read(text, size):
    assert parse_memory(text) == size


@pytest.mark.parametrize("text", ["", "GB", "1", "1 XB", "-1GB", "0GB", "one GB", "1GB2"])
def test_other_texts_are_refused_with_an_example(text):
    with pytest.raises(ValueError, match="write a number with a unit, such as 500MB"):
        parse_memory(text)
