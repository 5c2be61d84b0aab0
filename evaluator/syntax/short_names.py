"""Names and amounts that configs and results share: of aggregates, reference lists and margins; and the test for addresses."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from functools import lru_cache
from typing import Final

from msgspec import Struct

STORES: Final = ("s3", "s3a", "gs", "gcs", "az", "azure", "abfs", "abfss")
"""The schemes of addresses in object stores, which can be read and written."""
_SAME: Final = {"s3a": "s3", "gcs": "gs", "azure": "az", "abfs": "az", "abfss": "az"}


def is_in_store(text: str) -> bool:
    """Return whether a text is an address in an object store."""
    return scheme_of(text) in STORES


def is_on_web(text: str) -> bool:
    """Return whether a text is an address on a web server."""
    return scheme_of(text) in ("http", "https")


def is_elsewhere(text: str) -> bool:
    """Return whether a text is an address in an object store or on a web server."""
    return is_in_store(text) or is_on_web(text)


def scheme_of(text: str) -> str:
    """Return the scheme of an address, in lower case; empty if a text is none."""
    scheme, found, _ = text.partition("://")
    return scheme.lower() if found else ""


def one_address(text: str) -> str:
    """Return an address in a store in one spelling: a scheme of several as one, and no slash at the end."""
    scheme, _, rest = text.partition("://")
    return f"{_SAME.get(scheme.lower(), scheme.lower())}://{rest.strip('/')}"


def is_artifact(text: str) -> bool:
    """Return whether a text is an MLflow artifact: `runs:/RUN_ID/path`, as MLflow writes it, or `mlflow:RUN_ID/path`."""
    return text.startswith(("runs:/", "mlflow:"))


def is_address(text: str) -> bool:
    """Return whether a text is an address instead of a path; an address does not depend on the folder of the config."""
    return "://" in text or is_artifact(text)


INTERVAL: Final = r"^ci([1-9][0-9]?(\.[0-9]+)?|\(0?\.[0-9]*[1-9][0-9]*\))$"
"""A confidence interval of the mean: its level in percent, `ci95`, or as a share, `ci(0.95)`."""


SMALLEST_FACTOR: Final = 1e-5
"""Smallest value in a geometric mean: smaller values count as this one, so that a single 0 does not make the mean 0."""


@lru_cache(maxsize=1000)
def interval_level(aggregate: str) -> Fraction | None:
    """Return the level of a confidence interval, between 0 and 1 (`ci95` and `ci(0.95)`: 19/20); `None` for any other aggregate."""
    if not re.fullmatch(INTERVAL, aggregate):
        return None
    number = aggregate.removeprefix("ci")
    return Fraction(number.strip("()")) if number.startswith("(") else Fraction(number) / 100


def is_spread(aggregate: str) -> bool:
    """Return whether an aggregate is a measure of spread or the end of an interval, so that neither direction is better."""
    return aggregate == "std" or aggregate.startswith("bootstrap95") or interval_level(aggregate) is not None


ORACLE: Final = "(oracle)"
POPULARITY: Final = "(popularity)"
RANDOM: Final = "(random)"
REFERENCE_NAMES: Final = (ORACLE, POPULARITY, RANDOM)


class Margin(Struct, frozen=True):
    """A size, or with `is_share` a share of the base value; 0 or larger."""

    size: float
    is_share: bool = False

    @classmethod
    def read(cls, written: object) -> Margin:
        """Read `0.005`, `"0.005"`, `"1%"` or `"1 %"`; `ValueError` for anything else."""
        text = str(written).strip() if isinstance(written, str | int | float) and not isinstance(written, bool) else ""
        percent = text.endswith("%")
        try:
            size = float(text.removesuffix("%"))
        except ValueError:
            size = math.nan
        if not math.isfinite(size) or size < 0:
            raise ValueError(
                f"a margin must be a number from 0 such as 0.005, or a share of the baseline's value such as 1%, not {str(written)[:80]!r}"
            )
        return cls(size / 100, True) if percent else cls(size)

    def in_units(self, base_value: float | None) -> float | None:
        """Return the margin in units of the measure; `None` for a share if the base value is missing or 0."""
        if not self.is_share:
            return self.size
        return self.size * abs(base_value) if base_value else None

    def __str__(self) -> str:
        return f"{100 * self.size:g}%" if self.is_share else f"{self.size:g}"
