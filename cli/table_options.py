"""The options that say how the table of a run looks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click
import receval
from msgspec import Struct


class TableOptions(Struct, frozen=True):
    """What was given of them."""

    columns: tuple[str, ...]
    sort: str | None
    digits: int | None
    models_as_rows: bool | None

    def refuse_beside(self, form: str | None) -> None:
        """`UsageError` if one is given that a format has no use for."""
        of_markdown = ("columns", "sort") if form == "md" else ()
        given = [name for name in self.__struct_fields__ if getattr(self, name) not in (None, ()) and name not in of_markdown]
        if form is not None and given:
            option = (
                "--measures-as-rows" if self.models_as_rows is False and given[0] == "models_as_rows" else f"--{given[0].replace('_', '-')}"
            )
            raise click.UsageError(
                f"{option} is about the table; --format {form} {'has none' if form == 'md' else 'always has everything'}"
            )

    def refuse_unknown(self, loaded: receval.Loaded) -> None:
        """`ConfigError` if a measure is named that the config does not ask for, before anything is computed."""
        from receval.content.selections import matching, measures_of

        evaluation = loaded.config.evaluation
        labels = [*(one.label for one in evaluation.definitions), *(one.formula.text for one in evaluation.composites)]
        if any(one.several for one in evaluation.definitions):  # which values it has turns out in the run
            return
        for measure in (*measures_of(self.columns), *([self.sort] if self.sort else [])):
            matching(measure.partition(" (")[0] if measure not in labels else measure, labels)

    def applied(self, result: receval.Result) -> receval.Result:
        """The measures to show, the models in the order to show them."""
        from receval.content.selections import measures_of, selected

        return selected(result, measures_of(self.columns), self.sort)


def table_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options to a command; they come as `columns`, `sort`, `digits` and `models_as_rows`."""
    options = (
        click.option(
            "--columns", multiple=True, metavar="M,M", help="The measures that the table shows: nDCG@10, or nDCG for all its cut-offs."
        ),
        click.option("--sort", metavar="MEASURE", help="Sort the models of the table by a measure, the best first."),
        click.option("--digits", type=click.IntRange(0, 12), metavar="N", help="The decimals of values in the table; counts have none."),
        click.option(
            "--models-as-rows/--measures-as-rows",
            default=None,
            help="Which of them are the rows of the table; if not given, what there is more of, or what fits the screen.",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command
