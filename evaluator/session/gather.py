"""Open results: those of folders, and that of a config, which is evaluated."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from ..checks import Finding
from ..comparison.questions import Questions
from ..config import Loaded
from ..disk.reading_back import is_result_folder, load
from ..errors import ConfigError
from ..evaluation.running import run
from ..results.result import Result

Read = Callable[[str], Loaded]
"""Reads a config, as the options of a command change it."""
Tell = Callable[[Sequence[Finding]], None]
"""Takes the findings of level error of a config that was evaluated."""


class Gathered(Struct, frozen=True, eq=False):
    """Results by label, in the order given, and the config that one of them is of, if one is."""

    results: Mapping[str, Result]
    config: Loaded | None = None


def gather(given: Sequence[str], read: Read, tell: Tell) -> Gathered:
    """Open the results that are named: folders of results and at most one config, each as `PATH` or `NAME=PATH`.

    Without a name a folder is called by its last part, a config by its file. A config is evaluated tolerantly. `ConfigError` for two of
    one name, or two configs.
    """
    paths: dict[str, Path] = {}
    for text in given:
        name, path = _named(text)
        if name in paths:
            raise ConfigError(f"two results are both named {name}", "label them: main=FOLDER today=FOLDER")
        paths[name] = path
    config: Loaded | None = None
    results: dict[str, Result] = {}
    for name, path in paths.items():
        if is_result_folder(path) or os.path.isdir(path):
            results[name] = load(path)
            continue
        if config is not None:
            raise ConfigError("one config can be evaluated at a time", "evaluate the others first: receval run CONFIG -o FOLDER/")
        config = read(str(path))
        results[name] = run(config, tolerant=True, concludes=False)
        tell([one for one in results[name].findings if one.severity == "error"])
    return Gathered(results, config)


def with_baseline_folder(gathered: Gathered, questions: Questions) -> tuple[Mapping[str, Result], Questions]:
    """The results, with those of the folder that the baseline names, `LABEL=FOLDER` or `FOLDER`, first.

    A folder of the config is seen from where the config lies. A baseline that is the name of a result or a model stays what it is.
    """
    baseline = questions.baseline
    if baseline is None or baseline in gathered.results or any(baseline in result.models for result in gathered.results.values()):
        return gathered.results, questions
    name, path = _named(baseline)
    places = [path] if gathered.config is None else [path, gathered.config.folder / path]
    folder = next((place for place in places if os.path.isdir(place)), None)
    if folder is None and "=" not in baseline and "/" not in baseline:
        return gathered.results, questions  # it was meant as a name: the sentence about it names those that there are
    results = {name: load(folder or path), **{label: result for label, result in gathered.results.items() if label != name}}
    return results, replace(questions, baseline=name)


def path_of(text: str) -> str:
    """The path of `PATH` or `NAME=PATH`, as it is written."""
    name, equals, path = text.partition("=")
    return path if equals and "/" not in name else text


def _named(text: str) -> tuple[str, Path]:
    name, equals, path = text.partition("=")
    if equals and name and "/" not in name:
        return name, Path(path).expanduser()
    place = Path(text).expanduser()
    return (place.resolve().name if os.path.isdir(place) else place.stem) or text, place
