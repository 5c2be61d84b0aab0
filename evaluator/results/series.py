"""`History`: the values of models over many runs, each run against the last accepted one; `Leaderboard`: all models of many results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal

from msgspec import Struct, to_builtins

from ..stats.concluding import decimals, plain, users_text, with_sign
from ..stats.difference import Difference, Settings
from .comparison import Comparison
from .row import Row, listed, shortened

FORMAT_VERSION: Final = 1
"""The version of the JSON forms of both."""
Order = Literal["date", "name"]


class Run(Struct, frozen=True):
    """One result: its label, its `run_id`, and the date in its config (`report.date`), if it has one."""

    run: str
    run_id: str
    date: str | None


class Point(Struct, frozen=True):
    """The value of a line in one run with its 95 % interval, and its difference from the run that was accepted last.

    `accepted`: later runs are compared with this one. `paired`: users are paired, `None` without a difference. `loss`: this run is shown
    to be worse than the accepted one.
    """

    run: str
    value: float | None
    low: float | None
    high: float | None
    n_users: int
    accepted: bool = False
    difference: Difference | None = None
    paired: bool | None = None

    @property
    def loss(self) -> bool:
        """True if this run is shown to be worse than the one it was compared with."""
        return self.difference is not None and self.difference.verdict == "worse"

    def cells(self) -> dict[str, Any]:
        """Return the point in its JSON form."""
        plain = {name: getattr(self, name) for name in ("run", "value", "low", "high", "n_users", "accepted", "paired")}
        return {**plain, "loss": self.loss, "difference": None if self.difference is None else self.difference.cells()}


class Line(Struct, frozen=True):
    """One measure of a model in runs that can be compared, in their order: one `series` of it, counted from 1.

    `changes` are sentences on what changed before a series that is not the first.
    """

    model: str
    measure: str
    higher_is_better: bool | None
    series: int
    changes: tuple[str, ...]
    points: tuple[Point, ...]

    @property
    def first_loss(self) -> Point | None:
        """The first run in which a loss is shown."""
        return next((point for point in self.points if point.loss), None)

    @property
    def last_good(self) -> Point | None:
        """The run before the first loss; `None` without a loss."""
        return next((before for before, point in zip(self.points, self.points[1:], strict=False) if point.loss), None)

    @property
    def is_tested(self) -> bool:
        """True if a run of it was tested."""
        return any(point.difference is not None and point.difference.is_tested for point in self.points)

    @property
    def losses(self) -> tuple[str, ...]:
        """The runs in which a loss is shown."""
        return tuple(point.run for point in self.points if point.loss)

    @property
    def latest(self) -> Point:
        """The last run."""
        return self.points[-1]

    @property
    def base(self) -> str:
        """The run that the next one would be compared with."""
        return next(point.run for point in reversed(self.points) if point.accepted)

    def cells(self) -> dict[str, Any]:
        """Return the line in its JSON form."""
        named = {"first_loss": self.first_loss and self.first_loss.run, "last_good": self.last_good and self.last_good.run}
        plain = {name: getattr(self, name) for name in ("model", "measure", "higher_is_better", "series")}
        points = [point.cells() for point in self.points]
        return {**plain, "changes": list(self.changes), "accepted": self.base, **named, "points": points}


class History(Struct, frozen=True):
    """Lines over runs, in the `order` of their dates or names; differences are corrected together, over `family` pairs of runs."""

    runs: tuple[Run, ...]
    order: Order
    lines: tuple[Line, ...]
    settings: Settings
    family: int
    notes: tuple[str, ...] = ()

    @property
    def differences(self) -> tuple[Difference, ...]:
        """All differences, in the order of lines and runs."""
        return tuple(point.difference for line in self.lines for point in line.points if point.difference is not None)

    def changes(self) -> Iterator[str]:
        """Yield a sentence on each new series; the lines are named unless all have it."""
        found: dict[tuple[str, tuple[str, ...]], list[str]] = {}
        for line in self.lines:
            if line.series > 1:
                found.setdefault((line.points[0].run, line.changes), []).append(f"{line.model} {line.measure}")
        n_lines = len({(line.model, line.measure) for line in self.lines})
        for (run, texts), names in found.items():
            of = "" if len(names) == n_lines else f" of {listed(names)}"
            yield f"With {run} a new series{of} begins: {'; '.join(texts)}."

    def conclusions(self) -> Iterator[str]:
        """Yield a sentence on each line in which a loss is shown, or one that there is none."""
        for line in self.lines:
            if line.first_loss is not None and line.first_loss.difference is not None and line.last_good is not None:
                difference = line.first_loss.difference
                share = "" if difference.relative is None else f" That is {with_sign(100 * difference.relative, 1)} %."
                shown = len(line.losses)
                now = "the latest run too" if line.latest.loss else f"not in the latest run, {line.latest.run}"
                again = f" A loss is shown in {shown} run{'s' * (shown > 1)}, {now}." if shown > 1 or not line.latest.loss else ""
                taken = [point.run for point in line.points if point.loss and point.accepted]
                were = "was accepted although it" if len(taken) == 1 else "were accepted although they"
                again += f" {listed(taken)} {were} lost." if taken else ""
                yield f"{line.model}: {difference.sentence}{share} Last good run: {line.last_good.run}.{again}"
        lossy, latest = any(line.losses for line in self.lines), self.latest_lines()
        tested = [line for line in latest if line.is_tested]
        alone = [line for line in latest if line.higher_is_better is not None and len(line.points) == 1 and line.series > 1]
        before = any(line.is_tested for line in self.lines)
        if not lossy and not before and not alone:
            yield "Nothing was tested: no two runs can be compared."
        elif not lossy and tested:
            yield f"No loss is shown.{self._detectable(tested)}"
        for run in dict.fromkeys(line.latest.run for line in alone):
            names = [f"{line.model} {line.measure}" for line in alone if line.latest.run == run]
            of = "" if len(names) == len(latest) else f" in {listed(names)}"
            earlier = "; no loss is shown before" if before and not lossy else ""
            yield f"Nothing to compare yet{of}: {run} is the only run of its series{earlier}."

    def latest_lines(self) -> list[Line]:
        """Return the series of each model and measure that has the latest run."""
        places = {run.run: place for place, run in enumerate(self.runs)}
        latest: dict[tuple[str, str], Line] = {}
        for line in sorted(self.lines, key=lambda line: places[line.latest.run]):
            latest[line.model, line.measure] = line
        return [line for line in self.lines if latest[line.model, line.measure] is line]

    def _detectable(self, lines: Sequence[Line]) -> str:
        """Return a sentence on the loss that the users of the latest runs could show; empty if it is not known."""
        several = len({line.model for line in lines}) > 1
        sizes: dict[int, list[str]] = {}
        for line in lines:
            found = line.latest.difference
            if found is not None and found.detectable is not None:
                name = f"{line.measure} of {line.model}" if several else line.measure
                sizes.setdefault(found.n_users, []).append(f"{plain(found.detectable, _digits(found))} in {name}")
        said = [f"{users_text(n)} can detect {shortened(some)}" for n, some in sizes.items()]
        more = " Fewer measures or models leave more power (--measure, --models)." if len(lines) > 1 else ""
        return f" {'; '.join(said)} with 80 % power.{more}" if said else ""

    def cells(self) -> dict[str, Any]:
        """Return everything as plain values."""
        about = {"order": self.order, "settings": to_builtins(self.settings), "family": self.family}
        lines = [line.cells() for line in self.lines]
        said = {"changes": [*self.changes()], "conclusions": [*self.conclusions()], "notes": list(self.notes)}
        return {"format_version": FORMAT_VERSION, **about, "runs": to_builtins(list(self.runs)), "lines": lines, **said}


def _digits(difference: Difference) -> int | None:
    return None if difference.interval is None else decimals((difference.interval[1] - difference.interval[0]) / 2)


class Leaderboard(Struct, frozen=True):
    """The models of many results, the best first in the first measure: their rows by name and measure, and their comparison with letters.

    `runs` has the result of each name.
    """

    rows: Mapping[str, Mapping[str, Row]]
    runs: Mapping[str, Run]
    comparison: Comparison

    def cells(self) -> dict[str, Any]:
        """Return everything as plain values."""
        comparison = self.comparison
        entries = []
        for rank, (name, rows) in enumerate(self.rows.items(), 1):
            values = {}
            for measure in comparison.measures:
                row, (low, high) = rows[measure], rows[measure].interval or (None, None)
                letters = comparison.letters.get(measure, {}).get(name)
                values[measure] = {"value": row.value, "low": low, "high": high, "n_users": row.n_users, "letters": letters}
            run = self.runs[name]
            model = comparison.own_names.get(name, name)
            entries.append({"rank": rank, "name": name, "model": model, "run": run.run, "run_id": run.run_id, "values": values})
        about = {"measures": list(comparison.measures), "judged": list(comparison.judged), "settings": to_builtins(comparison.settings)}
        return {"format_version": FORMAT_VERSION, **about, "models": entries, "notes": list(comparison.notes)}
