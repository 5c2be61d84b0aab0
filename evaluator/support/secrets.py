"""Hide possible secrets in messages: values from the environment, and the logins and queries of addresses."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from .patterns import regex

HIDDEN: Final = "***"
_SHORTEST: Final = 6
"""Shorter values are not masked: they are hardly secrets, and many messages contain them by chance."""
_ADDRESS: Final = regex(r"""(:/+)([^\s"'?#,}]*)(\?[^\s"',}]*)?""")
"""An address from its first slash on, valid or not, and its query. It matches at every `:/`, so that a text is read only once."""

_values: dict[str, str] = {}
"""Values that configs took from the environment → the text shown instead, `${NAME}`."""
_shown: set[str] = set()
"""Values that are part of the name of a model, measure or report, which are meant to be shown."""
_copies: dict[str, str] = {}
"""Local copies of folders of results → their addresses, which messages show instead."""
_of_one: ContextVar[dict[str, str] | None] = ContextVar("_of_one", default=None)


def remember(name: str, value: str) -> None:
    """Register `value`, taken from the variable `name`, for masking in all messages."""
    own = _of_one.get()
    for part in (value, *value.splitlines()):
        if len(part.strip()) >= _SHORTEST:
            _values[part.strip()] = f"${{{name}}}"
            _shown.discard(part.strip())
            if own is not None:
                own[part.strip()] = f"${{{name}}}"


@contextmanager
def collect_values() -> Iterator[dict[str, str]]:
    """Collect the values that one config takes from the environment; its results mask only these."""
    own: dict[str, str] = {}
    token = _of_one.set(own)
    try:
        yield own
    finally:
        _of_one.reset(token)


def mask_values(text: str, values: Mapping[str, str] | None = None) -> str:
    """Return `text` with `${NAME}` instead of values from the environment: of `values`, or of all registered ones if `None`."""
    values = _values if values is None else values
    if not values:
        return text
    longest_first = sorted(values, key=len, reverse=True)
    # In one pass: a replacement is not searched again, although the name in it may contain another value.
    return re.sub("|".join(map(re.escape, longest_first)), lambda found: values[found[0]], text)


def conceal(value: Any, values: Mapping[str, str], *, keys: bool = False) -> Any:
    """Return a value with `${NAME}` instead of `values` in all its texts: a JSON value, a record, or the names of a frame's columns.

    Keys of mappings stay unless `keys` is true. The rows of frames stay: they are data.
    """
    if not values or value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str):
        return mask_values(value, values)
    if isinstance(value, Struct):
        return replace(value, **{name: conceal(getattr(value, name), values, keys=keys) for name in value.__struct_fields__})
    if isinstance(value, dict):
        shown = (mask_values(key, values) if keys and isinstance(key, str) else key for key in value)
        return dict(zip(shown, (conceal(held, values, keys=keys) for held in value.values()), strict=True))
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(conceal(held, values, keys=keys) for held in value))
    if isinstance(value, list | tuple | frozenset):
        return type(value)(conceal(held, values, keys=keys) for held in value)
    if type(value).__name__ == "DataFrame":  # Polars is not imported for this
        return value.rename({name: mask_values(name, values) for name in value.columns})
    return value


def show(names: Iterable[str], measures: Iterable[str] = ()) -> None:
    """Let outputs show values from the environment that are part of a name, or a part of a measure with its cut-off (`@`)."""
    texts, labels = [*names], [*measures]
    _shown.update(value for value in _values if any(value in text for text in texts))
    _shown.update(value for value in _values if "@" in value and any(value in label for label in labels))


def hidden_in_outputs(values: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return those of `values`, or of all registered ones if `None`, that no output shows; see `show`."""
    return {value: name for value, name in (_values if values is None else values).items() if value not in _shown}


def known_names() -> dict[str, str]:
    """Return the values behind `${NAME}` in outputs, so that stored results can be compared with those of a config."""
    return {name: value for value, name in _values.items()}


def show_instead(path: str, address: str) -> None:
    """Let messages show the address of a folder instead of the path of its local copy."""
    _copies[path] = address


def mask_secrets(text: str) -> str:
    """Return `text` without values of the environment, and with masked logins and queries of addresses."""
    shown = mask_values(text) if _values else text
    if _copies:
        shown = mask_values(shown, _copies)
    if ":/" not in shown:
        return shown
    return _ADDRESS.sub(_mask, shown)


def _mask(found: re.Match[str]) -> str:
    """Return a matched address with `***` as its login and query.

    A login ends at `@`. Without a colon it only counts in the host after `//`. A query without `=` stays.
    """
    slashes, place, query = found[1], found[2], found[3] or ""
    login, at, rest = place.rpartition("@")
    if at and ":" not in login:
        host = place.partition("/")[0]
        login, at, rest = host.rpartition("@") if len(slashes) > 1 else ("", "", place)
        rest += place[len(host) :] if at else ""
    return f"{slashes}{f'{HIDDEN}@{rest}' if at else place}{f'?{HIDDEN}' if '=' in query else query}"
