"""Find the column of each role: by usual names, by the mapping of the config, or by position without a header. Long: tables of names."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from ..support.errors import DataError, worded
from ..support.patterns import regex
from ..support.synonyms import did_you_mean
from .column_words import likely_column, order_columns
from .scan import FILTER_COLUMN, KEY_COLUMN, ReadOptions, SharedName

TYPED_NAME: Final = regex(r"(?P<name>[^:]+):(token|token_seq|float|float_seq)")
"""A column name of a RecBole file."""
_USUAL: Final[dict[str, tuple[str, ...]]] = {
    "user": (
        "user", "userid", "uid", "users", "useridx", "userindex", "usernumber", "query", "queryid", "qid", "target",
        "customer", "customerid", "visitor", "visitorid", "account", "accountid", "member", "memberid",
    ),
    "item": (
        "item", "itemid", "iid", "items", "itemids", "recommendations", "itemidx", "itemindex", "doc", "docid", "docno", "candidate",
        "movie", "movieid",
        "product", "productid", "article", "articleid", "track", "trackid", "book", "bookid", "asin", "sku",
    ),
    "rating": ("rating", "ratings", "relevance", "rel", "label", "stars", "grade", "feedback"),
    "score": (
        "score", "scores", "prediction", "pred", "predictedscore", "predictedrating", "relevancescore", "sim", "est", "estimate",
        "probability", "prob", "logit",
    ),
    "position": ("rank", "ranks", "ranking", "position", "pos"),
    "shelf": (),
    "prediction": ("prediction", "predictions", "pred", "predictedrating", "predictedscore", "estimate", "est"),
    "other": (
        "other", "otheritem", "otheritemid", "item2", "itemid2", "iid2", "itemb", "itemidb", "neighbour", "neighbourid", "neighbor",
        "neighborid", "target", "targetitem", "targetitemid",
    ),
    "distance": ("distance", "distances", "dist", "dissimilarity"),
    "timestamp": ("timestamp", "time", "ts", "datetime", "date", "unixtime", "epoch"),
}  # fmt: skip
SCORE_NAMES: Final = frozenset(_USUAL["score"])
"""Usual names of a column of scores, in lower case and without `_`."""
_NO_CATEGORY: Final = frozenset(("(no genres listed)", "unknown", "none", "n/a", "-"))
"""Usual words for no category, in lower case."""
_SECOND: Final[dict[tuple[str, str], tuple[str, ...]]] = {
    ("lists", "score"): ("rating", "relevance"),
    ("policy", "score"): ("rating", "relevance"),
    ("predictions", "prediction"): ("score", "scores"),
    ("interactions", "timestamp"): (
        "eventtime",
        "eventtimestamp",
        "eventdate",
        "eventts",
        "createdat",
        "createdtime",
        "createddate",
        "creationtime",
        "creationdate",
        "occurredat",
        "orderdate",
        "ordertime",
        "orderedat",
        "purchasedate",
        "purchasetime",
        "purchasedat",
        "transactiondate",
        "transactiontime",
        "invoicedate",
        "reviewtime",
        "reviewdate",
        "unixreviewtime",
        "ratedat",
        "ratingtime",
        "ratingtimestamp",
        "ratingdate",
        "viewedat",
        "watchedat",
        "clickedat",
        "clicktime",
        "listenedat",
        "playedat",
        "visittime",
        "visitdate",
        "interactiontime",
        "interactiondate",
        "actiontime",
        "actiondate",
        "timestampms",
        "unixtimestamp",
        "utctime",
        "servertime",
    ),
    ("distances", "item"): ("item1", "itemid1", "iid1", "itema", "itemida", "source", "sourceitem", "sourceitemid"),
}
"""Further names for single kinds of table, used if no usual name is there."""
_EVENTS: Final = (
    "event", "eventtype", "eventname", "type", "action", "actiontype", "interaction", "interactiontype", "behavior", "behaviortype",
    "behaviour", "behaviourtype", "feedbacktype",
)  # fmt: skip
"""The usual names of event columns (view, click, purchase, …)."""
_LABELS: Final = (
    "click", "clicks", "clicked", "isclick", "isclicked", "purchase", "purchased", "ispurchase", "ispurchased", "bought", "like", "liked",
    "isliked", "islike", "converted", "conversion", "positive", "ispositive", "relevant", "isrelevant",
)  # fmt: skip
"""The usual names of columns that are 1 for what a recommender predicts and 0 for the rest; `label` is a rating."""
_PARTS: Final = ("split", "set", "subset", "partition", "phase", "datasplit", "dataset", "part")
_BOOLEANS: Final = (("1", "0"), ("true", "false"), ("yes", "no"), ("y", "n"), ("t", "f"))
"""The values for true and false."""
_TABLES: Final[dict[str, tuple[tuple[str, ...], tuple[str, ...], tuple[tuple[str, ...], ...]]]] = {
    "interactions": (
        ("user", "item"), ("rating", "timestamp"), (("user", "item"), ("user", "item", "rating"), ("user", "item", "rating", "timestamp"))
    ),
    "lists": (("user", "item"), ("position", "score", "shelf"), (("user", "item"), ("user", "item", "score"))),
    "catalogue": (("item",), (), (("item",),)),
    "people": (("user",), (), (("user",),)),
    "policy": (("item", "score"), ("user",), (("item", "score"), ("user", "item", "score"))),
    "predictions": (("user", "item", "prediction"), (), (("user", "item", "prediction"),)),
    "distances": (("item", "other", "distance"), (), (("item", "other", "distance"),)),
}  # fmt: skip
"""The columns that each table must have, those that it may have, and their order in rows without names."""
_KEYS: Final = {"position": "rank", "shelf": "row"}
"""Canonical name → name in the config, if they differ."""
_SOURCE: Final = regex(r"data(?:\.(?:recommendations\.[\w-]+|[a-z_]+))?(?=: )")
_TELLING: Final = ("user", "item", "rating", "score", "position", "timestamp")
"""The roles whose names identify a header: those of the tables that may have none."""
IDS: Final = {"user": "user", "item": "item", "other": "item"}
"""The columns of ids, and whose ids they hold."""
CAST_IDS: Final = (
    "ids are integers or text: cast whole numbers with .cast(pl.Int64) in Polars or .astype('int64') in pandas, others with "
    ".cast(pl.String) or .astype(str)"
)
FLAT: Final = "write one value per row, or one text in which the values are separated"
ORDERING: Final = ("position", "score")
"""The columns that order a list, whose numbers are compared exactly."""
_MOST_NAMES: Final = 10
"""Number of columns that a message names."""
LARGEST_EXACT: Final = 1 << 53
"""Larger integers are not exact in double precision."""


def names_a_column(name: str) -> bool:
    """Return whether `name` is a usual name of a column that identifies a header."""
    return any(_fold(name) in _USUAL[role] for role in _TELLING)


def is_certain_name(name: str) -> bool:
    """Return whether `name` is an unambiguous usual name, such as `item_id` or `user`, unlike `book`, which may also be a title."""
    folded = _fold(name)
    return names_a_column(name) and (folded in ("user", "users", "item", "items") or folded.endswith(("id", "ids", "idx", "index")))


@lru_cache(1024)
def usual_roles(name: str) -> frozenset[str]:
    """Return the roles that a column called `name` usually has."""
    folded, second = _fold(name), {"timestamp": _SECOND["interactions", "timestamp"]}
    return frozenset(role for role, names in _USUAL.items() if folded in (*names, *second.get(role, ())))


def says_what_happened(name: str, values: Collection[str] | None = None) -> bool:
    """Return whether `name` is a usual name of an event column (view, purchase, …), of a label, or of the part of a log.

    The `values` of a label are true and false, and those of parts train and test.
    """
    is_label = _fold(name) in _LABELS and (values is None or true_of(values) is not None)
    return _fold(name) in _EVENTS or is_label or says_part(name, values)


def says_part(name: str, values: Collection[str] | None = None) -> bool:
    """Return whether `name` is a usual name of a column that says which rows of a log are train and which are test."""
    words = {value.lower() for value in values or ()}
    return _fold(name) in _PARTS and (values is None or ("test" in words and not words.isdisjoint(("train", "training"))))


def true_of(values: Collection[str]) -> str | None:
    """Return the value for true if `values` are one for true and one for false; else `None`."""
    by_name = {value.lower(): value for value in values}
    return next((by_name[true] for true, false in _BOOLEANS if by_name.keys() == {true, false}), None)


def is_no_category(value: str) -> bool:
    """Return whether `value` is a usual word for an item without a category, such as the `(no genres listed)` of MovieLens."""
    return value.lower() in _NO_CATEGORY


def public_name(column: str) -> str:
    """Return the name of a canonical column in the config and in messages."""
    return _KEYS.get(column, column)


class UnclearColumnsError(DataError):
    """Neither names nor positions say which column has which role (exit code 3)."""


class MissingColumnsError(UnclearColumnsError):
    """No column of a file has the name of a required role (exit code 3); `likely` has those that a column of another name may have.

    `keys` are the keys of the config to set in the source of `where`: names of columns, and `split` if one of them has lists.
    """

    def __init__(
        self, where: str, columns: Sequence[str], missing: Sequence[str], likely: Mapping[str, str], has_header: bool | None
    ) -> None:
        self.where, self.missing, self.likely = where, missing, likely
        keys = {public_name(role): likely.get(role, "NAME") for role in missing}
        which = " and ".join(f"column {name!r} may be the {public_name(role)}" for role, name in likely.items())
        self.keys = {f"columns__{key}": name for key, name in keys.items()}
        no_header = ", or set header: false if the first line is data" if has_header is not None and not likely else ""
        super().__init__(
            f"{where}: no {' and no '.join(keys)} column; the columns are {_first_names(columns)}",
            f"{which}{': ' * bool(which)}set {'it' if len(keys) == 1 else 'them'} in the config, {_mapping(where, keys)}{no_header}",
        )


def all_missing(errors: Sequence[MissingColumnsError], *, has_config: bool) -> DataError:
    """Return the error about columns that one or several sources lack, with a line for each, and with the way to a config."""
    way = "" if has_config else worded("; receval run … --print-config prints the config to set them in", argument="")
    if len(errors) == 1:
        return DataError(errors[0].message, f"{errors[0].hint}{way}")
    given = {key: {error.keys.get(key, "") for error in errors} - {""} for error in errors for key in error.keys}
    of_all = {key: min(names) for key, names in given.items() if len(names) == 1 and key != "split"}
    of_one = (set_options(error.where, **{key: name for key, name in error.keys.items() if key not in of_all}) for error in errors)
    options = " ".join(filter(None, (set_options("data: ", **of_all), *of_one)))
    columns = ", ".join(f"{key.removeprefix('columns__')}: {of_all.get(key, 'NAME')}" for key in given if key != "split")
    other = set_options(errors[0].where, **dict.fromkeys([*of_all][-1:], "NAME"))
    of_file = worded(f", or for one file by {other}", argument="") if other else ""
    hint = f"set them in the config, data.columns: {{{columns}}}, or by {options}{of_file}{way}"
    return DataError([error.message for error in errors], hint)


def set_options(where: str, **keys: str) -> str:
    """Return the options that set keys of the source with which `where` begins (`columns__item` is `columns.item`); empty if it is none."""
    source = _SOURCE.match(where)
    settings = (f"{source[0]}.{key.replace('__', '.')}={value}" for key, value in keys.items()) if source else ()
    return " ".join(f"--set {shlex.quote(setting)}" for setting in settings)


def recognise(
    where: str,
    table: str,
    columns: Sequence[str],
    given: Mapping[str, Any],
    has_header: bool | None,
    numbers: Collection[str] = (),
    absent: Collection[str] = (),
) -> dict[str, str]:
    """Return canonical name → name in the file, for the columns of `table` that the file has.

    `columns` are the file's column names, `given` the mapping of the config: a name, or a position from 1; a `SharedName` that the file
    does not have is ignored. `has_header` is `None` where columns have names without one, as in Parquet and frames. Lists without a usual
    name of a rank or score have the one of the `numbers` whose words say it. The file has none of the `absent` columns. Raises `DataError`
    if a required or a given column is missing, or if two columns fit and none is given.
    """
    required, optional, layouts = _TABLES[table]
    optional = tuple(role for role in optional if public_name(role) not in absent)
    given = {key: _as_stored(name, columns) for key, name in given.items()}
    of_user = {role for role, name in given.items() if role == "user" or role.startswith(KEY_COLUMN)}
    has_part = any(given[role] in columns for role in of_user)
    given = {
        key: name for key, name in given.items() if not isinstance(name, SharedName) or name in columns or (has_part and key in of_user)
    }
    if has_header is False and not given and table == "catalogue":  # what describes items begins with their id
        return {"item": columns[0]}
    if has_header is False and not given:
        example = ", ".join(f"{role}: {index}" for index, role in enumerate(layouts[-1][:2], 1))
        hint = f"set them in the config, columns: {{{example}, …}} counting from 1"
        roles = names_by_position(where, table, len(columns), f"{len(columns)} columns and no header", hint)
        return {role: name for role, name in zip(roles, columns, strict=True) if public_name(role) not in absent}
    names: dict[str, str] = {}
    parts = {_given(where, "user", name, columns) if isinstance(name, int) else name for name in _parts(given).values()}
    named_in_config = {name for key, name in given.items() if isinstance(name, str) and not key.startswith(KEY_COLUMN)}
    for role in (*required, *optional):
        key = public_name(role)
        taken = {*names.values(), *named_in_config, *(parts if role in optional else ())}
        if key in given:
            names[role] = _given(where, key, given[key], columns)
        elif has_header is not False and (name := _usual(where, table, role, columns, taken)) is not None:
            names[role] = name
    if missing := [role for role in required if role not in names]:
        likely = {role: name for role in missing if has_header is not False and (name := likely_column(role, columns, names.values()))}
        raise MissingColumnsError(where, columns, missing, likely, has_header)
    if table == "lists" and has_header is not False and not set(ORDERING) & names.keys():
        found = _order_by_words(where, [name for name in columns if name in numbers and name not in names.values()])
        names |= {role: name for role, name in found.items() if role in optional}
    if len(set(names.values())) < len(names):
        raise DataError(f"{where}: one column is mapped to two roles: {names}")
    return names


def _order_by_words(where: str, free: Sequence[str]) -> dict[str, str]:
    """Return the only column whose words say a score or a rank, by its role; none if no column does. `DataError` if several do."""
    found = order_columns(free)
    if len(found) > 1:
        name, role = next(iter(found.items()))
        which = " and ".join(map(repr, found))
        hint = f"choose one in the config, {_mapping(where, {public_name(role): name})}"
        raise UnclearColumnsError(f"{where}: {which} could each be the score or the rank", hint)
    return {role: name for name, role in found.items()}


def order_found_by_words(table: str, names: Mapping[str, str], given: Mapping[str, Any]) -> str:
    """Return a remark if the column that orders lists was found by the words in its name; else an empty text."""
    for role in ORDERING if table == "lists" else ():
        name, wanted = names.get(role, ""), given.get(public_name(role))
        is_given = isinstance(wanted, int | tuple) or (wanted is not None and name in (wanted, without_type(wanted)))
        if name and not is_given and _fold(name) not in (*_USUAL[role], *_SECOND.get((table, role), ())) and order_columns([name]):
            return f"the {public_name(role)} is in column {name!r}, by its name"
    return ""


def _mapping(where: str, keys: Mapping[str, str]) -> str:
    """Return the key `columns` of a config that maps these columns, and the options that do, if `where` begins with a source."""
    options = _options(where, keys)
    return f"columns: {{{', '.join(f'{key}: {name}' for key, name in keys.items())}}}{', or by ' if options else ''}{options}"


def _options(where: str, keys: Mapping[str, str]) -> str:
    return set_options(where, **{f"columns__{key}": name for key, name in keys.items()})


def without_type(name: str) -> str:
    """Return the name of a column of RecBole without its type; any other name unchanged."""
    match = TYPED_NAME.fullmatch(name)
    return match["name"] if match else name


def _stored(name: str, columns: Sequence[str]) -> str:
    """Return a name, without the type of RecBole if only that is a column."""
    return name if name in columns or without_type(name) not in columns else without_type(name)


def _as_stored(name: str | int, columns: Sequence[str]) -> str | int:
    """Return a name as `_stored` does, of the same class; a position stays."""
    return type(name)(_stored(name, columns)) if isinstance(name, str) else name


def named(
    where: str, table: str, columns: Sequence[str], options: ReadOptions, has_header: bool | None, numbers: Collection[str] = ()
) -> tuple[dict[str, str], dict[str, str]]:
    """Return the names in the file of columns with a role (see `recognise`), and of others: `key_1`, …, `label_0`, …, `where_0`, ….

    The others are further columns of the users' ids, labels, and the columns of the filter, in their order. Raises `DataError` if one is
    missing, or a label has a role.
    """
    labels = [_stored(_by_position(label, columns), columns) for label in options.labels]
    unknown = [label for label in labels if label not in columns]
    if has_header is False and unknown:  # checked first, because it also causes wrong guesses of columns
        raise DataError(
            f"{where}: there is no column {unknown[0]!r}, because the file has no header",
            "name the column by its position, counting from 1, or set header: true if there is a header",
        )
    names = recognise(where, table, columns, options.columns, has_header, numbers, options.absent)
    key = key_columns(where, table, columns, options.columns, names)
    for label in labels:
        for role in (role for role, name in names.items() if name == label and role in IDS and not (key and role == "user")):
            raise DataError(f"{where}: column {label!r} holds the {role} ids, not a property of them", "choose another column")
        if label not in columns:
            raise _unknown(where, label, columns, "choose one of these, or add the column")
    others = key | {f"label_{index}": label for index, label in enumerate(labels)}
    by_role = {role: name for role, name in names.items() if role != "user"} if key else names
    in_filter = (_filter_column(where, name, columns, by_role) for name in options.filter_columns)
    return names, others | {f"{FILTER_COLUMN}{index}": name for index, name in enumerate(in_filter)}


def _parts(given: Mapping[str, str | int]) -> dict[str, str | int]:
    """Return the further columns of the users' ids in a mapping of columns."""
    return {role: name for role, name in given.items() if role.startswith(KEY_COLUMN)}


def key_columns(where: str, table: str, columns: Sequence[str], given: Mapping[str, str | int], names: Mapping[str, str]) -> dict[str, str]:
    """Return the names in the file of further columns that are the id of a user: `key_1`, `key_2`, …; empty if one column is.

    `names` are those of columns with a role, see `recognise`. Columns that sources share are used if the file has one of them. Raises
    `DataError` if the file then lacks one, or if one has another role.
    """
    parts = _parts(given)
    required, optional, _ = _TABLES[table]
    if not parts or "user" not in (*required, *optional):
        return {}
    whole = [_as_stored(name, columns) for name in (given["user"], *parts.values())]
    if not any(name in columns or not isinstance(name, SharedName) for name in whole):
        return {}
    _, *others = [_given(where, "user", name, columns) for name in whole]
    twice = next((name for name in others if name in names.values()), None)
    if twice is not None:
        raise DataError(f"{where}: column {twice!r} is part of the user id and has another role: {names}")
    return dict(zip(parts, others, strict=True))


def _by_position(label: str, columns: Sequence[str]) -> str:
    """Return the name of the column whose position, counting from 1, a label is; a label that is no position stays."""
    position = int(label) if label.isdecimal() and label not in columns and len(label) < 6 else 0
    return columns[position - 1] if 1 <= position <= len(columns) else label


def _filter_column(where: str, name: str, columns: Sequence[str], names: Mapping[str, str]) -> str:
    """Return the column of the file that a filter names by its name in the file, its position or its role."""
    name = _by_position(name, columns)
    if columns.count(name) > 1:
        raise DataError(f"{where}: {columns.count(name)} columns are called {name!r}, which the filter names", "rename all but one")
    by_role = {public_name(role): column for role, column in names.items()}
    if name not in columns and name not in by_role:
        raise _unknown(f"{where}: where", name, columns, "correct the filter")
    return name if name in columns else by_role[name]


def _given(where: str, key: str, name: str | int, columns: Sequence[str]) -> str:
    if isinstance(name, int):
        if not 1 <= name <= len(columns):
            raise DataError(f"{where}: there is no column {name}, only {len(columns)}", f"columns.{key} counts from 1")
        return columns[name - 1]
    if name not in columns:
        raise _unknown(where, name, columns, f"correct columns.{key} in the config")
    if columns.count(name) > 1:
        raise DataError(f"{where}: {columns.count(name)} columns are called {name!r}", "rename all but one")
    return name


def _unknown(where: str, name: str, columns: Sequence[str], hint: str) -> DataError:
    """Return the error for a name that is not a column; `hint` is used if no column has a similar name."""
    message = f"{where}: no column {name!r}; the columns are {_first_names(columns)}"
    return DataError(message, did_you_mean(name, columns, hint))


def _first_names(columns: Sequence[str]) -> str:
    """Join names of columns; of many, give the first ten and the number of the rest."""
    more = len(columns) - _MOST_NAMES
    return ", ".join(map(repr, columns[:_MOST_NAMES])) + (f" and {more:,} more" if more > 0 else "")


def _usual(where: str, table: str, role: str, columns: Sequence[str], taken: set[str]) -> str | None:
    for names in (_USUAL[role], _SECOND.get((table, role), ())):
        fits = [name for name in columns if _fold(name) in names and name not in taken]
        if role == "timestamp" and len(fits) > 1:  # optional: no time if several columns fit
            return None
        fits = [name for name in fits if name == public_name(role)] or fits
        if len(fits) > 1:
            key = public_name(role)
            raise UnclearColumnsError(
                f"{where}: {' and '.join(map(repr, fits))} could both be the {key} column",
                f"choose one in the config, columns: {{{key}: {fits[0]}}}",
            )
        if fits:
            return fits[0]
    return None


def names_by_position(
    where: str, table: str, n: int, held: str = "", hint: str = "give records, [{'user': 1, 'item': 2}], to name them"
) -> tuple[str, ...]:
    """Return the names of the columns of a row of `n` values without names; raise `DataError` if no row of `table` has so many."""
    layouts = _TABLES[table][2]
    for layout in layouts:
        if len(layout) == n:
            return layout
    raise UnclearColumnsError(f"{where}: {held or f'rows of {n} values'}, where {' or '.join(map(', '.join, layouts))} was expected", hint)


def _fold(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())
