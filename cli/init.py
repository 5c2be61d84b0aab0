"""`receval init`."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from .output import emit


@click.command()
@click.option("--from", "source", metavar="FILE", type=click.Path(), help="The config of Elliot, WarpRec, RELISON or ClayRS.")
@click.option("--demo", metavar="DIR", type=click.Path(), help="Write sample data and configs that run into a folder.")
@click.option("-o", "--output", metavar="OUT", type=click.Path(), help="Write the config to a file; to standard output if not given.")
@click.option("--force", is_flag=True, help="Overwrite files that are there.")
def init(source: str | None, demo: str | None, output: str | None, force: bool) -> None:
    """Write a config from another program's, or with sample data.

    --from takes over the data, the evaluation and the convention of another program; what has no meaning here is named in comments at
    the end.
    """
    if demo is not None:
        if source is not None or output is not None:
            raise click.UsageError("--demo writes into its own folder: leave --from and -o out")
        _demonstrate(Path(demo), force)
    elif source is not None:
        _convert(Path(source), output, force)
    else:
        raise click.UsageError("--from or --demo is missing")


def _convert(source: Path, output: str | None, force: bool) -> None:
    from receval.evaluator.config import convert

    target = _target(output, force)
    _save(convert(source, _folder(target)), target)


def _target(output: str | None, force: bool) -> Path | None:
    """Where the config goes; `ConfigError` if it would overwrite a file without leave."""
    from receval.evaluator import write
    from receval.evaluator.errors import ConfigError

    target = None if output is None else Path(output)
    if target is not None and target.exists() and write.is_plain(target) and not force:
        raise ConfigError(f"{target} is there already", "choose another name with -o, or add --force to overwrite it")
    return target


def _folder(target: Path | None) -> Path | None:
    """The folder that the paths of the config are seen from; `None` where the config goes to no file."""
    from receval.evaluator import write

    return target.parent if target is not None and write.is_plain(target) else None


def _save(text: str, target: Path | None) -> None:
    from receval.evaluator import write

    if target is None:
        emit(text.encode())
        return
    folder = _folder(target)
    with write.Stage([folder] if folder else []) as stage:
        stage.commit({target: text.encode()})


def _demonstrate(folder: Path, force: bool) -> None:
    """Write the sample into `folder`, all or nothing, and say what to run next."""
    from receval.evaluator import load, write
    from receval.evaluator.errors import ConfigError

    if folder.exists() and not folder.is_dir():
        raise ConfigError(f"{folder} is a file", "name a folder for the sample")
    if folder.is_dir() and any(folder.iterdir()) and not force:
        raise ConfigError(f"{folder} is not empty", "name a new folder, or add --force to write into it")
    files = {folder / name: content for name, content in load.sample().items()}
    with write.Stage(dict.fromkeys(path.parent for path in files)) as stage:
        stage.commit(files)
    click.echo(f"receval: wrote the sample to {folder}; next: receval run {shlex.quote(str(folder / 'quickstart.yaml'))}", err=True)
