"""`receval init`."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import click
from receval.quoting import one_line

from .output import emit, say


@click.command()
@click.argument("files", nargs=-1, type=click.Path())
@click.option("--from", "source", metavar="FILE", type=click.Path(), help="The config of Elliot, WarpRec, RELISON or ClayRS.")
@click.option("--demo", metavar="DIR", type=click.Path(), help="Write sample data and configs that run into a folder.")
@click.option("-o", "--output", metavar="OUT", type=click.Path(), help="Write the config to a file; to standard output if not given.")
@click.option("--force", is_flag=True, help="Overwrite files that are there.")
def init(files: tuple[str, ...], source: str | None, demo: str | None, output: str | None, force: bool) -> None:
    """Write a config for files, from another program's, or with sample data.

    FILES are files and folders; without any, this folder is looked at. What each file is taken to be is guessed from its name, its columns
    and its first rows, and said on standard error.

    --from takes over the data, the evaluation and the convention of another program; what has no meaning here is named in comments at
    the end.
    """
    if sum((bool(files), source is not None, demo is not None)) > 1:
        raise click.UsageError("give FILES, --from or --demo, one of them")
    if demo is not None:
        if output is not None:
            raise click.UsageError("--demo writes into its own folder: leave -o out")
        _demonstrate(Path(demo), force)
    elif source is not None:
        _convert(Path(source), output, force)
    else:
        _guess(files, output, force)


def _guess(files: tuple[str, ...], output: str | None, force: bool) -> None:
    """Say what the files are taken to be, and write the config; `DataError` if there is nothing to evaluate."""
    from receval.errors import DataError
    from receval.init import config_text, guess

    target = _target(output, force)
    config = guess(files)
    for name, description in config.descriptions:
        click.echo(one_line(f"{name}: {description}"), err=True)
    for doubt in config.doubts:
        click.echo(one_line(f"not sure: {doubt}"), err=True)
    if config.problem:
        raise DataError(config.problem, "name the right files, or write a config with columns: {user: NAME, item: NAME} for each")
    _save(config_text(config, _folder(target)), target)
    if target is not None:
        say(f"wrote {target}; next: receval run {shlex.quote(str(target))}")


def _convert(source: Path, output: str | None, force: bool) -> None:
    from receval.init import convert

    target = _target(output, force)
    _save(convert(source, _folder(target)), target)


def _target(output: str | None, force: bool) -> Path | None:
    """Where the config goes; `ConfigError` if it would overwrite a file without leave."""
    from receval.errors import ConfigError
    from receval.output import disk

    target = None if output is None else Path(output)
    if target is not None and os.path.exists(target) and disk.is_plain(target) and not force:
        raise ConfigError(f"{target} is there already", "choose another name with -o, or add --force to overwrite it")
    return target


def _folder(target: Path | None) -> Path | None:
    """The folder that the paths of the config are seen from; `None` where the config goes to no file."""
    from receval.output import disk

    return target.parent if target is not None and disk.is_plain(target) else None


def _save(text: str, target: Path | None) -> None:
    from receval.output import disk

    if target is None:
        emit(text.encode())
        return
    file = disk.destination(target)
    with disk.Stage([file.parent] if disk.is_plain(file) else []) as stage:
        stage.commit({file: text.encode()})


def _demonstrate(folder: Path, force: bool) -> None:
    """Write the sample into `folder`, all or nothing, and say what to run next."""
    from receval.errors import ConfigError
    from receval.init import sample
    from receval.output import disk

    if os.path.exists(folder) and not os.path.isdir(folder):
        raise ConfigError(f"{folder} is a file", "name a folder for the sample")
    if os.path.isdir(folder) and os.listdir(folder) and not force:
        raise ConfigError(f"{folder} is not empty", "name a new folder, or add --force to write into it")
    files = {folder / name: content for name, content in sample().items()}
    with disk.Stage(dict.fromkeys(path.parent for path in files)) as stage:
        stage.commit(files)
    say(f"wrote the sample to {folder}; next: receval run {shlex.quote(str(folder / 'quickstart.yaml'))}")
