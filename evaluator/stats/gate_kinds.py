"""The words for rules and what comes of them, apart from the arithmetic, so that a config needs none of that."""

from __future__ import annotations

from typing import Literal

MarginKind = Literal["max_loss", "min_gain"]
LimitKind = Literal["min", "max"]
GateOutcome = Literal["pass", "fail", "inconclusive"]
"""`pass`: the rule is shown to hold; `fail`: it is shown to be violated; `inconclusive`: neither."""
