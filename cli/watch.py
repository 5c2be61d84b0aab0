"""`receval run --watch`: the first run in full, then what changes with each change of the config or its files."""

from __future__ import annotations

import gc
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

import click
import receval
from receval.support.outputs import output_form

from .output import say, say_verdicts, say_written, show


def refuse_other_output(options: Mapping[str, Any]) -> None:
    """Raise `UsageError` for an option that prints something else than the table."""
    for option, value in options.items():
        if value:
            raise click.UsageError(f"--watch prints the table and what changes: it does not go with {option}")


def watch_config(
    load: Callable[[], receval.Loaded],
    config: str | None,
    table: Mapping[str, Any],
    outputs: Sequence[str],
    store: str | None,
    strict: bool,
    quiet: bool,
) -> NoReturn:
    """Run a config again and again, until it is interrupted."""
    from receval.actions.run import run_config
    from receval.actions.show import Looks
    from receval.actions.watch import unwatched, watch

    looks = Looks(**table)

    def run(loaded: receval.Loaded) -> Any:
        looks.refuse_unknown(loaded)
        return run_config(loaded, outputs=outputs, store_failures=store, strict=strict)

    gc.enable()  # unlike other commands, this one lives long
    path = None if config is None or not os.path.isfile(config) else Path(config)
    is_first = True
    for watched_run in watch(load, run, path, time.sleep):
        if watched_run.changed:
            say(f"{_listed(watched_run.changed)} changed")
        if watched_run.record is not None:
            _show(watched_run, looks, quiet)
            note = unwatched(watched_run.record.loaded) if is_first else ""
            is_first = False
            if note:
                say(note)
        if watched_run.error is not None:
            print(f"receval: {watched_run.error.shown()}", file=sys.stderr)
        say("watching; Ctrl-C ends")
        sys.stdout.flush()
    raise AssertionError("watching has no end")


def _show(watched_run: Any, looks: Any, quiet: bool) -> None:
    """Print the result of the first run, and for later ones what changed."""
    if watched_run.lines is None:
        sentences = watched_run.record.sentences_on(looks.apply(watched_run.record.result))
        show(output_form("table", "result"), watched_run.record.result, looks=looks, verbose=False, sentences=sentences, bare=quiet)
    else:
        from receval.render.terminal import Screen

        screen = Screen.for_file(sys.stdout)
        for line in watched_run.lines or ("nothing changed",):
            click.echo(screen.visible(line))
    say_verdicts(watched_run.record, quiet=quiet)
    if not quiet and watched_run.lines is None:
        say_written(watched_run.record.written, watched_run.record.loaded.config.report.latex.document)


def _listed(paths: Sequence[Path]) -> str:
    names = [str(path) for path in paths]
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
