"""The section `report` of the config: what reports show and how they look, and the files that a run writes."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, Literal, get_args

from pydantic import BeforeValidator, Field, StrictBool, StrictInt, WithJsonSchema

from ..outputs import endings, of_file
from .sources import Model

ChartName = Literal["differences", "over_k", "distribution", "trade_off"]
_NAMES: Final = get_args(ChartName)
_MEASURES: Final[dict[str, Any]] = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}
_CHART: Final[dict[str, Any]] = {
    "anyOf": [
        {"enum": list(_NAMES)},
        {"type": "object", "additionalProperties": False, "properties": dict.fromkeys(_NAMES, _MEASURES), "minProperties": 1},
    ]
}


def _listed(value: Any) -> Sequence[Any]:
    """A list as it is, anything else as a list of one: what reads its entries says what is wrong with them."""
    return value if isinstance(value, list | tuple) else [value]


def _charts(value: Any) -> Any:
    """Charts by name, each with its measures; `[differences, {trade_off: [nDCG@10, EPC@10]}]`."""
    charts: dict[str, tuple[str, ...]] = {}
    for entry in _listed(value):
        for name, measures in entry.items() if isinstance(entry, Mapping) else ((entry, ()),):
            if name not in _NAMES:
                raise ValueError(f"charts are {', '.join(_NAMES)}, not {str(name)[:80]!r}")
            chosen = () if measures is None else tuple(_listed(measures))
            if not all(isinstance(measure, str) for measure in chosen):
                raise ValueError(f"the chart {name} is of measures, given by their names")
            if name == "trade_off" and len(chosen) not in (0, 2):
                raise ValueError(f"trade_off is of two measures, not of {len(chosen)}")
            charts[name] = chosen
    return charts


def _files(value: Any) -> Any:
    """Names of files whose endings say a form."""
    files = _listed(value)
    wrong = [name for name in files if not isinstance(name, str) or of_file(name, "report", "latex") is None]
    if wrong:
        raise ValueError(f"a report ends in {', '.join(endings('report', 'latex'))}, not {str(wrong[0])[:80]!r}")
    return files


class LatexStyle(Model):
    """How tables in LaTeX look."""

    best: Literal["bold", "none"] = Field(
        "bold", description="how the best value of a measure is marked, and those not clearly different from it"
    )
    second: Literal["underline", "none"] = Field("underline", description="how the value after the best one is marked")
    marks: Literal["letters", "dagger", "none"] = Field(
        "none",
        description="letters: models that share one are not clearly different (all pairs are compared); "
        "dagger: the model is better or worse than compare.baseline",
    )
    digits: Annotated[StrictInt, Field(ge=0, le=12)] | None = Field(
        None, description="the decimals of values that are no counts; as many as they need, if not given"
    )
    document: StrictBool = Field(
        False, description="whether every .tex file is a document of its own, with definitions, formulas and data; report.tex always is"
    )


class ReportConfig(Model):
    """What reports show, and which ones a run writes."""

    title: Annotated[str, Field(min_length=1)] | None = Field(
        None, description="the title of a report; the names of the models if not given"
    )
    charts: Annotated[
        dict[ChartName, tuple[str, ...]],
        BeforeValidator(_charts),
        WithJsonSchema({"type": "array", "items": _CHART}),
        Field(validate_default=False),
    ] = Field({}, description="the charts of a report, with the measures they are of; all of them if not given")
    files: Annotated[tuple[str, ...], BeforeValidator(_files)] = Field(
        (),
        description="the reports that receval run writes, relative to the config file, by their endings: .html, .md, "
        ".tex, .xml (JUnit), .svg (a badge)",
    )

    latex: LatexStyle = Field(LatexStyle.model_construct(), description="tables in LaTeX")

    @property
    def chosen(self) -> dict[str, tuple[str, ...]]:
        """The charts that are wanted, with their measures; empty where the config names none."""
        return {name: measures for name, measures in self.charts.items()}  # noqa: C416
