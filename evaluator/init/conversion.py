"""Convert the experiment file of Elliot, WarpRec, RELISON or ClayRS into an equivalent config of receval, with comments.

First its data, its evaluation and its unused keys are found; then the config is checked and written.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path as File
from typing import Any, Final

from msgspec import Struct, field
from msgspec.structs import replace

from .. import conventions, metrics
from ..config.dialects import MEANINGLESS, PROGRAMS, TRAINED, Translation, dialect_of, doubt, gather_pasted, translate, translate_entry
from ..config.loader import check, read_document
from ..config.overrides import Locations, dotted
from ..config.whole_config import Config
from ..load import without_endings
from ..support.errors import ConfigError
from ..syntax.measure_strings import MetricSpec
from ..syntax.yaml_text import Path
from .guess import as_key, flow, moved_path, plain

_Moved = Callable[[Any], Any]
_NO_MEANING: Final = "it has no meaning here: receval evaluates lists and does not train models"
_REASONS: Final = {
    "negative_sampling": "receval evaluates the lists as they are and samples no negatives",
    "splitter": "receval does not split data: it reads a test file",
    "splitting": "receval does not split data: it reads a test file",
    "filtering": "receval does not filter data: give the filtered files",
    "prefiltering": "receval does not filter data: give the filtered files",
    "writer": "set output.dir or -o to store results",
    "binarize": "receval reads ratings from the test file; without a rating column every row counts 1",
    "validation_path": "receval does not use validation files",
    "rating_type": "receval reads ratings from the test file; without a rating column every row counts 1",
    **MEANINGLESS["relison"],
    **MEANINGLESS["clayrs"],
}
_OURS: Final = "receval"
"""The dialect of an evaluation without keys that only one other program has."""
_ELLIOT_FILE: Final = {"separator": "\t", "header": False, "columns": {"user": 1, "item": 2, "rating": 3}}
_LISTS: Final = {"separator": "\t", "header": False, "columns": {"user": 1, "item": 2, "score": 3}}
_PAIRS: Final = {"separator": "\t", "header": False, "columns": {"user": 1, "item": 2}}
_WARPREC: Final = {"reader", "writer", "splitter", "models", "filtering", "general", "dashboard", "callbacks"}


class _Experiment(Struct, frozen=True):
    """The parts of another program's file that receval can use; `at` is the path of its evaluation in the file.

    `data` is in receval's keys; the sources of the roles in `placeholders` must be filled in by hand. `left_out` has a sentence for each
    key that is not used. `others` are further sections of receval. The train file is `optional` if the program reads none, or if the file
    is a config of receval without one.
    """

    dialect: str
    evaluation: Any
    at: Path
    data: Mapping[str, Any]
    placeholders: frozenset[str] = frozenset()
    left_out: tuple[tuple[Path, str], ...] = ()
    others: Mapping[str, Any] = field(default_factory=dict)
    optional: bool = False


def convert(path: File, folder: File | None = None) -> str:
    """Return the YAML of a config equivalent to the file at `path`, with paths relative to `folder` (that of the file if not given).

    Raises `ConfigError` if the file cannot be read, is not recognised as a config of one of these programs, or is wrong.
    """
    document = read_document(path)
    # beside sections of receval, blocks of RELISON may be pasted
    has_sections = isinstance(document.value, dict) and not document.value.keys().isdisjoint(("data", "evaluation"))
    pasted = gather_pasted(document.value, Config.model_fields.keys()) if has_sections else {}
    experiment = _recognise(document.value)
    if experiment is None:
        nothing = f"it was not recognised as a config of {', '.join(PROGRAMS.values())}"
        raise ConfigError(f"{path}: {nothing}", "a config of receval needs no conversion")
    is_ours = experiment.dialect == _OURS
    translation = Translation(experiment.evaluation) if is_ours else translate(experiment.evaluation, path.parent, experiment.dialect)
    locations = Locations(str(path), document, translation, at=experiment.at, moved=pasted)
    value, unknown, needs = _known_metrics(translation, path.parent)
    experiment = _with_side_inputs(experiment, needs)
    if not any(value.get(key) for key in ("metrics", "complex_metrics")) and unknown:
        raise ConfigError([f"{locations.in_file((*experiment.at, *where))}: {message}" for where, message in unknown])
    others = tuple(problem for problem in translation.problems if problem[0] not in {where for where, _ in unknown})
    checked = {"data": experiment.data, "evaluation": value, **experiment.others}
    config, problems = check(checked, replace(locations, translation=replace(translation, problems=others)), path.parent)
    if config is None:
        raise ConfigError(problems)
    wanting = {"train"} if config.data.items else {"train", "catalogue"}
    needed = any(definition.needs & wanting for definition in config.evaluation.computed)
    if experiment.optional and "train" in experiment.placeholders and not needed:
        experiment = replace(experiment, data={role: given for role, given in experiment.data.items() if role != "train"})
    moved = partial(moved_path, start=path.parent, folder=folder)
    of_evaluation = (((*experiment.at, *where), message) for where, message in [*translation.warnings, *unknown] if where)
    remarks = [*experiment.left_out, *of_evaluation]
    program = PROGRAMS.get(experiment.dialect)
    about = f"what {program} computes, in receval's keys" if program else "the evaluation as `receval run` reads it"
    head = [plain(f"# Written by `receval init --from {path.name}`: {about}."), "# Paths are relative to this file."]
    tail = ["# Left out or assumed:"] if remarks else []
    tail += [plain(f"#   {dotted(where)}: {message}") for where, message in remarks]
    return "\n".join([*head, *_data(experiment, moved), *_evaluation(value, experiment, moved), *tail]) + "\n"


def _with_side_inputs(experiment: _Experiment, needs: frozenset[str]) -> _Experiment:
    """Add a placeholder for every side input that the metrics need and the experiment lacks."""
    data, placeholders = dict(experiment.data), set(experiment.placeholders)
    for need in sorted(needs):
        role = "items" if need == "categories" else need.partition(".")[0]
        if role in ("train", "catalogue") or (role in data and need != "categories"):
            continue
        data.setdefault(role, f"{role}.csv")
        if need == "categories":
            data[role] = {"categories": "category", **(data[role] if isinstance(data[role], Mapping) else {"path": data[role]})}
        placeholders.add(role)
    return replace(experiment, data=data, placeholders=frozenset(placeholders))


def _known_metrics(translation: Translation, folder: File) -> tuple[dict[str, Any], list[tuple[Path, str]], frozenset[str]]:
    """Return the evaluation with the metrics that receval knows, the problems of the others, and the inputs that the known ones need."""
    value, unknown = dict(translation.value), []
    needs: set[str] = set()
    load = partial(conventions.load, folder=folder)
    try:
        chosen = load(str(value["convention"]))
    except ValueError:  # reported when the evaluation is checked
        return value, [], frozenset()
    for key in ("metrics", "complex_metrics"):
        if not isinstance(value.get(key), list):
            continue
        known = []
        for index, entry in enumerate(value[key]):
            origin = translation.origin((key, index))
            try:
                refused = [message for where, message in translation.problems if where == origin]
                if refused:
                    raise ValueError(refused[0])
                for read in translate_entry(entry, chosen):
                    spec = read if isinstance(read, MetricSpec) else chosen.parse(read["name"])
                    needs |= {need for need in metrics.resolve(spec, chosen, load).needs if not need.endswith("?")}
                    known.append(str(read) if isinstance(read, MetricSpec) else read)
            except ValueError as error:
                unknown.append((origin, str(error).partition("; known:")[0]))
        value[key] = known
    return value, unknown, frozenset(needs)


def _data(experiment: _Experiment, moved: _Moved) -> Iterator[str]:
    yield "data:"
    for role, given in experiment.data.items():
        is_placeholder = role in experiment.placeholders
        fill_in = "  # fill in: the original config does not have it" if is_placeholder else ""

        def source(given: Any, is_placeholder: bool = is_placeholder) -> str:
            if is_placeholder:
                return flow(given)
            return flow({**given, "path": moved(given.get("path"))} if isinstance(given, Mapping) else moved(given))

        if role == "recommendations" and isinstance(given, Mapping | list):
            yield f"  recommendations:{fill_in}"
            models = given.items() if isinstance(given, Mapping) else [(None, lists) for lists in given]
            yield from (f"    {'-' if name is None else f'{as_key(name)}:'} {source(lists)}" for name, lists in models)
        else:
            yield f"  {flow(role)}: {source(given)}{fill_in}"


def _evaluation(value: Mapping[str, Any], experiment: _Experiment, moved: _Moved) -> Iterator[str]:
    convention = str(value["convention"])
    shown = flow(moved(convention) if "/" in convention or convention.endswith((".yaml", ".yml")) else convention)
    yield "evaluation:"
    yield f"  convention: {shown}  # what it decides: receval metrics --convention {plain(shown)}"
    for key in (key for key in value if key not in ("convention", "metrics", "complex_metrics")):
        yield f"  {flow(key)}: {flow(value[key])}"
    yield "  metrics:"
    yield from (f"    - {flow(entry)}" for key in ("metrics", "complex_metrics") for entry in value.get(key) or ())
    for key, given in experiment.others.items():
        output = key == "output" and isinstance(given, Mapping) and "dir" in given
        yield f"{flow(key)}: {flow({**given, 'dir': moved(given['dir'])} if output else given)}"


def _recognise(content: Any) -> _Experiment | None:
    """Find data and evaluation in the content of a file; `None` if it is not a file of one of the four programs."""
    if isinstance(content, Mapping):
        if isinstance(content.get("experiment"), Mapping):
            return _elliot(content)
        if content.keys() & _WARPREC and isinstance(content.get("evaluation"), Mapping):
            return _warprec(content)
        if "evaluation" in content:
            return _receval(content)
        if content.keys() & {"sys_results", "n_split"} and isinstance(content.get("metrics"), Mapping | list):
            return _filled("clayrs", {"metrics": content["metrics"]}, (), {}, _unused_keys(content, (), "metrics"))
        metrics = content.get("metrics")
        if isinstance(metrics, Mapping) and ("algorithms" in content or dialect_of(metrics) == "relison"):
            return _filled("relison", metrics, ("metrics",), {}, _unused_keys(content, (), "metrics"))
    dialect = dialect_of(content)
    return _filled(dialect, content, (), {}, ()) if dialect else None


def _elliot(content: Mapping[str, Any]) -> _Experiment:
    experiment: Mapping[str, Any] = content["experiment"]
    files, models = _mapping(experiment.get("data_config")), _mapping(experiment.get("models"))
    evaluation = dict(_mapping(experiment.get("evaluation")))
    if "cutoffs" not in evaluation and "top_k" in experiment:
        evaluation["cutoffs"] = experiment["top_k"]
    dataset = str(experiment.get("dataset", ""))
    data: dict[str, Any] = {}
    for role in ("test", "train"):
        if isinstance(files.get(f"{role}_path"), str):
            data[role] = {"path": files[f"{role}_path"].replace("{0}", dataset), **_ELLIOT_FILE}
    lists = []
    for name, model in ((name, _mapping(model)) for name, model in models.items()):
        if _is(name, "ProxyRecommender") and isinstance(model.get("path"), str):
            path = model["path"].replace("{0}", dataset)
            lists.append({"name": str(model.get("name") or _stem(path)), "path": path, **_LISTS})
        elif _is(name, "RecommendationFolder") and isinstance(model.get("folder"), str):
            lists.append({"path": posixpath.join(model["folder"].replace("{0}", dataset), "*"), **_LISTS})
    output = experiment.get("path_output_rec_result")
    if not lists and isinstance(output, str):
        lists = [{"path": posixpath.join(output.replace("{0}", dataset), "*.tsv"), **_LISTS}]
    if lists:
        data["recommendations"] = lists
    used = ["dataset", "evaluation", "data_config", "models", "top_k", *(["path_output_rec_result"] if isinstance(output, str) else [])]
    with_lists = (name for name in models if _is(name, "ProxyRecommender", "RecommendationFolder"))
    left = [
        *_unused_keys(files, ("experiment", "data_config"), "strategy", *(f"{role}_path" for role in data)),
        *_unused_keys(experiment, ("experiment",), *used),
        *_unused_keys(models, ("experiment", "models"), *with_lists),
        *_unused_keys(content, (), "experiment"),
    ]
    return _filled("elliot", evaluation, ("experiment", "evaluation"), data, left)


def _warprec(content: Mapping[str, Any]) -> _Experiment:
    reader, models = _mapping(content.get("reader")), _mapping(content.get("models"))
    split, labels = _mapping(reader.get("split")), _mapping(reader.get("labels"))
    data: dict[str, Any] = {}
    if isinstance(split.get("local_path"), str):
        parquet = "parquet" in (reader.get("file_format"), split.get("file_format"))
        ending = str(split.get("ext", ".parquet" if parquet else ".tsv"))
        header = split.get("header", True) is not False
        form: dict[str, Any] = {} if parquet else {"separator": _decoded(split.get("sep", "\t")), "header": header}
        names = {"user": str(labels.get("user_id_label", "user_id")), "item": str(labels.get("item_id_label", "item_id"))}
        rating = {} if reader.get("rating_type") == "implicit" else {"rating": str(labels.get("rating_label", "rating"))}
        columns: Mapping[str, Any] = {**names, **rating}
        if not header and not parquet:
            columns = {name: position for position, name in enumerate(columns, 1)}
        for role in ("test", "train"):
            data[role] = {"path": posixpath.join(split["local_path"], f"{role}{ending}"), **form, "columns": columns}
    lists = []
    for proxy in (_mapping(model) for name, model in models.items() if _is(name, "ProxyRecommender")):
        if isinstance(path := proxy.get("recommendation_file"), str):
            header = proxy.get("header", True) is not False
            form = {"separator": _decoded(proxy.get("separator", "\t")), "header": header}
            of_lists = {"user": "user_id", "item": "item_id", "score": "rating"} if header else _LISTS["columns"]
            lists.append({"name": _stem(path), "path": path, **form, "columns": of_lists})
    if lists:
        data["recommendations"] = lists
    known = ("split", "labels", "file_format", "loading_strategy", "data_type", "reading_method", *(() if split else ("local_path",)))
    left = [
        *_unused_keys(reader, ("reader",), *known, *(() if reader.get("rating_type") == "implicit" else ("rating_type",))),
        *_unused_keys(content, (), "reader", "models", "evaluation"),
        *_unused_keys(models, ("models",), *(name for name in models if _is(name, "ProxyRecommender"))),
    ]
    return _filled("warprec", content["evaluation"], ("evaluation",), data, left)


def _receval(content: Mapping[str, Any]) -> _Experiment | None:
    """Read a config of receval whose evaluation is in the form of another program.

    An evaluation that is valid both for another program and for `receval run` keeps its meaning in `receval run`.
    """
    evaluation, data = content["evaluation"], content.get("data")
    dialect = dialect_of(evaluation)
    if dialect is None and not (reading := doubt(evaluation)):
        return None
    others = {key: content[key] for key in ("engine", "output") if key in content}
    left = _unused_keys(content, (), "data", "evaluation", *others)
    if dialect is None:
        named = evaluation.get("metrics")
        listed = [{name: body} for name, body in named.items()] if isinstance(named, Mapping) else named
        evaluation = {"convention": _OURS, **evaluation, **({"metrics": listed} if listed is not None else {})}
        left = ((("evaluation",), reading), *left)
    experiment = _filled(dialect or _OURS, evaluation, ("evaluation",), data if isinstance(data, dict) else {}, left)
    return replace(experiment, others=others, optional=True)


def _filled(dialect: str, evaluation: Any, at: Path, data: Mapping[str, Any], left: Sequence[tuple[Path, str]]) -> _Experiment:
    """Make an experiment, with a placeholder for every role that the file does not name."""
    file: dict[str, Any] = {"elliot": _ELLIOT_FILE, "relison": _PAIRS}.get(dialect, {})
    lists: dict[str, Any] = _LISTS if dialect in ("elliot", "relison") else {}
    ending = "csv" if dialect in ("clayrs", _OURS) else "tsv"
    wanted: dict[str, Any] = {
        "test": {"path": f"test.{ending}", **file},
        "train": {"path": f"train.{ending}", **file},
        "recommendations": {"model": {"path": f"recommendations.{ending}", **lists}},
    }
    missing = frozenset(wanted.keys() - data.keys())
    return _Experiment(dialect, evaluation, at, {**wanted, **data}, missing, tuple(left), optional=dialect == "clayrs")


def _unused_keys(content: Mapping[str, Any], at: Path, *used: str) -> tuple[tuple[Path, str], ...]:
    trained = at[-1:] == ("models",)
    return tuple(((*at, key), TRAINED if trained else _REASONS.get(key, _NO_MEANING)) for key in content if key not in used)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _is(name: str, *wanted: str) -> bool:
    return name.split(".")[-1] in wanted


def _stem(path: str) -> str:
    return without_endings(posixpath.basename(path)) or "model"


def _decoded(separator: Any) -> str:
    return str(separator).replace("\\t", "\t")
