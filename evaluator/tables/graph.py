"""Tables on demand: each is declared beside the function that computes it, with the tables it uses, and computed once per part."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping
from functools import cache
from typing import Any, Final, NamedTuple, TypeVar

from msgspec import Struct, field

from ..conventions.axis import Lists, Truth
from ..syntax.measure_strings import Scalar

Sentence = Callable[[int, int], str]
"""Function that writes the sentence of a remark from two numbers: affected rows, and all rows; an empty one is not shown."""

NOTE_SENTENCES: Final[dict[str, Sentence]] = {}
"""Sentence of each kind of remark, in the order in which remarks are shown."""


def note_sentence(key: str, sentence: Sentence) -> None:
    """Declare the sentence of the remarks that are counted under `key`; `ValueError` if the key is already declared."""
    if key in NOTE_SENTENCES:
        raise ValueError(f"there is a note {key!r} already")
    NOTE_SENTENCES[key] = sentence


class Notes(Struct, eq=False):
    """Remarks that were counted while tables were computed.

    `counts` has, for each kind of remark and each table that counted it, the number of affected rows (`n`) and of all rows (`total`).
    Counts of different parts add up.
    """

    counts: dict[tuple[str, Hashable], tuple[int, int]] = field(default_factory=dict)

    def about(self, table: Hashable) -> TableNotes:
        """Return the notes of one table; `table` is a key that no other table of the part has."""
        return TableNotes(self, table)

    def add(self, key: str, table: Hashable, n: int, total: int) -> None:
        """Count one remark on a table of a part; a second count for the same table, under another choice of lists or truth, is ignored."""
        self.counts.setdefault((key, table), (n, total))

    def merge(self, other: Notes) -> Notes:
        """Return the remarks on two different parts together."""
        together = dict(self.counts)
        for about, (n, total) in other.counts.items():
            before, total_before = together.get(about, (0, 0))
            together[about] = (before + n, total_before + total)
        return Notes(together)


class TableNotes(Struct, frozen=True, eq=False):
    """Remarks on one table of a part: the argument `notes` of its function."""

    notes: Notes
    table: Hashable

    def count(self, key: str, n: int, total: int) -> None:
        """Count a remark on `n` of `total` rows. Call it for every part, also if `n` is 0."""
        self.notes.add(key, self.table, n, total)


def sentences(notes: Notes) -> list[str]:
    """Return the sentence of each kind of remark with at least one row, in the order of declaration.

    If several tables count the same kind, such as the same lists at several cut-offs, the one with the most rows is used.
    """
    shown = []
    for declared, sentence in NOTE_SENTENCES.items():
        about = [(total, n) for (key, _), (n, total) in notes.counts.items() if key == declared and n]
        if about:
            total, n = max(about)
            shown.append(sentence(n, total))
    return [sentence for sentence in shown if sentence]


Maker = TypeVar("Maker", bound=Callable[..., Any])

CHOICES: Final = ("lists", "truth", "positions")
"""Settings that tables may vary with: how lists are ranked, what is relevant, and at which positions hits count."""
INPUTS: Final = frozenset({"part", "prepared", "notes"})
"""Inputs that every table may use: the users of the part with their rows, the values known before, and the notes for its remarks."""


class Choice(NamedTuple):
    """One combination of settings under which a table is computed."""

    lists: Lists | None = None
    truth: Truth | None = None
    positions: str | None = None


NO_CHOICE: Final = Choice()


class Key(NamedTuple):
    """Unique key of a table within a part: its name, the choices that it varies with, and its parameters."""

    name: str
    choice: Choice
    params: tuple[tuple[str, Scalar], ...]


class TableKind(Struct, frozen=True):
    """Declaration of a table.

    `uses` are the tables and inputs that its function takes by name, `params` the parameters that it takes; `varies` are the choices that
    it reads itself; `reads_scores` is true if it reads the scores of the lists, not only their ranks. `title` says to people what its rows
    are, or what is counted of each user; `columns` are the columns worth showing. A table without a title is never shown.
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
    """Declare a table, which the decorated function computes from the tables that it uses.

    The function takes each of `uses`, each choice that it `varies` with and each of `params` as an argument of that name; further
    parameters are passed on to the tables that it uses. `ValueError` if the table is already declared.
    """

    def declare(make: Maker) -> Maker:
        if name in TABLES or name in INPUTS:
            raise ValueError(f"there is a table {name!r} already")
        texts = (tuple(columns), title)
        TABLES[name] = TableKind(name, make, tuple(uses), tuple(params), tuple(varies), *texts, reads_scores)
        return make

    return declare


@cache
def closure(names: tuple[str, ...] | frozenset[str]) -> frozenset[str]:
    """Return the tables called `names`, and all tables and inputs that they use, directly or indirectly."""
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
    """Return the choices that a table depends on, itself or through the tables that it uses."""
    return frozenset(choice for used in closure((name,)) if used in TABLES for choice in TABLES[used].varies)


@cache
def takes(name: str) -> frozenset[str]:
    """Return the parameters that a table takes, itself or for the tables that it uses."""
    return frozenset(param for used in closure((name,)) if used in TABLES for param in TABLES[used].params)


def _identity(table: Any) -> Hashable:
    """Return what tells a table from others as long as it lives; tables in a tuple are told apart by themselves."""
    return tuple(map(id, table)) if isinstance(table, tuple) else id(table)


class Tables:
    """The tables of one part, each computed at first use; `inputs` are the inputs that every table may use."""

    def __init__(self, inputs: Mapping[str, Any]) -> None:
        self._inputs = inputs
        self._tables: dict[Key, Any] = {}
        self._of_same: dict[Hashable, tuple[Any, Collection[Any]]] = {}
        self._asked: dict[Hashable, Any] = {}  # as most tables are asked for many times, and what they depend on takes long to find

    def key(self, name: str, choice: Choice, params: Mapping[str, Scalar]) -> Key:
        """Return the unique key of a table: its name with only the choices and parameters that it depends on."""
        varies = varies_with(name)
        only = choice._replace(**{field: None for field in CHOICES if field not in varies})
        own = takes(name)
        return Key(name, only, tuple(sorted((param, value) for param, value in params.items() if param in own)))

    def get(self, name: str, choice: Choice = NO_CHOICE, **params: Scalar) -> Any:
        """Return the table called `name` under a choice; `KeyError` if the table does not exist or a parameter is missing."""
        asked = name, choice, *params.items()
        if asked in self._asked:
            return self._asked[asked]
        if name in self._inputs:
            return self._inputs[name]
        key = self.key(name, choice, params)
        if key not in self._tables:
            kind = TABLES[name]
            given = {used: self._notes_about(key) if used == "notes" else self.get(used, choice, **params) for used in kind.uses}
            given |= {varied: getattr(choice, varied) for varied in kind.varies}
            given |= {param: params[param] for param in kind.params}
            self._tables[key] = kind.make(**given) if "notes" in kind.uses else self._made_once(kind, given)
        self._asked[asked] = self._tables[key]
        return self._tables[key]

    def _made_once(self, kind: TableKind, given: Mapping[str, Any]) -> Any:
        """Return a table from what its function takes; choices under which this is the same share the table."""
        values = (*kind.varies, *kind.params)
        key = kind.name, tuple(given[name] if name in values else _identity(given[name]) for name in given)
        if key not in self._of_same:
            self._of_same[key] = kind.make(**given), given.values()  # what is kept has no other id
        return self._of_same[key][0]

    def _notes_about(self, key: Key) -> TableNotes:
        """Return the notes in which the function of a table counts remarks; they are lost if there is no input called `notes`."""
        notes: Notes = self._inputs.get("notes") or Notes()
        return notes.about((key.name, key.params))

    def replace(self, name: str, choice: Choice, replacement: Any, **params: Scalar) -> None:
        """Replace a table by another one."""
        self._tables[self.key(name, choice, params)] = replacement
        self._asked.clear()

    def variant(self, name: str, replacements: Mapping[Choice, Any]) -> Tables:
        """Return the same tables with others called `name` for the choices of `replacements`; tables that use them are computed again."""
        other = Tables({**self._inputs, "notes": Notes()})
        other._tables = {key: table for key, table in self._tables.items() if name not in closure((key.name,))}
        for choice, replacement in replacements.items():
            other.replace(name, choice, replacement)
        return other
