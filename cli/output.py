"""What commands print: bytes to standard output, all of them or an error."""

from __future__ import annotations

import sys

import click
import receval
from receval.quoting import seen, sentence


def emit(content: bytes, *, drawn: bool = False) -> None:
    """Write to standard output; `OutputError` if it cannot be written.

    What was not `drawn` for people holds names as they are: on a terminal their characters are shown, in a pipe or file they are kept.
    """
    from receval.errors import OutputError

    if sys.stdout is None:
        raise OutputError("cannot write to standard output: it is closed")
    if not drawn and sys.stdout.isatty():
        content = "".join(letter if letter in "\n\t" else seen(letter) for letter in content.decode()).encode()
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(f"cannot write to standard output: {error.strerror}") from None


def say(text: str) -> None:
    """Tell people a sentence, on standard error."""
    click.echo(f"receval: {sentence(text)}", err=True)


def warn(loaded: receval.Loaded) -> None:
    """Say on standard error what of a config has no meaning here, and how its evaluation is read if it could be another program's."""
    for warning in loaded.warnings:
        say(f"warning: {warning}")
    if loaded.doubt:
        say(loaded.doubt)


def warn_of_settings_of_runs(loaded: receval.Loaded) -> None:
    """Say on standard error which settings a run looks at and this command does not: data that the policy refuses, and groups."""
    evaluation = loaded.config.evaluation
    refusing = sorted(evaluation.policy.refused)
    refused = (f"policy.{name}: error is not looked at here; receval run or receval check does" for name in refusing)
    groups = ("by is not looked at here; receval run splits values by groups",) if evaluation.by else ()
    for remark in (*refused, *groups):
        say(f"warning: evaluation.{remark}")


def on_screen(text: str) -> bytes:
    """`text` in the encoding of standard output."""
    return text.encode(sys.stdout.encoding or "utf-8", "backslashreplace")
