"""Additions that installed packages announce by entry points, and those of a file: loaded when a name is asked for that is not built in."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterable
from functools import cache
from importlib.metadata import EntryPoint, entry_points, packages_distributions, version
from pathlib import Path
from typing import Any, Final, Literal

from .errors import ConfigError

Kind = Literal["metrics", "conventions", "formats", "trackers", "checks"]
"""What a package may add: `[project.entry-points."receval.metrics"]` in its pyproject.toml, a line for each name."""
_OF_FILES: Final = "receval_plugin_"


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


def announced(kind: Kind) -> tuple[EntryPoint, ...]:
    """What installed packages announce of a kind, in the order of names."""
    return tuple(sorted(entry_points(group=f"receval.{kind}"), key=lambda entry: (entry.name, _owner(entry))))


def load_file(path: Path) -> None:
    """Run a file of Python that adds to receval; `ConfigError` if it fails."""
    name = f"{_OF_FILES}{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path) if path.is_file() and path.suffix == ".py" else None
    if spec is None or spec.loader is None:
        raise ConfigError(f"{path} is no file of Python", "name a .py file with metrics, conventions, checks or formats")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise ConfigError(f"{path} cannot be loaded: {type(error).__name__}: {error}") from error


def is_importable(module: str) -> bool:
    """Whether another process can import a module by its name: not what a session or a file of the command line holds."""
    return module != "__main__" and not module.startswith(_OF_FILES)


@cache
def origin(module: str) -> str:
    """Where a module comes from: `receval`, a package with its version, a file, or the name of the module."""
    root = module.partition(".")[0]
    if root == "receval":
        return root
    owners = sorted(set(packages_distributions().get(root, ())))
    if owners:
        return " and ".join(f"{owner} {version(owner)}" for owner in owners)
    file = getattr(sys.modules.get(module), "__file__", None)
    return Path(file).name if file and module.startswith(_OF_FILES) else module


def origins(modules: Iterable[str]) -> tuple[str, ...]:
    """Where modules come from that are not receval's own, each once."""
    return tuple(sorted({origin(module) for module in modules} - {"receval"}))


def _owner(entry: EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist is not None else entry.value


def _fold(name: str) -> str:
    return name.replace("-", "").replace("_", "").replace(" ", "").lower()
