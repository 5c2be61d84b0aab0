"""Any value of any parameter of any metric is a measure or one sentence, under every convention and with every cut-off.

An eighth of them is tried in the suite, all of them with `RECEVAL_FUZZ_SECONDS` set.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any, Final

import pytest
from receval.config import load_config
from receval.conventions import AXES, PROTOCOL, builtin_names
from receval.metrics import METRICS, Metric
from receval.support.errors import ConfigError

from tests.sizes import draws, half
from tests.variants import VARIANTS, needed

SHARE: Final = 1 if os.environ.get("RECEVAL_FUZZ_SECONDS") else draws(20, 8)
ODD_NUMBERS: Final = (0, 1, -1, 0.5, 2, 1e9, 1e308)
ODD_TEXTS: Final = ("x", "items.price", "rows.rating", "1", "0.5;0.5", "''", "convention")
DATA: Final[Mapping[str, Any]] = {
    "test": {"path": "test.csv", "categories": "c"}, "train": "train.csv",
    "items": {"path": "items.csv", "categories": "c", "vector": "v"},
    "users": "users.csv", "baseline": "base.csv", "previous_policy": "policy.csv", "distances": "distances.csv",
    "predictions": "predicted.csv",
    "recommendations": {"m": "lists.csv"},
}  # fmt: skip


def _written(entry: Metric, params: Mapping[str, Any]) -> str:
    arguments = ",".join(f"{key}={value}" for key, value in params.items())
    return f"{entry.name}({arguments})" if arguments else entry.name


def _every() -> Iterator[str]:
    """Yield every metric with each value of each of its parameters, and with values that none has."""
    for entry in METRICS.values():
        own = needed(entry)
        yield _written(entry, own)
        axes = {**entry.axes, **({axis: axis for axis in PROTOCOL} if entry.name in ("nDCG", "ARP", "ItemCoverage") else {})}
        values: dict[str, tuple[Any, ...]] = {parameter: (*AXES[axis].values, "no-such", 1) for parameter, axis in axes.items()}
        values |= {key: (*ODD_NUMBERS, number.least, number.most, "x") for key, number in entry.numbers.items()}
        values |= dict.fromkeys(entry.texts, ODD_TEXTS)
        yield from (_written(entry, {**own, key: value}) for key, some in values.items() for value in some)


EVERY: Final = tuple(dict.fromkeys((*_every(), *VARIANTS)))


@pytest.mark.parametrize(("number", "name"), half(enumerate(builtin_names())))
def test_every_value_is_a_measure_or_a_sentence(number, name):
    some = EVERY[number // 2 % SHARE :: SHARE]
    with pytest.raises(ConfigError) as raised:
        load_config({"data": DATA, "evaluation": {"convention": name, "metrics": list(some), "top_k": [2, "none"]}})
    wrong = {problem.partition(":")[0] for problem in raised.value.problems if problem.startswith("evaluation.metrics[")}
    assert 0 < len(wrong) < len(some)  # the odd values are wrong, all others are measures
    right = [text for index, text in enumerate(some) if f"evaluation.metrics[{index}]" not in wrong]
    assert set(right) & set(VARIANTS)
