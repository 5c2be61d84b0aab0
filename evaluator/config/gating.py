"""The section `gates` of the config: what must hold of a model that may ship."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from ..tables.groups import GroupBy
from .comparing import read_baseline
from .gate_rules import Rule
from .sources import Model, as_list

Severity = Literal["warn", "error", "pass"]


class GateBaseline(Model):
    """What models are compared with."""

    path: Annotated[str, Field(min_length=1)] = Field(
        description="a model of the config, or the folder of an earlier run; LABEL=FOLDER gives it a name"
    )
    if_missing: Severity = Field(
        "error", description="what it is that there is no such folder, or no such model in it: error ends with exit code 3, pass skips"
    )


def _baseline(value: Any) -> Any:
    """A text, or `{label: folder}`, as a mapping with a path."""
    if isinstance(value, GateBaseline) or (isinstance(value, Mapping) and {"path", "if_missing"} & value.keys()):
        return value
    return {"path": read_baseline(value)} if isinstance(value, str | Mapping) else value


class Gates(Model):
    """What must hold of a model that may ship; `receval run` judges it at its end."""

    baseline: Annotated[GateBaseline, BeforeValidator(_baseline, json_schema_input_type=str | GateBaseline | dict[str, str])] | None = (
        Field(
            None, description="what models are compared with: a model of the config, or a folder of results; as a mapping with if_missing"
        )
    )
    unproven: Severity = Field("warn", description="what a rule is that holds by the values, but is not shown to by so many users")
    alpha: Annotated[float, Field(gt=0, lt=0.5)] = Field(
        0.05, description="how often a margin is held to be met that is not; bounds are one-sided at 1 - alpha"
    )
    rules: tuple[Rule, ...] = Field((), description="the rules: 'Recall@20 >= 0.25', 'nDCG@10 max_loss 2%', or mappings")
    models: Annotated[tuple[str, ...], BeforeValidator(as_list, json_schema_input_type=str | list[str])] = Field(
        (), description="the models that are judged; all but yardsticks and those that others are compared with"
    )

    def splits(self) -> Iterator[GroupBy]:
        """The groups that rules are judged by."""
        yield from dict.fromkeys(by for rule in self.rules for by in rule.by)
