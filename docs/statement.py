"""A statement of a document that receval was built from, and what shows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

CONFIG = "docs/seeds/seeds.yaml"


@dataclass(frozen=True)
class Statement:
    """A statement of a document, how receval does it, and what shows it: metrics under a convention, a command, or Python.

    What nothing shows is not there: the page lists it as such.
    """

    says: str
    how: str
    metrics: Sequence[str] = ()
    convention: str = "receval"
    command: Sequence[str] = ()
    python: str = ""
    """Lines of Python; the last is an expression."""
    n_blocks: int = 1
    """How many blocks of what it prints, with an empty line between, are shown."""

    @property
    def is_there(self) -> bool:
        """Whether something shows it."""
        return bool(self.metrics or self.command or self.python)

    def words(self) -> list[str]:
        """The words of the command after `receval`."""
        if not self.metrics:
            return list(self.command)
        chosen = [] if self.convention == "receval" else ["--set", f"evaluation.convention={self.convention}"]
        return ["run", CONFIG, *chosen, "--set", f"evaluation.metrics=[{', '.join(self.metrics)}]", *self.command]
