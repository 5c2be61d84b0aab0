"""`receval track`."""

from __future__ import annotations

import click

from .options import Command, plugin_option
from .output import tell_tracked


@click.command(cls=Command)
@click.argument("folder", metavar="DIR")
@click.option(
    "--to",
    "trackers",
    multiple=True,
    metavar="TRACKER",
    help="mlflow, wandb, dvc, tensorboard, or with settings '{mlflow: {experiment: home}}'. Replaces those of the config. May be repeated.",
)
@plugin_option
@click.option("-q", "--quiet", is_flag=True, help="Print only errors.")
def track(folder: str, trackers: tuple[str, ...], quiet: bool) -> None:
    """Log results to experiment trackers: MLflow, Weights & Biases, TensorBoard, files for DVC.

    Give a folder that 'receval run -o DIR/' wrote. Values with their intervals are metrics; report, results and manifest are artifacts; no
    id of a user is among them. Exits with 2 if a tracker fails, with 4 if its extra is not installed.
    """
    from receval.session.track import track_folder

    for one in track_folder(folder, trackers):
        tell_tracked(one, quiet=quiet)
