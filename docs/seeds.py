"""The page docs/seeds.md: the statements of seed_statements.py, and the output of receval for the files of docs/seeds."""

from __future__ import annotations

import runpy
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import dedent
from typing import Any

from receval.document import Block, Code, Heading, Paragraph, Points

ROOT = Path(__file__).parent.parent
_STATEMENTS = runpy.run_path(str(ROOT / "docs" / "seed_statements.py"))
printed = runpy.run_path(str(ROOT / "docs" / "printed.py"))["printed"]
CONFIG, SECTIONS = _STATEMENTS["CONFIG"], _STATEMENTS["SECTIONS"]


def page() -> list[Block]:
    """Return the page; all its commands and lines of Python are run for it."""
    blocks: list[Block] = [
        Heading("The documents of five systems, statement by statement"),
        Paragraph(
            f"Each command was run in the root of the repository; `{CONFIG}` has three users, small enough to check a value "
            "by hand. The "
            "row numbers are those of an audit of 232 statements. If a program computes something else than its documents say, the "
            "convention `-docs` follows the documents. The end of the page lists what receval does not have."
        ),
    ]
    for name, statements in SECTIONS.items():
        blocks.append(Heading(name, 2))
        for statement in statements:
            blocks += _shown(statement) if statement.is_shown else []
    lacking = [f"{name}: {one.says} {one.how}" for name, statements in SECTIONS.items() for one in statements if not one.is_shown]
    return [*blocks, Heading("What receval does not have", 2), Points(tuple(lacking))]


def _shown(statement: Any) -> list[Block]:
    """Return a statement, how receval does the same, and its demonstration."""
    blocks: list[Block] = [Paragraph(f"**{statement.says}** {statement.how}")]
    if statement.words():
        blocks.append(Code(printed(statement.words(), statement.n_blocks)))
    return [*blocks, *([Code(_session(statement.python))] if statement.python else [])]


def _session(lines: str) -> str:
    """Return lines of Python as an interactive session with the last value. They run in the root; `folder` is for their files."""
    *before, last = dedent(lines).strip().splitlines()
    with chdir(ROOT), TemporaryDirectory() as folder:
        known: dict[str, Any] = {"folder": folder}
        exec("import re, receval, receval.functional\n" + "\n".join(before), known)
        value = eval(last, known)
    return "\n".join([*(f">>> {line}" for line in (*before, last)), repr(value)])
