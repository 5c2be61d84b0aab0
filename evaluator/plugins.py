"""Additions that installed packages announce by entry points, and those of a file: loaded when a name is asked for that is not built in."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable
from functools import cache
from importlib.metadata import EntryPoint, entry_points, packages_distributions, version
from pathlib import Path
from types import ModuleType
from typing import Any, Final, Literal

from .errors import ConfigError

Kind = Literal["metrics", "conventions", "formats", "trackers", "checks"]
"""What a package may add: `[project.entry-points."receval.metrics"]` in its pyproject.toml, a line for each name."""
_OF_FILES: Final = "receval_plugin_"
_FILES: Final[dict[str, tuple[str, str]]] = {}
"""Of each module that is a file of the command line its name and hash."""


def find(kind: Kind, name: str) -> Any:
    """What an installed package announces under a name, which it is to be asked for; `None` if none does.

    `ConfigError` if two packages announce the name, or what they announce cannot be imported.
    """
    fitting = [entry for entry in announced(kind) if _fold(entry.name) == _fold(name)]
    if not fitting:
        return None
    if len(fitting) > 1:
        owners = " and ".join(sorted(_owner(entry) for entry in fitting))
        raise ConfigError(f"two packages have {kind} called {name!r}: {owners}", "uninstall one of them")
    try:
        return fitting[0].load()
    except Exception as error:
        problem = f"{name} of the package {_owner(fitting[0])} cannot be loaded: {type(error).__name__}: {error}"
        raise ConfigError(problem, "is it of this version of receval?") from error


@cache
def announced(kind: Kind) -> tuple[EntryPoint, ...]:
    """What installed packages announce of a kind, in the order of names."""
    return tuple(sorted(entry_points(group=f"receval.{kind}"), key=lambda entry: (entry.name, _owner(entry))))


def load_file(path: Path) -> None:
    """Run a file of Python that adds to receval; `ConfigError` if it fails."""
    if not path.is_file() or path.suffix != ".py":
        raise ConfigError(f"{path} is no file of Python", "name a .py file with metrics or checks")
    module = ModuleType(f"{_OF_FILES}{path.stem}")
    module.__file__ = str(path)
    text = path.read_bytes()
    sys.modules[module.__name__] = module
    try:
        exec(compile(text, str(path), "exec"), module.__dict__)
    except Exception as error:
        del sys.modules[module.__name__]
        raise ConfigError(f"{path} cannot be loaded: {type(error).__name__}: {error}") from error
    _FILES[module.__name__] = (path.name, hashlib.sha256(text).hexdigest())


def is_importable(module: str) -> bool:
    """Whether another process can import a module by its name: not what a session or a file of the command line holds."""
    return module != "__main__" and not module.startswith(_OF_FILES)


def origin(module: str) -> str:
    """Where a module comes from: `receval`, a package with its version, a file, or the name of the module."""
    return "receval" if module.partition(".")[0] == "receval" else " and ".join(map(" ".join, _owners(module))) or module


def origins(modules: Iterable[str]) -> dict[str, str]:
    """The packages, with their versions, and the files, with their hashes, that modules come from which are not receval's own."""
    return dict(sorted({owner for module in modules if module.partition(".")[0] != "receval" for owner in _owners(module)}))


def _owners(module: str) -> tuple[tuple[str, str], ...]:
    if module in _FILES:
        name, digest = _FILES[module]
        return ((name, digest[:12]),)
    return tuple((owner, version(owner)) for owner in sorted(_packages_of(module.partition(".")[0])))


@cache
def _packages_of(module: str) -> frozenset[str]:
    """The installed packages that hold a module: all packages are looked at, which takes long, so once for each module."""
    return frozenset(packages_distributions().get(module, ()))


def _owner(entry: EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist is not None else entry.value


def _fold(name: str) -> str:
    return name.replace("-", "").replace("_", "").replace(" ", "").lower()
