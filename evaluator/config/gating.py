"""The section `gates` of the config: what must hold of a model that may ship."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Final, Literal

from pydantic import BeforeValidator, Field, model_validator

from ..tables.groups import GroupBy
from .comparing import read_baseline
from .gate_rules import Rule
from .sources import Model, as_list

MissingPolicy = Literal["warn", "error", "pass"]
Inconclusive = Literal["warn", "fail"]


class GateBaseline(Model):
    """What models are compared with."""

    path: Annotated[str, Field(min_length=1)] = Field(
        description="a model of the config, or the folder of an earlier run; LABEL=FOLDER gives it a name"
    )
    model: Annotated[str, Field(min_length=1)] | None = Field(
        None, description="the model of that folder that all are compared with; without it each is compared with the one of its name"
    )
    if_missing: MissingPolicy = Field(
        "error", description="what to do if there is no such folder, or no such model in it: error ends with exit code 3, pass skips"
    )


def _baseline(value: Any) -> Any:
    """A text, or `{label: folder}`, as a mapping with a path."""
    if isinstance(value, GateBaseline) or (isinstance(value, Mapping) and {"path", "if_missing"} & value.keys()):
        return value
    return {"path": read_baseline(value)} if isinstance(value, str | Mapping) else value


_GIVEN: Final[Any] = str | GateBaseline | dict[str, str]
_Baseline = Annotated[GateBaseline, BeforeValidator(_baseline, json_schema_input_type=_GIVEN)]


class Gates(Model):
    """What must hold of a model that may ship; `receval run` judges it at its end."""

    baseline: _Baseline | None = Field(
        None, description="what models are compared with: a model of the config, or a folder of results; as a mapping with if_missing"
    )
    anchor: _Baseline | None = Field(
        None,
        description="a baseline that is not renewed, such as the last big release: margins must hold against it too",
    )
    inconclusive: Inconclusive = Field(
        "warn", description="what a rule does that is neither shown to hold nor to be violated: warn, or fail the run"
    )
    alpha: Annotated[float, Field(gt=0, lt=0.5)] = Field(
        0.05, description="how often a rule passes that does not hold, or fails that holds; bounds are one-sided at 1 - alpha"
    )
    rules: tuple[Rule, ...] = Field((), description="the rules: 'Recall@20 >= 0.25', 'nDCG@10 max_loss 2%', or mappings")
    models: Annotated[tuple[str, ...], BeforeValidator(as_list, json_schema_input_type=str | list[str])] = Field(
        (), description="the models that are judged; all but yardsticks and those that others are compared with"
    )

    @model_validator(mode="before")
    @classmethod
    def _renamed(cls, value: Any) -> Any:
        if isinstance(value, Mapping) and "unproven" in value:
            raise ValueError("the key unproven is now inconclusive: write inconclusive: warn or inconclusive: fail")
        return value

    def splits(self) -> Iterator[GroupBy]:
        """The groups that rules are judged by."""
        yield from dict.fromkeys(by for rule in self.rules for by in rule.by)
