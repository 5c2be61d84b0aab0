"""Sections of a config that is stored in results, with other values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from typing import Any

from pydantic import TypeAdapter, ValidationError

from ..support.errors import ConfigError
from ..syntax import yaml_text as text
from .card import Card
from .error_texts import error_text
from .judgement import Compare, Gates
from .overrides import Layers, dotted, override, read_rule
from .run_sections import ReportConfig, Tracking, Trackings


def with_overrides(stored: Mapping[str, Any], overrides: Sequence[str]) -> dict[str, Any]:
    """Return the config of a stored result with other `report`, `compare` and `card`; `ConfigError` with what is wrong with them."""
    layers = Layers(deepcopy(dict(stored)))
    layers.each(override, ((given,) for given in overrides))
    if layers.problems:
        raise ConfigError(layers.problems)
    *_, card = _valid({"report": ReportConfig, "compare": Compare, "card": Card}, layers.config)
    dumped = {"card": card.model_dump(mode="json", exclude_defaults=True)} if "card" in layers.config else {}
    return layers.config | dumped


def _valid(kinds: Mapping[str, Any], given: Mapping[str, Any], place: Callable[[text.Path], str] = lambda path: dotted(path)) -> list[Any]:
    """Return sections of a config as their types; `ConfigError` with every problem, each with the `place` of its path."""
    read, problems = [], []
    for name, kind in kinds.items():
        value, is_section = given.get(name, {}), isinstance(kind, type)
        try:
            if is_section and value == {}:
                read.append(kind.model_construct())  # which needs no validator
            else:
                read.append(kind.model_validate(value) if is_section else TypeAdapter(kind).validate_python(value))
        except ValidationError as error:
            located = [{**problem, "loc": (name, *problem["loc"])} for problem in error.errors()]
            problems += [f"{place(problem['loc'])}: {error_text(problem)}" for problem in located]  # type: ignore[arg-type]
    if problems:
        raise ConfigError(problems)
    return read


def gates_of(config: Mapping[str, Any], options: Mapping[str, Any]) -> tuple[Gates, Compare]:
    """Return the sections `gates` and `compare` of a config stored in results; `options` replace keys of `gates`.

    Raises `ConfigError` for rules that cannot be read.
    """
    rules: Sequence[Any] = options.get("rules", ())
    read = [read_rule(rule) if isinstance(rule, str) else rule for rule in rules]
    section = {**_in_this_version(config.get("gates", {}), keeps_rules=not rules), **options} | ({"rules": read} if rules else {})

    def place(path: text.Path) -> str:
        is_option = bool(rules) and path[:2] == ("gates", "rules") and isinstance(path[2], int)
        return f"--rule {rules[int(path[2])]}" if is_option else dotted(path)

    gates, compare = _valid({"gates": Gates, "compare": Compare}, {**config, "gates": section}, place)
    return gates, compare


def _in_this_version(stored: Mapping[str, Any], *, keeps_rules: bool) -> dict[str, Any]:
    """Return a stored section as this version writes it.

    Earlier versions stored `unproven` (error, warn or pass) instead of `inconclusive`. If their rules are kept, they fail as they did:
    `shown_beyond`.
    """
    section = {name: value for name, value in stored.items() if name != "unproven"}
    older = {"fail": "shown_beyond"} if keeps_rules and stored.get("rules") and "fail" not in stored else {}
    older |= {} if "unproven" not in stored else {"inconclusive": "fail" if stored["unproven"] == "error" else "warn"}
    return {**older, **section}


def trackings_of(config: Mapping[str, Any], given: Sequence[Any], where: str = "--to") -> tuple[Tracking, ...]:
    """Return the trackers given by `where` (`mlflow`, `{mlflow: {experiment: home}}`), as texts or mappings, or else those of a config.

    Raises `ConfigError` for settings that cannot be read.
    """
    section = [read_rule(entry) if isinstance(entry, str) else entry for entry in given] if given else config.get("track", [])
    (read,) = _valid({"track": Trackings}, {"track": section}, lambda path: dotted((where if given else "track", *path[1:])))
    return tuple(read)
