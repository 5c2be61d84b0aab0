"""The number of threads that the environment sets, checked before Polars is imported: it reads the variable when it starts."""

from __future__ import annotations

import os
from typing import Final

from receval.support.errors import ConfigError
from receval.support.quoting import short

_MOST: Final = 1_024
"""Polars starts all threads at once, and with very many it never ends; a machine with more cores than this may use them."""


def refuse_wrong_threads() -> None:
    """Raise `ConfigError` if `POLARS_MAX_THREADS` is no number of threads: Polars would panic, ignore it, or start threads for minutes."""
    wanted, most = os.environ.get("POLARS_MAX_THREADS", ""), max(_MOST, os.cpu_count() or 1)
    is_number = wanted.isascii() and wanted.isdecimal() and len(wanted) < 10
    if wanted and not (is_number and 1 <= int(wanted) <= most):
        message = f"the environment variable POLARS_MAX_THREADS is {short(wanted)!r}, but must be a whole number from 1 to {most:,}"
        raise ConfigError(message, "set it to a number of threads, such as 4, or remove it to use all cores")
