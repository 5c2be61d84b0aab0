"""A config file → `Config`, or every problem at once, each with its place."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import yaml
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from ..errors import ConfigError
from .. import yaml_text as text
from .models import Config, Source

_SEGMENT = re.compile(r"""(?:^|\.)(?:"(?P<quoted>[^"]+)"|(?P<key>[^.\[\]"]+))|\[(?P<index>\d+)\]""")


@dataclass(frozen=True)
class Loaded:
    """A valid config, the name it was loaded under, and the folder its paths are relative to."""

    config: Config
    name: str
    folder: Path

    def resolved(self) -> dict[str, Any]:
        """The config with every default filled in, in the spelling that reads back."""
        dumped = self.config.model_dump(mode="json", exclude={"evaluation": {"metrics", "complex_metrics"}}, exclude_none=True)
        data: dict[str, Any] = dumped["data"]
        recommendations = data.get("recommendations")
        for source in [data["test"], data.get("train"), data.get("items"), *_sources(recommendations)]:
            if source:
                source["path"] = source["path"][0] if len(source["path"]) == 1 else source["path"]
                if not source["columns"]:
                    del source["columns"]
        evaluation = dumped["evaluation"]
        evaluation["top_k"] = ["none" if k is None else k for k in self.config.evaluation.top_k]
        evaluation["metrics"] = [definition.label for definition in self.config.evaluation.definitions]
        if not evaluation["aggregates"]:
            del evaluation["aggregates"]
        return dumped

    def resolved_yaml(self) -> str:
        """`resolved` as YAML."""
        return yaml.safe_dump(self.resolved(), sort_keys=False, allow_unicode=True, default_flow_style=None, width=120)


def load_config(
    path: str | Path, overrides: Sequence[str] = (), recommendations: Sequence[str] = (), environment: Mapping[str, str] | None = None
) -> Loaded:
    """Read a config file; `overrides` are `path=value`, `recommendations` are `NAME=PATH` with PATH as seen from here.

    Raises `ConfigError` with every problem, as `config.yaml:12:7: evaluation.metrics[3]: what is wrong`.
    """
    name = str(path)
    document = text.read(_read(Path(path)), environment)
    if document.problems:
        raise ConfigError([f"{name}:{line}:{column}: {message}" for (line, column), message in document.problems])
    if not isinstance(document.value, dict):
        raise ConfigError(f"{name}:1:1: a config is a mapping with the keys data and evaluation, not {_kind(document.value)}")
    folder = Path(path).parent
    origins: dict[text.Path, str] = {}
    problems = [problem for override in overrides if (problem := _override(document.value, override, origins, environment))]
    problems += [problem for model in recommendations if (problem := _add_model(document.value, model, folder, origins))]
    try:
        config: Config | None = Config.model_validate(document.value, context={"folder": folder})
    except ValidationError as error:
        found: dict[str, str] = {}
        for details in error.errors():
            unknown = details["type"] == "extra_forbidden"
            place = _at(_path(details, document.value), document, origins, name, of_key=unknown)
            found.setdefault(place, _say(details))
        problems += [f"{place}: {message}" for place, message in found.items()]
        config = _without(document.value, [_path(details, document.value) for details in error.errors()], folder)
    problems += [f"{_at(where, document, origins, name)}: {message}" for where, message in (_contradictions(config) if config else ())]
    if problems or config is None:
        raise ConfigError(problems)
    return Loaded(config, name, folder)


def _without(value: dict[str, Any], wrong: Sequence[text.Path], folder: Path) -> Config | None:
    """The config that is left without what is wrong, to look for contradictions in it; `None` if none is left."""
    rest = deepcopy(value)
    for path in sorted(set(wrong), key=repr, reverse=True):  # from the end of a list to its start
        here: Any = rest
        for key in path[:-1]:
            if isinstance(here, dict):
                here = here.get(key)
            else:
                here = here[key] if isinstance(here, list) and isinstance(key, int) and key < len(here) else None
        if path and isinstance(here, dict):
            here.pop(path[-1], None)
        elif path and isinstance(here, list) and isinstance(path[-1], int) and path[-1] < len(here):
            del here[path[-1]]
    try:
        return Config.model_validate(rest, context={"folder": folder})
    except ValidationError:
        return None


def _read(path: Path) -> str:
    if path.is_dir():
        raise ConfigError(f"{path} is a folder, not a config file")
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise ConfigError(f"there is no config file {path}", "receval run CONFIG.yaml; the README shows one to start from") from None
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8 text (byte {error.start})") from None


def _kind(value: Any) -> str:
    return "an empty file" if value is None else f"a {'list' if isinstance(value, list) else type(value).__name__}"


def _override(config: dict[str, Any], override: str, origins: dict[text.Path, str], environment: Mapping[str, str] | None) -> str | None:
    """Set one value, or say what is wrong with the override."""
    target, equals, written = override.partition("=")
    where = f"--set {override}"
    found = list(_SEGMENT.finditer(target))
    whole = "".join(match[0] for match in found) == target and not target.endswith(".")
    path = tuple(int(match["index"]) if match["index"] else match["quoted"] or match["key"] for match in found)
    if not equals or not path or not whole or not isinstance(path[0], str):
        return f"{where}: write it as path=value, such as evaluation.top_k=[5,10]"
    value = text.read(written, environment)
    if value.problems:
        return f"{where}: {value.problems[0][1]}"
    return _put(config, path, value.value, where, origins)


def _add_model(config: dict[str, Any], model: str, folder: Path, origins: dict[text.Path, str]) -> str | None:
    name, equals, path = model.partition("=")
    where = f"--recs {model}"
    if not equals or not name or not path:
        return f"{where}: write it as NAME=PATH, or NAME=- for standard input"
    seen = path if path == "-" else os.path.relpath(os.path.abspath(path), os.path.realpath(folder))
    data = config.get("data")
    given = data.get("recommendations") if isinstance(data, dict) else None
    if isinstance(data, dict) and isinstance(given, str | list):
        listed = [given] if isinstance(given, str) else given
        data["recommendations"] = [*listed, {"name": name, "path": seen}]
        origins["data", "recommendations", len(listed)] = where
        return None
    return _put(config, ("data", "recommendations", name), seen, where, origins)


def _put(config: dict[str, Any], path: text.Path, value: Any, where: str, origins: dict[text.Path, str]) -> str | None:
    here: Any = config
    for index, key in enumerate(path):
        last = index == len(path) - 1
        if isinstance(key, int):
            if not isinstance(here, list) or key >= len(here):
                return f"{where}: {_dotted(path[:index])} has no element {key}"
            if last:
                here[key] = value
        else:
            if here is None or not isinstance(here, dict):
                return f"{where}: {_dotted(path[:index])} is no mapping"
            if last:
                here[key] = value
            elif here.get(key) is None:
                here[key] = {}
        if not last:
            here = here[key]
    origins[path] = where
    return None


def _path(details: ErrorDetails, value: Any) -> text.Path:
    """The place in the config that an error speaks of: its location without the names pydantic adds to it."""
    path: list[str | int] = []
    for position, segment in enumerate(details["loc"]):
        missing_here = details["type"] == "missing" and position == len(details["loc"]) - 1
        if isinstance(value, dict) and (segment in value or missing_here):
            path.append(segment)
            value = value.get(segment)
        elif isinstance(value, dict) and isinstance(segment, int) and segment < len(value):  # a mapping read as a list of entries
            key = list(value)[segment]
            path.append(key)
            value = value[key]
        elif isinstance(value, list) and isinstance(segment, int):
            path.append(segment)
            value = value[segment] if segment < len(value) else None
    return tuple(path)


def _say(details: ErrorDetails) -> str:
    if details["type"] == "extra_forbidden":
        key = str(details["loc"][-1])
        allowed = _keys(details["loc"][:-1])
        close = difflib.get_close_matches(key, allowed, n=1)
        return f"unknown key '{key}'" + (f" — did you mean '{close[0]}'?" if close else f"; known: {', '.join(allowed)}" if allowed else "")
    if details["type"] == "missing":
        return "this key is missing"
    if details["type"] == "value_error":
        return str(details["ctx"]["error"])
    given = details["input"]
    shown = "" if isinstance(given, dict | list | tuple) else f", not {given!r}"
    return details["msg"].replace("Input should be", "this should be").removesuffix(".") + shown


def _keys(location: Sequence[str | int]) -> list[str]:
    """The keys that the model at `location` knows."""
    found: Iterable[type[BaseModel]] = [Config]
    for segment in location:
        fields = [model.model_fields[segment].annotation for model in found if segment in model.model_fields]
        found = [model for annotation in fields for model in _models(annotation)] or found
    return [key for model in found for key in model.model_fields]


def _models(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    found = [model for argument in get_args(annotation) for model in _models(argument)]
    return list(dict.fromkeys(found))


def _at(path: text.Path, document: text.Document, origins: dict[text.Path, str], name: str, of_key: bool = False) -> str:
    for end in range(len(path), 0, -1):
        if path[:end] in origins:
            return f"{origins[path[:end]]}: {_dotted(path)}"
    for origin, where in origins.items():  # an override made what the error speaks of
        if path and origin[: len(path)] == path and path not in document.places:
            return f"{where}: {_dotted(path)}"
    line, column = document.place(path, of_key) or (1, 1)
    return f"{name}:{line}:{column}: {_dotted(path)}" if path else f"{name}:{line}:{column}"


def _dotted(path: text.Path) -> str:
    shown = "".join(f"[{segment}]" if isinstance(segment, int) else f".{segment}" for segment in path)
    return shown.removeprefix(".") or "the config"


def _contradictions(config: Config) -> Iterable[tuple[text.Path, str]]:
    """What is wrong with a config whose parts are right: missing inputs, standard input read twice."""
    catalogue = config.data.train or config.data.items
    for definition in config.evaluation.definitions:
        if "catalogue" in definition.needs and catalogue is None:
            yield ("evaluation", "metrics"), f"{definition.label} needs the catalogue: give data.train or data.items"
        if "train" in definition.needs and config.data.train is None:
            average = f"{definition.label} under the convention {definition.convention} is averaged over the users of data.train"
            yield ("evaluation", "metrics"), f"{average}: give data.train, or write {definition.metric.name}(divisor=counted)"
    if not config.data.recommendations:
        yield ("data", "recommendations"), "no model to evaluate: give name: path, or --recs NAME=PATH"
    everything = [config.data.test, config.data.train, config.data.items, *_sources(config.data.recommendations)]
    piped = [source for source in everything if isinstance(source, Source) and "-" in source.path]
    relevance = config.evaluation.relevance
    if relevance.graded and relevance.threshold is not None and relevance.threshold < 0:
        yield ("evaluation", "relevance", "threshold"), "with graded relevance the rating is the gain, and a gain is not negative"
    aggregates = config.evaluation.aggregates
    for definition in config.evaluation.definitions:
        if "micro" in ((definition.average,) if not aggregates else aggregates if set(aggregates) == {"micro"} else ()) and not definition.is_pooled:
            yield ("evaluation", "aggregates"), f"{definition.label} is no ratio and cannot be pooled (micro): ask for the mean too"
            break
    for role, source in (("test", config.data.test), ("train", config.data.train), ("items", config.data.items)):
        for key in ("score", "rank") if source else ():
            if source and getattr(source.columns, key) is not None:
                yield ("data", role, "columns", key), f"this file has no {key}: the config knows a {key} of recommendations only"
    if len(piped) > 1 or any(len(source.path) > 1 for source in piped):
        yield ("data",), "standard input (-) can be read only once, and alone"
    names = [name.lower() for name in config.data.recommendations] if isinstance(config.data.recommendations, dict) else []
    if len(set(names)) < len(names):
        yield ("data", "recommendations"), "two models have names that differ only in case"


def _sources(recommendations: Any) -> list[Any]:
    return list(recommendations.values() if isinstance(recommendations, dict) else recommendations or ())
