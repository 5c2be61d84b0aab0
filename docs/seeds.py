"""The page docs/seeds.md: the statements of seed_statements.py, and what receval prints for the files of docs/seeds."""

from __future__ import annotations

import io
import re
import runpy
import shlex
from collections.abc import Sequence
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path

from receval.cli.main import main
from receval.output.blocks import Block, FormulaBlock, Heading, Points, Prose

ROOT = Path(__file__).parent.parent
_STATEMENTS = runpy.run_path(str(ROOT / "docs" / "seed_statements.py"))
CONFIG, SECTIONS = _STATEMENTS["CONFIG"], _STATEMENTS["SECTIONS"]


def page() -> list[Block]:
    """The page; every command is run as it is made."""
    blocks: list[Block] = [
        Heading("The documents of five systems, statement by statement"),
        Prose(
            f"Each command was run in the root of the repository; `{CONFIG}` has three users, small enough to check a value "
            "by hand. Numbers of "
            "rows are those of an audit of 232 statements. Where a program computes something else than its documents say, the convention "
            "`-docs` has the documents."
        ),
    ]
    for name, (statements, missing) in SECTIONS.items():
        blocks.append(Heading(name, 2))
        for statement in statements:
            blocks += [Prose(f"**{statement.says}** {statement.how}"), FormulaBlock(shown(statement.words(), statement.n_blocks))]
        blocks += [Prose("Not there yet:"), Points((missing,))]
    return blocks


def shown(words: Sequence[str], n_blocks: int) -> str:
    """A command, and the first blocks of what it prints: what stands below is about the run, not about the statement."""
    printed, err = io.BytesIO(), io.StringIO()
    out = io.TextIOWrapper(printed, encoding="utf-8")
    with chdir(ROOT), redirect_stdout(out), redirect_stderr(err):
        code = main(list(words))
    if code:
        raise RuntimeError(f"receval {shlex.join(words)}: {err.getvalue()}")
    out.flush()
    lines = "\n".join(line.rstrip() for line in printed.getvalue().decode().splitlines())
    blocks = [block for block in re.split(r"\n\n+", lines.strip("\n")) if block]
    return "\n".join([f"$ receval {shlex.join(words)}", "\n\n".join(blocks[:n_blocks])])
