"""Make foreign text safe to quote in a message: short, without secrets, and with control characters escaped."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import Final

from .patterns import regex
from .secrets import mask_secrets

MOST: Final = 80
"""Most characters that a message quotes of one value."""
_LONGEST_LINE: Final = 600
PASTED: Final = " " * 4
"""The beginning of a line of a message that is to be pasted."""
_UNSEEN: Final = frozenset(("Cc", "Cs", "Zl", "Zp"))
"""Unicode categories that are shown as escapes: control characters, surrogates (halves of characters) and line ends."""
_TURNING: Final = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Marks that change the direction of the text after them; letters of right-to-left scripts need none."""
_WORD: Final = regex(rf"[^\s/]{{{MOST + 1},}}")
"""A word, or one part of a path. A long path is shown whole, because people look for it."""
_QUOTATION: Final = regex(rf"""(?<!\w)'[^'\n]{{{MOST + 1},}}'(?!\w)|(?<!\w)"[^"\n]{{{MOST + 1},}}"(?!\w)""")

_COMMAND: Final = regex(r"^(\s*)(?:::|##\[)", re.MULTILINE)
"""The start of a line that a runner of GitHub takes for a command, such as `::error::`."""

_CONTROLS: Final = {code: 0x2400 + code for code in range(32) if code not in (9, 10)}
_SIGNS: Final = (
    _CONTROLS | dict.fromkeys(range(0x7F, 0xA0), "�") | dict.fromkeys((*map(ord, _TURNING), 0xFFFE, 0xFFFF, *range(0xD800, 0xE000)), "�")
)
_LINES: Final = {9: " ", 10: "⏎", 0x2028: "⏎", 0x2029: "⏎"}


def is_control(character: str) -> bool:
    """Return whether a terminal acts on this character instead of showing it."""
    return unicodedata.category(character) in _UNSEEN or character in _TURNING


def escaped(character: str) -> str:
    """Return the character, or its escape if it is a control character."""
    return character.encode("unicode_escape").decode() if is_control(character) else character


def short(text: str) -> str:
    """Return the text, cut to at most 80 characters."""
    return text if len(text) <= MOST else f"{text[: MOST - 1]}…"


def one_line(text: str) -> str:
    """Make one line of a message safe to print: mask secrets, shorten long quotations and escape control characters.

    A line to paste, which is indented, is never shortened.
    """
    shown, is_whole = mask_secrets(text), text.startswith(PASTED)
    if len(shown) > MOST and not is_whole:
        shown = _WORD.sub(lambda found: short(found[0]), _QUOTATION.sub(lambda found: f"{short(found[0][:-1])}{found[0][-1]}", shown))
    half = _LONGEST_LINE // 2
    if len(shown) > _LONGEST_LINE and not is_whole:
        shown = f"{shown[:half]} … {len(shown) - 2 * half:,} characters … {shown[-half:]}"
    shown = shown if shown.isascii() and shown.isprintable() else "".join(map(escaped, shown))
    return without_commands(shown, lambda sign: f"\\x{ord(sign):x}")


def sentence(text: str) -> str:
    """Make several lines of our own safe to print; see `one_line`, which is for text that quotes others."""
    return "\n".join(map(one_line, text.split("\n"))) if text else text


def without_commands(lines: str, harmless: Callable[[str], str]) -> str:
    """Return lines of which GitHub takes none for a command: `harmless` writes the first character of one in another way."""
    return _COMMAND.sub(lambda found: f"{found[1]}{harmless(found[0][len(found[1])])}{found[0][len(found[1]) + 1 :]}", lines)


def visible(text: str) -> str:
    """Return the text with each control character replaced by a sign: `␛` for ESC, `�` for one that changes the text direction."""
    return text.translate(_SIGNS)


def on_one_line(text: str) -> str:
    """Return `visible` text on one line: `⏎` replaces a line break, a space replaces a tab."""
    return visible(text).translate(_LINES)


def type_name(value: object) -> str:
    """Return the type of a value with its library, such as `pandas.DataFrame` or `dict`."""
    kind = type(value)
    library = kind.__module__.partition(".")[0].lstrip("_")
    return kind.__qualname__ if library in ("builtins", "io", "receval") else f"{library}.{kind.__qualname__}"
