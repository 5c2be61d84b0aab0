"""The pages docs/metrics.md and docs/metrics/FAMILY.md: each metric, its values on the sample, its config and an example."""

from __future__ import annotations

import json
import re
import runpy
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from msgspec.structs import replace
from receval.config import load_config
from receval.documents import catalogue as pages
from receval.documents.document import Block, Cell, Code, Equation, Heading, Paragraph, Table, Terms, text_columns
from receval.documents.numbers import decimals, number
from receval.metrics import METRICS, catalogue
from receval.metrics.catalogue import ChoiceEntry, MetricEntry
from receval.metrics.notation import GLOSSARY

ROOT = Path(__file__).parents[2]
printed = runpy.run_path(str(ROOT / "docs" / "generate" / "printed.py"))["printed"]

CONFIG = "docs/example/config.yaml"
EVALUATION = load_config(ROOT / CONFIG).config.evaluation
TABLE = (
    "Each name links to the part on the metric, with its formula, edge cases and an example. The values are those of the default "
    "convention, `receval`: the mean over users with at least one relevant test item, where a user without a list counts 0. "
    "[Settings of every metric](axes.md) explains which items are relevant, how lists are read and which users count, "
    "[symbols](symbols.md) explains the formulas. `receval metrics` prints this list, `receval metrics nDCG` explains a metric, and "
    "`receval metrics --convention trec_eval` a convention."
)
COLUMNS = {"users": "age", "items": "studio"}
"""Columns of the example that name groups."""
BY_USERS = {"UserMADRanking", "UserMADRating"}
PREDICTIONS = {"LogLoss", "LabelAUC"}
"""Metrics whose predictions are probabilities, which are in another file of the example."""
SAMPLE = "configs/families.yaml"
MODELS = ("random", "popular", "knn")
"""Models of the sample, the weakest first."""
SAMPLE_MODELS = (
    "The sample in `configs` has three models: `random` recommends any items, `popular` those with most train rows, and `knn` those that "
    "are similar to the user's own. A list has 50 items. A test item with a rating of at least 4 is relevant."
)
SAMPLE_NOTES = dict.fromkeys(
    ("AUC", "GAUC"),
    "A random order of all candidates scores about 0.5. In the sample relevant items outside the list count 0, so that values are lower.",
)
"""Remarks on the values of the sample."""
VALUES = {"profit": "items.margin", "revenue": "items.price", "weight": "items.price"}
"""The columns of the example that hold values, by the key of `evaluation.value_columns`."""
NUMBERS = {"gamma": "1.7"}
"""The numbers of the example that have no default."""
SAMPLE_COLUMNS = {"users": "plan", "items": "label"}
"""Columns of the sample that name groups."""
NOT_ON_THE_SAMPLE = {
    **dict.fromkeys(
        (name for name, metric in METRICS.items() if metric.family == "value"),
        "it needs a column of prices or weights, which the sample does not have",
    ),
    "LogLoss": "it needs predictions that are probabilities, and the sample has predicted ratings",
    "MeanPredictionDistance": "it needs data.distances between users, which the sample does not have",
}
"""Metrics without values on the sample, and the reason."""
OF_PREDICTIONS = {"MSE", "RMSE", "MAE", "Unpredicted", "R2", "ExplainedVariance", "LabelAUC", "ConcordantPairs", "DiscordantPairs", "FCP"}
"""Metrics that read data.predictions instead of the lists."""
FILES = {
    "data.train": "  train: train.csv",
    "data.train or data.items": "  train: train.csv             # or items",
    "categories of data.items": "  items: {path: items.csv, categories: genres}",
    "a column of data.items": "  items: items.csv             # with a column that names groups",
    "a column of data.users": "  users: users.csv             # with a column that names groups",
    catalogue.NUMBERS_OF_RELEVANT: "  items: items.csv             # with a column of numbers, if the test file has none",
    catalogue.NUMBERS_OF_LISTED: "  items: items.csv             # with a column of numbers",
    "data.baseline": "  baseline: baseline.csv",
    "data.previous_policy": "  previous_policy: previous_policy.csv",
    "data.distances": "  distances: distances.csv",
    "data.predictions": "  predictions: predictions.csv",
}


def metrics() -> list[Block]:
    """Return a table for every family: a row per metric, with a link to its part, its summary and its parameters."""
    blocks: list[Block] = [Heading("All metrics"), Paragraph(TABLE)]
    for family, entries in families().items():
        columns = text_columns("metric", "meaning", "parameters, the default first", "bounds", "needs")
        blocks += [Heading(catalogue.FAMILIES[family], 2), Table.from_texts(columns, map(_row, entries))]
    return blocks


def families() -> Mapping[str, list[MetricEntry]]:
    """Return the metrics of each family."""
    by_family: dict[str, list[MetricEntry]] = {}
    for entry in catalogue.read().metrics:
        by_family.setdefault(entry.family, []).append(entry)
    return by_family


def place(name: str) -> str:
    """Return the place of the part on a metric, below docs/metrics."""
    return f"{METRICS[name].family}.md#{name.lower()}"


def _row(entry: MetricEntry) -> tuple[str, ...]:
    name = f"[{entry.name}](metrics/{place(entry.name)})"
    aliases = f" ({', '.join(entry.aliases)})" if entry.aliases else ""
    taken = (f"`{choice.name}`: {', '.join(_default_first(choice))}" for choice in entry.parameters)
    return f"{name}{aliases}", entry.summary, "; ".join(taken), pages.bounds(entry), " and ".join(entry.needs)


def _default_first(choice: ChoiceEntry) -> list[str]:
    default = catalogue.format_value(choice.default) or choice.allowed
    return [default, *(value for value in choice.values if value != default)]


def axes() -> list[Block]:
    """Return the page on the axes that every metric takes."""
    return pages.axes(catalogue.read().protocol)


def symbols() -> list[Block]:
    """Return the page on the symbols of formulas."""
    rows = tuple((f"$`{symbol}`$", re.sub(r"\$([^$]+)\$", r"$`\1`$", meaning)) for symbol, meaning in GLOSSARY.items())
    about = "`[…]` around a condition is 1 if it holds, else 0. A metric's parameters name their own symbols."
    return [Heading("Symbols of the formulas"), Paragraph(about), Terms(rows, code=False)]


def each() -> Mapping[str, list[Block]]:
    """Return the page of each family by the name of its file."""
    return {family: page(catalogue.FAMILIES[family], entries) for family, entries in families().items()}


def page(title: str, entries: list[MetricEntry]) -> list[Block]:
    """Return the page of a family: a part per metric."""
    back = Paragraph("[All metrics](../metrics.md) · [settings of every metric](../axes.md) · [symbols](../symbols.md)")
    links = Paragraph(" · ".join(f"[{entry.name}](#{entry.name.lower()})" for entry in entries))
    parts = (replace(block, level=block.level + 1) if isinstance(block, Heading) else block for entry in entries for block in part(entry))
    return [Heading(title), back, links, *parts]


def part(entry: MetricEntry) -> list[Block]:
    """Return the part on a metric: its entry in the registry with links to the conventions, a config, and an example."""
    blocks = list(explained(entry, pages.metric(entry)))
    at = blocks.index(Heading("Settings of each convention", 2))
    definition, settings = ([linked(block) for block in some] for some in (blocks[:at], blocks[at:]))
    return [
        *definition,
        Heading("A good value", 2),
        *good_value(entry),
        Heading("In a config", 2),
        Code(in_config(entry), "yaml"),
        Heading("An example", 2),
        Paragraph("Five users and eight films, in [docs/example](../example/test.csv):"),
        Code(example(entry)),
        *settings,
    ]


def explained(entry: MetricEntry, blocks: Iterable[Block]) -> Iterable[Block]:
    """Return the blocks of a page: the formula in LaTeX instead of text, with its symbols."""
    as_text = (Code(entry.formula), Terms(tuple(entry.terms.items())))
    for block in blocks:
        if block not in as_text:
            yield block
        if isinstance(block, Equation):
            symbols = catalogue.meanings(METRICS[entry.name], block.lines)
            rows = ((f"$`{symbol}`$", re.sub(r"\$([^$]+)\$", r"$`\1`$", meaning)) for symbol, meaning in symbols.items())
            yield Terms(tuple(rows), code=False)


def good_value(entry: MetricEntry) -> Iterable[Block]:
    """Show the values of the models of the sample, or why there are none; and how to read them."""
    if entry.name in NOT_ON_THE_SAMPLE:
        yield Paragraph(f"Not computed on the sample: {NOT_ON_THE_SAMPLE[entry.name]}.")
        return
    yield Paragraph(SAMPLE_MODELS)
    rows = {label: values for (name, label), values in sample_values().items() if name == entry.name}
    every = [value for values in rows.values() for value in values.values()]
    places = decimals(every, whole=METRICS[entry.name].is_count and all(float(value).is_integer() for value in every if value is not None))
    cells = ((label, *(number(values[model], places) or "none" for model in MODELS)) for label, values in rows.items())
    yield Table.from_texts(text_columns("measure", *MODELS), cells)
    yield Paragraph(" ".join(remarks(entry, list(rows.values()))))


def remarks(entry: MetricEntry, rows: list[Mapping[str, float | None]]) -> Iterable[str]:
    """Yield how to read the values of the sample."""
    if entry.name in OF_PREDICTIONS:
        yield "The value comes from data.predictions, so that it is the same for all lists."
    elif all(len(set(row.values())) == 1 for row in rows):
        yield "All three have the same value here."
    if "data.baseline" in entry.needs:
        yield "Here `popular` is data.baseline too."
    yield {True: "Higher is better.", False: "Lower is better.", None: "Neither high nor low is better in itself."}[entry.higher_is_better]
    yield "The values depend on the data: compare only models that are evaluated on the same data."
    if entry.name in SAMPLE_NOTES:
        yield SAMPLE_NOTES[entry.name]
    sign = {True: 1, False: -1, None: 0}[entry.higher_is_better]
    best = [max(reversed(MODELS), key=lambda model: sign * row[model]) for row in rows if None not in row.values()] if sign else []
    if best and "knn" not in best:
        names = " and ".join(f"`{model}`" for model in MODELS if model in best)
        yield f"Here {names} beats `knn`, which is more accurate: read this metric together with one of accuracy, such as nDCG."


@cache
def sample_values() -> Mapping[tuple[str, str], Mapping[str, float | None]]:
    """Return metric and measure → the value of each model of the sample; one run for all metrics, with defaults and the cut-off 10."""
    entries = [entry for entry in catalogue.read().metrics if entry.name not in NOT_ON_THE_SAMPLE]
    measures = {_spelled(entry, _columns(entry, SAMPLE_COLUMNS), 10): entry.name for entry in entries}
    sets = {"evaluation.metrics": list(measures), "evaluation.relevance": {"threshold": 4}, "health": "off"}
    words = [word for key, value in sets.items() for word in ("--set", f"{key}={json.dumps(value)}")]
    text = printed(["run", SAMPLE, *words, "--format", "json"])
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for row in json.loads(text.partition("\n")[2])["results"]:
        label = row["metric"] if row["k"] is None else f"{row['metric']}@{row['k']}"
        found.setdefault((row["metric"].partition("(")[0], label), {})[row["model"]] = row["value"]
    return found


def linked(block: Block) -> Block:
    """Return a block with the names of conventions as links."""
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
    """Return the measure of the example: the metric with the columns it needs, at the cut-off of the example."""
    return _spelled(entry, _columns(entry), 3)


def _columns(entry: MetricEntry, columns: Mapping[str, str] = COLUMNS) -> dict[str, str]:
    texts = METRICS[entry.name].texts
    needed = (name for name, text in texts.items() if text.default is None and not text.key)
    values = {name: VALUES[text.key] for name, text in texts.items() if text.key in VALUES and not text.shown}
    values |= {name: NUMBERS[name] for name, number in METRICS[entry.name].numbers.items() if number.default is None}
    return values | {name: columns["users" if name == "users" or entry.name in BY_USERS else "items"] for name in needed}


def _spelled(entry: MetricEntry, given: Mapping[str, str], k: int) -> str:
    inside = ",".join(f"{name}={value}" for name, value in given.items())
    return f"{entry.name}{f'({inside})' if inside else ''}{f'@{k}' if entry.takes_cutoff else ''}"


def in_config(entry: MetricEntry) -> str:
    """Return a config with the metric: with its defaults, and with another value of each parameter."""
    columns = _columns(entry)
    values = {text.key: VALUES[text.key] for text in METRICS[entry.name].texts.values() if text.key in VALUES and not text.shown}
    lines = [(_spelled(entry, {}, 10), ""), (_spelled(entry, columns, 10), "the same")] if values else [(_spelled(entry, columns, 10), "")]
    lines += [(text, choice.decides) for choice in entry.parameters if (text := _with_another(entry, choice, columns))]
    away = [setting.convention for setting in entry.settings if setting.has_metric and (setting.own or setting.alone)]
    if away:
        lines.append((_spelled(entry, columns | {"convention": away[0]}, 10), f"as {away[0]} defines it"))
    width = max(len(_quoted(text)) for text, _ in lines)
    measures = [f"    - {_quoted(text).ljust(width)}{f'   # {why}' if why else ''}".rstrip() for text, why in lines]
    read = frozenset().union(*(EVALUATION.define(text).needs for text, _ in lines))
    files = [
        *(["  test: {path: test.csv, categories: topic}"] if "test_categories" in read else []),
        *(FILES[need] for need in entry.needs),
    ]
    if "vectors" in read:
        files = [line.replace("categories: genres}", "categories: genres, vector: embedding}") for line in files]
    named = [f"  value_columns: {{{key}: {column}}}" for key, column in values.items()]
    return "\n".join([*(["data:", *files] if files else []), "evaluation:", *named, "  metrics:", *measures])


def _with_another(entry: MetricEntry, choice: ChoiceEntry, columns: Mapping[str, str]) -> str:
    """Return the measure with another value of a parameter, and of a second one if the first alone is refused; empty if none."""
    seconds = [{other.name: value} for other in entry.parameters if other != choice for value in _others(other)]
    for given in ({choice.name: value, **second} for second in ({}, *seconds) for value in _others(choice)):
        text = _spelled(entry, {**columns, **given}, 10)
        with suppress(ValueError):
            EVALUATION.define(text)
            return text
    return ""


def _others(choice: ChoiceEntry) -> list[str]:
    """Return the values that are not the default; of a number the default, as an example."""
    default = catalogue.format_value(choice.default)
    if not choice.values:
        return [] if default in ("", "no limit") else [default]
    return [value for value in choice.values if value != default]


def _quoted(text: str) -> str:
    return f'"{text}"' if "," in text or ": " in text else text


def example(entry: MetricEntry) -> str:
    """Return the output of the command line that explains the value of one user, or shows the value of a model."""
    text = measure(entry)
    if not METRICS[entry.name].per_model:
        return printed(["explain", text, CONFIG, "--user", "ana"])
    sets = ["--set", f"evaluation.metrics=[{_quoted(text)}]"]
    sets += ["--set", "data.predictions=probabilities.csv"] if entry.name in PREDICTIONS else []
    return printed(["run", CONFIG, *sets])
