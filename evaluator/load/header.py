"""Whether the first line of separated text names the columns."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Final

from msgspec import Struct

from .columns import is_certain_name, names_a_column, usual_roles
from .sniff import is_number

TYPED_NAME: Final = re.compile(r"(?P<name>[^:]+):(token|token_seq|float|float_seq)")
"""A column name of a RecBole file."""


class Header(Struct, frozen=True):
    """Whether the first line names the columns, whether that is doubtful, and whether the config and the line contradict each other."""

    is_there: bool
    is_doubtful: bool = False
    is_contradicted: bool = False


def header_of(rows: Sequence[Sequence[str]], given: bool | None, columns: Collection[str | int], split: str | None) -> Header:
    """Decide whether the first of `rows`, the fields of the first lines, names the columns.

    It does if the config says so (`given`), if it holds a name that the config gives in `columns`, or if its fields have types as in
    RecBole's files. It does not if the config gives `columns` by position only: usual names of two columns contradict that. Else it
    does if it holds usual names of two columns, or of one and no number (or numbers in all rows below some word), or if it holds neither a
    number nor a list, whose items `split` separates.
    """
    first, *below = rows
    roles = [usual_roles(field) for field in first if names_a_column(field)]
    names_two = len(roles) > 1 and len(frozenset[str]().union(*roles)) > 1
    is_above_numbers = any(_is_above_numbers(index, first, below) for index in range(len(first)))
    if given is not None:
        return Header(given)
    if all(TYPED_NAME.fullmatch(field.strip()) for field in first) or {field.strip() for field in first} & set(columns):
        return Header(True)
    if columns and all(isinstance(column, int) for column in columns):
        return Header(False, is_doubtful=bool(roles) or is_above_numbers, is_contradicted=names_two)
    values = [value for field in first for value in (field.split(split) if split else [field])]
    has_value = any(is_number(value) or value.startswith("[") for value in values)
    if not roles:
        return Header(not has_value)
    if names_two or is_above_numbers:
        return Header(True)
    return Header(not has_value, is_doubtful=has_value or not any(map(is_certain_name, first)))


def _is_above_numbers(index: int, first: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Whether a field of the first line is a word, and all rows have numbers below it."""
    values = [row[index] for row in below if index < len(row) and row[index]]
    return bool(values) and bool(first[index].strip()) and not is_number(first[index]) and all(map(is_number, values))
