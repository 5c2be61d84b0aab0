"""The card of an evaluation: `receval card`."""

from __future__ import annotations

import click
from receval.support.outputs import output_form

from . import options
from .output import say, show


@click.command(cls=options.Command)
@click.argument("folder", metavar="DIR")
@options.outputs_option("Write the card: .md, .tex, .html, .json.")
@options.format_option("card", help="Print the card in this format. Default without -o: a table.")
@click.option("--set", "overrides", multiple=True, metavar="PATH=VALUE", help="State a field: --set 'card.seeds=1, 2, 3'. May be repeated.")
@options.models_option
@click.option("-q", "--quiet", is_flag=True, help="Print only errors and the output of --format.")
def card(folder: str, outputs: tuple[str, ...], form: str | None, overrides: tuple[str, ...], models: tuple[str, ...], quiet: bool) -> None:
    """Write the evaluation on one page: what was measured, what the author states, and what was not checked.

    Give a folder that 'receval run -o DIR/' wrote. Fields that only the author knows (tuning, validation set, preprocessing, seeds,
    hardware) are 'not stated' until the section card of the config, or --set, states them. No id of a user is on the card.
    """
    from receval.actions.card import SECTIONS, card_of_folder
    from receval.actions.targets import shown

    for override in overrides:
        if not override.startswith(tuple(f"{name}." for name in SECTIONS)):
            raise click.UsageError(f"--set {override} has no effect on a card; only keys of {' and '.join(SECTIONS)} have an effect")
    written = card_of_folder(folder, outputs, overrides, models)
    if form is not None or not outputs:
        show(output_form(form or "table", "card"), written.result)
    if written.files and not quiet:
        say(f"wrote {', '.join(map(shown, written.files))}")
