"""Translate an evaluation block of Elliot, WarpRec, RELISON or ClayRS into receval's keys, with warnings on what was left out."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from pathlib import Path as File
from typing import Any, Final

from msgspec import Struct, field
from msgspec.structs import replace

from .. import conventions, metrics
from ..syntax.measure_strings import MetricSpec
from ..syntax.yaml_text import Path
from .metric_entries import name_and_body, read_entry, read_name
from .whole_config import Evaluation

PROGRAMS: Final = {"elliot": "Elliot", "warprec": "WarpRec", "relison": "RELISON", "clayrs": "ClayRS"}
"""Dialect (also the name of the convention) → the program that writes it."""

_TESTS: Final = "not computed by `receval run`"
TRAINED: Final = "receval does not train models: give its lists in data.recommendations"
MEANINGLESS: Final[dict[str, dict[str, str]]] = {
    "elliot": {"paired_ttest": _TESTS, "wilcoxon_test": _TESTS},
    "warprec": {
        "strategy": "receval evaluates the lists as they are and samples no candidates",
        "num_negatives": "receval evaluates the lists as they are and samples no negatives",
        "seed": "receval draws nothing at random",
        "batch_size": "receval reads files in one pass",
        "validation_metric": "receval does not train models, so it does not select one",
        "stat_significance": _TESTS,
        "full_evaluation_on_report": "receval does not train models and has no trials",
        "max_metric_per_row": "tables use the width of the terminal",
        "save_evaluation": "give output.dir to keep the results",
        "save_per_user": "give output: {dir: …, per_user: true} to write per-user values",
    },
    "relison": {"algorithms": TRAINED},
    "clayrs": {
        "n_split": "data.folds lists the test set of each fold",
        "sys_results": "receval always computes results again",
    },
}
"""Keys of an evaluation without a meaning here, by dialect, and why."""
_RENAMED: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    "elliot": {"cutoffs": ("top_k",), "simple_metrics": ("metrics",), "relevance_threshold": ("relevance", "threshold")}
}
_OF_FILES: Final = {
    "clustering_file": "give the groups as a column of data.users or data.items named like clustering_name",
    "user_clustering_file": "give the groups as a column of data.users named like user_clustering_name",
    "item_clustering_file": "give the groups as a column of data.items named like item_clustering_name",
    "feature_data": "give the categories in data.items",
    "catalog": "the catalogue is data.items or, without it, the items of data.train",
    "original_ratings": "popularity is counted in data.train; of=train_and_test also counts the test file",
    "user_profiles": "profiles come from data.train",
}
"""Parameters of metrics that name files in other programs; receval has files in the data section."""
_OWN: Final = frozenset(Evaluation.model_fields)

_WHOLE_LIST: Final = ("Precision", "Recall", "FMeasure", "NDCG", "MRR", "MAP")
_AT_K: Final = tuple(f"{name}AtK" for name in _WHOLE_LIST)
CLAYRS_CLASSES: Final = (*_WHOLE_LIST, *_AT_K, "RPrecision", "MSE", "RMSE", "MAE", "Correlation", "GiniIndex", "PredictionCoverage",
                   "CatalogCoverage", "DeltaGap")  # fmt: skip
_CLAYRS_ONLY: Final = ("relevant_threshold", "sys_average", "gains", "discount_log", "top_n")


class Translation(Struct, frozen=True):
    """An evaluation in receval's keys; paths are within the evaluation.

    `warnings` lists keys without meaning here and assumptions, `problems` errors; both have paths in the block as written. `origins` maps
    paths of `value` to paths in that block.
    """

    value: Any
    dialect: str | None = None
    warnings: tuple[tuple[Path, str], ...] = ()
    problems: tuple[tuple[Path, str], ...] = ()
    origins: Mapping[Path, Path] = field(default_factory=dict)

    def origin(self, path: Path) -> Path:
        """Return the path in the block as written for a `path` of `value`."""
        for end in range(len(path), -1, -1):
            if path[:end] in self.origins:
                return (*self.origins[path[:end]], *path[end:])
        return path


def translate(evaluation: Any, folder: File | None = None, dialect: str | None = None) -> Translation:
    """Translate `evaluation` from `dialect`, or from the recognised one; a block in receval's keys is returned unchanged.

    `folder` is the start of relative paths of conventions.
    """
    dialect = dialect or dialect_of(evaluation, folder)
    if dialect is None:
        return Translation(evaluation)
    block = _Block(evaluation, dialect)
    block.rename()
    block.leave_out()
    block.entries()
    return Translation(block.value, dialect, tuple(block.warnings), tuple(block.problems), block.origins)


def gather_pasted(config: dict[str, Any], sections: Collection[str]) -> dict[Path, Path]:
    """Move metrics with a grid of cut-offs, as RELISON writes them, from the top of a config into its evaluation.

    An evaluation that was pasted whole into the evaluation, or into its metrics, as WarpRec writes it, is the evaluation. `sections` are
    the keys of a config. Return where each was written: its path in the config → its path in the file.
    """
    if within := _pasted_within(config.get("evaluation")):
        place, body = within
        rest = {key: value for key, value in config["evaluation"].items() if key != place[1]}
        if rest.keys().isdisjoint(body):
            config["evaluation"] = {**rest, **body}
            return {("evaluation", key): (*place, key) for key in body}
    pasted = [key for key, body in config.items() if key not in sections and _is_grid(body)]
    evaluation = config.get("evaluation") or {}
    if not pasted or not isinstance(evaluation, Mapping):
        return {}
    config["evaluation"] = {**evaluation, **{key: config.pop(key) for key in pasted}}
    return {("evaluation", key): (key,) for key in pasted}


def _pasted_within(evaluation: Any) -> tuple[Path, Mapping[str, Any]] | None:
    """Return the path and the body of an evaluation that is within the evaluation or its metrics; `None` without one."""
    if not isinstance(evaluation, Mapping):
        return None
    metrics_of = evaluation.get("metrics")
    inner: dict[Path, Any] = {("evaluation", "evaluation"): evaluation.get("evaluation")}
    if isinstance(metrics_of, Mapping) and metrics_of.keys() == {"evaluation"}:
        inner["evaluation", "metrics", "evaluation"] = metrics_of["evaluation"]
    return next(((place, body) for place, body in inner.items() if isinstance(body, Mapping)), None)


def translate_entry(entry: Any, library: conventions.Convention) -> list[MetricSpec | dict[str, Any]]:
    """Translate a metric from the names of `library` into receval's, one for each combination of the values of its parameters.

    Raises `ValueError` if receval does not have it.
    """
    specs = (library.parse(entry),) if isinstance(entry, str) else read_entry(entry)
    by_title: dict[str, list[MetricSpec]] = {}
    for spec in specs:
        read = _translate_spec(spec, library)
        by_title.setdefault(read.title, []).append(read)
    return [same[0] if len(same) == 1 else {"name": title, "k": [spec.k for spec in same]} for title, same in by_title.items()]


def _translate_spec(spec: MetricSpec, library: conventions.Convention) -> MetricSpec:
    read = library.read(spec)
    name = metrics.find(read.name).name
    return replace(read, name=name, components=tuple(_translate_spec(part, library) for part in read.components))


class _Entry(Struct, frozen=True):
    """One metric of a list: `path` is its path, `inside` that of its parameters; `name` is empty if it cannot be read."""

    raw: Any
    path: Path
    name: str = ""
    body: Mapping[str, Any] = field(default_factory=dict)
    inside: Path = ()


def _entries(value: Any, path: Path) -> list[_Entry]:
    if isinstance(value, Mapping) and ("name" in value or "metric" in value):  # one entry without its dash
        return [_entry(value, path)]
    if isinstance(value, Mapping):
        return [replace(_entry({name: body}, (*path, name)), inside=(*path, name)) for name, body in value.items()]
    listed = value if isinstance(value, list) else [] if value is None else [value]
    return [_entry(raw, (*path, *((index,) if isinstance(value, list) else ()))) for index, raw in enumerate(listed)]


def _entry(raw: Any, path: Path) -> _Entry:
    if isinstance(raw, str):
        return _Entry(raw, path, raw)
    try:
        name, body, key = name_and_body(raw, ("name", "metric"))
    except ValueError:  # reported when the config is validated
        return _Entry(raw, path)
    return _Entry(raw, path, name, body, path if key is None else (*path, key))


def dialect_of(evaluation: Any, folder: File | None = None) -> str | None:
    """Return the dialect of an evaluation; `None` if it is in receval's keys, or in those of nobody."""
    if isinstance(evaluation, list):
        entries = _entries(evaluation, ())
        return "clayrs" if (entries and all(entry.name in CLAYRS_CLASSES for entry in entries)) or _is_clayrs(entries, ()) else None
    if not isinstance(evaluation, Mapping):
        return None
    foreign = evaluation.keys() - _OWN
    complex_metrics = evaluation.get("complex_metrics")
    for dialect in PROGRAMS:
        if foreign & {*MEANINGLESS[dialect], *_RENAMED.get(dialect, ())}:
            return dialect
    if isinstance(complex_metrics, list) and any(isinstance(entry, Mapping) and "metric" in entry for entry in complex_metrics):
        return "elliot"
    if "metrics" not in evaluation and any(_is_grid(evaluation[key]) for key in foreign):
        return "relison"
    if "convention" not in evaluation and _are_grids(evaluation.get("metrics")):
        return "relison"
    known: tuple[str, ...] = ()
    try:
        chosen = str(evaluation.get("convention", "receval"))
        known = tuple(conventions.load(chosen, folder).parameters) if not chosen.startswith("clayrs") else ()
    except ValueError:  # reported when the config is validated
        pass
    return "clayrs" if _is_clayrs(_entries(evaluation.get("metrics"), ()), known) else None


def _is_grid(body: Any) -> bool:
    return isinstance(body, Mapping) and "cutoff" in body


def _are_grids(named: Any) -> bool:
    """Return whether a mapping under `metrics` is the block of RELISON: its metrics, with grids of cut-offs and no other parameters."""
    if not isinstance(named, Mapping) or not any(map(_is_grid, named.values())):
        return False
    known = conventions.load("relison").metrics
    return all(name in known and (not body or (_is_grid(body) and len(body) == 1)) for name, body in named.items())


def _is_clayrs(entries: list[_Entry], known: tuple[str, ...]) -> bool:
    """Return whether an entry has parameters that only ClayRS has; a bare name or a measure string can be receval's."""
    own = [key for key in _CLAYRS_ONLY if key not in known]
    return any(entry.body and (entry.name in (*_AT_K, "FMeasure") or any(key in entry.body for key in own)) for entry in entries)


class _Block:
    """An evaluation that is being translated into receval's keys."""

    def __init__(self, evaluation: Any, dialect: str) -> None:
        self.dialect, self.program = dialect, PROGRAMS[dialect]
        self.value: dict[str, Any] = dict(evaluation) if isinstance(evaluation, Mapping) else {"metrics": evaluation}
        self.origins: dict[Path, Path] = {} if isinstance(evaluation, Mapping) else {("metrics",): ()}
        self.warnings: list[tuple[Path, str]] = []
        self.problems: list[tuple[Path, str]] = []
        if "convention" not in self.value:
            self.origins["convention",] = ()
            self.value = {"convention": dialect, **self.value}
            chosen = f"read under the convention {dialect}; write convention: … to choose another"
            self.warnings.append(((), f"this config is written for {self.program}: {chosen}"))
        if dialect == "relison" and "metrics" not in self.value:
            self._gather_grids()

    def _gather_grids(self) -> None:
        keys = [key for key, body in self.value.items() if key not in _OWN and (not body or _is_grid(body)) and key != "algorithms"]
        self.value["metrics"] = {key: self.value.pop(key) for key in keys}
        self.origins |= {("metrics",): ()}

    def rename(self) -> None:
        """Rename keys of the program."""
        for key, target in _RENAMED.get(self.dialect, {}).items():
            if key not in self.value:
                continue
            given = self.value.pop(key)
            around = {} if len(target) == 1 else self.value.setdefault(target[0], {})
            if not isinstance(around, dict):  # wrong in any case, and reported when the config is validated
                continue
            if target[0] in self.value if len(target) == 1 else target[1] in around:
                self.problems.append(((key,), f"{key} and {'.'.join(target)} mean the same: give only one"))
            elif len(target) == 1:
                self.value[target[0]] = given
                self.origins[target] = (key,)
            elif given is not None:
                self.value[target[0]] = {**around, target[1]: given}
                self.origins[target] = (key,)

    def leave_out(self) -> None:
        """Remove keys that have no meaning in receval, with a warning each."""
        for key in [key for key in self.value if key in MEANINGLESS[self.dialect] and key not in _OWN]:
            del self.value[key]
            self.warnings.append(((key,), f"{MEANINGLESS[self.dialect][key]}; ignored"))

    def entries(self) -> None:
        """Rewrite every metric; if the block names another convention, in receval's names, which all conventions know."""
        chosen, library = self.value["convention"], conventions.load(self.dialect)
        for key in ("metrics", "complex_metrics"):
            if not isinstance(self.value.get(key), str | list | Mapping):
                continue
            start = self.origins.get((key,), (key,))
            entries = _entries(self.value[key], start)
            rewritten = [
                (entry, new_entry) for entry in entries for new_entry in self._entry(entry, library, translated=chosen != self.dialect)
            ]
            self.origins |= {(key, index): entry.path for index, (entry, _) in enumerate(rewritten)}
            self.value[key] = [new_entry for _, new_entry in rewritten]

    def _entry(self, entry: _Entry, library: conventions.Convention, translated: bool) -> list[Any]:
        if not entry.name:
            return [entry.raw]
        try:
            known = metrics.find(library.read(read_name(entry.name)).name)
            rewritten = {"elliot": self._elliot, "relison": self._relison, "clayrs": self._clayrs}.get(self.dialect, _raw)(entry, known.cut)
            if not translated:
                return [rewritten]
            return [str(read) if isinstance(read, MetricSpec) else read for read in translate_entry(rewritten, library)]
        except ValueError as error:
            self.problems.append((entry.path, str(error)))
            return [entry.raw]

    def _elliot(self, entry: _Entry, cut: bool) -> Any:
        """Rewrite an entry of Elliot, which numbers combined metrics from 0; DSC has defaults for them, ExtendedF1 has none."""
        if not entry.body:
            return entry.name
        body = self._without_files(entry, dict(entry.body))
        parts = {key: body.pop(key, None) for key in ("metric_0", "metric_1")}
        missing = [key for key, part in parts.items() if part is None]
        if missing and entry.name.lower() == "extendedf1":
            raise ValueError(f"{entry.name} needs {' and '.join(missing)}, the metrics that it combines")
        if len(missing) < len(parts):
            body |= {"metric_name_1": parts["metric_0"] or "Precision", "metric_name_2": parts["metric_1"] or "Recall"}
        return {"name": entry.name, **body}

    def _without_files(self, entry: _Entry, body: dict[str, Any]) -> dict[str, Any]:
        for key in _OF_FILES.keys() & body.keys():
            del body[key]
            self.warnings.append(((*entry.inside, key), f"{_OF_FILES[key]}; ignored"))
        return body

    def _relison(self, entry: _Entry, cut: bool) -> Any:
        if cut and "cutoff" not in entry.body:
            self.warnings.append((entry.path, f"RELISON prints nothing for {entry.name} without cutoff; receval uses top_k"))
        return entry.raw

    def _clayrs(self, entry: _Entry, cut: bool) -> Any:
        """Rewrite an entry of ClayRS, in which null means the default, and classes without AtK use the whole list."""
        body = self._without_files(entry, {key: value for key, value in entry.body.items() if value is not None})
        if isinstance(body.get("user_groups"), Mapping):  # the names of the groups; here they are called 1, 2, …
            body["shares"] = list(body.pop("user_groups").values())
        if "precision" in body:
            del body["precision"]
            self.warnings.append(((*entry.inside, "precision"), "receval computes in double precision; ignored"))
        if "top_n" in body and "k" not in body:
            body["k"] = body.pop("top_n")
        if "k" not in body and "top_k" not in self.value:
            if entry.name in _AT_K:
                raise ValueError(f"{entry.name} needs k, the number of items it uses")
            if entry.name in _WHOLE_LIST:
                body["k"] = "none"
                self.warnings.append((entry.path, f"{entry.name} uses the whole list, as ClayRS does; write top_k: … to cut it"))
        return {"name": entry.name, **body} if body else entry.name


def _raw(entry: _Entry, cut: bool) -> Any:
    return entry.raw


_SHARED: Final = frozenset({"top_k", "metrics", "complex_metrics"})
"""The keys that receval and WarpRec share; in a config of receval, classes of ClayRS are under `metrics`."""


def doubt(evaluation: Any) -> str:
    """Return a sentence on the convention used and the alternatives, if another program could have written the block; else empty."""
    if not isinstance(evaluation, Mapping) or not evaluation.keys() <= _SHARED:
        return ""
    listed = [evaluation.get(key) or [] for key in ("metrics", "complex_metrics")]
    if not any(listed) or not all(isinstance(entries, list) for entries in listed):
        return ""
    programs = [dialect for dialect, could_be in _COULD_BE.items() if could_be(evaluation, *listed)]
    if not programs:
        return ""
    written_for, names = " or ".join(PROGRAMS.get(dialect, dialect) for dialect in programs), " or ".join(programs)
    return f"The evaluation is read under the convention receval; if it was written for {written_for}, write convention: {names}."


def _could_be_warprec(evaluation: Mapping[str, Any], metrics: list[Any], combined: list[Any]) -> bool:
    """Return whether a block has lists of plain names, cut-offs as a list, and combinations with the parameters of WarpRec."""
    library = conventions.load("warprec")

    def named(value: Any) -> bool:
        known = isinstance(value, str) and (value in library.metrics or any(re.fullmatch(spelled, value) for spelled in library.spellings))
        return known and "@" not in value and "(" not in value

    def combines(value: Any) -> bool:
        params = value.get("params") if isinstance(value, Mapping) else None
        return isinstance(params, Mapping) and "metric_name_1" in params

    return isinstance(evaluation.get("top_k", []), list) and all(map(named, metrics)) and all(map(combines, combined))


def _could_be_clayrs(evaluation: Mapping[str, Any], metrics: list[Any], combined: list[Any]) -> bool:
    """Return whether a block is a list of ClayRS' classes; its blocks have no cut-offs for all metrics."""
    return evaluation.keys() == {"metrics"} and all(name in CLAYRS_CLASSES for name in metrics)


_OWN_FUNCTIONS: Final = ("hitrate", "mapr", "mar")
_FUNCTIONS: Final = (*_OWN_FUNCTIONS, "precision", "recall", "ndcg", "mrr", "coverage")
"""Functions of rs_metrics, after those whose names nobody else writes like this."""


def _could_be_rs_metrics(evaluation: Mapping[str, Any], metrics: list[Any], combined: list[Any]) -> bool:
    """Return whether a block is a list of functions of rs_metrics, one of them with a name of its own."""
    return all(name in _FUNCTIONS for name in metrics) and any(name in _OWN_FUNCTIONS for name in metrics)


_COULD_BE: Final = {"warprec": _could_be_warprec, "clayrs": _could_be_clayrs, "rs_metrics": _could_be_rs_metrics}
