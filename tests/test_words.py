"""Texts for people are in plain words: retired words do not come back into messages, help texts, pages and the changelog."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.messages import texts
from tests.words import retired_in


def prose(page: Path) -> str:
    """Return a page without its blocks of code and without words in backticks."""
    text = re.sub(r"^(```|~~~).*?^\1", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"`[^`\n]*`", "", text)


def test_no_message_of_the_program_has_a_retired_word():
    assert not [f"{text.file}:{text.line}: {text.text[:80]!r} has {wrong}" for text in texts() if (wrong := retired_in(text.text))]


PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "benchmarks/README.md")),
    *sorted(path for folder in ("docs", "changelog.d") for path in (ROOT / folder).rglob("*.md")),
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
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
def test_plain_words_pass(text):
    assert not retired_in(text)
