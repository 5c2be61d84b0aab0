"""`EvaluationResult`: a `Result` with access to its values by name, as frames of several libraries, and as a printed table."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeVar, overload

import polars as pl
from msgspec.structs import replace

from ..actions.compare import MarginLike, choose
from ..actions.user import view_of_result
from ..config import Loaded
from ..config.run_sections import ChartName
from ..documents import screens
from ..documents.document import Document
from ..documents.headline import closing_of_result
from ..results.gates import Verdicts
from ..results.result import Result, Row
from ..results.spellings import UNDEFINED, Definitions, labels_named, with_metric_name
from ..support.errors import ArgumentError, ConfigError
from ..support.secrets import conceal
from ..support.synonyms import did_you_mean, path_of, takes, wrong_type
from . import comparisons
from .arguments import names_of
from .charts import DrawnChart
from .diffs import DiffResult, diff
from .display import OF_ROWS, Displayed, number_shown
from .other_frames import ArrowTable, PandasFrame, as_arrow, as_pandas
from .users import UserResult
from .wording import errors_as_arguments

T = TypeVar("T")
UserForm = bool | Literal["long", "wide"]
"""Whether a table has the per-user values, and in which form; `True` is the long form."""


class ByMeasure(dict[str, T]):
    """A dict by measure, in which every spelling of a measure finds it: `HR@10` is `HitRate@10`."""

    def __init__(self, values: Mapping[str, T] | Iterable[tuple[str, T]] = (), definitions: Definitions = UNDEFINED) -> None:
        """Take values by the labels of results; the `definitions` are those of the result."""
        super().__init__(values)
        self._definitions = definitions

    def __missing__(self, measure: str) -> T:
        """Return the value under another name of the measure; raise `KeyError` with the nearest names if there is none."""
        label = self._label(measure)
        if label is None:
            raise _unknown(measure, self)
        return self[label]

    def __contains__(self, measure: object) -> bool:
        """Return whether there is a value of the measure, under any of its names."""
        return super().__contains__(measure) or (isinstance(measure, str) and self._label(measure) is not None)

    def get(self, measure: str, default: Any = None) -> Any:
        """Return the value under any name of the measure; `default` if there is none."""
        label = self._label(measure)
        return default if label is None else self[label]

    def _label(self, measure: str) -> str | None:
        labels = labels_named(measure, tuple(self), self._definitions)
        return labels[0] if len(labels) == 1 else None


class RowsOfModel(ByMeasure[Row]):
    """The rows of a model by measure; with one measure, also the value and the number of users of its row."""

    @property
    def value(self) -> float | None:
        """The value of the only measure; raises `AttributeError` if there are several."""
        return self._only("value").value

    @property
    def n_users(self) -> int:
        """The number of users of the only measure; raises `AttributeError` if there are several."""
        return self._only("n_users").n_users

    def _only(self, name: str) -> Row:
        if len(self) != 1:
            raise AttributeError(
                f"there are {len(self)} measures: choose one, such as result[model, {next(iter(self), 'nDCG@10')!r}].{name}"
            )
        return next(iter(self.values()))


class EvaluationResult(Displayed, Result, frozen=True, eq=False):
    """The result of an evaluation.

    `result["als", "nDCG@10"]` is a row, with `.value` and `.n_users`; `result["als"]` are all rows of a model by measure. `values` is the
    table of values, `ledger` who counts for them, `per_user["als"]` the per-user values, `findings` those of the health checks. A notebook
    shows it as a table. `loaded` is its config, with the tables that were evaluated; a result that was read from a folder has none.
    """

    loaded: Loaded | None = None

    @classmethod
    def of(cls, result: Result, loaded: Loaded | None = None) -> EvaluationResult:
        """Convert a `Result`; `loaded` is the config that it was computed from."""
        return cls.of_record(result, loaded=loaded)

    @overload
    def __getitem__(self, place: tuple[str, str]) -> Row: ...
    @overload
    def __getitem__(self, place: str) -> RowsOfModel: ...
    def __getitem__(self, place: str | tuple[str, str]) -> Row | RowsOfModel:
        """Return the row of a model and a measure; for a model, its rows by measure; for a measure of the only model, its row.

        Raises `KeyError` with the nearest names if there is none.
        """
        if not all(isinstance(name, str) for name in (place if isinstance(place, tuple) and len(place) == 2 else (place,))):
            raise wrong_type("the index of a result", "a model, a measure, or both: result['als', 'nDCG@10']", place)
        if isinstance(place, tuple):
            model, measure = place
            return self._row(model, measure)
        own = [model for model in self.models if model not in self.yardsticks]
        if place not in self.models and len(own) == 1:
            return self._row(own[0], place)
        return RowsOfModel(self._rows(place), self.definitions)

    def __iter__(self) -> Iterator[Row]:
        """Yield the rows: a value of each model and measure, of groups, folds and runs too."""
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __contains__(self, place: object) -> bool:
        """Return whether `result[place]` is there: a model, a measure, or both."""
        if isinstance(place, Row):
            return place in self.rows
        match place:
            case str() | (str(), str()):
                with suppress(KeyError):
                    self[place]  # type: ignore[call-overload]  # mypy takes the pair for a sequence
                    return True
        return False

    @property
    def values(self) -> pl.DataFrame:
        """The table of values: a row per model, measure and aggregate, including groups, folds and runs, as in `results.parquet`."""
        from ..render.result_data import values_table  # only here: not every caller needs the table

        return values_table(self)

    @property
    def ledger(self) -> pl.DataFrame:
        """Who was counted, filled in and left out, by model and measure, as in `ledger.csv`; empty if every user simply counts."""
        from ..render.result_data import ledger_table

        return ledger_table(self)

    def to_polars(self, *, per_user: UserForm = False) -> pl.DataFrame:
        """Return the table of values as a Polars DataFrame, or the per-user values of all models.

        `per_user="wide"` has a row for each model and user, and a column for each measure; `per_user="long"` (or `True`) a row for each
        model, measure and user, with the columns `model`, `user`, `n_relevant`, `n_recommended`, `measure` and `value`, and where there are
        some `fold`, `run`, the groups of users, `numerator` and `denominator`. Raises `ConfigError` if the result has no per-user values.
        """
        return self._table(per_user)

    def to_pandas(self, *, per_user: UserForm = False) -> PandasFrame:
        """Return what `to_polars` does as a pandas DataFrame; raise `MissingExtraError` if pandas is not installed."""
        return as_pandas(self._table(per_user))

    def to_arrow(self, *, per_user: UserForm = False) -> ArrowTable:
        """Return what `to_polars` does as a pyarrow Table; raise `MissingExtraError` if pyarrow is not installed."""
        return as_arrow(self._table(per_user))

    def to_spark(self, session: Any, *, per_user: UserForm = False) -> Any:
        """Return what `to_polars` does as a DataFrame of this session of Spark.

        The long rows of per-user values are those of `receval.evaluate(…, per_user_table=NAME)`: only users with a value, without groups,
        numerators and denominators.
        """
        from ..engines.spark.source_frames import to_spark
        from ..render.result_data import with_values

        table = self._table(per_user)
        return to_spark(session, with_values(table) if per_user in (True, "long") else table)

    def _table(self, per_user: UserForm) -> pl.DataFrame:
        from ..render.result_data import user_rows, user_values

        if per_user not in (False, True, "long", "wide"):
            raise ArgumentError(f'per_user must be "wide", "long" or False, not {str(per_user)[:80]!r}')
        if per_user and not self.per_user:
            hint = "use keep_users=True; values that were written into a table are there: session.table(NAME)"
            raise ConfigError("this result has no per-user values", hint)
        return self.values if not per_user else user_values(self) if per_user == "wide" else user_rows(self)

    def to_latex(self, *, names: Mapping[str, str] | None = None) -> str:
        """Return the table of values in LaTeX, as `receval run --format latex`; `names` as in `report`."""
        return self._as_text("latex", names)

    def to_markdown(self, *, names: Mapping[str, str] | None = None) -> str:
        """Return the table of values in Markdown, as `receval run --format md`; `names` as in `report`."""
        return self._as_text("md", names)

    def _as_text(self, form: str, names: Mapping[str, str] | None) -> str:
        from .pages import as_text, with_names

        return as_text(form, with_names(self, names))

    def signature(self, measure: str, model: str | None = None) -> str:
        """Return the signature of a measure: a line with every setting that its value depends on, the version, users and test set.

        Users are counted over all models, or over one `model`. `receval.load_config(CONFIG, signatures=[LINE])` computes the measure
        again. Raises `KeyError` with the nearest names if there is no such measure or model.
        """
        from ..results.signature import signature_lines

        if model is not None:
            self._row(model, measure)
        lines = ByMeasure[str](conceal(signature_lines(self, () if model is None else (model,)), self.variables or {}), self.definitions)
        return lines[measure]

    def to_dict(self) -> dict[str, dict[str, float | None]]:
        """Return model → measure → value."""
        return {model: {label: row.value for label, row in rows.items()} for model, rows in self.by_model().items()}

    compare = comparisons.compare
    gate = comparisons.gate
    plan_gate = comparisons.plan_gate
    slices = comparisons.slices

    def diff(self, base: str, model: str, **options: Any) -> DiffResult:
        """Compare the lists of two of the models user by user; `options` are those of `receval.diff`.

        Raises `ConfigError` for a result that was read from a folder: `receval.diff` takes folders with stored lists.
        """
        if self.loaded is None:
            raise ConfigError("this result has no lists: it was read from a folder", "call receval.diff with the config or the folders")
        return diff(base, model, self.loaded, **options)

    @takes()
    def user(self, user: Any, *, models: str | Sequence[str] = (), show: int = 5) -> UserResult:
        """Return everything about one user: history, test rows, lists, values beside the means, policies and findings.

        `user` is an id, or a tuple if several columns name a user; `models` restricts the models. Texts show `show` train and test rows.
        The files are read again for the rows of this user; a result that was read from a folder only has values. Raises `DataError`
        if no file has the user.
        """
        with errors_as_arguments():
            found = view_of_result(self, self.loaded, user, names_of(models), n_shown=number_shown(show, OF_ROWS))
        return UserResult.of_record(found)

    @takes()
    def report(
        self,
        path: str | os.PathLike[str],
        *,
        title: str | None = None,
        baseline: Result | str | os.PathLike[str] | None = None,
        models: str | Sequence[str] = (),
        measures: str | Sequence[str] = (),
        margin: MarginLike | None = None,
        losers: int = 0,
        gates: Verdicts | None = None,
        interactive: bool = False,
        names: Mapping[str, str] | None = None,
    ) -> None:
        """Write the report in the form of the ending: .html, .md, .tex, .xml (JUnit), .svg (a badge).

        The models are compared with `baseline`: one of them (see `receval.compare`), another result, or its folder. `gates` are the
        verdicts of `gate`. The report contains user ids only if `losers` is above 0. `margin`, `models` and `measures`: see
        `receval.compare`. `names` are other names of models, metrics and measures, as `report.names` of a config.
        """
        from .pages import result_content, with_names, write

        arguments = {"baseline": baseline, "measures": measures, "margins": margin, "losers": losers}
        own = self._chosen(models, baseline)
        judged = with_names(own if gates is None else replace(own, gates=gates.gates), names)
        write(path, judged, [judged], partial(result_content, judged, arguments, title=title), interactive=interactive)

    @takes()
    def card(self, path: str | os.PathLike[str], *, statements: Mapping[str, Any] | None = None, models: str | Sequence[str] = ()) -> None:
        """Write the card in the form of the ending, as `receval card`: .md, .tex, .html, .json; `models` chooses some models.

        `statements` are fields that only the author knows, as in the section `card` of a config: `{"seeds": "1 to 5", "hardware": …}`;
        others are those of the config, or not stated. Raises `ConfigError` for an unknown field.
        """
        from .pages import write_card

        write_card(path, self._chosen(models, None), statements or {})

    @takes()
    def chart(
        self,
        kind: ChartName = "differences",
        of: str | Sequence[str] = (),
        *,
        baseline: Result | str | os.PathLike[str] | None = None,
        models: str | Sequence[str] = (),
        margin: MarginLike | None = None,
    ) -> DrawnChart:
        """Draw `differences`, values `over_k`, `precision_recall`, `gamma_curve`, the `distribution` over users, `trade_off`, or `groups`.

        `of` names metrics for `over_k` and `precision_recall`, two measures for `trade_off`, else measures; `models` chooses some models. A
        notebook shows the picture; `.svg` and `.spec` (Vega-Lite) return it, `.save("chart.png")` writes it. Raises `ConfigError` if there
        is nothing to show; the picture raises `MissingExtraError` if the extra `report` is not installed.
        """
        from .pages import draw, result_content

        arguments = {"baseline": baseline, "measures": of if kind == "differences" else (), "margins": margin, "losers": 0}
        return draw(kind, of, partial(result_content, self._chosen(models, baseline), arguments))

    @takes()
    def save(self, folder: str | os.PathLike[str], *, per_user: Literal["long", "wide"] | None = None) -> None:
        """Write the folder that `receval run -o FOLDER/` writes, which `receval.load_results` and `receval compare` read.

        `per_user` is the form of the per-user values, by default that of the config.

        Raises `ConfigError` if the name ends like a file of results, such as .tex or .csv.
        """
        from ..storage.result_folder import save
        from ..support.outputs import endings
        from .charts import read_by

        is_marked = path_of("folder", folder).endswith("/")
        if not is_marked and Path(folder).suffix.lower() in endings("result", "latex", "report"):
            raise ConfigError(
                f"save writes a folder, but {os.fspath(folder)} ends like a file",
                "result.report writes .html, .md and .tex, and result.to_polars() has a writer for tables; for a folder end the name in /",
            )
        if per_user not in (None, "long", "wide"):
            raise ArgumentError(f'per_user must be "wide" or "long", not {str(per_user)[:80]!r}')
        storage = {} if self.loaded is None else self.loaded.config.output.storage
        save(self, Path(folder).expanduser(), read_by([self]), long=None if per_user is None else per_user == "long", storage=storage)

    def _document(self) -> Document:
        return self._concealed(screens.screen(self, command="receval run -v", closing=closing_of_result(self)))

    def _in_notebook(self) -> Document:
        return self._concealed(screens.notebook(self))

    def _concealed(self, shown: Document) -> Document:
        return conceal(shown, self.variables or {}, keys=True)  # type: ignore[no-any-return]

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """Return both forms of the table; the notebook chooses."""
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    def _chosen(self, models: str | Sequence[str], baseline: Any) -> EvaluationResult:
        """Return the result of some models, and of those that they are compared with."""
        with errors_as_arguments():
            return choose({"result": self}, models, baseline if isinstance(baseline, str) else None)["result"]

    def _rows(self, model: str) -> Mapping[str, Row]:
        rows = self.by_model()
        if model not in rows:
            name, _, run = model.rpartition(" (run ")
            of_run = {row.label: row for row in self.repeated if row.model == name and f"{row.run})" == run and row.fold is None}
            if of_run:
                return of_run
            raise KeyError(f"there is no model named {model!r}{_close(model, rows)}")
        return rows[model]

    def _row(self, model: str, measure: str) -> Row:
        rows = self._rows(model)
        metric = with_metric_name(measure).lower()
        labels = labels_named(measure, tuple(rows), self.definitions) or [
            row.label for row in rows.values() if row.metric.lower() == metric
        ]
        if len(labels) == 1:
            return rows[labels[0]]
        if labels:
            raise KeyError(f"{measure} has several values: choose one of {', '.join(labels)}")
        raise _unknown(measure, rows)


def _unknown(measure: str, known: Mapping[str, Any]) -> KeyError:
    return KeyError(f"there is no value of {measure!r}{_close(measure, known)}")


def _close(name: str, known: Mapping[str, Any]) -> str:
    return did_you_mean(name, known, f"; there are {', '.join(known)}", before=": ")
