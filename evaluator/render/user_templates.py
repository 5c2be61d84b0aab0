"""Templates of users: they read the JSON of the results and write text; they have no access to files, calls or attributes."""

from __future__ import annotations

import inspect
import json
import os
import re
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

from msgspec import to_builtins

from ..documents.clayrs_view import clayrs_view
from ..documents.report import ReportContent
from ..support.errors import ConfigError
from . import sandbox
from .forms import as_json
from .result_data import comparison_cells, result_cells

_MOST_BYTES: Final = 1 << 20
MOST_SECONDS: Final = 20.0
MOST_CHARACTERS: Final = 20_000_000
MOST_MEMORY: Final = 2_000_000_000
"""The limits of a template: its time, the length of its text, and its memory, if the system can limit it."""
_CLAYRS: Final = ("\\BLOCK{", "}", "\\VAR{", "}")
"""The delimiters of the report templates of ClayRS, which are LaTeX."""
_NAMED: Final = re.compile(r"\W*\bdelimiters:\s*(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s*(?:#\}|-->|\*/)?\s*")
"""A first line that names the delimiters."""
_LESS: Final = "use fewer loops or shorter texts; docs/reports.md has the limits"
_PLAIN: Final = frozenset({".md", ".txt", ".tex", ".csv", ".tsv", ".json", ".yaml", ".yml"})
"""Endings of plain text outputs, in which `&lt;` would appear literally."""


def read_template(path: Path) -> str:
    """Return the text of a template; raise `ConfigError` if it is not a plain file, larger than 1 MiB, or not text."""
    try:
        with open(path, "rb", opener=lambda name, flags: os.open(name, flags | getattr(os, "O_NONBLOCK", 0))) as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise ConfigError(f"--template {path}: there is no such file", "give a Jinja template")
            if status.st_size > _MOST_BYTES:
                raise ConfigError(f"--template {path}: it has {status.st_size:,} bytes, but a template may have at most {_MOST_BYTES:,}")
            return file.read(_MOST_BYTES + 1).decode("utf-8")
    except OSError as error:
        raise ConfigError(f"--template {path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"--template {path}: this is not UTF-8 text (byte {error.start})") from None


def rendered(template: str, content: ReportContent, name: str, output: Path | None = None) -> bytes:
    """Render a template, `name` in messages, with `context_of`; raise `ConfigError` if it is wrong or exceeds a limit.

    It runs in the sandbox of Jinja, in a separate process, because a thread cannot be stopped. Values are escaped for HTML unless the
    ending of the output is one of plain text.
    """
    delimiters, template = delimiters_of(template)
    question = {
        "delimiters": delimiters,
        "path": [os.path.abspath(folder) for folder in sys.path],
        "template": template,
        "context": context_of(content),
        "escaped": output is None or output.suffix.lower() not in _PLAIN,
        "most": MOST_CHARACTERS,
        "memory": MOST_MEMORY,
    }
    answer = _answer(json.dumps(question).encode(), name)
    if "text" in answer:
        return str(answer["text"]).encode()
    kind, message = answer["kind"], answer["message"]
    line = f":{answer['line']}" if kind == "syntax" else ""
    advice = {"template": "docs/reports.md lists the variables of a template", "large": _LESS, "limit": _LESS, "memory": _LESS}
    sentences = {
        "large": f"it makes a text of more than {MOST_CHARACTERS:,} characters",
        "memory": f"it needs more than {MOST_MEMORY / 1e9:.1f} GB of memory",
    }
    own = message if kind in ("syntax", *advice) else f"{kind}: {message}"
    raise ConfigError(f"--template {name}{line}: {sentences.get(kind, own)}", advice.get(kind))


def delimiters_of(template: str) -> tuple[tuple[str, ...], str]:
    r"""Return the four delimiters of a template, and its text: those of its first line, or of ClayRS if it has them; none for Jinja's own.

    The first line is such as `% delimiters: <% %> << >>`: the begin and end of statements, then of values; it is not rendered.
    """
    first, _, rest = template.partition("\n")
    if named := _NAMED.fullmatch(first.rstrip("\r")):
        return named.groups(), rest
    return (_CLAYRS if any(start in template for start in _CLAYRS[::2]) else ()), template


def has_expressions(template: str) -> bool:
    """Return whether a template has a statement or a value; else its output is a copy of it."""
    delimiters, text = delimiters_of(template)
    return any(start in text for start in (delimiters[::2] or ("{{", "{%")))


def _answer(question: bytes, name: str) -> dict[str, Any]:
    """Return the answer of the rendering process; raise `ConfigError` if it takes too long or ends without an answer."""
    if not sys.executable or getattr(sys, "frozen", False):
        raise ConfigError(f"--template {name}: this Python has no executable to render it (sys.executable)", "use another format")
    command = [sys.executable, "-I", "-c", inspect.getsource(sandbox)]
    try:
        done = subprocess.run(command, input=question, capture_output=True, timeout=MOST_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise ConfigError(f"--template {name}: it takes more than {MOST_SECONDS:g} seconds", _LESS) from None
    try:
        return dict(json.loads(done.stdout))
    except ValueError:
        raise ConfigError(f"--template {name}: it ended without a text (exit code {done.returncode})", _LESS) from None


def context_of(content: ReportContent) -> dict[str, Any]:
    """Return the variables of a template.

    `title`; `results`, by label the JSON of each; `result`, the first of them; `comparison`, its JSON or none; `gates`, their JSON;
    `my_dict`, the first result as ClayRS has it.
    Examples of findings, which may be user ids, and losers are included only if requested.
    """
    results = {label: json.loads(as_json(result_cells(result))) for label, result in content.results.items()}
    compared = None if content.comparison is None else json.loads(as_json(comparison_cells(content.comparison)))
    if not content.show_users:
        for result in results.values():
            result["findings"] = [{name: value for name, value in finding.items() if name != "examples"} for finding in result["findings"]]
    gates = [to_builtins(gate) for gate in content.gates]
    view = clayrs_view(next(iter(content.results.values())))
    first = next(iter(results.values()))
    return {"title": content.title, "results": results, "result": first, "comparison": compared, "gates": gates, "my_dict": view}
