"""Which versions computed a result."""

from __future__ import annotations

import platform
import re
from importlib import metadata


def versions() -> dict[str, str]:
    """The versions of receval, Python and the packages that receval needs."""
    found = {"receval": metadata.version("receval"), "python": platform.python_version()}
    for requirement in metadata.requires("receval") or ():
        if "extra ==" not in requirement:
            name = re.split(r"[^A-Za-z0-9._-]", requirement)[0]
            found[name] = metadata.version(name)
    return found
