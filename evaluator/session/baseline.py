"""Results that later ones are compared with: kept in a folder, and shown."""

from __future__ import annotations

from pathlib import Path

from ..disk.result_folder import copy_results, load
from ..results.gates import Verdicts

__all__ = ["load", "set_baseline"]


def set_baseline(folder: str, target: str, *, force: bool = False) -> list[str]:
    """Copy a folder of results to where the baseline is kept; return why not, if gates or checks failed, unless `force` is given."""
    source, place = Path(folder).expanduser(), Path(target).expanduser()
    result = load(source)
    verdicts = Verdicts(result.gates)
    problems = {
        verdicts.summary(): verdicts.failed(),
        "its config has gates that were not judged": result.config.get("gates", {}).get("rules") and not result.gates,
        "a health check of level error failed": result.failed(),
    }
    reasons = [reason for reason, holds in problems.items() if holds]
    if reasons and not force:
        return reasons
    copy_results(source, place, force=force)
    return []
