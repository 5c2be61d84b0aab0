"""Count that results are compared with a baseline, if its folder has a ledger of looks; and say what a correction would cost."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import NormalDist
from typing import Final

from ..results.result import Result
from ..stats.concluding import plain
from ..storage.looks import LOOKS, add_looks, has_ledger
from ..storage.places import NO_OPTIONS, place_of
from ..storage.result_folder import read_manifest
from ..support.errors import OutputError, RecevalError

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
    *,
    one_sided: bool = False,
) -> tuple[str, ...]:
    """Count a look of each result at each baseline whose folder has a ledger; return sentences, from the tenth look on.

    `baselines` are `[LABEL=]DIR`, relative to `folder`, or names of models; `p_values` those of what is shown, at the level `alpha`. What
    cannot be counted is said, and changes nothing else. `one_sided`: what is shown has one-sided bounds, as that of gates.
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
            why = f"{error.message}; its {LOOKS} must be writable" if isinstance(error, OutputError) else error
            said.append(f"warning: this look at the baseline {text} is not counted: {why}")
            continue
        said += [_sentence(text, look, p_values, alpha, one_sided=one_sided)] if look >= FROM else []
    return tuple(said)


def _sentence(baseline: str, look: int, p_values: Sequence[float], alpha: float, *, one_sided: bool) -> str:
    level, normal, sides = level_of_look(alpha, look), NormalDist(), 1 if one_sided else 2
    wider = normal.inv_cdf(1 - level / sides) / normal.inv_cdf(1 - alpha / sides)
    wide = f"bounds {plain(wider, 1)} times as far from the value" if one_sided else f"intervals {plain(wider, 1)} times as wide"
    left = sum(p <= level for p in p_values)
    remain = f"; {left} of {len(p_values)} shown results would remain" if p_values else ""
    return (
        f"look {look} at the baseline {baseline}: of so many looks at the same users, some may find by chance what is not there. Corrected "
        f"for all looks, this one has the level {plain(level)} instead of {plain(alpha)}: {wide}{remain}"
    )
