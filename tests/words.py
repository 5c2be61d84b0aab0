"""Words that texts for people must not have: the one list of the repository."""

from __future__ import annotations

import re
from collections.abc import Mapping

RETIRED = {
    r"\bstands?\b\W{1,2}(in|at|there|twice|more than|for|with|beside|above|below|near|inside|further)\b": "is in, is listed",
    r"\bstanding (in|at|there)\b": "is in, is listed",
    r"\bmend(s|ed|ing)?\b": "fix, clean",
    r"\bcannot be told\b|\btold apart\b|\bis told\b|\bare told\b": "inconclusive, no clear difference",
    r"\b(is|are) said (of|to)\b": "say the fact itself",
    r"\bnothing but\b": "only",
    r"\b(is|are) made of\b": "is computed from",
    r"\bvalues of users\b": "per-user values",
    r"\bless is better\b|\bmore is better\b": "lower is better, higher is better",
    r"\bsome \d+ ?%": "about",
    r"\bfound out\b": "detected",
    r"\bin the place of\b": "instead of",
    r"\btaken for\b": "used as",
    r"\ball the same\b": "still",
    r"\bbug of receval\b": "internal error",
    r"\bthat is no [a-z]|(?<!there )\b(is|are) no (?!longer\b|more\b|better\b|clear\b|effect\b)[a-z]+": "is not a",
    r"\bif it is there\b|\bwhat is there\b": "if it exists",
    r"\btruth rows?\b": "test rows",
    r"\bbe seen to\b|\bit is that\b": "say the fact itself",
}
"""Pattern that texts for people must not have → better words."""
IN_METRICS = {
    r"\b(stands?|stood)\b": "is in, is listed",
    r"\b(told|said)\b": "inconclusive, or the fact itself",
    r"\bholds?\b": "has, contains",
    r"\bwhatever\b": "any, every",
    r"\bless than\b": "below, fewer than",
    r"\bwhether\b": "if, 1 if",
}
"""Further patterns that the short texts of metrics must not have → better words."""


def retired_in(text: str, words: Mapping[str, str] = RETIRED) -> list[str]:
    """Return the retired words of a text, each with better ones."""
    return [f"{found[0]!r}: write {better!r}" for pattern, better in words.items() if (found := re.search(pattern, text, re.IGNORECASE))]
