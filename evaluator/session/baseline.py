"""Results that later ones are compared with: kept in a folder, and shown."""

from __future__ import annotations

from pathlib import Path

from ..disk.reading_back import load
from ..disk.result_folder import copy_results
from ..results.gates import Verdicts
from ..results.result import Result

__all__ = ["load", "set_baseline"]


def set_baseline(folder: str, target: str, *, force: bool = False) -> list[str]:
    """Copy a folder of results to where the baseline is kept; return why not, if gates or checks failed, unless `force` is given."""
    source, place = Path(folder).expanduser(), Path(target).expanduser()
    reasons = _reasons_against(load(source))
    if reasons and not force:
        return reasons
    copy_results(source, place, force=force)
    return []


def _reasons_against(result: Result) -> list[str]:
    """Why results should be no baseline."""
    verdicts = Verdicts(result.gates)
    unjudged = result.config.get("gates", {}).get("rules") and not result.gates
    return [
        *([verdicts.summary()] if verdicts.failed() else []),
        *(["its config has gates that were not judged"] if unjudged else []),
        *(["a health check of level error failed"] if result.failed() else []),
    ]
