"""A guessed config: the entries of its data section, the evaluation, and what is uncertain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from .classification import ClassifiedFile
from .proposals import Proposal, TimeSplit


class SourceEntry(Struct, frozen=True):
    """The entry of one file in the data section of a config: its keys (without `path`) and a comment.

    `alternatives` are other readings, each with the keys that choose it; without one of them a run asks. `doubt` is what a person should
    confirm.
    """

    file: ClassifiedFile
    keys: Mapping[str, Any]
    comment: str
    alternatives: tuple[tuple[Mapping[str, Any], str], ...] = ()
    doubt: str = ""


class GuessedConfig(Struct, frozen=True):
    """The parts of a guessed config, a description of every file, and what is uncertain.

    `data` is by key of the data section, `models` by name of the model. `alternatives` are files that could have a key instead.
    `threshold`, `top_k` and `metrics` have their reasons; `where` is a possible filter of the test set, with the values of its column.
    `split` splits a log without a train set by its times; `proposals` are lines to uncomment.
    `folds` are the names that replace {fold} in paths. `drops` is true if rows without a number must be left out.
    `descriptions` are pairs of a file and its use, and `shared` what files of many models have in common. `problem` says why no config can
    be written; then `data` and `models` are empty, and `unread` is a folder whose own folders were not looked at, after the folder of the
    first level that leads to it. `files` are those that were read.
    """

    data: Mapping[str, SourceEntry] = field(default_factory=dict)
    models: Mapping[str, SourceEntry] = field(default_factory=dict)
    alternatives: tuple[tuple[str, SourceEntry], ...] = ()
    threshold: tuple[float | None, str] = (None, "")
    top_k: tuple[tuple[int, ...], str] = ((), "")
    where: tuple[str, str] | None = None
    split: TimeSplit | None = None
    proposals: tuple[Proposal, ...] = ()
    drops: bool = False
    metrics: tuple[tuple[str, str], ...] = ()
    folds: tuple[str, ...] = ()
    descriptions: tuple[tuple[str, str], ...] = ()
    shared: Mapping[str, str] = field(default_factory=dict)
    doubts: tuple[str, ...] = ()
    problem: str = ""
    unread: tuple[str, str] | None = None
    files: tuple[str, ...] = ()
