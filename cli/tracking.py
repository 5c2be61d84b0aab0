"""What commands say of trackers. A run without any imports nothing for them."""

from __future__ import annotations

from typing import Any

import receval

from .output import say


def refuse_without_extra(loaded: receval.Loaded) -> None:
    """`MissingExtraError` for a required tracker whose library is not installed, before any work."""
    if loaded.config.track:
        from receval.trackers.choosing import refuse_without_extra as refuse

        for one in loaded.config.track:
            refuse(one)


def after_a_run(loaded: receval.Loaded, result: receval.Result, *, quiet: bool) -> None:
    """Log the result of a run with the trackers of its config; `RecevalError` if one that is required fails."""
    if loaded.config.track:
        from receval.evaluation.tracking import track

        for one in track(result, loaded.config.track, loaded.folder):
            tell(one, quiet=quiet)


def tell(tracked: Any, *, quiet: bool) -> None:
    """Say on standard error where a result went, or that a tracker failed."""
    if tracked.problem:
        say(f"warning: not tracked: {tracked.problem}")
    elif not quiet:
        say(f"tracked with {tracked.name}: {tracked.went}")
