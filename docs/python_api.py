"""The page docs/python-api.md: every public name of `receval` with its signature and its docstring."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import receval
from receval.output.blocks import Block, FormulaBlock, Heading, Prose

WIDTH = 100
MADE_BY_CALLERS = ("Evaluator", "Matrix")


def page() -> list[Block]:
    """The page: functions first, then classes, then errors."""
    found = {name: getattr(receval, name) for name in receval.__all__}
    errors = {name: value for name, value in found.items() if inspect.isclass(value) and issubclass(value, Exception)}
    classes = {name: value for name, value in found.items() if inspect.isclass(value) and name not in errors}
    functions = {name: value for name, value in found.items() if not inspect.isclass(value)}
    blocks: list[Block] = [
        Heading("The names of receval in Python"),
        Prose(
            "`import receval`: what can be called, and what comes of it, from the docstrings, which `help(receval.evaluate)` shows too. "
            "[In Python](python.md) shows them in use. `receval.functional` has a function per metric, with the arguments of rs_metrics."
        ),
    ]
    for title, names in (("Functions", functions), ("Classes", classes), ("Errors", errors)):
        blocks.append(Heading(title, 2))
        for name, value in names.items():
            blocks += [Heading(name, 3), *(_of_class(name, value) if inspect.isclass(value) else _of_function(f"receval.{name}", value))]
    return blocks


def _of_function(name: str, function: Callable[..., Any]) -> Iterator[Block]:
    yield FormulaBlock(signature(name, function), "python")
    yield from _doc(function)


def _of_class(name: str, kind: type) -> Iterator[Block]:
    if name in MADE_BY_CALLERS:
        yield FormulaBlock(signature(f"receval.{name}", kind), "python")
    yield from _doc(kind)
    for member, value in vars(kind).items():
        shown = value.fget if isinstance(value, property) else value
        if member.startswith("_") or not inspect.isfunction(shown) or not inspect.getdoc(shown):
            continue
        text = f".{member}" if isinstance(value, property) else signature(f".{member}", shown)
        yield FormulaBlock(text, "python")
        yield from _doc(shown)


def signature(name: str, function: Callable[..., Any]) -> str:
    """The name with its parameters, a line each where they are many."""
    found = inspect.signature(function)
    parameters = [parameter for parameter in found.parameters.values() if parameter.name != "self"]
    written = [*_written(parameters)]
    result = "" if inspect.isclass(function) or found.return_annotation is inspect.Signature.empty else f" -> {found.return_annotation}"
    line = f"{name}({', '.join(written)}){result}"
    return line if len(line) <= WIDTH else "\n".join([f"{name}(", *(f"    {one}," for one in written), f"){result}"])


def _written(parameters: Sequence[inspect.Parameter]) -> Iterator[str]:
    """Each parameter as it is written, with the marks between their kinds."""
    for before, parameter in pairwise([None, *parameters]):
        assert parameter is not None
        if before and before.kind is parameter.POSITIONAL_ONLY is not parameter.kind:
            yield "/"
        if parameter.kind is parameter.KEYWORD_ONLY and (before is None or before.kind is not parameter.KEYWORD_ONLY):
            yield "*"
        stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
        annotation = "" if parameter.annotation is parameter.empty else f": {parameter.annotation}"
        value = getattr(parameter.default, "__name__", None) or repr(parameter.default)  # a function by its name
        default = "" if parameter.default is parameter.empty else f"{' = ' if annotation else '='}{value}"
        yield f"{stars}{parameter.name}{annotation}{default}"


def _doc(value: Any) -> Iterator[Block]:
    """The paragraphs of a docstring; those that stand in are code."""
    for paragraph in re.split(r"\n\s*\n", inspect.getdoc(value) or ""):
        is_code = paragraph.startswith("    ")
        yield FormulaBlock(inspect.cleandoc(paragraph), "python") if is_code else Prose(" ".join(paragraph.split()))
