"""Which versions computed a result."""

from __future__ import annotations

import platform
import re
from collections.abc import Iterable
from functools import cache
from importlib import metadata

from .. import plugins
from ..extras import version_of
from ..metrics import Metric


def versions(engine: str, metrics: Iterable[Metric] = ()) -> dict[str, str]:
    """The versions of receval, Python, the packages that receval needs, those that `metrics` come from, and that of the engine."""
    return _installed_versions(engine) | plugins.origins(metric.define.__module__ for metric in metrics)


@cache
def _installed_versions(engine: str) -> dict[str, str]:
    """The versions of what is installed, looked up once in a process."""
    versions_found = {"receval": version_of("receval"), "python": platform.python_version()}
    for requirement in metadata.requires("receval") or ():
        if "extra ==" not in requirement:
            name = re.split(r"[^A-Za-z0-9._-]", requirement)[0]
            versions_found[name] = version_of(name)
    if engine not in versions_found:
        versions_found |= {name: version_of(name) for name in (engine, f"py{engine}") if _installed(name)}
    return versions_found


def _installed(name: str) -> bool:
    try:
        metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return False
    return True
