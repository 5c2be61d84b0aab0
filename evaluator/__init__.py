"""receval as a library: evaluate recommendations in tables of any kind, and look into the result.

    import receval
    result = receval.evaluate(test=test, recommendations={"als": als}, metrics=["nDCG@10", "Recall@20"])
    result["als", "nDCG@10"].value, result.per_user["als"], result.to_polars()

`receval.__version__` is the version that is installed. Names are imported when they are first used, so that `receval --help` does not wait
for the dataframe library.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from .support.forks import watch

_HOMES = {
    "AcrossResult": ".api.across",
    "Audit": ".results.audit",
    "ComparisonResult": ".api.comparisons",
    "ConfigError": ".support.errors",
    "Counts": ".results.result",
    "DataError": ".support.errors",
    "Description": ".results.description",
    "EvaluationResult": ".api.evaluation_result",
    "EpochValues": ".api.epoch_values",
    "Evaluator": ".api.calls",
    "DiffResult": ".api.diffs",
    "DrawnChart": ".api.charts",
    "Experiment": ".api.experiment",
    "Explanation": ".results.explanation",
    "Gate": ".results.gates",
    "GatePlanResult": ".api.comparisons",
    "GateVerdicts": ".api.comparisons",
    "HistoryResult": ".api.series",
    "Input": ".results.result",
    "InputFile": ".results.result",
    "Item": ".metrics.own",
    "LeaderboardResult": ".api.series",
    "Loaded": ".config",
    "Matrix": ".load.in_memory.matrices",
    "MissingExtraError": ".support.errors",
    "RecevalError": ".support.errors",
    "Progress": ".evaluation.progress",
    "Result": ".results.result",
    "Row": ".results.result",
    "RunRecord": ".actions.outcome",
    "UserResult": ".api.users",
    "audit": ".api.calls",
    "check": ".api.calls",
    "compare": ".api.comparisons",
    "compare_across": ".api.across",
    "describe": ".api.calls",
    "diff": ".api.diffs",
    "enriched": ".api.calls",
    "evaluate": ".api.calls",
    "evaluate_config": ".api.calls",
    "explain": ".api.calls",
    "gate": ".api.comparisons",
    "history": ".api.series",
    "leaderboard": ".api.series",
    "load_config": ".config",
    "load_results": ".api.calls",
    "metric": ".metrics.own",
    "plan_gate": ".api.comparisons",
    "run": ".evaluation.running",
    "score": ".api.calls",
    "track": ".api.tracking",
    "user": ".api.users",
}
"""Each public name and the module that has it."""
_MODULES = ("functional", "testing")
"""Public modules of this package, which are imported when they are first used."""


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version  # only here: it takes longer than everything else

        return version("receval")
    if name in _MODULES:
        return import_module(f".{name}", __name__)
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name], __name__), name)


def __dir__() -> list[str]:
    return [*__all__, *_MODULES, "__version__"]


__all__ = sorted(_HOMES)
watch()
