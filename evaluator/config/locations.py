"""`Locations`: where in a config file, or on the command line, a value was written."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from ..names import yaml_text as text
from .dialects import Translation


class Locations(Struct, frozen=True):
    """Finds the location of a path of the config.

    A config that is no file has no `name`, and a location in it is the path alone.
    `overridden` maps the paths that the command line gives to the option that gives them; `at` is the path of the evaluation in the file,
    `moved` maps paths to where what stands there was written.
    """

    name: str
    document: text.Document
    translation: Translation = field(default_factory=lambda: Translation(None))
    overridden: dict[text.Path, str] = field(default_factory=dict)
    at: text.Path = ("evaluation",)
    moved: Mapping[text.Path, text.Path] = field(default_factory=dict)

    def of_path(self, path: text.Path, of_key: bool = False) -> str:
        """`config.yaml:12:7: evaluation.metrics[3]`, or the option that gave the value; `path` is in receval's keys."""
        if path[:1] == ("evaluation",):
            path = (*self.at, *self.translation.origin(path[1:]))
        path = (*self.moved.get(path[:2], path[:2]), *path[2:])
        return self.in_file(path, of_key)

    def in_file(self, path: text.Path, of_key: bool = False) -> str:
        """The same for a path in the keys of the file, which may be those of another program."""
        for end in range(len(path), 0, -1):
            if path[:end] in self.overridden:
                return f"{self.overridden[path[:end]]}: {dotted(path)}"
        for origin, where in self.overridden.items():  # an override made what is spoken of
            if path and origin[: len(path)] == path and path not in self.document.positions:
                return f"{where}: {dotted(path)}"
        if not self.name:
            return dotted(path)
        line, column = self.document.position(path, of_key) or (1, 1)
        return f"{self.name}:{line}:{column}: {dotted(path)}" if path else f"{self.name}:{line}:{column}"


def dotted(path: text.Path) -> str:
    """`evaluation.metrics[3]`."""
    shown = "".join(f"[{segment}]" if isinstance(segment, int) else f".{segment}" for segment in path)
    return shown.removeprefix(".") or "the config"
