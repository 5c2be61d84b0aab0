"""The words for rules and what comes of them, apart from the arithmetic, so that a config needs none of that."""

from __future__ import annotations

from typing import Literal

MarginKind = Literal["max_loss", "min_gain"]
LimitKind = Literal["min", "max"]
GateState = Literal["shown", "likely", "unlikely", "refuted"]
"""`shown`: the worse bound meets the rule; `likely`: only the value does; `unlikely`: only the better bound does; `refuted`: none does."""
GateOutcome = Literal["pass", "warn", "fail"]
