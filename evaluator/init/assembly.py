"""Assemble a config from the classified files: their entries in the data section, the metrics, and the doubts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from msgspec.structs import replace

from ..load.column_words import column_words, words_of
from ..load.columns import is_no_category, says_what_happened
from ..load.filtering import likely_filter
from . import choice as choosing
from .classification import ClassifiedFile, as_predictions
from .guessed_config import GuessedConfig, SourceEntry
from .name_words import are_in_different_folders, stem, table_words
from .proposals import TimeSplit, proposals, time_split
from .readings import keys_alone, read_together
from .sentences import DROPS, columns_text, described_entry, file_doubts, rows_without_values, what_was_recognised, whose_lists
from .table_preview import ColumnSummary

_KINDS: Final = {"catalogue": "items", "people": "users", "policy": "the scores of a policy"}
"""Kind of table → its usual name, if it differs."""
_SINGLE_KEYS: Final = {"catalogue": "items", "people": "users", "policy": "previous_policy", "distances": "distances"}
"""Kind of table → its key of the data section, which takes one file."""
_READ_TOGETHER: Final = ("interactions", "lists")
"""The kinds of tables that the recogniser reads."""
_USUAL_CUTOFFS: Final = (5, 10, 20)
_BASIC_METRICS: Final = ("nDCG", "Recall", "Precision", "MAP", "MRR", "HitRate")
_SEPARATORS: Final = ("|", ";", ", ", ",", "/")
_MOST_EVENTS: Final = 20
"""Largest number of distinct values of an event column."""
_SHOWN_EVENTS: Final = 6


def assemble(files: Sequence[ClassifiedFile], unreadable: Mapping[str, str]) -> GuessedConfig:
    """Assemble a config from classified files; `unreadable` has the reason for each file that could not be read."""
    resolved = choosing.resolve_bare_lists(files)
    candidates = choosing.test_candidates(_files_for_table(resolved, "interactions"), _files_for_table(resolved, "lists"))
    foreign = choosing.foreign_files(candidates[0], resolved) if candidates else {}
    own = [file for file in resolved if file.path not in foreign]
    left_out = {**unreadable, **foreign}
    lists = _files_for_table(own, "lists")
    split = choosing.choose_train_test(_files_for_table(own, "interactions"), lists)
    doubts: list[str] = []
    problem = "" if lists else "no file looks like recommendations: these have a user column, an item column, and a score or rank"
    if split.test is None:
        problem = f"{problem}, and {split.problem}" if problem else split.problem
    elif not problem:
        models, predictions, unfit = choosing.choose_models(split.test, lists)
        if models:
            data, alternatives = _data_section(own, split.test, split, predictions)
            config = GuessedConfig(data, {name: _lists_entry(file) for name, file in models.items()}, tuple(alternatives))
            config = with_readings(config)
            used = [entry.file for entry in (*config.data.values(), *config.models.values())]
            doubts = [*file_doubts(used), *split.doubts, *choosing.spelling_doubts(config.data["test"].file, used)]
            return _complete(config, resolved, {**left_out, **unfit}, doubts)
        doubts = [*split.doubts, *choosing.spelling_doubts(split.test, [file for file in own if file.table])]
        reasons = "; ".join(f"{path}: {reason}" for path, reason in unfit.items())
        problem = f"no file has lists for {split.test.path}: {reasons}"
    kinds = [(file.path, f"{_KINDS.get(file.table, file.table)}: {file.reason}" if file.table else file.reason) for file in own]
    return GuessedConfig(descriptions=(*kinds, *left_out.items()), doubts=tuple(doubts), problem=problem)


def _files_for_table(files: Sequence[ClassifiedFile], table: str) -> list[ClassifiedFile]:
    return [file for file in files if file.table == table]


def _complete(config: GuessedConfig, files: Sequence[ClassifiedFile], left_out: Mapping[str, str], doubts: Sequence[str]) -> GuessedConfig:
    """Choose the metrics, and describe the use of every file, in the order given, unreadable ones last."""
    by_path = {path: f"left out: {reason}" for path, reason in left_out.items()}
    by_path |= {entry.file.path: f"left out, but listed in a comment: {entry.comment}" for _, entry in config.alternatives}
    by_path |= {entry.file.path: f"data.{key}: {described_entry(entry)}" for key, entry in config.data.items()}
    by_path |= {entry.file.path: f"{whose_lists(name, entry)}: {described_entry(entry)}" for name, entry in config.models.items()}
    by_path |= {file.path: f"left out: {file.reason}" for file in files if file.path not in by_path}
    shared = {entry.file.path: f"a model each: {columns_text(entry)}" for entry in config.models.values()}
    test = config.data["test"].file
    threshold, where = _threshold(test), _filter(test)
    lists = [entry.file for entry in config.models.values()]
    split = None if "train" in config.data else time_split(test, lists)
    data = _split_data(config.data, split) if split is not None and split.evidence else dict(config.data)
    filters = {key: str(entry.keys["where"]) for key, entry in data.items() if "where" in entry.keys}
    incomplete = rows_without_values([entry.file for entry in (*config.data.values(), *config.models.values())])
    in_doubt = [] if threshold[0] is None else [f"{test.path}: {threshold[1]}"]
    if where is not None:
        in_doubt.append(f"{test.path}: all events count as relevant ({where[1]}) unless data.test.where keeps one kind")
    if split is not None and split.evidence:
        in_doubt.append(f"{test.path}: rows from {split.day} on are the test set, and the rows before are the train set: {split.evidence}")
    proposed = proposals({key: entry.file for key, entry in data.items()}, filters, lists, where[1] if where else "")
    return replace(
        config,
        data=data,
        split=split,
        proposals=proposed,
        shared=shared,
        threshold=threshold,
        where=where,
        drops=any(sentence.endswith(DROPS) for sentence in incomplete),
        top_k=_cutoffs([entry.file for entry in config.models.values()]),
        metrics=_metrics(data, not filters and _has_one_item_per_user(test), sampled=choosing.CANDIDATES in left_out.values()),
        descriptions=tuple((path, by_path[path]) for path in dict.fromkeys([*(file.path for file in files), *left_out])),
        doubts=tuple(dict.fromkeys([*doubts, *what_was_recognised(config), *incomplete, *in_doubt])),
    )


def _split_data(data: Mapping[str, SourceEntry], split: TimeSplit) -> dict[str, SourceEntry]:
    """Return the entries of a config whose test file is split by time into a test and a train set."""
    test = data["test"]
    parts = {
        "test": replace(test, keys={**test.keys, "where": split.test}, comment=f"rows from {split.day} on: {split.evidence}"),
        "train": replace(test, keys={**test.keys, "where": split.train}, comment="the rows before"),
    }
    return parts | {key: entry for key, entry in data.items() if key not in parts}


def _data_section(
    files: Sequence[ClassifiedFile], test: ClassifiedFile, split: choosing.TrainTestFiles, predictions: Sequence[ClassifiedFile]
) -> tuple[dict[str, SourceEntry], list[tuple[str, SourceEntry]]]:
    """Write the entries of test, train, side inputs and predictions; return them, and files that could have had a key of the section."""
    alternatives = [(key, source_entry(file, comment)) for key, file, comment in split.alternatives]
    entries = {key: source_entry(file, split.reasons[file.path]) for key, file in (("test", test), ("train", split.train)) if file}
    for table, key in _SINGLE_KEYS.items():
        for file in sorted(_files_for_table(files, table), key=partial(_side_order, test)):
            if key not in entries:
                entries[key] = source_entry(file, file.reason)
            else:
                alternatives.append((key, source_entry(file, f"could also be {key}")))
    for file in predictions:  # they are classified as lists until their pairs are compared with the test set
        entry = source_entry(as_predictions(file), "predictions for pairs of the test set")
        if entries.setdefault("predictions", entry) is not entry:
            alternatives.append(("predictions", entry))
    return entries, alternatives


def _side_order(test: ClassifiedFile, file: ClassifiedFile) -> tuple[int | bool | str, ...]:
    """Return a sort key, the best file first: ids shared with the test set, one row per user, folder, name, categories, columns."""
    is_users = file.table == "people"
    test_ids = test.by_user.users if is_users else test.by_user.items
    column = file.columns["user" if is_users else "item"]
    words = words_of(stem(file.label))
    is_named = bool(words) and file.table in table_words(stem(file.label))
    return (
        test_ids.isdisjoint(column.examples) + (is_users and column.n_distinct < column.n_filled),
        are_in_different_folders(file.label, test.label),
        (0 if len(words) == 1 else 1) if is_named else 2,
        0 if categories_of(file) else 1,
        -len(file.every),
        file.label,
    )


def source_entry(file: ClassifiedFile, comment: str) -> SourceEntry:
    """Return the keys that a config needs for a file by itself, with a comment."""
    categories = categories_of(file) if file.table == "catalogue" else {}
    if "null_values" in categories:
        comment = f"{comment}; null_values are read as no category"
    return SourceEntry(file, {**keys_alone(file), **categories}, comment)


def with_readings(config: GuessedConfig) -> GuessedConfig:
    """Return a config whose test set, train set and lists are read beside each other, as a run reads them."""
    entries = {f"data.{key}": entry for key, entry in config.data.items() if entry.file.table in _READ_TOGETHER}
    entries |= {f"data.recommendations.{name}": entry for name, entry in config.models.items()}
    chosen = read_together({role: entry.file for role, entry in entries.items()})
    read = {
        role: replace(
            entry,
            file=entry.file.read_as(choice.source, choice.found),
            keys=choice.keys,
            alternatives=choice.alternatives,
            doubt=choice.doubt,
        )
        for (role, entry), choice in zip(entries.items(), chosen.values(), strict=True)
    }
    return replace(
        config,
        data={key: read.get(f"data.{key}", entry) for key, entry in config.data.items()},
        models={name: read[f"data.recommendations.{name}"] for name in config.models},
    )


def _lists_entry(file: ClassifiedFile) -> SourceEntry:
    """Return the entry of the lists of a model, with their length in the comment if whole users were read."""
    longest = file.by_user.longest
    length = f"; up to {longest:,} item{'' if longest == 1 else 's'} per user" if file.by_user.has_whole_users else ""
    return source_entry(file, f"{file.reason}{length}")


def _threshold(test: ClassifiedFile) -> tuple[float | None, str]:
    """Choose the lowest rating of a relevant item if ratings look like one to five stars, otherwise none; with the reason."""
    rating = test.columns.get("rating")
    if rating is None or rating.minimum is None or rating.maximum is None:
        return None, "no column of ratings: every test row is relevant"
    span = f"the ratings go from {rating.minimum:g} to {rating.maximum:g}"
    if rating.half_steps and rating.minimum >= 0.5 and 4 <= rating.maximum <= 5 and rating.n_distinct >= 3:
        return 4, f"{span} like stars, so 4 or more is relevant; otherwise every rated item counts as relevant"
    return None, f"{span}: every test row with a rating above 0 is relevant; threshold: N requires at least N"


def _cutoffs(lists: Sequence[ClassifiedFile]) -> tuple[tuple[int, ...], str]:
    """Choose the usual cut-offs up to the usual length of the lists of every model, with the reason."""
    lengths = [file.by_user.median_length for file in lists if file.by_user.has_whole_users]
    if not lengths:
        return _USUAL_CUTOFFS[:2], "the list lengths are unknown"
    shortest, longest = min(lengths), max(lengths)
    usual = tuple(k for k in _USUAL_CUTOFFS if k <= shortest) or (shortest,)
    if shortest < longest:
        why = f"above {shortest:,} the models would not be compared like with like"
        return usual, f"the usual lists of the models have {shortest:,} to {longest:,} items: {why}"
    most = max(file.by_user.longest for file in lists if file.by_user.has_whole_users)
    return usual, f"the lists have up to {most:,} items" + (f", most have {shortest:,} or fewer" if shortest < most else "")


def _has_one_item_per_user(test: ClassifiedFile) -> bool:
    """Return whether every user of a test set has one item, perhaps in several rows, as after a leave-one-out split."""
    users = [user for user, item in test.by_user.pairs if user and item]
    return test.by_user.has_whole_users and len({*users}) == len(users) > 1


def _filter(test: ClassifiedFile) -> tuple[str, str] | None:
    """Return a probable filter of rows if there is an event column, and the values of this column with their counts; else `None`."""
    taken = {column.number for column in test.columns.values()}
    for column in test.every if test.has_header else ():
        is_event = says_what_happened(column.name) and column.number not in taken and not column.is_list
        if is_event and column.kind != "decimal" and 1 < column.n_distinct <= _MOST_EVENTS:
            counts = column.value_counts()
            if not says_what_happened(column.name, [value for value, _ in counts]):
                continue
            values = ", ".join(f"{value} {n:,}" for value, n in counts[:_SHOWN_EVENTS]) + (", …" if len(counts) > _SHOWN_EVENTS else "")
            n_seen = len(column.sampled.values)
            rows = "" if test.n_rows == (n_seen, True) else f" in the first {n_seen:,} rows"
            return likely_filter(column.name, counts), f"{column.name}: {values}{rows}"
    return None


def _metrics(data: Mapping[str, SourceEntry], one_item_per_user: bool, sampled: bool) -> tuple[tuple[str, str], ...]:
    """Choose metrics that the inputs allow, each with a comment.

    After a leave-one-out split only those that differ. Of lists of `sampled` candidates, coverage, novelty and diversity would describe
    the sample.
    """
    chosen = [(name, "") for name in _BASIC_METRICS]
    if one_item_per_user:
        same = "one test item per user: Recall equals HitRate, Precision is HitRate / k, and MAP equals MRR"
        chosen = [("HitRate", same), ("nDCG", ""), ("MRR", "")]
    if sampled:
        return tuple(chosen)
    if "train" in data or "items" in data:
        chosen.append(("ItemCoverage", "the share of the catalogue that is recommended at least once"))
    if "train" in data:
        chosen.append(("EPC", "how few train users know the hits; other items count 0"))
    if "items" in data and "categories" in data["items"].keys:
        chosen.append(("ILD(distance=jaccard)", "diversity: how different the categories within a list are"))
    return tuple(chosen)


def categories_of(file: ClassifiedFile) -> dict[str, Any]:
    """Return the keys of `data.items` for the categories, if a column obviously holds them, and for words for none among them."""
    for column in file.every:
        named = "genre" in column_words(column.name) if file.has_header else column.number > 1
        is_genre = named and column.kind == "text" and column.examples
        if is_genre and not column.is_list and not column.examples[0].startswith(("[", "{")):
            split = _separator(column)
            if split == "|" if not file.has_header else split or 2 * column.n_distinct <= column.n_filled:
                name = column.sampled.key
                none = [value for value, _ in column.value_counts() if is_no_category(value)]
                nulls = {"null_values": none[0] if len(none) == 1 else none} if none else {}
                return {"categories": name, **({"split": split} if split else {}), **nulls}
    return {}


def _separator(column: ColumnSummary) -> str:
    """Detect what separates the categories in a value; empty if nothing does.

    It is the sign in most values, if splitting leaves fewer distinct names; a space only if it leaves far fewer, because names of
    categories may have spaces.
    """
    n_values = {sign: sum(sign in value for value in column.examples) for sign in _SEPARATORS}
    best = max(_SEPARATORS, key=lambda sign: n_values[sign])
    parts = {part for value in column.examples for part in value.split(best)}
    if n_values[best] and (best == "|" or len(parts) < len(column.examples)):
        return best
    single_words = {word for value in column.examples for word in value.split()}
    return " " if any(" " in value for value in column.examples) and 2 * len(single_words) < len(column.examples) else ""
