"""Text → LaTeX that prints it as it is, with pdflatex and the encoding T1: nothing in it is a command."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

from ..metrics import METRICS
from ..metrics.notation import GLOSSARY

_SPECIAL: Final = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    # These are no commands, but would be printed as something else, alone or twice in a row.
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "'": r"\textquotesingle{}",
    "`": r"\textasciigrave{}",
    # Behind the end of a row they would be read as its options.
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
}
_SIGNS: Final = {
    "\u00a0": "~",
    "\u2009": r"\,",
    "\u202f": r"\,",
    "\u2212": "$-$",
    "\u2260": r"$\neq$",
    "\u2264": r"$\leq$",
    "\u2265": r"$\geq$",
    "\u2248": r"$\approx$",
    "\u2190": r"$\leftarrow$",
    "\u2191": r"$\uparrow$",
    "\u2192": r"$\rightarrow$",
    "\u2193": r"$\downarrow$",
    "\u2208": r"$\in$",
    "\u2229": r"$\cap$",
    "\u222a": r"$\cup$",
    "\u2211": r"$\sum$",
    "\u220f": r"$\prod$",
    "\u221a": r"$\surd$",
    "\u221e": r"$\infty$",
    "\u22c5": r"$\cdot$",
    "\u230a": r"$\lfloor$",
    "\u230b": r"$\rfloor$",
    "\u2032": "$'$",
}
_GREEK: Final = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi . pi rho . sigma tau upsilon phi chi psi omega",
    ". . Gamma Delta . . . Theta . . Lambda . . Xi . Pi . . Sigma . Upsilon Phi . Psi Omega",
)
_LETTERS: Final = {
    chr(first + place): rf"$\{name}$"
    for first, names in zip((0x3B1, 0x391), _GREEK, strict=True)
    for place, name in enumerate(names.split())
    if name != "."
}
_KNOWN: Final = frozenset(chr(code) for code in range(0xA1, 0x17F)) - frozenset(
    "\u00ad\u00b8\u0126\u0127\u0138\u013f\u0140\u0149\u0166\u0167"
) | frozenset("\u0218\u0219\u021a\u021b\u2013\u2014\u2018\u2019\u201a\u201c\u201d\u201e\u2020\u2021\u2022\u2026\u2030\u20ac\u2122")
"""The characters beside those of ASCII that pdflatex prints with the encoding T1."""
_AS_THEY_ARE: Final = _SPECIAL | _SIGNS | _LETTERS
_UNKNOWN: Final = re.compile(rf"[^ -~{''.join(map(re.escape, sorted(_KNOWN | _SIGNS.keys() | _LETTERS.keys())))}]+")
_LIGATURES: Final = re.compile(r"(?<=-)(?=-)|(?<=,)(?=,)|(?<=[?!])(?=\\textasciigrave)")
_LONG: Final = 18
"""The length from which a word may be broken."""
_PIECES: Final = re.compile(r"[^._/=:-]{1,24}[._/=:-]*|[._/=:-]+")
_MARKED: Final = re.compile(r"(\$`[^`]+`\$|`[^`]+`)")
_SYMBOLS: Final = (
    GLOSSARY.keys()
    | {symbol for meaning in GLOSSARY.values() for symbol in re.findall(r"\$([^$]+)\$", meaning)}
    | {"R", "|T_u|", r"[\ldots]", *(f"M_{place}" for place in range(1, 10))}
)
"""What is used as LaTeX in a text; beside it are the symbols of the numbers that metrics take."""
_NUMBER: Final = re.compile(r"(-?)([\d.,]+|inf)(?:e([+-]\d+))?")


def printable(text: str) -> str:
    """Return the text with the numbers of characters in the place of those that pdflatex does not know: `[U+1F600 FE0F]`."""
    return _UNKNOWN.sub(lambda found: f"[U+{' '.join(f'{ord(one):04X}' for one in found[0])}]", unicodedata.normalize("NFC", text))


def escaped(text: str) -> str:
    """Return the text in LaTeX."""
    return _LIGATURES.sub("{}", "".join(_AS_THEY_ARE.get(character, character) for character in printable(text)))


def prose(text: str) -> str:
    """Return a sentence that may quote anything; long words may be broken into lines."""
    return " ".join(map(_word, printable(text).split(" ")))


def documented(text: str) -> str:
    """Return a sentence of our own: words of the program between backticks in a typewriter's letters, symbols between $` and `$."""
    return "".join(_marked(part) if place % 2 else prose(part) for place, part in enumerate(_MARKED.split(text)))


def is_symbol(text: str) -> bool:
    """Return whether a text is the symbol of a formula, between $` and `$. Only known ones are: other people's text adds none."""
    of_metrics = (one.symbol for metric in METRICS.values() for one in metric.numbers.values())
    return text.startswith("$`") and text.endswith("`$") and (text[2:-2] in _SYMBOLS or text[2:-2] in of_metrics)


def number(text: str) -> str:
    """Return a number as other forms print it, or another text in its place; two hyphens make the dash of a missing one."""
    found = _NUMBER.fullmatch(text)
    if found is None:
        return "--" if text == "\u2013" else escaped(text)
    minus, digits, exponent = found.groups()
    sign = "$-$" if minus else ""
    power = rf"$\cdot 10^{{{int(exponent)}}}$" if exponent else ""
    return sign + digits.replace("inf", r"$\infty$") + power


def comment(lines: Iterable[str]) -> str:
    """Return lines of a comment; none of them can end it."""
    return "".join(f"% {re.sub(r'[^ -~]', '?', line)}\n" for line in lines)


def _marked(text: str) -> str:
    """Text between backticks, with or without dollar signs around them."""
    if is_symbol(text):
        return f"${text[2:-2]}$"
    dollar = escaped("$") if text.startswith("$") else ""
    return rf"{dollar}\texttt{{{prose(text.strip('$')[1:-1])}}}{dollar}"


def _word(word: str) -> str:
    return escaped(word) if len(word) < _LONG else r"\allowbreak{}".join(map(escaped, _PIECES.findall(word)))
