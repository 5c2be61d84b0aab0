"""`--set`, `--recs`, `--input-format` and the options of `receval gate`: values that the command line puts into a config."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ..names import yaml_text as text
from ..names.addresses import is_address
from ..quoting import one_line
from .locations import dotted

_SEGMENT = re.compile(r"""(?:^|\.)(?:"(?P<quoted>[^"]+)"|(?P<key>[^.\[\]"]+))|\[(?P<index>\d+)\]""")

_DEEPEST = 60


def override(config: dict[str, Any], assignment: str, origins: dict[text.Path, str], environment: Mapping[str, str] | None) -> str | None:
    """Apply `--set PATH=VALUE`; return what is wrong with it, or `None`."""
    target, equals, written = assignment.partition("=")
    where = one_line(f"--set {assignment}")
    segments = list(_SEGMENT.finditer(target))
    whole = "".join(match[0] for match in segments) == target and not target.endswith(".")
    path = tuple(int(match["index"]) if match["index"] else match["quoted"] or match["key"] for match in segments)
    if not equals or not path or not whole or not isinstance(path[0], str):
        return f"{where}: write it as path=value, such as evaluation.top_k=[5,10]"
    if len(path) > _DEEPEST:
        return f"{where}: no key of a config lies {len(path):,} levels deep"
    value = text.read(written, environment)
    if value.problems:
        return f"{where}: {value.problems[0][1]}"
    return _put(config, path, value.value, where, origins)


def add_model(config: dict[str, Any], model: str, folder: Path, origins: dict[text.Path, str], replace: bool = False) -> str | None:
    """Apply `--recs NAME=PATH`, PATH relative to the working folder; return what is wrong with it, or `None`.

    A model that is there already is refused, unless it is to be replaced, or `--set` only said how to read it.
    """
    name, equals, path = model.partition("=")
    where = one_line(f"--recs {model}")
    if not equals or not name or not path:
        return f"{where}: write it as NAME=PATH, or NAME=- for standard input"
    if not _is_text(model):
        return f"{where}: this is no UTF-8 text, as a config is; rename the file"
    path = os.path.expanduser(path)
    relative = path if path == "-" or is_address(path) else os.path.relpath(os.path.abspath(path), os.path.realpath(folder))
    data = config.get("data")
    assignment = data.get("recommendations") if isinstance(data, dict) else None
    if isinstance(data, dict) and isinstance(assignment, str | list):
        listed = [assignment] if isinstance(assignment, str) else assignment
        same = [entry for entry in listed if isinstance(entry, dict) and entry.get("name") == name]
        if same and not replace:
            return _there_already(where, name)
        listed = [entry for entry in listed if entry not in same]
        data["recommendations"] = [*listed, {"name": name, "path": relative}]
        origins["data", "recommendations", len(listed)] = where
        return None
    before = assignment.get(name) if isinstance(assignment, dict) else None
    if isinstance(before, dict) and "path" not in before:  # --set said how to read it
        return _put(config, ("data", "recommendations", name, "path"), relative, where, origins)
    if before is not None and not replace:
        return _there_already(where, name)
    return _put(config, ("data", "recommendations", name), relative, where, origins)


def _is_text(given: str) -> bool:
    """Whether what the command line gives is text, and not bytes of another encoding."""
    try:
        return "\0" not in given and bool(given.encode())
    except UnicodeEncodeError:
        return False


def _there_already(where: str, name: str) -> str:
    return f"{where}: there is a model '{name}' already: choose another name, or add --replace"


def add_input_format(config: dict[str, Any], form: str, origins: dict[text.Path, str]) -> str | None:
    """Apply `--input-format`: set the format of every source that is standard input; return what is wrong, or `None`."""
    where = one_line(f"--input-format {form}")
    piped = list(_piped(config.get("data"), ("data",)))
    for path, source in piped:
        with_format = {**source, "format": form}
        problem = _put(config, path, [with_format] if path == ("data", "recommendations") else with_format, where, origins)
        if problem:
            return problem
    return None if piped else f"{where}: nothing is read from standard input; a path of the config, or --recs NAME=-, must be -"


def add_gates(config: dict[str, Any], given: Mapping[str, Any], folder: Path, origins: dict[text.Path, str]) -> str | None:
    """Put what options say of gates into a config: `rules` and the `path` of a baseline or anchor, seen from here; return what is wrong."""
    for key, value in given.items():
        if key in ("baseline", "anchor"):
            value = {**value, "path": _seen_from(folder, value["path"])}
        rules = value if key == "rules" else []
        problem = _put(config, ("gates", key), [read_rule(rule) for rule in rules] if rules else value, f"--{key}", origins)
        if problem:
            return problem
        origins.update({("gates", key, number): one_line(f"--rule {rule}") for number, rule in enumerate(rules)})
    return None


def read_rule(written: str) -> Any:
    """A rule of the command line: in short form as it is, else the mapping that YAML reads."""
    document = text.read(written, {}) if written.lstrip().startswith("{") else None
    return written if document is None or document.problems else document.value


def _seen_from(folder: Path, baseline: str) -> str:
    """`FOLDER` or `LABEL=FOLDER` with the path as it is from another folder; the name of a model as it is."""
    label, equals, path = baseline.rpartition("=")
    place = os.path.expanduser(path)
    is_path = equals or "/" in path or os.path.isdir(place)
    return f"{label}{equals}{os.path.relpath(os.path.abspath(place), os.path.realpath(folder))}" if is_path else baseline


def _piped(value: Any, path: text.Path) -> Iterator[tuple[text.Path, dict[str, Any]]]:
    """Every source that is standard input, with its path."""
    if value == "-" or value == ["-"]:
        yield path, {"path": "-"}
    elif isinstance(value, dict) and value.get("path") in ("-", ["-"]):
        yield path, value
    elif isinstance(value, dict) and "path" not in value:
        for key, element in value.items():
            yield from _piped(element, (*path, key))
    elif isinstance(value, list):
        for location, element in enumerate(value):
            yield from _piped(element, (*path, location))


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
