"""Guess a config from unlabelled files, and write it as YAML with comments; values, keys and comments of any config are written here."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, Final

import yaml
from msgspec.structs import replace

from .. import load
from ..config.data import MARK, folds_of
from ..config.loader import check
from ..config.overrides import Locations
from ..load import database, sniff
from ..support.errors import ConfigError, DataError, MissingExtraError
from ..support.temporary import PROCESS_SCRATCH
from ..syntax import yaml_text as text
from ..syntax.short_names import is_address
from .assembly import assemble, categories_of
from .classification import ClassifiedFile, classify, reclassified
from .discovery import DEEPEST, DEPTHS, DiscoveredTable, Query, discover_tables, unread_folder
from .folds import FoldFiles, find_folds, left_out_folds, lists_of_no_fold, with_folds, with_left_out, with_uncounted
from .guessed_config import GuessedConfig, SourceEntry
from .seeds import find_seeds, names_seeds, with_seeds
from .table_preview import TablePreview

_MAX_ROWS_PER_FILE: Final = 100_000
_MAX_ROWS: Final = 2_000_000
_RESULT: Final = b'{\n  "format_version":'
"""The start of JSON that receval writes: results and manifests."""
_HEAD = """\
# Written by `receval init`: guesses with reasons. Correct what is wrong, check with `receval validate`, then evaluate with `receval run`.
# Paths are relative to {where}.
"""
_TAIL = """\
# output: {dir: results/}  # write values in all formats and a manifest into this folder
"""
_GATES: Final = """\
# gates:  # what must hold before a model ships; receval baseline set DIR makes the baseline
#   baseline: results/main
#   fail: shown_worse  # fail if a loss is shown and the value is beyond the limit; shown_beyond: only if that is shown; value: by the value
#   rules: [{measure} max_loss 2%]
"""


def guess(names: Sequence[str]) -> GuessedConfig:
    """Guess a config from files and folders; without any, from the current folder. If the first levels do not suffice, search deeper.

    Raises `DataError` if there are no tables. If no file looks like a test set, or none like lists, the result has a `problem`.
    """
    places, found, failure = names or ["."], None, None
    for depth in (*DEPTHS, DEEPEST):
        if depth == DEEPEST and found is not None:
            break
        try:
            found = _guess_within(places, depth)
        except DataError as error:
            if found is not None:  # so many tables that only the levels before are looked at
                break
            failure = failure or error
        if found is not None and not found.problem:
            return _with_deeper(places, depth, found)
        unread = unread_folder(places, depth)
        found = found and replace(found, unread=unread)
        if unread is None:
            break
    if found is None:
        assert failure is not None
        raise failure
    return found


def _with_deeper(places: Sequence[str], depth: int, config: GuessedConfig) -> GuessedConfig:
    """Return the config of deeper folders if these have runs by seeds, else the same, with the number of files that were not looked at."""
    if unread_folder(places, depth) is None:
        return config
    looked_at = {table.path for table in discover_tables(places, depth)}
    for deeper in DEPTHS:
        try:
            out = [table.path for table in discover_tables(places, deeper) if table.path not in looked_at] if deeper > depth else []
        except DataError:  # so many tables that only the levels before are looked at
            break
        if names_seeds(out) and not (found := _guess_within(places, deeper)).problem:
            return _with_deeper(places, deeper, found)
        if out and deeper == DEPTHS[-1]:
            return with_left_out(config, out, "they are in deeper folders; give these to init to use them")
    return config


def _guess_within(names: Sequence[str], depth: int) -> GuessedConfig:
    """Guess a config from files, and folders as deep as `depth`; raise `DataError` if there are no tables, or too many."""
    files: list[ClassifiedFile] = []
    unreadable: dict[str, str] = {}
    tables = [table for found in discover_tables(names, depth) for table in _tables_in(found, unreadable)]
    max_rows = min(_MAX_ROWS_PER_FILE, _MAX_ROWS // max(len(tables), 1))
    for table in tables:
        try:
            files.append(classify(TablePreview(table, max_rows)))
        except (DataError, MissingExtraError) as error:
            message = error.message.removeprefix("init: ").removeprefix(str(table.paths[0])).removeprefix(table.path)
            is_result = os.path.isfile(table.paths[0]) and sniff.starts(table.paths[0], _RESULT)
            if is_result:
                message = "it contains results of receval"
            unreadable[table.path] = message.lstrip(",: ")  # the name is printed before it
    every = reclassified(files)
    seeds = find_seeds(every)
    config, folds = _assembled(with_seeds(every, seeds), unreadable)
    having_ids = {f"data.{key}": entry.file for key, entry in config.data.items() if key in ("test", "train", "items")}
    having_ids |= {f"data.recommendations.{name}": entry.file for name, entry in config.models.items()}
    sources = {role: replace(file.opened, role=role) for role, file in having_ids.items()}
    config = replace(
        config,
        doubts=(*config.doubts, *_without_times(config, sources), *load.remarks(sources.values())),
        files=tuple(str(path) for file in files for path in file.preview.place.paths),
    )
    config = with_folds(config, folds) or config if folds.names else config
    return with_uncounted(config, [file.path for file in every], {group.pattern: group.paths for group in seeds})


def guess_categories(name: str) -> Mapping[str, Any]:
    """Guess the keys of `data.items` for the categories in a file of items; empty if no column obviously holds them."""
    try:
        return categories_of(classify(TablePreview(discover_tables([name])[0], _MAX_ROWS_PER_FILE, whole=True)))
    except (DataError, MissingExtraError):
        return {}


def _assembled(files: Sequence[ClassifiedFile], unreadable: Mapping[str, str]) -> tuple[GuessedConfig, FoldFiles]:
    """Return the config of the files, and the folds that it is of; folds beside a test set with its own lists are left out.

    If there are only the test sets of folds, lists that no fold has are left out.
    """
    own, left_out = files, dict(unreadable)
    while (folds := find_folds(own)).names:
        of_first = [file for file in own if file.path not in folds.others]
        config = assemble(of_first, left_out)
        if elsewhere := lists_of_no_fold(config, folds):
            config = assemble([file for file in of_first if file.path not in elsewhere], left_out | elsewhere)
        if with_folds(config, folds) is not None:
            return config, folds
        if "test" not in config.data or config.data["test"].file.path in folds.patterns:
            break
        left_out |= left_out_folds(folds, files, config)
        own = [file for file in own if file.path not in folds.patterns and file.path not in folds.others]
    config = assemble(own, left_out)
    return (assemble(files, unreadable) if config.problem else config), FoldFiles()


def _without_times(config: GuessedConfig, sources: Mapping[str, load.Source]) -> Iterator[str]:
    """Yield a sentence on the checks that stay off because the test or train set has no times."""
    lacking = [key for key in ("test", "train") if key in config.data and "timestamp" not in sources[f"data.{key}"].columns]
    if lacking and "train" in config.data:
        paths = " and ".join(config.data[key].file.path for key in lacking)
        set_it = "set columns: {timestamp: NAME} if there is one"
        yield f"{paths}: no column of times is recognised, so the checks for leaks through time (X07 to X09) stay off; {set_it}"


def _tables_in(table: DiscoveredTable, unreadable: dict[str, str]) -> list[DiscoveredTable]:
    """Return the tables of an SQLite or DuckDB database, or any other file itself; add unreadable ones to `unreadable` with reasons."""
    path = table.paths[0]
    scheme = database.scheme_of(path)
    if scheme is None:
        return [table]
    try:
        statements = database.tables_of(scheme, path)
    except (DataError, MissingExtraError) as error:
        unreadable[table.path] = error.message
        return []
    found = []
    for name, statement in statements:
        shown = f"{table.path}: {name}"
        try:
            copy, _ = database.fetch_rows(shown, f"{scheme}:///{path}", statement, Path(), PROCESS_SCRATCH)
        except DataError as error:
            unreadable[shown] = error.message.removeprefix(f"{shown}: ")
        else:
            label = str(PurePosixPath(table.label) / name)
            found.append(DiscoveredTable(shown, label, (copy,), Query(scheme, str(path), statement)))
    return found


def config_text(config: GuessedConfig, folder: Path | None = None) -> str:
    """Return the YAML of a guessed config, with paths relative to `folder`, or to the current folder if not given.

    Raises `ConfigError` if the result is not a valid config, which would be a bug.
    """
    body = "".join(f"{line}\n" for line in _lines(config, folder))
    where = "this file" if folder is not None else "the folder in which init ran: save it there"
    has_schema = os.path.isfile((folder or Path()) / "receval.schema.json")
    modeline = "# yaml-language-server: $schema=receval.schema.json\n" if has_schema else ""
    complete = modeline + _HEAD.format(where=where) + body + _TAIL + _gates(config)
    document = text.read(complete, {})
    if document.problems:
        raise ConfigError([f"the guessed config, line {line}: {message}" for (line, _), message in document.problems])
    folds = folds_of(document.value)[0]
    _, problems = check(folds[0].value if folds else document.value, Locations("the guessed config", document), folder or Path())
    if problems:
        raise ConfigError(problems)
    return complete


def _lines(config: GuessedConfig, folder: Path | None) -> Iterator[str]:
    yield "data:"
    yield from _proposed(config, "data", "  # ")
    if config.folds:
        names = [int(name) if str(int(name)) == name else name for name in config.folds]
        yield f"  folds: {flow(names)}  # each name replaces {MARK} in the paths"
    for key, entry in config.data.items():
        if key == "test":
            yield from _test_lines(config, entry, folder)
        else:
            yield f"  {key}: {_source_text(entry, folder)}"
        yield from _other_readings(f"  # {key}: ", entry, folder)
        yield from (f"  # {key}: {_source_text(other, folder)}" for other_key, other in config.alternatives if other_key == key)
    yield from (f"  # {key}: {_source_text(other, folder)}" for key, other in config.alternatives if key not in config.data)
    if any(line.key == "compare" for line in config.proposals):
        test = config.data["test"]
        source = {**_keys(test, folder), "columns": {"user": test.file.names["user"]}}
        source = {key: value for key, value in source.items() if key != "where"}
        yield f"  # users: {flow(source)}  # for compare.cluster below"
    yield "  recommendations:"
    is_list = any(entry.file.models for entry in config.models.values())
    for name, entry in config.models.items():
        start = "- " if is_list else f"{as_key(name)}: "
        named = {} if entry.file.models or not is_list else {"name": name}
        yield f"    {start}{_source_text(entry, folder, named)}"
        yield from _other_readings(f"    # {start}", replace(entry, keys={**entry.keys, **named}), folder)
    yield "evaluation:"
    yield "  convention: receval  # whose definitions to use; receval metrics --conventions lists all"
    (threshold, threshold_reason), (top_k, top_k_reason) = config.threshold, config.top_k
    relevance = f"relevance: {{threshold: {f'{threshold:g}' if threshold else 'N'}}}"
    yield plain(f"  {'' if threshold else '# '}{relevance}  # {threshold_reason}")
    if config.drops:
        yield "  policy: {missing_values: drop}  # leave out rows without a value; without this line receval run refuses them"
    yield plain(f"  top_k: {flow(list(top_k))}  # {top_k_reason}; none means the whole list")
    if groups := list(_proposed(config, "by", "  #   ")):
        yield "  # by:  # groups of test rows; receval run --by takes the same entries"
        yield from groups
    yield from _proposed(config, "evaluation", "  # ")
    yield "  metrics:  # receval metrics lists all"
    yield from (f"    - {name}" + (f"  # {comment}" if comment else "") for name, comment in config.metrics)
    yield from _proposed(config, "metrics", "    # ")
    if judged := list(_proposed(config, "compare", "#   ")):
        yield "# compare:"
        yield from judged


def _gates(config: GuessedConfig) -> str:
    """Return a section of gates to uncomment, which is on the first measure of the config and says when a margin fails."""
    cutoffs = config.top_k[0]
    if not cutoffs or not config.metrics:
        return ""
    measure = f"{config.metrics[0][0]}@{10 if 10 in cutoffs else cutoffs[-1]}"
    return _GATES.format(measure=measure)


def _proposed(config: GuessedConfig, key: str, start: str) -> Iterator[str]:
    """Yield the lines proposed for a place of the config, as comments that begin with `start`."""
    yield from (plain(f"{start}{line.text}  # {line.reason}") for line in config.proposals if line.key == key)


def _test_lines(config: GuessedConfig, entry: SourceEntry, folder: Path | None) -> Iterator[str]:
    """Write the test set: on one line, or on several with filters and a target as comments, and with a train set of the rows before."""
    split = config.split if "train" not in config.data and not config.folds else None
    own = str(entry.keys.get("where", ""))
    target = list(_proposed(config, "data.test", "    # "))
    filters = [(" and ".join(filter(None, (config.where[0], own))), config.where[1])] if config.where else []
    if split is not None:
        condition = " and ".join(filter(None, (config.where[0] if config.where else "", split.test)))
        filters.append((condition, f"an example of a split by time, from {split.day} on, with this train set:"))
    if not filters and not target:
        yield f"  test: {_source_text(entry, folder)}"
        return
    yield f"  test:  # {plain(entry.comment)}"
    yield from (f"    {key}: {flow(value)}" for key, value in _keys(entry, folder).items())
    yield from target
    for condition, comment in filters:
        quoted = json.dumps(condition, ensure_ascii=False).replace("$", "$$")
        yield f"    # where: {plain(quoted)}  # {plain(comment)}"
    if split is not None:
        condition = " and ".join(filter(None, (config.where[0] if config.where else "", split.train)))
        yield f"  # train: {flow({**_keys(entry, folder), 'where': condition})}"


def _other_readings(start: str, entry: SourceEntry, folder: Path | None) -> Iterator[str]:
    """Yield the readings between which a person chooses, as comments."""
    for keys, what in entry.alternatives:
        yield f"{start}{_source_text(replace(entry, keys={**entry.keys, **keys}, comment=f'or so: {what}'), folder)}"


def _source_text(entry: SourceEntry, folder: Path | None, more: Mapping[str, Any] | None = None) -> str:
    """Write a source on one line, as its path alone if it has no other keys, with the comment."""
    source = _keys(entry, folder) | dict(more or {})
    return f"{flow(source if len(source) > 1 else source['path'])}  # {plain(entry.comment)}"


def _keys(entry: SourceEntry, folder: Path | None) -> dict[str, Any]:
    query, moved = entry.file.preview.place.query, partial(moved_path, start=Path(), folder=folder)
    path = moved(entry.file.path)
    source: dict[str, Any] = {"path": "./-" if path == "-" else path}
    if query is not None:
        source = {"uri": f"{query.scheme}:///{moved(query.path)}", "query": query.statement}
    return source | {key: value for key, value in entry.keys.items() if value not in ({}, None)}


def moved_path(path: Any, start: Path, folder: Path | None) -> Any:
    """Rewrite a path relative to `start` as one relative to `folder`; without a folder it stays."""
    if isinstance(path, list):
        return [moved_path(single, start, folder) for single in path]
    if folder is None or not isinstance(path, str) or path == "-" or is_address(path) or os.path.isabs(path):
        return path
    return os.path.relpath(os.path.join(os.path.abspath(start), path), os.path.realpath(folder))


def plain(comment: str) -> str:
    """Replace the characters that could end a comment."""
    return "".join(letter if letter.isprintable() else " " for letter in comment)


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: yaml.SafeDumper, given: str) -> yaml.ScalarNode:
    """Quote text that YAML 1.2 would read as another type or on several lines, and double `$`, which would start a variable."""
    style = None if isinstance(text.scalar(given), str) and given.isprintable() and not given.startswith("::") else '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", given.replace("$", "$$"), style=style)


_Dumper.add_representer(str, _text)


def as_key(name: str) -> str:
    """Write a key. Variables are not replaced in keys, so `$` is not doubled."""
    return flow(name).replace("$$", "$")


def flow(value: Any) -> str:
    """Write a value on one line."""
    written = yaml.dump(value, Dumper=_Dumper, default_flow_style=True, sort_keys=False, allow_unicode=True, width=float("inf"))
    return written.removesuffix("\n").removesuffix("\n...").strip()
