"""`Request`: what is evaluated and how, free of paths: sources may be files that a config names, or frames in memory."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

from msgspec import Struct, field

from ..checks import CheckSetting
from ..config import Loaded, missing
from ..config.data_sources import InMemory
from ..config.judgement import Compare, Gates
from ..config.run_sections import EngineChoice
from ..config.whole_config import Evaluation
from ..errors import ConfigError
from ..metrics.definition import Definition
from ..parts.spark.session import SparkSession
from .inputs import Inputs, look_at_everything
from .looking import deepest

_COMPARE: Final = Compare()
_GATES: Final = Gates()
Look = Callable[[Collection[str], ExitStack, SparkSession | None], Inputs]
"""Looks at the sources that are needed, on Spark where they are tables of it; what has to be tidied up after the run goes to the stack."""


class Request(Struct, frozen=True):
    """What is evaluated, and how.

    `look` gives the sources, `lacking` the sentences for what a measure needs and the sources do not give. `description` is the request
    as results repeat it; paths in messages are seen from `folder`.
    """

    evaluation: Evaluation
    health: Mapping[str, CheckSetting]
    engine: EngineChoice
    look: Look
    lacking: Callable[[Definition], Iterable[str]]
    description: Mapping[str, Any]
    folder: Path
    compare: Compare = _COMPARE
    gates: Gates = _GATES
    category_columns: tuple[str, ...] = ()
    split: str | None = None
    """What separates the categories of an item in a single column."""
    runs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Of models with several runs what each run is evaluated as."""
    remarks: tuple[str, ...] = ()
    """What to say of the request itself in results."""
    spark_frame: Any = None
    """A DataFrame of Spark among the sources, if there is one."""
    variables: Mapping[str, str] = field(default_factory=dict)
    """What came from the environment → how results show it."""

    @classmethod
    def of(cls, loaded: Loaded, *, whole_lists: bool = False) -> Request:
        """The request of a config with one test set; `ConfigError` if it has folds.

        With `whole_lists` the lists of a matrix of scores have every item, and otherwise those that a measure may look at.
        """
        if loaded.folds:
            raise ConfigError(
                f"{loaded.name or 'the config'}: data.folds are for receval run and receval check", "give the files of one fold instead"
            )
        config = loaded.config
        items, frames = config.data.items, (source.frame for _, source in config.data.sources())
        depth = None if whole_lists else deepest(config.evaluation)
        return cls(
            evaluation=config.evaluation,
            health=config.health.settings,
            engine=config.engine,
            look=lambda needs, stack, session: look_at_everything(loaded, frozenset(needs), stack, session, depth),
            lacking=lambda definition: missing(definition, config.data),
            description=loaded.resolved(),
            folder=loaded.folder,
            compare=config.compare,
            gates=config.gates,
            category_columns=items.category_columns if items is not None else (),
            split=items.split if items is not None else None,
            runs=config.data.runs,
            remarks=(loaded.doubt,) if loaded.doubt else (),
            spark_frame=next((frame.rows for frame in frames if isinstance(frame, InMemory) and frame.is_of_spark), None),
            variables=loaded.variables,
        )
