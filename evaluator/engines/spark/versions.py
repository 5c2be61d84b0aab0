"""Versions of workers and of this process; other versions may put users into other parts, or compute other values."""

from __future__ import annotations

from importlib.metadata import version

from msgspec import Struct


class OtherVersions(Exception):
    """A worker has other versions than the process that started the evaluation."""


class Versions(Struct, frozen=True):
    """Versions of receval and of Polars."""

    receval: str
    polars: str

    @classmethod
    def installed(cls) -> Versions:
        """Return the versions of this process."""
        return cls(version("receval"), version("polars"))

    def check(self) -> None:
        """Raise `OtherVersions` if this process has others."""
        here = Versions.installed()
        if here != self:
            raise OtherVersions(f"the Spark workers have {here}, where this process has {self}")

    def __str__(self) -> str:
        return f"receval {self.receval} with Polars {self.polars}"
