"""`ReadAgain`: what the rows of a source show only while they are read; and the loop that obeys it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from .source import Source

S = TypeVar("S")
T = TypeVar("T")


class ReadAgain(Exception):
    """Forget what was made of a source, and read it again in another way.

    `change` makes the source to read of the one that was read. It is for every source of a run if it is `everywhere`: ids that are text in
    one file are text in all.
    """

    def __init__(self, change: Callable[[Source], Source], *, everywhere: bool = False) -> None:
        super().__init__("a source is to be read again")
        self.change, self.everywhere = change, everywhere


def read_with_retries(sources: S, read: Callable[[S], T], changed: Callable[[S, ReadAgain], S]) -> T:
    """Return what `read` makes of sources, called again as long as it raises `ReadAgain` with what `changed` makes of them.

    This is the only loop: a source is read in it, until its rows say nothing new, and so are all sources of a run together, which begins
    again from the first file where one of them changes how all are read. `changed` raises again what it does not obey.
    """
    while True:
        try:
            return read(sources)
        except ReadAgain as again:
            sources = changed(sources, again)
