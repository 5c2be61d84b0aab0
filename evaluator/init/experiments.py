"""Read the data and the evaluation of an experiment file of Elliot, WarpRec, RELISON or ClayRS, and list the keys that have no use."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence
from typing import Any, Final

from msgspec import Struct, field
from msgspec.structs import replace

from ..config.dialects import doubt, translate
from ..load import without_endings
from ..names.yaml_text import Path

_NO_MEANING: Final = "it has no meaning here: receval evaluates lists and does not train models"
_TRAINED: Final = "receval does not train models: give the lists of the model in data.recommendations"
_REASONS: Final = {
    "negative_sampling": "receval evaluates the lists as they are and samples no negatives",
    "splitter": "receval does not split data: it reads a test file",
    "splitting": "receval does not split data: it reads a test file",
    "filtering": "receval does not filter data: give the filtered files",
    "prefiltering": "receval does not filter data: give the filtered files",
    "writer": "set output.dir or -o to store results",
    "algorithms": _TRAINED,
    "binarize": "receval reads ratings from the test file; without a rating column every row counts 1",
    "validation_path": "receval does not use validation files",
    "rating_type": "receval reads ratings from the test file; without a rating column every row counts 1",
    "n_split": "data.folds lists the test set of each fold",
    "sys_results": "receval always computes results again",
}
OURS: Final = "receval"
"""The dialect of a bare evaluation in which nothing is another program's alone."""
_ELLIOT_FILE: Final = {"separator": "\t", "header": False, "columns": {"user": 1, "item": 2, "rating": 3}}
_LISTS: Final = {"separator": "\t", "header": False, "columns": {"user": 1, "item": 2, "score": 3}}
_PAIRS: Final = {"separator": "\t", "header": False, "columns": {"user": 1, "item": 2}}
_WARPREC: Final = {"reader", "writer", "splitter", "models", "filtering", "general", "dashboard", "callbacks"}


class Experiment(Struct, frozen=True):
    """The parts of another program's file that receval can use; `at` is the path of its evaluation in the file.

    `data` is in receval's keys; the sources of the roles in `placeholders` must be filled in by hand. `left_out` has a sentence for each
    key that is not used. `others` are further sections of receval's. The train file is `optional` where the program reads none, or the
    file is a config of receval's without one.
    """

    dialect: str
    evaluation: Any
    at: Path
    data: Mapping[str, Any]
    placeholders: frozenset[str] = frozenset()
    left_out: tuple[tuple[Path, str], ...] = ()
    others: Mapping[str, Any] = field(default_factory=dict)
    optional: bool = False


def recognise(content: Any) -> Experiment | None:
    """Find data and evaluation in the content of a file; `None` if it is of none of the four programs."""
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
        if isinstance(metrics, Mapping) and ("algorithms" in content or translate(metrics).dialect == "relison"):
            return _filled("relison", metrics, ("metrics",), {}, _unused_keys(content, (), "metrics"))
    dialect = translate(content).dialect
    return _filled(dialect, content, (), {}, ()) if dialect else None


def _elliot(content: Mapping[str, Any]) -> Experiment:
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
    lists = [source for name, model in models.items() if (source := _elliot_lists(name, _mapping(model), dataset))]
    output = experiment.get("path_output_rec_result")
    if not lists and isinstance(output, str):
        lists = [{"path": posixpath.join(output.replace("{0}", dataset), "*.tsv"), **_LISTS}]
    if lists:
        data["recommendations"] = lists
    used = ["dataset", "evaluation", "data_config", "models", "top_k", *(["path_output_rec_result"] if isinstance(output, str) else [])]
    left = [
        *_unused_keys(files, ("experiment", "data_config"), "strategy", *(f"{role}_path" for role in data)),
        *_unused_keys(experiment, ("experiment",), *used),
        *_unused_keys(
            models, ("experiment", "models"), *(name for name in models if _is(name, "ProxyRecommender", "RecommendationFolder"))
        ),
        *_unused_keys(content, (), "experiment"),
    ]
    return _filled("elliot", evaluation, ("experiment", "evaluation"), data, left)


def _elliot_lists(name: str, model: Mapping[str, Any], dataset: str) -> dict[str, Any] | None:
    if _is(name, "ProxyRecommender") and isinstance(model.get("path"), str):
        path = model["path"].replace("{0}", dataset)
        return {"name": str(model.get("name") or _stem(path)), "path": path, **_LISTS}
    if _is(name, "RecommendationFolder") and isinstance(model.get("folder"), str):
        return {"path": posixpath.join(model["folder"].replace("{0}", dataset), "*"), **_LISTS}
    return None


def _warprec(content: Mapping[str, Any]) -> Experiment:
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
    proxies = [_mapping(model) for name, model in models.items() if _is(name, "ProxyRecommender")]
    lists = [_warprec_lists(proxy) for proxy in proxies if isinstance(proxy.get("recommendation_file"), str)]
    if lists:
        data["recommendations"] = lists
    known = ("split", "labels", "file_format", "loading_strategy", "data_type", "reading_method", *(() if split else ("local_path",)))
    left = [
        *_unused_keys(reader, ("reader",), *known, *(() if reader.get("rating_type") == "implicit" else ("rating_type",))),
        *_unused_keys(content, (), "reader", "models", "evaluation"),
        *_unused_keys(models, ("models",), *(name for name in models if _is(name, "ProxyRecommender"))),
    ]
    return _filled("warprec", content["evaluation"], ("evaluation",), data, left)


def _warprec_lists(proxy: Mapping[str, Any]) -> dict[str, Any]:
    header = proxy.get("header", True) is not False
    columns = {"user": "user_id", "item": "item_id", "score": "rating"} if header else _LISTS["columns"]
    path = proxy["recommendation_file"]
    return {"name": _stem(path), "path": path, "separator": _decoded(proxy.get("separator", "\t")), "header": header, "columns": columns}


def _receval(content: Mapping[str, Any]) -> Experiment | None:
    """Read a config of receval whose evaluation is written as another program's."""
    dialect = translate(content["evaluation"]).dialect
    if dialect is None:
        return _bare(content) if "data" not in content else None
    data = content.get("data")
    others = {key: content[key] for key in ("engine", "output") if key in content}
    left = _unused_keys(content, (), "data", "evaluation", *others)
    experiment = _filled(dialect, content["evaluation"], ("evaluation",), data if isinstance(data, dict) else {}, left)
    return replace(experiment, others=others, optional=True)


def _bare(content: Mapping[str, Any]) -> Experiment | None:
    """Read a bare evaluation that another program could have written, and `receval run` too: it means what it means there."""
    evaluation = content["evaluation"]
    reading = doubt(evaluation)
    if not reading:
        return None
    metrics = evaluation.get("metrics")
    listed = [{name: body} for name, body in metrics.items()] if isinstance(metrics, Mapping) else metrics
    read = {"convention": OURS, **evaluation, **({"metrics": listed} if listed is not None else {})}
    left = ((("evaluation",), reading), *_unused_keys(content, (), "evaluation"))
    return replace(_filled(OURS, read, ("evaluation",), {}, left), optional=True)


def _filled(dialect: str, evaluation: Any, at: Path, data: Mapping[str, Any], left: Sequence[tuple[Path, str]]) -> Experiment:
    """Make an experiment, with a placeholder for every role that the file does not name."""
    file: dict[str, Any] = {"elliot": _ELLIOT_FILE, "relison": _PAIRS}.get(dialect, {})
    lists: dict[str, Any] = _LISTS if dialect in ("elliot", "relison") else {}
    ending = "csv" if dialect in ("clayrs", OURS) else "tsv"
    wanted: dict[str, Any] = {
        "test": {"path": f"test.{ending}", **file},
        "train": {"path": f"train.{ending}", **file},
        "recommendations": {"model": {"path": f"recommendations.{ending}", **lists}},
    }
    complete = {role: data.get(role, source) for role, source in wanted.items()} | {key: data[key] for key in data if key not in wanted}
    missing = frozenset(wanted.keys() - data.keys())
    return Experiment(dialect, evaluation, at, complete, missing, tuple(left), optional=dialect == "clayrs")


def _unused_keys(content: Mapping[str, Any], at: Path, *used: str) -> tuple[tuple[Path, str], ...]:
    trained = at[-1:] == ("models",)
    return tuple(((*at, key), _TRAINED if trained else _REASONS.get(key, _NO_MEANING)) for key in content if key not in used)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _is(name: str, *wanted: str) -> bool:
    return name.split(".")[-1] in wanted


def _stem(path: str) -> str:
    return without_endings(posixpath.basename(path)) or "model"


def _decoded(separator: Any) -> str:
    return str(separator).replace("\\t", "\t")
