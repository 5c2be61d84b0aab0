"""`receval completion`."""

from __future__ import annotations

import click


@click.command()
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the script that completes commands, metrics, conventions and models in a shell.

    Save it where the shell looks for such scripts: docs/completion.md says where.
    """
    from click.shell_completion import get_completion_class

    script = get_completion_class(shell)
    if script is not None:
        click.echo(script(context.find_root().command, {}, "receval", "_RECEVAL_COMPLETE").source())
