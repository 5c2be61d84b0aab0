"""Layout of tables on a screen: names are cut, rows and columns turned, columns left out or moved to further parts.

Intervals are drawn as text: `├──●──┤` around 0, with the band of the margin.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final

from msgspec.structs import replace
from rich.cells import cell_len

from ..documents.document import ARROWS, SIGNS, Cell, Column, Interval, Table
from .terminal import Screen

_LEAST_NAME, _LEGIBLE = 14, 24
"""Smallest width for a cut name, and for the name of a row if there is space."""
_SHORTEST_NAME: Final = 10
"""Smallest width for a name that is cut so that a verdict stays next to both values and their difference."""
_NARROW_GAP: Final = 2
"""The gap of tables that keep more columns if these are closer together."""
_LEAST_WRAPPED, _LEAST_OF_BARE = 36, 20
"""Smallest width of a last column of texts next to the others; in a table without a frame."""
_NONE: Final = 99
"""More than the order of any column that yields."""
_COST: Final = 8
"""The cost of a further table in lines: its own four, and four for the effort of reading another table."""
_DRAWN: Final = "├●┤░"
"""The signs that a screen must be able to write to show intervals."""
_LEAST, _MOST = 13, 41
"""Smallest and largest width of a picture; odd, so that 0 is in the middle."""


def laid_out(table: Table, screen: Screen) -> list[Table]:
    """Return the arrangement of a table that suits a screen, in several parts if necessary, with all characters of quoted texts visible.

    It is the first arrangement that fits, rows as columns if there are more columns; else the first that fits with long names cut; else the
    same for its narrow form; else the one with the fewest lines and parts. Columns are closer together before one is dropped.
    Texts of a last column without space get a separate part.
    """
    forms, narrow = forms_of(table, screen), forms_of(table.narrow, screen) if table.narrow else []
    if screen.width is None or table.bare:
        is_wide = screen.width is not None and narrow and _width_of_bare(forms[0]) > screen.width
        return narrow[:1] if is_wide else forms[:1]
    if table.columns[-1].wraps and len(table.columns) > 2:
        return _with_texts(forms[0], screen, screen.width)
    if forms[0].n_keys == len(table.columns):
        return forms[:1] if any(column.wraps for column in table.columns) else _parts(forms[0], screen, screen.width, 1)
    found = _numbers(forms, narrow, screen, screen.width)
    if not found[-1].left_out:
        return found
    closer, closer_narrow = ([replace(column, gap=_NARROW_GAP) for column in some] for some in (forms, narrow))
    found = min(found, _numbers(closer, closer_narrow, screen, screen.width), key=_loss)
    return [replace(column, whole_width=sum(_widths(closer[0], screen)) + 1) if column.left_out else column for column in found]


def forms_of(table: Table, screen: Screen) -> list[Table]:
    """Return the table in signs that the screen can write, and, if allowed, turned; the one with more rows than columns first.

    Other arrangements of the table follow.
    """
    columns = (replace(column, title=screen.visible(f"{column.group} {column.title}".strip())) for column in table.columns)
    rows = (tuple(replace(cell, text=screen.visible(cell.text), note=screen.visible(cell.note)) for cell in row) for row in table.rows)
    forms = [replace(table, columns=tuple(columns), rows=tuple(rows))]
    if table.turns:
        has_many_columns = len(table.columns) - table.n_keys > len(table.rows) - table.apart
        forms.insert(0 if has_many_columns else 1, forms[0].transposed())
    return [*forms, *(forms_of(table.other, screen) if table.other else ())]


def names(tables: Iterable[Table]) -> set[str]:
    """Return the heads of tables and of their rows."""
    return {text for table in tables for text in (*(column.title for column in table.columns), *(row[0].text for row in table.rows))}


def head_of(column: Column, screen: Screen) -> str:
    """Return the title of a column with the direction of its measure."""
    return f"{column.title}{_arrow(column.direction, screen)}"


def texts_of(table: Table, index: int, screen: Screen) -> tuple[str, ...]:
    """Return the cells of a column; numbers are right-aligned, values by the point, with space for marks if there are any."""
    column, cells = table.columns[index], [row[index] for row in table.rows]
    if not column.is_number:
        return tuple(_text(cell, screen) for cell in cells)
    plain = [cell.text for cell in cells]
    border = len(cells) - table.apart
    texts = to_the_right([*(aligned(plain[:border]) if column.role in ("value", "difference") else plain[:border]), *plain[border:]])
    spreads = aligned([cell.spread for cell in cells])
    more = (
        [f" {screen.visible('±')} {spread:>{_longest(spreads)}}" if spread else "" for spread in spreads],
        [f" {cell.note}" if cell.note else "" for cell in cells],
        [f" {screen.visible(SIGNS[cell.mark])}" if cell.mark in ("best", "untested") else "" for cell in cells],
    )
    for behind in more:
        width = _longest(behind)
        texts = tuple(f"{text}{ending}{' ' * (width - cell_len(ending))}" for text, ending in zip(texts, behind, strict=True))
    return texts


def has_room_for_texts(table: Table, width: int) -> bool:
    """Return whether the columns before the last one fit without broken lines, and leave space for it."""
    *others, last = zip(*([cell.text for cell in row] for row in table.rows), strict=True) if table.rows else [()] * len(table.columns)
    widths = (_longest((column.title, *cells)) + table.gap for column, cells in zip(table.columns, others, strict=False))
    return sum(widths) + min(_longest(last), _LEAST_OF_BARE if table.bare else _LEAST_WRAPPED) + table.gap + 1 <= width


def _width_of_bare(table: Table) -> int:
    """Return the width of a table without a frame: its columns and the two spaces before each."""
    return sum(_longest(row[n].text for row in table.rows) + 2 for n in range(len(table.columns)))


def aligned(cells: Sequence[str]) -> tuple[str, ...]:
    """Return numbers as text, padded so that right-aligned numbers are aligned by their points."""
    digits = [len(cell) - len(cell.lstrip("+-−0123456789,")) for cell in cells]
    after = [cell_len(cell) - (n or len(cell)) for cell, n in zip(cells, digits, strict=True)]  # other texts end at the point
    most = max(after, default=0)
    return tuple(f"{cell}{' ' * (most - n)}" if cell else "" for cell, n in zip(cells, after, strict=True))


def to_the_right(texts: Sequence[str]) -> tuple[str, ...]:
    """Return right-aligned texts of one width; rich would remove the space at their ends."""
    width = _longest(texts)
    return tuple(f"{' ' * (width - cell_len(text))}{text}" for text in texts)


def _arrow(direction: bool | None, screen: Screen) -> str:
    sign = ARROWS[direction]
    return f" {sign}" if sign and screen.encodes(sign) else ""


def _text(cell: Cell, screen: Screen) -> str:
    return f"{cell.text}{_arrow(cell.direction, screen)}{f' {cell.note}' if cell.note else ''}"


def _longest(texts: Iterable[str]) -> int:
    return max(map(cell_len, texts), default=0)


def _with_texts(table: Table, screen: Screen, width: int) -> list[Table]:
    """Return the table; without space for the texts of its last column, these are in a separate part below."""
    n_names = table.n_keys if table.n_keys < len(table.columns) else 0
    cut = _with_names(table, screen, max(_LEAST_NAME, width // 3), max(_LEAST_NAME, width // 4)) if n_names else table
    for form in (table, cut):
        if has_room_for_texts(form, width):
            return [form]
    others = replace(table, columns=table.columns[:-1], rows=tuple(row[:-1] for row in table.rows if any(cell.text for cell in row[1:-1])))
    texts = replace(cut, columns=(cut.columns[0], cut.columns[-1]), rows=tuple((row[0], row[-1]) for row in cut.rows if row[-1].text))
    return [*(_numbers([others], [], screen, width) if n_names else _parts(others, screen, width, 1)), texts]


def _numbers(forms: Sequence[Table], narrow: Sequence[Table], screen: Screen, width: int) -> list[Table]:
    tries = (_fitted(form, screen, width, cuts) for some in (forms, narrow) for cuts in (False, True) for form in some)
    fitted = next(filter(None, tries), None)
    if fitted:
        return [fitted]
    usual = (max(_LEAST_NAME, width // 2), max(_LEAST_NAME, width // 3))
    whole, best = names(forms), list[Table]()
    for rooms in (usual, (_LEAST_NAME,), (_SHORTEST_NAME,)):
        cut = [
            (form, _with_names(form, screen, room, column_room))
            for form in forms
            for column_room in _rooms_of_heads(form, width)
            for room in (*rooms, *_rooms_beside_others(form, screen, width, column_room))
        ]
        parts = (_parts(short, screen, width, whole=form) for form, short in cut)
        found = min(parts, key=lambda some: (*_loss(some), len(names(some) - whole)))
        if all(sum(_widths(part, screen)) < width for part in found):
            return found
        best = best or found
    return best


def _loss(parts: Sequence[Table]) -> tuple[int, int, int]:
    """Return the cost of some tables, then what their columns that are left out are worth, and their number."""
    return (
        sum(len(part.rows) + _COST for part in parts),
        -min((column.yields for column in parts[-1].left_out), default=_NONE),
        len(parts[-1].left_out),
    )


def _rooms_of_heads(table: Table, width: int) -> list[int]:
    """Return the widths to which heads of numbers may be cut; smaller ones, too, if columns yield to those that stay."""
    usual = max(_LEAST_NAME, width // 4)
    return [usual, _LEAST_NAME, _SHORTEST_NAME] if any(column.yields for column in table.columns) else [usual]


def _rooms_beside_others(table: Table, screen: Screen, width: int, column_room: int) -> Iterator[int]:
    """Yield widths for names with which the columns of numbers fit in one part: all but those that yield first, next, and so on.

    Heads are cut to `column_room`. Nothing is yielded if no column yields.
    """
    numbers = range(table.n_keys, len(table.columns))
    table = _with_names(table, screen, width, column_room)
    longest = [_longest((head_of(table.columns[number], screen), *texts_of(table, number, screen))) for number in range(len(table.columns))]
    rooms = range(min(width // 3, max(longest[: table.n_keys], default=0)), _SHORTEST_NAME - 1, -1)
    for most in sorted({table.columns[number].yields for number in numbers})[:-1]:
        stay = [number for number in numbers if table.columns[number].yields <= most]
        free = width - 1 - sum(longest[number] + table.gap for number in stay) - table.n_keys * table.gap
        yield from [room for room in rooms if sum(min(key_width, room) for key_width in longest[: table.n_keys]) <= free][:1]


def _fitted(table: Table, screen: Screen, width: int, cuts: bool) -> Table | None:
    """Return a table that fits a width; with `cuts`, names are cut as little as possible, first of columns, then of rows."""
    keys = [(cell_len(table.columns[n].title), _longest(texts_of(table, n, screen))) for n in range(table.n_keys)]
    others = range(table.n_keys, len(table.columns))
    pairs = [(_longest(texts_of(table, n, screen)), cell_len(head_of(table.columns[n], screen))) for n in others]
    longest_row, longest = max((most for _, most in keys), default=0), max(name for _, name in pairs)
    # With several columns that name the rows, further parts are clearer than cut names.
    least_row, least = (width // 3, width // 4) if table.n_keys > 1 else (min(width // 3, _LEGIBLE), 0)
    least_row, least = (max(_LEAST_NAME, least_row), max(_LEAST_NAME, least)) if cuts else (longest_row, longest)
    for row_room in range(min(longest_row, width), min(least_row, longest_row) - 1, -1):
        first = sum(max(title, min(most, row_room)) + table.gap for title, most in keys) + 1
        for room in range(min(longest, width), min(least, longest) - 1, -1):
            if first + sum(max(cells, min(name, room)) + table.gap for cells, name in pairs) <= width:
                return _with_names(table, screen, row_room, room)
    return None


def _with_names(table: Table, screen: Screen, row_room: int, column_room: int) -> Table:
    """Return the table with names of rows and heads of values cut; heads of intervals and of other columns that yield stay whole."""
    n_keys = table.n_keys
    heads = table.columns[n_keys:]
    rooms = (
        max(column_room, cell_len(head.title) if head.role == "interval" or (head.yields and head.role != "value") else 0)
        - cell_len(_arrow(head.direction, screen))
        for head in heads
    )
    titles = screen.cut_apart((head.title for head in heads), rooms)
    columns = (*table.columns[:n_keys], *(replace(head, title=title) for head, title in zip(heads, titles, strict=True)))
    shorter = [_shorter((row[n] for row in table.rows), screen, row_room) for n in range(n_keys)]
    rows = ((*(short(cell) for short, cell in zip(shorter, row, strict=False)), *row[n_keys:]) for row in table.rows)
    return replace(table, columns=columns, rows=tuple(rows))


def _shorter(cells: Iterable[Cell], screen: Screen, room: int) -> Callable[[Cell], Cell]:
    """Return a function that cuts the texts of cells; different texts stay different."""
    suffixes = {cell.text: cell_len(_text(cell, screen)) - cell_len(cell.text) for cell in cells}
    short = dict(zip(suffixes, screen.cut_apart(suffixes, (room - suffix for suffix in suffixes.values())), strict=True))
    return lambda cell: replace(cell, text=short[cell.text])


def _widths(table: Table, screen: Screen) -> list[int]:
    texts = ((head_of(column, screen), *texts_of(table, number, screen)) for number, column in enumerate(table.columns))
    return [_longest(column) + table.gap for column in texts]


def _parts(table: Table, screen: Screen, width: int, n_keys: int | None = None, whole: Table | None = None) -> list[Table]:
    """Return the table, or parts with its first `n_keys` columns (by default those before its numbers) and as many others as fit.

    Columns that yield are left out before the others are split into parts; `whole` has their heads, if those of the table are cut.
    """
    n_keys, widths = table.n_keys if n_keys is None else n_keys, _widths(table, screen)
    keys, stay = range(n_keys), list(range(n_keys, len(table.columns)))
    room = width - sum(widths[n] for n in keys) - 1
    while sum(widths[n] for n in stay) > room and any(table.columns[n].yields for n in stay):
        stay.remove(max(stay, key=lambda n: (table.columns[n].yields, n)))
    for n in sorted(set(range(n_keys, len(table.columns))) - {*stay}, key=lambda n: (table.columns[n].yields, n)):
        if sum(widths[other] for other in stay) + widths[n] <= room:  # a wider column, which was left out later, made room for it
            stay = sorted([*stay, n])
    left_out = tuple(column for n, column in enumerate((whole or table).columns) if n not in (*keys, *stay))
    groups = _in_groups(_units(table, stay, widths, room), widths, room)
    parts = [_part(table, keys, group) for group in groups] if left_out or len(groups) > 1 else [table]
    return [*parts[:-1], replace(parts[-1], left_out=left_out)]


def _units(table: Table, columns: Iterable[int], widths: Sequence[int], room: int) -> list[list[int]]:
    """Return columns that stay together: those below one head, if they fit into `room`; any other one is alone."""
    units = [list(some) for _, some in groupby(columns, key=lambda n: table.columns[n].group or n)]
    return [part for unit in units for part in ([unit] if sum(widths[n] for n in unit) <= room else [[n] for n in unit])]


def _in_groups(units: Sequence[list[int]], widths: Sequence[int], room: int, most: int | None = None) -> list[list[int]]:
    """Return units of columns in as few groups as fit into `room`, of about equal number, or of at `most` so many; at least one each."""
    groups: list[list[int]] = [[]]
    for unit in units:
        is_full = most is not None and len(groups[-1]) + len(unit) > most
        if groups[-1] and (is_full or sum(widths[n] for n in (*groups[-1], *unit)) > room):
            groups.append([])
        groups[-1] += unit
    even = groups if most is not None else _in_groups(units, widths, room, -(-sum(map(len, units)) // len(groups)))
    return even if len(even) == len(groups) else groups


def _part(table: Table, keys: Sequence[int], group: Sequence[int]) -> Table:
    """Return some columns of a table, without rows that are empty in them."""
    columns = tuple(table.columns[n] for n in (*keys, *group))
    below = len(table.rows) - table.apart
    rows = (
        tuple(row[n] for n in (*keys, *group))
        for number, row in enumerate(table.rows)
        if number >= below or any(row[n].text for n in group) or not any(cell.text for cell in row[len(keys) :])
    )
    return replace(table, columns=columns, rows=tuple(rows), rules={})


def with_pictures(table: Table, screen: Screen) -> Table:
    """Return the table with a picture behind each interval, on a terminal with space and the signs for it."""
    intervals = (index for index, column in enumerate(table.columns) if column.role == "interval")
    index = next((index for index in intervals if any(row[index].drawn for row in table.rows)), None)
    if index is None or screen.width is None or not screen.is_terminal or not screen.encodes(_DRAWN):
        return table
    room = screen.width - sum(_widths(table, screen)) - 4
    drawn = pictures([row[index].drawn for row in table.rows], room)
    if drawn is None:
        return table
    columns = (*table.columns[: index + 1], Column(""), *table.columns[index + 1 :])
    rows = ((*row[: index + 1], Cell(picture), *row[index + 1 :]) for row, picture in zip(table.rows, drawn, strict=True))
    return replace(table, columns=columns, rows=tuple(rows))


def pictures(intervals: Sequence[Interval | None], room: int) -> list[str] | None:
    """Return a picture of each interval in at most `room` columns, on one scale with 0 in the middle.

    `│` is 0, `●` the value, `├` and `┤` the ends of its interval, `░` is within the margin. `None` without space or intervals.
    """
    width = min(room, _MOST) - (1 - min(room, _MOST) % 2)
    known = [interval for interval in intervals if interval is not None]
    scale = max(
        (abs(end) for interval in known for end in (interval.low or 0.0, interval.high or 0.0, interval.margin or 0.0)), default=0.0
    )
    if width < _LEAST or not scale:
        return None
    return [_picture(interval, scale, width) for interval in intervals]


def _picture(interval: Interval | None, scale: float, width: int) -> str:
    half = width // 2
    cells = ["\u00a0"] * width  # an ordinary space at the end of a cell would be removed, and the picture shifted

    def fill(low: float, high: float, sign: str) -> None:
        first, last = (half + round(end / scale * half) for end in (low, high))
        cells[first : last + 1] = sign * (last - first + 1)

    if interval is not None and interval.margin is not None:
        fill(-interval.margin, interval.margin, "░")
    cells[half] = "│"
    if interval is not None and interval.low is not None and interval.high is not None and interval.value is not None:
        fill(interval.low, interval.high, "─")
        for end, sign in ((interval.low, "├"), (interval.high, "┤"), (interval.value, "●")):
            fill(end, end, sign)
    return "".join(cells)
