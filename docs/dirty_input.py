"""The page docs/dirty-input.md: what five libraries do with each flaw of a toy, from the values in tests/toy."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

from receval.evaluator.render.blocks import Block, Formula, Grid, Heading, Points, Prose

ROOT = Path(__file__).parent.parent
TOY = ROOT / "tests" / "toy"
LIBRARIES = {"ranx": "ranx", "ir_measures": "ir_measures", "rectools": "RecTools", "replay": "RePlay", "recommenders": "Recommenders"}
DONE = {
    "clean": "They agree, but for the nDCG of RecTools: it divides by the DCG of k relevant items, even where a user has only one.",
    "user 2 has no list": "ranx refuses. Recommenders leaves the user out of P, R and MAP, and counts 0 for nDCG: the model that answered "
    "half the users has the better precision. The others count 0.",
    "rows twice in the lists": "A dictionary keeps one row of a pair, here the last, so that ranx and ir_measures see a shorter list. "
    "RecTools counts each row as a hit and as a relevant item. RePlay counts sets in P and R and rows in nDCG and MAP, which pass 1, and "
    "warns. Recommenders counts rows, and in nDCG each pair of equal rows.",
    "a row twice in the truth": "A dictionary holds it once. RePlay has one relevant item more in nDCG and MAP, and so a lower value. "
    "RecTools and Recommenders count a hit twice; the nDCG of Recommenders passes 1.",
    "all scores tied, relevant rows first": "ranx and Recommenders keep the order of the file, here the best one. ir_measures and RePlay "
    "order ties by item id, largest first, here the worst one. RecTools takes ranks, not scores.",
    "all scores tied, relevant rows last": "The same scores, and the same lists but for the order of rows: from 1.0 to 0.0.",
    "ids are numbers in the truth and texts in the lists": "Frames are refused. Dictionaries for ranx and ir_measures want texts, so that "
    "the caller has made ids equal before, or has not.",
}
"""Flaw → what the values mean."""


def page() -> list[Block]:
    """The page, without what receval says."""
    flaws = runpy.run_path(str(TOY / "ask.py"))["FLAWS"]
    said = {name: json.loads((TOY / "reference" / f"{name}.json").read_text("utf-8")) for name in LIBRARIES}
    blocks: list[Block] = [Heading("What five libraries do with dirty input"), *_introduction(said)]
    for flaw, (truth, lists, _) in flaws.items():
        files = f"`{truth}.csv`, `{lists}.csv`"
        blocks += [Heading(flaw[0].upper() + flaw[1:], 2), Prose(f"{files}. {DONE[flaw]}"), _table(said, flaw)]
    return [*blocks, Heading("Where the values come from", 2), *_sources()]


def _introduction(said: dict[str, Any]) -> list[Block]:
    versions = ", ".join(f"{title} {said[name]['version']}" for name, title in LIBRARIES.items())
    files = "\n\n".join(f"{name}.csv\n{(TOY / f'{name}.csv').read_text('utf-8').strip()}" for name in ("truth", "clean"))
    return [
        Prose(
            f"Nine rows, three of them relevant items and six recommended ones, of two users; k = 3. {versions} agree about them. With "
            "each of the flaws below they do not, and mostly without a word."
        ),
        Formula(files),
    ]


def _table(said: dict[str, Any], flaw: str) -> Grid:
    measures = tuple(said["ranx"]["answers"]["clean"])
    rows = [(title, *(_cell(said[name]["answers"][flaw].get(key)) for key in measures)) for name, title in LIBRARIES.items()]
    return Grid(("", *(f"{measure}@3" for measure in measures)), tuple(rows))


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
                "`tests/toy` has the files, the script `ask.py` that asks a library in an environment of its own, and its answers.",
                "`tests/test_toy.py` evaluates the same files under the convention of each library, and says where and why it differs.",
                "Values above 1 are bold: none of these measures can be.",
            )
        )
    ]
