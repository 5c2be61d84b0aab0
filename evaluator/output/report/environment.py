"""The environments of templates. Imported by what renders one: it needs jinja2."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from ...quoting import visible


def environment(folder: Path) -> Environment:
    """The environment of the templates of receval itself."""
    return Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_finalize,
    )


def _finalize(value: Any) -> Any:
    """What is written: texts without characters that act."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value
