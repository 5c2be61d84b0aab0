"""receval as a library: load a config, run it, read the result.

    from receval import load_config, run
    result = run(load_config("config.yaml"))
    result.rows, result.per_user["als"]

`receval.__version__` is the version that is installed. Names are imported when they are first used, so that `receval --help` does not wait
for the dataframe library.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import version
from typing import Any

__all__ = [
    "Audit",
    "Counts",
    "Description",
    "Explanation",
    "Input",
    "InputFile",
    "Loaded",
    "Result",
    "Row",
    "audit",
    "describe",
    "explain",
    "load_config",
    "run",
]

_HOMES = {
    "Audit": ".results.audit",
    "Description": ".results.description",
    "Explanation": ".results.explanation",
    "Loaded": ".config",
    "audit": ".evaluation.auditing",
    "describe": ".evaluation.describing",
    "explain": ".evaluation.explaining",
    "load_config": ".config",
    "run": ".evaluation.running",
}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return version("receval")
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES.get(name, ".results.result"), __name__), name)
