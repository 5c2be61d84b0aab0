"""Describe the problems of values of a config, with the keys that may be meant."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, Final, get_args, get_origin

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from ..metrics import find
from ..support.quoting import short
from ..support.synonyms import did_you_mean, question
from .whole_config import Config

_WANTED: Final = {
    "string_type": "text",
    "bool_type": "true or false",
    "int_type": "a whole number",
    "float_type": "a number",
    "tuple_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "float_parsing": "a number",
    "int_parsing": "a whole number",
    "string_too_short": "a text that is not empty",
}
"""Error type of pydantic → the expected value in the words of YAML; pydantic names tuples, dictionaries and instances."""


_CANDIDATES: Final = "receval samples no candidates; give lists with the scores of the candidates (docs/how-to/leave-one-out.md)"
_MEANT: Final = {
    **dict.fromkeys(("candidates", "n_negatives", "negatives", "num_negatives"), _CANDIDATES),
    "cutoff": "indent it further, so that it is below the metric that it belongs to",
    "split": "it is a key of a source, such as data.recommendations.NAME.split",
}
"""A key that people try → what to write instead."""


def error_text(details: ErrorDetails) -> str:
    """Describe what is wrong with a value."""
    if details["type"] == "extra_forbidden":
        key = str(details["loc"][-1])
        allowed = keys_at(details["loc"][:-1])
        if key in _MEANT:
            return f"unknown key '{key}': {_MEANT[key]}"
        if details["loc"][:-1] in ((), ("evaluation",)) and _is_metric(key):
            return f"{key} is a metric: write it under evaluation.metrics, or with its parameters below it, indented further"
        if (name := key.partition(":")[0]) in allowed and name != key:
            return f"unknown key '{key}': YAML needs a space after the colon, as in {key.replace(':', ': ', 1)}"
        others = [name for name in (*(word for word in allowed if key in word.split("_")), key_named(key)) if name and allowed]
        otherwise = f" — {question(others[0])}" if others else f"; known: {', '.join(allowed)}" if allowed else ""
        return f"unknown key '{key}'" + did_you_mean(key, allowed, otherwise, before=" — ")
    if details["type"] == "missing":
        return "this key is missing"
    if details["type"] == "value_error":
        return str(details["ctx"]["error"])
    given = details["input"]
    if details["type"] == "string_pattern_mismatch" and details["loc"][-1] == "cluster":
        return f"write a column of data.users as users.{short(str(given))}"
    is_secret = "storage_options" in details["loc"]
    shown = "" if is_secret or isinstance(given, dict | list | tuple) else f", not {'null' if given is None else short(repr(given))}"
    wanted = details["msg"].replace("Input should be", "this should be").removesuffix(".")
    hint = ": write the rules under gates.rules" if details["loc"] == ("gates",) else ""
    return (f"this should be {_WANTED[details['type']]}" if details["type"] in _WANTED else wanted) + shown + hint


def _is_metric(key: str) -> bool:
    try:
        return bool(find(key))
    except ValueError:
        return False


def keys_at(location: Sequence[str | int]) -> list[str]:
    """Return the keys of the model at `location`."""
    models: Iterable[type[BaseModel]] = [Config]
    for segment in location:
        fields = [model.model_fields[segment].annotation for model in models if segment in model.model_fields]
        models = [model for annotation in fields for model in _models(annotation)] or models
    return [key for model in models for key in model.model_fields]


def _models(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return list(dict.fromkeys(model for argument in get_args(annotation) for model in _models(argument)))


def key_named(name: str) -> str:
    """Return the path, as for `--set`, of the topmost key with this name; empty if there is none."""
    return _topmost_keys().get(name, "")


@cache
def _topmost_keys() -> Mapping[str, str]:
    paths, level = dict[str, str](), list[tuple[str, type[BaseModel]]]([("", Config)])
    while level:
        fields = [(f"{above}{key}", field.annotation) for above, model in level for key, field in model.model_fields.items()]
        paths = {path.rpartition(".")[2]: path for path, _ in reversed(fields)} | paths
        level = [(f"{path}.", model) for path, annotation in fields for model in _sections(annotation)]
    return paths


def _sections(annotation: Any) -> list[type[BaseModel]]:
    """Return the models of an annotation, without those of elements of lists and mappings."""
    if get_origin(annotation) in (tuple, list, dict):
        return []
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for argument in get_args(annotation) for model in _sections(argument)]
