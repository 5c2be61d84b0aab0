"""`--set`, `--recs` and `--input-format`: values of a config that the command line gives."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ..names import yaml_text as text
from .places import dotted

_SEGMENT = re.compile(r"""(?:^|\.)(?:"(?P<quoted>[^"]+)"|(?P<key>[^.\[\]"]+))|\[(?P<index>\d+)\]""")


def override(config: dict[str, Any], given: str, origins: dict[text.Path, str], environment: Mapping[str, str] | None) -> str | None:
    """Set one value, or say what is wrong with the override."""
    target, equals, written = given.partition("=")
    where = f"--set {given}"
    found = list(_SEGMENT.finditer(target))
    whole = "".join(match[0] for match in found) == target and not target.endswith(".")
    path = tuple(int(match["index"]) if match["index"] else match["quoted"] or match["key"] for match in found)
    if not equals or not path or not whole or not isinstance(path[0], str):
        return f"{where}: write it as path=value, such as evaluation.top_k=[5,10]"
    value = text.read(written, environment)
    if value.problems:
        return f"{where}: {value.problems[0][1]}"
    return _put(config, path, value.value, where, origins)


def add_model(config: dict[str, Any], model: str, folder: Path, origins: dict[text.Path, str]) -> str | None:
    """Add the model NAME=PATH, with PATH as seen from here, or say what is wrong with it."""
    name, equals, path = model.partition("=")
    where = f"--recs {model}"
    if not equals or not name or not path:
        return f"{where}: write it as NAME=PATH, or NAME=- for standard input"
    seen = path if path == "-" or "://" in path else os.path.relpath(os.path.abspath(path), os.path.realpath(folder))
    data = config.get("data")
    given = data.get("recommendations") if isinstance(data, dict) else None
    if isinstance(data, dict) and isinstance(given, str | list):
        listed = [given] if isinstance(given, str) else given
        data["recommendations"] = [*listed, {"name": name, "path": seen}]
        origins["data", "recommendations", len(listed)] = where
        return None
    before = given.get(name) if isinstance(given, dict) else None
    if isinstance(before, dict) and "path" not in before:  # --set said how to read it
        return _put(config, ("data", "recommendations", name, "path"), seen, where, origins)
    return _put(config, ("data", "recommendations", name), seen, where, origins)


def add_input_format(config: dict[str, Any], form: str, origins: dict[text.Path, str]) -> str | None:
    """Say in which format standard input is, wherever the config reads it, or say that it does nowhere."""
    where = f"--input-format {form}"
    piped = list(_piped(config.get("data"), ("data",)))
    for path, source in piped:
        said = {**source, "format": form}
        problem = _put(config, path, [said] if path == ("data", "recommendations") else said, where, origins)
        if problem:
            return problem
    return None if piped else f"{where}: nothing is read from standard input; a path of the config, or --recs NAME=-, must be -"


def _piped(value: Any, path: text.Path) -> Iterator[tuple[text.Path, dict[str, Any]]]:
    """Every source that is standard input, with its place."""
    if value == "-" or value == ["-"]:
        yield path, {"path": "-"}
    elif isinstance(value, dict) and value.get("path") in ("-", ["-"]):
        yield path, value
    elif isinstance(value, dict) and "path" not in value:
        for key, one in value.items():
            yield from _piped(one, (*path, key))
    elif isinstance(value, list):
        for place, one in enumerate(value):
            yield from _piped(one, (*path, place))


def _put(config: dict[str, Any], path: text.Path, value: Any, where: str, origins: dict[text.Path, str]) -> str | None:
    here: Any = config
    for index, key in enumerate(path):
        last = index == len(path) - 1
        if isinstance(key, int):
            if not isinstance(here, list) or key >= len(here):
                return f"{where}: {dotted(path[:index])} has no element {key}"
            if last:
                here[key] = value
        else:
            if here is None or not isinstance(here, dict):
                return f"{where}: {dotted(path[:index])} is no mapping"
            if last:
                here[key] = value
            elif here.get(key) is None:
                here[key] = {}
        if not last:
            here = here[key]
    origins[path] = where
    return None
