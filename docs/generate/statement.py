"""A statement of a document that receval was built from, and its demonstration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

CONFIG = "docs/seeds/seeds.yaml"


@dataclass(frozen=True)
class Statement:
    """A statement of a document, how receval does the same, and its demonstration: metrics under a convention, a command, or Python.

    A statement without a demonstration is one that receval does not fulfil: the page lists it as such.
    """

    says: str
    how: str
    metrics: Sequence[str] = ()
    convention: str = "receval"
    command: Sequence[str] = ()
    python: str = ""
    """Lines of Python; the last is an expression."""
    n_blocks: int = 1
    """Number of blocks of the output, separated by empty lines, that are shown."""

    @property
    def is_shown(self) -> bool:
        """Return whether there is a demonstration."""
        return bool(self.metrics or self.command or self.python)

    def words(self) -> list[str]:
        """Return the words of the command after `receval`."""
        if not self.metrics:
            return list(self.command)
        chosen = [] if self.convention == "receval" else ["--set", f"evaluation.convention={self.convention}"]
        return ["run", CONFIG, *chosen, "--set", f"evaluation.metrics=[{', '.join(self.metrics)}]", *self.command]
