"""The values of a sampled column: their kind, their forms, and the ids and numbers that they are."""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import cached_property, lru_cache
from itertools import islice, pairwise
from typing import Any, Final, Literal

from ..load.column_words import words_of
from ..load.scan import BOOLEANS, NO_VALUE
from ..support.patterns import regex
from ..support.quoting import MOST as MOST_QUOTED
from .names import MOST

Kind = Literal["integer", "whole", "decimal", "comma", "boolean", "date", "time", "text", "empty"]
"""`whole` is an integer written `12.0`, `comma` a decimal such as `3,5`, `time` a number of seconds (or parts) since 1970."""
INTEGER: Final = regex(r"[+-]?\d+")
NUMBER: Final = regex(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|nan|NaN|-?inf")
LABELLED: Final = regex(r"(.+)[-:](\d)(?:\.0)?")
"""An item with its label behind it: `n7-1`."""
_COMMA: Final = regex(r"[+-]?\d+(,\d+)?")
_WHOLE: Final = regex(r"-?\d+\.0+")
_DATE: Final = regex(r"\d{4}-\d\d?-\d\d?([T ].*)?|\d\d?[/.]\d\d?[/.]\d{4}( .*)?|\d{4}/\d\d?/\d\d?( .*)?")
_UUID: Final = regex(r"[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}|(?=.*[a-f])[0-9a-f]{16,64}")
_BRACKETED: Final = regex(r"""'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^\s,'"]+)""")
_SCALAR: Final = regex(r"np\.\w+\(([^()]*)\)")
_EPOCHS: Final = ((6.3e8, 2.1e9), (6.3e11, 2.1e12), (6.3e14, 2.1e15), (6.3e17, 2.1e18))
"""1990 to 2036 in seconds, milliseconds, microseconds and nanoseconds."""
_TRUTHS: Final = {word: float(number) for word, number in BOOLEANS.items()}
_LOOKED_AT: Final = 300
"""Number of distinct values that decide the kind of a column."""
_DENSE: Final = 0.2
"""Integers of which more than this share of their range is known say nothing: popular ids are small, so dense ids overlap."""
_TEXT_CHANCE: Final = 0.02
"""The chance that a text is also in an unrelated column."""
_INDEX_WORDS: Final = frozenset(("", "index", "unnamed", "level", "row", "rowid", "rownumber", "line"))


class IdSet(frozenset[str]):
    """A set of ids."""

    @cached_property
    def integers(self) -> list[int]:
        """Those that are integers, in order."""
        return sorted(int(text) for text in self if INTEGER.fullmatch(text))


@lru_cache(1 << 15)
def form_of(text: str) -> str:
    """Return the form of a text: `i015` and `B00X1K` are a9, `Toy Story` is a a, 12 is 9."""
    if text.isalnum() and not text.isdigit() and not text.isalpha():
        return "a9"
    return "U" if _UUID.fullmatch(text) else re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", "9", text.removeprefix("-")))


@lru_cache(1 << 15)
def number_of(text: str) -> float | None:
    """Return the number that a text is, 1 or 0 for words such as True and no; `None` for another text."""
    try:
        return _TRUTHS[text.lower()] if text[:1].isalpha() and text.lower() in _TRUTHS else float(text)
    except ValueError:
        return float(text.replace(",", ".")) if _COMMA.fullmatch(text) else None


def share(values: Sequence[Any], holds: Callable[[Any], Any]) -> float:
    """Return the share of values for which `holds` is true; 0 of none."""
    return sum(map(bool, map(holds, values))) / len(values) if values else 0.0


class SampledColumn:
    """A column of a sample: texts, or lists of texts; missing values are empty texts.

    `place` counts from 1, `name` is `None` without a header, and `preset` the role that the format gives it.
    """

    def __init__(self, name: str | None, place: int, values: Sequence[Any], preset: str = "", *, is_typed: bool = False) -> None:
        self.name, self.place, self.preset = name, place, preset
        self.values: Sequence[Any] = values
        self.is_list = any(isinstance(value, list) for value in values)
        self.is_bracketed = False
        if not self.is_list and not is_typed and any(values) and all(_is_bracketed(value) for value in values if value):
            self.values, self.is_list, self.is_bracketed = list(map(_in_brackets, values)), True, True
        self.is_named = bool(name) and not (name or "").isdigit()
        words = "".join(words_of(name)) if name is not None and not name.isdigit() else "no index"
        self.is_index = words in _INDEX_WORDS and self.counts_rows

    def only(self, rows: Sequence[int]) -> SampledColumn:
        """Return the column of some of its rows."""
        found = SampledColumn(self.name, self.place, [self.values[row] for row in rows], self.preset, is_typed=True)
        found.is_list, found.is_bracketed = self.is_list, self.is_bracketed
        return found

    @property
    def key(self) -> str | int:
        """Its name, or its position without one that can be pasted."""
        return self.name if self.name and len(self.name) <= MOST_QUOTED else self.place

    @cached_property
    def parts(self) -> list[str]:
        """The single values, those of lists too, without missing ones."""
        return [part for value in self.values for part in value if part] if self.is_list else [value for value in self.values if value]

    @cached_property
    def distinct(self) -> set[str]:
        """The distinct values."""
        return set(self.parts)

    @cached_property
    def ids(self) -> IdSet:
        """The distinct values as ids, `12.0` as 12."""
        return IdSet(map(plain, self.distinct) if self.kind == "whole" else self.distinct)

    @cached_property
    def numbers(self) -> list[float | None]:
        """The numbers that the values are, row by row; of lists value by value."""
        return [number_of(value) for value in (self.parts if self.is_list else self.values)]

    @cached_property
    def forms(self) -> Counter[str]:
        """How often each form occurs."""
        return Counter(map(form_of, self.parts[:_LOOKED_AT]))

    @cached_property
    def is_unique(self) -> bool:
        """True if no value is repeated."""
        return len(self.distinct) == len(self.values)

    @cached_property
    def runs(self) -> int:
        """The number of runs of equal values."""
        return 1 + sum(bool(a != b) for a, b in pairwise(self.values))

    @cached_property
    def is_grouped(self) -> bool:
        """True if equal values are together."""
        return self.runs <= 1.3 * len(self.distinct)

    @cached_property
    def as_ids(self) -> list[Any]:
        """The values without the `.0` that pandas writes after whole numbers."""
        if self.kind != "whole":
            return list(self.values)
        return [list(map(plain, value)) if self.is_list else plain(value) for value in self.values]

    @cached_property
    def kind(self) -> Kind:
        """The kind of its values."""
        every = list(islice(self.distinct, _LOOKED_AT))
        some = [text for text in every if text.lower() not in NO_VALUE] or every
        if not some:
            return "empty"
        digits = "".join(some)
        are_digits = digits.isascii() and digits.isdigit()
        if are_digits or all(map(NUMBER.fullmatch, some)):
            numbers = [number for number in map(number_of, some) if number is not None and math.isfinite(number)]
            if len(some) > 1 and numbers and _are_times(some, numbers):
                return "time"
            if are_digits or all(map(INTEGER.fullmatch, some)):
                return "integer"
            return "whole" if all(_WHOLE.fullmatch(text) or INTEGER.fullmatch(text) for text in some) else "decimal"
        if all(text.lower() in _TRUTHS for text in some):
            return "boolean"
        if all(map(_COMMA.fullmatch, some)):
            return "comma"
        return "date" if all(map(_DATE.fullmatch, some)) else "text"

    @cached_property
    def is_mostly_numbers(self) -> bool:
        """True if most values are numbers: the others are faults, which `load` reports."""
        return self.kind == "text" and 3 * sum(number is not None for number in self.numbers) >= 2 * len(self.numbers)

    @cached_property
    def counts_rows(self) -> bool:
        """True if the values count the rows, from 0 or 1."""
        is_long = len(self.values) > 2 or (self.name == "" and bool(self.values))
        start = self.values[0] if is_long else ""
        return start in ("0", "1") and all(value == str(row) for row, value in enumerate(self.values, int(start)))


def _are_times(texts: Sequence[str], numbers: Sequence[float]) -> bool:
    """Return whether numbers are times since 1970: no zeros in front, and nanoseconds end in zeros, unlike ids of tweets."""
    lowest, highest = min(numbers), max(numbers)
    is_fine = lowest >= _EPOCHS[-1][0] and not all(text.endswith("000") for text in texts)
    return not is_fine and texts[0][0] != "0" and any(low <= lowest and highest <= high for low, high in _EPOCHS)


def plain(text: str) -> str:
    """Return a whole number without its decimals: 12 for `12.0`; another text unchanged."""
    return text[: text.index(".")] if _WHOLE.fullmatch(text) else text


def _in_brackets(text: str) -> list[str]:
    """Return the items of a list that JSON, Python or NumPy writes."""
    found = [a or b or c for a, b, c in _BRACKETED.findall(_SCALAR.sub(r"\1", text[1:-1]))]
    if "\\" not in text:
        return found
    with suppress(UnicodeDecodeError):
        return [item.encode("latin-1", "backslashreplace").decode("unicode_escape") for item in found]
    return found


def _is_bracketed(text: Any) -> bool:
    return isinstance(text, str) and text[:1] in "[(" and text[-1:] in "])"


def overlap(ids: IdSet, known: IdSet) -> float:
    """Return the bits that ids in common say, -6 to 12: n · KL(share in common ‖ share by chance).

    By chance an integer is known as often as the integers of that range are; dense ids (1 to 30 among 1 to 30) therefore say nothing.
    """
    n, hits, chance, own, integers = len(ids), len(ids & known), _TEXT_CHANCE, ids.integers, known.integers
    if len(own) > 0.4 * n and len(integers) > 0.9 * len(known):
        low, high = max(own[0], integers[0]), min(own[-1], integers[-1])
        n = bisect_right(own, high) - bisect_left(own, low)
        n_known = bisect_right(integers, high) - bisect_left(integers, low)
        chance = min(max(n_known / max(1, high - low + 1), 0.002), 0.98)
    if n <= 0 or not known:
        return 0.0
    bits = n * sum(p * math.log2(p / q) for p, q in ((hits / n, chance), (1 - hits / n, 1 - chance)) if p > 0)
    if hits < chance * n:
        return -min(MOST / 2, bits) if hits < chance * n / 4 else 0.0
    return min(MOST, bits) if chance < _DENSE else 0.0


class KnownIds:
    """The users and items of another file of the request, and its first line. `is_complete`: all of its rows were read."""

    def __init__(
        self,
        users: Iterable[str] = (),
        items: Iterable[str] = (),
        *,
        first: Sequence[str] = (),
        is_complete: bool = False,
        source: object = None,
    ) -> None:
        self.users, self.items, self.first, self.is_complete, self.source = IdSet(users), IdSet(items), tuple(first), is_complete, source

    def bits(self, ids: IdSet, role: str) -> float:
        """Return what the ids of the other file say for ids as users or items, against the other role."""
        same, other = (self.users, self.items) if role == "user" else (self.items, self.users)
        has_none = bool(same) and self.is_complete and len(ids) > 2 and same.isdisjoint(ids)  # nothing would match
        return max(-MOST, min(MOST, overlap(ids, same) - max(0.0, overlap(ids, other)) - has_none * MOST / 2))
