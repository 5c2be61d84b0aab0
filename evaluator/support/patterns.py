"""Regular expressions that are compiled at their first use."""

from __future__ import annotations

import re
from typing import Any, cast


class _Regex:
    def __init__(self, text: str, flags: int) -> None:
        self._written = text, flags

    def __getattr__(self, name: str) -> Any:
        value = getattr(re.compile(*self._written), name)
        setattr(self, name, value)
        return value

    def __reduce__(self) -> tuple[type[_Regex], tuple[str, int]]:
        """Send the text to another process: bound methods of patterns cannot be sent."""
        return _Regex, self._written


def regex(text: str, flags: int = 0) -> re.Pattern[str]:
    """Return a regular expression that is compiled at its first use: a command imports a hundred, which take 10 ms, and uses few."""
    return cast("re.Pattern[str]", _Regex(text, flags))
