"""Lists in a field of text: JSON arrays, lists as Python and NumPy print them, and values with a sign between them."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Final, Literal

import polars as pl

Syntax = Literal["json", "python"]
"""How lists in brackets are written: as JSON, or as Python prints lists and tuples, and NumPy arrays."""
NO_LISTS: Final = "none"
"""What `split` says where a field holds one value, whatever it looks like."""
SEPARATORS: Final = (", ", ",", "|", ";", " ")
"""What may stand between the items of a list without brackets."""
_QUOTED: Final = r"""'(?:[^'\\]|\\['"\\])*'|"(?:[^"\\]|\\['"\\])*\""""
_NUMBER: Final = r"[-+]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|inf)"
_VALUE: Final = rf"(?:{_QUOTED}|{_NUMBER}|None|nan)"
_VALUES: Final = rf"{_VALUE}(?:[\s,]+{_VALUE})*"
_LIST: Final = rf"^\s*(?:\[\s*(?:{_VALUES})?[\s,]*\]|\(\s*{_VALUE}\s*,[\s,]*(?:{_VALUES})?[\s,]*\))\s*$"
_SCALAR: Final = r"\bnp\.\w+\(([^()]*)\)"
"""A value of NumPy in a list, such as `np.int64(3)`."""
_ID: Final = rf"(?:{_QUOTED}|[-+]?[0-9]+|None|nan)"
_IDS: Final = _LIST.replace(_VALUE, _ID)
"""A list of values that can be ids."""
_NO_VALUE: Final = ("None", "nan")
ODD_ARRAY: Final = r'(?:[^\[\sn]|\[(?:"(?:[^"\\]|\\.)*"|[^"\]])*?(?:\d[.eE]|[\[{tf]|"(?:[^"\\]|\\.)*\\u0000))'
"""The start of JSON that is no array of ids (texts, integers and null), but a single value or an array with a fraction, a truth value, an
array, an object, or a NUL character; what else a text holds does not count."""
_NEARLY_ALL: Final = 0.95
"""The least share of parts that look like ids."""


def listed(field: pl.Expr, split: str | None, syntax: Syntax, ids: bool = False) -> pl.Expr:
    """A field of text as the list that it holds; text without a value holds an empty list, no field at all no list.

    Without `split` it fails for what is no list in brackets, and in a column of `ids` for a list with a value that can be no id.
    """
    if split is None:
        if syntax == "python":
            return _as_python(field, ids)
        odd = field.str.contains(rf"^\s*{ODD_ARRAY}" if ids else r"^\s*[^\[\sn]")
        return pl.when(odd).then(pl.lit("[")).otherwise(field).str.json_decode(pl.List(pl.String))
    text = field.str.strip_chars(" ")
    bracketed = text.str.contains(r"(?s)^\[.*\]$")
    text = pl.when(bracketed).then(text.str.slice(1).str.head(-1).str.strip_chars(" ")).otherwise(text)
    if split == " ":
        text = text.str.replace_all(" +", " ")
    values = pl.when(text == "").then(pl.lit([], dtype=pl.List(pl.String))).otherwise(text.str.split(split))
    plain = values.list.eval(pl.element().str.strip_chars(" "))
    return pl.when(bracketed).then(values.list.eval(pl.element().str.strip_chars(" '\""))).otherwise(plain)


def _as_python(field: pl.Expr, ids: bool) -> pl.Expr:
    text, value = field.str.replace_all(_SCALAR, "$1"), pl.element()
    unquoted = value.str.slice(1).str.head(-1).str.replace_all(r"""\\(['"\\])""", "$1")
    read = pl.when(value.str.contains("^['\"]")).then(unquoted).when(~value.is_in(_NO_VALUE)).then(value)
    # Polars has no way to fail but to convert what cannot be: text that begins with a word to a number.
    failed = pl.when(~text.str.contains(_IDS if ids else _LIST)).then(pl.lit("no list: ") + text).cast(pl.Float64)
    return pl.when(failed.is_null()).then(text.str.extract_all(_VALUE).list.eval(read))


def elements(text: str, split: str | None, syntax: Syntax = "json") -> list[object] | None:
    """The values of a list in text, as `listed` reads them; `None` if it cannot be read."""
    if split is not None:
        inner = text.strip()
        bracketed = inner.startswith("[") and inner.endswith("]")
        parts = (inner[1:-1] if bracketed else inner).strip().split(split)
        return [value for part in parts if (value := part.strip(" '\"" if bracketed else None))]
    if syntax == "json":
        return _of_json(text)
    plain = re.sub(_SCALAR, r"\1", text)
    if not re.search(_LIST, plain):
        return None
    values = re.findall(_VALUE, plain)
    return [
        re.sub(r"""\\(['"\\])""", r"\1", value[1:-1]) if value[0] in "'\"" else None if value in _NO_VALUE else value for value in values
    ]


def fractions(text: str) -> list[str]:
    """The numbers in a list as Python prints it that are no integers, and so can be no ids."""
    return [value for value in re.findall(_VALUE, re.sub(_SCALAR, r"\1", text)) if not re.fullmatch(_ID, value)]


def elements_of(texts: Sequence[str], split: str | None, syntax: Syntax) -> list[str]:
    """The values of the lists that texts hold, as they are written; none of those that cannot be read."""
    values = [value for text in texts for value in elements(text, split, syntax) or () if value is not None]
    return [value if isinstance(value, str) else json.dumps(value) for value in values]


def _of_json(text: str) -> list[object] | None:
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return values if isinstance(values, list) and not any(isinstance(value, dict | list) for value in values) else None


def is_bracketed(text: str) -> bool:
    """Whether a text looks like a list in brackets, readable or not."""
    return (text.startswith("[") and text.endswith("]")) or is_python_list(text)


def is_list(text: str) -> bool:
    """Whether a text is a list in square brackets that can be read."""
    return text.startswith("[") and (_of_json(text) is not None or is_python_list(text))


def is_python_list(text: str) -> bool:
    """Whether a text is a list as Python or NumPy prints it."""
    return ("[" in text or "(" in text) and elements(text, None, "python") is not None


def syntax_of(texts: Sequence[str]) -> Syntax:
    """How lists in brackets are written: as Python prints them if some are that JSON would not have, otherwise as JSON."""
    return "python" if any(_of_json(text) is None and is_python_list(text) for text in texts) else "json"


def suspect(items: Sequence[str], users: Sequence[str]) -> tuple[str, str] | None:
    """A text in a column of items that looks like a list of them, and what seems to separate these; `None` if a row holds one item.

    Brackets give lists away, or a sign between most values if users have one row each.
    """
    texts = [text for text in items if text]
    odd = [text for text in texts if text[0] in "[({" and any(sign in text for sign in ", \n")]
    lists = [text for text in odd if is_python_list(text)]
    if lists or 2 * len(odd) > len(texts):
        example = (lists or odd)[0]
        return example, next((sign for sign in SEPARATORS if sign in example), " ")
    filled = [user for user in users if user]
    sign = separator(texts) if len(set(filled)) == len(filled) else ""
    return (next(text for text in texts if sign in text.strip()), sign) if sign else None


def is_nested(text: str) -> bool:
    """Whether a text is in brackets of which no sign separates plain values: a dictionary, a set, a list of pairs."""
    return text[0] in "({" or (text[0] == "[" and text[1:].lstrip().startswith(("(", "[", "{")))


def separator(texts: Sequence[str]) -> str:
    """What separates the ids in the fields of a column of text; empty if a field holds one id."""
    if any(map(is_nested, texts)):
        return ""
    return next((sign for sign in SEPARATORS if _fits(texts, sign)), "")


def _fits(texts: Sequence[str], sign: str) -> bool:
    """Whether most values contain a sign, and nearly all parts between the signs look like ids with digits."""
    n_values = sum(sign in value.strip() for value in texts)
    parts = [part for value in texts for part in value.strip().split(sign) if part]
    like_ids = sum(any(letter.isdigit() for letter in part) and not any(letter.isspace() for letter in part.strip()) for part in parts)
    return 2 * n_values > len(texts) and like_ids >= _NEARLY_ALL * len(parts)
