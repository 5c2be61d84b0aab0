"""Additions from entry points of installed packages and from files; loaded when a name that is not built in is needed."""

from __future__ import annotations

import hashlib
import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dis import opmap
from functools import cache, wraps
from pathlib import Path
from types import ModuleType
from typing import Any, Final, Literal

from .errors import ConfigError, RecevalError
from .lazy import metadata

Kind = Literal["metrics", "conventions", "formats", "trackers", "checks", "sections"]
"""Kinds of additions of packages: `[project.entry-points."receval.metrics"]` in pyproject.toml, a line for each name."""
_OF_FILES: Final = "receval_plugin_"
_FILES: Final[dict[str, tuple[str, bytes]]] = {}
"""Module of each `--plugin` file → name and text of the file."""
PLACES: Final[dict[Path, Path]] = {}
"""The absolute paths of the `--plugin` files of this process, and the paths as they were given."""


def find(kind: Kind, name: str) -> Any:
    """Load the entry point with this name, or return `None`.

    `ConfigError` if two packages have the name, or if the entry point cannot be imported.
    """
    fitting = [entry for entry in entry_points_of(kind) if _fold(entry.name) == _fold(name)]
    if not fitting:
        return None
    if len(fitting) > 1:
        owners = " and ".join(sorted(_owner(entry) for entry in fitting))
        raise ConfigError(f"two packages have {kind} named {name!r}: {owners}", "uninstall one of them")
    hint = "check that the package supports this version of receval"
    with failing_as(f"{name} of the package {_owner(fitting[0])} cannot be loaded", hint):
        return fitting[0].load()


@cache
def entry_points_of(kind: Kind) -> tuple[metadata.EntryPoint, ...]:
    """Return the entry points of a kind in installed packages, in the order of names."""
    return tuple(sorted(metadata.entry_points(group=f"receval.{kind}"), key=lambda entry: (entry.name, _owner(entry))))


def load_file(path: Path) -> None:
    """Run a Python file that adds to receval; `ConfigError` if it fails."""
    if not os.path.isfile(path) or path.suffix != ".py":
        raise ConfigError(f"{path} is not a Python file", "give a .py file with metrics or checks")
    try:
        text = path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from None
    _run(path, text)
    PLACES[path.absolute()] = path


def load_text(name: str, text: bytes) -> None:
    """Run the text of a `--plugin` file of another process, unless it ran here before."""
    if _FILES.get(_module_of(name)) != (name, text):
        _run(Path(name), text)


def file_of(module: str) -> tuple[str, bytes] | None:
    """Return the name and the text of the `--plugin` file of a module; `None` for any other module."""
    return _FILES.get(module)


def _run(path: Path, text: bytes) -> None:
    module = ModuleType(_module_of(path.name))
    module.__file__ = str(path)
    sys.modules[module.__name__] = module
    try:
        with failing_as(f"{path} cannot be loaded"):
            exec(compile(text, str(path), "exec"), module.__dict__)
    except BaseException:
        del sys.modules[module.__name__]
        raise
    _FILES[module.__name__] = (path.name, text)


# Failures of foreign code


def passes(error: BaseException) -> bool:
    """Return whether an error in foreign code is not its own: an error of receval, a lack of memory, or a signal such as Ctrl-C."""
    if isinstance(error, KeyboardInterrupt):
        return type(error) is not KeyboardInterrupt or not _raises(error)
    return isinstance(error, MemoryError) or (isinstance(error, RecevalError) and is_own(type(error).__module__))


def reason(error: BaseException) -> str:
    """Return what foreign code did, for a message: its exception, or how it tried to end the program."""
    if isinstance(error, SystemExit):
        return f"it ended the program with sys.exit({'' if error.code is None else repr(error.code)})"
    return f"it raised {type(error).__name__}" if not str(error) else f"{type(error).__name__}: {error}"


@contextmanager
def failing_as(what: str, hint: str | None = None) -> Iterator[None]:
    """Run foreign code: what it raises becomes a `ConfigError` that begins with `what`, so that only receval decides the exit code.

    Nothing may be yielded inside: closing a generator raises in it, too.
    """
    try:
        yield
    except BaseException as error:
        if passes(error):
            raise
        raise ConfigError(f"{what}: {reason(error)}", hint) from error


def guarded(what: str, function: Callable[..., Any], expected: tuple[type[Exception], ...] = ()) -> Callable[..., Any]:
    """Return a function of foreign code whose failures name `what` and its origin; the `expected` exceptions stay what they are."""

    @wraps(function)
    def run(*arguments: Any, **options: Any) -> Any:
        try:
            return function(*arguments, **options)
        except expected:
            raise
        except BaseException as error:
            with failing_as(f"{what} of {origin(function.__module__)} failed"):
                raise error

    return run


def _raises(error: KeyboardInterrupt) -> bool:
    """Return whether code raised an interruption itself: its last step is `raise`, and it is not the handler of the signal."""
    step = error.__traceback__
    while step is not None and step.tb_next is not None:
        step = step.tb_next
    if step is None or isinstance(error.__context__, KeyboardInterrupt):
        return False
    code = step.tb_frame.f_code
    handler = getattr(signal.getsignal(signal.SIGINT), "__code__", None)
    return code.co_code[step.tb_lasti] == opmap["RAISE_VARARGS"] and code is not handler


# Origins


def _module_of(file: str) -> str:
    return f"{_OF_FILES}{Path(file).stem}"


def is_importable(module: str) -> bool:
    """Return whether another process can import a module by its name; a module of a session or of a `--plugin` file cannot."""
    return module != "__main__" and not module.startswith(_OF_FILES)


def origin(module: str) -> str:
    """Return the origin of a module: `receval`, a package with its version, a file, or the name of the module."""
    return "receval" if is_own(module) else " and ".join(map(" ".join, _owners(module))) or module


def is_own(module: str) -> bool:
    """Return whether a module is one of receval; any other is foreign code."""
    return module.partition(".")[0] == "receval"


def origins(modules: Iterable[str]) -> dict[str, str]:
    """Return the origins of modules outside of receval: packages with their versions, files with their hashes."""
    return dict(sorted({owner for module in modules if not is_own(module) for owner in _owners(module)}))


def _owners(module: str) -> tuple[tuple[str, str], ...]:
    if module in _FILES:
        name, text = _FILES[module]
        return ((name, hashlib.sha256(text).hexdigest()[:12]),)
    return _distributions(module.partition(".")[0])


@cache
def _distributions(package: str) -> tuple[tuple[str, str], ...]:
    """Return the distributions that provide a package; finding them reads the file list of every distribution."""
    return tuple((owner, metadata.version(owner)) for owner in sorted(set(metadata.packages_distributions().get(package, ()))))


def _owner(entry: metadata.EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist is not None else entry.value


def _fold(name: str) -> str:
    return name.replace("-", "").replace("_", "").replace(" ", "").lower()
