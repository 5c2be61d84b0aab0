"""Which files were read, as a page."""

from __future__ import annotations

from ..results.result import Input, Result
from .blocks import Block, Heading, Terms

_FEW = 3


def page(result: Result) -> list[Block]:
    """A line for each source: its rows and its files."""
    return [Heading("What was read", 2), Terms(tuple((source.role, _sentence(source)) for source in result.inputs), code=False)]


def _sentence(source: Input) -> str:
    names = [file.path for file in source.files]
    more = f" and {len(names) - _FEW:,} more" if len(names) > _FEW else ""
    return f"{source.rows:,} row{'s' * (source.rows != 1)}: {', '.join(names[:_FEW])}{more}"
