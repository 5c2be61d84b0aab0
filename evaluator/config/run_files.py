"""Find the files of the runs of a model: those of a glob (`runs: "bpr_seed*.csv"`), or of a path with `{seed}`."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from ..support.patterns import regex
from ..syntax.short_names import is_address
from ..syntax.yaml_text import Path as KeyPath

SEED: Final = "{seed}"
_SEED_WORD: Final = regex(
    rf"(?i)(?:[-_. ]*seed|(?:^|[-_. ]+)(?:rs|s|rep|repeat|repetition|trial|random[-_]?state))?[-_. =]*{re.escape(SEED)}"
)
_DIGITS: Final = regex(r"(\d+)")
_SHOWN: Final = 3


class FoundRuns(Struct, frozen=True):
    """The files of the runs of one model, in order: by seed → path, the matches that are left out, and why."""

    model: str
    pattern: str
    by_seed: Mapping[str, str]
    left_out: tuple[str, ...] = ()

    @property
    def files(self) -> tuple[str, ...]:
        """The file of each run."""
        return (*self.by_seed.values(),)


def without_seed(name: str) -> str:
    """Return a name without `{seed}` and the word before it: `BPR_seed{seed}` is BPR."""
    return _SEED_WORD.sub("", name)


def by_numbers(text: str) -> tuple[tuple[int, str] | str, ...]:
    """Return a sort key that takes digits as numbers: seed2 is before seed10."""
    return tuple((int(part), part) if index % 2 else part for index, part in enumerate(_DIGITS.split(text)))


def with_runs(value: Mapping[str, Any], folder: Path) -> tuple[dict[str, Any], list[FoundRuns], list[tuple[KeyPath, str]]]:
    """Return a config with the files of runs in place of their globs, what was found, and problems, each with its path.

    A glob that matches nothing stays a path, which a run refuses with all other files that are missing.
    """
    data = value.get("data")
    models = data.get("recommendations") if isinstance(data, dict) else None
    found: list[FoundRuns] = []
    problems: list[tuple[KeyPath, str]] = []
    if not isinstance(data, dict) or not isinstance(models, dict):
        return dict(value), found, problems
    filled = dict(models)
    for model, given in models.items():
        source = _pattern_of(given)
        if source is None:
            continue
        if is_address(source["path"]):
            hint = f"files in a store are not listed: write a list of them, runs: [{source['path'].replace(SEED, '1')}, …]"
            problems.append((("data", "recommendations", model), hint))
            continue
        runs = _found(str(model), source["path"], folder)
        paths = runs.files or (_as_glob(source["path"]),)
        sources = [{**source, "path": path} if len(source) > 1 else path for path in paths]
        filled[model] = {"runs": sources} if len(sources) > 1 else sources[0]
        found += [runs] if runs.files else []
    return {**value, "data": {**data, "recommendations": filled}}, found, problems


def _pattern_of(given: Any) -> dict[str, Any] | None:
    """Return the source whose path is a pattern of runs: with `{seed}`, or a glob under the key `runs`; else `None`."""
    runs = given.get("runs") if isinstance(given, dict) else None
    source = given if runs is None else runs
    source = {"path": source} if isinstance(source, str) else source
    path = source.get("path") if isinstance(source, dict) else None
    if not isinstance(path, str) or not (SEED in path or (runs is not None and glob.has_magic(path))):
        return None
    return dict(source)


def _as_glob(pattern: str) -> str:
    return "*".join(map(glob.escape, pattern.split(SEED))) if SEED in pattern else pattern


def _found(model: str, pattern: str, folder: Path) -> FoundRuns:
    """List the files that a pattern matches, sorted with numbers as numbers; folders only if there are no files."""
    matches = sorted(glob.glob(os.path.expanduser(_as_glob(pattern)), root_dir=folder, recursive=SEED not in pattern), key=by_numbers)
    usable = [match for match in matches if os.path.isfile(folder / match)] or matches
    seeds = {match: seed for match in usable if (seed := _seed_of(pattern, match)) is not None}
    if any(seed.isdecimal() for seed in seeds.values()):  # bpr_1_old.csv is no run beside bpr_1.csv
        seeds = {match: seed for match, seed in seeds.items() if seed.isdecimal()}
    by_seed = {seed: match for match, seed in sorted(seeds.items(), key=lambda pair: by_numbers(pair[1]))}
    return FoundRuns(model, pattern, by_seed, tuple(match for match in matches if match not in seeds))


def _seed_of(pattern: str, match: str) -> str | None:
    """Return what stands for `{seed}` in a file, the same at every place; of a glob its name; `None` if it differs."""
    if SEED not in pattern:
        return match
    first, *others = map(re.escape, os.path.expanduser(pattern).split(SEED))
    found = re.fullmatch(f"{first}(?P<seed>[^/]+){'(?P=seed)'.join(others)}", match)
    return found["seed"] if found else None


def unequal_seeds(folds: Mapping[str, Sequence[FoundRuns]]) -> Iterator[tuple[KeyPath, str]]:
    """Yield which seed of a model a fold lacks: run 1 of all folds must be the same training."""
    every: dict[str, dict[str, None]] = {}
    for runs in (pattern_runs for found in folds.values() for pattern_runs in found if SEED in pattern_runs.pattern):
        every.setdefault(runs.model, {}).update(dict.fromkeys(runs.by_seed))
    for name, found in folds.items():
        for runs in found:
            lacking = [seed for seed in every.get(runs.model, {}) if seed not in runs.by_seed]
            if lacking:
                seeds = f"seed{'s' if len(lacking) > 1 else ''} {', '.join(lacking)}"
                cure = "each fold needs the same seeds; add the lists, or name the files of the runs of each fold"
                yield ("data", "recommendations", runs.model), f"fold {name} has no lists of {seeds} ({runs.pattern}): {cure}"


def said_of_runs(folds: Mapping[str, Sequence[FoundRuns]]) -> Iterator[str]:
    """Yield how many runs were found: one sentence for all models with as many."""
    files: dict[str, list[tuple[str, ...]]] = {}
    for runs in (pattern_runs for found in folds.values() for pattern_runs in found):
        files.setdefault(runs.model, []).append(runs.files)
    alike: dict[tuple[int, ...], list[str]] = {}
    for model, of_folds in files.items():
        alike.setdefault(tuple(map(len, of_folds)), []).append(model)
    for counts, models in alike.items():
        least, most = min(counts), max(counts)
        n_runs = f"{least} to {most} runs" if least < most else f"{most} run{'s' if most > 1 else ''}"
        each = " each" if len(models) > 1 else ""
        where = f" in each of {len(counts)} folds" if len(folds) > 1 else ""
        all_files = [file for model in models for some in files[model] for file in some]
        yield f"{', '.join(models)}: {n_runs}{each}{where} ({len(all_files)} files, {all_files[0]} to {all_files[-1]})"


def left_out(folds: Mapping[str, Sequence[FoundRuns]]) -> Iterator[str]:
    """Yield one sentence on all files that patterns of runs match and leave out."""
    out = [*dict.fromkeys(file for found in folds.values() for runs in found for file in runs.left_out)]
    if out:
        shown = ", ".join(out[:_SHOWN]) + (", …" if len(out) > _SHOWN else "")
        why = f"the place of {SEED} needs a number, the same at each place, and beside files folders are not read"
        yield f"data.recommendations: {len(out)} file{'s' if len(out) > 1 else ''} left out: {shown}: {why}"
