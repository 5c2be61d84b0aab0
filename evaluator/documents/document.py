"""Elements of texts for people, before they have a form: headings, paragraphs, lists, tables, figures.

The other files of this room make documents from records, `render` gives them a form. Nothing here depends on a screen, a page or a file.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, Literal

from msgspec import Struct, field
from msgspec.structs import replace

Mark = Literal[
    "", "best", "untested", "second",
    "better", "worse", "equivalent", "identical", "inconclusive",
    "pass", "fail", "skipped", "warn", "error",
]  # fmt: skip
"""Mark of a cell: the best value of its measure (tested or `untested`), the next one, or the verdict, outcome or severity."""

SIGNS: Final[Mapping[str, str]] = MappingProxyType(
    {"best": "◂", "untested": "◃", "better": "●", "worse": "▼", "equivalent": "■", "identical": "■", "inconclusive": "◇"}
)
"""Mark → its sign, in the forms that show it as one."""
ARROWS: Final[Mapping[bool | None, str]] = MappingProxyType({True: "↑", False: "↓", None: ""})
"""Better direction of a measure → its sign."""
Level = Literal["good", "bad", "doubtful", "plain"]
"""Level of a sentence: good, bad, doubtful or plain news."""
NEWS: Final[Mapping[Level, str]] = MappingProxyType({"good": "✔ ", "bad": "✖ ", "doubtful": "▲ ", "plain": ""})
"""Level of a sentence → the sign before it."""
Role = Literal["key", "name", "text", "code", "value", "difference", "interval", "p", "counts", "verdict"]
"""Kind of a column: `key` names the row, `name` is given by people, `code` is words of the program; numbers are aligned to the right."""
LONGEST_BAR: Final = 30
"""Number of signs of the longest bar of a histogram, unless a screen is narrower."""
Severity = Literal["error", "warn", "info", "off"]


class Interval(Struct, frozen=True):
    """Values for drawing a cell: a value with its ends, the `margin` around 0 of a difference, and `hollow` for a reference list.

    `mark` is the verdict on a difference, which sets its shape.
    """

    value: float | None
    low: float | None
    high: float | None
    margin: float | None = None
    hollow: bool = False
    mark: Mark = ""

    @property
    def ends(self) -> tuple[float, ...]:
        """Numbers to draw: the value, and the ends that exist."""
        return tuple(number for number in (self.value, self.low, self.high) if number is not None)


class Cell(Struct, frozen=True):
    """A cell: `text`, `spread` after ±, a small `note` behind it (letters, remarks), and `mark`, a key of `SIGNS`.

    `value` is for sorting, `direction` the better direction of a measure that the cell names, `drawn` the values for forms that draw.
    """

    text: str = ""
    spread: str = ""
    mark: Mark = ""
    note: str = ""
    direction: bool | None = None
    value: float | None = None
    drawn: Interval | None = None


class Column(Struct, frozen=True):
    """A column: `title` is its head, `group` a head above several columns, `direction` the better direction of its measure.

    `yields` is the order in which columns are dropped on a narrow screen: 0 never, the highest first. `wraps` allows several lines.
    """

    title: str
    role: Role = "text"
    direction: bool | None = None
    group: str = ""
    yields: int = 0
    wraps: bool = False

    @property
    def is_number(self) -> bool:
        """True if the cells are aligned to the right."""
        return self.role in ("value", "difference", "interval", "p", "counts")


class Table(Struct, frozen=True):
    """Rows of cells below columns.

    `id` names the table in a page and in references of LaTeX. `rules` are rows that have a line above them, with a heading or none. The
    last `apart` rows are set apart, such as that of the number of users. A table that `turns` may be shown with its rows as columns, below
    `corner`; `other` has the same cells in another arrangement, for forms where that fits better. On a screen that is too narrow, `narrow`
    replaces it, or columns are dropped, which are then in `left_out`; they are shown from `whole_width` screen columns on. Each column
    takes `gap` screen columns besides its text. `bare` tables have neither head nor frame on a screen.

    For programs: `data` in `columns_of_data`, and the values that all rows share in `about`.
    """

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str = ""
    id: str = ""
    rules: Mapping[int, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    apart: int = 0
    turns: bool = False
    corner: str = ""
    other: Table | None = None
    narrow: Table | None = None
    left_out: tuple[Column, ...] = ()
    whole_width: int = 0
    gap: int = 3
    bare: bool = False
    columns_of_data: tuple[str, ...] = ()
    data: Sequence[Sequence[Any]] = ()
    about: Mapping[str, Any] = field(default_factory=dict)

    @staticmethod
    def from_texts(columns: Iterable[Column], rows: Iterable[Iterable[str]], caption: str = "", id: str = "") -> Table:
        """Return a table whose cells are only texts."""
        return Table(tuple(columns), tuple(tuple(Cell(text) for text in row) for row in rows), caption, id)

    @property
    def n_keys(self) -> int:
        """Number of columns before the first one of numbers: they name the rows; all columns if there are no numbers."""
        return next((index for index, column in enumerate(self.columns) if column.is_number), len(self.columns))

    def transposed(self) -> Table:
        """Return the table with its rows as columns, below `corner`."""
        first, *others = self.columns
        below = len(self.rows) - self.apart
        columns = (Column(row[0].text, "value" if number < below else "counts", row[0].direction) for number, row in enumerate(self.rows))
        heads = (Cell(column.title, direction=column.direction) for column in others)
        rows = zip(heads, *(row[1:] for row in self.rows), strict=True)
        return replace(
            self, columns=(Column(self.corner, first.role), *columns), rows=tuple(rows), corner=first.title, apart=0, turns=False
        )


def with_arrow(text: str, direction: bool | None, space: str = " ") -> str:
    """Return a text with the sign of a better direction behind it."""
    return text if direction is None else f"{text}{space}{ARROWS[direction]}"


def text_columns(*titles: str, wraps: Collection[str] = (), code: Collection[str] = ()) -> tuple[Column, ...]:
    """Return columns of texts: those in `wraps` may take several lines, those in `code` contain words of the program."""
    return tuple(Column(title, "code" if title in code else "text", wraps=title in wraps) for title in titles)


class Heading(Struct, frozen=True):
    """A heading; level 1 is the title of a document."""

    text: str
    level: int = 1


class Paragraph(Struct, frozen=True):
    """A paragraph."""

    text: str


class Points(Struct, frozen=True):
    """A list of sentences."""

    texts: tuple[str, ...]


class Status(Struct, frozen=True):
    """Sentences that a reader has to know first, each with its level."""

    lines: tuple[tuple[Level, str], ...]


class Sentences(Struct, frozen=True):
    """Sentences that may quote foreign text, one per line; `small` ones are below the tables that they are about.

    Before them come the notes of those tables, `if_cut` if names in them are cut, and `if_many` if a form splits them into four tables or
    more: it has fields for their number `n` and for the `width` at which they fit.
    """

    texts: tuple[str, ...]
    small: bool = True
    if_cut: str = ""
    if_many: str = ""


class Alert(Struct, frozen=True):
    """A finding: `head` has its severity and its check, `text` the problem, `advice` what to do, `cures` lines to paste."""

    severity: Severity
    head: str
    text: str
    examples: tuple[str, ...] = ()
    details: tuple[str, ...] = ()
    advice: str = ""
    cures: tuple[str, ...] = ()


class Terms(Struct, frozen=True):
    """Terms with their explanations, below their subject; `code` if the terms are words of the program."""

    rows: tuple[tuple[str, str], ...]
    about: str = ""
    code: bool = True


class Code(Struct, frozen=True):
    """Lines that keep their shape; `language` is that of the block in Markdown."""

    text: str
    language: str = "text"


class Equation(Struct, frozen=True):
    """Lines of a formula in LaTeX, which a screen does not show."""

    lines: tuple[str, ...]


class Links(Struct, frozen=True):
    """Links to headings by name."""

    title: str
    names: tuple[str, ...]


class Bars(Struct, frozen=True):
    """A histogram: a label and a number for each row, drawn as a bar with its share of the total."""

    header: str
    rows: tuple[tuple[str, int], ...]

    def cells(self, sign: str = "█", width: int = LONGEST_BAR) -> list[tuple[str, str, str, str]]:
        """Return label, number, share and bar of each row: the longest bar has `width` signs, and only that of 0 has none."""
        total, longest = sum(number for _, number in self.rows), max((number for _, number in self.rows), default=0)
        return [
            (label, f"{number:,}", f"{100 * number / max(total, 1):.1f} %", sign * -(-width * number // max(longest, 1)))
            for label, number in self.rows
        ]


class Panel(Struct, frozen=True):
    """Names with cells to draw on one scale, below a title; `with_zero`: they are differences, and 0 is on the scale."""

    title: str
    rows: tuple[tuple[str, Cell], ...]
    with_zero: bool = False


class Figure(Struct, frozen=True):
    """A chart: its specification (Vega-Lite), its caption, and its specification for a narrow page, if it has one.

    `panels` are its data where the extra for charts is missing; without a `spec` it is shown only there.
    """

    id: str
    caption: str
    spec: Mapping[str, Any]
    narrow: Mapping[str, Any] | None = None
    panels: tuple[Panel, ...] = ()


class Section(Struct, frozen=True):
    """Blocks under a heading of their own, at level 2; `folded` ones open with a click in forms that support it."""

    id: str
    title: str
    blocks: tuple[Block, ...] = ()
    folded: bool = False


Block = Heading | Paragraph | Points | Status | Sentences | Alert | Terms | Code | Equation | Links | Bars | Figure | Table | Section
Document = tuple[Block, ...]
