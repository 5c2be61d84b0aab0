"""Read a config file into a `Config`, or report all problems at once, each with its location."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import yaml
from msgspec import Struct, field
from msgspec.structs import replace
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from ..support.errors import ConfigError
from ..support.patterns import regex
from ..support.secrets import collect_values, conceal, show
from ..support.synonyms import did_you_mean, takes, wrong_type
from ..syntax import yaml_text as text
from .contradictions import ONE_RUN, contradictions, reading_test, unused
from .data import Fold, folds_of
from .data_sets import choose_data_set, is_of_data_sets
from .data_sources import EMPTY_TEST, NO_TEST, with_rows_marked
from .dialects import doubt, gather_pasted, translate
from .error_texts import error_text
from .fold_groups import equal_groups
from .overrides import Layers, Locations, override
from .run_files import FoundRuns, left_out, said_of_runs, unequal_seeds, with_runs
from .whole_config import Config

_STDIN = "/dev/stdin"
_DATA_ENDING: Final = regex(r"\.(csv|tsv|jsonl|ndjson|parquet|arrow|feather|ipc|inter|dat|data)(\.(gz|zst|bz2|xz))?$", re.IGNORECASE)
_DATA_START: Final = (b"PAR1", b"ARROW1", b"\x1f\x8b", b"\x28\xb5\x2f\xfd")
"""The first bytes of Parquet, Arrow and compressed files."""
_TABLE: Final = regex(r"[^\n:#{\[-][^\n:]*([,;|\t]|::)\S")
"""The start of a text with a table."""


class Loaded(Struct, frozen=True):
    """A valid config, its name, the folder of its relative paths, and warnings about ignored keys and assumptions.

    With `data.folds`, `folds` has the config of each fold by name, and `config` is that of the first.
    """

    config: Config
    name: str
    folder: Path
    warnings: tuple[str, ...] = ()
    folds: Mapping[str, Config] = field(default_factory=dict)
    doubt: str = ""
    """A sentence on the convention used, if another program could have written the evaluation; results repeat it."""
    notes: tuple[str, ...] = ()
    """Sentences on what was found for the config: how many runs its globs name."""
    variables: Mapping[str, str] = field(default_factory=dict)
    """Value from the environment → its form in results, `${NAME}`."""

    def of_folds(self) -> dict[str, Loaded]:
        """Return the config of each fold by name; empty without folds."""
        return {name: replace(self, config=config, folds={}) for name, config in self.folds.items()}

    def resolved(self) -> dict[str, Any]:
        """Return the config with all defaults, in a form that can be read back; with folds, each has its own data section.

        Values from the environment appear as `${NAME}`.
        """
        if self.folds:
            data_of_folds = [{"name": name, **fold.resolved()["data"]} for name, fold in self.of_folds().items()]
            return {**replace(self, folds={}).resolved(), "data": {"folds": data_of_folds}}
        resolved: dict[str, Any] = conceal(self._dumped(), self.variables)
        return resolved

    def _dumped(self) -> dict[str, Any]:
        dumped = self.config.model_dump(mode="json", exclude={"evaluation": {"metrics", "complex_metrics"}}, exclude_none=True)
        data: dict[str, Any] = dumped["data"]
        for location, _ in self.config.data.sources():
            source: Any = data
            for key in location:
                source = source[key]
            source["path"] = source["path"][0] if len(source["path"]) == 1 else source["path"]
            _drop_empty(source, "path", "columns")
        evaluation, configured = dumped["evaluation"], self.config.evaluation
        evaluation["top_k"] = ["none" if k is None else k for k in configured.top_k]
        evaluation["metrics"] = list(configured.labels)
        brief = self.config.model_dump(mode="json", include={"compare", "gates", "report", "card"}, exclude_defaults=True)
        dumped |= {section: brief.get(section, {}) for section in ("compare", "gates", "report", "card")}
        if self.config.gates.rules:  # stored rules without `fail` are those of an earlier version, which had another default
            dumped["gates"]["fail"] = self.config.gates.fail
        dumped["health"] = {name: given for name, given in dumped["health"].items() if given is not None}
        _drop_empty(evaluation, "aggregates", "by", "value_columns", "weights")
        _drop_empty(dumped, "compare", "gates", "report", "card", "track", "health")
        return dumped

    def resolved_yaml(self) -> str:
        """Return `resolved` as YAML."""
        return yaml.dump(self.resolved(), Dumper=_Dumper, sort_keys=False, allow_unicode=True, default_flow_style=None, width=120)


def _drop_empty(section: dict[str, Any], *keys: str) -> None:
    for key in keys:
        if not section[key]:
            del section[key]


class NoTestError(ConfigError):
    """There is no test set, but a measure reads it: the `reader`."""

    def __init__(self, problem: str, reader: str) -> None:
        super().__init__(problem)
        self.reader = reader


class _Dumper(yaml.SafeDumper):
    """Writes texts that a runner of GitHub would take for a command on one line, in quotes."""


def _quoted(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    acts = "::" in text and len(text) > 2 and (text.startswith("::") or not text.isprintable())
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"' if acts else None)


_Dumper.add_representer(str, _quoted)


@takes()
def load_config(
    config: str | PathLike[str] | Mapping[str, Any],
    overrides: Sequence[str] = (),
    recommendations: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
    where: str | None = None,
    input_format: str | None = None,
    replace: bool = False,
    gates: Mapping[str, Any] = MappingProxyType({}),
    question: Mapping[str, Any] = MappingProxyType({}),
    describes: bool = False,
    target: str | None = None,
    models: str | Sequence[str] = (),
    signatures: str | Sequence[str] = (),
) -> Loaded:
    """Read a config: a YAML file, or the same as a mapping, which may have rows in memory instead of paths.

    `overrides` are `path=value`; `recommendations` are `NAME=PATH`. PATH, and the paths of a mapping, are relative to the working folder.
    `input_format` is the format of standard input, which is the path `-`. With `replace`, the file of a model of `recommendations` replaces
    that of the model of the same name, which is a problem otherwise. `where` is the filter of the test rows, and `target` chooses among
    those of each user (`last`, `first`, `random`, `all`). `gates` are keys of that section given by options. `question` has files, measures
    and settings by the name of their option: `test`, `train`, `items`, `metrics`, `top_k` (as text), `threshold`, `convention`, `by`,
    `compared_by`, `cluster`, `models`, and `bases`, models that are never left out. `~` in paths is the home folder. A config that only
    `describes` its files needs one of test, train and items. With `models`, names or patterns such as `bpr*`, only these are evaluated.
    `signatures`, lines such as `result.signature("nDCG@10")` returns, replace the evaluation by their measures with their settings.

    Raises `ConfigError` with every problem, as `config.yaml:12:7: evaluation.metrics[3]: sentence`; for a mapping, without file and line.
    """
    if models:
        question = {**question, "models": [models] if isinstance(models, str) else list(models)}
    with collect_values() as variables:
        document, name, folder = _opened(config, environment)
        pasted = gather_pasted(document.value, Config.model_fields.keys())
        layers = Layers(document.value, folder, environment)
        layers.each(override, ((given,) for given in overrides if is_of_data_sets(given)))
        layers.config, of_data_set = choose_data_set(layers.config, name)
        overrides = [given for given in overrides if not is_of_data_sets(given)]
        of_test, given_lines = {"where": where, "target": target}, [signatures] if isinstance(signatures, str) else list(signatures)
        n_refused = layers.lay(
            question, overrides, recommendations, replaces=replace, of_test=of_test, form=input_format, gates=gates, signatures=given_lines
        )
        if describes:
            _allow_no_test(layers.config)
        translation = translate(layers.config.get("evaluation"), folder)
        locations = Locations(name, document, translation, layers.origins, moved={**pasted, **of_data_set})
        value = {**layers.config, "evaluation": translation.value} if translation.dialect else layers.config
        # A config that only describes its files needs no lists, and a model that is refused is missing only because of that.
        configs, found = _configs(value, locations, layers, needs_lists=not (describes or n_refused), describes=describes)
        if given_lines or not {"metrics", "top_k", "models"}.isdisjoint(question):
            configs = {name: _with_known_names(config) for name, config in configs.items()}
        checked = next(iter(configs.values()))
        # A measure as a whole, such as Recall@20, is no secret either; a group of rows in it may be one.
        measures = (label for label in checked.evaluation.labels if "=" not in label)
        show((checked.report.title or "", *measures), checked.evaluation.labels)
        warnings = (*layers.warnings, *_warnings(checked, locations, question), *left_out(found))
        doubtful = "" if translation.dialect or given_lines or "metrics" in question else doubt(value.get("evaluation"))
        folds = configs if len(configs) > 1 else {}  # a single fold is a test set like any other
        return Loaded(checked, name, folder, warnings, folds, doubtful, (*layers.notes, *said_of_runs(found)), variables)


def _opened(config: str | PathLike[str] | Mapping[str, Any], environment: Mapping[str, str] | None) -> tuple[text.Document, str, Path]:
    """Return a config as a document whose value is a mapping, its name, and the folder of its relative paths."""
    if isinstance(config, Mapping):
        return text.Document(with_rows_marked(config)), "", Path()
    if not isinstance(config, str | PathLike):
        raise wrong_type("config", "a path or a mapping", config)
    path = Path(_STDIN if config == "-" else config).expanduser()
    document = read_document(path, environment)
    if isinstance(document.value, dict) and "format_version" in document.value:
        raise ConfigError(f"{path} is a file of results, not a config", "compare, gate, report and track take its folder")
    if not isinstance(document.value, dict):
        raise ConfigError(f"{path}:1:1: a config must be a mapping with the keys data and evaluation, not {kind(document.value)}")
    return document, str(path), _folder_of(path)


def _allow_no_test(value: Mapping[str, Any]) -> None:
    """Mark the test set of a config that only describes its files, if it has other ones."""
    data = value.get("data")
    if isinstance(data, dict) and "folds" not in data and "test" not in data and ("train" in data or "items" in data):
        data["test"] = NO_TEST


def _configs(
    value: Mapping[str, Any], locations: Locations, layers: Layers, *, needs_lists: bool, describes: bool
) -> tuple[dict[str, Config], dict[str, list[FoundRuns]]]:
    """Return the config of each fold by name, or the only one, and the runs that globs name; `ConfigError` with all problems, each once."""
    folds, wrong = folds_of(value)
    has_folds, found, filled = bool(folds), dict[str, list[FoundRuns]](), list[Fold]()
    for fold in folds or [Fold("", dict(value))]:
        whole, found[fold.name], unlisted = with_runs(fold.value, layers.folder)
        filled.append(Fold(fold.name, whole, fold.moved))
        wrong += unlisted
    wrong += unequal_seeds(found)
    configs, problems = dict[str, Config](), [*layers.problems, *(f"{locations.location(path)}: {message}" for path, message in wrong)]
    for fold in filled if not wrong else ():
        here = replace(locations, moved={**locations.moved, **fold.moved})
        config, of_fold = None, list[str]()
        if not has_folds and not describes and not layers.problems:
            config, of_fold = _without_test(fold.value, here, layers.folder)
        if config is None and not of_fold:
            config, of_fold = check(fold.value, here, layers.folder, not describes if has_folds else needs_lists)
        problems += of_fold
        configs |= {} if config is None else {fold.name: config}
    if has_folds and any("-" in source.path for config in configs.values() for _, source in config.data.sources()):
        once = "standard input (-) can be read only once, but data.folds reads every file once per fold"
        problems.append(f"{locations.location(('data',))}: {once}")
    if len(configs) > 1 and any(config.evaluation.candidates is not None for config in configs.values()):
        problems.append(f"{locations.location(('evaluation', 'candidates'))}: {ONE_RUN}")
    if has_folds:
        problems += [f"{locations.location(path)}: {problem}" for config in configs.values() for path, problem in equal_groups(config)]
    if problems:
        raise ConfigError(tuple(dict.fromkeys(problems)) if has_folds or wrong else problems)
    names = [config.data.runs for config in configs.values()]
    for config in configs.values() if any(of_fold != names[0] for of_fold in names) else ():
        config.data.number_runs()
    return configs, found


def _without_test(value: Mapping[str, Any], locations: Locations, folder: Path) -> tuple[Config | None, list[str]]:
    """Return the config with an empty test set if it has none, and the measure that reads it as a problem; neither if others come first."""
    data = value.get("data")
    if not isinstance(data, dict) or "test" in data or not data.get("recommendations"):
        return None, []
    config, _ = check({**value, "data": {**data, "test": EMPTY_TEST}}, locations, folder)
    if config is None or not (reader := reading_test(config.evaluation)):
        return config, []
    raise NoTestError(f"{locations.location(('data', 'test'))}: this key is missing, and {reader} reads it", reader)


def _warnings(config: Config, locations: Locations, question: Mapping[str, Any]) -> Iterator[str]:
    """Yield a sentence for each key and option that has no effect, or is read as another."""
    yield from (f"{locations.location(path, of_key=True)}: {message}" for path, message in unused(config))
    for path, message in locations.translation.warnings:
        yield f"{locations.in_file(('evaluation', *path), of_key=True)}: {message}"
    if "top_k" in question and not config.evaluation.cut_at_top_k and "metrics" not in question:
        yield f"-k {question['top_k']} has no effect: every metric names its cut-off; name metrics without one: -m nDCG"


def _with_known_names(config: Config) -> Config:
    """Return the config without the names in `report.names` of models and measures that options left out."""
    models, evaluation = config.data.named_models, config.evaluation
    if models is None or evaluation.aggregates or not config.report.names:
        return config  # files or aggregates give names that are not known here
    known = {*models, *evaluation.yardsticks.names, *evaluation.labels, *(label.rpartition("@")[0] for label in evaluation.labels)}
    names = {name: shown for name, shown in config.report.names.items() if name in known}
    return config.model_copy(update={"report": config.report.model_copy(update={"names": names})})


def _folder_of(path: Path) -> Path:
    """Return the folder of the relative paths of a config: the working folder if the config comes from a pipe."""
    is_stream = str(path).startswith((_STDIN, "/dev/fd/", "/proc/"))  # also if it leads to a file; /dev/shm is an ordinary folder
    return path.parent if os.path.isfile(path) and not is_stream else Path()


def check(
    value: Mapping[str, Any], locations: Locations, folder: Path, needs_lists: bool = True
) -> tuple[Config, list[str]] | tuple[None, list[str]]:
    """Return the config, or its problems, each with its location; a config that only describes its files needs no lists."""
    wrong: list[text.Path] = []
    messages = {locations.in_file((*locations.at, *where)): message for where, message in locations.translation.problems}
    config: Config | None
    try:
        config = Config.model_validate(value, context={"folder": folder})
    except ValidationError as error:
        for details in error.errors():
            wrong.append(path := _path(details, value))
            messages.setdefault(locations.location(path, of_key=details["type"] == "extra_forbidden"), error_text(details))
        config = _without(value, wrong, folder)
    except UnicodeEncodeError as error:  # an option of a shell may have any bytes
        return None, [f"a text contains half a character (a lone surrogate): {error.object[:200]}"]
    found = [] if config is None else list(contradictions(config, needs_lists))
    if any(where[:2] == ("gates", "baseline") for where in wrong):  # rules lack a baseline only because of that
        found = [problem for problem in found if problem[0][:2] != ("gates", "rules")]
    problems = [
        *(f"{where}: {message}" for where, message in messages.items()),
        *(f"{locations.location(at)}: {problem}" for at, problem in found),
    ]
    return (config, []) if config is not None and not problems else (None, problems)


def read_document(path: str | Path, environment: Mapping[str, str] | None = None) -> text.Document:
    """Read a YAML file; raise `ConfigError` with every problem and its position if it cannot be read."""
    written = _read(Path(path))
    document = text.read(written, environment)
    if _TABLE.match(written) and not isinstance(document.value, dict):
        raise _data_file(path)
    if isinstance(document.value, dict) and {"format_version", "results"} <= document.value.keys():
        raise ConfigError(f"{path} contains results, not a config", "give the folder that receval run -o DIR/ wrote")
    if document.problems and written.lstrip().startswith(("<!", "<html", "\\documentclass", "% Tables made by receval")):
        raise ConfigError(f"{path} is a page or a report, not a config", "give the config, or the folder that receval run -o DIR/ wrote")
    if document.problems:
        raise ConfigError([f"{path}:{line}:{column}: {message}" for (line, column), message in document.problems])
    return document


def _without(value: Mapping[str, Any], wrong: Sequence[text.Path], folder: Path) -> Config | None:
    """Return the config without its wrong parts, to find contradictions in the rest; `None` if the rest is not a valid config."""
    rest = deepcopy(dict(value))
    for path in sorted({*wrong} - {()}, key=repr, reverse=True):  # from the end of a list to its start
        here: Any = rest
        with suppress(LookupError, TypeError):  # it is missing, or below a wrong part
            for key in path[:-1]:
                here = here[key]
            del here[path[-1]]
    try:
        return Config.model_validate(rest, context={"folder": folder})
    except ValidationError:
        return None


def refuse_data_file(path: str | Path, hint: str = "") -> None:
    """Raise `ConfigError` if the name of a config file is that of a data file; without a `hint`, it says how to give the files."""
    if _DATA_ENDING.search(str(path)) and not os.path.isdir(path):
        raise _data_file(path, hint)


def _data_file(path: str | Path, hint: str = "") -> ConfigError:
    usual = (
        "without a config give the files: --test TEST --recs NAME=LISTS -m nDCG@10 (--recs once per model); receval init writes a config"
    )
    return ConfigError(f"{path} is a data file, not a config", hint or usual)


def _read(path: Path) -> str:
    refuse_data_file(path)
    if os.path.isdir(path):
        hint = (
            "it contains results, not data files: give the config"
            if os.path.isfile(path / "manifest.json")
            else "give the config, or the files: --test TEST --recs NAME=LISTS"
        )
        raise ConfigError(f"{path} is a folder, not a config file", hint)
    try:
        return text.read_file(path, pipes=True)
    except FileNotFoundError:
        is_config = path.suffix.lower() in (".yaml", ".yml", ".json")
        near = {file.stem: file for file in path.parent.glob("*.y*ml")}
        hint = "receval init -o config.yaml writes one for the files of a folder"
        hint += "" if is_config else "; receval run CONFIG -o DIR/ writes results; --baseline names a model"
        hint = did_you_mean(path.stem, near, hint, shown=lambda stem: near[stem])
        raise ConfigError(f"there is no {'config file' if is_config else 'config or folder of results named'} {path}", hint) from None
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        if error.object.startswith(_DATA_START):
            raise _data_file(path) from None
        raise ConfigError(f"{path}: not UTF-8 text (byte {error.start})") from None


def kind(value: Any) -> str:
    """Return the type of a value in words."""
    return "an empty file" if value is None else f"a {'list' if isinstance(value, list) else type(value).__name__}"


def _path(details: ErrorDetails, value: Any) -> text.Path:
    """Return the path of the config key of an error: its location without the names that pydantic adds."""
    path: list[str | int] = []
    for position, segment in enumerate(details["loc"]):
        missing_here = details["type"] == "missing" and position == len(details["loc"]) - 1
        if isinstance(value, dict) and (segment in value or missing_here):
            path.append(segment)
            value = value.get(segment)
        elif isinstance(value, dict) and isinstance(segment, int) and segment < len(value):  # a mapping read as a list of entries
            key = list(value)[segment]
            path.append(key)
            value = value[key]
        elif isinstance(value, list) and isinstance(segment, int):
            path.append(segment)
            value = value[segment] if segment < len(value) else None
    return tuple(path)
