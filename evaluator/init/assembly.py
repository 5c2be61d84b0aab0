"""The files together → the config to write, what to say of each file, and what is unsure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from . import descriptions, id_spellings, name_words, settings, source_entries
from .datasets import others
from .model_files import Models, models
from .records import Entry, File, Guess
from .train_test import Truth, leading, settled, truth

_SINGLE: Final = {"catalogue": "items", "people": "users", "policy": "previous_policy", "distances": "distances"}
"""The tables of which a config has one at most, and their keys."""


def decide(files: Sequence[File], unreadable: Mapping[str, str]) -> Guess:
    """The guess for files that were seen, and the reasons of those that could not be read."""
    every = settled(files)
    apart = _apart(every)
    files = [found for found in every if found.glance.given not in apart]
    left_out = {**unreadable, **apart}
    lists = [found for found in files if found.table == "lists"]
    known = truth([found for found in files if found.table == "interactions"], lists)
    doubts = descriptions.doubts(files)
    if known.test is None or not lists:
        return Guess(lines=descriptions.unused(files, left_out), doubts=tuple(doubts), problem=_problem(known, lists))
    found = models(known.test, lists)
    doubts += [*known.doubts, *id_spellings.apart(known.test, [other for other in files if other.table])]
    if not found.lists:
        reasons = "; ".join(f"{given}: {why}" for given, why in found.left_out.items())
        return Guess(
            lines=descriptions.unused(files, left_out),
            doubts=tuple(doubts),
            problem=f"no file has lists for {known.test.glance.given}: {reasons}",
        )
    return _complete(every, known, found, left_out, doubts)


def _apart(files: Sequence[File]) -> dict[str, str]:
    """The files of other test sets than the one that is evaluated, with the reason."""
    test = leading([found for found in files if found.table == "interactions"], [found for found in files if found.table == "lists"])
    return others(test, files) if test is not None else {}


def _problem(known: Truth, lists: Sequence[File]) -> str:
    if known.test is None and lists:
        return known.problem
    nothing = "no file looks like recommendations, which have a column of users, one of items, and a score or a rank"
    return nothing if known.test is not None else f"{nothing}, and {known.problem}"


def _complete(files: Sequence[File], known: Truth, found: Models, left_out: Mapping[str, str], doubts: list[str]) -> Guess:
    """The guess where there are a test set and lists."""
    assert known.test is not None
    data, spare = _data([file for file in files if file.glance.given not in left_out], known, found)
    of_models = {name: source_entries.of_lists(lists) for name, lists in found.lists.items()}
    threshold, on_relevance = settings.threshold(known.test)
    if threshold is not None:
        doubts.append(f"{known.test.glance.given}: {on_relevance}")
    top_k, on_top_k = settings.cutoffs(list(found.lists.values()))
    return Guess(
        data=data,
        models=of_models,
        others=spare,
        threshold=threshold,
        on_relevance=on_relevance,
        top_k=top_k,
        on_top_k=on_top_k,
        metrics=settings.measures("train" in data, "items" in data, "items" in data and "categories" in data["items"].keys),
        lines=descriptions.lines(files, data, of_models, spare, {**left_out, **found.left_out}),
        doubts=tuple(dict.fromkeys(doubts)),
    )


def _data(files: Sequence[File], known: Truth, found: Models) -> tuple[dict[str, Entry], tuple[tuple[str, Entry], ...]]:
    """The data section but for the lists, and the files that could have had a key of it."""
    assert known.test is not None
    singles, spare = _singles(files, known.test)
    interactions = {"test": known.test, "train": known.train}
    data = {key: source_entries.entry(given, known.why[given.glance.given]) for key, given in interactions.items() if given is not None}
    data |= {key: source_entries.entry(single, single.why) for key, single in singles.items()}
    if found.predictions:
        data["predictions"] = source_entries.predicted(found.predictions[0])
    others = [*((key, source_entries.entry(other, why)) for key, other, why in known.others), *spare]
    return data, (*others, *(("predictions", source_entries.predicted(other)) for other in found.predictions[1:]))


def _singles(files: Sequence[File], test: File) -> tuple[dict[str, File], list[tuple[str, Entry]]]:
    """The side inputs of which there is one each, and the files that could be in their place."""
    chosen: dict[str, File] = {}
    spare: list[tuple[str, Entry]] = []
    for table, key in _SINGLE.items():
        fitting = sorted((found for found in files if found.table == table), key=lambda found: _fit(found, test))
        if fitting:
            chosen[key] = fitting[0]
            spare += [(key, source_entries.entry(found, f"could be {key} too")) for found in fitting[1:]]
    return chosen, spare


def _fit(found: File, test: File) -> tuple[int | bool | str, ...]:
    """The better a side input fits its key, the less: by its ids, one row per user, its folder, name, categories, columns."""
    shape, glance = test.shape, found.glance
    assert shape is not None
    ids = shape.users if found.table == "people" else shape.items
    column = found.columns["user" if found.table == "people" else "item"]
    says = name_words.of_name(name_words.stem(glance.label)) and found.table in name_words.of_file(name_words.stem(glance.label))
    plain = len(name_words.of_name(name_words.stem(glance.label))) == 1
    return (
        ids.isdisjoint(column.values) + (found.table == "people" and column.distinct < column.filled),
        name_words.apart(glance.label, test.glance.label),
        0 if says and plain else 1 if says else 2,
        0 if settings.categories(glance) else 1,
        -len(glance.columns),
        glance.label,
    )
