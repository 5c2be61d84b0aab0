"""Every text that the program can print, extracted from its source, for tests on wording."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from tests.conftest import ROOT

_WORDS: Final = re.compile(r"[A-Za-z]{2,}[,;:]? [A-Za-z]{2,}")


class Text(NamedTuple):
    """A text in the source: file, line, and the text with … for its arguments."""

    file: Path
    line: int
    text: str


def texts() -> Iterator[Text]:
    """Yield every text of two words or more in the program, except docstrings."""
    for folder in ("cli", "evaluator"):
        for file in sorted((ROOT / folder).rglob("*.py")):
            tree = ast.parse(file.read_text("utf-8"))
            yield from sorted(_texts_in(tree, file.relative_to(ROOT)), key=lambda text: text.line)


def _texts_in(node: ast.AST, file: Path) -> Iterator[Text]:
    text = _text(node)
    if text is not None:
        if _WORDS.search(text):
            yield Text(file, node.lineno, text)
        return
    documented = isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
    for child in ast.iter_child_nodes(node):
        is_docstring = isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
        if not (is_docstring and (documented or isinstance(node, ast.If))):
            yield from _texts_in(child, file)


def _text(node: ast.AST) -> str | None:
    """Return the text of a literal; each text within an argument of an f-string is a part of it."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else f"‹{_alternatives(part)}›" for part in node.values)
    return None


def _alternatives(argument: ast.AST) -> str:
    """Return the texts that an argument chooses from."""
    return "/".join(part.value for part in ast.walk(argument) if isinstance(part, ast.Constant) and isinstance(part.value, str))
