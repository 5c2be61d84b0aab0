"""What commands print: bytes to standard output, all of them or an error."""

from __future__ import annotations

import sys

import click
import receval


def emit(content: bytes) -> None:
    """Write to standard output; `OutputError` if it cannot be written."""
    from receval.errors import OutputError

    if sys.stdout is None:
        raise OutputError("cannot write to standard output: it is closed")
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(f"cannot write to standard output: {error.strerror}") from None


def warn(loaded: receval.Loaded) -> None:
    """Say on standard error what of a config has no meaning here."""
    for warning in loaded.warnings:
        click.echo(f"receval: warning: {warning}", err=True)


def warn_of_unrefused(loaded: receval.Loaded) -> None:
    """Say on standard error which data the policy refuses in a run and not here."""
    for name in sorted(loaded.config.evaluation.policy.refused):
        said = f"evaluation.policy.{name}: error is not looked at here; receval run or receval check does"
        click.echo(f"receval: warning: {said}", err=True)


def on_screen(text: str) -> bytes:
    """`text` in the encoding of standard output."""
    return text.encode((sys.stdout and sys.stdout.encoding) or "utf-8", "backslashreplace")
