"""What `receval init` guessed of files → the text of a config with comments."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from .. import yaml_text as text
from ..config.loader import check
from ..config.places import Places
from ..errors import ConfigError
from .records import Entry, Guess
from .yaml_values import as_key, flow, moved_path, plain

_HEAD = """\
# Written by `receval init`: guesses, each with its reason. Correct what is wrong; `receval validate` checks it, `receval run` evaluates.
# Paths are relative to {where}.
"""
_TAIL = """\
# output: {dir: results/}  # write the values in all formats, and a manifest, into this folder
"""


def guessed(guess: Guess, folder: Path | None = None) -> str:
    """The config that `guess` says, with paths as seen from `folder`, or from here if not given.

    Raises `ConfigError` if it is no valid config, which would be a bug.
    """
    written = "".join(f"{line}\n" for line in (*_data(guess, folder), *_evaluation(guess)))
    where = "this file" if folder is not None else "the folder in which init ran: save it there"
    modeline = "# yaml-language-server: $schema=receval.schema.json\n" if _has_schema(folder) else ""
    complete = modeline + _HEAD.format(where=where) + written + _TAIL
    document = text.read(complete, {})
    if document.problems:
        raise ConfigError([f"the guessed config, line {line}: {message}" for (line, _), message in document.problems])
    check(document.value, Places("the guessed config", document), folder or Path())
    return complete


def _has_schema(folder: Path | None) -> bool:
    return ((folder or Path()) / "receval.schema.json").is_file()


def _data(guess: Guess, folder: Path | None) -> Iterator[str]:
    spare = guess.others
    yield "data:"
    for key, entry in guess.data.items():
        yield f"  {key}: {_source(entry, folder)}"
        yield from (f"  # {key}: {_source(other, folder)}" for other_key, other in spare if other_key == key)
    yield from (f"  # {key}: {_source(other, folder)}" for key, other in spare if key not in guess.data)
    yield "  recommendations:"
    yield from (f"    {as_key(name)}: {_source(entry, folder)}" for name, entry in guess.models.items())


def _source(entry: Entry, folder: Path | None) -> str:
    """A source on one line: its path alone where nothing else is to be said, and the comment."""
    path = moved_path(entry.file.glance.given, start=Path(), folder=folder)
    path = "./-" if path == "-" else path
    given: Any = {"path": path, **{key: value for key, value in entry.keys.items() if value not in ({}, None)}}
    return f"{flow(given if len(given) > 1 else path)}  # {plain(entry.comment)}"


def _evaluation(guess: Guess) -> Iterator[str]:
    yield "evaluation:"
    relevance = partial("  {}relevance: {{threshold: {}}}  # {}".format)
    yield plain(relevance("" if guess.threshold else "# ", f"{guess.threshold:g}" if guess.threshold else "N", guess.on_relevance))
    yield plain(f"  top_k: {flow(list(guess.top_k))}  # {guess.on_top_k}; none: the whole list")
    yield "  metrics:  # receval metrics lists all"
    yield from (f"    - {name}" + (f"  # {comment}" if comment else "") for name, comment in guess.metrics)
