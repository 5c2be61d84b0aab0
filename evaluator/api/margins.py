"""How small a difference does not matter, as it is given in Python."""

from __future__ import annotations

from collections.abc import Mapping

from ..config.comparing import DEFAULT
from ..errors import ConfigError
from ..names.margins import Margin

MarginLike = float | str | Mapping[str, float | str]


def margins_of(margin: MarginLike | None) -> dict[str, Margin]:
    """Margins by measure; `ConfigError` for one that cannot be read."""
    if margin is None:
        return {}
    given = margin if isinstance(margin, Mapping) else {DEFAULT: margin}
    try:
        return {measure: Margin.read(size) for measure, size in given.items()}
    except ValueError as error:
        raise ConfigError(f"margin: {error}") from None
