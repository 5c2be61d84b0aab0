"""Random configs: valid ones with a few keys drawn from the JSON Schema, so that a new key is covered without further code."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any, Final

from receval.config import json_schema

from tests.cli.random_configs import measure

SCHEMA: Final[dict[str, Any]] = json.loads(json_schema())
FILES: Final = ("test.parquet", "train.csv", "lists.parquet", "two.csv", "items.parquet", "users.csv")
ODD: Final = (
    None,
    True,
    -1,
    0,
    1e9,
    0.5,
    "",
    "x",
    "no-such",
    "a\n::error::b",
    "${HOME}",
    "=1+1",
    "${NO_SUCH}",
    [],
    {},
    ["x"],
    {"x": 1},
    [[]],
)
_GROUPS: Final = ("users.plan", "cold", "train_count:2", "popular_share:2", "recency:2", "first_category", "items.group", "rows.rating",
                  "rows.event", "rows.repeat", "rows.timestamp:1mo", "cold*rows.repeat", "train_count:1,3")  # fmt: skip
_COLUMNS: Final = ("user", "item", "rating", "timestamp", "event", "score", "plan", "group", "price", "categories", "vector")
_MEASURES: Final = ("nDCG@2", "Recall@2", "nDCG", "*")
FITTING: Final[Mapping[str, tuple[Any, ...]]] = {
    "path": FILES, "runs": FILES, "test": ("test.csv", "test.parquet"), "train": ("train.csv", "train.parquet"),
    "items": ("items.parquet",),
    "users": ("users.csv", "users.parquet"), "baseline": ("one", "two", "kept", "lists.parquet"), "predictions": ("predictions.parquet",),
    "previous_policy": ("previous_policy.parquet",), "distances": ("distances.parquet",),
    "recommendations": ("lists.parquet", "l*.parquet", "two.csv"), "folds": ("1", "2"), "by": _GROUPS, "cluster": ("users.plan",),
    "measure": _MEASURES, "measures": _MEASURES, "against": ("one", "two"), "models": ("one", "two"), "anchor": ("out", "kept"),
    "where": ("rating >= 2", "event in ['view', 'buy']", "item != 3"), "target": ("all", "last", "first", "last 2", "random 1"),
    "columns": _COLUMNS, "categories": ("categories", "group"), "vector": ("vector",), "split": ("|",), "separator": (",", ";"),
    "convention": ("receval", "ranx", "recbole", "trec_eval", "elliot", "rectools", "ir_measures"), "margin": ("1%", "0.01"),
    "max_loss": ("5%", "0.1"), "min_gain": ("1%",), "slices": ("none worse than 50%",), "files": ("report.md", "page.html", "junit.xml"),
    "dir": ("new", "out", "deep/new"), "title": ("A title", "::error::t"), "date": ("today", "2024-05-01"), "storage_options": ("x",),
    "rows": ("rows.rating", "rows.event"), "memory": ("1GB", "50MB"), "uri": ("sqlite:///shop.db",), "query": ("SELECT * FROM t",),
    "aggregates": ("mean", "median", "p25", "ci95"), "name": ("one", "three"), "metrics": (), "item_value": ("items.price",),
    "revenue": ("items.price",), "price": ("items.price",), "weight": ("rows.rating",), "track": ("files",),
}  # fmt: skip
"""Key → texts that fit it; the user's column of a file is in `columns`."""
_LEFT_OUT: Final = ("engine",)
"""Sections whose values start Spark or processes."""


def resolved(schema: Any) -> Any:
    """Return a schema, or the one that it refers to."""
    while isinstance(schema, dict) and "$ref" in schema:
        schema = SCHEMA["$defs"][schema["$ref"].rpartition("/")[2]]
    return schema


def choices(schema: Any) -> list[Any]:
    """Return the alternatives of a schema, without null."""
    schema = resolved(schema)
    several = schema.get("anyOf", schema.get("oneOf", ())) if isinstance(schema, dict) and "properties" not in schema else ()
    if not several:
        return [] if schema == {"type": "null"} else [schema]
    return [choice for part in several for choice in choices(part)]


def keys(schema: Any = SCHEMA, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield the path and the schema of every key of a config that is in no list."""
    for choice in choices(schema):
        for name, inner in choice.get("properties", {}).items():
            if path or name not in _LEFT_OUT:
                yield (*path, name), inner
                yield from keys(inner, (*path, name))


KEYS: Final = tuple(keys())


def value(chance: random.Random, schema: Any, key: str) -> Any:
    """Draw a value that a schema allows; texts fit the key."""
    some = choices(schema)
    if not some:
        return None
    one = chance.choice(some)
    if "const" in one:
        return one["const"]
    if "enum" in one:
        return chance.choice(one["enum"])
    kind = one.get("type", "string")
    if kind == "object":
        return _mapping(chance, one, key)
    if kind == "array":
        return [value(chance, one.get("items", {"type": "string"}), key) for _ in range(chance.randint(one.get("minItems", 0), 2))]
    if kind in ("integer", "number"):
        least, most = one.get("minimum", one.get("exclusiveMinimum", 0)), one.get("maximum", one.get("exclusiveMaximum", 10**6))
        numbers = [least, least + 1, 2, most, 10] if kind == "integer" else [least, (least + min(most, least + 1)) / 2, 0.05, most]
        return chance.choice([number for number in numbers if least <= number <= most])
    if kind == "boolean":
        return chance.random() < 0.5
    return measure(chance) if key in ("metrics", "complex_metrics") else chance.choice(FITTING.get(key, ("a text", "x")) or ("x",))


def _mapping(chance: random.Random, schema: dict[str, Any], key: str) -> dict[str, Any]:
    names = list(schema.get("properties", {}))
    if not names:
        inner = schema.get("additionalProperties")
        inner = inner if isinstance(inner, dict) else {"type": "string"}
        return {name: value(chance, inner, key) for name in chance.sample(("one", "two", "nDCG@2"), chance.randint(1, 2))}
    wanted = {*schema.get("required", ()), *chance.sample(names, min(len(names), chance.randint(1, 2)))}
    return {name: value(chance, schema["properties"][name], name) for name in names if name in wanted}


def drawn(chance: random.Random, base: Mapping[str, Any]) -> dict[str, Any]:
    """Return a config with up to three other keys; one in six keys has an odd value."""
    made: dict[str, Any] = deepcopy(dict(base))
    for path, schema in chance.choices(KEYS, k=chance.choice((0, 1, 1, 2, 3))):
        here = made
        for key in path[:-1]:
            inner = here.get(key)
            here[key] = inner if isinstance(inner, dict) else {"path": inner} if isinstance(inner, str) and path[0] == "data" else {}
            here = here[key]
        here[path[-1]] = chance.choice(ODD) if chance.random() < 1 / 6 else value(chance, schema, path[-1])
    if isinstance(made["data"], dict) and made["data"] and chance.random() < 0.15:
        del made["data"][chance.choice(list(made["data"]))]
    return made
