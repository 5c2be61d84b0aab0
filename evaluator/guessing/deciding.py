"""The files together → the config to write, what to say of each file, and what is unsure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ..guess import Column, Entry, File, Guess
from . import choices, spellings, words
from .models import Models, models
from .truth import Truth, settled, truth

_SINGLE: Final = {"catalogue": "items", "people": "users", "policy": "previous_policy", "distances": "distances"}
"""The tables of which a config has one at most, and their keys."""
_CALLED: Final = {"position": "rank"}
_COLUMNS: Final[dict[str, tuple[str, ...]]] = {
    "interactions": ("user", "item", "rating"),
    "lists": ("user", "item", "position", "score"),
    "catalogue": ("item",),
    "people": ("user",),
    "policy": ("user", "item", "score"),
    "predictions": ("user", "item", "prediction"),
    "distances": ("item", "other", "distance"),
}


def decide(files: Sequence[File], unreadable: Mapping[str, str]) -> Guess:
    """The guess for files that were seen, and the reasons of those that could not be read."""
    files = settled(files)
    lists = [found for found in files if found.table == "lists"]
    known = truth([found for found in files if found.table == "interactions"], lists)
    doubts = _doubts(files)
    if known.test is None or not lists:
        return Guess(lines=_unused(files, unreadable), doubts=tuple(doubts), problem=_problem(known, lists))
    found = models(known.test, lists)
    doubts += [*known.doubts, *(sentence for other in files if other.table for sentence in spellings.apart(known.test, other))]
    if not found.lists:
        reasons = "; ".join(f"{given}: {why}" for given, why in found.left_out.items())
        return Guess(
            lines=_unused(files, unreadable), doubts=tuple(doubts), problem=f"no file has lists for {known.test.glance.given}: {reasons}"
        )
    return _complete(files, known, found, unreadable, doubts)


def _doubts(files: Sequence[File]) -> list[str]:
    """What is unsure of single files, files of which the same is to be said being named together; and what `run` will refuse."""
    together: dict[str, list[str]] = {}
    for found in files:
        for doubt in found.doubts if found.table else ():
            together.setdefault(doubt, []).append(found.glance.given)
    faults = [f"{found.glance.given}: {fault}" for found in files if found.table for fault in _faults(found)]
    return [f"{', '.join(given)}: {doubt}" for doubt, given in together.items()] + faults


def _faults(found: File) -> list[str]:
    """What of the rows that were seen `run` will refuse."""
    said = []
    for role in _COLUMNS[found.table or ""]:
        column = found.columns.get(role)
        if column is not None and column.filled < found.glance.n_seen:
            said.append(
                f"column {column.name!r} has no value in {found.glance.n_seen - column.filled:,} rows, which receval run will refuse"
            )
        elif column is not None and role not in ("user", "item", "other") and column.kind == "text":
            said.append(f"column {column.name!r} holds text such as {column.values[0]!r} where numbers are needed")
    return said


def _problem(known: Truth, lists: Sequence[File]) -> str:
    if known.test is None and lists:
        return known.problem
    nothing = "no file looks like recommendations, which have a column of users, one of items, and a score or a rank"
    return nothing if known.test is not None else f"{nothing}, and {known.problem}"


def _complete(files: Sequence[File], known: Truth, found: Models, unreadable: Mapping[str, str], doubts: list[str]) -> Guess:
    assert known.test is not None
    singles, spare = _singles(files, known.test)
    data = {"test": _entry(known.test, known.why[known.test.glance.given])}
    if known.train is not None:
        data["train"] = _entry(known.train, known.why[known.train.glance.given])
    data |= {key: _entry(single, single.why) for key, single in singles.items()}
    if found.predictions:
        data["predictions"] = _predicted(found.predictions[0])
    others = [*((key, _entry(other, why)) for key, other, why in known.others), *spare]
    others += [("predictions", _predicted(other)) for other in found.predictions[1:]]
    limit, on_relevance = choices.threshold(known.test)
    if limit is not None:
        doubts.append(f"{known.test.glance.given}: {on_relevance}")
    top_k, on_top_k = choices.cutoffs(list(found.lists.values()))
    of_models = {name: _entry(lists, _of_lists(lists)) for name, lists in found.lists.items()}
    has_categories = "items" in data and "categories" in data["items"].keys
    return Guess(
        data=data,
        models=of_models,
        others=tuple(others),
        threshold=limit,
        on_relevance=on_relevance,
        top_k=top_k,
        on_top_k=on_top_k,
        metrics=choices.measures("train" in data, "items" in data, has_categories),
        lines=_lines(files, data, of_models, others, {**unreadable, **found.left_out}),
        doubts=tuple(dict.fromkeys(doubts)),
    )


def _singles(files: Sequence[File], test: File) -> tuple[dict[str, File], list[tuple[str, Entry]]]:
    """The side inputs of which there is one each, and the files that could be in their place."""
    chosen: dict[str, File] = {}
    spare: list[tuple[str, Entry]] = []
    for table, key in _SINGLE.items():
        fitting = sorted((found for found in files if found.table == table), key=lambda found: _fit(found, test))
        if fitting:
            chosen[key] = fitting[0]
            spare += [(key, _entry(found, f"could be {key} too")) for found in fitting[1:]]
    return chosen, spare


def _fit(found: File, test: File) -> tuple[int, int, int, int, str]:
    """The better a side input fits its key, the less: by ids that the test set has, one row per user, its name, categories, columns."""
    shape, glance = test.shape, found.glance
    assert shape is not None
    ids = shape.users if found.table == "people" else shape.items
    column = found.columns["user" if found.table == "people" else "item"]
    says = words.of_name(words.stem(glance.label)) and found.table in words.of_file(words.stem(glance.label))
    plain = len(words.of_name(words.stem(glance.label))) == 1
    return (
        int(ids.isdisjoint(column.values)) + int(found.table == "people" and column.distinct < column.filled),
        0 if says and plain else 1 if says else 2,
        0 if choices.categories(glance) else 1,
        -len(glance.columns),
        glance.label,
    )


def _entry(found: File, why: str) -> Entry:
    assert found.table is not None
    keys = {**found.glance.stated, "columns": columns_of(found)}
    if found.table == "catalogue":
        keys |= choices.categories(found.glance)
    return Entry(found, keys, why)


def _predicted(found: File) -> Entry:
    """Predicted ratings, which look like lists until their pairs are compared with those of the test set."""
    columns = {"user": found.columns["user"], "item": found.columns["item"], "prediction": found.columns["score"]}
    table = File(found.glance, columns, found.shape, "predictions", "predicted ratings")
    return _entry(table, "predictions for pairs of the test set")


def columns_of(found: File) -> dict[str, str | int]:
    """The columns as a config names them: by name, or by place in a file without a header."""
    roles = _COLUMNS[found.table or ""]
    return {_CALLED.get(role, role): _name(found, found.columns[role]) for role in roles if role in found.columns}


def _name(found: File, column: Column) -> str | int:
    same = [other for other in found.glance.columns if other.name == column.name]
    return column.name if found.glance.header and len(same) == 1 else column.place


def _of_lists(found: File) -> str:
    shape = found.shape
    assert shape is not None
    return f"{found.why}; up to {shape.longest} items per user" if shape.whole else found.why


def _lines(
    files: Sequence[File],
    data: Mapping[str, Entry],
    of_models: Mapping[str, Entry],
    others: Sequence[tuple[str, Entry]],
    unreadable: Mapping[str, str],
) -> tuple[tuple[str, str], ...]:
    said = {given: f"left out: {why}" for given, why in unreadable.items()}
    said |= {entry.file.glance.given: f"left out, but named in a comment: {entry.comment}" for _, entry in others}
    said |= {entry.file.glance.given: f"data.{key}: {_told(entry)}" for key, entry in data.items()}
    said |= {entry.file.glance.given: f"the model {name}: {_told(entry)}" for name, entry in of_models.items()}
    said |= {found.glance.given: f"left out: {found.why}" for found in files if found.glance.given not in said}
    order = [*(found.glance.given for found in files), *unreadable]
    return tuple((given, said[given]) for given in dict.fromkeys(order))


def _told(entry: Entry) -> str:
    """The reason, how the file is read, and how many rows it has."""
    stated: dict[str, Any] = {key: value for key, value in entry.keys.items() if key in ("format", "separator", "categories", "split")}
    how = "".join(f"; {key} {value!r}" for key, value in stated.items()) + ("" if entry.file.glance.header else "; no header")
    glance = entry.file.glance
    columns = ", ".join(f"{key}={name}" for key, name in entry.keys["columns"].items())
    return f"{entry.comment}; {columns}{how}; {'' if glance.exact else 'about '}{glance.n_rows:,} rows"


def _unused(files: Sequence[File], unreadable: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    said = [(found.glance.given, f"{_KINDS[found.table]}: {found.why}" if found.table else found.why) for found in files]
    return (*said, *unreadable.items())


_KINDS: Final = {
    "interactions": "interactions",
    "lists": "lists",
    "catalogue": "items",
    "people": "users",
    "policy": "the scores of a policy",
    "distances": "distances",
}
