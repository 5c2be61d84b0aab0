"""Assemble a config from the classified files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

from . import settings
from .id_spellings import spelling_doubts
from .model_files import ModelFiles, choose_models
from .name_words import are_in_different_folders, stem, table_words, words_of
from .records import ClassifiedFile, GuessedConfig, SourceEntry
from .source_entries import describe, file_doubts, lists_entry, predictions_entry, source_entry
from .train_test import TrainTestFiles, choose_train_test, foreign_files, resolve_bare_lists, test_candidates

_KINDS: Final = {"catalogue": "items", "people": "users", "policy": "the scores of a policy"}
"""Kinds of table that people know by another name."""
_SINGLE_KEYS: Final = {"catalogue": "items", "people": "users", "policy": "previous_policy", "distances": "distances"}
"""Kind of table → its key of the data section, which takes one file."""


def assemble(files: Sequence[ClassifiedFile], unreadable: Mapping[str, str]) -> GuessedConfig:
    """Assemble a config from classified files; `unreadable` has the reason for each file that could not be read."""
    resolved = resolve_bare_lists(files)
    candidates = test_candidates(_of_table(resolved, "interactions"), _of_table(resolved, "lists"))
    foreign = foreign_files(candidates[0], resolved) if candidates else {}
    own = [file for file in resolved if file.summary.path not in foreign]
    left_out = {**unreadable, **foreign}
    lists = _of_table(own, "lists")
    split = choose_train_test(_of_table(own, "interactions"), lists)
    doubts = file_doubts(own)
    if split.test is None or not lists:
        return _failure(own, left_out, doubts, _problem(split, lists))
    models = choose_models(split.test, lists)
    doubts += [*split.doubts, *spelling_doubts(split.test, [file for file in own if file.table])]
    if not models.lists:
        reasons = "; ".join(f"{path}: {reason}" for path, reason in models.left_out.items())
        return _failure(own, left_out, doubts, f"no file has lists for {split.test.summary.path}: {reasons}")
    return _complete(resolved, split, models, left_out, doubts)


def _of_table(files: Sequence[ClassifiedFile], table: str) -> list[ClassifiedFile]:
    return [file for file in files if file.table == table]


def _failure(files: Sequence[ClassifiedFile], left_out: Mapping[str, str], doubts: Sequence[str], problem: str) -> GuessedConfig:
    """Describe every file by itself, where no config can be made of them."""
    kinds = [(one.summary.path, f"{_KINDS.get(one.table, one.table)}: {one.reason}" if one.table else one.reason) for one in files]
    return GuessedConfig(descriptions=(*kinds, *left_out.items()), doubts=tuple(doubts), problem=problem)


def _problem(split: TrainTestFiles, lists: Sequence[ClassifiedFile]) -> str:
    """Say that there is no test set, or no lists, or neither."""
    if split.test is None and lists:
        return split.problem
    no_lists = "no file looks like recommendations: these have a user column, an item column, and a score or rank"
    return no_lists if split.test is not None else f"{no_lists}, and {split.problem}"


def _complete(
    files: Sequence[ClassifiedFile], split: TrainTestFiles, models: ModelFiles, left_out: Mapping[str, str], doubts: Sequence[str]
) -> GuessedConfig:
    """Assemble the config of a test set and lists."""
    assert split.test is not None
    data, alternatives = _data_section([file for file in files if file.summary.path not in left_out], split, models)
    model_entries = {name: lists_entry(lists) for name, lists in models.lists.items()}
    threshold, threshold_reason = settings.threshold(split.test)
    threshold_doubts = [] if threshold is None else [f"{split.test.summary.path}: {threshold_reason}"]
    top_k, top_k_reason = settings.cutoffs(list(models.lists.values()))
    return GuessedConfig(
        data=data,
        models=model_entries,
        alternatives=alternatives,
        threshold=threshold,
        threshold_reason=threshold_reason,
        top_k=top_k,
        top_k_reason=top_k_reason,
        metrics=settings.metrics("train" in data, "items" in data, "items" in data and "categories" in data["items"].keys),
        descriptions=describe(files, data, model_entries, alternatives, {**left_out, **models.left_out}),
        doubts=tuple(dict.fromkeys([*doubts, *threshold_doubts])),
    )


def _data_section(
    files: Sequence[ClassifiedFile], split: TrainTestFiles, models: ModelFiles
) -> tuple[dict[str, SourceEntry], tuple[tuple[str, SourceEntry], ...]]:
    """Write the entries of test, train, side inputs and predictions; return them, and files that could have had a key of the section."""
    assert split.test is not None
    alternatives = [(key, source_entry(file, comment)) for key, file, comment in split.alternatives]
    interactions = {"test": split.test, "train": split.train}
    entries = {key: source_entry(file, split.reasons[file.summary.path]) for key, file in interactions.items() if file is not None}
    for table, key in _SINGLE_KEYS.items():
        for number, file in enumerate(sorted(_of_table(files, table), key=partial(_side_order, split.test))):
            if number == 0:
                entries[key] = source_entry(file, file.reason)
            else:
                alternatives.append((key, source_entry(file, f"could also be {key}")))
    if models.predictions:
        entries["predictions"] = predictions_entry(models.predictions[0])
    return entries, (*alternatives, *(("predictions", predictions_entry(file)) for file in models.predictions[1:]))


def _side_order(test: ClassifiedFile, file: ClassifiedFile) -> tuple[int | bool | str, ...]:
    """Sort by ids of the test set and one row per user, then by folder, name, categories and number of columns: the best first."""
    summary, is_users = file.summary, file.table == "people"
    test_ids = test.by_user.users if is_users else test.by_user.items
    column = file.columns["user" if is_users else "item"]
    name = stem(summary.label)
    is_named = bool(words_of(name)) and file.table in table_words(name)
    return (
        test_ids.isdisjoint(column.examples) + (is_users and column.n_distinct < column.n_filled),
        are_in_different_folders(summary.label, test.summary.label),
        (0 if len(words_of(name)) == 1 else 1) if is_named else 2,
        0 if settings.categories(summary) else 1,
        -len(summary.columns),
        summary.label,
    )
