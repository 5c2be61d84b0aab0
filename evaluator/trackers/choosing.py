"""Choose the tracker of a section of the config."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Final

from .. import plugins
from ..config.run_sections import Tracking
from ..errors import ConfigError
from ..extras import missing
from .tracker import Tracker

_EXTRAS: Final = {"mlflow": "mlflow", "wandb": "wandb", "tensorboard": "tensorboardX"}
"""Tracker that needs an extra of the same name → the library that it installs."""


def tracker_of(asked: Tracking, folder: Path) -> Tracker:
    """Return the tracker; paths are relative to `folder`. Raises `ConfigError` if no installed package has it."""
    if asked.mlflow is not None:
        from .mlflow import MlflowRuns

        return MlflowRuns(asked.mlflow)
    if asked.wandb is not None:
        from .wandb import WandbRuns

        return WandbRuns(asked.wandb)
    if asked.dvc is not None:
        from .dvc import DvcFiles

        return DvcFiles(folder / Path(asked.dvc.dir).expanduser())
    if asked.tensorboard is not None:
        from .tensorboard import TensorboardFiles

        return TensorboardFiles(asked.tensorboard, folder / Path(asked.tensorboard.dir).expanduser())
    assert asked.plugin is not None
    make = plugins.find("trackers", asked.plugin.name)
    if make is None:
        raise ConfigError(f"track: no installed package has a tracker named {asked.plugin.name!r}")
    tracker: Tracker = make(asked.plugin.options)
    return tracker


def refuse_without_extra(asked: Tracking) -> None:
    """Raise `MissingExtraError` for a required tracker whose library is not installed, before any work."""
    if asked.chosen.required and asked.name in _EXTRAS and find_spec(_EXTRAS[asked.name]) is None:
        raise missing(asked.name, asked.name)
