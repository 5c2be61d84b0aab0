"""Write a guessed config as YAML with comments, and the values, keys and comments of any config."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import yaml

from ..config.loader import check
from ..config.overrides import Locations
from ..errors import ConfigError
from ..names import yaml_text as text
from ..names.short_names import is_address
from .records import GuessedConfig, SourceEntry

_HEAD = """\
# Written by `receval init`: guesses with reasons. Correct what is wrong, check with `receval validate`, then evaluate with `receval run`.
# Paths are relative to {where}.
"""
_TAIL = """\
# output: {dir: results/}  # write values in all formats and a manifest into this folder
"""


def config_text(config: GuessedConfig, folder: Path | None = None) -> str:
    """Return the YAML of a guessed config, with paths relative to `folder`, or to the current folder if not given.

    Raises `ConfigError` if the result is no valid config, which would be a bug.
    """
    body = "".join(f"{line}\n" for line in (*_data(config, folder), *_evaluation(config)))
    where = "this file" if folder is not None else "the folder in which init ran: save it there"
    has_schema = os.path.isfile((folder or Path()) / "receval.schema.json")
    modeline = "# yaml-language-server: $schema=receval.schema.json\n" if has_schema else ""
    complete = modeline + _HEAD.format(where=where) + body + _TAIL
    document = text.read(complete, {})
    if document.problems:
        raise ConfigError([f"the guessed config, line {line}: {message}" for (line, _), message in document.problems])
    check(document.value, Locations("the guessed config", document), folder or Path())
    return complete


def _data(config: GuessedConfig, folder: Path | None) -> Iterator[str]:
    yield "data:"
    for key, entry in config.data.items():
        yield f"  {key}: {_source(entry, folder)}"
        yield from (f"  # {key}: {_source(other, folder)}" for other_key, other in config.alternatives if other_key == key)
    yield from (f"  # {key}: {_source(other, folder)}" for key, other in config.alternatives if key not in config.data)
    yield "  recommendations:"
    yield from (f"    {as_key(name)}: {_source(entry, folder)}" for name, entry in config.models.items())


def _source(entry: SourceEntry, folder: Path | None) -> str:
    """Write a source on one line, as its path alone if it has no other keys, with the comment."""
    keys = {key: value for key, value in entry.keys.items() if value not in ({}, None)}
    query = entry.file.summary.query
    if query is not None:
        uri = f"{query.scheme}:///{moved_path(query.path, start=Path(), folder=folder)}"
        return f"{flow({'uri': uri, 'query': query.statement, **keys})}  # {plain(entry.comment)}"
    path = moved_path(entry.file.summary.path, start=Path(), folder=folder)
    path = "./-" if path == "-" else path
    source: Any = {"path": path, **keys}
    return f"{flow(source if len(source) > 1 else path)}  # {plain(entry.comment)}"


def _evaluation(config: GuessedConfig) -> Iterator[str]:
    yield "evaluation:"
    yield "  convention: receval  # whose definitions to use; receval metrics --conventions lists all"
    relevance = partial("  {}relevance: {{threshold: {}}}  # {}".format)
    yield plain(relevance("" if config.threshold else "# ", f"{config.threshold:g}" if config.threshold else "N", config.threshold_reason))
    yield plain(f"  top_k: {flow(list(config.top_k))}  # {config.top_k_reason}; none means the whole list")
    yield "  metrics:  # receval metrics lists all"
    yield from (f"    - {name}" + (f"  # {comment}" if comment else "") for name, comment in config.metrics)


def moved_path(path: Any, start: Path, folder: Path | None) -> Any:
    """Rewrite a path relative to `start` as one relative to `folder`; without a folder it stays."""
    if isinstance(path, list):
        return [moved_path(single, start, folder) for single in path]
    if folder is None or not isinstance(path, str) or path == "-" or is_address(path) or os.path.isabs(path):
        return path
    return os.path.relpath(os.path.join(os.path.abspath(start), path), os.path.realpath(folder))


def plain(comment: str) -> str:
    """Replace the characters that could end a comment."""
    return "".join(letter if letter.isprintable() else " " for letter in comment)


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: yaml.SafeDumper, given: str) -> yaml.ScalarNode:
    """Quote text that YAML 1.2 would read as something else or on several lines, and double `$`, which would name a variable."""
    style = None if isinstance(text.scalar(given), str) and given.isprintable() else '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", given.replace("$", "$$"), style=style)


_Dumper.add_representer(str, _text)


def as_key(name: str) -> str:
    """Write a key. Variables are not replaced in keys, so `$` is not doubled."""
    return flow(name).replace("$$", "$")


def flow(value: Any) -> str:
    """Write a value on one line."""
    written = yaml.dump(value, Dumper=_Dumper, default_flow_style=True, sort_keys=False, allow_unicode=True, width=float("inf"))
    return written.removesuffix("\n").removesuffix("\n...").strip()
