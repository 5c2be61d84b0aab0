"""Tables on demand: each is declared beside its maker, with what it is made of, made once for a part; makers count remarks."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping
from functools import cache
from typing import Any, Final, NamedTuple, TypeVar

from msgspec import Struct, field

from ..conventions.axis import Lists, Truth
from ..names.measure_strings import Scalar

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


Maker = TypeVar("Maker", bound=Callable[..., Any])

CHOICES: Final = ("lists", "truth", "positions")
"""What tables may vary with: how lists are read, what is relevant, and where hits stand."""
INPUTS: Final = frozenset({"part", "prepared", "notes"})
"""What every table may use: the users of the part with their rows, what was known before, and where remarks on the table are counted."""


class Choice(NamedTuple):
    """Which of the possible readings of the files a table is about."""

    lists: Lists | None = None
    truth: Truth | None = None
    positions: str | None = None


NO_CHOICE: Final = Choice()


class Key(NamedTuple):
    """What tells one table of a part from all others: its name, the choices that it varies with, and its parameters."""

    name: str
    choice: Choice
    params: tuple[tuple[str, Scalar], ...]


class TableKind(Struct, frozen=True):
    """What is known of a table before it is made.

    `uses` are the tables and inputs that its maker takes by name, `params` the parameters that it takes; `varies` are the choices that
    it looks at itself, and `reads_scores` says that it looks at the scores of the lists, not only at their ranks. `title` says to people
    what its rows are, or what is counted of each user, and `columns` which columns of it are worth showing; a table without a title is
    made of others only, or tells people nothing.
    """

    name: str
    make: Callable[..., Any]
    uses: tuple[str, ...]
    params: tuple[str, ...]
    varies: tuple[str, ...]
    columns: tuple[str, ...]
    title: str
    reads_scores: bool = False


TABLES: Final[dict[str, TableKind]] = {}


def table(
    name: str,
    *,
    uses: Collection[str] = (),
    params: Collection[str] = (),
    varies: Collection[str] = (),
    columns: Collection[str] = (),
    title: str = "",
    reads_scores: bool = False,
) -> Callable[[Maker], Maker]:
    """Declare the table that the decorated function makes of the tables that it uses.

    The maker takes each of `uses`, of the choices that it `varies` with, and of `params` as an argument of that name; parameters that it
    does not give a table that it uses are passed on to it. `ValueError` if there is such a table already.
    """

    def declare(make: Maker) -> Maker:
        if name in TABLES or name in INPUTS:
            raise ValueError(f"there is a table {name!r} already")
        texts = (tuple(columns), title)
        TABLES[name] = TableKind(name, make, tuple(uses), tuple(params), tuple(varies), *texts, reads_scores)
        return make

    return declare


def closure(names: Collection[str]) -> frozenset[str]:
    """The tables called `names`, and all that they are made of."""
    names_reached: set[str] = set()
    left = list(names)
    while left:
        name = left.pop()
        if name not in names_reached:
            names_reached.add(name)
            left += TABLES[name].uses if name in TABLES else ()
    return frozenset(names_reached)


@cache
def varies_with(name: str) -> frozenset[str]:
    """The choices that a table depends on, by itself or by what it is made of."""
    return frozenset(choice for used in closure((name,)) if used in TABLES for choice in TABLES[used].varies)


@cache
def takes(name: str) -> frozenset[str]:
    """The parameters that a table takes, by itself or for what it is made of."""
    return frozenset(param for used in closure((name,)) if used in TABLES for param in TABLES[used].params)


class Tables:
    """The tables of one part, each made when it is first asked for; `inputs` has what every table may use."""

    def __init__(self, inputs: Mapping[str, Any]) -> None:
        self._inputs = inputs
        self._made: dict[Key, Any] = {}

    def key(self, name: str, choice: Choice, params: Mapping[str, Scalar]) -> Key:
        """What tells a table from all others."""
        varies = varies_with(name)
        only = choice._replace(**{field: None for field in CHOICES if field not in varies})
        own = takes(name)
        return Key(name, only, tuple(sorted((param, value) for param, value in params.items() if param in own)))

    def get(self, name: str, choice: Choice = NO_CHOICE, **params: Scalar) -> Any:
        """The table called `name` under a choice; `KeyError` if there is no such table, or a parameter is missing."""
        if name in self._inputs:
            return self._inputs[name]
        key = self.key(name, choice, params)
        if key not in self._made:
            kind = TABLES[name]
            given = {used: self._notes_about(key) if used == "notes" else self.get(used, choice, **params) for used in kind.uses}
            given |= {varied: getattr(choice, varied) for varied in kind.varies}
            given |= {param: params[param] for param in kind.params}
            self._made[key] = kind.make(**given)
        return self._made[key]

    def _notes_about(self, key: Key) -> TableNotes:
        """Where the maker of a table counts remarks; without an input called `notes` they are counted for nobody."""
        notes: Notes = self._inputs.get("notes") or Notes()
        return notes.about((key.name, key.params))

    def replace(self, name: str, choice: Choice, made: Any, **params: Scalar) -> None:
        """Put another table in the place of one."""
        self._made[self.key(name, choice, params)] = made

    def variant(self, name: str, made: Mapping[Choice, Any]) -> Tables:
        """The same tables with other ones called `name` under the choices of `made`, and without what was made of the first ones."""
        other = Tables({**self._inputs, "notes": Notes()})
        other._made = {key: table for key, table in self._made.items() if name not in closure((key.name,))}
        for choice, replacement in made.items():
            other.replace(name, choice, replacement)
        return other
