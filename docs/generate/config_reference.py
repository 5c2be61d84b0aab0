"""The page docs/config-reference.md: every key of a config, from the schema of the models, with the examples of a file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from receval.config import json_schema
from receval.documents.document import Block, Heading, Paragraph, Table, text_columns

SCHEMA: dict[str, Any] = json.loads(json_schema())
NAMES = {"Health": "[health checks](checks.md)"}
"""Sections that have their own page."""
FILES = "a path, a list of paths, or a section"
KINDS = {"recommendations": f"name → {FILES}; or one path, glob or list", "predictions": f"{FILES}; or name → one of these"}
"""Types of keys that are described in words."""
EXAMPLES = Path(__file__).parent / "config_examples.yaml"
"""A value for every key, by section."""
PLURALS = {"string": "texts", "integer": "whole numbers", "number": "numbers", "boolean": "true or false"}


def page() -> list[Block]:
    """Return the page."""
    blocks: list[Block] = [
        Heading("Every key of a config"),
        Paragraph(
            "`receval schema` prints the same for editors, `receval validate CONFIG` checks a config without opening any data, and "
            "`--set PATH=VALUE` overrides a key by its path, such as `evaluation.top_k`. If a key can be a section, "
            "the short form (a path, a name) is a section with only that key. [A config](config.md) shows examples."
        ),
    ]
    places = _places()
    for name, paths in places.items():
        section = SCHEMA if name == "Config" else SCHEMA["$defs"][name]
        blocks += [Heading(_title(paths), 2), Paragraph(_about(section, paths)), _keys(section, paths[0])]
    return blocks


def _places() -> dict[str, list[str]]:
    """Return each section with the keys that contain it, from the outermost inwards."""
    places: dict[str, list[str]] = {"Config": [""]}
    for name in _in_order(places):
        section = SCHEMA if name == "Config" else SCHEMA["$defs"][name]
        for key, entry in section["properties"].items():
            for other in _references(entry):
                path = f"{places[name][0]}.{key}".lstrip(".")
                if other not in NAMES:
                    places.setdefault(other, []).append(path)
    return places


def _in_order(places: dict[str, list[str]]) -> Iterator[str]:
    """Yield the names, also those that are added meanwhile."""
    done = 0
    while done < len(places):
        yield list(places)[done]
        done += 1


def _references(entry: Any) -> list[str]:
    if isinstance(entry, list):
        return list(dict.fromkeys(name for part in entry for name in _references(part)))
    if not isinstance(entry, dict):
        return []
    own = [entry["$ref"].rsplit("/", 1)[1]] if "$ref" in entry else []
    return list(dict.fromkeys([*own, *(name for value in entry.values() for name in _references(value))]))


def _title(paths: list[str]) -> str:
    return f"`{paths[0]}`" if paths[0] else "The sections"


def _about(section: dict[str, Any], paths: list[str]) -> str:
    others = ", ".join(f"`{path}`" for path in paths[1:])
    about = " ".join(section.get("description", "").split())
    return f"{about}{f' Also: {others}.' if others else ''}" or "-"


def _keys(section: dict[str, Any], path: str) -> Table:
    required = {*section.get("required", ())}
    rows = []
    for key, entry in section["properties"].items():
        default = "required" if key in required else _default(entry.get("default"))
        rows.append(
            (f"`{key}`", KINDS.get(key) or kind(entry), default, entry.get("description", "") or _described(entry), example(path, key))
        )
    return Table.from_texts(text_columns("key", "type", "default", "what it is", "example"), rows)


def example(path: str, key: str) -> str:
    """Return a key with a value, as written in a config; keys without an example use that of `data.test`."""
    found = examples()
    return f"`{key}: {found.get(path, {}).get(key) or found['data.test'][key]}`"


@cache
def examples() -> dict[str, dict[str, str]]:
    """Return section → key → value, as written: `off` stays text, and quotes stay."""
    sections: dict[str, dict[str, str]] = {}
    for line in EXAMPLES.read_text("utf-8").splitlines():
        name, _, value = line.strip().partition(": ")
        if line.startswith("  "):
            list(sections.values())[-1][name] = value
        elif not line.startswith("#"):
            sections[name.strip('":')] = {}
    return sections


def _described(entry: dict[str, Any]) -> str:
    for name in _references(entry):
        return str(SCHEMA["$defs"][name].get("description", "")).split("\n")[0].rstrip(".")
    return ""


def _default(value: Any) -> str:
    """Return a default as written in a config; empty if there is none, or for a section."""
    if value is None or isinstance(value, dict) or value == []:
        return ""
    return f"`{json.dumps(value) if isinstance(value, bool | list) else value}`"


def kind(entry: dict[str, Any]) -> str:
    """Return the type of a key's value, in words."""
    if "$ref" in entry:
        name = entry["$ref"].rsplit("/", 1)[1]
        return NAMES.get(name, "a section")
    if "const" in entry:
        return f"`{entry['const']}`"
    if "enum" in entry:
        return ", ".join(f"`{json.dumps(value) if isinstance(value, bool) else value}`" for value in entry["enum"] if value is not None)
    for several in ("anyOf", "oneOf"):
        if several in entry:
            if any(option.get("$ref", "").endswith(("/RowsSource", "/TestedSource", "/ItemsSource")) for option in entry[several]):
                return FILES
            kinds = (kind(option) for option in entry[several] if option.get("type") != "null")
            return " or ".join(dict.fromkeys(text for text in kinds if text))
    if entry.get("type") == "array":
        items = entry.get("items", {})
        inner = PLURALS.get(items.get("type", "")) or kind(items)
        return f"a list of {inner}" if inner else "a list"
    if entry.get("type") == "object":
        values = entry.get("additionalProperties")
        inner = kind(values) if isinstance(values, dict) else ""
        keys = ", ".join(f"`{key}`" for key in entry.get("properties", {}))
        return f"a mapping of {keys}" if keys else f"name → {inner}" if inner else "a mapping"
    if isinstance(entry.get("type"), list):
        return " or ".join(kind({"type": name_of_type}) for name_of_type in entry["type"] if name_of_type != "null")
    words = {"string": "text", "integer": "whole number", "number": "number", "boolean": "true or false"}
    return f"{words.get(entry.get('type', ''), '')}{limits(entry)}"


def limits(entry: dict[str, Any]) -> str:
    """Return the limits of a number in words, which say whether a limit itself is allowed."""
    least, most = entry.get("minimum"), entry.get("maximum")
    above, below = entry.get("exclusiveMinimum"), entry.get("exclusiveMaximum")
    if entry.get("type") == "integer":
        least, above = (least if above is None else above + 1), None
        most, below = (most if below is None else below - 1), None
    words = {" from": least, " above": above, " to": most, " below": below}
    said = [f"{word} {limit}" for word, limit in words.items() if limit is not None]
    return (" and" if below is not None else "").join(said)
