"""Names and texts of other people's data, fit to be shown: what would act instead of being seen is made visible."""

from __future__ import annotations

import re
from typing import Final

_CONTROLS: Final = {code: 0x2400 + code for code in range(32) if code not in (9, 10)}
_DIRECTIONS: Final = (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
"""Characters that turn the direction of the text around them."""
_UNSEEN: Final = (
    _CONTROLS | dict.fromkeys(range(0x7F, 0xA0), "�") | dict.fromkeys((*_DIRECTIONS, 0xFFFE, 0xFFFF, *range(0xD800, 0xE000)), "�")
)
_ACTING: Final = re.compile(r"[\\`*\[\]<>|~&]|(?<![^\W_])_|_(?![^\W_])")
"""What Markdown takes for more than a character; an underscore within a word is one."""
_LEADING: Final = re.compile(r"(?:#{1,6}|[+-])(?:\s|$)")
_TAG: Final = re.compile(r"<(?=[A-Za-z/!?])")
_LINK: Final = re.compile(r"\]\(")
_CODE: Final = re.compile(r"(`[^`]*`)")
_LINES: Final = {9: " ", 10: "⏎", 0x2028: "⏎", 0x2029: "⏎"}


def visible(text: str) -> str:
    """The text with a sign in the place of each character that is not one: `␛` for ESC, `�` for one that turns directions."""
    return text.translate(_UNSEEN)


def on_one_line(text: str) -> str:
    """The same in one line: `⏎` stands for a line break."""
    return visible(text).translate(_LINES)


def markdown_text(text: str) -> str:
    """A text of other people's data in a line of Markdown: nothing in it is taken for Markdown or HTML."""
    marked = _ACTING.sub(lambda found: f"\\{found[0]}", on_one_line(text).strip())
    return f"\\{marked}" if _LEADING.match(marked) else marked


def without_tags(markdown: str) -> str:
    """Markdown of our own with names in it that are not: what would be an HTML tag, outside of code, is text."""
    return _outside_code(_TAG, r"\\<", visible(markdown))


def without_links(markdown: str) -> str:
    """Markdown of our own that has no links, with names in it that are not: what would be a link, outside of code, is text."""
    return _outside_code(_LINK, r"]\\(", markdown)


def _outside_code(what: re.Pattern[str], by: str, markdown: str) -> str:
    return "".join(part if part.startswith("`") else what.sub(by, part) for part in _CODE.split(markdown))
