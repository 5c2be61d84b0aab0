"""Values and comments as they are written into a config file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import yaml

from .. import yaml_text as text


def moved_path(path: Any, start: Path, folder: Path | None) -> Any:
    """A path that is relative to `start` as seen from `folder`."""
    if isinstance(path, list):
        return [moved_path(single, start, folder) for single in path]
    if folder is None or not isinstance(path, str) or path == "-" or "://" in path or os.path.isabs(path):
        return path
    return os.path.relpath(os.path.join(os.path.abspath(start), path), os.path.realpath(folder))


def plain(comment: str) -> str:
    """A comment without letters that could end it."""
    return "".join(letter if letter.isprintable() else " " for letter in comment)


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: yaml.SafeDumper, given: str) -> yaml.ScalarNode:
    """Text that YAML 1.2 would read as something else, or on several lines, is quoted; `$` is doubled: one would name a variable."""
    style = None if isinstance(text.scalar(given), str) and given.isprintable() else '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", given.replace("$", "$$"), style=style)


_Dumper.add_representer(str, _text)


def as_key(name: str) -> str:
    """A key: in keys no variable is looked for, so `$` stays as it is."""
    return flow(name).replace("$$", "$")


def flow(value: Any) -> str:
    """A value on one line."""
    written = yaml.dump(value, Dumper=_Dumper, default_flow_style=True, sort_keys=False, allow_unicode=True, width=float("inf"))
    return written.removesuffix("\n").removesuffix("\n...").strip()
