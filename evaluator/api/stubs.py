"""Write the types of `receval.functional`: builds put this text beside the module, for type checkers and editors."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Final

from ..metrics.registry import METRICS
from . import functions

_HEAD: Final = '''"""A function for each metric, written from the metrics when receval is built or installed."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict, Unpack, overload

__all__: list[str]
'''


def text() -> str:
    """Return the text of `functional.pyi`: the keywords of the functions, and each function."""
    keywords = {_fields({name: kind for name, (kind, _) in functions.COMMON.items()}): "_Common(TypedDict, total=False)"}
    written = [_function(name, keywords) for name in sorted(functions.names())]
    return "\n".join([_HEAD, *(f"class {name}:\n{fields}\n" for fields, name in keywords.items()), *written, ""])


def _fields(kinds: Mapping[str, str]) -> str:
    return "\n".join(f"    {name}: {kind}" for name, kind in kinds.items())


def _function(name: str, keywords: dict[str, str]) -> str:
    """Return one function: an overload for each kind of value, with the first line of its docstring.

    `keywords` are the classes of keywords so far: fields → name and base.
    """
    function = functions.function(name)
    parameters = inspect.signature(function).parameters
    named = {parameter.name: parameter.annotation for parameter in parameters.values() if parameter.kind is parameter.KEYWORD_ONLY}
    shares = all(key in named for key in functions.COMMON)  # a table of `coverage` has the name of a keyword of the others
    own = {key: kind for key, kind in named.items() if key not in functions.COMMON} if shares else named
    head = f"_Further{len(keywords)}({'_Common' if shares else 'TypedDict'}, total=False)"
    further = keywords.setdefault(_fields(own), head) if own else "_Common("
    tables = [f"{table}: Any" for table in list(parameters)[:2]]
    end = ["user_col: str = ...", "item_col: str = ...", f"**further: Unpack[{further.partition('(')[0]}]"]
    mean, each = (
        ["num_workers: int = ...", "apply_mean: Literal[True] = ..."],
        ["num_workers: int = ...", "*", "apply_mean: Literal[False]"],
    )
    one, several = "k: int | None = ...", "k: Sequence[int | None]"
    forms = [([one, *mean], "float"), ([several, *mean], "dict[int | None, float]")]
    if not METRICS[functions.names()[name]].per_model:
        forms += [([one, *each], "list[float]"), ([several, *each], "dict[int | None, list[float]]")]
    heads = [
        "\n".join(["@overload", f"def {name}(", *(f"    {parameter}," for parameter in (*tables, *form, *end)), f") -> {kind}:"])
        for form, kind in forms
    ]
    first = (function.__doc__ or name).strip().splitlines()[0]
    return "\n".join([f'{heads[0]}\n    """{first}"""\n', *(f"{head} ..." for head in heads[1:])])
