"""The parts of which arithmetic of measures is made."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple, Union

from .measure_strings import MetricSpec


class Negative(NamedTuple):
    """A part with a minus before it."""

    operand: Node


class Chain(NamedTuple):
    """Terms of one sum, or factors of one product: each after the first with its operator. Its depth is that of its parts only."""

    first: Node
    rest: tuple[tuple[str, Node], ...]

    @property
    def is_sum(self) -> bool:
        """Whether its operators are + and -."""
        return self.rest[0][0] in "+-"


Node = Union[float, MetricSpec, Negative, Chain]

Weights = Mapping[Union[MetricSpec, None], float]


def linear_weights(node: Node) -> Weights | None:
    """By measure its factor in a sum, and under `None` the constant; `None` if measures are multiplied, or divided by."""
    if isinstance(node, float):
        return {None: node}
    if isinstance(node, MetricSpec):
        return {node: 1.0}
    if isinstance(node, Negative):
        return _added({}, linear_weights(node.operand), -1.0)
    total = linear_weights(node.first)
    for sign, part in node.rest:
        other = linear_weights(part)
        if total is None or other is None:
            return None
        total = _added(total, other, 1.0 if sign == "+" else -1.0) if sign in "+-" else _multiplied(total, other, sign)
    return None if total is None or not all(map(math.isfinite, total.values())) else total


def _added(left: Weights, right: Weights | None, factor: float) -> Weights | None:
    if right is None:
        return None
    return {**left, **{spec: left.get(spec, 0.0) + factor * weight for spec, weight in right.items()}}


def _multiplied(left: Weights, right: Weights, sign: str) -> Weights | None:
    """A product, or a quotient, of which one side has no measure."""
    if sign == "*" and set(left) <= {None}:
        left, right = right, left
    number = right.get(None, 0.0)
    if not set(right) <= {None} or (sign == "/" and number == 0):
        return None
    return {spec: weight * number if sign == "*" else weight / number for spec, weight in left.items()}
