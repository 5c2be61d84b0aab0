"""The trackers that a stored result, or the command line, names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import TypeAdapter, ValidationError

from ..errors import ConfigError
from .locations import dotted
from .overrides import read_rule
from .tracking import Tracking, Trackings
from .wrong_values import say


def trackings_of(config: Mapping[str, Any], given: Sequence[str]) -> tuple[Tracking, ...]:
    """Trackers as the command line names them (`mlflow`, `{mlflow: {experiment: home}}`), or without any those of a config.

    `ConfigError` for settings that cannot be read.
    """
    section = [read_rule(text) for text in given] if given else config.get("track", [])
    try:
        read: tuple[Tracking, ...] = TypeAdapter(Trackings).validate_python(section)
    except ValidationError as error:
        where = "--to" if given else "track"
        problems = [f"{dotted((where, *one['loc']))}: {say({**one, 'loc': ('track', *one['loc'])})}" for one in error.errors()]
        raise ConfigError(problems) from None
    return read
