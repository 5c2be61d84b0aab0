"""The section `report` of the config: how results look in reports."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StrictBool, StrictInt

from .sources import Model


class LatexStyle(Model):
    """How tables in LaTeX look."""

    best: Literal["bold", "none"] = Field(
        "bold", description="how the best value of a measure is marked, and those that cannot be told from it where users were compared"
    )
    second: Literal["underline", "none"] = Field("underline", description="how the value after the best one is marked")
    marks: Literal["letters", "dagger", "none"] = Field(
        "none",
        description="letters: models that share one cannot be told apart (all pairs are compared); "
        "dagger: the model can be told from compare.baseline",
    )
    digits: Annotated[StrictInt, Field(ge=0, le=12)] | None = Field(
        None, description="the decimals of values that are no counts; as many as they need, if not given"
    )
    document: StrictBool = Field(
        False, description="whether every .tex file is a document of its own, with definitions, formulas and data; report.tex always is"
    )


class ReportConfig(Model):
    """How results look in reports."""

    latex: LatexStyle = Field(LatexStyle(), description="tables in LaTeX")
