"""The sections of the config on odd data: `health` (severities and limits) and `evaluation.policy` (how odd data are handled)."""

from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any, Final, Literal

from pydantic import (
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationInfo,
    WithJsonSchema,
    create_model,
    field_validator,
    model_serializer,
    model_validator,
)
from pydantic_core import PydanticCustomError

from ..checks import CHECKS, SEVERITIES, Check, CheckSetting, setting
from ..conventions import AXES
from ..support import plugins
from .data_sources import Model

POLICIES: Final = (
    "duplicates",
    "truth_duplicates",
    "seen_items",
    "unknown_items",
    "missing_lists",
    "no_relevant",
    "no_truth",
    "tie_order",
)
"""The axes that a policy may set for all metrics at once."""


def _axis_field(axis: str) -> Any:
    return Field(None, description=AXES[axis].decides, json_schema_extra={"enum": ["error", *AXES[axis].values, None]})


class Policy(Model):
    """Handling of odd data, the same for every metric: a value of the axis, or `error`, which refuses such data (exit code 3).

    Keys that are not given follow the convention.
    """

    duplicates: str | None = _axis_field("duplicates")
    truth_duplicates: str | None = _axis_field("truth_duplicates")
    seen_items: str | None = _axis_field("seen_items")
    unknown_items: str | None = _axis_field("unknown_items")
    missing_lists: str | None = _axis_field("missing_lists")
    no_relevant: str | None = _axis_field("no_relevant")
    no_truth: str | None = _axis_field("no_truth")
    tie_order: str | None = _axis_field("tie_order")
    missing_values: Literal["error", "drop"] = Field(
        "error", description="rows without an id, score or rank, or with a score that is not a finite number: refused, or left out"
    )

    @field_validator(*POLICIES, mode="before")
    @classmethod
    def _known(cls, value: Any, info: ValidationInfo) -> Any:
        if value in (None, "error"):
            return value
        try:
            return AXES[str(info.field_name)].read(value)
        except ValueError as error:
            text = str(error)
            raise ValueError(f"{text}{'' if text.endswith('?') else '; or error, to refuse such data'}") from None

    @property
    def axes(self) -> dict[str, str]:
        """The axes that are set for every metric."""
        given = {name: getattr(self, name) for name in POLICIES}
        return {name: value for name, value in given.items() if value not in (None, "error")}

    @property
    def refused(self) -> frozenset[str]:
        """The axes with the value `error`; `missing_values` is not included."""
        return frozenset(name for name in POLICIES if getattr(self, name) == "error")


_SPELLINGS: Final[dict[Any, str]] = {False: "off", "warning": "warn", "note": "info"}
"""Other ways to write a severity: the words of the findings that commands print, and `off` as YAML 1.1 reads it."""


def _setting(name: str, given: Any) -> Any:
    if isinstance(given, CheckSetting):
        return given
    check = CHECKS[name]
    body = {"severity": given} if not isinstance(given, Mapping) else dict(given)
    severity: Any = body.pop("severity", check.severity)
    severity = _SPELLINGS.get(severity, severity) if isinstance(severity, str | bool) else severity
    if severity not in SEVERITIES:
        raise ValueError(f"the severity must be one of {', '.join(SEVERITIES)}, not {severity!r}")
    for key, number in body.items():
        if key not in check.limits:
            raise ValueError(f"unknown key '{key}'; known: {', '.join(('severity', *check.limits))}")
        limit = check.limits[key]
        if isinstance(number, bool) or not isinstance(number, int | float) or not 0 <= number <= limit.most:
            most = "" if limit.most == float("inf") else f" to {limit.most:g}"
            raise ValueError(f"{key} must be a number from 0{most}, not {number!r}")
    return setting(check, severity, **{str(key): float(number) for key, number in body.items()})


def _shown(name: str, given: CheckSetting) -> Any:
    """Return the settings that differ from the defaults, in a form that can be read back; `None` if there are none."""
    usual = setting(CHECKS[name])
    limits = {key: value for key, value in given.limits.items() if value != usual.limits[key]}
    if limits:
        return {"severity": given.severity, **limits}
    return given.severity if given.severity != usual.severity else None


def _schema(check: Check) -> dict[str, Any]:
    limits = {key: {"type": "number", "minimum": 0, "description": limit.means} for key, limit in check.limits.items()}
    severity = {"enum": list(SEVERITIES)}
    body = {"type": "object", "additionalProperties": False, "properties": {"severity": severity, **limits}}
    usual = {"severity": check.severity, **{key: limit.default for key, limit in check.limits.items() if limit.default is not None}}
    return {"default": usual, "description": check.finds, "anyOf": [severity, body]}


def _field(check: Check) -> Any:
    kind = Annotated[
        CheckSetting,
        BeforeValidator(partial(_setting, check.id)),
        WithJsonSchema(_schema(check)),
    ]
    return kind, Field(default_factory=lambda: setting(check), description=check.finds)


def _added_check_setting(named: tuple[str, Any]) -> CheckSetting:
    """Return the setting of a check that a package declared after this module was imported."""
    name, given = named
    if name not in CHECKS:
        plugins.find("checks", name)  # importing the package declares its checks
    if name not in CHECKS:
        raise PydanticCustomError("extra_forbidden", "there is no such check")
    made: CheckSetting = _setting(name, given)
    return made


class _Settings(Model):
    model_config = ConfigDict(extra="allow", json_schema_extra={"additionalProperties": False})
    __pydantic_extra__: dict[str, Annotated[CheckSetting, BeforeValidator(_added_check_setting), WithJsonSchema({})]]

    @model_validator(mode="before")
    @classmethod
    def _with_names(cls, value: Any) -> Any:
        """Pair the settings of checks of packages with their names, which their validator needs."""
        if not isinstance(value, Mapping):
            return value
        return {name: given if name in cls.model_fields else (str(name), given) for name, given in value.items()}

    @model_serializer
    def _differing(self) -> dict[str, Any]:
        return {name: _shown(name, given) for name, given in self.settings.items()}

    @property
    def settings(self) -> dict[str, CheckSetting]:
        """The setting of every check; one that a package adds has its declared setting, unless the config changes it."""
        return {name: getattr(self, name, None) or setting(check) for name, check in CHECKS.items()}


Health = create_model(
    "Health",
    __base__=_Settings,
    __doc__="Severities and limits of the health checks, by id.",
    **{check.id: _field(check) for check in CHECKS.values()},
)


def _all_or_some(value: Any) -> Any:
    if value == "off" or value is False:
        return dict.fromkeys(CHECKS, "off")
    if not isinstance(value, Mapping | Model):
        raise ValueError(f"health must be off, or a mapping of checks to severities and limits, such as {{R04: error}}, not {value!r}")
    return value


HealthField = Annotated[Health, BeforeValidator(_all_or_some, json_schema_input_type=Literal["off"] | Health)]
