"""The id of a user as a person writes it, the same id as the files have it, and the error for an id that no file has."""

from __future__ import annotations

import re
from typing import Any, Final

import polars as pl

from ..support.errors import DataError
from ..support.synonyms import nearest, question
from .inputs import Inputs

_LARGEST: Final = 1 << 63
_MOST_COMPARED: Final = 20_000
"""Number of ids among which similar ones are searched letter by letter."""
_MOST_NEAR: Final = 3


def written_id(user: Any) -> str:
    r"""Return an id as text; several values that name a user together are joined with `|`, as in results.

    Edge cases: `|` and `\\` in values of a tuple or list are written `\\|` and `\\\\`; a float without decimals is an integer.
    """
    if isinstance(user, tuple | list):
        return "|".join(written_id(part).replace("\\", "\\\\").replace("|", "\\|") for part in user)
    return str(int(user)) if isinstance(user, float) and user.is_integer() else str(user)


def id_of_type(user: str, is_integer: bool) -> int | str | None:
    """Return an id in the type of the files; `None` if no file can have it."""
    if not is_integer:
        return user
    number = int(user) if re.fullmatch(r"-?[0-9]{1,19}", user) else None
    return number if number is not None and -_LARGEST <= number < _LARGEST else None


def id_in(inputs: Inputs, user: str) -> int | str | None:
    """Return an id in the type in which the files of a run are read; `None` if no file can have it."""
    return id_of_type(user, inputs.test.scan.kinds["user"] == "integer")


def unknown_user(user: str, users: pl.Series) -> DataError:
    """Return the error for an id that no file has, with similar ids among the `users`, or else the first ones."""
    near = _near(user, users)
    if near:
        return DataError(f"no file contains the user {user!r}", question(*near))
    if re.fullmatch(r"[0-9a-f]{12}", user):
        hint = "if it is the hash that receval diff shows instead of an id, add --show-users there to see ids"
        return DataError(f"no file contains the user {user!r}", hint)
    kind = ": users are integers" if users.dtype.is_integer() and id_of_type(user, True) is None else ""
    some = ", ".join(map(repr, users.head(_MOST_NEAR).to_list()))
    return DataError(f"no file contains the user {user!r}{kind}", f"users of the test set are, for example, {some}")


def _near(user: str, users: pl.Series) -> list[Any]:
    """Return ids that are the same without spaces, case and leading zeros, and the longest ones that a part of the text names.

    If there are none, ids with few other letters.
    """

    def plain(text: pl.Expr) -> pl.Expr:
        return text.str.strip_chars().str.to_lowercase().str.strip_chars_start("0")

    texts = pl.DataFrame({"id": users, "text": users.cast(pl.String)})
    same = texts.filter(plain(pl.col("text")) == plain(pl.lit(user)))
    if len(same):
        return same["id"].head(_MOST_NEAR).to_list()
    if users.dtype.is_integer() and not re.fullmatch(r"-?[0-9]+", user):
        return []
    length = pl.col("text").str.len_chars()
    alike = texts.filter(length.is_between(len(user) - 2, len(user) + 2))
    if len(alike) > _MOST_COMPARED:
        alike = alike.filter(pl.col("text").str.slice(0, 2) == user[:2])
    ids = dict(alike.head(_MOST_COMPARED).select("text", "id").iter_rows())
    return [ids[text] for text in nearest(user, ids, _MOST_NEAR)]
