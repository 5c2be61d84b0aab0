"""The pages docs/conventions/NAME.md: the settings of each convention, and those of them that change an example."""

from __future__ import annotations

import re
import runpy
from collections.abc import Mapping
from pathlib import Path

from msgspec.structs import replace
from receval.conventions import load, script_names
from receval.documents import catalogue as pages
from receval.documents.document import Block, Cell, Code, Equation, Heading, Paragraph, Table, Terms
from receval.metrics import METRICS, catalogue
from receval.metrics.catalogue import DEFAULT, Catalogue, ConventionEntry
from receval.metrics.notation import GLOSSARY, symbols

ROOT = Path(__file__).parents[2]
printed = runpy.run_path(str(ROOT / "docs" / "generate" / "printed.py"))["printed"]

CONFIG = "docs/example/config.yaml"
MEASURES = ("nDCG", "MAP", "Precision", "MRR", "RMSE", "FCP")
"""Metrics of the example, of which a library shows the first two that it has."""


def index() -> list[Block]:
    """Return a row for each convention, with a link to its page."""
    found = catalogue.read(map(load, script_names()))
    libraries = [entry for entry in found.conventions if entry.name not in script_names()]
    linked = [replace(entry, name=f"[{entry.name}]({entry.name}.md)") for entry in libraries]
    about = (
        "A convention sets every setting as a library computes it, so that receval prints the numbers of this library: "
        "[how to use conventions](../conventions.md)."
    )
    scripts = [replace(entry, name=f"[{entry.name}]({entry.name}.md)") for entry in _scripts(found)]
    copied = (
        "The evaluation code of some papers was copied into many others. Each page has the arithmetic of this code as a formula. "
        "`receval audit` leaves these conventions out, unless `--convention scripts` asks for them; `--find` searches them too."
    )
    of_scripts = [Heading("Scripts that papers copy", 2), Paragraph(copied), *pages.conventions(scripts)]
    return [Heading("All conventions"), Paragraph(about), *pages.conventions(linked), *of_scripts]


def _scripts(found: Catalogue) -> list[ConventionEntry]:
    """Return the conventions of scripts."""
    return [entry for entry in found.conventions if entry.name in script_names()]


def each() -> Mapping[str, list[Block]]:
    """Return the page of each convention by its name, which is in lower case."""
    found = catalogue.read(map(load, script_names()))
    return {entry.name: page(entry, found) for entry in found.conventions}


def page(entry: ConventionEntry, found: Catalogue) -> list[Block]:
    """Return the page of a convention: its entry in the catalogue, a config, and its effect on an example."""
    first, *rest = pages.convention(entry, (*found.protocol, *found.formula))
    coming_from = entry.name.removesuffix("-docs").replace("trec_eval", "ir_measures")
    more = f" · [coming from {entry.library}](../coming-from/{coming_from}.md)"
    there = (ROOT / "docs" / "coming-from" / f"{coming_from}.md").exists()
    back = "[All conventions](index.md) · [settings of every metric](../axes.md)"
    return [
        first,
        Paragraph(back + more if there else back),
        *(linked(block) for block in rest),
        *(arithmetic(entry) if entry.name in script_names() else []),
        Heading("In a config", 2),
        Code(in_config(entry), "yaml"),
        *example(entry),
    ]


def arithmetic(entry: ConventionEntry) -> list[Block]:
    """Return what the code computes for one user, as the formula of each of its metrics under its settings."""
    blocks: list[Block] = [Heading("The arithmetic of the code", 2)]
    used: list[str] = []
    for name in entry.metrics:
        metric = METRICS[name]
        own = load(entry.name).axes_of(name)
        params = {param: own[axis] for param, axis in metric.axes.items()} | {
            param: number.default for param, number in metric.numbers.items() if number.default is not None
        }
        lines = catalogue.equation(metric, params | {param: text.default or "" for param, text in metric.texts.items()})
        blocks.append(Equation(lines))
        used += lines
    needed = symbols(" ".join(used))
    terms = [(f"$`{symbol}`$", re.sub(r"\$([^$]+)\$", r"$`\1`$", meaning)) for symbol, meaning in GLOSSARY.items() if symbol in needed]
    return [*blocks, Terms(tuple(terms), code=False)]


def in_config(entry: ConventionEntry) -> str:
    """Return a config with the convention, and one measure by another convention."""
    if entry.name == DEFAULT:
        return "evaluation:\n  convention: receval   # the default\n  metrics: [nDCG@10]"
    first = next(name for name in MEASURES if name in entry.metrics)
    one = f"- {at(f'{first}(convention={DEFAULT})', 10)}   # this measure by another convention"
    return f"evaluation:\n  convention: {entry.name}\n  metrics:\n    - {at(first, 10)}\n    {one}"


def at(measure: str, k: int) -> str:
    """Return a measure with a cut-off, if it takes one."""
    return f"{measure}@{k}" if METRICS[measure.partition("(")[0]].cut else measure


def example(entry: ConventionEntry) -> list[Block]:
    """Show the settings of the convention that change the values of the example."""
    if entry.name == DEFAULT:
        return []
    shown = ", ".join(at(name, 3) for name in [name for name in MEASURES if name in entry.metrics][:2])
    words = ["audit", CONFIG, "--set", f"evaluation.metrics=[{shown}]", "--why", DEFAULT, entry.name]
    about = "Five users and eight films, in [docs/example](../example/test.csv):"
    return [Heading("Effect on an example", 2), Paragraph(about), Code(printed(words))]


def linked(block: Block) -> Block:
    """Return a block with the names of metrics as links."""
    if isinstance(block, Terms):
        return replace(block, rows=tuple((term, _links(text) if term == "metrics" else text) for term, text in block.rows))
    if isinstance(block, Table) and block.columns[0].title == "for one metric":
        rows = tuple((Cell(_links(first.text)), *others) for first, *others in block.rows)
        return replace(block, columns=(replace(block.columns[0], role="text"), *block.columns[1:]), rows=rows)
    return block


def _links(names: str) -> str:
    places = {name: f"../metrics/{METRICS[name].family}.md#{name.lower()}" for name in names.split(", ") if name in METRICS}
    return ", ".join(f"[{name}]({places[name]})" if name in places else name for name in names.split(", "))
