"""A result in the lines that `trec_eval -q` prints: a name, a query and a value, separated by tabs."""

from __future__ import annotations

from collections.abc import Iterator

from .. import conventions, metrics
from ..conventions import Convention
from ..results.result import Result, Row


def trec_lines(result: Result) -> str:
    """Return the values of every user and then of all, model after model, as `trec_eval -q` prints those of one run.

    A line is the name of the measure in 22 characters, the user or `all`, and the value with four decimals; numbers of items and users are
    whole. The first line of all, `runid`, names the model. Names and their order are those of the convention if it has sets of names, as
    those of trec_eval have; other measures follow under their names here. Users are in the order of their ids as text.

    Edge cases: a user without a list has no line, also if it counts in the mean; nor has a measure without a value. White space in an id
    becomes `_`. Values of groups and folds have no lines.
    """
    convention = _convention(result)
    models = dict.fromkeys(row.model for row in result.rows)
    return "".join(line for model in models for line in _model_lines(result, model, convention))


def _convention(result: Result) -> Convention:
    """Return the convention of the result; that of receval if its file is not there, as for a result from another folder."""
    name = str((result.config.get("evaluation") or {}).get("convention", conventions.DEFAULT))
    try:
        return conventions.load(name)
    except ValueError:
        return conventions.load(conventions.DEFAULT)


def _model_lines(result: Result, model: str, convention: Convention) -> Iterator[str]:
    rows: dict[tuple[str, int | None], Row] = {}
    for row in result.rows:
        if row.model == model:
            rows.setdefault((row.metric, row.k), row)
    named = _names(rows, convention)
    users = result.per_user.get(model)
    if users is not None:
        own = [(name, row.measure) for name, row in named if row.measure in users.columns and not _is_of_all(row)]
        listed = users.filter(users["n_recommended"] > 0)
        values = {measure: listed[measure].to_list() for _, measure in own}
        ids = list(map(str, listed["user"]))
        for index in sorted(range(len(ids)), key=ids.__getitem__):
            yield from (line for name, measure in own if (line := _line(name, ids[index], values[measure][index])))
    yield f"{'runid':<22}\tall\t{_word(model)}\n"
    yield from (line for name, row in named if (line := _line(name, "all", row.value)))


def _names(rows: dict[tuple[str, int | None], Row], convention: Convention) -> list[tuple[str, Row]]:
    """Return the rows under the library's names, in its order, then the others; a row with two names is twice if a set names both."""
    sets = {name: [(metric, _key(metric, convention)) for metric in names] for name, names in convention.sets.items()}
    whole = [names for names in sets.values() if all(key in rows for _, key in names)]
    longest = max(whole, key=len, default=[])
    named = [(name, rows[key]) for name, key in longest]
    found = {key for _, key in longest}
    for name, key in (pair for names in sets.values() for pair in names):
        if key in rows and key not in found:
            found.add(key)
            named.append((name, rows[key]))
    return named + [((convention.name_of(row.measure) or _word(row.label)), row) for key, row in rows.items() if key not in found]


def _key(name: str, convention: Convention) -> tuple[str, int | None]:
    definition = metrics.resolve(convention.parse(name), convention)
    return definition.spec.title, definition.k


def _is_of_all(row: Row) -> bool:
    """Return whether only a value of all users is printed, as trec_eval does for `num_q` and for geometric means."""
    return row.metric == "NumUsers" or row.aggregate == "geometric"


def _line(name: str, user: str, value: float | None) -> str:
    if value is None or value != value:
        return ""
    return f"{name:<22}\t{_word(user)}\t{f'{value:.0f}' if name.startswith('num_') else f'{value:6.4f}'}\n"


def _word(text: str) -> str:
    return "_".join(text.split()) or "_"
