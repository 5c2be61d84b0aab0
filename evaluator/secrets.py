"""What may be a secret in a sentence: values that came from the environment, and logins and queries of addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

HIDDEN: Final = "***"
_SHORTEST: Final = 6
"""Shorter values are no secrets worth the name, and stand in many a sentence by chance."""
_ADDRESS: Final = re.compile(r"""(:/+)([^\s"'?#,}]*)(\?[^\s"',}]*)?""")
"""An address from its first slash on, right or wrong, and its query. It matches at every `:/`, so that a text is read once."""

_values: dict[str, str] = {}
"""What texts of configs took from the environment → how it is shown, `${NAME}`."""
_of_one: ContextVar[dict[str, str] | None] = ContextVar("_of_one", default=None)


def remember(name: str, value: str) -> None:
    """Keep in mind that `value` came from the variable `name`, so that no sentence repeats it."""
    own = _of_one.get()
    for part in (value, *value.splitlines()):
        if len(part.strip()) >= _SHORTEST:
            _values[part.strip()] = f"${{{name}}}"
            if own is not None:
                own[part.strip()] = f"${{{name}}}"


@contextmanager
def remembering() -> Iterator[dict[str, str]]:
    """What is remembered meanwhile: what one config took from the environment. Results repeat no more than that, whatever else was read."""
    own: dict[str, str] = {}
    token = _of_one.set(own)
    try:
        yield own
    finally:
        _of_one.reset(token)


def without_values(text: str, values: Mapping[str, str] | None = None) -> str:
    """`text` with `${NAME}` in the place of what came from the environment: of `values`, or of all that is known."""
    values = _values if values is None else values
    if not values:
        return text
    longest_first = sorted(values, key=len, reverse=True)
    # In one pass: what takes the place of a value is never looked at again, although its name may hold another value.
    return re.sub("|".join(map(re.escape, longest_first)), lambda found: values[found[0]], text)


def concealed(value: Any, values: Mapping[str, str]) -> Any:
    """A value of JSON with `${NAME}` in the place of `values`, in all its texts; it reads back as it was."""
    if isinstance(value, str):
        return without_values(value, values)
    if isinstance(value, dict):
        return {key: concealed(held, values) for key, held in value.items()}
    return [concealed(held, values) for held in value] if isinstance(value, list | tuple) else value


def harmless(text: str) -> str:
    """`text` without values of the environment, and its addresses without users, passwords and options."""
    shown = without_values(text) if _values else text
    if ":/" not in shown:
        return shown
    return _ADDRESS.sub(_masked, shown)


def _masked(found: re.Match[str]) -> str:
    """An address without its login, if there is one: what stands before `@` in the host, or has a colon; and without options."""
    slashes, place, query = found[1], found[2], found[3] or ""
    login, at, rest = place.rpartition("@")
    if at and ":" not in login:
        host = place.partition("/")[0]
        login, at, rest = host.rpartition("@") if len(slashes) > 1 else ("", "", place)
        rest += place[len(host) :] if at else ""
    return f"{slashes}{f'{HIDDEN}@{rest}' if at else place}{f'?{HIDDEN}' if '=' in query else query}"
