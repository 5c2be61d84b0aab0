"""Measure strings: `"nDCG(gain=linear)@10"` ⇄ `MetricSpec`. A printed measure reads back as itself.

measure   = name [ "(" argument { "," argument } ")" ] [ "@" cutoff ]
argument  = parameter "=" value | measure            (a measure without "@")
cutoff    = positive integer | "none"                ("none": the whole list)
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import Enum
from typing import Final, Union

from msgspec import Struct
from msgspec.structs import replace

from ..support.patterns import regex

Scalar = Union[str, int, float, bool]
Params = tuple[tuple[str, Scalar], ...]
"""Parameters with their values."""


class Unset(Enum):
    """The cut-off of a measure that names none: it uses every value of `top_k`."""

    UNSET = "unset"


CUTOFF_KEYS: Final = ("k", "cutoff")
"""Parameters that give the cut-off of a measure: `nDCG(k=5)` is `nDCG@5`."""
UNSET: Final = Unset.UNSET
Cutoff = Union[int, None, Unset]

_TOKEN = regex(
    r"""\s*(?:(?P<quoted>'[^']*'|"[^"]*")
          |(?P<word>[^\s()@,='"]+)
          |(?P<mark>[()@,=]))""",
    re.VERBOSE,
)
_PLAIN = regex(r"[^\s()@,='\"]+")
_NUMBER = regex(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_DEPTH = 20


class MetricSpec(Struct, frozen=True):
    """A metric by name, with the metrics that it combines, its parameters and its cut-off (`None`: the whole list)."""

    name: str
    components: tuple[MetricSpec, ...] = ()
    params: tuple[tuple[str, Scalar], ...] = ()
    k: Cutoff = UNSET

    @property
    def title(self) -> str:
        """Printed name without the cut-off, such as `F1(nDCG,MAP,beta=0.5)`."""
        arguments = [part.title for part in self.components] + [f"{key}={_show(value)}" for key, value in self.params]
        return f"{self.name}({','.join(arguments)})" if arguments else self.name

    def __str__(self) -> str:
        return self.title if self.k is UNSET else f"{self.title}@{'none' if self.k is None else self.k}"

    def within(self, by: str, group: str) -> MetricSpec:
        """Return the same metric with only the relevant items of a group of test rows: `Recall@20` within rows.event click."""
        return replace(self, params=(*self.params, (by, unquoted(group))))

    def at(self, k: Cutoff) -> MetricSpec:
        """Return the same metric with the cut-off `k`."""
        return replace(self, k=k)


def parse(text: str) -> MetricSpec:
    """Read a measure string; raise `ValueError` with a sentence that says what was expected and where."""
    reader = _Reader(text)
    spec = reader.measure(0)
    reader.end()
    return spec


def cutoff(value: object) -> int | None:
    """Read one cut-off: a positive integer, or `None` / "none" for the whole list; raise `ValueError` otherwise."""
    if value is None or (isinstance(value, str) and value.lower() == "none"):
        return None
    if isinstance(value, str) and re.fullmatch(r"[+-]?\d+", value):
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        whole = "; write none for the whole list" if str(value).lower() in ("all", "full", "inf", "-1") else ""
        several = "; separate cut-offs by commas" if isinstance(value, str) and re.fullmatch(r"\d+([\s;]+\d+)+", value) else ""
        raise ValueError(f"a cut-off must be a positive integer or none (the whole list), not {value!r}{several or whole}")
    if not 1 <= value < 2**31:
        raise ValueError(f"a cut-off must be at least 1, not {value}" if value < 1 else f"the cut-off {value} is larger than any list")
    return value


def unquoted(name: str) -> Scalar:
    """Return a name as a parameter value that prints without quotes if it reads back: `1` rather than `'1'`."""
    word = _scalar(name)
    return word if not isinstance(word, bool) and isinstance(word, int) and str(word) == name else name


def _show(value: Scalar) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value if _PLAIN.fullmatch(value) and isinstance(_scalar(value), str) else f'"{value}"' if "'" in value else f"'{value}'"
    return repr(int(value)) if isinstance(value, float) and value.is_integer() else repr(value)


def _scalar(word: str) -> Scalar:
    if word in ("true", "false", "True", "False"):
        return word.lower() == "true"
    if _NUMBER.fullmatch(word):
        number = float(word)
        return int(word) if re.fullmatch(r"[+-]?\d+", word) else number
    return word


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[tuple[str, str]] = []
        position = 0
        while position < len(text.rstrip()):
            found = _TOKEN.match(text, position)
            if not found:
                raise ValueError(f"cannot read {text!r}: unexpected {text[position:].strip()[:10]!r}")
            self.tokens.append((str(found.lastgroup), found.group(str(found.lastgroup))))
            position = found.end()
        self.next = 0

    def peek(self) -> str:
        return self.tokens[self.next][1] if self.next < len(self.tokens) else ""

    def take(self, token: str) -> str:
        if self.next >= len(self.tokens):
            raise ValueError(f"cannot read {self.text!r}: it ends where {token} was expected")
        kind, text = self.tokens[self.next]
        if (kind == "mark") != (len(token) == 1) or (kind == "mark" and text != token):
            raise ValueError(f"cannot read {self.text!r}: {text!r} found where {token} was expected")
        self.next += 1
        return text

    def end(self) -> None:
        if self.next < len(self.tokens):
            hint = "; separate measures with commas" if self.tokens[self.next][0] != "mark" else ""
            raise ValueError(f"cannot read {self.text!r}: unexpected {self.peek()!r} after the measure{hint}")

    def measure(self, depth: int) -> MetricSpec:
        if depth > _DEPTH:
            raise ValueError("measures are nested too deeply")
        name = self.take("a metric name")
        components: list[MetricSpec] = []
        params: dict[str, Scalar] = {}
        if self.peek() == "(":
            self.take("(")
            while self.peek() != ")":
                self.argument(components, params, depth)
                if self.peek() != ")":
                    self.take(",")
            self.take(")")
        k: Cutoff = UNSET
        if self.peek() == "@":
            if depth:
                raise ValueError(f"cannot read {self.text!r}: the cut-off must be at the end of the whole measure")
            self.take("@")
            k = cutoff(self.take("a cut-off"))
        return MetricSpec(name, tuple(components), tuple(params.items()), k)

    def argument(self, components: list[MetricSpec], params: dict[str, Scalar], depth: int) -> None:
        following = self.tokens[self.next + 1][1] if self.next + 1 < len(self.tokens) else ""
        if following != "=":
            components.append(self.measure(depth + 1))
            return
        key = self.take("a parameter")
        self.take("=")
        quoted = self.next < len(self.tokens) and self.tokens[self.next][0] == "quoted"
        word = self.take(f"the value of {key}")
        if key in params:
            raise ValueError(f"cannot read {self.text!r}: {key} is given twice")
        params[key] = word[1:-1] if quoted else _scalar(word)


def measures_of(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the measures that commas separate; commas in parentheses do not: `F1(nDCG,MAP)@10,Recall@5` are two."""
    found: list[str] = []
    for text in texts:
        depth, start = 0, 0
        for position, character in enumerate(f"{text},"):
            depth += (character == "(") - (character == ")")
            if character == "," and depth <= 0:
                found.append(text[start:position].strip())
                start = position + 1
    return tuple(measure for measure in found if measure)
