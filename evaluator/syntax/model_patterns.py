"""Choose models by their names and by patterns such as `bpr*`; name their runs by seeds."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from fnmatch import fnmatchcase
from typing import Final

from ..support.synonyms import nearest, question

_MOST_NAMES: Final = 8
"""Number of names that the error for an unknown one lists."""


def chosen_models(patterns: Iterable[str], names: Collection[str], also: Collection[str] = ()) -> tuple[str, ...]:
    """Return the names that are given or that fit a pattern, in their own order, with those of `also`; a text may have several, `A,B`.

    Raises `ValueError` with the nearest names for a text that fits none.
    """
    chosen = {*also}
    for pattern in (part for text in patterns for part in ([text] if text in names else text.split(","))):
        pattern = pattern.strip()
        fitting = [pattern] if pattern in names else [name for name in names if fnmatchcase(name, pattern)]
        if not fitting and pattern not in also:
            raise ValueError(_no_such_model(pattern, names))
        chosen |= {*fitting}
    return tuple(name for name in names if name in chosen)


def names_of_runs(paths: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Return the names of runs: the seeds, if the files of the runs differ only in a whole number; else 1, 2, and so on.

    `paths` are the files of each run: `als_0.csv` and `als_42.csv` are the runs 0 and 42.
    """
    pieces = [re.split(r"(\d+)", " ".join(of_run)) for of_run in paths]
    columns = zip(*pieces, strict=True) if len({*map(len, pieces)}) == 1 else ()
    varying = [column for column in columns if len({*column}) > 1]
    if len(varying) == 1 and len({*varying[0]}) == len(paths) and all(seed.isdecimal() for seed in varying[0]):
        return varying[0]
    return tuple(str(number) for number in range(1, len(paths) + 1))


def _no_such_model(pattern: str, names: Collection[str]) -> str:
    lower = {name.lower(): name for name in names}
    near = [lower[close] for close in nearest(pattern.lower(), lower, most=3)]
    listed = [*names][:_MOST_NAMES]
    more = f" and {len(names) - len(listed)} more" if len(names) > len(listed) else ""
    meant = question(*near) if near else f"the models are {', '.join(listed)}{more}"
    is_pattern = not {"*", "?", "["}.isdisjoint(pattern)
    return f"{'no model fits' if is_pattern else 'there is no model named'} '{pattern}': {meant}"
