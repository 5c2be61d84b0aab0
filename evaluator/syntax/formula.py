"""Arithmetic of measures: `"0.5*nDCG@10 + 0.5*EPC@10"` ⇄ `Formula`. A printed formula reads back as itself.

formula   = product { ("+" | "-") product }           (left associative, as are products)
product   = factor { ("*" | "/") factor }
factor    = ("-" | "+") factor | "(" formula ")" | number | measure
number    = 1, .5, 1e-3, …                            (finite)
measure   = as `measure_strings` reads it; its name has letters, digits and any of _ . -

A hyphen that touches a name on its left belongs to the name, as in `F-Measure`: write a space before a minus after a name. After a cut-off
the same is true of a hyphen before a letter, as in `precision@10-l2`; `nDCG@10-0.5` is a difference. The text between the parentheses of a
measure belongs to it. No name contains `+`, `*` or `/`.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, lru_cache
from typing import Final, NamedTuple, Union

from msgspec import Struct

from ..support.patterns import regex
from .measure_strings import MetricSpec, parse

_MINUS_AT_END: Final = regex(r"[A-Za-z]+(@\d+)?-")
_NUMBERS: Final = regex(r"[A-Za-z]\w*[._]-?[\d.]+(?:,-?[\d.]+)+")
"""A name with numbers that commas separate, as trec_eval writes parameters."""


class Negative(NamedTuple):
    """An operand with a minus before it."""

    operand: Node


class Chain(NamedTuple):
    """Terms of one sum, or factors of one product: each after the first with its operator. Its depth is only that of its parts."""

    first: Node
    rest: tuple[tuple[str, Node], ...]

    @property
    def is_sum(self) -> bool:
        """Return whether its operators are + and -."""
        return self.rest[0][0] in "+-"


Node = Union[float, MetricSpec, Negative, Chain]

Weights = Mapping[Union[MetricSpec, None], float]


def linear_weights(node: Node) -> Weights | None:
    """Return the factor of each measure in a sum, and under `None` the constant.

    `None` if measures are multiplied with each other, a measure or 0 is a divisor, or a weight is not finite.
    """
    if isinstance(node, float):
        return {None: node}
    if isinstance(node, MetricSpec):
        return {node: 1.0}
    if isinstance(node, Negative):
        return _add({}, linear_weights(node.operand), -1.0)
    total = linear_weights(node.first)
    for sign, part in node.rest:
        other = linear_weights(part)
        if total is None or other is None:
            return None
        total = _add(total, other, 1.0 if sign == "+" else -1.0) if sign in "+-" else _multiply(total, other, sign)
    return None if total is None or not all(map(math.isfinite, total.values())) else total


def _add(left: Weights, right: Weights | None, factor: float) -> Weights | None:
    if right is None:
        return None
    return {**left, **{spec: left.get(spec, 0.0) + factor * weight for spec, weight in right.items()}}


def _multiply(left: Weights, right: Weights, sign: str) -> Weights | None:
    """Return the weights of a product or quotient with a number on one side; otherwise, and for a divisor of 0, `None`."""
    if sign == "*" and set(left) <= {None}:
        left, right = right, left
    number = right.get(None, 0.0)
    if not set(right) <= {None} or (sign == "/" and number == 0):
        return None
    return {spec: weight * number if sign == "*" else weight / number for spec, weight in left.items()}


_LONGEST: Final = 2_000
_DEEPEST: Final = 20
_TOKEN = regex(
    r"""(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)(?![\w.])
      | (?P<measure>[\w.][\w.-]*)
      | (?P<mark>[-+*/()])
      | (?P<other>'[^']*'|"[^"]*"|\[[^]]*]|\S)""",
    re.VERBOSE,
)
_ARGUMENTS = regex(r"""'[^']*'|"[^"]*"|[()]""")
_CUTOFF = regex(r"\s*@\s*[+-]?[\w.]*(?:-[^\W\d][\w.-]*)?")
_OPENING = regex(r"\s*\(")
_OPERATIONS: Final = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}


class Formula(Struct, frozen=True, dict=True):
    """An arithmetic expression of measures. `read` creates it from text, `with_measures` from another one."""

    _tree: Node

    def __str__(self) -> str:
        return self.text

    @cached_property
    def text(self) -> str:
        """Expression with as few parentheses as its order needs, such as `2*(nDCG@10 - 0.5)/MAP@10`."""
        return _show(self._tree)

    @cached_property
    def measures(self) -> tuple[MetricSpec, ...]:
        """Measures of the expression, each once, in the order written."""
        return tuple(dict.fromkeys(_measures(self._tree)))

    @property
    def alone(self) -> MetricSpec | None:
        """The measure if the expression is only one, as `+nDCG@10` is; otherwise `None`."""
        return self._tree if isinstance(self._tree, MetricSpec) else None

    @cached_property
    def weights(self) -> Mapping[MetricSpec | None, float] | None:
        """Factor of each measure in a sum of measures, and under `None` the constant; `None` for any other expression."""
        return linear_weights(self._tree)

    def value(self, values: Mapping[MetricSpec, float | None]) -> float | None:
        """Return the value of the expression, or None where `undefined_reason` gives a reason; it never raises."""
        outcome = self._outcome(values)
        return None if isinstance(outcome, str) else outcome

    def undefined_reason(self, values: Mapping[MetricSpec, float | None]) -> str | None:
        """Return the reason why there is no value, or None if there is one.

        The reasons: a measure of the expression has no value (whatever its factor), a divisor is 0, or the result is not finite.
        """
        outcome = self._outcome(values)
        return outcome if isinstance(outcome, str) else None

    def with_measures(self, change: Callable[[MetricSpec], MetricSpec]) -> Formula:
        """Return the same expression with `change(measure)` for every measure, called from left to right; its errors are passed on."""
        return Formula(_change(self._tree, change))

    def _outcome(self, values: Mapping[MetricSpec, float | None]) -> float | str:
        known = {spec: float(value) for spec in self.measures if (value := values.get(spec)) is not None}
        for spec in self.measures:
            if spec not in known:
                return f"{spec} has no value"
        try:
            value = _value(self._tree, known)
        except ZeroDivisionError as error:
            return str(error)
        return value if math.isfinite(value) else f"{self.text} is not finite"


def read(text: str) -> Formula:
    """Read an expression that names at least one measure.

    Raises `ValueError` with a sentence that says what was expected and where; also for more than 2,000 characters, read or printed, and for
    parentheses and signs more than 20 deep. It does not check that the measures exist.
    """
    if len(text) > _LONGEST:
        raise ValueError(f"a formula may have at most {_LONGEST:,} characters, not {len(text):,}")
    formula = Formula(_Reader(text).formula())
    if not formula.measures:
        raise ValueError(f"the formula {text!r} names no measure")
    if len(formula.text) > _LONGEST:
        raise ValueError(
            f"a formula may have at most {_LONGEST:,} characters; with spaces around + and - this one has {len(formula.text):,}"
        )
    return formula


@lru_cache(maxsize=10_000)
def is_formula(text: str) -> bool:
    """Return whether `text` is arithmetic, rather than a measure string or a library's name of a measure.

    It is arithmetic if an operator is outside of the parentheses of a measure, of brackets and of quotes: `*`, `/`, `+`, or a minus that is
    not a hyphen of a name or cut-off. `F-Measure`, `11pt_avg`, `precision@10-l2`, `ndcg@10-` of XGBoost, `F1[a, b][1, -1]` and
    `utility_2,-1,0,0` are measures.
    """
    return not _NUMBERS.fullmatch(text) and not _MINUS_AT_END.fullmatch(text) and any(token.text in "+-*/" for token in _tokens(text))


class _Token(NamedTuple):
    kind: str
    text: str
    start: int


def _tokens(text: str) -> Iterator[_Token]:
    """Yield the tokens of `text`; a measure with its arguments and cut-off is one."""
    position = 0
    while found := _TOKEN.search(text, position):
        start, position = found.span()
        if found.lastgroup == "measure":
            position = _end_of_measure(text, position)
        yield _Token(str(found.lastgroup), text[start:position], start)


def _end_of_measure(text: str, position: int) -> int:
    """Return the end of the measure whose name ends at `position`: after its arguments and its cut-off."""
    opening = _OPENING.match(text, position)
    if opening:
        depth, position = 1, opening.end()
        while depth:
            bracket = _ARGUMENTS.search(text, position)
            if not bracket:
                return len(text)
            depth += {"(": 1, ")": -1}.get(bracket.group(), 0)
            position = bracket.end()
    cutoff = _CUTOFF.match(text, position)
    return cutoff.end() if cutoff else position


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = tuple(_tokens(text))
        self.next = 0

    def formula(self) -> Node:
        tree = self.sum(0)
        if self.next < len(self.tokens):
            raise self.unexpected("+, -, * or /")
        return tree

    def sum(self, depth: int) -> Node:
        return self.chain("+-", lambda: self.chain("*/", lambda: self.factor(depth)))

    def chain(self, operators: str, part: Callable[[], Node]) -> Node:
        first = part()
        rest = []
        while sign := self.take(operators):
            rest.append((sign, part()))
        return _chain(first, tuple(rest))

    def factor(self, depth: int) -> Node:
        if depth > _DEEPEST:
            raise ValueError(f"the parentheses and signs of a formula may be at most {_DEEPEST} deep")
        if sign := self.take("+-"):
            part = self.factor(depth + 1)
            return Negative(part) if sign == "-" else part
        if self.take("("):
            inner = self.sum(depth + 1)
            if not self.take(")"):
                raise self.unexpected("+, -, *, / or )")
            return inner
        kind, text, _ = self.tokens[self.next] if self.next < len(self.tokens) else _Token("end", "", 0)
        if kind not in ("number", "measure"):
            raise self.unexpected("a measure, a number or (")
        self.next += 1
        if kind == "measure":
            return parse(text)
        number = float(text)
        if not math.isfinite(number):
            raise ValueError(f"cannot read the formula {self.text!r}: the number {text} is too large")
        return number

    def take(self, marks: str) -> str:
        """Take the next token if it is one of `marks` and return it; otherwise return an empty text."""
        if self.next < len(self.tokens) and self.tokens[self.next].text in marks:
            self.next += 1
            return self.tokens[self.next - 1].text
        return ""

    def unexpected(self, token: str) -> ValueError:
        if self.next == len(self.tokens):
            return ValueError(f"cannot read the formula {self.text!r}: it ends where {token} was expected")
        _, text, start = self.tokens[self.next]
        return ValueError(f"cannot read the formula {self.text!r}: {text!r} at character {start + 1} found where {token} was expected")


def _chain(first: Node, rest: tuple[tuple[str, Node], ...]) -> Node:
    """Return `first` followed by `rest`; a sum at the begin of a sum, and a product at the begin of a product, becomes part of it."""
    if not rest:
        return first
    chain = Chain(first, rest)
    if isinstance(first, Chain) and first.is_sum == chain.is_sum:
        return Chain(first.first, first.rest + rest)
    return chain


def _show(node: Node) -> str:
    if isinstance(node, float):
        return repr(node).removesuffix(".0")
    if isinstance(node, MetricSpec):
        return str(node)
    if isinstance(node, Negative):
        return "-" + _within(node.operand, isinstance(node.operand, Chain))
    first = _within(node.first, isinstance(node.first, Chain) and node.first.is_sum)
    space = " " if node.is_sum else ""
    return first + "".join(
        f"{space}{sign}{space}" + _within(part, isinstance(part, Chain) and (part.is_sum or not node.is_sum)) for sign, part in node.rest
    )


def _within(node: Node, parentheses: bool) -> str:
    return f"({_show(node)})" if parentheses else _show(node)


def _measures(node: Node) -> Iterator[MetricSpec]:
    if isinstance(node, MetricSpec):
        yield node
    elif isinstance(node, Negative):
        yield from _measures(node.operand)
    elif isinstance(node, Chain):
        for part in (node.first, *(part for _, part in node.rest)):
            yield from _measures(part)


def _value(node: Node, values: Mapping[MetricSpec, float]) -> float:
    """Return the value in Python's arithmetic; `ZeroDivisionError` with a sentence for a divisor of 0."""
    if isinstance(node, float):
        return node
    if isinstance(node, MetricSpec):
        return values[node]
    if isinstance(node, Negative):
        return -_value(node.operand, values)
    total = _value(node.first, values)
    for sign, part in node.rest:
        value = _value(part, values)
        if sign == "/" and value == 0:
            raise ZeroDivisionError(f"the divisor {_show(part)} is 0")
        total = _OPERATIONS[sign](total, value)
    return total


def _change(node: Node, change: Callable[[MetricSpec], MetricSpec]) -> Node:
    if isinstance(node, MetricSpec):
        return change(node)
    if isinstance(node, Negative):
        return Negative(_change(node.operand, change))
    if isinstance(node, Chain):
        return Chain(_change(node.first, change), tuple((sign, _change(part, change)) for sign, part in node.rest))
    return node
