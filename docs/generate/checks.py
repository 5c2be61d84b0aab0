"""The pages docs/checks.md and docs/checks/ID.md: every health check with a case that raises it, and the values of every policy."""

from __future__ import annotations

import runpy
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from receval.checks import CHECKS, NEEDS, Check
from receval.config.odd_data import Policy
from receval.conventions import AXES
from receval.documents.catalogue import check as about
from receval.documents.catalogue import limit_text
from receval.documents.document import Block, Code, Heading, Paragraph, Table, Terms, text_columns

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))
from tests.dirty import CASES, Case  # noqa: E402

printed = runpy.run_path(str(ROOT / "docs" / "generate" / "printed.py"))["printed"]

_HEADS = text_columns("check", "severity", "fails if", "limits, with their defaults", "needs", "what to do")
GROUPS = {"R": "The lists of a model", "T": "The test file", "X": "Between files"}


def page() -> list[Block]:
    """Return the page of all checks."""
    blocks: list[Block] = [
        Heading("Health checks and policies"),
        Paragraph(
            "`receval check CONFIG` runs all checks, with `--select R01,X*` only these, `receval check R01` explains one; "
            "`receval run CONFIG` runs them while it evaluates. "
            "The key `health` of a config sets severities (`error`, `warn`, `info`, `off`) and limits: "
            "`health: {R04: error, X01: {severity: error, max_share: 0.01}, X05: off}`, or `health: off`. A check that fails with the "
            "severity `error` makes the exit code 1; the results are still written. With `--strict` warnings count too."
        ),
    ]
    for letter, title in GROUPS.items():
        rows = tuple(_row(check) for check in CHECKS.values() if check.id.startswith(letter))
        blocks += [Heading(title, 2), Table.from_texts(_HEADS, rows)]
    blocks += [
        Heading("Policies", 2),
        Paragraph(
            "`evaluation.policy` sets how odd data is handled, for every metric alike; the convention decides whatever it does not set. "
            "Each of its keys may also be `error`: then `receval run` refuses such data with exit code 3, and `receval check` reports an "
            "error. They are also axes of the conventions, so a single measure can set them: `nDCG(missing_lists=drop)@10`."
        ),
    ]
    for name in Policy.model_fields:
        if name in AXES:
            blocks.append(Terms(tuple(AXES[name].meanings.items()), f"`{name}`: {AXES[name].decides}"))
    values = (("error", "are refused, with the first place"), ("drop", "are left out and counted"))
    blocks.append(Terms(values, "`missing_values`: rows without an id, score or rank, or with a score that is not a finite number"))
    return blocks


def each() -> Mapping[str, list[Block]]:
    """Return the page of each check by its id in lower case."""
    return {check.id.lower(): list(_one(check)) for check in CHECKS.values()}


def _one(check: Check) -> Iterator[Block]:
    heading, *facts = about(check)
    yield heading
    yield Paragraph("[All checks and policies](../checks.md) · [how odd data is handled](../odd-data.md)")
    yield from facts
    yield Heading("In a config", 2)
    yield Code(_in_config(check), "yaml")
    yield Heading("An example", 2)
    yield from _example(check)


def _in_config(check: Check) -> str:
    severity = "warn" if check.severity == "error" else "error"
    limits = "".join(f", {name}: {limit_text(limit.default or _TRIED[name])}" for name, limit in check.limits.items())
    return f"health:\n  {check.id}: {{severity: {severity}{limits}}}   # or only a severity: {check.id}: off"


_TRIED = {"max_share": 0.01, "mde": 0.02, "margin": 0.01}
"""Numbers for limits that are 0 or unset by default."""


def _example(check: Check) -> Iterator[Block]:
    """Show the smallest case of the tests that raises the check: its files, cut if long, and the findings."""
    raising = [case for case in CASES.values() if any(found["check"] == check.id for found in case.findings)]
    usual = [case for case in raising if any((found["check"], found["severity"]) == (check.id, check.severity) for found in case.findings)]
    case = min(usual or raising, key=lambda case: (len(case.findings), sum(len(str(content)) for content in case.files.values())))
    yield Paragraph(f"{case.name[0].upper()}{case.name[1:]}.")
    yield Code(_files(case))
    with tempfile.TemporaryDirectory() as folder:
        config = case.write(Path(folder) / "case")
        yield Code(printed(["check", config.name], folder=config.parent, codes=(0, 1)))


_LINES = 12
"""Number of lines that are shown of a file."""


def _files(case: Case) -> str:
    """Return the files of a case as text, one below the other, cut if they are long."""
    shown = []
    for name, content in case.files.items():
        rows = content.splitlines() if isinstance(content, str) else [str(content)[:80]]
        more = [f"… ({len(rows) - _LINES} more lines)"] if len(rows) > _LINES else []
        shown.append("\n".join([f"# {name}", *(row[:80] for row in rows[:_LINES]), *more]))
    return "\n\n".join(shown)


def _row(check: Check) -> tuple[str, ...]:
    limits = "; ".join(f"`{name}` {limit_text(limit.default)}: {limit.means}" for name, limit in check.limits.items())
    link = f"[{check.id}](checks/{check.id.lower()}.md)"
    return (link, check.severity, check.finds, limits, " and ".join(NEEDS[need] for need in check.needs), check.advice)
