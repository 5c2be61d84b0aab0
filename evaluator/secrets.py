"""What may be a secret in a sentence: values that came from the environment, and logins and queries of addresses."""

from __future__ import annotations

import re
from typing import Final

HIDDEN: Final = "***"
_SHORTEST: Final = 6
"""Shorter values are no secrets worth the name, and stand in many a sentence by chance."""
_USER: Final = re.compile(r"(://)[^/\s]*@")
_LOGIN: Final = re.compile(r"""(:/+)[^\s"'?#,}]*:[^\s"'?#,}]*@""")
_QUERY: Final = re.compile(r"""(:/+[^\s?"',}]*\?)[^\s"',}]*=[^\s"',}]*""")

_values: dict[str, str] = {}
"""What texts of configs took from the environment → how it is shown, `${NAME}`."""


def remember(name: str, value: str) -> None:
    """Keep in mind that `value` came from the variable `name`, so that no sentence repeats it."""
    for part in (value, *value.splitlines()):
        if len(part.strip()) >= _SHORTEST:
            _values[part.strip()] = f"${{{name}}}"


def without_values(text: str) -> str:
    """`text` with `${NAME}` in the place of what came from the environment."""
    for value in sorted(_values, key=len, reverse=True):
        text = text.replace(value, _values[value])
    return text


def harmless(text: str) -> str:
    """`text` without values of the environment, and its addresses without users, passwords and options."""
    shown = without_values(text) if _values else text
    if ":/" not in shown:
        return shown
    return _QUERY.sub(rf"\1{HIDDEN}", _LOGIN.sub(rf"\1{HIDDEN}@", _USER.sub(rf"\1{HIDDEN}@", shown)))
