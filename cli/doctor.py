"""`receval doctor`."""

from __future__ import annotations

import click
from receval.outputs import of_form

from .options import Command, format_option
from .output import show


@click.command(cls=Command)
@format_option("machine", default="table", help="Text or JSON.")
def doctor(form: str) -> None:
    """Say what receval runs on: versions, extras, Java, memory, threads and temporary space, and what to do.

    Nothing is changed. Put it into a report of a bug.
    """
    from receval.session.machine import facts

    show(of_form(form, "machine"), facts())
