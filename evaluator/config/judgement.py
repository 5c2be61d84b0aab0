"""The sections `compare` and `gates` of the config: the differences to test, and the rules that a model must pass before it ships."""

import math
import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Final, Literal, Self

from pydantic import BeforeValidator, ConfigDict, Field, PlainSerializer, StrictInt, WithJsonSchema, model_validator

from ..stats.difference import CorrectionName, Failing, LimitKind, MarginKind, SlicesKind, TestName
from ..support.patterns import regex
from ..syntax.short_names import Margin
from ..tables.prepared import GroupBy
from .data_sources import Model, as_list
from .evaluation_keys import GroupBys

DEFAULT: Final = "default"
_MARGIN: Final[dict[str, Any]] = {"anyOf": [{"type": "number", "minimum": 0}, {"type": "string", "pattern": r"^[0-9.eE+-]+ ?%?$"}]}


def _margins(value: Any) -> Any:
    """Return margins by measure; a single margin is the default of all measures."""
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
    """Return a baseline as text: a model's name, or `label=folder` from `{label: folder}`."""
    if isinstance(value, Mapping):
        if len(value) != 1 or not all(isinstance(part, str) and part for part in (*value, *value.values())):
            raise ValueError(f"a baseline must be a model's name, or one folder of results as label: folder, not {dict(value)!r}")
        ((label, folder),) = value.items()
        return f"{label}={folder}"
    return value


Baseline = Annotated[str, Field(min_length=1), BeforeValidator(read_baseline, json_schema_input_type=str | dict[str, str])]


class Compare(Model):
    """Settings of comparisons: the differences between models to test, and the tests."""

    baseline: Baseline | None = Field(
        None,
        description="the model that the others are compared with, or a folder of results as {main: results/main}; "
        "if not given, gates.baseline if it is a model, else the first model",
    )
    measures: Annotated[tuple[str, ...], BeforeValidator(as_list)] = Field(
        (),
        description="the measures to test; p values are corrected over all of them, and other measures are not tested. Default: all",
    )
    margin: Margins = Field(
        {},
        description="the largest difference that does not matter: 0.005, or 1% of the baseline's value; or a mapping by measure",
    )
    test: TestName = Field("t", description="the test of paired differences")
    correction: CorrectionName = Field("holm", description="how p values are corrected for multiple comparisons")
    alpha: Annotated[float, Field(gt=0, lt=0.5)] = Field(
        0.05, description="significance level: how often a difference is found where there is none"
    )
    seed: Annotated[StrictInt, Field(ge=0, lt=2**32)] = Field(0, description="the seed of tests by resampling")
    by: GroupBys = Field(
        (), description="also compare within these groups of users or test rows, or combinations of them, which must be in evaluation.by"
    )
    cluster: Annotated[str, Field(pattern=r"^users\..+$")] | None = Field(
        None, description="a column of data.users: users with the same value are not independent, such as users.household"
    )
    users: Annotated[str, Field(pattern=r"^(same|common)$")] = Field(
        "same", description="same: refuse to compare models that count different users; common: compare on the users that count for both"
    )


RuleKind = LimitKind | MarginKind | SlicesKind
KINDS: Final[tuple[RuleKind, ...]] = ("min", "max", "max_loss", "min_gain", "slices")
_SIGNS: Final[Mapping[str, RuleKind]] = {">=": "min", "≥": "min", "<=": "max", "≤": "max"}
_SHORT: Final = regex(
    r"(?P<measure>\S.*?)(?:\s*(?P<sign>[<>=≥≤]+)\s*|\s+(?P<kind>min|max|max_loss|min_gain)\s+)"
    r"(?P<limit>[^\s%]+(?:\s?%)?)(?:\s+by\s+(?P<by>\S+))?(?:\s+against\s+(?P<against>\S.*))?"
)
_NONE_WORSE: Final = r"none worse than\s+(?P<limit>[^\s%]+(?:\s?%)?)"
_SLICES: Final = regex(rf"(?:(?P<measure>\S.*?)\s+)?slices\s*:?\s+{_NONE_WORSE}(?:\s+by\s+(?P<by>\S+))?(?:\s+against\s+(?P<against>\S.*))?")
_OF_GROUP: Final = regex(r"(?:\s+(?:for|in|by|where|of))?\s+(?P<column>users\.[^\s=<>!]+)\s*==?\s*(?P<name>[^\s=]+)")
"""A single group of users, which people try to name in a rule."""
_OF_ROWS: Final = regex(
    r"(?<!\S)(?!(?:for|in|by|where|of)\s)(?P<name>[^\W\d][^\s@(){}]*)(?P<cut>@\w+)?(?:\{\s*(?:rows\.)?(?P<braced>[^\s=<>!}]+)\s*==?\s*(?P<one>[^\s=}]+)\s*\}"
    r"|(?:\s+(?:for|in|by|where|of))?\s+rows\.(?P<column>[^\s=<>!]+)\s*==?\s*(?P<group>[^\s=]+))(?P<later>@\w+)?"
)
"""A single group of test rows beside the measure, which belongs into its parentheses."""
_LIST: Final = regex(r"\sby\s+\[(?P<list>[^\[\]:]+)\]")
"""A list of groupings, which a rule in short form cannot have."""
_EXAMPLES: Final = "'Recall@20 >= 0.25', 'nDCG@10 max_loss 2%', 'nDCG@10 min_gain 0 against popular' or 'slices: none worse than 5%'"


def _limit(value: Any) -> Any:
    try:
        number = float(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else math.nan
    except (ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise ValueError(f"a limit must be a number such as 0.25, not {str(value)[:80]!r}")
    return number


def _margin(value: Any) -> Any:
    return value if isinstance(value, Margin) else Margin.read(value)


def _none_worse(value: Any) -> Any:
    found = re.fullmatch(_NONE_WORSE, value.strip()) if isinstance(value, str) else None
    return _margin(value if found is None else found["limit"])


_NUMBER: Final[dict[str, Any]] = {"type": "number"}
_SIZE: Final[dict[str, Any]] = {"anyOf": [{"type": "number", "minimum": 0}, {"type": "string", "pattern": r"^[0-9.eE+-]+ ?%?$"}]}
_Limit = Annotated[float, BeforeValidator(_limit), WithJsonSchema(_NUMBER)]
_Margin = Annotated[Margin, BeforeValidator(_margin), PlainSerializer(str), WithJsonSchema(_SIZE)]

_Slices = Annotated[
    Margin,
    BeforeValidator(_none_worse),
    PlainSerializer(str),
    WithJsonSchema({"anyOf": [_SIZE["anyOf"][0], {"type": "string", "pattern": r"^(none worse than )?[0-9.eE+-]+ ?%?$"}]}),
]


class GateRule(Model):
    """A condition on one measure: exactly one of `min`, `max`, `max_loss`, `min_gain` and `slices`."""

    model_config = ConfigDict(json_schema_extra={"anyOf": [{"required": ["measure"]}, {"required": ["slices"]}]})

    measure: str = Field(
        "",
        description="the measure as results print it; without a cut-off, all of its cut-offs; "
        "only a rule on slices needs none: it judges the first measure",
    )
    min: _Limit | None = Field(None, description="the smallest allowed value")
    max: _Limit | None = Field(None, description="the largest allowed value")
    max_loss: _Margin | None = Field(
        None, description="the largest allowed loss against the baseline: 0.005, or 2% of the baseline's value"
    )
    min_gain: _Margin | None = Field(None, description="the gain that is required over the baseline; 0: any gain")
    slices: _Slices | None = Field(
        None,
        description="none worse than 5%: no slice of users, found on one half of them, is confirmed on the other half to lose more against "
        "the baseline",
    )
    severity: Literal["error", "warn"] = Field("error", description="error: a failed rule fails the run; warn: it only warns")
    by: GroupBys = Field(
        (),
        description="also judge each of these groups of users or test rows separately (groups of at least 100 users); for slices the "
        "groups to search",
    )
    against: Annotated[str, Field(min_length=1)] | None = Field(
        None, description="the model of the same results that this rule compares with, instead of the baseline"
    )
    anchor: Annotated[str, Field(min_length=1)] | Literal[False] | None = Field(
        None, description="the anchor folder of this rule, instead of gates.anchor; false: none"
    )
    models: Annotated[tuple[str, ...], BeforeValidator(as_list, json_schema_input_type=str | list[str])] = Field(
        (), description="the models that are judged; if not given, those of gates.models"
    )
    fail: Failing | None = Field(None, description="when this margin fails, instead of gates.fail")

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        given = [kind for kind in KINDS if getattr(self, kind) is not None]
        if len(given) != 1:
            said = f"{' and '.join(given)} are" if given else "none is"
            raise ValueError(f"a rule needs exactly one of {', '.join(KINDS)}: {said} given")
        if not self.measure and self.slices is None:
            raise ValueError(f"a rule needs a measure: write it as {_EXAMPLES}")
        if self.against is not None and not self.compares:
            raise ValueError(f"{given[0]} limits the value itself: against is for max_loss, min_gain and slices")
        if self.anchor and (self.against is not None or not self.compares):
            raise ValueError("an anchor is a second baseline: it is for max_loss, min_gain and slices without against")
        if self.fail is not None and self.margin_kind is None:
            raise ValueError(f"fail says when a margin fails: it is for max_loss and min_gain, not for {given[0]}")
        return self

    @property
    def kind(self) -> RuleKind:
        """The key of the condition: `min`, `max`, `max_loss`, `min_gain` or `slices`."""
        return next(kind for kind in KINDS if getattr(self, kind) is not None)

    @property
    def margin_kind(self) -> MarginKind | None:
        """The kind of a rule that compares with a baseline; `None` for one that does not."""
        return "max_loss" if self.max_loss is not None else "min_gain" if self.min_gain is not None else None

    @property
    def compares(self) -> bool:
        """True if the rule compares with a baseline."""
        return self.margin_kind is not None or self.slices is not None

    @property
    def limit(self) -> tuple[LimitKind, float]:
        """The kind and the value of the limit of a rule that does not compare."""
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
        kind = self.kind if self.slices is None else "slices: none worse than"
        return f"{self.measure} {kind} {self.margin}{by}{against}".lstrip()


def _read(value: Any) -> Any:
    """Return a rule in short form as a mapping; other values unchanged."""
    if isinstance(value, Mapping) and len(value) == 1:
        ((key, condition),) = value.items()
        if isinstance(condition, str) and re.fullmatch(rf"slices: {_NONE_WORSE}\s.*|.*\sslices: .*", f"{key}: {condition}"):
            value = f"{key}: {condition}"
    if not isinstance(value, str):
        return value
    if slices := _SLICES.fullmatch(value.strip()):
        return {"slices": slices["limit"]} | {name: slices[name] for name in ("measure", "by", "against") if slices[name]}
    if group := _OF_GROUP.search(value):
        column = group["column"]
        without = " ".join(_OF_GROUP.sub("", value).split())
        raise ValueError(
            f"a rule cannot name one group: '{without} by {column}' judges each group of {column}, and its lines name {group['name']}"
        )
    if of_rows := _OF_ROWS.search(value):
        part = of_rows.groupdict()
        measure = (
            f"{part['name']}(rows.{part['braced'] or part['column']}={part['one'] or part['group']}){part['cut'] or part['later'] or ''}"
        )
        raise ValueError(f"a group of test rows is part of the measure: write {measure}, here and in evaluation.metrics")
    found = _SHORT.fullmatch(value.strip())
    if found is None and (several := _LIST.search(value)):
        combined = "*".join(part.strip() for part in several["list"].split(","))
        raise ValueError(f"a combination of groupings is written with *: by {combined}")
    if found is None:
        raise ValueError(f"a rule must be written as {_EXAMPLES}, not {value[:120]!r}")
    sign, given = found["sign"], {name: found[name] for name in ("measure", "by", "against") if found[name]}
    if sign is not None and sign not in _SIGNS:
        raise ValueError(f"a rule has >= or <=, not {sign}: write it as {_EXAMPLES}")
    return {**given, found["kind"] if sign is None else _SIGNS[sign]: found["limit"]}


Rule = Annotated[GateRule, BeforeValidator(_read, json_schema_input_type=str | GateRule)]


MissingPolicy = Literal["warn", "error", "pass"]
Inconclusive = Literal["warn", "fail"]


class GateBaseline(Model):
    """The base of comparisons in gates: a model or an earlier result."""

    path: Annotated[str, Field(min_length=1)] = Field(
        description="a model of the config, or the result folder of an earlier run; LABEL=FOLDER names it"
    )
    model: Annotated[str, Field(min_length=1)] | None = Field(
        None,
        description="the model in the folder that all models are compared with; if not given, the model of the same name",
    )
    if_missing: MissingPolicy = Field(
        "error", description="what to do if the folder or the model in it is missing: error ends with exit code 3, pass skips the rules"
    )


def as_baseline(value: Any) -> Any:
    """Return a text, or `{label: folder}`, as a mapping with a path."""
    if isinstance(value, GateBaseline) or (isinstance(value, Mapping) and {"path", "if_missing"} & value.keys()):
        return value
    if isinstance(value, Mapping) and "model" in value and len(value) == 2:  # a folder under its label
        folder = next(entry for key, entry in value.items() if key != "model")
        raise ValueError(f"write it as {{path: {folder}, model: {value['model']}}}")
    return {"path": read_baseline(value)} if isinstance(value, str | Mapping) else value


_GIVEN: Final[Any] = str | GateBaseline | dict[str, str]
_Baseline = Annotated[GateBaseline, BeforeValidator(as_baseline, json_schema_input_type=_GIVEN)]


class Gates(Model):
    """Rules that a model must pass before it ships; `receval run` judges them at its end."""

    baseline: _Baseline | None = Field(
        None, description="the baseline: a model of the config or a result folder; a mapping can set if_missing"
    )
    anchor: _Baseline | None = Field(
        None,
        description="a second baseline that is updated less often, such as the last major release: margins must also hold against it",
    )
    fail: Failing = Field(
        "shown_worse",
        description="when a margin fails. shown_worse: a loss is shown and the value is beyond the limit; shown_beyond: only if the true "
        "loss is shown to be beyond the limit; value: as soon as the value is beyond the limit",
    )
    inconclusive: Inconclusive = Field(
        "warn", description="outcome of a rule that the data neither show to hold nor to be violated: warn, or fail the run"
    )
    alpha: Annotated[float, Field(gt=0, lt=0.5)] = Field(
        0.05,
        description="error rate: how often a rule passes that does not hold, or fails that holds; bounds are one-sided at 1 - alpha",
    )
    rules: tuple[Rule, ...] = Field((), description="the rules: 'Recall@20 >= 0.25', 'nDCG@10 max_loss 2%', or mappings")
    models: Annotated[tuple[str, ...], BeforeValidator(as_list, json_schema_input_type=str | list[str])] = Field(
        (), description="the models that are judged; if not given, all except reference lists and baselines"
    )

    @model_validator(mode="before")
    @classmethod
    def _renamed(cls, value: Any) -> Any:
        if isinstance(value, Mapping) and "unproven" in value:
            raise ValueError("the key unproven was renamed to inconclusive: write inconclusive: warn or inconclusive: fail")
        for key in ("baseline", "anchor"):
            if isinstance(value, Mapping) and f"{key}_model" in value:
                path = value[key] if isinstance(value.get(key), str) else "FOLDER"
                raise ValueError(f"there is no key {key}_model: write {key}: {{path: {path}, model: {value[f'{key}_model']}}}")
        return value

    @property
    def bases(self) -> tuple[str, ...]:
        """The models and folders that the baseline and the anchors name."""
        given = [base.path for base in (self.baseline, self.anchor) if base is not None]
        return tuple(dict.fromkeys((*given, *(rule.anchor for rule in self.rules if rule.anchor))))

    def splits(self) -> Iterator[GroupBy]:
        """Yield the groups in which rules are judged, each once."""
        yield from dict.fromkeys(by for rule in self.rules for by in rule.by if rule.slices is None)

    def searched(self) -> Iterator[GroupBy]:
        """Yield the groups in which rules on slices search, each once."""
        yield from dict.fromkeys(by for rule in self.rules for by in rule.by if rule.slices is not None)
