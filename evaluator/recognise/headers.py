"""Whether the first line of a file names its columns, in bits."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from ..load.columns import TYPED_NAME
from .names import is_generic, is_series, meanings
from .sampled_values import NUMBER, SampledColumn, form_of, share

SURE: Final = 30.0
"""Bits of what leaves no doubt."""
_FEW: Final = 5
"""A first line with more numbers that count is a header."""


def header_bits(first: Sequence[str], body: Sequence[SampledColumn]) -> tuple[float, str]:
    """Weigh whether the first line names the columns: it is unlike the rows below, which never repeat it, and its texts are names."""
    if not body or len(set(first)) < len(first):
        return (20.0 if not body and all(map(meanings, first)) else -20.0), ""
    if all(map(TYPED_NAME.fullmatch, first)):
        return SURE, "types of RecBole in the header"
    counts = [int(field) for field in first if field.isdigit()]
    is_counted = len(counts) > 1 and counts[0] in (0, 1) and counts == list(range(counts[0], counts[0] + len(counts)))
    is_counted = is_counted and (len(counts) == len(first) - 1 or counts_columns(first))
    if is_counted and first[0] == "":
        return SURE, "an index without name and the columns 0, 1, 2 of pandas"
    bits = sum(_is_name(name, column, is_counted) for name, column in zip(first, body, strict=True)) * min(1.0, 4 / len(first))
    if is_counted and len(counts) > _FEW and not all(map(_is_usual, first[-len(counts) :], body[-len(counts) :])):
        return SURE, "the first line counts columns"
    return bits + (20 if is_series(first[1:]) and not is_counted else 0), "the first line has names"


def counts_columns(first: Sequence[str]) -> bool:
    """Return whether a first line has the names that pandas gives columns without a name: 0, 1, 2."""
    return len(first) > 1 and list(first) == [str(number) for number in range(len(first))]


def _is_usual(value: str, column: SampledColumn) -> bool:
    """Return whether more than a third of a column has a value, as if all lists were the same."""
    return 3 * column.values.count(value) > len(column.values)


def _is_name(name: str, column: SampledColumn, is_counted: bool) -> float:
    """Return the bits that a field of the first line is the name of the column below it."""
    if name == "":
        return 4.0 if column.place == 1 and column.counts_rows else -2.0
    if NUMBER.fullmatch(name):
        return -12.0 if not is_counted else -4.0 if _is_usual(name, column) else 0.0 if name in column.distinct else 2.0
    bits = 6.0 if is_generic(name) else 0.0 if re.search(r"\d", name) else 0.6 * max(meanings(name).values(), default=0.0)
    some = column.parts[:300]
    has_no_letters = name.isalpha() and not any(letter.isalpha() for form in column.forms for letter in form)
    if column.is_list or column.kind not in ("text", "comma", "empty") or has_no_letters:
        bits += 8
    elif name in column.distinct:
        bits -= 10
    elif form_of(name) not in column.forms:
        bits += 3
    else:
        bits += 3 * (name.islower() and share(some, str.islower) < 0.1)
        is_of_length = min(map(len, some)) <= len(name) <= max(map(len, some))
        bits += 1 if not is_of_length else -3 * column.forms[form_of(name)] / column.forms.total()
    if column.distinct and name not in column.distinct and not column.is_list:  # it would be the only value that is not repeated
        once = sum(n == 1 for n in Counter(column.values).values())
        bits += min(5.0, -math.log2(once / len(column.distinct) + 0.02))
    return bits
