"""The page docs/messages.md: every sentence that the program can print, extracted from its source, to read all at one sitting."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from receval import errors
from receval.document import Block, Heading, Paragraph, Points

ROOT = Path(__file__).parent.parent
FAILURES: Final = {name: kind.exit_code for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, Exception)}
"""Names of the errors, each with its exit code; Pydantic turns others into problems of the config (2)."""
_WORDS: Final = re.compile(r"[A-Za-z]{2,}[,;:]? [A-Za-z]{2,}")
_ROOMS: Final = {
    "cli": "Command line",
    "config": "Config",
    "conventions": "Settings and conventions",
    "health": "Findings of the health checks",
    "checks": "Health checks",
    "load": "Reading files",
    "metrics": "Metrics",
    "names": "Names of measures",
    "stats": "Statistics",
    "gates": "Gates",
    "comparison": "Comparisons",
    "content": "Tables, legends and closing sentences",
    "init": "Guesses of receval init",
}
"""Headings of rooms whose name is not clear."""


class Text(NamedTuple):
    """A text in the source: file, line, the text with its arguments in ‹›, and its error (empty: none)."""

    file: Path
    line: int
    text: str
    error: str = ""


def texts() -> Iterator[Text]:
    """Yield every text of two words or more in the program, except docstrings."""
    for folder in ("cli", "evaluator"):
        for file in sorted((ROOT / folder).rglob("*.py")):
            tree = ast.parse(file.read_text("utf-8"))
            yield from sorted(_of(tree, file.relative_to(ROOT), ""), key=lambda one: one.line)


def page() -> list[Block]:
    """Return the page: errors by exit code, then other texts by room."""
    found = list(dict.fromkeys(one._replace(line=0) for one in texts() if not _is_markup(one.text)))
    blocks: list[Block] = [
        Heading("Messages"),
        Paragraph(
            "Every sentence that receval can print: errors with their hints, findings, remarks, legends and help texts. ‹…› marks what is "
            "filled in. Some texts are parts of sentences. Use your browser's search to find the message that you see; "
            "[exit codes](exit-codes.md) has what each code means."
        ),
    ]
    codes = sorted({FAILURES.get(one.error, 2) for one in found if one.error})
    for code in codes:
        failed = [one for one in found if one.error and FAILURES.get(one.error, 2) == code]
        blocks += [Heading(f"Errors with exit code {code}", 2), *_by_room(failed)]
    blocks += [Heading("Other texts", 2), *_by_room([one for one in found if not one.error])]
    return blocks


def _by_room(found: list[Text]) -> Iterator[Block]:
    rooms: dict[str, list[str]] = {}
    for one in found:
        room = one.file.parts[0] if one.file.parts[0] == "cli" else one.file.parts[1].removesuffix(".py")
        rooms.setdefault(_ROOMS.get(room, room.capitalize()), []).append(one.text)
    for title in sorted(rooms):
        yield Heading(title, 3)
        yield Points(tuple(dict.fromkeys(rooms[title])))


def _of(node: ast.AST, file: Path, error: str) -> Iterator[Text]:
    if isinstance(node, ast.Call) and (name := _name(node.func)).endswith("Error"):
        error = name
    text = _text(node)
    if text is not None:
        if _WORDS.search(text):
            yield Text(file, node.lineno, text, error)
        return
    documented = isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
    for child in ast.iter_child_nodes(node):
        is_docstring = isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
        if not (is_docstring and (documented or isinstance(node, ast.If))):
            yield from _of(child, file, error)


def _text(node: ast.AST) -> str | None:
    """Return the text of a literal, with the names of its arguments in ‹›."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        parts = (part.value if isinstance(part, ast.Constant) else f"‹{_argument(part)}›" for part in node.values)
        return "".join(map(str, parts))
    return None


def _argument(node: ast.AST) -> str:
    """Return a short name of an argument: the last name of the expression."""
    inner = node.value if isinstance(node, ast.FormattedValue) else node
    alternatives = [one.value for one in ast.walk(inner) if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    if isinstance(inner, ast.IfExp) and alternatives:
        return "/".join(dict.fromkeys(alternatives))
    if isinstance(inner, ast.Call) and inner.args:
        return next((text for text in alternatives if text.strip(" ,;'")), None) or _argument(inner.args[0])
    return _name(inner) or "…"


def _name(node: ast.AST) -> str:
    names = [one.attr if isinstance(one, ast.Attribute) else one.id for one in ast.walk(node) if isinstance(one, ast.Attribute | ast.Name)]
    return names[0] if names else ""


def _is_markup(text: str) -> bool:
    """Return whether a text is HTML, LaTeX, SQL or a source of Python rather than words for people."""
    return bool(re.search(r"<\w+[ >]|\\[a-z]{3,}|^select |^ order by|\"\"\"|status code|^import |^from ", text))
