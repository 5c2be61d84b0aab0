"""What is wrong with a value of a config, as pydantic found it, in words of YAML."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from typing import Any, Final, get_args

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from ..quoting import short
from .models import Config

_WANTED: Final = {
    "string_type": "text",
    "bool_type": "true or false",
    "int_type": "a whole number",
    "float_type": "a number",
    "tuple_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
}
"""What pydantic asks for, in words of YAML: it speaks of tuples, dictionaries and instances."""


def say(details: ErrorDetails) -> str:
    """What is wrong with a value, in words."""
    if details["type"] == "extra_forbidden":
        key = str(details["loc"][-1])
        allowed = _keys(details["loc"][:-1])
        close = difflib.get_close_matches(key, allowed, n=1)
        return f"unknown key '{key}'" + (f" — did you mean '{close[0]}'?" if close else f"; known: {', '.join(allowed)}" if allowed else "")
    if details["type"] == "missing":
        return "this key is missing"
    if details["type"] == "value_error":
        return str(details["ctx"]["error"])
    given = details["input"]
    is_secret = "storage_options" in details["loc"]
    shown = "" if is_secret or isinstance(given, dict | list | tuple) else f", not {short(repr(given))}"
    wanted = details["msg"].replace("Input should be", "this should be").removesuffix(".")
    return (f"this should be {_WANTED[details['type']]}" if details["type"] in _WANTED else wanted) + shown


def _keys(location: Sequence[str | int]) -> list[str]:
    """The keys that the model at `location` knows."""
    models: Iterable[type[BaseModel]] = [Config]
    for segment in location:
        fields = [model.model_fields[segment].annotation for model in models if segment in model.model_fields]
        models = [model for annotation in fields for model in _models(annotation)] or models
    return [key for model in models for key in model.model_fields]


def _models(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    nested = [model for argument in get_args(annotation) for model in _models(argument)]
    return list(dict.fromkeys(nested))
