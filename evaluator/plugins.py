"""Additions that installed packages announce by entry points, and those of a file: loaded when a name is asked for that is not built in."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterable
from functools import cache
from importlib.metadata import EntryPoint, entry_points, packages_distributions, version
from pathlib import Path
from types import ModuleType
from typing import Any, Final, Literal

from .errors import ConfigError

Kind = Literal["metrics", "conventions", "formats", "trackers", "checks", "sections"]
"""What a package may add: `[project.entry-points."receval.metrics"]` in its pyproject.toml, a line for each name."""
_OF_FILES: Final = "receval_plugin_"
_FILES: Final[dict[str, tuple[str, bytes]]] = {}
"""Of each module that is a file of the command line its name and text."""


def find(kind: Kind, name: str) -> Any:
    """What an installed package announces under a name, which it is to be asked for; `None` if none does.

    `ConfigError` if two packages announce the name, or what they announce cannot be imported.
    """
    fitting = [entry for entry in announced(kind) if _fold(entry.name) == _fold(name)]
    if not fitting:
        return None
    if len(fitting) > 1:
        owners = " and ".join(sorted(_owner(entry) for entry in fitting))
        raise ConfigError(f"two packages have {kind} named {name!r}: {owners}", "uninstall one of them")
    try:
        return fitting[0].load()
    except Exception as error:
        problem = f"{name} of the package {_owner(fitting[0])} cannot be loaded: {type(error).__name__}: {error}"
        raise ConfigError(problem, "check that the package supports this version of receval") from error


@cache
def announced(kind: Kind) -> tuple[EntryPoint, ...]:
    """What installed packages announce of a kind, in the order of names."""
    return tuple(sorted(entry_points(group=f"receval.{kind}"), key=lambda entry: (entry.name, _owner(entry))))


def load_file(path: Path) -> None:
    """Run a file of Python that adds to receval; `ConfigError` if it fails."""
    if not os.path.isfile(path) or path.suffix != ".py":
        raise ConfigError(f"{path} is not a Python file", "give a .py file with metrics or checks")
    try:
        text = path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from None
    try:
        _run(path, text)
    except Exception as error:
        raise ConfigError(f"{path} cannot be loaded: {type(error).__name__}: {error}") from error


def load_text(name: str, text: bytes) -> None:
    """Run what another process had as a file of the command line, unless it was run here before."""
    if _FILES.get(_module_of(name)) != (name, text):
        _run(Path(name), text)


def file_of(module: str) -> tuple[str, bytes] | None:
    """The name and the text of the file of the command line that a module is; `None` for any other module."""
    return _FILES.get(module)


def _run(path: Path, text: bytes) -> None:
    module = ModuleType(_module_of(path.name))
    module.__file__ = str(path)
    sys.modules[module.__name__] = module
    try:
        exec(compile(text, str(path), "exec"), module.__dict__)
    except BaseException:
        del sys.modules[module.__name__]
        raise
    _FILES[module.__name__] = (path.name, text)


def _module_of(file: str) -> str:
    return f"{_OF_FILES}{Path(file).stem}"


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
        name, text = _FILES[module]
        return ((name, hashlib.sha256(text).hexdigest()[:12]),)
    return _distributions(module.partition(".")[0])


@cache
def _distributions(package: str) -> tuple[tuple[str, str], ...]:
    """The distributions that a package is of; to look for them reads what is said of every file of every distribution."""
    return tuple((owner, version(owner)) for owner in sorted(set(packages_distributions().get(package, ()))))


def _owner(entry: EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist is not None else entry.value


def _fold(name: str) -> str:
    return name.replace("-", "").replace("_", "").replace(" ", "").lower()
