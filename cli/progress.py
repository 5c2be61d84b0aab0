"""A bar on standard error that says how far a run is: the model, its rows, and the size of its files."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from glob import glob
from pathlib import Path

import receval

_LARGE = 50 << 20


def bar_for(loaded: receval.Loaded, quiet: bool) -> AbstractContextManager[Callable[[receval.Progress], None] | None]:
    """A bar on a terminal for a run that takes a while, since it has several models or large files, and otherwise nothing."""
    if quiet or not sys.stderr.isatty():
        return nullcontext()
    given = loaded.config.data.recommendations
    files = [file for _, source in loaded.config.data.sources() for path in source.path for file in glob(str(loaded.folder / path))]
    several = len(given) > 1 or not isinstance(given, dict) or bool(loaded.folds)
    return bar() if several or sum(Path(file).stat().st_size for file in files if os.path.exists(file)) > _LARGE else nullcontext()


@contextmanager
def bar() -> Iterator[Callable[[receval.Progress], None]]:
    """Show a bar as long as the context lasts, and yield what takes the progress of a run."""
    from receval.render.terminal import Screen
    from rich.console import Console
    from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    what, how_far = (TextColumn(text, markup=False) for text in ("{task.description}", "{task.fields[rows]}"))
    console = Console(stderr=True)
    screen = Screen.of(sys.stderr)
    with Bars(SpinnerColumn(), what, BarColumn(), how_far, TimeElapsedColumn(), console=console, transient=True) as bars:
        task = bars.add_task("reading", total=None, rows="")

        def report(progress: receval.Progress) -> None:
            shown = screen.visible(title(progress))
            bars.update(task, description=shown, completed=progress.n_rows, total=progress.n_expected, rows=rows(progress))

        yield report


def title(progress: receval.Progress) -> str:
    """Which model is evaluated, and which of how many it is."""
    if not progress.model:
        return "writing results"
    which = f" ({progress.number} of {progress.n_models})" if progress.n_models > 1 else ""
    return f"evaluating {progress.model}{which}"


def rows(progress: receval.Progress) -> str:
    """The rows that were read, about how many there are, and the size of the files."""
    if not progress.model:
        return ""
    expected = f" of about {progress.n_expected:,}" if progress.n_expected else ""
    size = f", {progress.n_bytes / 1e6:,.0f} MB" if progress.n_bytes >= 500_000 else ""
    return f"{progress.n_rows:,}{expected} rows{size}"
