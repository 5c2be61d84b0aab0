"""The gates of a stored result: the section of its config, changed by options of the command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from ..errors import ConfigError
from .comparing import Compare
from .gating import Gates
from .locations import dotted
from .overrides import read_rule
from .wrong_values import say


def gates_of(config: Mapping[str, Any], options: Mapping[str, Any]) -> tuple[Gates, Compare]:
    """The sections `gates` and `compare` of a config as results keep it; `options` are keys of `gates` that take the place of its own.

    `ConfigError` for rules that cannot be read.
    """
    rules: Sequence[Any] = options.get("rules", ())
    read = [read_rule(rule) if isinstance(rule, str) else rule for rule in rules]
    section = {**_in_this_version(config.get("gates", {})), **options} | ({"rules": read} if rules else {})
    try:
        return Gates.model_validate(section), Compare.model_validate(config.get("compare", {}))
    except ValidationError as error:
        problems = []
        for details in error.errors():
            place = details["loc"]
            is_option = bool(rules) and place[:1] == ("rules",) and isinstance(place[1], int)
            where = f"--rule {rules[int(place[1])]}" if is_option else dotted(("gates", *place))
            problems.append(f"{where}: {say({**details, 'loc': ('gates', *place)})}")
        raise ConfigError(problems) from None


def _in_this_version(stored: Mapping[str, Any]) -> dict[str, Any]:
    """The stored section with the key `inconclusive`; results of earlier versions have `unproven`, with error, warn or pass."""
    section = {name: value for name, value in stored.items() if name != "unproven"}
    return section if "unproven" not in stored else {"inconclusive": "fail" if stored["unproven"] == "error" else "warn", **section}
