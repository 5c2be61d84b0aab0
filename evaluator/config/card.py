"""The section `card` of a config: what only the author of an experiment knows, for the card of its results."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, WithJsonSchema

from .data_sources import Model

_TEXT: dict[str, Any] = {"type": "string", "minLength": 1}
_ONE: dict[str, Any] = {"anyOf": [{"type": "string"}, {"type": "number"}]}
_STATEMENT: dict[str, Any] = {"anyOf": [_TEXT, {"type": "number"}, {"type": "array", "items": _ONE, "minItems": 1}]}


def _as_text(value: Any) -> Any:
    """Return numbers and lists of texts or numbers as one text."""
    if isinstance(value, list | tuple) and value and all(isinstance(part, str | int | float) for part in value):
        return ", ".join(map(str, value))
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


def _by_model(value: Any) -> Any:
    """Return one text for all models as that of the key `all models`."""
    return value if isinstance(value, Mapping) else {"all models": _as_text(value)}


Statement = Annotated[
    str,
    Field(min_length=1),
    BeforeValidator(_as_text),
    WithJsonSchema(_STATEMENT),
]
Statements = Annotated[
    dict[str, Statement],
    BeforeValidator(_by_model),
    WithJsonSchema({"anyOf": [_TEXT, {"type": "object", "additionalProperties": _STATEMENT}]}),
]


class Card(Model):
    """What the author states of an experiment; `receval card` prints the rest as not stated."""

    data: Statement | None = Field(None, description="the data set: its name, version and source")
    preprocessing: Statement | None = Field(None, description="what was done with the data before the split, such as a 5-core filter")
    split: Statement | None = Field(None, description="how train, validation and test set were split")
    validation: Statement | None = Field(None, description="the validation set on which models and settings were chosen")
    tuning: Statements = Field(
        {}, description="the tuning budget and the ranges of hyperparameters of each model, baselines too: a text by model, or one for all"
    )
    seeds: Statement | None = Field(None, description="the random seeds of training")
    hardware: Statement | None = Field(None, description="the machine on which models were trained, and the time that it took")
    code: Statement | None = Field(None, description="where the code of the models is")
