"""The page docs/seeds.md: the statements of seed_statements.py, and the output of receval for the files of docs/seeds."""

from __future__ import annotations

import runpy
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import dedent
from typing import Any

import yaml
from receval.documents.document import Block, Code, Heading, Paragraph, Points, Table, text_columns

ROOT = Path(__file__).parents[2]
_STATEMENTS = runpy.run_path(str(ROOT / "docs" / "generate" / "seed_statements.py"))
printed = runpy.run_path(str(ROOT / "docs" / "generate" / "printed.py"))["printed"]
CONFIG, SECTIONS = _STATEMENTS["CONFIG"], _STATEMENTS["SECTIONS"]


def page() -> list[Block]:
    """Return the page; all its commands and lines of Python are run for it."""
    blocks: list[Block] = [
        Heading("The documents of five systems, statement by statement"),
        Paragraph(
            f"Each command was run in the root of the repository; `{CONFIG}` has three users, small enough to check a value by hand. If a "
            "program computes something else than its documents say, the convention `-docs` follows the documents. The end of the page "
            "lists what receval does not have."
        ),
    ]
    for name, statements in SECTIONS.items():
        blocks.append(Heading(name, 2))
        for statement in statements:
            blocks += _shown(statement) if statement.is_shown else []
    lacking = [
        f"{name}: {statement.says} {statement.how}"
        for name, statements in SECTIONS.items()
        for statement in statements
        if not statement.is_shown
    ]
    return [*blocks, *_audit(), Heading("What receval does not have", 2), Points(tuple(lacking))]


def _audit() -> list[Block]:
    """Return a table for each system: its statements, whether receval does the same, and the test or the value that shows it."""
    blocks: list[Block] = [
        Heading("The audit", 2),
        Paragraph(
            "Every statement with the test that shows it. A value is that of the files above, or of each of their users, under the "
            "convention of the documents, worked by hand from the statement; `tests/test_seed_audit.py` computes it. The table is "
            "`docs/seeds/audit.yaml`; a row without a test fails the test suite."
        ),
    ]
    for system, rows in yaml.safe_load((ROOT / "docs" / "seeds" / "audit.yaml").read_text("utf-8")).items():
        cells = ((row["says"], row.get("answer", "yes"), _proof(row)) for row in rows)
        columns = text_columns("statement", "receval does the same", "shown by")
        blocks += [Heading(f"{system}: {len(rows)} statements", 3), Table.from_texts(columns, cells)]
    return blocks


def _proof(row: dict[str, Any]) -> str:
    """Return the test of a statement, or its measure with the value, or with those of the users."""
    if "test" in row:
        return f"`{row['test'].removeprefix('tests/')}`"
    values = ", ".join("none" if value is None else f"{value:.4f}" for value in row.get("users", [row.get("value")]))
    return f"`{row['measure']}` is {values}" + (" for users 1, 2 and 3" if "users" in row else "")


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
