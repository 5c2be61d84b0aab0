"""The pages docs/metrics.md and docs/metrics/NAME.md: what the registry says of each metric, how a config writes it, and an example."""

from __future__ import annotations

import runpy
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from msgspec.structs import replace
from receval.config import load_config
from receval.content import catalogue as pages
from receval.document import Block, Cell, Code, Heading, Paragraph, Table, Terms
from receval.metrics import METRICS, catalogue
from receval.metrics.catalogue import ChoiceEntry, MetricEntry

ROOT = Path(__file__).parent.parent
printed = runpy.run_path(str(ROOT / "docs" / "printed.py"))["printed"]

CONFIG = "docs/example/config.yaml"
EVALUATION = load_config(ROOT / CONFIG).config.evaluation
TABLE = (
    "The default convention, `receval`: users with at least one relevant test item are averaged, and a user without a list counts 0. "
    "`receval metrics` lists them with their conventions; `receval metrics nDCG` prints formula, parameters, edge cases, source, and what "
    "each convention sets, `--convention trec_eval` explains a convention. Each name leads to a page of its own. "
    "[Settings of every metric](axes.md) says what is relevant, how lists are read and who counts, [symbols](symbols.md) what the letters "
    "of the formulas mean."
)
COLUMNS = {"users": "age", "items": "studio"}
"""The columns of the example that name groups."""
BY_USERS = {"UserMADRanking", "UserMADRating"}
PREDICTIONS = {"LogLoss", "LabelAUC"}
"""Metrics whose predictions are probabilities, which the example has in another file."""
FILES = {
    "data.train": "  train: train.csv",
    "data.train or data.items": "  train: train.csv             # or items",
    "categories of data.items": "  items: {path: items.csv, categories: genres}",
    "a column of data.items": "  items: items.csv             # with a column that names groups",
    "a column of data.users": "  users: users.csv             # with a column that names groups",
    "data.baseline": "  baseline: baseline.csv",
    "data.previous_policy": "  previous_policy: previous_policy.csv",
    "data.distances": "  distances: distances.csv",
    "data.predictions": "  predictions: predictions.csv",
}


def metrics() -> list[Block]:
    """A table for every family, with a link to the page of each metric."""
    found = catalogue.read()
    names = {entry.name: f"[{entry.name}](metrics/{slug(entry.name)}.md)" for entry in found.metrics}
    linked = [replace(entry, name=names[entry.name]) for entry in found.metrics]
    return [Heading("All metrics"), Paragraph(TABLE), *(_level(block, -1) for block in pages.overview(linked))]


def _level(block: Block, more: int) -> Block:
    return replace(block, level=block.level + more) if isinstance(block, Heading) else block


def axes() -> list[Block]:
    """The page on the axes that every metric takes."""
    return pages.axes(catalogue.read().protocol)


def symbols() -> list[Block]:
    """The page on the symbols of formulas."""
    return [_level(block, -1) for block in pages.symbols()]


def each() -> Mapping[str, list[Block]]:
    """The page of each metric by the name of its file."""
    return {slug(entry.name): page(entry) for entry in catalogue.read().metrics}


def slug(name: str) -> str:
    """The name of the file of a page: in lower case, since some file systems take nDCG.md and NDCG.md for one file."""
    return name.lower()


def page(entry: MetricEntry) -> list[Block]:
    """One metric: what the registry says, with links to the conventions, and below it a config and an example."""
    back = Paragraph("[All metrics](../metrics.md) · [what every metric takes](../axes.md) · [symbols](../symbols.md)")
    first, *rest = pages.metric(entry)
    at = rest.index(Heading("Settings of each convention", 2))
    definition, settings = rest[:at], [linked(block) for block in rest[at:]]
    return [
        first,
        back,
        *(linked(block) for block in definition),
        Heading("In a config", 2),
        Code(in_config(entry), "yaml"),
        Heading("An example", 2),
        Paragraph("Five users and eight films, in [docs/example](../example/test.csv):"),
        Code(example(entry)),
        *settings,
    ]


def linked(block: Block) -> Block:
    """A block with the names of conventions as links."""
    if isinstance(block, Terms) and any(term == "conventions" for term, _ in block.rows):
        return replace(block, rows=tuple((term, _links(text) if term == "conventions" else text) for term, text in block.rows))
    if isinstance(block, Table) and block.columns[0].title == "convention":
        return replace(block, rows=tuple((Cell(_in_brackets(first.text)), *others) for first, *others in block.rows))
    return block


def _in_brackets(name: str) -> str:
    inner = name.strip("()")
    return name.replace(inner, _links(inner))


def _links(names: str) -> str:
    return ", ".join(f"[{name}](../conventions/{name}.md)" for name in names.split(", "))


def measure(entry: MetricEntry) -> str:
    """The measure of the example: the metric with the columns it needs, at the cut-off of the example."""
    return _spelled(entry, _columns(entry), 3)


def _columns(entry: MetricEntry) -> dict[str, str]:
    texts = METRICS[entry.name].texts
    needed = (name for name, text in texts.items() if text.default is None)
    return {name: COLUMNS["users" if name == "users" or entry.name in BY_USERS else "items"] for name in needed}


def _spelled(entry: MetricEntry, given: Mapping[str, str], k: int) -> str:
    inside = ",".join(f"{name}={value}" for name, value in given.items())
    return f"{entry.name}{f'({inside})' if inside else ''}{f'@{k}' if entry.takes_cutoff else ''}"


def in_config(entry: MetricEntry) -> str:
    """How a config asks for the metric: with its defaults, and with another value of each parameter."""
    columns = _columns(entry)
    lines = [(_spelled(entry, columns, 10), "")]
    lines += [(text, choice.decides) for choice in entry.parameters if (text := _with_another(entry, choice, columns))]
    away = [setting.convention for setting in entry.settings if setting.has_metric and (setting.own or setting.alone)]
    if away:
        lines.append((_spelled(entry, columns | {"convention": away[0]}, 10), f"as {away[0]} defines it"))
    width = max(len(_quoted(text)) for text, _ in lines)
    measures = [f"    - {_quoted(text).ljust(width)}{f'   # {why}' if why else ''}".rstrip() for text, why in lines]
    files = [FILES[need] for need in entry.needs]
    return "\n".join([*(["data:", *files] if files else []), "evaluation:", "  metrics:", *measures])


def _with_another(entry: MetricEntry, choice: ChoiceEntry, columns: Mapping[str, str]) -> str:
    """The measure with another value of a parameter than the default, and of a second one where the first alone is refused."""
    seconds = [{other.name: value} for other in entry.parameters if other != choice for value in _others(other)]
    for given in ({choice.name: value, **second} for second in ({}, *seconds) for value in _others(choice)):
        text = _spelled(entry, {**columns, **given}, 10)
        with suppress(ValueError):
            EVALUATION.define(text)
            return text
    return ""


def _others(choice: ChoiceEntry) -> list[str]:
    """The values that are not the default; of a number the default, which shows how it is written."""
    default = catalogue.shown(choice.default)
    if not choice.values:
        return [] if default in ("", "no limit") else [default]
    return [value for value in choice.values if value != default]


def _quoted(text: str) -> str:
    return f'"{text}"' if "," in text or ": " in text else text


def example(entry: MetricEntry) -> str:
    """How the value of one user comes about, or the value of a model, as the command line prints it."""
    text = measure(entry)
    if not METRICS[entry.name].system:
        return printed(["explain", text, CONFIG, "--user", "ana"])
    sets = ["--set", f"evaluation.metrics=[{_quoted(text)}]"]
    sets += ["--set", "data.predictions=probabilities.csv"] if entry.name in PREDICTIONS else []
    return printed(["run", CONFIG, *sets])
