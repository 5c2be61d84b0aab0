"""What columns say about their roles, in bits: names, positions, values, and ids in common with the other files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final, Literal

from msgspec import Struct

from ..load.columns import usual_roles
from .names import bits_of, has_word, meanings
from .sampled_values import KnownIds, SampledColumn, overlap, share
from .sheets import Sheet

Table = Literal["interactions", "lists"]
Order = Literal["rank", "score", "ascending", "rating", "file"]
"""What orders a list or judges a row: `ascending` is a score of which lower is better, `file` the order of the rows."""
MARGIN: Final = 6.0
"""A reading is taken if it is 2^6 times as likely as every other one that gives different rows."""
MOST_GRADES: Final = 11
"""Number of distinct values of grades, at most: 0 to 10."""
NUMBERS: Final = ("integer", "decimal", "whole", "boolean", "time", "comma")
"""The kinds of columns that may order a list or judge a row."""
_PRESET = 20.0
"""Bits of the role that a format gives a column."""
_FULL: Final = 0.95
"""A column of which fewer rows have a value has gaps, which judge rows if all values are the same."""
_NAMED_POSITION, _POSITION = 1.5, 4.0
_OPPOSITE: Final = 20.0
"""Bits against items whose name says what a model predicted, in a test file, or what is true, in lists."""
_FEW: Final = 10
_LEANS: Final = 4.0
"""Bits of a further word in the name of items: `true_items` in a test file, `rec_items` in lists."""
_USUAL_NAME: Final = 15.0
"""Bits of a usual name of what orders or judges, if the numbers do not count the rows of each user: it is never left unread."""
_ROLE_OF_ORDER: Final[Mapping[Order, str]] = {"score": "score", "rank": "position", "rating": "rating"}


class Judge(Struct, frozen=True):
    """A column that orders lists or judges rows of a test file; without one, the order of the file, or every row is relevant."""

    column: SampledColumn | None
    order: Order
    bits: float = 0.0
    why: str = ""


def user_bits(sheet: Sheet, column: SampledColumn, table: Table, known: KnownIds) -> tuple[float, str]:
    """Return the bits that a column has the users, and a reason worth telling."""
    if column.is_list or column.preset:
        return (_PRESET if column.preset == "user" else -2 * _PRESET), ""
    is_first = column.place == 1 + sheet.columns[0].is_index
    bits = bits_of(column.name, ("user",)) + (_NAMED_POSITION if column.is_named else _POSITION) * is_first + _content(column)
    if table == "lists" and not column.is_unique:
        sizes = Counter(map(len, sheet.groups(column).values()))
        usual, n = sizes.most_common(1)[0]
        bits += 3 * (n > 2 and usual > 1 and n >= 0.8 * sizes.total()) + 2 * column.is_grouped  # lists of one length; rows together
    shared = known.bits(column.ids, "user")
    return bits + shared, "its users are in the other files" if shared > MARGIN else ""


def item_bits(user: SampledColumn, column: SampledColumn, *roles: str) -> float:
    """Return the bits that the name, position and values of a column say for items."""
    after = column.place - user.place
    position = (_NAMED_POSITION if column.is_named else _POSITION) if after == 1 else 0.0
    position += _NAMED_POSITION if column.is_named and after == 2 else 0.0
    is_grade = column.kind == "integer" and column.distinct <= set("012345") and len(column.distinct) < len(column.values)
    is_flag = column.distinct <= {"0", "1"} and len(column.values) > _FEW
    said = meanings(column.name)
    own, other = ("truth", "list") if "truth" in roles else ("list", "truth")
    is_opposite = other in said and not said.keys() & {"item", own}
    leans = has_word(column.name, own) - has_word(column.name, other)
    against = 5 * is_grade + 10 * is_flag + _OPPOSITE * bool(is_opposite)
    return bits_of(column.name, roles) + position + _content(column) + _LEANS * leans - against


def _content(column: SampledColumn) -> float:
    """Return what speaks against ids: dates, decimals, constants, gaps."""
    bits = {"date": -15.0, "boolean": -15.0, "decimal": -15.0, "time": -8.0, "empty": -30.0}.get(column.kind, 0.0)
    return bits - 6 * (len(column.distinct) == 1 < len(column.values) - 1) - 10 * (share(column.values, bool) < 0.5)


def judges_of(
    sheet: Sheet, user: SampledColumn, items: tuple[SampledColumn, ...], table: Table, known: KnownIds, layout: str
) -> Iterator[Judge]:
    """Yield what the rows of a user may be ordered or judged by; first nothing."""
    taken, is_list = {user.place, *(column.place for column in items)}, layout == "list"
    others = [c for c in sheet.columns if c.name not in sheet.labels]
    free = [c for c in others if c.place not in taken and c is not sheet.model and not c.is_index and c.is_list == is_list]
    free = [c for c in free if (c.kind in NUMBERS or c.is_mostly_numbers or _is_named(c, table)) and layout not in ("wide", "labels")]
    free = [c for c in free if not is_list or list(map(len, c.values)) == list(map(len, items[0].values))]
    is_scattered = table == "lists" and layout == "long" and bool(free) and not user.is_grouped
    yield Judge(None, "file", -5.0 if is_scattered else 0.0)
    for column in free:
        is_id = max(0.0, overlap(column.ids, known.items), overlap(column.ids, known.users)) / 2  # ids of other files are no numbers
        usual = _USUAL_NAME * (not sheet.order(user, column).counts)
        for judge in (_judged if table == "interactions" else _ordered)(sheet, user, column):
            named = usual * (_ROLE_OF_ORDER.get(judge.order) in usual_roles(column.name or ""))
            yield Judge(judge.column, judge.order, judge.bits - is_id + named, judge.why)


def _is_named(column: SampledColumn, table: Table) -> bool:
    """Return whether a column has a usual name of what orders or judges; text in it is refused when it is read, and never left unread."""
    roles = {"rating"} if table == "interactions" else {"score", "position"}
    return bool(roles & usual_roles(column.name or ""))


def _ordered(sheet: Sheet, user: SampledColumn, column: SampledColumn) -> Iterator[Judge]:
    """Weigh a column of lists as rank, as score, and as a score where lower is better."""
    bits = _PRESET if column.preset else 0.0 if column.is_named else 6.0 if column.kind == "decimal" else 3.0
    bits -= 12 * (column.kind in ("time", "boolean")) + 10 * (len(column.distinct) == 1)  # a constant orders nothing
    order, said, is_whole = sheet.order(user, column), meanings(column.name), column.kind in ("integer", "whole")
    counts = max(min(15.0, order.counts), min(10.0, order.permutes))
    is_open = ("rank" in said and order.ties < 0.05) or (is_in_pieces(sheet, user) and may_rank(column, 1.2))
    rank = (counts or (0.0 if is_open else -15.0)) if is_whole else -15.0
    yield Judge(column, "rank", bits_of(column.name, ("rank",)) + bits + rank, "1 to n in every list" if counts else "")
    bits -= counts + 3 * (is_whole and order.ties > 0.2 and len(column.distinct) <= MOST_GRADES)
    named = bits_of(column.name, ("score", "estimate", "rating"))
    yield Judge(column, "score", bits + named - 3 * ("rating" in said) + min(8.0, order.falls) - min(5.0, order.rises))
    has_no_sign = column.is_named and not said and not (order.rises or order.falls)  # neither a name nor an order: a question
    base = 0.0 if "distance" in said else -3.0 if has_no_sign else -7.0
    maybe = max(bits_of(column.name, ("distance",)), min(0.0 if "score" in said else -10.0, named))
    yield Judge(column, "ascending", bits + maybe + base + min(5.0, order.rises) - min(8.0, order.falls), "lower is better")


def is_in_pieces(sheet: Sheet, user: SampledColumn) -> bool:
    """Return whether a sample may have only parts of lists, which do not tell a rank from a score."""
    return not sheet.is_complete and not user.is_grouped


def may_rank(column: SampledColumn, gaps: float) -> bool:
    """Return whether a column may have ranks: numbers from 0 or 1 on, at most `gaps` times as many as are seen."""
    numbers = [number for number in column.numbers if number is not None]
    return bool(numbers) and min(numbers) >= 0 and max(numbers) <= gaps * len(column.distinct)


def _judged(sheet: Sheet, user: SampledColumn, column: SampledColumn) -> Iterator[Judge]:
    """Weigh a column of a test file as what judges its rows: by its name, by zeros or False, by the few values of grades."""
    numbers = {number for number in column.numbers if number is not None}
    has_zero = min(numbers, default=1.0) <= 0 < max(numbers, default=0.0) and len(numbers) <= MOST_GRADES
    has_zero |= "amount" in meanings(column.name) and share(column.numbers, lambda number: number == 0) > 1 - _FULL
    has_gaps = len(numbers) == 1 and numbers != {0.0} and share(column.values, bool) < _FULL
    is_grade = numbers <= {half / 2 for half in range(11)} or numbers <= set(range(11))
    if has_zero or has_gaps:
        bits = 5.0
    elif len(numbers) == 1:
        bits = -2.0  # a constant judges nothing
    elif is_grade:
        bits = 4.0
    elif column.kind == "decimal" and len(numbers) <= MOST_GRADES and 2 * len(numbers) < len(column.values):
        bits = 2.0
    else:
        bits = -8.0 if max(numbers, default=0) > 100 or column.kind == "integer" else -2.0
    bits = -20.0 if column.kind == "time" else bits - 12 * (column.counts_rows or (not has_zero and sheet.order(user, column).counts > 8))
    said = 0.0 if has_zero and "amount" in meanings(column.name) else bits_of(column.name, ("rating", "score"))
    if column.is_named and not said and not (has_zero or has_gaps):
        bits = min(bits, 0.0)  # below no rating at all, as all rows stay relevant; asked where ratings are read
    bits -= 60 * (max(numbers, default=1.0) <= 0 and (said <= 0 or min(numbers) < 0))  # then no row is relevant
    sure = _PRESET if column.preset else -2 if column.is_named else 4
    yield Judge(column, "rating", bits + said + 2 * (said > 0) + sure, "zeros or False judge rows" if has_zero else "")
