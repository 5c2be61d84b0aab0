"""What is wrong with a convention file, each with its line."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..names import yaml_text
from ..names.measure_strings import Scalar, cutoff
from .axes import AXES

Rewrite = str | Mapping[Scalar | None, Mapping[str, Scalar]]
"""Another name for a parameter, or what each of its values stands for."""


class Problems:
    """Reads what a convention file says, and collects what cannot be read."""

    def __init__(self, path: Path, document: yaml_text.Document) -> None:
        self.path, self.document = path, document
        self.messages: list[str] = []

    def location(self, where: yaml_text.Path) -> str:
        """The file and the line of a key."""
        line, _ = self.document.position(where, of_key=True) or (1, 1)
        return f"{self.path}:{line}"

    def add(self, where: yaml_text.Path, message: str) -> None:
        """Keep what is wrong at a key."""
        self.messages.append(f"{self.location(where)}: {message}")

    def mapping(self, value: Any, where: yaml_text.Path) -> dict[str, Any]:
        """A value that is to be a mapping; nothing is an empty one."""
        if value is not None and not isinstance(value, dict):
            self.add(where, f"{where[-1]} is a mapping")
            return {}
        return dict(value or {})

    def cutoffs(self, given: Any) -> tuple[int | None, ...]:
        """One cut-off, or a list of them."""
        try:
            return tuple(cutoff(value) for value in (given if isinstance(given, list) else [given]))
        except ValueError as error:
            self.add(("top_k",), f"top_k: {error}")
            return ()

    def axes(self, given: Any, where: yaml_text.Path, allowed: Mapping[str, Any]) -> dict[str, Scalar]:
        """Axis → value, of those axes that are allowed."""
        read: dict[str, Scalar] = {}
        for axis, value in self.mapping(given, where).items():
            if axis not in allowed:
                import difflib

                close = difflib.get_close_matches(str(axis), allowed, n=1)
                self.add((*where, axis), f"no metric has an axis '{axis}'" + (f" — did you mean '{close[0]}'?" if close else ""))
                continue
            try:
                read[axis] = AXES[axis].read(value)
            except ValueError as error:
                self.add((*where, axis), str(error))
        return read

    def rewrite(self, key: str, value: Any) -> Rewrite:
        """What a parameter of the library stands for."""
        if not isinstance(value, dict):
            return str(value)
        for choice, meaning in value.items():
            plain = isinstance(meaning, dict) and all(isinstance(parameter, str | int | float | bool) for parameter in meaning.values())
            if meaning is not None and not plain:
                self.add(("parameters", key, choice), f"{key}={choice} stands for parameters, such as {{denominator: k}}")
        return {yaml_text.scalar(str(choice)): meaning for choice, meaning in value.items() if isinstance(meaning, dict)} | {
            yaml_text.scalar(str(choice)): {} for choice, meaning in value.items() if meaning is None
        }

    def refuse(self) -> None:
        """`ValueError` with all problems, if there are any."""
        if self.messages:
            raise ValueError("\n".join(self.messages))
