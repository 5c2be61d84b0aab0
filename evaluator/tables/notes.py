"""Remarks on the data that makers of tables count: counts that merge over parts, and the sentences made of them at the end."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Final

from msgspec import Struct, field

Sentence = Callable[[int, int], str]
"""Makes the sentence of a remark from its two numbers: how many rows it is about, of how many."""

NOTE_SENTENCES: Final[dict[str, Sentence]] = {}
"""The sentence of every kind of remark, in the order in which remarks are shown."""


def note_sentence(key: str, sentence: Sentence) -> None:
    """Declare the sentence of the remarks that are counted under `key`; `ValueError` if there is one already."""
    if key in NOTE_SENTENCES:
        raise ValueError(f"there is a note {key!r} already")
    NOTE_SENTENCES[key] = sentence


class Notes(Struct, eq=False):
    """Remarks that were counted while tables were made.

    `counts` has, for each kind of remark and each table that made it, how many rows it is about (`n`) and of how many (`total`). Counts
    of different parts add up.
    """

    counts: dict[tuple[str, Hashable], tuple[int, int]] = field(default_factory=dict)

    def about(self, table: Hashable) -> TableNotes:
        """What the maker of one table is given; `table` tells it from all other tables of a part."""
        return TableNotes(self, table)

    def add(self, key: str, table: Hashable, n: int, total: int) -> None:
        """Count one remark on a table of a part; what the same table counts under another choice of lists or truth is not added."""
        self.counts.setdefault((key, table), (n, total))

    def merged(self, other: Notes) -> Notes:
        """The remarks on two different parts together."""
        together = dict(self.counts)
        for about, (n, total) in other.counts.items():
            before, total_before = together.get(about, (0, 0))
            together[about] = (before + n, total_before + total)
        return Notes(together)


class TableNotes(Struct, frozen=True, eq=False):
    """The remarks on one table of a part: what its maker takes as `notes`."""

    notes: Notes
    table: Hashable

    def count(self, key: str, n: int, total: int) -> None:
        """Count a remark about `n` of `total` rows. It must be called for every part, also where `n` is 0."""
        self.notes.add(key, self.table, n, total)


def sentences(notes: Notes) -> list[str]:
    """The sentence of every kind of remark about at least one row, in the order in which the kinds were declared.

    Of tables of one kind, such as the same lists at several cut-offs, the one with the most rows speaks for all.
    """
    shown = []
    for declared, sentence in NOTE_SENTENCES.items():
        about = [(total, n) for (key, _), (n, total) in notes.counts.items() if key == declared and n]
        if about:
            total, n = max(about)
            shown.append(sentence(n, total))
    return shown
