"""The combinations of convention and settings that print a number, with what a match says and does not say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from ..results.found_settings import CONVENTION, FoundSettings, SettingMatch
from .audit import about_scripts
from .document import Block, Column, Document, Paragraph, Points, Table
from .numbers import decimals, number

_MOST_ROWS: Final = 20
_NO_PROOF: Final = "A match is not a proof: other settings that were not tried, or other data, may print the same number."


def document(found: FoundSettings) -> Document:
    """Return the combinations that print a number, or the nearest values, how many were tried, and what a match does not prove."""
    blocks: list[Block] = [Paragraph(f"{_title(found)}:" if found.matches else "No combination has a value.")]
    if found.matches:
        shown = found.matches[:_MOST_ROWS]
        blocks.append(_table(found, shown))
        if len(found.matches) > len(shown):
            blocks.append(Paragraph(f"{len(found.matches) - len(shown):,} more rows are in --format csv and json."))
        measure = found.matches[0].written
        blocks.append(Paragraph(f"With the fewest changes, in this config: -m '{measure}'"))
    scripts = about_scripts(name for match in found.matches for name in match.settings[CONVENTION])
    blocks.append(Points((*_sentences(found), *scripts, *found.remarks)))
    return tuple(blocks)


def _title(found: FoundSettings) -> str:
    wanted = found.wanted.strip()
    digits = len(wanted.rstrip(" %").partition(".")[2])
    about = f"{wanted} (± {found.tolerance:.{digits + 1}f})"
    percent = " as a percentage" if found.percent and "%" not in wanted else ""
    without = f" without {found.without}" if found.without and found.exact else ""
    if found.exact:
        return f"{about} is printed{percent}{without} by"
    either = f", with or without {found.without}" if found.without else ""
    return f"No combination prints {about}{either}; the closest values are"


def _table(found: FoundSettings, matches: Sequence[SettingMatch]) -> Table:
    """Return a row for each match; a setting of which every value fits is `any`."""
    wanted = found.wanted.strip().rstrip(" %").partition(".")[2]
    places = max(len(wanted) + 2 * found.percent, decimals(match.value for match in matches))
    several = [name for name in found.searched if any(_is_limited(found, match, name) for match in matches)]
    columns = (Column("value", "value"), Column("measure"), Column("model", "name"), *(Column(name, wraps=True) for name in several))
    rows = (
        (number(match.value, places), match.measure, match.model, *(_values(found, match, name) for name in several)) for match in matches
    )
    return Table.from_texts(columns, rows)


def _is_limited(found: FoundSettings, match: SettingMatch, name: str) -> bool:
    return name == CONVENTION or set(match.settings[name]) != set(found.searched[name])


def _values(found: FoundSettings, match: SettingMatch, name: str) -> str:
    """Return the values of a setting: `any`, the values, or those that do not fit if they are fewer."""
    own, every = match.settings[name], found.searched[name]
    others = [value for value in every if value not in own]
    if not others:
        return "any"
    return f"any but {', '.join(others)}" if len(others) < len(own) and len(others) <= 2 else ", ".join(own)


def _sentences(found: FoundSettings) -> Iterator[str]:
    named = list(found.searched)
    settings = f"{', '.join(named[:-1])} and {named[-1]}" if len(named) > 1 else named[0]
    tried = f"{found.n_combinations:,} combinations of {settings} were tried, {found.n_different:,} of them different"
    printing = f"; {found.n_printing:,} {'prints' if found.n_printing == 1 else 'print'} {found.wanted.strip()}" if found.exact else ""
    yield f"{tried}{printing}. They give {found.n_values:,} different values of a model."
    if any(not any(_is_limited(found, match, name) for match in found.matches) for name in named[1:]) and found.matches:
        free = [name for name in named[1:] if not any(_is_limited(found, match, name) for match in found.matches)]
        yield f"Any value of {' and '.join(free)} gives the same."
    if found.exact:
        yield f"{_NO_PROOF} {_chance(found.by_chance)}"


def _chance(expected: float) -> str:
    if expected < 0.005:
        return "By chance fewer than 0.01 values would match."
    return f"By chance about {expected:.2g} values would match."
