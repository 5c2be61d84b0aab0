r"""Formulas in LaTeX as text for screens: `\frac{a}{b}` as `a/b`, `\sum_{r=1}^{k}` as `Σ_{r=1..k}`, and a `·` between factors."""

from __future__ import annotations

import re
from typing import Final

from ..support.patterns import regex

_SIGNS: Final = dict(
    re.findall(
        r"(\w+) (\S)",
        "alpha α, beta β, gamma γ, delta δ, varepsilon ε, kappa κ, nu ν, pi π, Pi Π, rho ρ, sigma σ, tau τ, phi φ, ell ℓ, dots …, ldots …, "
        "infty ∞, lfloor ⌊, rfloor ⌋, sum Σ, prod ∏, bigcup ∪, cap ∩, cup ∪, setminus ∖, triangle △, in ∈, notin ∉, le ≤, ge ≥, ne ≠, "
        "prec ≺, cdot ·",
    )
)
_KINDS: Final = {
    **dict.fromkeys(("cap", "cup", "setminus", "triangle", "in", "notin", "le", "ge", "ne", "prec", "cdot", *"+-=<>:,/@"), "operator"),
    **dict.fromkeys(("min", "max", "log", "ln", "exp", "cos", "round", "Var", "sgn"), "function"),
    **dict.fromkeys(("sum", "prod", "bigcup", "mean", "std"), "sum"),
    **dict.fromkeys((*"([{", "lfloor"), "open"),
    **dict.fromkeys((*")]}", "rfloor"), "close"),
}
_ACCENTS: Final = {"bar": "\u0304", "hat": "\u0302", "tilde": "\u0303"}
_POWERS: Final = {"2": "²", "3": "³", "*": "*"}
_SIZES: Final = regex(r"\\(?:left|right|[bB]igg?[lr])(?![a-z])")
_TOKEN: Final = regex(
    r"(?P<gap>(?:\s|\\[,;])+)|\\text\{(?P<words>[^{}]*)\}|\\mathrm\{(?P<upright>\w+)\}|\\?(?P<name>(?<=\\)[A-Za-z]+|[0-9.]+|.)"
)
_OVER: Final = r" \biggl/ "
_INNERMOST: Final = regex(r"[(\[{⌊][^()\[\]{}⌊⌋]*[)\]}⌋]")


def plain(line: str) -> str:
    """Return a line of an equation, or a symbol, as text."""
    return ", ".join(map(_equation, line.split(r", \quad ")))


def _equation(part: str) -> str:
    left, equals, right = part.partition(" = ")
    above, over, below = right.rpartition(_OVER)
    value = f"{_bracketed(_read(above))} / {_bracketed(_read(below), ' ·/')}" if over else _read(right)
    return f"{_read(left)}{equals}{value}"


def _read(formula: str) -> str:
    return _Reader(_SIZES.sub("", formula)).text()


def _has(text: str, signs: str) -> bool:
    """Return whether a text has one of the signs outside of brackets."""
    while (shorter := _INNERMOST.sub("", text)) != text:
        text = shorter
    return any(sign in re.sub(r"\|[^|]*\|", "", text) for sign in signs)


def _bracketed(text: str, signs: str = " ") -> str:
    """Return a text, in brackets if it has one of the signs outside of brackets."""
    return f"({text})" if _has(text, signs) else text


class _Reader:
    """A formula, token by token."""

    def __init__(self, formula: str) -> None:
        self.tokens = list(_TOKEN.finditer(formula))[::-1]

    def text(self) -> str:
        """Return the text up to the end, or to the brace that closes this group."""
        whole, last, before, gap, inside = "", "", "open", False, False
        while self.tokens and (token := self.tokens.pop())[0] != "}":
            if token["gap"]:
                gap = True
            elif token[0] in ("_", "^"):
                last = self._with_script(last, token[0])
            elif token[0] == "'":
                last += "'"
            else:
                text, kind = self._item(token)
                if text == "|":
                    kind, inside = "close" if inside else "bar", not inside
                if before == "function" and _has(text, "/"):
                    text, kind, gap = f"({text})", "close", False
                whole += last + _separator(last, before, text, kind, gap)
                last, before, gap = text, "open" if kind == "bar" else kind, False
        return whole + last

    def _item(self, token: re.Match[str]) -> tuple[str, str]:
        """Return the text of a token with its arguments, and its kind."""
        if token["words"] is not None:
            return token["words"], "words"
        name: str = token["upright"] or token["name"]
        if name in ("frac", "tfrac"):
            above, below = _bracketed(self._argument()), _bracketed(self._argument(), " ·/")
            return above + (" / " if "(" in (above[0], below[0]) else "/") + below, "value"
        if name in _ACCENTS:
            return self._argument() + _ACCENTS[name], "value"
        if name == "sqrt":
            return "√" + _bracketed(self._argument(), " ·/"), "value"
        return (self.text(), "value") if token[0] == "{" else (_SIGNS.get(name, name), _KINDS.get(name, "value"))

    def _argument(self) -> str:
        return self._item(self.tokens.pop())[0]

    def _with_script(self, text: str, sign: str) -> str:
        """Return a text with the index or the power that follows."""
        script = self._argument()
        if sign == "^" and text[:3] in ("Σ_{", "∏_{"):
            return f"{text[:-1]}..{script}}}"
        if text == "log" and script.isdigit():
            return text + script
        if sign == "^":
            return text + _POWERS.get(script, f"^({script})" if _has(script[1:], " +-/") else f"^{script}")
        return f"{text}_{script}" if re.fullmatch(r"[^\W_]+'*|\(\w\)", script) else f"{text}_{{{script}}}"


def _separator(last: str, before: str, text: str, kind: str, gap: bool) -> str:
    """Return what is between two texts: a `·` between factors."""
    if before == "open" or kind == "close" or "words" in (before, kind):
        return ""
    if "operator" in (before, kind):
        return " " if gap else ""
    if before in ("function", "sum"):
        return "" if kind == "open" and not gap else " "
    if kind == "open" and not gap and before == "value":
        return ""
    return " · " if kind == "sum" or _has(last, " /") or _has(text, " /") else "·"
