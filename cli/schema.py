"""`receval schema`."""

from __future__ import annotations

import click


@click.command()
def schema() -> None:
    """Print the JSON Schema of a config.

    Editors with a YAML language server use it when a config starts with: # yaml-language-server: $schema=…
    """
    from receval.config import json_schema

    click.echo(json_schema(), nl=False)
