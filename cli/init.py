"""`receval init`."""

from __future__ import annotations

import shlex
from typing import Any

import click
from receval.support.quoting import one_line

from . import options
from .output import emit, say


@click.command(cls=options.Command)
@click.argument("files", nargs=-1, type=click.Path())
@click.option("--from", "source", metavar="FILE", type=click.Path(), help="A config of Elliot, WarpRec, RELISON or ClayRS to convert.")
@click.option("--demo", metavar="DIR", type=click.Path(), help="Write sample data and runnable configs into a folder.")
@click.option("-o", "--output", metavar="OUT", type=click.Path(), help="The config file to write. Default: standard output.")
@click.option("--force", is_flag=True, help="Overwrite existing files.")
def init(files: tuple[str, ...], source: str | None, demo: str | None, output: str | None, force: bool) -> None:
    """Write a config: for your files, from another program's config, or with sample data.

    FILES are files and folders. Default: the current folder. receval guesses what each file contains from its name, its columns and its
    first rows, and prints every guess on standard error.

    --from converts the data, the evaluation and the convention of another program. Comments at the end name the keys that receval
    does not have.
    """
    from receval.actions import start

    if sum((bool(files), source is not None, demo is not None)) > 1:
        raise click.UsageError("give exactly one of FILES, --from and --demo")
    if demo is not None and output is not None:
        raise click.UsageError("--demo writes into its own folder: remove -o")
    if demo is not None:
        first = start.save_sample(demo, force=force)
        say(f"wrote the sample to {demo}; next: receval run {shlex.quote(str(first))}")
        return
    if source is not None:
        _save(start.from_program(source, output, force=force))
        return
    config = start.from_files(files, output, force=force)
    for remark in config.remarks:
        click.echo(one_line(remark), err=True)
    _save(config)
    if config.target is not None:
        say(f"wrote {config.target}; next: receval run {shlex.quote(str(config.target))}")


def _save(config: Any) -> None:
    """Write the config to its file, or to standard output."""
    from receval.actions.start import save_config

    save_config(config)
    if config.target is None:
        emit(config.text.encode())
