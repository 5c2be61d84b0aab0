"""The page docs/python-reference.md: every public name of the library, from its docstring."""

from __future__ import annotations

import inspect
from typing import Any

import receval
from receval.api.display import WithCells
from receval.documents.document import Block, Code, Heading, Paragraph
from receval.metrics.own import metric
from receval.testing import check_metric


def page() -> list[Block]:
    """Return the page; stop if a public name has no docstring."""
    public = {f"receval.{name}": getattr(receval, name) for name in receval.__all__}
    public |= {"receval.testing.check_metric": check_metric}
    assert public["receval.metric"] is metric
    if bare := [name for name, value in public.items() if not inspect.getdoc(value)]:
        raise SystemExit(f"public names without a docstring: {', '.join(bare)}")
    functions = [name for name, value in public.items() if not inspect.isclass(value)]
    errors = [name for name, value in public.items() if inspect.isclass(value) and issubclass(value, Exception)]
    classes = [name for name in public if name not in (*functions, *errors)]
    blocks: list[Block] = [
        Heading("Reference of the library"),
        Paragraph(
            "Every public name. [receval in Python](python.md) shows how they are used; `receval.functional` has a function per metric."
        ),
        Paragraph("Functions: " + ", ".join(f"`{name}`" for name in functions) + "."),
        Paragraph("Classes: " + ", ".join(f"`{name}`" for name in classes) + "."),
        Paragraph("Failures: " + ", ".join(f"`{name}`" for name in errors) + "."),
    ]
    for name in (*functions, *classes, *errors):
        blocks += [Heading(name, 2), *_reference_text(name.rpartition(".")[2], public[name])]
    return blocks


def _reference_text(name: str, value: Any) -> list[Block]:
    """Return the text on a name; for a class also on its own methods and properties, and on `to_dict` of those that are plain values."""
    if not inspect.isclass(value):
        return [Code(_signature(name, value)), *_text(value)]
    blocks = _text(value)
    inherited = vars(WithCells) if issubclass(value, WithCells) else {}
    for member, held in sorted({**inherited, **vars(value)}.items()):
        if member.startswith("_") or not inspect.getdoc(held) or (inspect.isdatadescriptor(held) and not isinstance(held, property)):
            continue
        held = held.__func__ if isinstance(held, classmethod | staticmethod) else held
        if inspect.isfunction(held):
            is_shared = held is getattr(receval, member, None)
            text = [Paragraph(f"It is `receval.{member}` with this object as its first argument.")] if is_shared else _text(held)
            blocks += [Heading(f"`.{member}`", 3), Code(_signature(f".{member}", held, is_method=True)), *text]
        elif isinstance(held, property):
            blocks += [Heading(f"`.{member}`", 3), *_text(held)]
    return blocks


def _signature(name: str, function: Any, *, is_method: bool = False) -> str:
    """Return the call with its types, without the object of a method; a long one has one argument per line."""
    signature = inspect.signature(function)
    written, kind = [], None
    for argument in list(signature.parameters.values())[is_method:]:
        if kind is argument.POSITIONAL_ONLY and argument.kind is not kind:
            written.append("/")
        if argument.kind is argument.KEYWORD_ONLY and kind is not argument.kind:
            written.append("*")
        kind = argument.kind
        stars = {argument.VAR_POSITIONAL: "*", argument.VAR_KEYWORD: "**"}.get(kind, "")
        default = "" if argument.default is argument.empty else f" = {_default(argument.default)}"
        written.append(f"{stars}{argument.name}: {_type(argument.annotation)}{default}")
    end = f" -> {_type(signature.return_annotation)}"
    line = f"{name}({', '.join(written)}){end}"
    return line if len(line) <= 110 else "\n".join([f"{name}(", *(f"    {argument}," for argument in written), f"){end}"])


def _default(value: Any) -> str:
    """Return a default as written in code; `...` for an object without such a form."""
    return "..." if " at 0x" in repr(value) else repr(value)


def _type(annotation: Any) -> str:
    if isinstance(annotation, str):
        return annotation
    return "Any" if annotation is inspect.Signature.empty else inspect.formatannotation(annotation)


def _text(value: Any) -> list[Block]:
    """Return the paragraphs of a docstring; indented ones are code."""
    blocks: list[Block] = []
    for paragraph in (inspect.getdoc(value) or "").split("\n\n"):
        lines = paragraph.splitlines()
        is_code = all(line.startswith("    ") for line in lines)
        blocks.append(Code("\n".join(line[4:] for line in lines)) if is_code else Paragraph(" ".join(map(str.strip, lines))))
    return blocks
