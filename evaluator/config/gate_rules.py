"""One rule of the section `gates`, as a mapping or in short form: `nDCG@10 max_loss 2%`."""

import math
import re
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, Self

from pydantic import BeforeValidator, Field, PlainSerializer, WithJsonSchema, model_validator

from ..names.margins import Margin
from ..stats.gate_kinds import LimitKind, MarginKind
from .grouping import GroupBys
from .sources import Model, as_list

RuleKind = LimitKind | MarginKind
KINDS: Final[tuple[RuleKind, ...]] = ("min", "max", "max_loss", "min_gain")
_SIGNS: Final[Mapping[str, RuleKind]] = {">=": "min", "≥": "min", "<=": "max", "≤": "max"}
_SHORT: Final = re.compile(
    r"(?P<measure>\S.*?)(?:\s*(?P<sign>[<>=≥≤]+)\s*|\s+(?P<kind>min|max|max_loss|min_gain)\s+)"
    r"(?P<limit>[^\s%]+(?:\s?%)?)(?:\s+by\s+(?P<by>\S+))?(?:\s+against\s+(?P<against>\S.*))?"
)
_EXAMPLES: Final = "'Recall@20 >= 0.25', 'nDCG@10 max_loss 2%' or 'nDCG@10 min_gain 0 against popular'"


def _limit(value: Any) -> Any:
    try:
        number = float(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else math.nan
    except (ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise ValueError(f"a limit is a number such as 0.25, not {str(value)[:80]!r}")
    return number


def _margin(value: Any) -> Any:
    return value if isinstance(value, Margin) else Margin.read(value)


_NUMBER: Final[dict[str, Any]] = {"type": "number"}
_SIZE: Final[dict[str, Any]] = {"anyOf": [{"type": "number", "minimum": 0}, {"type": "string", "pattern": r"^[0-9.eE+-]+ ?%?$"}]}
_Limit = Annotated[float, BeforeValidator(_limit), WithJsonSchema(_NUMBER)]
_Margin = Annotated[Margin, BeforeValidator(_margin), PlainSerializer(str), WithJsonSchema(_SIZE)]


class GateRule(Model):
    """What must hold of one measure: exactly one of `min`, `max`, `max_loss` and `min_gain`."""

    measure: Annotated[str, Field(min_length=1)] = Field(
        description="the measure, as results print it; without a cut-off all of its cut-offs"
    )
    min: _Limit | None = Field(None, description="the least value")
    max: _Limit | None = Field(None, description="the largest value")
    max_loss: _Margin | None = Field(None, description="how much worse than the baseline it may be: 0.005, or 2% of the baseline's value")
    min_gain: _Margin | None = Field(None, description="how much better than the baseline it must be; 0: better at all")
    severity: Literal["error", "warn"] = Field("error", description="whether a rule that fails also fails the run, or only warns")
    by: GroupBys = Field((), description="judge each of these groups of users by itself, those of at least 100")
    against: Annotated[str, Field(min_length=1)] | None = Field(
        None, description="the model of the same results that this rule compares with, in the place of the baseline"
    )
    anchor: Annotated[str, Field(min_length=1)] | Literal[False] | None = Field(
        None, description="the folder of an anchor of this rule, in the place of gates.anchor; false: it has none"
    )
    models: Annotated[tuple[str, ...], BeforeValidator(as_list, json_schema_input_type=str | list[str])] = Field(
        (), description="the models that are judged; those of gates.models"
    )

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        given = [kind for kind in KINDS if getattr(self, kind) is not None]
        if len(given) != 1:
            said = f"{' and '.join(given)} are" if given else "none is"
            raise ValueError(f"a rule has one of {', '.join(KINDS)}: {said} given")
        if self.against is not None and not self.compares:
            raise ValueError(f"{given[0]} is a limit of the value itself: against is for max_loss and min_gain")
        if self.anchor and (self.against is not None or not self.compares):
            raise ValueError("an anchor stands beside a baseline: it is for max_loss and min_gain without against")
        return self

    @property
    def kind(self) -> RuleKind:
        """Which of the four it is."""
        return next(kind for kind in KINDS if getattr(self, kind) is not None)

    @property
    def margin_kind(self) -> MarginKind | None:
        """The kind of a rule that compares with a baseline; `None` of one that does not."""
        return "max_loss" if self.max_loss is not None else "min_gain" if self.min_gain is not None else None

    @property
    def compares(self) -> bool:
        """Whether it compares with a baseline."""
        return self.margin_kind is not None

    @property
    def limit(self) -> tuple[LimitKind, float]:
        """Of a rule that does not compare whether it has a least or a largest value, and which."""
        assert not self.compares
        return ("min", self.min) if self.min is not None else ("max", self.max or 0.0)

    @property
    def margin(self) -> Margin:
        """The limit, which may be a share of the baseline's value."""
        given = getattr(self, self.kind)
        return given if isinstance(given, Margin) else Margin(given)

    def __str__(self) -> str:
        against = "" if self.against is None else f" against {self.against}"
        by = "".join(f" by {group.name}" for group in self.by)
        return f"{self.measure} {self.kind} {self.margin}{by}{against}"


def _read(value: Any) -> Any:
    """A rule in short form as a mapping."""
    if not isinstance(value, str):
        return value
    found = _SHORT.fullmatch(value.strip())
    if found is None:
        raise ValueError(f"a rule is written as {_EXAMPLES}, not {value[:120]!r}")
    sign, given = found["sign"], {name: found[name] for name in ("measure", "by", "against") if found[name]}
    if sign is not None and sign not in _SIGNS:
        raise ValueError(f"a rule has >= or <=, not {sign}: write it as {_EXAMPLES}")
    return {**given, found["kind"] if sign is None else _SIGNS[sign]: found["limit"]}


Rule = Annotated[GateRule, BeforeValidator(_read, json_schema_input_type=str | GateRule)]
