"""Open results of folders, evaluate a config, and compare their models. Long: every kind of input is opened here."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, Final, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from ..checks import Finding
from ..comparison.bases import base_of, gates_folder, known_name, section_of
from ..comparison.comparing import compare as differences_of
from ..comparison.comparison_options import ComparisonOptions
from ..comparison.slicing import SliceOptions
from ..comparison.slicing import find_slices as find_slices_of
from ..config import Loaded
from ..config.evaluation_keys import group_text, read_group
from ..config.judgement import DEFAULT, Compare
from ..config.stored_sections import with_overrides
from ..render.forms import is_spreadsheet_safe
from ..results.chosen_models import with_chosen_models
from ..results.comparison import Comparison
from ..results.result import Result
from ..storage.overwriting import InputPath
from ..storage.own_inputs import baselines_of, inputs_of, inputs_of_folders
from ..storage.places import NO_OPTIONS, is_folder, place_of
from ..storage.result_folder import is_result_folder, load
from ..storage.stage import Stage
from ..support.errors import ArgumentError, ConfigError
from ..support.outputs import in_folder
from ..syntax.short_names import Margin, is_elsewhere
from ..tables.prepared import OF_PROFILES, GroupBy
from .targets import PathLike, targets_of

Read = Callable[[str], Loaded]
"""Reads a config with the changes of a command's options."""
Features = Callable[[Loaded], tuple[GroupBy, ...]]
"""Returns the groupings of users of a config in which slices are searched."""
Tell = Callable[[Sequence[Finding]], None]
"""Receives the findings of level error of a config that was evaluated."""
Kind = TypeVar("Kind", bound=Result)
MarginLike = float | str | Mapping[str, float | str]


class GatheredResults(Struct, frozen=True, eq=False):
    """Results by label, in the order given; the config of one of them, if any; and the folders of the others by label.

    `unnamed` is the label of the config if nobody gave it one: its models keep their own names in a comparison. `storage` are options to
    reach a baseline in a store, if they are not those of the config.
    """

    results: Mapping[str, Result]
    config: Loaded | None = None
    folders: Mapping[str, Path] = field(default_factory=dict)
    unnamed: str | None = None
    storage: Mapping[str, str] = NO_OPTIONS


class OpenedInputs(Struct, frozen=True, eq=False):
    """The inputs of a command before any evaluation: labels in the order given, results of folders, and at most one config, by label."""

    labels: tuple[str, ...]
    stored: Mapping[str, Result]
    folders: Mapping[str, Path]
    configs: Mapping[str, Loaded]
    unnamed: str | None
    baseline: str | None

    @property
    def config(self) -> Loaded | None:
        """The config, if there is one."""
        return next(iter(self.configs.values()), None)

    def read(self) -> Iterator[InputPath]:
        """Yield every file and folder that the command reads, which its outputs must not replace."""
        yield from inputs_of_folders(map(str, self.folders.values()))
        storage = storage_of(self.config)
        yield from inputs_of_folders([self.baseline] if self.baseline else (), role="the baseline", storage=storage)
        for config in self.configs.values():
            yield from inputs_of(config)
            yield from baselines_of(config)


def open_inputs(given: Sequence[str], read: Read, arguments: Mapping[str, Any], overrides: Sequence[str] = ()) -> OpenedInputs:
    """Open folders of results and read at most one config, each given as `PATH` or `NAME=PATH`.

    Without a name, a folder has its last part as label, a config its file name. `overrides` change the configs of folders. With `models`
    among the `arguments` stored results have only these, and the base of the comparison. Raises `ConfigError` for two equal labels, or
    two configs.
    """
    baseline = arguments.get("baseline")
    paths: dict[str, Path] = {}
    unnamed: str | None = None
    for text in given:
        name, path = _named(text)
        if path_of(text) == text and not is_folder(text):
            name = unnamed = label_of_config(str(path), baseline)
        if name in paths and os.path.realpath(paths[name]) == os.path.realpath(path):
            raise ConfigError(f"{path} is given twice", "give each folder of results once")
        if name in paths:
            raise ConfigError(f"two results are both named {name}", "label them: main=FOLDER today=FOLDER")
        paths[name] = path
        if is_elsewhere(path_of(text)) and not os.path.isdir(path):
            load(path)  # raises the error
    configs: dict[str, Loaded] = {}
    results: dict[str, Result] = {}
    folders: dict[str, Path] = {}
    for name, path in paths.items():
        if is_result_folder(path) or os.path.isdir(path):
            stored = load(path)
            results[name] = replace(stored, config=with_overrides(stored.config, overrides)) if overrides else stored
            folders[name] = path
            continue
        if configs and os.path.exists(path):
            raise ConfigError("one config can be evaluated at a time", "evaluate the others first: receval run CONFIG -o FOLDER/")
        configs[name] = read(str(path))  # raises for a name that is no file, such as that of a model
    results = choose(results, arguments.get("models", ()), baseline, arguments.get("baseline_model"))
    return OpenedInputs(tuple(paths), results, folders, configs, unnamed, baseline)


def choose(results: Mapping[str, Kind], models: str | Sequence[str], *bases: str | None) -> dict[str, Kind]:
    """Return results with the chosen models, and those that they are compared with: `bases`, and those that their configs name."""
    if not models or not results:
        return dict(results)
    named = (*bases, *(section_of(result, "compare", Compare).baseline for result in results.values()))
    return with_chosen_models(results, [models] if isinstance(models, str) else models, [base for base in named if base is not None])


def gather(
    opened: OpenedInputs, tell: Tell, *, judges_gates: bool = False, features: Features | None = None, describes: bool = False
) -> GatheredResults:
    """Evaluate the config among the inputs, as by a run, and return all results; its gates are judged too if `judges_gates`.

    With `describes` the result of the config has the description of its files.

    The results of a config also have the groups of users that `features` returns for it, for a search for slices. Raises `ConfigError`
    before the evaluation for a baseline that nothing has as name.
    """
    results = dict(opened.stored)
    for name, config in opened.configs.items():
        if opened.baseline is not None:
            _refuse_unknown_baseline(opened.baseline, opened.labels, results, config)
        judge = None
        if judges_gates:
            from .judge import judge_of_config  # only here: comparisons judge no gates

            judge = judge_of_config(config)  # baselines are found before the run
        searched = _features(config, features, judges_gates=judges_gates)
        from ..evaluation.running import run  # only here: most comparisons read folders

        results[name] = run(config, concludes=False, features=searched, describes=describes)
        tell([finding for finding in results[name].findings if finding.severity == "error"])
        results[name] = results[name] if judge is None else judge(results[name])
    return GatheredResults({name: results[name] for name in opened.labels}, opened.config, opened.folders, opened.unnamed)


def features_of_files(loaded: Loaded) -> tuple[GroupBy, ...]:
    """Return all groupings that the files of a config have; see `evaluation.features`."""
    from ..evaluation.features import features_of  # only here: folders keep their groups

    return features_of(loaded)


def _features(config: Loaded, features: Features | None, *, judges_gates: bool) -> tuple[GroupBy, ...]:
    """Return the groupings of users that a search for slices needs, and those of gates if they are judged."""
    searched = () if features is None else features(config)
    if not judges_gates:
        return searched
    from .judge import features_of_rules  # only here: comparisons judge no gates

    return tuple(dict.fromkeys((*searched, *features_of_rules(config))))


def label_of_config(path: str, baseline: str | None) -> str:
    """Return the label of a config without one: its file name, with the ending if the folder of the baseline has the same name."""
    place = Path(path)
    return (place.name if baseline is not None and _is_label(place.stem, baseline) else place.stem) or path


def _is_label(name: str, baseline: str) -> bool:
    """Return whether a name is that of the folder of the baseline; one in a store is read only when the config says how to reach it."""
    path = path_of(baseline)
    if is_elsewhere(path):
        return name == (PurePosixPath(path).name if path == baseline else baseline.partition("=")[0])
    label, place = _named(baseline)
    return label == name and is_result_folder(place)


def _refuse_unknown_baseline(baseline: str, labels: Sequence[str], stored: Mapping[str, Result], config: Loaded) -> None:
    """Raise `ConfigError` for a baseline that is neither a model, a result nor a folder, if the config names its models.

    Raises `DataError` for a folder without results. `labels` are those of the `stored` results and of the config.
    """
    models = model_names(config)
    if baseline not in (*labels, *(models or ()), *(model for result in stored.values() for model in result.models)):
        folder = _baseline_folder(baseline, config, storage_of(config))
        if folder is not None:
            if not is_result_folder(folder):
                load(folder)  # raises the error
            return
    if len(labels) > 1:
        known_name(baseline, labels, "result")
    elif models is not None:
        known_name(baseline, models, "model")


def model_names(config: Loaded) -> tuple[str, ...] | None:
    """Return the names that the models of a config and its reference lists have in results; `None` if files give the names."""
    named = config.config.data.named_models
    return None if named is None else (*named, *config.config.evaluation.yardsticks.names)


def with_baseline_folder(gathered: GatheredResults, options: ComparisonOptions) -> tuple[Mapping[str, Result], ComparisonOptions]:
    """Add the results of the folder that the baseline names (`LABEL=FOLDER` or `FOLDER`) as first results.

    A folder in the config is relative to the config. A baseline that is the label of a result or the name of a model is unchanged. Without
    a baseline, the folder that `gates.baseline` of several results names is the baseline.
    """
    baseline = options.baseline or _folder_of_gates(gathered)
    options = replace(options, baseline=baseline, unnamed=gathered.unnamed)
    if baseline is None or baseline in gathered.results or any(baseline in result.models for result in gathered.results.values()):
        return gathered.results, options
    storage = gathered.storage or storage_of(gathered.config)
    folder = _baseline_folder(baseline, gathered.config, storage)
    if folder is None:
        return gathered.results, options  # probably a name: the error on it lists the names that exist
    name, _ = _named(baseline, storage)
    results = {name: load(folder), **{label: result for label, result in gathered.results.items() if label != name}}
    return results, replace(options, baseline=name)


def _baseline_folder(baseline: str, config: Loaded | None, storage: Mapping[str, str]) -> Path | None:
    """Return the folder that a baseline names; `None` if it does not exist and is not written like one."""
    _, path = _named(baseline, storage)
    places = [path] if config is None else [path, config.folder / path]
    folder = next((place for place in places if os.path.isdir(place)), None)
    return path if folder is None and ("=" in baseline or "/" in baseline) else folder


def _folder_of_gates(gathered: GatheredResults) -> str | None:
    """Return the label of the given folder that all gates with a baseline name; `None` if there is not exactly one."""
    places = (Path(), *([gathered.config.folder] if gathered.config is not None else []))
    named = {folder.rpartition("=")[2] for result in gathered.results.values() if (folder := gates_folder(result)) is not None}
    storage = gathered.storage or storage_of(gathered.config)
    wanted = {os.path.realpath(place_of(folder, place, storage)) for folder in named for place in places}
    labels = [label for label, folder in gathered.folders.items() if os.path.realpath(folder) in wanted]
    return labels[0] if len(labels) == 1 and len(gathered.results) > 1 else None


def path_of(text: str) -> str:
    """Return the path of `PATH` or `NAME=PATH`, as written."""
    name, equals, path = text.partition("=")
    return path if equals and "/" not in name else text


def storage_of(config: Loaded | None) -> Mapping[str, str]:
    """Return the options to reach baselines in a store."""
    return {} if config is None else config.config.output.storage


def _named(text: str, storage: Mapping[str, str] = NO_OPTIONS) -> tuple[str, Path]:
    """Return the label and the path of `PATH` or `NAME=PATH`."""
    name, equals, path = text.partition("=")
    if equals and name and "/" not in name:
        return name, place_of(path, storage=storage)
    place = place_of(text, storage=storage)
    return (place.resolve().name if os.path.isdir(place) else place.stem) or text, place


class ComparedResults(Struct, frozen=True, eq=False):
    """A comparison with its results and options, its first input, and the input for `receval explain` of a user.

    With `everything` its texts also have rows of the measures that are not tested, with `relative` a column in percent. `looks` are
    sentences on how often the baseline was compared with; `given` is the baseline as it was given.
    """

    comparison: Comparison
    results: Mapping[str, Result]
    options: ComparisonOptions
    source: str = ""
    look_at: str = "CONFIG"
    everything: bool = False
    relative: bool = False
    looks: tuple[str, ...] = ()
    given: str | None = None

    @property
    def form_arguments(self) -> dict[str, Any]:
        """The arguments of the forms of a comparison."""
        safe = any(map(is_spreadsheet_safe, self.results.values()))
        shown = {"everything": self.everything, "relative": self.relative}
        styles = ((result.config.get("report") or {}).get("latex") for result in self.results.values())
        return {"look_at": self.look_at, "spreadsheet_safe": safe, "compared": self, "style": next(filter(None, styles), {}), **shown}


def compare(gathered: GatheredResults, options: ComparisonOptions) -> ComparedResults:
    """Compare the models of results, and of the folder that the baseline names; see `comparing.compare` for its errors."""
    results, used = with_baseline_folder(gathered, options)
    return ComparedResults(differences_of(results, used), results, used, given=options.baseline)


def with_slices(compared: ComparedResults) -> ComparedResults:
    """Return the comparison with slices of users in its first judged measure; see `slicing.find_slices` for the errors."""
    options = replace(compared.options, measures=compared.comparison.judged[:1])
    slices = find_slices_of(compared.results, SliceOptions(options))
    return replace(compared, comparison=replace(compared.comparison, slices=slices))


def compare_inputs(
    inputs: Sequence[str],
    arguments: Mapping[str, Any],
    *,
    read: Read,
    tell: Tell,
    outputs: Sequence[PathLike] = (),
    written: Mapping[str, str] | None = None,
    everything: bool = False,
    relative: bool = False,
    find_slices: bool = False,
) -> ComparedResults:
    """Compare the results of folders and of a config, and write the comparison; `arguments` are by the names of `ComparisonOptions`.

    `read` must know the groups and clusters of the options, because a config is evaluated with them. Folders get every form that has a
    name there, and the users with the largest losses. `written` maps inputs to their names in other commands, if these differ.
    `everything` and `relative` are as in `ComparedResults`. With `find_slices` users are also searched for slices.
    """
    targets = targets_of(outputs, "comparison", folders=True)
    opened = open_inputs(inputs, read, arguments)
    with Stage(targets.written(in_folder("comparison", "losers").__contains__, of=opened.config), opened.read()) as stage:
        gathered = gather(opened, tell, features=features_of_files if find_slices else None)
        written_by = arguments.get("by") or ()
        by = groups_named(gathered.results, written_by)
        arguments = {**arguments, "by": by, "written_by": dict(zip(by, written_by, strict=True))}
        stored, note = (gathered.config.config.compare, "") if gathered.config is not None else _stored(gathered.results, arguments)
        options = with_arguments(ComparisonOptions.from_config(stored), arguments)
        look_at = next((text for text in inputs if not is_folder(text.partition("=")[2] or text)), "CONFIG")
        look_at = (written or {}).get(look_at, look_at)
        compared = compare(gathered, options)
        compared = with_slices(compared) if find_slices else compared
        if note:
            compared = replace(compared, comparison=replace(compared.comparison, notes=(note, *compared.comparison.notes)))
        compared = replace(compared, source=inputs[0], look_at=look_at, everything=everything, relative=relative)
        named = in_folder("comparison", *(("losers",) if compared.comparison.losers else ()))
        stage.commit(targets.rendered(compared.comparison, named, **compared.form_arguments))
    return replace(compared, looks=_looks(compared, gathered))


def _looks(compared: ComparedResults, gathered: GatheredResults) -> tuple[str, ...]:
    """Count that results were compared with their baseline, if its folder has a ledger of looks."""
    from .looks import counted  # only here: `receval run` imports this file, too

    results, options, storage = compared.results, compared.options, storage_of(gathered.config)
    label = base_of(results, options.baseline).name if len(results) > 1 else ""
    folder = gathered.folders.get(label) or (compared.given and _baseline_folder(compared.given, gathered.config, storage))
    shown = [difference.p_adjusted for difference in compared.comparison.differences if difference.real]
    others = [result for name, result in results.items() if name != label]
    return counted([str(folder)] if folder else [], others, [p for p in shown if p is not None], options.settings.alpha)


def _stored(results: Mapping[str, Result], arguments: Mapping[str, Any]) -> tuple[Compare, str]:
    """Return the section `compare` of the configs of stored results, without its baseline, and a sentence on its use.

    It has only defaults if the results have different sections. The sentence is empty if `arguments` replace all of its keys.
    """
    default = Compare.model_construct()
    first, *others = (section_of(result, "compare", Compare).model_copy(update={"baseline": None}) for result in results.values())
    if any(other != first for other in others):
        return default, "The configs of the results differ in the section compare, so it is not used; give --margin and --measure."
    replaced = {"margin": "margins"}
    changed = (name for name in Compare.model_fields if getattr(first, name) != getattr(default, name))
    names = [name for name in changed if not arguments.get(replaced.get(name, name))]
    return first, f"From the config of the results (compare): {', '.join(names)}." if names else ""


_WITH_ARGUMENTS: Final = tuple(f"{name}:" for name in ("train_count", "rows.timestamp", "rows.popularity", *OF_PROFILES))
"""The beginnings of groups as text whose names in results are shorter."""


def texts_of_groups(by: str | Mapping[str, Any] | Iterable[Any]) -> tuple[str, ...]:
    """Return groupings as text: one, or several; a list within the list is a combination, and a mapping has arguments, as in a config.

    Raises `ArgumentError` for what is no grouping.
    """
    entries = (by,) if isinstance(by, str | Mapping) else tuple(by)
    try:
        return tuple(entry if isinstance(entry, str) else group_text(read_group(entry)) for entry in entries)
    except ValueError as error:
        raise ArgumentError(f"by: {error}", option=f"--by: {error}") from None


def groups_named(results: Mapping[str, Result], by: Iterable[str]) -> tuple[str, ...]:
    """Return the names in results of groups given as text, `train_count` of `train_count:5,20` or `rows.timestamp` of `rows.timestamp:7d`.

    Raises `ArgumentError` for groups with other borders than those of stored results.
    """
    names = []
    for text in by:
        if not text.startswith(_WITH_ARGUMENTS):
            names.append(text)
            continue
        try:
            wanted = read_group(text)
        except ValueError as error:
            raise ArgumentError(f"by: {error}", option=f"--by {text}: {error}") from None
        names.append(wanted.name)
        for label, result in results.items():
            entries = (entry for section in ("evaluation", "compare") for entry in result.config.get(section, {}).get("by", ()))
            stored = [group for group in map(read_group, entries) if group.name == wanted.name]
            if stored and wanted not in stored:
                has = group_text(stored[0])
                problem = f"{label or 'the result'} was evaluated with {has}; use this, or evaluate again with {text}"
                raise ArgumentError(f"by: {problem}", option=f"--by {text}: {problem}")
    return tuple(names)


def with_arguments(options: ComparisonOptions, arguments: Mapping[str, Any]) -> ComparisonOptions:
    """Return the options of a config, changed by the arguments of a call; raise `ArgumentError` for a margin that cannot be read."""
    given: dict[str, Any] = {name: arguments[name] for name in ("baseline", "baseline_model", "measures", "cluster") if arguments.get(name)}
    settings = {name: arguments[name] for name in ("test", "correction", "alpha") if arguments.get(name) is not None}
    margins = margins_of(arguments.get("margins"))
    given |= {"margins": margins} if margins else {}
    given |= {"by": tuple(arguments["by"]), "written_by": arguments.get("written_by", {})} if arguments.get("by") else {}
    given |= {"common": arguments["users"] == "common"} if arguments.get("users") else {}
    given |= {name: arguments[name] for name in ("all_pairs", "unpaired", "losers") if name in arguments}
    return replace(options, **given, settings=replace(options.settings, **settings))


def margins_of(margin: MarginLike | Sequence[str] | None) -> dict[str, Margin]:
    """Return margins by measure from one margin, a mapping, or texts such as `nDCG@10=1%`; raise `ArgumentError` for an invalid one."""
    given: Mapping[str, object] = margin if isinstance(margin, Mapping) else {} if margin is None else {DEFAULT: margin}
    if isinstance(margin, tuple | list):
        given = {measure or DEFAULT: size for measure, _, size in (text.rpartition("=") for text in margin)}
    try:
        return {measure: Margin.read(size) for measure, size in given.items()}
    except ValueError as error:
        raise ArgumentError(f"margin: {error}", option=f"--margin: {error}") from None
