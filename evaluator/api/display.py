"""`Displayed`: a record that prints as the command line prints it, and that a notebook shows as tables."""

from __future__ import annotations

from typing import Any, Final, Self

from msgspec import Struct
from msgspec.structs import asdict

from ..documents.document import Document
from ..render.html import for_notebook
from ..render.screen import show
from ..render.terminal import PlainText
from ..support.errors import ConfigError

OF_ROWS: Final = "train and test rows"
"""What `show` is the number of for a user."""


class Displayed:
    """The display of a record, which a subclass has beside its record: its `_document`, and that of a notebook if it is another."""

    __slots__ = ()

    @classmethod
    def of_record(cls, record: Struct, **more: Any) -> Self:
        """Return a record with its display; `more` are the fields that only the displayed record has."""
        make: Any = cls
        made: Self = make(**{**asdict(record), **more})
        return made

    def _document(self) -> Document:
        raise NotImplementedError

    def _in_notebook(self) -> Document:
        return self._document()

    def __repr__(self) -> str:
        """Return the text that the command line prints."""
        return show(self._document(), PlainText()).rstrip("\n")

    def _repr_html_(self) -> str:
        """Return the tables for a notebook, without scripts and with their own class names."""
        return for_notebook(self._in_notebook())


class WithCells(Displayed):
    """A displayed record that is also plain values."""

    __slots__ = ()

    def _cells(self) -> dict[str, Any]:
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, as in `--format json`."""
        return self._cells()


def number_shown(show: int, what: str) -> int:
    """Return the number of rows or users to show; raise `ConfigError` if it is none."""
    if isinstance(show, bool) or not isinstance(show, int) or show < 0:
        raise ConfigError(f"show must be the number of {what}, a whole number from 0, not {show!r}")
    return show
