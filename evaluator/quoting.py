"""What sentences quote of others: short, without secrets, and with no character that acts instead of being seen."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from .secrets import harmless

MOST: Final = 80
"""How many characters of anything a sentence quotes."""
_LONGEST_LINE: Final = 600
_UNSEEN: Final = frozenset(("Cc", "Cs", "Zl", "Zp"))
"""The kinds of characters that are shown by their number: control characters, halves of characters, ends of lines."""
_TURNING: Final = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Marks that turn the direction of what follows; letters that are written from right to left need none."""
_WORD: Final = re.compile(rf"[^\s/]{{{MOST + 1},}}")
"""A word, or a part of a path: a long path is shown whole, since it is looked for."""
_QUOTATION: Final = re.compile(rf"""(?<!\w)'[^'\n]{{{MOST + 1},}}'(?!\w)|(?<!\w)"[^"\n]{{{MOST + 1},}}"(?!\w)""")

_CONTROLS: Final = {code: 0x2400 + code for code in range(32) if code not in (9, 10)}
_DIRECTIONS: Final = (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
"""Characters that turn the direction of the text around them."""
_SIGNS: Final = (
    _CONTROLS | dict.fromkeys(range(0x7F, 0xA0), "�") | dict.fromkeys((*_DIRECTIONS, 0xFFFE, 0xFFFF, *range(0xD800, 0xE000)), "�")
)
_LINES: Final = {9: " ", 10: "⏎", 0x2028: "⏎", 0x2029: "⏎"}


def acts(character: str) -> bool:
    """Whether a terminal does something at this character, where people expect to see one."""
    return unicodedata.category(character) in _UNSEEN or character in _TURNING


def seen(character: str) -> str:
    """The character, or its number if it acts."""
    return character.encode("unicode_escape").decode() if acts(character) else character


def short(text: str) -> str:
    """At most 80 characters of a text."""
    return text if len(text) <= MOST else f"{text[: MOST - 1]}…"


def one_line(text: str) -> str:
    """A line of a sentence that may quote anything."""
    shown = harmless(text)
    if len(shown) > MOST:
        shown = _WORD.sub(lambda found: short(found[0]), _QUOTATION.sub(lambda found: f"{short(found[0][:-1])}{found[0][-1]}", shown))
    half = _LONGEST_LINE // 2
    if len(shown) > _LONGEST_LINE:
        shown = f"{shown[:half]} … {len(shown) - 2 * half:,} characters … {shown[-half:]}"
    return shown if shown.isascii() and shown.isprintable() else "".join(map(seen, shown))


def sentence(text: str) -> str:
    """What is told in several lines, each of which may quote anything."""
    return "\n".join(map(one_line, text.split("\n"))) if text else text


def visible(text: str) -> str:
    """Return the text with a sign in the place of each character that is not one: `␛` for ESC, `�` for one that turns directions."""
    return text.translate(_SIGNS)


def on_one_line(text: str) -> str:
    """Return the same in one line: `⏎` stands for a line break."""
    return visible(text).translate(_LINES)
