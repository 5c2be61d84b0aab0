"""The page docs/seeds.md: the statements of seed_statements.py, and what receval prints for the files of docs/seeds."""

from __future__ import annotations

import runpy
from pathlib import Path

from receval.output.blocks import Block, FormulaBlock, Heading, Points, Prose

ROOT = Path(__file__).parent.parent
_STATEMENTS = runpy.run_path(str(ROOT / "docs" / "seed_statements.py"))
printed = runpy.run_path(str(ROOT / "docs" / "printed.py"))["printed"]
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
            blocks += [Prose(f"**{statement.says}** {statement.how}"), FormulaBlock(printed(statement.words(), statement.n_blocks))]
        blocks += [Prose("Not there yet:"), Points((missing,))]
    return blocks
