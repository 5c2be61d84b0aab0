"""`FoundSettings`: the combinations of convention and settings that print a number, as few boxes of settings as possible."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from msgspec import Struct

FORMAT_VERSION: Final = 1
"""The version of the JSON form."""
CONVENTION: Final = "convention"
"""The setting that names the convention, the first of every combination."""

Combination = tuple[str, ...]
"""A value of each setting that was searched, the convention first."""
Settings = tuple[frozenset[str], ...]
"""Values of each setting: all their combinations."""


class SettingMatch(Struct, frozen=True):
    """Combinations that print one value: all those of `settings`, which maps each setting to its values.

    `written` is the measure that has this value in the config as it is, with the fewest changes.
    """

    value: float
    measure: str
    model: str
    settings: Mapping[str, tuple[str, ...]]
    written: str


class FoundSettings(Struct, frozen=True, omit_defaults=True):
    """The combinations of settings that print the number `wanted` (`exact`), or those with the nearest values.

    A value matches if it differs by at most `tolerance`, half a unit of the last digit; `percent`: the number is a percentage. `searched`
    maps each setting to the values that were tried. Of all measures together, `n_combinations` were tried; `n_different` of them differ in
    a setting that the measure reads, and `n_values` is the number of different values of a model. `n_printing` combinations print the
    number; `by_chance` values would if those of each measure and model lay evenly between the lowest and the highest. `remarks` say which
    settings were left out, and why. `without` is a setting of the config without which the number is printed.
    """

    wanted: str
    tolerance: float
    matches: tuple[SettingMatch, ...]
    exact: bool
    percent: bool
    searched: Mapping[str, tuple[str, ...]]
    n_combinations: int
    n_different: int
    n_values: int
    n_printing: int
    by_chance: float
    remarks: tuple[str, ...] = ()
    without: str = ""


def boxes(combinations: Iterable[Combination]) -> list[Settings]:
    """Return sets of values of each setting whose combinations are the given ones, each once; few sets, but not always the fewest.

    One setting after the other, combinations that differ only in its value are joined; the last setting is the first to be joined, so that
    conventions are joined when the rest is.
    """
    joined: list[Settings] = [tuple(frozenset((value,)) for value in combination) for combination in dict.fromkeys(combinations)]
    for place in reversed(range(len(joined[0]))) if joined else ():
        by_rest: dict[Settings, set[str]] = {}
        for box in joined:
            by_rest.setdefault((*box[:place], *box[place + 1 :]), set()).update(box[place])
        joined = [(*rest[:place], frozenset(values), *rest[place:]) for rest, values in by_rest.items()]
    return joined
