"""Open results: those of folders, and that of a config, which is evaluated; and say how their models differ."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from ..checks import Finding
from ..comparison.bases import gates_folder
from ..comparison.comparing import compare as differences_of
from ..comparison.questions import Questions
from ..config import Loaded
from ..config.evaluation_keys import read_group, written_groups
from ..config.judgement import DEFAULT, Compare
from ..config.overrides import with_overrides
from ..disk.result_folder import is_result_folder, load
from ..disk.stage import Stage, destination
from ..errors import ArgumentError, ConfigError
from ..evaluation.running import run
from ..names.short_names import Margin
from ..outputs import in_folder
from ..render.forms import is_spreadsheet_safe, rendered
from ..results.comparison import Comparison
from ..results.result import Result
from .targets import PathLike, targets_of

Read = Callable[[str], Loaded]
"""Reads a config, as the options of a command change it."""
Tell = Callable[[Sequence[Finding]], None]
"""Takes the findings of level error of a config that was evaluated."""
MarginLike = float | str | Mapping[str, float | str]


class Gathered(Struct, frozen=True, eq=False):
    """Results by label, in the order given, the config that one of them is of, if one is, and the folders of the others by label."""

    results: Mapping[str, Result]
    config: Loaded | None = None
    folders: Mapping[str, Path] = field(default_factory=dict)


def gather(given: Sequence[str], read: Read, tell: Tell, overrides: Sequence[str] = ()) -> Gathered:
    """Open the results that are named: folders of results and at most one config, each as `PATH` or `NAME=PATH`.

    Without a name a folder is called by its last part, a config by its file. A config is evaluated tolerantly. `overrides` change the
    configs of folders, `read` knows them for a config. `ConfigError` for two of one name, or two configs.
    """
    paths: dict[str, Path] = {}
    for text in given:
        name, path = _named(text)
        if name in paths:
            raise ConfigError(f"two results are both named {name}", "label them: main=FOLDER today=FOLDER")
        paths[name] = path
    config: Loaded | None = None
    results: dict[str, Result] = {}
    folders: dict[str, Path] = {}
    for name, path in paths.items():
        if is_result_folder(path) or os.path.isdir(path):
            results[name], folders[name] = _overridden(load(path), overrides), path
            continue
        if config is not None:
            raise ConfigError("one config can be evaluated at a time", "evaluate the others first: receval run CONFIG -o FOLDER/")
        config = read(str(path))
        results[name] = run(config, tolerant=True, concludes=False)
        tell([one for one in results[name].findings if one.severity == "error"])
    return Gathered(results, config, folders)


def _overridden(result: Result, overrides: Sequence[str]) -> Result:
    """Return a stored result with other values in its config."""
    return replace(result, config=with_overrides(result.config, overrides)) if overrides else result


def with_baseline_folder(gathered: Gathered, questions: Questions) -> tuple[Mapping[str, Result], Questions]:
    """The results, with those of the folder that the baseline names, `LABEL=FOLDER` or `FOLDER`, first.

    A folder of the config is seen from where the config lies. A baseline that is the name of a result or a model stays what it is. Without
    one, of several results that folder is the baseline which `gates.baseline` names.
    """
    baseline = questions.baseline or _folder_of_gates(gathered)
    questions = replace(questions, baseline=baseline)
    if baseline is None or baseline in gathered.results or any(baseline in result.models for result in gathered.results.values()):
        return gathered.results, questions
    name, path = _named(baseline)
    places = [path] if gathered.config is None else [path, gathered.config.folder / path]
    folder = next((place for place in places if os.path.isdir(place)), None)
    if folder is None and "=" not in baseline and "/" not in baseline:
        return gathered.results, questions  # it was meant as a name: the sentence about it names those that there are
    results = {name: load(folder or path), **{label: result for label, result in gathered.results.items() if label != name}}
    return results, replace(questions, baseline=name)


def _folder_of_gates(gathered: Gathered) -> str | None:
    """Return the label of the folder, among those that are given, that the gates of all results that have a baseline name."""
    places = (Path(), *([gathered.config.folder] if gathered.config is not None else []))
    named = {folder.rpartition("=")[2] for result in gathered.results.values() if (folder := gates_folder(result)) is not None}
    wanted = {os.path.realpath(place / Path(folder).expanduser()) for folder in named for place in places}
    labels = [label for label, folder in gathered.folders.items() if os.path.realpath(folder) in wanted]
    return labels[0] if len(labels) == 1 and len(gathered.results) > 1 else None


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


class Compared(Struct, frozen=True, eq=False):
    """A comparison, the results and the questions that it is of, the first input, and the one in which a user can be looked at.

    Its texts have also rows of the measures that are not tested if `everything` is wanted, and a column in percent if `relative`.
    """

    comparison: Comparison
    results: Mapping[str, Result]
    questions: Questions
    source: str = ""
    look_at: str = "CONFIG"
    everything: bool = False
    relative: bool = False

    @property
    def options(self) -> dict[str, Any]:
        """What the forms of a comparison take."""
        safe = any(map(is_spreadsheet_safe, self.results.values()))
        shown = {"everything": self.everything, "relative": self.relative}
        return {"look_at": self.look_at, "spreadsheet_safe": safe, "compared": self, **shown}


def compare(gathered: Gathered, questions: Questions) -> Compared:
    """Compare the models of results, and of the folder that the baseline names; see `comparing.compare` for what is refused."""
    results, questions = with_baseline_folder(gathered, questions)
    return Compared(differences_of(results, questions), results, questions)


def compare_inputs(
    inputs: Sequence[str],
    asked: Mapping[str, Any],
    *,
    read: Read,
    tell: Tell,
    outputs: Sequence[PathLike] = (),
    written: Mapping[str, str] | None = None,
    everything: bool = False,
    relative: bool = False,
) -> Compared:
    """Compare the results of folders and of a config, and write the comparison; `asked` has the options by the names of `Questions`.

    Groups and clusters that are asked for are known to `read`, since a config has to be evaluated with them. Folders have every form that
    has a name there, and the users who lose most. `written` says how other commands name an input, where this is not its own text.
    `everything` and `relative` are as in `Compared`.
    """
    targets = targets_of(outputs, "comparison", folders=True)
    with Stage(targets.places) as stage:
        gathered = gather(inputs, read, tell)
        _refuse_other_groups(gathered.results, asked.get("by") or ())
        questions = changed_by(Questions.of(gathered.config.config.compare if gathered.config is not None else Compare()), asked)
        look_at = next((text for text in inputs if not os.path.isdir(Path(text.partition("=")[2] or text))), "CONFIG")
        look_at = (written or {}).get(look_at, look_at)
        compared = compare(gathered, questions)
        compared = replace(compared, source=inputs[0], look_at=look_at, everything=everything, relative=relative)
        rows = {destination(path): row for path, row in targets.files.items()}
        named = in_folder("comparison", *(("losers",) if compared.comparison.losers else ()))
        rows |= {folder / name: row for folder in targets.folders for name, row in named.items()}
        stage.commit({path: rendered(row, compared.comparison, **compared.options) for path, row in rows.items()})
    return compared


def _refuse_other_groups(results: Mapping[str, Result], by: Iterable[str]) -> None:
    """`ArgumentError` for groups by number of train rows other than those that users of stored results were put into."""
    for text in by:
        if not text.startswith("train_count:"):
            continue
        try:
            (wanted,) = written_groups([read_group(text)])
        except ValueError as error:
            raise ArgumentError(f"by: {error}", option=f"--by {text}: {error}") from None
        for label, result in results.items():
            entries = (entry for section in ("evaluation", "compare") for entry in result.config.get(section, {}).get("by", ()))
            stored = [entry for entry in entries if isinstance(entry, Mapping)]
            if stored and wanted not in stored:
                has = str(stored[0]["train_count"]).strip("[]").replace(" ", "")
                problem = f"the results of {label} have the groups train_count:{has}; take these, or evaluate again with {text}"
                raise ArgumentError(f"by: {problem}", option=f"--by {text}: {problem}")


def changed_by(questions: Questions, asked: Mapping[str, Any]) -> Questions:
    """The questions of a config, where the options of a call do not say otherwise; `ArgumentError` for a margin that cannot be read."""
    given: dict[str, Any] = {name: asked[name] for name in ("baseline", "measures", "cluster") if asked.get(name)}
    settings = {name: asked[name] for name in ("test", "correction", "alpha") if asked.get(name) is not None}
    margins = margins_of(asked.get("margins"))
    given |= {"margins": margins} if margins else {}
    given |= {"by": tuple(text.partition(":")[0] for text in asked["by"])} if asked.get("by") else {}
    given |= {"common": asked["users"] == "common"} if asked.get("users") else {}
    given |= {name: asked[name] for name in ("all_pairs", "unpaired", "losers") if name in asked}
    return replace(questions, **given, settings=replace(questions.settings, **settings))


def margins_of(margin: MarginLike | Sequence[str] | None) -> dict[str, Margin]:
    """Margins by measure, given as one, by measure, or as texts such as `nDCG@10=1%`; `ArgumentError` for one that cannot be read."""
    given: Mapping[str, object] = margin if isinstance(margin, Mapping) else {} if margin is None else {DEFAULT: margin}
    if isinstance(margin, tuple | list):
        given = {measure or DEFAULT: size for measure, _, size in (text.rpartition("=") for text in margin)}
    try:
        return {measure: Margin.read(size) for measure, size in given.items()}
    except ValueError as error:
        raise ArgumentError(f"margin: {error}", option=f"--margin: {error}") from None
