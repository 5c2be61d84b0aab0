"""The section `compare` of the config: which differences between models are judged, and how."""

from collections.abc import Mapping
from typing import Annotated, Any, Final

from pydantic import BeforeValidator, Field, PlainSerializer, StrictInt, WithJsonSchema

from ..names.margins import Margin
from ..stats.records import CorrectionName, TestName
from .grouping import GroupBys
from .sources import Model, as_list

DEFAULT: Final = "default"
_MARGIN: Final[dict[str, Any]] = {"anyOf": [{"type": "number", "minimum": 0}, {"type": "string", "pattern": r"^[0-9.eE+-]+ ?%?$"}]}


def _margins(value: Any) -> Any:
    """Margins by measure; a single one is that of all measures."""
    if value is None:
        return {}
    given = value if isinstance(value, Mapping) else {DEFAULT: value}
    return {str(measure): margin if isinstance(margin, Margin) else Margin.read(margin) for measure, margin in given.items()}


def _written(margins: Mapping[str, Margin]) -> dict[str, str]:
    return {measure: str(margin) for measure, margin in margins.items()}


Margins = Annotated[
    dict[str, Margin],
    BeforeValidator(_margins),
    PlainSerializer(_written),
    WithJsonSchema({"anyOf": [*_MARGIN["anyOf"], {"type": "object", "additionalProperties": _MARGIN}]}),
]


def read_baseline(value: Any) -> Any:
    """A model's name, or `{label: folder}`; a folder is written with a slash."""
    if isinstance(value, Mapping):
        if len(value) != 1 or not all(isinstance(part, str) and part for part in (*value, *value.values())):
            raise ValueError(f"a baseline is a model's name, or one folder of results as label: folder, not {dict(value)!r}")
        ((label, folder),) = value.items()
        return f"{label}={folder}"
    return value


Baseline = Annotated[str, Field(min_length=1), BeforeValidator(read_baseline, json_schema_input_type=str | dict[str, str])]


class Compare(Model):
    """Which differences between models are judged, and how."""

    baseline: Baseline | None = Field(
        None,
        description="the model that the others are compared with (the first, if not given), or a folder of results {main: results/main}",
    )
    measures: Annotated[tuple[str, ...], BeforeValidator(as_list)] = Field(
        (), description="the measures that are judged, corrected together; the others are shown. Without it all are judged"
    )
    margin: Margins = Field(
        {}, description="how small a difference does not matter: 0.005, or 1% of the base value; or by measure, with a default"
    )
    test: TestName = Field("t", description="the test of paired differences")
    correction: CorrectionName = Field("holm", description="how p values of the measures that are judged are corrected together")
    alpha: Annotated[float, Field(gt=0, lt=0.5)] = Field(0.05, description="how often a difference is found where there is none")
    seed: Annotated[StrictInt, Field(ge=0, lt=2**32)] = Field(0, description="the seed of tests by resampling")
    by: GroupBys = Field((), description="compare within these groups of users too, which evaluation.by names")
    cluster: Annotated[str, Field(pattern=r"^users\..+$")] | None = Field(
        None, description="the column of data.users whose users belong together, such as users.household"
    )
    users: Annotated[str, Field(pattern=r"^(same|common)$")] = Field(
        "same", description="same: models that count other users are refused; common: those who count for both are compared"
    )
