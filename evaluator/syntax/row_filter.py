"""Row filters such as `event == 'purchase' and rating >= 3`, read into a tree that each engine turns into its own expression.

filter    = term { "or" term }
term      = factor { "and" factor }
factor    = "not" factor | "(" filter ")" | test
test      = column sign value | value sign column
          | column ["not"] "in" "(" value { "," value } ")"      (square brackets work as well)
          | column "is" ["not"] "null"
sign      = "==" | "=" | "!=" | "<>" | "<" | "<=" | ">" | ">="
value     = number | 'text' | "text" | true | false
column    = word, or any name in backticks or (left of a sign) in double quotes
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple, Union

from msgspec import Struct

from ..support.patterns import regex

Value = Union[str, int, float, bool]


class ColumnTest(Struct, frozen=True):
    """A comparison of a column with a value: `sign` is one of ==, !=, <, <=, > and >=."""

    column: str
    sign: str
    value: Value


class OneOf(Struct, frozen=True):
    """A test that the value of a column is one of `values`."""

    column: str
    values: tuple[Value, ...]


class Missing(Struct, frozen=True):
    """A test that a column has no value."""

    column: str


class Negation(Struct, frozen=True):
    """The opposite of a condition. A row without a value in a compared column passes neither of the two."""

    part: Condition


class Junction(Struct, frozen=True):
    """Several conditions: all of them must be true (`and`), or at least one (`or`)."""

    word: str
    parts: tuple[Condition, ...]


Condition = Union[ColumnTest, OneOf, Missing, Negation, Junction]

LONGEST: Final = 10_000
"""Most characters of a filter."""
_DEEPEST: Final = 50
_MIRRORED: Final = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_SAME: Final = {"=": "==", "<>": "!="}
_WORDS: Final = ("and", "or", "not", "in", "is", "null", "true", "false")
_MEANT: Final = {"=>": ">=", "=<": "<=", "===": "==", "&": "and", "&&": "and", "|": "or", "||": "or", "!": "not", "~": "not"}
_DATE: Final = regex(r"\d{4}[-/]\d\d?[-/]\d")
_HINTS: Final = {"null": "; write COLUMN is null"}
_TOKEN: Final = regex(
    r"""\s*(?:(?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.]))
          |(?P<text>'(?:[^']|'')*')
          |(?P<column>"(?:[^"]|"")*"|`[^`]*`)
          |(?P<word>[^\W\d][\w.]*)
          |(?P<mark>===|==|=>|=<|!=|<>|<=|>=|&&|\|\||[=<>()\[\],&|!~])
          |(?P<odd>\S))""",
    re.VERBOSE,
)


class _Token(NamedTuple):
    kind: str
    text: str
    start: int


def parse_filter(text: str) -> Condition:
    """Return the condition that a text describes; `ValueError` with the character where reading failed, and the expected token."""
    if len(text) > LONGEST:
        raise ValueError(f"a filter may have at most {LONGEST:,} characters, not {len(text):,}")
    reader = _Reader(
        text,
        [_Token(found.lastgroup or "", found[found.lastgroup or 0], found.start(found.lastgroup or 0)) for found in _TOKEN.finditer(text)],
    )
    condition = reader.junction("or", 0)
    if reader.next < len(reader.tokens):
        raise reader.unexpected("'and', 'or' or the end")
    return condition


def columns_of(condition: Condition) -> tuple[str, ...]:
    """Return the names of the columns that a condition reads, each once."""
    return tuple(dict.fromkeys(_columns(condition)))


def in_filter(column: str) -> str:
    """Return the name of a column as a filter writes it: in backticks unless it is a plain word."""
    is_plain = re.fullmatch(r"[^\W\d][\w.]*", column) and column.lower() not in _WORDS
    return column if is_plain else f"`{column}`"


def _columns(condition: Condition) -> Iterator[str]:
    match condition:
        case Negation(part):
            yield from _columns(part)
        case Junction(_, parts):
            for part in parts:
                yield from _columns(part)
        case ColumnTest() | OneOf() | Missing():
            yield condition.column


class _Reader:
    """Reader of the tokens of a filter, from left to right."""

    def __init__(self, text: str, tokens: list[_Token]) -> None:
        self.text, self.tokens, self.next = text, tokens, 0

    def junction(self, word: str, depth: int) -> Condition:
        parts = [self.part(word, depth)]
        while self.take_if(word):
            parts.append(self.part(word, depth))
        return Junction(word, tuple(parts)) if len(parts) > 1 else parts[0]

    def part(self, word: str, depth: int) -> Condition:
        return self.junction("and", depth) if word == "or" else self.factor(depth)

    def factor(self, depth: int) -> Condition:
        if depth > _DEEPEST:
            raise ValueError(f"a filter may be nested at most {_DEEPEST} deep")
        if self.take_if("not"):
            return Negation(self.factor(depth + 1))
        if self.take_if("("):
            inner = self.junction("or", depth + 1)
            self.demand(")")
            return inner
        return self.test()

    def test(self) -> Condition:
        value = self.value()
        if value is not None:  # such as 3 <= rating
            sign = self.sign()
            column = self.column() if sign else None
            if column is None:
                raise self.unexpected("a column" if sign else "==, !=, <, <=, > or >=")
            return ColumnTest(column, _MIRRORED.get(sign, sign), value)
        column = self.column()
        if column is None:
            raise self.unexpected("a column, a value, not or (")
        sign = self.sign()
        return ColumnTest(column, sign, self.demand_value()) if sign else self.column_condition(column)

    def column_condition(self, column: str) -> Condition:
        """Return the test `is null` or `in` after a column without a sign."""
        if self.take_if("is"):
            negated = self.take_if("not")
            self.demand("null")
            return Negation(Missing(column)) if negated else Missing(column)
        negated = self.take_if("not")
        if not self.take_if("in"):
            raise self.unexpected("in" if negated else "==, !=, <, <=, >, >=, in or is")
        closing = "]" if self.take_if("[") else ")"
        if closing == ")":
            self.demand("(")
        values = [self.demand_value()]
        while self.take_if(","):
            values.append(self.demand_value())
        self.demand(closing)
        return Negation(OneOf(column, tuple(values))) if negated else OneOf(column, tuple(values))

    def demand_value(self) -> Value:
        """Take a value where only a value is allowed; here double quotes are around texts, too."""
        value = self.value()
        if value is None and self.peek().text.startswith('"'):
            value = self.column()
        if value is None:
            raise self.unexpected("a number, a text in quotes, true or false")
        return value

    def value(self) -> Value | None:
        """Take a value if one is next."""
        kind, text, _ = self.peek()
        value: Value | None = None
        if kind == "number":
            whole = re.fullmatch(r"([+-]?\d{1,38})(\.0*)?", text)  # an id may need more digits than a floating-point number has
            value = int(whole[1]) if whole else float(text)
        elif kind == "text":
            value = text[1:-1].replace("''", "'")
        elif kind == "word" and text.lower() in ("true", "false"):
            value = text.lower() == "true"
        self.next += value is not None
        return value

    def column(self) -> str | None:
        """Take the name of a column if one is next."""
        kind, text, _ = self.peek()
        if kind == "column":
            self.next += 1
            return text[1:-1].replace('""', '"')
        if kind == "word" and text.lower() not in _WORDS:
            self.next += 1
            return text
        return None

    def sign(self) -> str:
        """Take the sign of a comparison if one is next; otherwise return an empty text."""
        text = self.peek().text
        if text not in ("==", "=", "!=", "<>", "<", "<=", ">", ">="):
            return ""
        self.next += 1
        return _SAME.get(text, text)

    def take_if(self, text: str) -> bool:
        """Take the next token if it is this word or mark, and return whether it was."""
        kind, found, _ = self.peek()
        same = kind in ("word", "mark") and found.lower() == text
        self.next += same
        return same

    def demand(self, text: str) -> None:
        if not self.take_if(text):
            raise self.unexpected(text)

    def peek(self) -> _Token:
        return self.tokens[self.next] if self.next < len(self.tokens) else _Token("end", "", len(self.text))

    def unexpected(self, token: str) -> ValueError:
        kind, text, start = self.peek()
        if kind == "end":
            return ValueError(f"cannot read the filter {self.text!r}: it ends where {token} was expected")
        hint = (
            f"; write {_MEANT[text]}"
            if text in _MEANT
            else "; put dates and times in quotes"
            if kind in ("number", "odd", "mark", "word") and _DATE.match(self.text, self.tokens[self.next - 1].start if self.next else 0)
            else _HINTS.get(text.lower(), f"; write '{text}'")
            if kind == "word" and "quotes" in token
            else ""
        )
        return ValueError(f"cannot read the filter {self.text!r}: {text!r} at character {start + 1}, where {token} was expected{hint}")
