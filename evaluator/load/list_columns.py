"""Columns with a list per row: of a list type, of fields of lists of structs `[{item, score}]`, or in text.

Lists in text are JSON arrays, lists as Python and NumPy print them, and values with a separator.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

import polars as pl

from ..support.errors import DataError
from ..support.patterns import regex
from ..support.quoting import one_line
from .columns import IDS, MissingColumnsError, UnclearColumnsError, public_name, set_options
from .row_filters import date_layout
from .scan import Fields, Syntax

_TABLES: Final = ("interactions", "lists", "predictions")
"""The tables whose rows may contain a list of items."""
NESTED: Final = "write it as JSON, in a file of its own, or one row per item, with the columns user, item and score"
"""What to do with a cell that holds pairs of items and scores."""
_SEPARATORS: Final = (", ", ",", "|", ";", " ")
"""The possible separators of items in a list without brackets."""
_QUOTED: Final = r"""'(?:[^'\\]|\\['"\\])*'|"(?:[^"\\]|\\['"\\])*\""""
_NUMBER: Final = r"[-+]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|inf)"
_VALUE: Final = rf"(?:{_QUOTED}|{_NUMBER}|None|nan)"
_VALUES: Final = rf"{_VALUE}(?:[\s,]+{_VALUE})*"
_LIST: Final = rf"^\s*(?:\[\s*(?:{_VALUES})?[\s,]*\]|\(\s*{_VALUE}\s*,[\s,]*(?:{_VALUES})?[\s,]*\))\s*$"
_SCALAR: Final = r"\bnp\.\w+\(([^()]*)\)"
"""A value of NumPy in a list, such as `np.int64(3)`."""
_ID: Final = rf"(?:{_QUOTED}|[-+]?[0-9]+|None|nan)"
_IDS: Final = _LIST.replace(_VALUE, _ID)
"""A list of possible ids."""
_NO_VALUE: Final = ("None", "nan")
_NUMBERS: Final = regex(r"\s*[+-]?\d+([.,]\d+)?\s*")
"""A number, perhaps with a decimal comma."""
ODD_ARRAY: Final = r'(?:[^\[\sn]|\[(?:"(?:[^"\\]|\\.)*"|[^"\]])*?(?:\d[.eE]|[\[{tf]|"(?:[^"\\]|\\.)*\\u0000))'
"""The start of JSON that is not an array of ids (texts, integers and null): a single value, or an array with a fraction, a boolean, an
array, an object, or a NUL character; the rest of the text is ignored."""
_NEARLY_ALL: Final = 0.95
"""The smallest share of parts that must look like ids."""


def may_hold_lists(table: str) -> bool:
    """Return whether a row of `table` may contain a list of items."""
    return table in _TABLES


def as_list_columns(where: str, table: str, nested: Sequence[str]) -> frozenset[str]:
    """Return the canonical columns with lists (`nested`) as a set; raise `DataError` if rows of `table` cannot have lists in them."""
    if not nested:
        return frozenset()
    if table not in _TABLES or "item" not in nested or "user" in nested:
        column = "user" if "user" in nested else nested[0]
        raise DataError(
            f"{where}: the {public_name(column)} column contains lists{'' if 'item' in nested else ', but the item column does not'}",
            "a row may contain one user, a list of items and a list of their scores, ranks or ratings with the same length",
        )
    return frozenset(nested)


def text_lists(
    where: str,
    table: str,
    columns: Mapping[str, str],
    samples: Mapping[str, Sequence[str]],
    split: str | None,
    *,
    nested: frozenset[str] = frozenset(),
    one_suffices: bool = False,
) -> tuple[dict[str, Any], dict[str, list[str]]]:
    """Return the fields of the scan on columns with lists, and the values of columns with lists in text.

    `nested` are columns of list types, `samples` texts of other columns. Without `split`, a column has lists if all its texts look like
    lists, or if one does with `one_suffices` (for files that cannot write lists in another way); other values are refused when they are
    read. With `split` the items are always lists; another column has lists if any of its fields has the separator. Raises `DataError` if
    texts look like lists but are not read as such.
    """
    listed = []
    for column, sample in samples.items():
        texts = {text for value in sample if (text := value.strip())}
        if split is not None:
            is_one = column == "item" or (column not in IDS and any(split in text for text in texts))
        else:
            in_brackets = ((text.startswith("[") and text.endswith("]")) or is_python_list(text) for text in texts)
            is_one = bool(texts) and (all(in_brackets) or (one_suffices and any(map(is_list, texts))))
        listed += [column] if is_one else []
    in_text = as_list_columns(where, table, listed)
    if not in_text and {"user", "item"} <= samples.keys():
        _refuse_unsplit(where, columns["item"], [text for text in samples["item"] if text], samples["user"])
    listed_texts = [text for column in in_text for text in samples[column]]
    in_python = any(_json_list(text) is None and is_python_list(text) for text in listed_texts)
    syntax: Syntax = "python" if in_python else "json"
    scanned = {"lists": nested or in_text, "lists_in_text": bool(in_text), "list_syntax": syntax}
    return scanned, {column: _elements_of(samples[column], split, syntax) for column in in_text}


def _refuse_unsplit(where: str, name: str, texts: Sequence[str], users: Sequence[str]) -> None:
    """Raise `DataError` if texts of the column `name`, each of which would be read as one item, look like lists of items.

    Lists are recognised by brackets, or, if users have one row each, by a separator in most values.
    """
    odd = [text for text in texts if text[0] in "[({" and any(sign in text for sign in ", \n")]
    lists = [text for text in odd if is_python_list(text)]
    if lists or 2 * len(odd) > len(texts):
        text = (lists or odd)[0]
        sign = next((sign for sign in _SEPARATORS if sign in text), " ")
    else:
        filled = [user for user in users if user]
        sign = separator(texts) if len(set(filled)) == len(filled) else ""
        if not sign:
            return
        text = next(text for text in texts if sign in text.strip())
    shown = text if len(text) <= 40 else f"{text[:40]}…"
    raise UnclearColumnsError(
        f"{where}: column {name!r} contains text such as {shown!r}, which looks like a list of items and would be read as one item",
        f"{NESTED if is_nested(text) else f'set split: {sign!r}, the separator of the items{_by(set_options(where, split=sign))}'}; "
        "or split: none if each text is one item",
    )


def _by(options: str) -> str:
    return f", or by {options}" if options else ""


def with_lists_in(error: MissingColumnsError, where: str, samples: Mapping[str, Sequence[str]]) -> MissingColumnsError:
    """Return the error on a missing column of items with the settings for the first column of `samples` that looks like lists of items.

    A column of users may be missing, too.
    """
    user = {"user": error.likely["user"]} if "user" in error.likely else {}
    free = {name: [text for text in texts if text] for name, texts in samples.items() if name not in user.values()}
    signs = ((name, separator(texts)) for name, texts in free.items() if texts and not all(map(_NUMBERS.fullmatch, texts)))
    name, sign = next(((name, sign) for name, sign in signs if sign), ("", ""))
    if not sign or "item" not in error.missing:
        return error
    keys = {**user, "item": name}
    settings = {**{f"columns__{key}": column for key, column in keys.items()}, "split": sign}
    columns = ", ".join(f"{key}: {column}" for key, column in keys.items())
    hint = f"column {name!r} looks like lists of items: set columns: {{{columns}}} and split: {sign!r}{_by(set_options(where, **settings))}"
    error.hint, error.keys = one_line(hint), settings
    return error


def fields_of(schema: Mapping[str, pl.DataType]) -> Fields:
    """Return the fields of all lists of structs: by their names, or as `column.field` if another column has that name."""
    structs = {name: inner for name, dtype in schema.items() if isinstance(inner := _inner(dtype), pl.Struct)}
    found = [(name, field.name) for name, struct in structs.items() for field in struct.fields]
    taken = [*(name for name in schema if name not in structs), *(field for _, field in found)]
    return {field if taken.count(field) == 1 else f"{name}.{field}": (name, field) for name, field in found}


def flat_types(schema: Mapping[str, pl.DataType], fields: Fields) -> dict[str, pl.DataType]:
    """Return the types of all columns, with lists of structs replaced by their `fields`."""
    flat: dict[str, pl.DataType] = {}
    for name, dtype in schema.items():
        struct = _inner(dtype)
        if isinstance(struct, pl.Struct):
            types = {field.name: field.dtype for field in struct.fields}
            flat |= {made: pl.List(types[field]) for made, (column, field) in fields.items() if column == name}
        else:
            flat[name] = dtype
    return flat


def with_fields(frame: pl.LazyFrame, fields: Fields, names: Collection[str]) -> pl.LazyFrame:
    """Return a frame with the `fields` in `names` as columns, without the structs."""
    wanted = {name: place for name, place in fields.items() if name in names}
    if not wanted:
        return frame
    structs = {column for column, _ in wanted.values()}
    lists = {
        column: pl.col(column).arr.to_list() if isinstance(frame.collect_schema()[column], pl.Array) else pl.col(column)
        for column in structs
    }
    made = [lists[column].list.eval(pl.element().struct.field(field)).alias(name) for name, (column, field) in wanted.items()]
    return frame.with_columns(made).drop(structs - wanted.keys())


def value_of(record: Mapping[str, Any], name: str, fields: Fields) -> Any:
    """Return the value of a column in a JSON object, or the list of the values of a field."""
    column, field = fields.get(name, (name, ""))
    held = record.get(column)
    if name not in fields or not isinstance(held, list):
        return held
    return [element.get(field) if isinstance(element, dict) else element for element in held]


def _inner(dtype: pl.DataType) -> Any:
    return dtype.inner if isinstance(dtype, pl.List | pl.Array) else None


def listed(field: pl.Expr, split: str | None, syntax: Syntax, ids: bool = False) -> pl.Expr:
    """Return an expression that parses a text as a list; empty text gives an empty list, null stays null.

    One separator after the last value is ignored; any other empty value is a missing one.

    Without `split` it fails for text that is not a list in brackets, and, in a column of `ids`, for a list with a value that is not an id.
    """
    value = pl.element()
    if split is None and syntax == "python":
        text = field.str.replace_all(_SCALAR, "$1")
        unquoted = value.str.slice(1).str.head(-1).str.replace_all(r"""\\(['"\\])""", "$1")
        read = pl.when(value.str.contains("^['\"]")).then(unquoted).when(~value.is_in(_NO_VALUE)).then(value)
        # Polars can only be made to fail by an impossible conversion: text that begins with a word to a number.
        failed = pl.when(~text.str.contains(_IDS if ids else _LIST)).then(pl.lit("no list: ") + text).cast(pl.Float64)
        return pl.when(failed.is_null()).then(text.str.extract_all(_VALUE).list.eval(read))
    if split is None:
        odd = field.str.contains(rf"^\s*{ODD_ARRAY}" if ids else r"^\s*[^\[\sn]")
        return pl.when(odd).then(pl.lit("[")).otherwise(field).str.json_decode(pl.List(pl.String))
    text = field.str.strip_chars(" ")
    bracketed = text.str.contains(r"(?s)^\[.*\]$")
    text = pl.when(bracketed).then(text.str.slice(1).str.head(-1).str.strip_chars(" ")).otherwise(text)
    if split == " ":
        text = text.str.replace_all(" +", " ")
    whole = text.str.strip_suffix(split)  # a separator after the last value
    values = pl.when(text == "").then(pl.lit([], dtype=pl.List(pl.String))).otherwise(whole.str.split(split))
    plain = values.list.eval(value.str.strip_chars(" "))
    return pl.when(bracketed).then(values.list.eval(value.str.strip_chars(" '\""))).otherwise(plain)


def elements(text: str, split: str | None, syntax: Syntax = "json") -> list[object] | None:
    """Return the values of a list in text, as `listed` reads them; `None` if it cannot be read."""
    if split is not None:
        inner = text.strip()
        bracketed = inner.startswith("[") and inner.endswith("]")
        parts = (inner[1:-1] if bracketed else inner).strip().split(split)
        return [value for part in parts if (value := part.strip(" '\"" if bracketed else None))]
    if syntax == "json":
        return _json_list(text)
    plain = re.sub(_SCALAR, r"\1", text)
    if not re.search(_LIST, plain):
        return None
    values = re.findall(_VALUE, plain)
    return [
        re.sub(r"""\\(['"\\])""", r"\1", value[1:-1]) if value[0] in "'\"" else None if value in _NO_VALUE else value for value in values
    ]


def fractions(text: str) -> list[str]:
    """Return the numbers in a list as Python prints it that are not integers, and so cannot be ids."""
    return [value for value in re.findall(_VALUE, re.sub(_SCALAR, r"\1", text)) if not re.fullmatch(_ID, value)]


def _elements_of(texts: Sequence[str], split: str | None, syntax: Syntax) -> list[str]:
    """Return the values of lists in texts, as written; lists that cannot be read are skipped."""
    values = [value for text in texts for value in elements(text, split, syntax) or () if value is not None]
    return [value if isinstance(value, str) else json.dumps(value) for value in values]


def _json_list(text: str) -> list[object] | None:
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return values if isinstance(values, list) and not any(isinstance(value, dict | list) for value in values) else None


def is_list(text: str) -> bool:
    """Return whether a text is a readable list in square brackets."""
    return text.startswith("[") and (_json_list(text) is not None or is_python_list(text))


def is_python_list(text: str) -> bool:
    """Return whether a text is a list as Python or NumPy prints it."""
    return ("[" in text or "(" in text) and elements(text, None, "python") is not None


def is_nested(text: str) -> bool:
    """Return whether a text is in brackets but not a list of plain values: a dictionary, a set, a list of pairs."""
    return text[0] in "({" or (text[0] == "[" and text[1:].lstrip().startswith(("(", "[", "{")))


def separator(texts: Sequence[str]) -> str:
    """Return the separator of ids in the fields of a text column; empty if a field has one id.

    Most values contain it, and nearly all parts look like ids with digits. Dates with times are no lists.
    """
    is_list = not any(map(is_nested, texts)) and not all(map(date_layout, texts))
    for sign in _SEPARATORS if is_list else ():
        parts = [part for value in texts for part in value.strip().split(sign) if part]
        like_ids = sum(any(letter.isdigit() for letter in part) and not any(letter.isspace() for letter in part.strip()) for part in parts)
        if 2 * sum(sign in value.strip() for value in texts) > len(texts) and like_ids >= _NEARLY_ALL * len(parts):
            return sign
    return ""
