"""What people read is in plain words: retired words do not come back into messages, help texts and pages."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

from tests.conftest import ROOT

MESSAGES = runpy.run_path(str(ROOT / "docs" / "messages.py"))
RETIRED = {
    r"\bstands? (in|at|there|twice|more than|for|with|beside|above|below|near|inside|further)\b": "is in, is listed",
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
"""A pattern that texts for people do not have → what they say instead."""


def retired_in(text: str) -> list[str]:
    """Return the retired words of a text, each with what to write."""
    return [f"{found[0]!r}: write {better!r}" for pattern, better in RETIRED.items() if (found := re.search(pattern, text, re.IGNORECASE))]


def prose(page: Path) -> str:
    """Return a page without its blocks of code and without words in backticks."""
    text = re.sub(r"^(```|~~~).*?^\1", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"`[^`\n]*`", "", text)


def test_no_message_of_the_program_has_a_retired_word():
    assert not [f"{one.file}:{one.line}: {one.text[:80]!r} has {wrong}" for one in MESSAGES["texts"]() if (wrong := retired_in(one.text))]


@pytest.mark.parametrize(
    "page", [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))], ids=lambda page: page.relative_to(ROOT).as_posix()
)
def test_no_page_has_a_retired_word(page):
    assert not [f"line {number}: {wrong}" for number, line in enumerate(prose(page).splitlines(), 1) if (wrong := retired_in(line))]


@pytest.mark.parametrize(
    "text",
    [
        "ids that would match if somebody mended them",
        "an item that stands twice",
        "it is no number",
        "What cannot be told has this name",
    ],
)
def test_a_retired_word_is_noticed(text):
    assert retired_in(text)


@pytest.mark.parametrize("text", ["there is no column 'x'", "it is no longer there", "per-user values", "the item is in the list"])
def test_plain_words_are_not(text):
    assert not retired_in(text)
