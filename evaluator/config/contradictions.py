"""What is wrong with a config whose parts are right: inputs that are missing, and keys that do not go together."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator
from typing import Final

from msgspec.structs import replace

from ..metrics import Definition
from ..names import yaml_text as text
from ..names.yardstick_names import YARDSTICK_NAMES
from ..tables.groups import GroupBy
from .data import Data
from .gate_problems import gate_problems
from .models import Config

_INPUTS: Final = {
    "items": "the items of the catalogue",
    "users": "what is known of the users",
    "baseline": "the lists of a reference model",
    "previous_policy": "the scores of the policy that collected the data",
    "distances": "the distances between items",
    "predictions": "predicted ratings",
}
_HAVING: Final = {
    "score": ("recommendations", "baseline", "previous_policy"),
    "rank": ("recommendations", "baseline"),
    "prediction": ("predictions",),
    "timestamp": ("test", "train"),
    "other": ("distances",),
    "distance": ("distances",),
}
"""Columns that only some files have, and where."""


def contradictions(config: Config) -> Iterator[tuple[text.Path, str]]:
    """Every contradiction, with the path of the key that it is about."""
    for definition in config.evaluation.computed:
        yield from ((("evaluation", "metrics"), sentence) for sentence in missing(definition, config.data))
    yield from _of_files(config.data)
    yield from _of_tables(config)
    yield from _of_models(config)
    yield from _without_inputs(config)
    yield from _of_groups(config)
    yield from gate_problems(config)
    relevance = config.evaluation.relevance
    if relevance.graded and relevance.threshold is not None and relevance.threshold < 0:
        yield ("evaluation", "relevance", "threshold"), "with graded relevance the rating is the gain, and a gain is not negative"
    aggregates = config.evaluation.aggregates
    for definition in config.evaluation.computed:
        if (
            "micro" in ((definition.average,) if not aggregates else aggregates if set(aggregates) == {"micro"} else ())
            and not definition.is_pooled
        ):
            location = ("evaluation", "aggregates" if aggregates else "metrics")
            yield location, f"{definition.label} is no ratio and cannot be pooled (micro): ask for the mean{' too' if aggregates else ''}"
            break


def _without_inputs(config: Config) -> Iterator[tuple[text.Path, str]]:
    """Yardsticks and policies that look at files which are not given."""
    yardsticks, policy, data = config.evaluation.yardsticks, config.evaluation.policy, config.data
    for name in data.recommendations if isinstance(data.recommendations, dict) else ():
        if name in YARDSTICK_NAMES:
            yield ("data", "recommendations", name), f"{name} is the name of a yardstick: give the model another one"
    if yardsticks.popularity and data.train is None:
        yield ("evaluation", "yardsticks"), "popularity needs the interactions the models learnt from: give data.train"
    if yardsticks.random is not None and data.train is None and data.items is None:
        yield ("evaluation", "yardsticks"), "random lists need the catalogue: give data.train or data.items"
    if policy.seen_items not in (None, "keep") and data.train is None:
        yield ("evaluation", "policy", "seen_items"), "nothing is known of seen items: give data.train"
    if policy.unknown_items not in (None, "keep") and data.train is None and data.items is None:
        yield ("evaluation", "policy", "unknown_items"), "nothing is known of the catalogue: give data.train or data.items"


def _of_groups(config: Config) -> Iterator[tuple[text.Path, str]]:
    """Groups of what no file says."""
    compared: list[tuple[text.Path, GroupBy]] = [(("compare", "by", index), by) for index, by in enumerate(config.compare.by)]
    compared += [(("gates", "rules", number, "by"), by) for number, rule in enumerate(config.gates.rules) for by in rule.by]
    for location, by in (*((("evaluation", "by", index), by) for index, by in enumerate(config.evaluation.by)), *compared):
        role = by.kind if by.column else "train"
        if getattr(config.data, role) is None:
            yield location, f"{by.name} is what data.{role} says: give data.{role}"
    for location, by in compared:
        if by.kind == "items":
            yield location, f"models are compared for groups of users; {by.name} are groups of items"
    if config.compare.cluster is not None and config.data.users is None:
        yield ("compare", "cluster"), f"{config.compare.cluster} is what data.users says: give data.users"


def missing(definition: Definition, data: Data) -> Iterator[str]:
    """A sentence for each input that the definition needs and `data` does not give.

    A need is an input (`train`, `items`, …), `catalogue` for train or items, `categories` for those of the items, or a column
    of an input (`users.age`); one that ends in `?` is used where it is given.
    """
    for need in sorted(need for need in definition.needs if not need.endswith("?")):
        role, _, column = need.partition(".")
        if need == "catalogue":
            if data.train is None and data.items is None:
                yield f"{definition.label} needs the catalogue: give data.train or data.items"
        elif need == "train":
            if data.train is None:
                yield _without_train(definition)
        elif need == "categories":
            if data.items is None:
                yield f"{definition.label} needs the categories of the items: give data.items with its key categories"
            elif data.items.categories is None:
                yield f"{definition.label} needs the categories of the items: give data.items.categories, the column that says them"
        elif column and getattr(data, role) is None:
            yield f"{definition.label} needs the column {column!r} of the {role}: give data.{role}"
        elif not getattr(data, role):
            yield f"{definition.label} needs {_INPUTS[role]}: give data.{role}"


def _without_train(definition: Definition) -> str:
    if "train" in _over_who_counts(definition).needs:
        return f"{definition.label} needs the interactions the models learnt from: give data.train"
    average = f"{definition.label} under the convention {definition.convention} is averaged over the users of data.train"
    return f"{average}: give data.train, or write {definition.metric.name}(divisor=counted)"


def _over_who_counts(definition: Definition) -> Definition:
    """The same measure, divided by the users who count."""
    parts = tuple(_over_who_counts(part) for part in definition.components)
    return replace(definition, axes={**definition.axes, "divisor": "counted"}, components=parts)


def _of_files(data: Data) -> Iterator[tuple[text.Path, str]]:
    for location, source in data.sources():
        for key in source.columns.given():
            roles = _HAVING.get(key, (location[0],))
            if location[0] not in roles:
                known = " or ".join(f"data.{role}" for role in roles)
                yield ("data", *location, "columns", key), f"this file has no {key}: only that of {known} has"
    piped = [source for _, source in data.sources() if "-" in source.path]
    if len(piped) > 1 or any(len(source.path) > 1 for source in piped):
        yield ("data",), "standard input (-) can be read only once, and alone"


def _of_tables(config: Config) -> Iterator[tuple[text.Path, str]]:
    """Tables of a catalog that no Spark is there to read."""
    for place, source in config.data.sources():
        if source.table is not None and config.engine.name != "spark":
            yield ("data", *place, "table"), "a table of a catalog is read by Spark: add engine: spark"
        if source.frame is not None and source.frame.is_of_spark and config.engine.name != "spark":
            yield ("data", *place), "a DataFrame of Spark is read by Spark: add engine: spark"


def _of_models(config: Config) -> Iterator[tuple[text.Path, str]]:
    data = config.data
    if not data.recommendations:
        yield from _without_lists(config)
        return
    if not isinstance(data.recommendations, dict):
        return  # the names of the models are those of the files, which are not looked for yet
    names = [name.lower() for name, _, _, _ in data.named_lists()]
    if len(set(names)) < len(names):
        yield ("data", "recommendations"), "two models have names that differ only in case"
    if isinstance(data.predictions, dict):
        for name in data.predictions:
            if name not in data.recommendations:
                yield ("data", "predictions", name), unknown_model(name, data.recommendations)
        for definition in config.evaluation.computed:
            lacking = [name for name in data.recommendations if name not in data.predictions]
            if "predictions" in definition.needs and data.predictions and lacking:
                yield ("data", "predictions"), f"{definition.label} needs predicted ratings of every model: give those of {lacking[0]} too"
                break


def _without_lists(config: Config) -> Iterator[tuple[text.Path, str]]:
    """What is wrong with a config that names no lists: only measures of predictions need none."""
    looking = next((one.label for one in config.evaluation.computed if not one.reads_predictions), None)
    if config.data.predictions is None or config.evaluation.yardsticks.any:
        given = "recommendations" in config.data.model_fields_set
        yield (
            ("data", "recommendations"),
            f"{'no model to evaluate' if given else 'this key is missing'}: give name: path, or --recs NAME=PATH",
        )
    elif looking is not None:
        yield ("data", "recommendations"), f"{looking} needs the lists of the models: give name: path, or --recs NAME=PATH"


def unknown_model(name: str, models: Collection[str]) -> str:
    """The sentence for predictions of a model that has no lists."""
    close = difflib.get_close_matches(name, models, n=1)
    hint = f" — did you mean '{close[0]}'?" if close else f"; the models are {', '.join(models)}" if models else ""
    return f"no model is called '{name}'{hint}"
