"""Results → how their models differ, as the command line and Python ask for it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ..comparison.comparing import compare as differences_of
from ..comparison.questions import Questions
from ..config.judgement import DEFAULT, Compare
from ..disk.stage import Stage, destination
from ..errors import ArgumentError
from ..names.short_names import Margin
from ..outputs import OutputForm, in_folder
from ..render.forms import is_spreadsheet_safe, rendered
from ..results.comparison import Comparison
from ..results.result import Result
from .gather import Gathered, Read, Tell, gather, with_baseline_folder
from .targets import PathLike, Targets, targets_of

MarginLike = float | str | Mapping[str, float | str]
_FLAGS = ("all_pairs", "unpaired", "losers")


class Compared(Struct, frozen=True, eq=False):
    """A comparison, the results and the questions that it is of, the first input, and the one in which a user can be looked at."""

    comparison: Comparison
    results: Mapping[str, Result]
    questions: Questions
    source: str = ""
    look_at: str = "CONFIG"

    @property
    def options(self) -> dict[str, Any]:
        """What the forms of a comparison take."""
        safe = any(map(is_spreadsheet_safe, self.results.values()))
        return {"look_at": self.look_at, "spreadsheet_safe": safe, "compared": self}


def compare(gathered: Gathered, questions: Questions) -> Compared:
    """Compare the models of results, and of the folder that the baseline names; see `comparing.compare` for what is refused."""
    results, questions = with_baseline_folder(gathered, questions)
    return Compared(differences_of(results, questions), results, questions)


def compare_inputs(
    inputs: Sequence[str], asked: Mapping[str, Any], *, read: Read, tell: Tell, outputs: Sequence[PathLike] = ()
) -> Compared:
    """Compare the results of folders and of a config, and write the comparison; `asked` has the options by the names of `Questions`.

    Groups and clusters that are asked for are known to `read`, since a config has to be evaluated with them.
    """
    targets = targets_of(outputs, "comparison", folders=True)
    with Stage(targets.places) as stage:
        gathered = gather(inputs, read, tell)
        questions = changed_by(Questions.of(gathered.config.config.compare if gathered.config is not None else Compare()), asked)
        look_at = next((text for text in inputs if not os.path.isdir(Path(text.partition("=")[2] or text))), "CONFIG")
        compared = replace(compare(gathered, questions), source=inputs[0], look_at=look_at)
        stage.commit(_files(compared, targets))
    return compared


def changed_by(questions: Questions, asked: Mapping[str, Any]) -> Questions:
    """The questions of a config, where the options of a call do not say otherwise; `ArgumentError` for a margin that cannot be read."""
    given: dict[str, Any] = {name: asked[name] for name in ("baseline", "measures", "cluster") if asked.get(name)}
    settings = {name: asked[name] for name in ("test", "correction", "alpha") if asked.get(name) is not None}
    margins = margins_of(asked.get("margins"))
    given |= {"margins": margins} if margins else {}
    given |= {"by": tuple(text.partition(":")[0] for text in asked["by"])} if asked.get("by") else {}
    given |= {"common": asked["users"] == "common"} if asked.get("users") else {}
    given |= {name: asked[name] for name in _FLAGS if name in asked}
    return replace(questions, **given, settings=replace(questions.settings, **settings))


def margins_of(margin: MarginLike | Sequence[str] | None) -> dict[str, Margin]:
    """Margins by measure, given as one, by measure, or as texts such as `nDCG@10=1%`; `ArgumentError` for one that cannot be read."""
    if margin is None:
        return {}
    if isinstance(margin, tuple | list):
        given: Mapping[str, object] = {measure or DEFAULT: size for measure, _, size in (text.rpartition("=") for text in margin)}
    else:
        given = margin if isinstance(margin, Mapping) else {DEFAULT: margin}
    try:
        return {measure: Margin.read(size) for measure, size in given.items()}
    except ValueError as error:
        raise ArgumentError(f"margin: {error}", option=f"--margin: {error}") from None


def overrides_of(by: Sequence[str], cluster: str | None) -> list[str]:
    """Overrides of a config for groups and clusters, which have to be known when it is evaluated."""
    named = ((text, *text.partition(":")) for text in by)
    groups = ", ".join(f"{{{name}: [{borders}]}}" if colon else text for text, name, colon, borders in named)
    return [*([f"compare.by=[{groups}]"] if by else []), *([f"compare.cluster={cluster}"] if cluster else [])]


def _files(compared: Compared, targets: Targets) -> dict[Path, bytes | Path]:
    """The bytes of each file; folders have every form that has a name there, and the users who lose most."""

    def made(row: OutputForm) -> bytes:
        return rendered(row, compared.comparison, **compared.options)

    files: dict[Path, bytes | Path] = {destination(path): made(row) for path, row in targets.files.items()}
    rows = in_folder("comparison", *(("losers",) if compared.comparison.losers else ()))
    for folder in targets.folders:
        files |= {folder / name: made(row) for name, row in rows.items()}
    return files
