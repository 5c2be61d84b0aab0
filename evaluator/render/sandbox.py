"""Render one template of a user, as a separate process, which can be stopped and whose memory is limited.

It reads JSON from standard input and writes JSON to standard output. It imports only Python's standard library and Jinja.
"""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from typing import Any, Final

_MOST_BITS: Final = 10_000
"""Largest number of bits of integers in templates: about 3,000 digits."""


_LATEX: Final = {
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\\": r"\textbackslash{}",
}
"""Special characters of LaTeX → what prints them."""


def main() -> None:
    """Answer one request: the rendered `text`, or the `kind`, `message` and `line` of an error."""
    asked = json.loads(sys.stdin.buffer.read())
    sys.path[:] = asked["path"]
    _limit_memory(asked["memory"])
    try:
        answer: dict[str, Any] = {"text": _rendered(asked)}
    except Exception as error:
        answer = {"kind": _kind(error), "message": getattr(error, "message", None) or str(error), "line": getattr(error, "lineno", None)}
    sys.stdout.buffer.write(json.dumps(answer).encode())


def _rendered(asked: dict[str, Any]) -> str:
    """Return the text of a template; raise `_TooLarge` as soon as it is longer than `most`."""
    from jinja2 import ChainableUndefined, StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    class Environment(ImmutableSandboxedEnvironment):
        """The sandbox of Jinja, which refuses products and powers that are too large."""

        intercepted_binops = frozenset(["*", "**"])

        def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
            _refuse_large(operator, left, right, asked["most"])
            return super().call_binop(context, operator, left, right)

    class Unknown(ChainableUndefined, StrictUndefined):
        """A value that a template may ask about at any depth, as those of ClayRS do, and may not print."""

        __getattr__ = __getitem__ = ChainableUndefined.__getattr__  # type: ignore[assignment]

    marks = asked["delimiters"]
    names = ("block_start_string", "block_end_string", "variable_start_string", "variable_end_string")
    kinds = {**dict(zip(names, marks, strict=True)), "trim_blocks": True, "undefined": Unknown} if marks else {"undefined": StrictUndefined}
    environment = Environment(autoescape=asked["escaped"], keep_trailing_newline=True, **kinds)
    environment.filters["safe_text"] = _safe_text
    pieces, length = [], 0
    for piece in environment.from_string(asked["template"]).generate(asked["context"]):
        length += len(piece)
        if length > asked["most"]:
            raise _TooLarge
        pieces.append(piece)
    return "".join(pieces)


def _safe_text(value: Any) -> str:
    """Return a value as text of LaTeX, with its special characters escaped; `not given` for an unknown one."""
    from jinja2 import Undefined

    return "not given" if isinstance(value, Undefined) else "".join(_LATEX.get(sign, sign) for sign in str(value))


class _TooLarge(Exception):
    """The text is too long."""


def _refuse_large(operator: str, left: Any, right: Any, most: int) -> None:
    """Raise `OverflowError` for a product or power of integers with too many bits, `_TooLarge` for a text or list repeated too often."""
    if operator == "*" and isinstance(left, int) != isinstance(right, int):
        times, repeated = (left, right) if isinstance(left, int) else (right, left)
        if hasattr(repeated, "__len__") and len(repeated) * times > most:
            raise _TooLarge
    if isinstance(left, int) and isinstance(right, int):
        bits = left.bit_length() + right.bit_length() if operator == "*" else left.bit_length() * max(right, 0)
        if bits > _MOST_BITS:
            raise OverflowError(f"it makes a number of more than {_MOST_BITS:,} bits")


def _limit_memory(most: int) -> None:
    """Limit the memory of this process if the system can; elsewhere only the time is limited."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (most if hard < 0 else min(most, hard), hard))


def _kind(error: Exception) -> str:
    """Return `large`, `memory`, `syntax`, `template`, or the name of a Python exception."""
    from jinja2 import TemplateError, TemplateSyntaxError

    kinds = {_TooLarge: "large", MemoryError: "memory", OverflowError: "limit", TemplateSyntaxError: "syntax", TemplateError: "template"}
    return next((kind for type_of, kind in kinds.items() if isinstance(error, type_of)), type(error).__name__)


if __name__ == "__main__":
    main()
