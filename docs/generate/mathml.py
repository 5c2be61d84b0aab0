"""Formulas of the site in MathML, which browsers draw without scripts: fences of `math`, and ``$`x`$`` within lines."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from typing import Any

from latex2mathml.converter import convert
from markdown import Markdown
from markdown.extensions import Extension
from markdown.inlinepatterns import InlineProcessor


def fence(source: str, *_: Any, **__: Any) -> str:
    """Return a block of formulas, for `custom_fences` of pymdownx."""
    return f'<div class="math">{convert(source, display="block")}</div>'


class MathInLines(Extension):
    """Draws formulas between ``$` `` and `` `$``."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802
        """Look for formulas before code."""
        md.inlinePatterns.register(_Formula(r"\$`([^`]+)`\$", md), "math", 195)


class _Formula(InlineProcessor):
    def handleMatch(self, m: Any, data: str) -> tuple[ElementTree.Element | str, int, int]:  # noqa: N802
        return self.md.htmlStash.store(convert(m[1])), m.start(0), m.end(0)


def makeExtension(**options: Any) -> Extension:  # noqa: N802
    """Return the extension, as Markdown requires."""
    return MathInLines(**options)
