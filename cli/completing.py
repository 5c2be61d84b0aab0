"""What the shell is offered for metrics, conventions and models; called for completion alone."""

from __future__ import annotations

from contextlib import suppress

import click


def metric_names(context: click.Context, parameter: click.Parameter, begun: str) -> list[str]:
    """The metrics that begin so, in any case."""
    from receval.session.catalogue import metric_names

    return [name for name in metric_names() if name.lower().startswith(begun.lower())]


def convention_names(context: click.Context, parameter: click.Parameter, begun: str) -> list[str]:
    """The conventions that begin so."""
    from receval.session.catalogue import convention_names

    return [name for name in convention_names() if name.startswith(begun)]


def model_names(context: click.Context, parameter: click.Parameter, begun: str) -> list[str]:
    """The models of the config on the line that begin so; none if it cannot be read."""
    config = context.params.get("config")
    with suppress(Exception):  # whatever is wrong with the config is told when the command runs, not while it is typed
        from receval.config import load_config

        models = load_config(config).config.data.recommendations if config else ()
        return [name for name in map(str, models) if name.startswith(begun)]
    return []
