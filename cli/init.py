"""`receval init`."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.option(
    "--from", "source", required=True, metavar="FILE", type=click.Path(), help="The config of Elliot, WarpRec, RELISON or ClayRS."
)
@click.option("-o", "--output", metavar="OUT", type=click.Path(), help="Write the config to a file; to standard output if not given.")
@click.option("--force", is_flag=True, help="Overwrite the file if there is one.")
def init(source: str, output: str | None, force: bool) -> None:
    """Write a config from another program's.

    The data, the evaluation and the convention are taken over; what has no meaning here is named in comments at the end.
    """
    from receval.evaluator import write
    from receval.evaluator.config import convert
    from receval.evaluator.errors import ConfigError

    if output is None:
        click.echo(convert(Path(source)).encode(), nl=False)
        return
    target = Path(output)
    if target.exists() and write.is_plain(target) and not force:
        raise ConfigError(f"{target} is there already", "choose another name with -o, or add --force to overwrite it")
    folder = target.parent if write.is_plain(target) else None
    with write.Stage([folder] if folder else []) as stage:
        stage.commit({target: convert(Path(source), folder).encode()})
