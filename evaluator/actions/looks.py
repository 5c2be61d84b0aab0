"""Count that results are compared with a baseline, if its folder has a ledger of looks; and say what a correction would cost."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import NormalDist
from typing import Final

from ..results.result import Result
from ..stats.concluding import plain
from ..storage.looks import add_looks, has_ledger
from ..storage.places import NO_OPTIONS, place_of
from ..storage.result_folder import read_manifest
from ..support.errors import RecevalError

FROM: Final = 10
"""The look from which a verdict says its number."""


def level_of_look(alpha: float, look: int) -> float:
    """Return the level of one of many looks, 6α / (π²·look²): all of them together, however many, have the level α."""
    return 6 * alpha / (math.pi**2 * look**2)


def counted(
    baselines: Iterable[str],
    results: Iterable[Result],
    p_values: Sequence[float],
    alpha: float,
    folder: Path = Path(),
    storage: Mapping[str, str] = NO_OPTIONS,
) -> tuple[str, ...]:
    """Count a look of each result at each baseline whose folder has a ledger; return sentences, from the tenth look on.

    `baselines` are `[LABEL=]DIR`, relative to `folder`, or names of models; `p_values` those of what is shown, at the level `alpha`. What
    cannot be counted is said, and changes nothing else.
    """
    looked, said = [result.run_id for result in results], []
    for text in dict.fromkeys(baselines):
        place = place_of(text.rpartition("=")[2], folder, storage)
        if not has_ledger(place):
            continue
        try:
            baseline = str(read_manifest(place).content.get("run_id", ""))
            look = add_looks(place, baseline, [run for run in looked if run != baseline])
        except RecevalError as error:
            said.append(f"warning: this look at the baseline {text} is not counted: {error}")
            continue
        said += [_sentence(text, look, p_values, alpha)] if look >= FROM else []
    return tuple(said)


def _sentence(baseline: str, look: int, p_values: Sequence[float], alpha: float) -> str:
    level, normal = level_of_look(alpha, look), NormalDist()
    wider = normal.inv_cdf(1 - level / 2) / normal.inv_cdf(1 - alpha / 2)
    left = sum(p <= level for p in p_values)
    remain = f"; {left} of {len(p_values)} shown results would remain" if p_values else ""
    return (
        f"look {look} at the baseline {baseline}: of so many looks at the same users, some find by chance what is not there. Corrected for "
        f"all looks, this one has the level {plain(level)} instead of {plain(alpha)}: intervals {plain(wider, 1)} times as wide{remain}"
    )
