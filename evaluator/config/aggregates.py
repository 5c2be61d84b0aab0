"""The names of aggregates in the config."""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args

from pydantic import Field, ValidationError, ValidatorFunctionWrapHandler, WrapValidator

from ..names.aggregate_names import INTERVAL

Percentile = Annotated[
    str, Field(pattern=r"^p([0-9]|[1-9][0-9])(\.[0-9]+)?$|^p100$", description="a percentile of the users' values, such as p25")
]
Interval = Annotated[
    str, Field(pattern=INTERVAL, description="half the width of the normal confidence interval of the mean, such as ci99 or ci(0.9)")
]
_Named = Literal["mean", "median", "std", "ci95", "bootstrap95", "micro", "sum", "geometric"]


def _read(value: Any, read: ValidatorFunctionWrapHandler) -> Any:
    try:
        return read(value)
    except ValidationError:
        names = f"{', '.join(get_args(_Named))}, percentiles such as p90, and intervals such as ci99 and ci(0.9)"
        raise ValueError(f"aggregates are {names}, not {value!r}") from None


Aggregate = Annotated[_Named | Percentile | Interval, WrapValidator(_read)]
