"""Who may count, and who does: the table `users` and the condition of each measure on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import narwhals as nw

from .. import match
from ..frames import Frame
from ..metrics import Definition
from .lists import Reading
from .plan import Plan
from .sides import Sides

Conditions = tuple[tuple[str, ...], ...]
"""Of each group of columns of `users` one must be above 0."""


def base(tested: Frame | None, truths: Mapping[str, match.TruthTables], readings: Sequence[Reading], sides: Sides, plan: Plan) -> Frame:
    """The users who may count, with their numbers of relevant and of listed items under every choice.

    They are those with a relevant item; all of the test file (`tested`) where users without one may count; and those with a list
    only, of train only, or of the reference model only, where they may: columns `tested`, `untested`, `in_train`, `in_baseline`.
    """
    frame = tested
    if frame is not None and plan.needs_untested:
        sources = {"listed": nw.concat([reading.found.lengths.select("user") for reading in readings]).unique("user")}
        if "train" in plan.populations and sides.train is not None:
            sources["in_train"] = sides.train.select("user").unique("user")
        if "baseline" in plan.populations and sides.baseline is not None:
            sources["in_baseline"] = sides.baseline.select("user").unique("user")
        others = nw.concat(list(sources.values())).unique("user").join(frame, on="user", how="anti")
        frame = nw.concat([frame.with_columns(tested=nw.lit(1)), others.with_columns(tested=nw.lit(0))])
        frame = frame.with_columns(untested=1 - nw.col("tested"))
        for name in sources.keys() - {"listed"}:
            frame = frame.join(sources[name].with_columns(nw.lit(1).alias(name)), on="user", how="left")
            frame = frame.with_columns(nw.col(name).fill_null(0))
    for name, truth in truths.items():
        renamed = truth.users.rename({"n_relevant": f"n_relevant_{name}", "twin": f"twin_{name}"})
        if frame is None:
            frame = renamed
        else:
            frame = frame.join(renamed, on="user", how="left").with_columns(nw.col(f"n_relevant_{name}").fill_null(0))
    assert frame is not None
    for place, reading in enumerate(readings):
        lengths = reading.found.lengths.rename({"n_recommended": f"n_recommended_{place}"})
        frame = frame.join(lengths, on="user", how="left").with_columns(nw.col(f"n_recommended_{place}").fill_null(0))
    return frame


def conditions(definition: Definition, n_relevant: str, n_recommended: str, *, all_tested: bool, untested: bool) -> Conditions:
    """Who counts for a definition, given its columns of `users`.

    `all_tested`: the table holds users without a relevant item; `untested`: and users whom the test file does not hold.
    """
    counted, population = definition.counted, definition.population
    if population == "tested":
        return (("tested",),) if untested else ()
    if population != "test":
        above: list[tuple[str, ...]] = [{"train": ("in_train",), "baseline": ("in_baseline",)}.get(population, (n_recommended,))]
        return (*above, ("tested",)) if population == "tested_lists" else tuple(above)
    above = []
    if counted.no_relevant == "drop" and all_tested:
        above.append((n_relevant, "untested") if counted.no_truth == "zero" else (n_relevant,))
    if untested and counted.no_truth == "zero":  # of the users whom the test file does not hold only those whose list is not empty
        above.append(("tested", n_recommended))
    elif untested:
        above.append(("tested",))
    if counted.missing_lists == "drop":
        above.append((n_recommended,))
    return tuple(above)


def all_of(groups: Conditions) -> nw.Expr:
    """Whether a user counts."""
    found = [nw.any_horizontal(*(nw.col(name) > 0 for name in names), ignore_nulls=False) for names in groups]
    return nw.all_horizontal(*found, ignore_nulls=False)
