"""The sections of the config on a run as a whole: `engine`, `output`, `report` and `track`."""

import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Annotated, Any, Final, Literal, Self, get_args

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    StrictBool,
    StrictInt,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WithJsonSchema,
    WrapValidator,
    model_validator,
)

from ..support import plugins
from ..support.outputs import endings, file_form
from .data_sources import TABLE_NAME, Model, as_list
from .source_values import StorageOptions

_UNITS: Final = {
    "b": 1,
    "kb": 10**3,
    "mb": 10**6,
    "gb": 10**9,
    "tb": 10**12,
    "kib": 2**10,
    "mib": 2**20,
    "gib": 2**30,
    "tib": 2**40,
}


def parse_memory(text: str) -> int:
    """Return the number of bytes of a text such as `500MB`, `1.5 GB` or `2GiB`.

    Units are B, kB, MB, GB, TB (powers of 1000) and KiB, MiB, GiB, TiB (powers of 1024), in upper or lower case.
    Raises `ValueError` if it is not a number with a unit, or less than one byte.
    """
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-zA-Z]+)\s*", text)
    unit = _UNITS.get(match[2].lower()) if match else None
    if match is None or unit is None or (size := int(float(match[1]) * unit)) < 1:
        raise ValueError(f"{text!r} is not an amount of memory: write a number with a unit, such as 500MB, 1.5GB or 2GiB")
    return size


def _memory(text: str) -> str:
    parse_memory(text)
    return text


class EngineChoice(Model):
    """The engine of the computation and its settings."""

    name: Literal["polars", "spark"] = Field("polars", description="where the computation runs: polars (this machine) or spark")
    master: str | None = Field(None, description="Spark: the master, such as local[2]")
    remote: str | None = Field(None, description="Spark Connect: the server, such as sc://host:15002")
    archives: Annotated[tuple[str, ...], BeforeValidator(as_list)] = Field(
        (), description="Spark: packed environments to send to workers that do not have receval, as path#name"
    )
    memory: Annotated[str, AfterValidator(_memory)] | None = Field(
        None,
        description="Polars: memory for the rows of unsorted lists, such as 2GB; more rows go to temporary files; worker processes "
        "together take as much again; if not given, a quarter of the machine's memory, and half of it for worker processes",
    )
    workers: Annotated[StrictInt, Field(ge=0, le=1024)] | None = Field(
        None,
        description="Polars: the number of worker processes; 0: threads of one process; if not given, the number depends on the cores, "
        "the rows and the memory",
    )

    @property
    def bytes(self) -> int | None:
        """The memory for rows, in bytes; `None` if not given."""
        return None if self.memory is None else parse_memory(self.memory)

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.name != "spark" and (self.master or self.remote or self.archives):
            raise ValueError("master, remote and archives belong to the spark engine: add name: spark")
        if self.name == "spark" and self.memory:
            raise ValueError("memory belongs to the polars engine: Spark has its own settings")
        if self.name == "spark" and self.workers is not None:
            raise ValueError("workers belong to the polars engine: Spark has its own settings")
        if self.master and self.remote:
            raise ValueError("give master or remote, not both")
        return self


PerUserFormat = Literal["parquet", "csv", "jsonl", "wide", "long"]
_FORMS: Final = ("wide", "long")
_PER_USER: Final = (
    "whether per-user values are written, which receval compare needs: true (per_user.parquet), false, or a list of formats: parquet, "
    "csv, jsonl. wide (the default, and faster) has a column for each measure, long a row for each measure and user, so that its columns "
    "do not depend on the measures"
)


def _formats(value: Any, read: ValidatorFunctionWrapHandler) -> Any:
    try:
        formats = read(value if isinstance(value, bool) else as_list(value))
    except ValidationError:
        raise ValueError(f"this must be true, false, or a list of formats ({', '.join(get_args(PerUserFormat))}), not {value!r}") from None
    if not isinstance(formats, bool) and all(form in formats for form in _FORMS):
        raise ValueError("per-user values are either wide or long: remove one of them")
    return formats


class Output(Model):
    """Files of results to write."""

    dir: Annotated[str, Field(min_length=1)] | None = Field(
        None, description="the folder for result files, relative to the config file; if not given, none are written"
    )
    storage_options: StorageOptions | None = Field(
        None,
        description="settings to reach the store of outputs (dir, and -o) and of baselines, in addition to the environment; as for inputs",
    )
    per_user: Annotated[
        StrictBool | tuple[PerUserFormat, ...],
        WrapValidator(_formats, json_schema_input_type=bool | PerUserFormat | list[PerUserFormat]),
    ] = Field(True, description=_PER_USER)

    per_user_table: Annotated[str, Field(pattern=TABLE_NAME)] | None = Field(
        None,
        description="Spark: the catalog table into which the workers write the per-user values, a row for each user and measure; they do "
        "not come to this process, and no per_user file is written unless per_user is given too",
    )

    enriched: StrictBool = Field(
        False,
        description="whether to write enriched.MODEL.parquet: the lists as the first measure reads them, with rank, score, relevant, "
        "gain and, if data.train is given, in_train",
    )

    spreadsheet_safe: StrictBool = Field(
        False,
        description="whether texts in CSV files that a spreadsheet would run as a formula (starting with =, +, -, @) are prefixed with '",
    )

    describe: StrictBool = Field(
        False, description="whether manifest.json also describes the files, as receval describe does; this reads them a second time"
    )

    @property
    def storage(self) -> dict[str, str]:
        """The options to reach outputs and baselines in a store."""
        return self.storage_options or {}

    @property
    def per_user_formats(self) -> tuple[PerUserFormat, ...]:
        """The formats in which the per-user values are written to the folder."""
        if self.per_user_table is not None and "per_user" not in self.model_fields_set:
            return ()
        if isinstance(self.per_user, bool):
            return ("parquet",) if self.per_user else ()
        return tuple(form for form in self.per_user if form not in _FORMS) or (("parquet",) if self.per_user else ())


ChartName = Literal["differences", "over_k", "precision_recall", "gamma_curve", "distribution", "trade_off", "groups"]
_NAMES: Final = get_args(ChartName)
_MEASURES: Final[dict[str, Any]] = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}
_CHART: Final[dict[str, Any]] = {
    "anyOf": [
        {"enum": list(_NAMES)},
        {"type": "object", "additionalProperties": False, "properties": dict.fromkeys(_NAMES, _MEASURES), "minProperties": 1},
    ]
}


def _listed(value: Any) -> Sequence[Any]:
    """Return a list unchanged, anything else as a list of one; the reader of the entries reports their problems."""
    return value if isinstance(value, list | tuple) else [value]


def _charts(value: Any) -> Any:
    """Return charts by name with their measures, from a list such as `[differences, {trade_off: [nDCG@10, EPC@10]}]`."""
    charts: dict[str, tuple[str, ...]] = {}
    for entry in _listed(value):
        for name, measures in entry.items() if isinstance(entry, Mapping) else ((entry, ()),):
            if name not in _NAMES:
                raise ValueError(f"a chart must be one of {', '.join(_NAMES)}, not {str(name)[:80]!r}")
            chosen = () if measures is None else tuple(_listed(measures))
            if not all(isinstance(measure, str) for measure in chosen):
                raise ValueError(f"the chart {name} needs a list of measures")
            if name == "trade_off" and len(chosen) not in (0, 2):
                raise ValueError(f"trade_off needs two measures, not {len(chosen)}")
            charts[name] = chosen
    return charts


def _files(value: Any) -> Any:
    """Return names of report files; raise `ValueError` for one whose ending is not that of a form."""
    files = _listed(value)
    wrong = [name for name in files if not isinstance(name, str) or file_form(name, "report", "latex") is None]
    if wrong:
        raise ValueError(f"the file of a report must end in {', '.join(endings('report', 'latex'))}, not {str(wrong[0])[:80]!r}")
    return files


class LatexStyle(Model):
    """Appearance of tables in LaTeX."""

    best: Literal["bold", "none"] = Field("bold", description="how the best value, and values not clearly different from it, are marked")
    second: Literal["underline", "none"] = Field("underline", description="how the second-best value is marked")
    marks: Literal["letters", "dagger", "none"] = Field(
        "none",
        description="letters: models that share one are not clearly different (all pairs are compared); "
        "dagger: the model is better or worse than compare.baseline",
    )
    rows: Literal["models", "measures"] = Field("models", description="what the rows of the table of results are")
    columns: Literal[1, 2] = Field(
        1,
        description="columns of your page, for files with only tables: with 2, a table that is wider than a column is a table* across both",
    )
    width: Annotated[StrictInt, Field(ge=30, le=400)] | None = Field(
        None,
        description="characters that fit across your page, for files with only tables; if not given, tables fit a page of 345 pt, that of "
        "the class article, and wide ones take the width of the text; with two columns 92, and each has half of it",
    )
    digits: Annotated[StrictInt, Field(ge=0, le=12)] | None = Field(
        None, description="decimals of values other than counts; if not given, as many as needed"
    )
    signatures: StrictBool = Field(
        False, description="whether the notes below the table of results have the signature of each measure; a complete document has them"
    )
    document: StrictBool = Field(
        False, description="whether each .tex file is a complete document with definitions, formulas and data; report.tex always is"
    )


def report_date(value: Any) -> Any:
    """Return a date as text (YAML has dates of its own), or `today`; `ValueError` for anything else."""
    text = value.isoformat() if isinstance(value, date) and not isinstance(value, datetime) else value
    if text != "today":
        try:
            return f"{datetime.strptime(str(text), '%Y-%m-%d'):%Y-%m-%d}"
        except ValueError:
            raise ValueError(f"the date must be YYYY-MM-DD or today, not {str(text)[:80]!r}") from None
    return text


class ReportConfig(Model):
    """Content of reports, and the report files that a run writes."""

    title: Annotated[str, Field(min_length=1)] | None = Field(
        None, description="the title of a report; the names of the models if not given"
    )
    date: Annotated[str, BeforeValidator(report_date)] | None = Field(
        None, description="the date below the title: YYYY-MM-DD or today; if not given, the date in SOURCE_DATE_EPOCH, or none"
    )
    names: dict[str, Annotated[str, Field(min_length=1)]] = Field(
        {},
        description="other names of models, metrics and measures in reports, charts and LaTeX, and of formulas also on screen: "
        "`{nDCG: NDCG, Recall@20: R@20, als: ALS}`",
    )
    charts: Annotated[
        dict[ChartName, tuple[str, ...]],
        BeforeValidator(_charts),
        WithJsonSchema({"type": "array", "items": _CHART}),
        Field(validate_default=False),
    ] = Field(
        {},
        description="the charts of a report and their measures; if not given, all that have data, but precision_recall only "
        "if a metric has several levels of precision or recall",
    )
    files: Annotated[tuple[str, ...], BeforeValidator(_files)] = Field(
        (),
        description="report files that receval run writes, relative to the config file; the ending sets the format: .html, .md, .tex, "
        ".xml (JUnit), .svg (a badge)",
    )

    latex: LatexStyle = Field(LatexStyle.model_construct(), description="settings of LaTeX tables")

    @property
    def chosen(self) -> dict[str, tuple[str, ...]]:
        """The charts to show, with their measures; empty if the config names none."""
        return {name: measures for name, measures in self.charts.items()}  # noqa: C416


Name = Annotated[str, Field(min_length=1)]
_REQUIRED: Final = "whether a failing tracker fails the run; otherwise it only warns"


class MlflowTracking(Model):
    """MLflow; MLFLOW_TRACKING_URI gives the address of the server."""

    experiment: Name = Field("receval", description="the experiment; created if missing")
    run: Name | None = Field(None, description="the name of the run; if not given, the names of the models")
    runs: Literal["children", "models"] = Field(
        "children",
        description="children: one run per evaluation with the values of the best model, and with a child per model if there are several; "
        "models: one run per model",
    )
    required: StrictBool = Field(False, description=_REQUIRED)


class WandbTracking(Model):
    """Weights & Biases: a run per model, in one group, and one for the evaluation."""

    project: Name = Field("receval", description="the project")
    entity: Name | None = Field(None, description="the user or team that owns the project")
    run: Name | None = Field(None, description="the name of the group; if not given, the names of the models")
    mode: Literal["online", "offline"] = Field("online", description="offline: keep runs in wandb/ for `wandb sync`")
    required: StrictBool = Field(False, description=_REQUIRED)


class DvcTracking(Model):
    """Files that DVC reads: metrics.json, plots and the dvc.yaml that names them."""

    dir: Name = Field("dvc", description="the folder for the files, relative to the config file")
    required: StrictBool = Field(False, description=_REQUIRED)


class TensorboardTracking(Model):
    """Event files of TensorBoard, a folder per evaluation with one per model."""

    dir: Name = Field("runs", description="the folder that TensorBoard reads, relative to the config file")
    run: Name | None = Field(None, description="the name of the evaluation's folder; if not given, the names of the models")
    required: StrictBool = Field(False, description=_REQUIRED)


class PluginTracking(Model):
    """A tracker that an installed package adds."""

    name: Name = Field(description="the name under which the package registers it")
    options: dict[str, Any] = Field({}, description="settings that are passed to it")
    required: StrictBool = Field(False, description=_REQUIRED)


class Tracking(Model):
    """One tracker: exactly one of the keys."""

    mlflow: MlflowTracking | None = Field(None, description="MLflow; needs the extra mlflow")
    wandb: WandbTracking | None = Field(None, description="Weights & Biases; needs the extra wandb")
    dvc: DvcTracking | None = Field(None, description="files for DVC")
    tensorboard: TensorboardTracking | None = Field(None, description="event files of TensorBoard; needs the extra tensorboard")
    plugin: PluginTracking | None = Field(None, description="a tracker of an installed package")

    @model_validator(mode="after")
    def _one(self) -> Self:
        given = [name for name in type(self).model_fields if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(f"each entry must be exactly one tracker: {', '.join(type(self).model_fields)}")
        return self

    @property
    def chosen(self) -> MlflowTracking | WandbTracking | DvcTracking | TensorboardTracking | PluginTracking:
        """The settings of the tracker."""
        found = self.mlflow or self.wandb or self.dvc or self.tensorboard or self.plugin
        assert found is not None
        return found

    @property
    def name(self) -> str:
        """The name of the tracker."""
        return self.plugin.name if self.plugin is not None else next(name for name in type(self).model_fields if getattr(self, name))


def _entry(value: Any) -> Any:
    """Return `mlflow`, `{mlflow: }` and `{acme: {…}}` (acme: a tracker of a package) as mappings with the keys of `Tracking`."""
    if isinstance(value, str):
        value = {value: {}}
    if not isinstance(value, Mapping) or len(value) != 1:
        return value
    ((name, options),) = value.items()
    options = {} if options is None else options
    if name not in Tracking.model_fields and isinstance(options, Mapping) and plugins.find("trackers", str(name)) is not None:
        rest = {key: option for key, option in options.items() if key != "required"}
        return {"plugin": {"name": name, "options": rest, "required": options.get("required", False)}}
    return {name: options}


def _entries(value: Any) -> Any:
    if isinstance(value, Mapping):
        return [{name: options} for name, options in value.items()]
    return as_list(value)


TrackEntry = Annotated[Tracking, BeforeValidator(_entry, json_schema_input_type=str | Tracking | dict[str, Any])]
Trackings = Annotated[tuple[TrackEntry, ...], BeforeValidator(_entries)]
