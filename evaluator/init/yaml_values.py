"""Write values, keys and comments of a config file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import yaml

from ..names import yaml_text as text
from ..names.short_names import is_address


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
