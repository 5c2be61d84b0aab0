"""Choose the tracker of a section of the config."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from ..config.run_sections import Tracking
from ..storage.overwriting import InputPath
from ..support import plugins
from ..support.errors import ConfigError
from ..support.extras import missing_extra
from .tracker import Tracker

_EXTRAS: Final = {"mlflow": "mlflow", "wandb": "wandb", "tensorboard": "tensorboardX"}
"""Tracker that needs an extra of the same name → the library that it installs."""


def tracker_of(tracking: Tracking, folder: Path, inputs: Sequence[InputPath]) -> Tracker:
    """Return the tracker, which keeps the `inputs`; paths are relative to `folder`. Raises `ConfigError` if no installed package has it."""
    if tracking.mlflow is not None:
        from .mlflow import MlflowRuns

        return MlflowRuns(tracking.mlflow)
    if tracking.wandb is not None:
        from .wandb import WandbRuns

        return WandbRuns(tracking.wandb)
    if tracking.dvc is not None:
        from .dvc import DvcFiles

        return DvcFiles(folder / Path(tracking.dvc.dir).expanduser(), inputs)
    if tracking.tensorboard is not None:
        from .tensorboard import TensorboardFiles

        return TensorboardFiles(tracking.tensorboard, folder / Path(tracking.tensorboard.dir).expanduser(), inputs)
    assert tracking.plugin is not None
    make = plugins.find("trackers", tracking.plugin.name)
    if make is None:
        raise ConfigError(f"track: no installed package has a tracker named {tracking.plugin.name!r}")
    tracker: Tracker = make(tracking.plugin.options)
    return tracker


def refuse_without_extra(tracking: Tracking) -> None:
    """Raise `MissingExtraError` for a required tracker whose library is not installed, before any work."""
    if tracking.chosen.required and tracking.name in _EXTRAS and find_spec(_EXTRAS[tracking.name]) is None:
        raise missing_extra(tracking.name, tracking.name)
