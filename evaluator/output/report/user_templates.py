"""Templates that users write: text and the JSON of the results in, text out, and nothing else: no files, no calls, no attributes."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from ...errors import ConfigError
from .. import comparison as comparisons
from ..data import as_json
from .content import ReportContent

_MOST_BYTES: Final = 1 << 20
_PLAIN: Final = frozenset({".md", ".txt", ".tex", ".csv", ".tsv", ".json", ".yaml", ".yml"})
"""Endings of outputs in which `&lt;` would be no sign but four letters."""


def read_template(path: Path) -> str:
    """The text of a template; `ConfigError` if it is no plain file, is larger than 1 MiB, or no text."""
    try:
        with open(path, "rb", opener=lambda name, flags: os.open(name, flags | getattr(os, "O_NONBLOCK", 0))) as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise ConfigError(f"--template {path}: this is no file", "give a Jinja template")
            if status.st_size > _MOST_BYTES:
                raise ConfigError(f"--template {path}: it has {status.st_size:,} bytes, and a template may have {_MOST_BYTES:,}")
            return file.read(_MOST_BYTES + 1).decode("utf-8")
    except OSError as error:
        raise ConfigError(f"--template {path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"--template {path}: this is no UTF-8 text (byte {error.start})") from None


def rendered(template: str, content: ReportContent, name: str, output: Path | None = None) -> bytes:
    """A template, called `name` in messages, with the context of `context_of`; `ConfigError` if it is wrong.

    It runs in the sandbox of Jinja. Values are escaped for HTML unless the output is one of plain text by its ending.
    """
    from jinja2 import StrictUndefined, TemplateError, TemplateSyntaxError
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    escaped = output is None or output.suffix.lower() not in _PLAIN
    environment = ImmutableSandboxedEnvironment(autoescape=escaped, undefined=StrictUndefined, keep_trailing_newline=True)
    try:
        return environment.from_string(template).render(context_of(content)).encode()
    except TemplateSyntaxError as error:
        raise ConfigError(f"--template {name}:{error.lineno}: {error.message}") from None
    except TemplateError as error:
        raise ConfigError(f"--template {name}: {error.message}", "docs/reports.md says what a template is given") from None
    except (ArithmeticError, LookupError, TypeError, ValueError, AttributeError, OverflowError, RecursionError, MemoryError) as error:
        raise ConfigError(f"--template {name}: {type(error).__name__}: {error}") from None


def context_of(content: ReportContent) -> dict[str, Any]:
    """What a template is given.

    `title`; `results`, by label the JSON of each; `result`, the first of them; `comparison`, its JSON or none; `gates`, their JSON.
    Examples of findings, which may be ids of users, and losers are there only if they were asked for.
    """
    results = {label: json.loads(as_json(result)) for label, result in content.results.items()}
    compared = None if content.comparison is None else json.loads(comparisons.as_json(content.comparison))
    if not content.show_users:
        results = {label: _without_examples(result) for label, result in results.items()}
    gates = [dict(gate) for gate in content.gates]
    return {"title": content.title, "results": results, "result": next(iter(results.values())), "comparison": compared, "gates": gates}


def _without_examples(result: Mapping[str, Any]) -> dict[str, Any]:
    findings = [{name: value for name, value in finding.items() if name != "examples"} for finding in result["findings"]]
    return {**result, "findings": findings}
