"""The page docs/dirty-input.md: the values of five libraries and receval for each flaw of a toy in tests/toy."""

from __future__ import annotations

import json
import runpy
import tempfile
from pathlib import Path
from typing import Any

from receval import Result, load_config, run
from receval.documents.document import Block, Code, Heading, Paragraph, Points, Table, text_columns
from receval.documents.findings import bounds, titled

ROOT = Path(__file__).parents[2]
TOY = ROOT / "tests" / "toy"
LIBRARIES = {"ranx": "ranx", "ir_measures": "ir_measures", "rectools": "RecTools", "replay": "RePlay", "recommenders": "Recommenders"}
DONE = {
    "clean": "All agree, except for the nDCG of RecTools: it divides by the DCG of k relevant items, even if a user has only one.",
    "user 2 has no list": "ranx refuses the files. Recommenders leaves the user out of P, R and MAP, and counts 0 for nDCG: a model with "
    "lists for half of the users gets a better precision. The others count 0.",
    "rows twice in the lists": "A dictionary keeps one row of a pair, here the last, so ranx and ir_measures see a shorter list. "
    "RecTools counts each row as a hit and as a relevant item. RePlay counts each item once in P and R. In nDCG and MAP it counts rows, so "
    "these exceed 1; it warns. Recommenders counts rows, and in nDCG each pair of duplicate rows.",
    "a row twice in the truth": "A dictionary keeps it once. RePlay has one more relevant item in nDCG and MAP, and so a lower value. "
    "RecTools and Recommenders count a hit twice; the nDCG of Recommenders exceeds 1.",
    "all scores tied, relevant rows first": "ranx and Recommenders keep the order of the file, here the best one. ir_measures and RePlay "
    "order ties by item id, largest first, here the worst one. RecTools uses ranks, not scores.",
    "all scores tied, relevant rows last": "The same scores and lists in another order of rows: values go from 1.0 to 0.0.",
    "ids are numbers in the truth and texts in the lists": "Frames are refused. Dictionaries for ranx and ir_measures need text ids, so "
    "the caller must convert the ids before.",
}
"""Flaw → explanation of the values."""


def page() -> list[Block]:
    """Return the page; receval evaluates the files for it."""
    flaws = runpy.run_path(str(TOY / "ask.py"))["FLAWS"]
    said = {name: json.loads((TOY / "reference" / f"{name}.json").read_text("utf-8")) for name in LIBRARIES}
    blocks: list[Block] = [Heading("What five libraries do with dirty input"), *_introduction(said)]
    for flaw, (truth, lists, _) in flaws.items():
        files = f"`{truth}.csv`, `{lists}.csv`"
        own = _receval(truth, lists)
        blocks += [Heading(flaw[0].upper() + flaw[1:], 2), Paragraph(f"{files}. {DONE[flaw]}"), _table(said, flaw, own), *_findings(own)]
    return [*blocks, Heading("Where the values come from", 2), *_sources()]


def _introduction(said: dict[str, Any]) -> list[Block]:
    versions = ", ".join(f"{title} {said[name]['version']}" for name, title in LIBRARIES.items())
    files = "\n\n".join(f"{name}.csv\n{(TOY / f'{name}.csv').read_text('utf-8').strip()}" for name in ("truth", "clean"))
    return [
        Paragraph(
            f"The example has two users, three relevant items and six recommended items; k = 3. {versions} agree on it, except for one "
            "nDCG. With each of the flaws below they differ, and mostly do not say so."
        ),
        Code(files),
    ]


def _receval(truth: str, lists: str) -> Result:
    """Evaluate two files of the toy with default settings; only the finding on few users is switched off."""
    data = f"data: {{test: {TOY}/{truth}.csv, recommendations: {{toy: {TOY}/{lists}.csv}}}}"
    asked = "evaluation: {metrics: [Precision, Recall, nDCG, MAP], top_k: [3]}"
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "config.yaml"
        config.write_text(f"{data}\n{asked}\nhealth: {{T04: off}}\n")
        return run(load_config(config))


def _findings(result: Result) -> list[Block]:
    """Show the errors and warnings of the health checks, and the exit code."""
    found = [finding for finding in result.findings if finding.severity != "info"]
    if not found:
        return [Paragraph("The checks of receval find no problem.")]
    lines = []
    for finding in found:
        ends = "".join(f" {line[0].upper()}{line[1:]}." for line in bounds(finding))
        lines.append(f"**{'error' if finding.severity == 'error' else 'warning'} {finding.check}** {titled(finding)}{ends}")
    code = "1; the results are written" if result.failed() else "0, or 1 with `--strict`"
    return [Paragraph("receval prints with the numbers:"), Points(tuple(lines)), Paragraph(f"The exit code is {code}.")]


def _table(said: dict[str, Any], flaw: str, own: Result) -> Table:
    measures = tuple(said["ranx"]["answers"]["clean"])
    rows = [(title, *(_cell(said[name]["answers"][flaw].get(key)) for key in measures)) for name, title in LIBRARIES.items()]
    rows.append(("receval", *(f"{row.value:.2f}" for row in own.rows)))
    return Table.from_texts(text_columns("", *(f"{measure}@3" for measure in measures)), rows)


def _cell(answer: dict[str, Any] | None) -> str:
    if answer is None:
        return "n/a"
    if "error" in answer:
        return f"`{answer['error']}`"
    value = f"{answer['value']:.2f}"
    marked = f"**{value}**" if answer["value"] > 1 else value
    return f"{marked} (warns)" if "warning" in answer else marked


def _sources() -> list[Block]:
    return [
        Points(
            (
                "`tests/toy` has the files, the script `ask.py` that runs a library in its own environment, and the values that it gave.",
                "`tests/test_toy.py` evaluates the same files under the convention of each library, and says where and why they differ.",
                "The lines of receval are those of `receval run` under its own convention. `evaluation.policy` sets another handling, "
                "or `error`, which refuses the files with exit code 3.",
                "Values above 1 are bold: the range of all these measures ends at 1.",
            )
        )
    ]
