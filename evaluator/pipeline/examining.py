"""What was read → what is odd about it: the health checks of the files, and of each model, in the order of the checks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import narwhals as nw

from .. import health, load
from ..checks import CHECKS, NEEDS, SEVERITIES
from ..config import Config
from ..conventions import AXES
from ..engine import Engine
from ..errors import DataError
from ..frames import Frame
from ..inputs import Inputs
from ..ledger import Ledger
from ..metrics import Definition
from ..result import Row
from .lists import Listing
from .model import ModelTables
from .plan import Plan
from .sides import Sides
from .truths import Truths
from .tying import Ties

REFUSED: Final = {
    "duplicates": "R01",
    "truth_duplicates": "T01",
    "seen_items": "X05",
    "unknown_items": "R07",
    "missing_lists": "X01",
    "no_relevant": "T02",
    "no_truth": "X02",
    "tie_order": "R04",
}
"""The check whose finding an `error` of the policy refuses."""
_TIMED: Final = ("X07", "X08", "X09")


class Examination:
    """The findings of one run. With `tolerant` nothing is refused: what the policy calls an error is an error-level finding."""

    def __init__(self, config: Config, engine: Engine, tolerant: bool = False) -> None:
        refused = frozenset(REFUSED[name] for name in config.evaluation.policy.refused)
        self.x = health.Examiner(engine, config.health.settings, refused)
        self.refused_by = {REFUSED[name]: f"evaluation.policy.{name}" for name in config.evaluation.policy.refused}
        self.cutoffs = [k for k in dict.fromkeys(one.k for one in config.evaluation.computed if one.metric.cut) if k is not None]
        self.tolerant = tolerant
        self.symptoms: list[health.Symptom] = []
        self.there: dict[str, bool] = {"cutoffs": bool(self.cutoffs)}
        """Which of `NEEDS` the files have, as far as they were read."""

    @staticmethod
    def wanted(config: Config) -> bool:
        """Whether any check is made."""
        on = any(setting.severity != "off" for setting in config.health.settings.values())
        return on or bool(config.evaluation.policy.refused)

    @staticmethod
    def reads_known(config: Config) -> bool:
        """Whether a check looks at train or at the catalogue, which are then read for it."""
        made = {name for name, setting in config.health.settings.items() if setting.severity != "off"}
        made |= {REFUSED[name] for name in config.evaluation.policy.refused}
        return any({"train", "catalogue", "times"} & set(CHECKS[name].needs) for name in made)

    @property
    def asks_for_times(self) -> bool:
        """Whether a check looks at timestamps."""
        return self.x.asks(*_TIMED)

    def note(self, found: Iterable[health.Symptom]) -> None:
        """Keep findings; `DataError` for one that the policy refuses."""
        for symptom in found:
            self.symptoms.append(symptom)
            finding = symptom.finding
            if symptom.refused and not self.tolerant:
                about, key = f"{finding.model}: " if finding.model else "", self.refused_by[finding.check]
                values = ", ".join(AXES[key.rpartition(".")[2]].values)
                raise DataError(f"{about}{finding.sentence} {key} says error.", f"mend the file, or say what is done instead: {values}")

    def faulty(self, source: load.Source, places: Sequence[str], n_faulty: int, n_rows: int) -> None:
        """Note rows that were passed over because they lack a value or hold a number that is not finite, the first `places` in words."""
        model = source.role.removeprefix("data.recommendations.")
        said = health.shared(n_faulty, n_rows, f"rows of {source.role}")
        sentence = f"{said} lack a value or hold a number that is not finite, and are left out; the first: {places[0]}."
        about = model if model != source.role else ""
        rows = self.x.engine.scan(source.faulty_rows().scan)
        self.note(self.x.symptom("R02", sentence, n_faulty, n_rows, model=about, examples=places, rows=lambda: rows))

    def files(self, inputs: Inputs, truths: Truths, sides: Sides, definitions: Iterable[Definition], both: Frame | None) -> None:
        """The checks of the test file, and of train and the catalogue as they meet it; `both` are test rows whose pair train holds."""
        first, *_ = definitions = list(definitions)
        rows = truths.rows
        assert rows is not None, "the rows of the test file are kept where they are examined"
        graded = any(truths.graded[one.truth] for one in definitions)
        table = truths.of(first.truth)
        self.there |= {"train": sides.known.seen is not None, "catalogue": sides.known.anywhere is not None}
        self.there |= {"times": sides.times is not None, "gains": graded and "rating" in inputs.test.columns}
        n_items = self.x.size(table.relevant) if "row" not in first.truth.duplicates else -1
        self.note(health.truth(self.x, rows, truths.n_test, table.users.select("user"), n_items, graded))
        train = sides.known.seen
        if inputs.train is not None and train is not None and both is not None:
            self.note(health.trained(self.x, rows, both, sides.times))
            users, items = train.select("user").unique("user"), train.select("item").unique("item")
            self.note(health.cold(self.x, rows, users, items))
            for column, known in (("user", users), ("item", items)):
                test, other = _ids(inputs.test, rows, column), _ids(inputs.train, known, column)
                self.note(health.ids(self.x, column, test, other, known))
        if inputs.train is not None and sides.times is not None:
            read = (
                (inputs.test, rows.drop_nulls("timestamp"), self.x.size(rows)),
                (inputs.train, sides.times, sides.numbers["train_rows"]),
            )
            sides.remarks += [said for source, timed, n_rows in read if (said := _untimed(source, self.x.size(timed), int(n_rows)))]
        if inputs.items is not None and sides.known.items is not None:
            known = rows.select("item").unique("item")
            if sides.known.trained is not None:
                known = nw.concat([known, sides.known.trained]).unique("item")
            catalogue = _ids(inputs.items, sides.known.items, "item")
            self.note(health.ids(self.x, "item", catalogue, _ids(inputs.test, rows, "item"), known))

    def model(
        self,
        name: str,
        source: load.Source,
        test: load.Source,
        listing: Listing,
        model: ModelTables,
        rows: Frame,
        n_rows: int,
        found: Iterable[Iterable[Row]],
    ) -> None:
        """The checks of the lists of one model, given its `rows` as they are read again, and what was `found` of each measure."""
        first = next(row for of_one in found for row in of_one)
        for need, column in (("scores", "score"), ("ranks", "position")):
            self.there[need] = self.there.get(need, False) or column in source.columns
        truths, sides = model.truths, model.sides
        of = health.Lists(
            model=name,
            role=source.role,
            n_rows=n_rows,
            lengths=listing.lengths,
            profile=listing.examined["profile"],
            items=listing.examined["items"],
            rows=lambda: rows,
            columns=source.columns,
            seen=listing.examined.get("seen"),
            rising=listing.examined.get("rising"),
        )
        definition = model.plan.definitions[0]
        _, truth, _ = model.found_under(definition)
        hits = listing.examined["tested"].select("user", "item", "rank").join(truth.relevant, on=["user", "item"], how="semi")
        inside = self._inside(truth.relevant, hits, of) if self.x.asks("R10") else (0, 0)
        catalogue = sides.known.anywhere
        self.note(health.lists(self.x, of, self.cutoffs, catalogue, inside))
        assert first.ledger is not None
        assert truths.rows is not None
        self.note(health.users(self.x, of, done_without_list(first.ledger, definition), truth.users, truths.everyone))
        self._ids_of(source, test, of, truths, sides)
        self.note(health.seen(self.x, of, hits))
        if sides.times is not None:
            self.note(health.future(self.x, of, truths.rows, sides.times))
        if sides.popularity is not None:
            self.note(health.popular(self.x, of, hits, sides.popularity))
        if sides.catalogue is not None:
            self.note(health.coverage(self.x, of, sides.catalogue))

    def ties(self, name: str, listing: Listing, model: ModelTables, per_user: nw.DataFrame[Any], rows: Sequence[Sequence[Row]]) -> None:
        """The check of tied scores, with what they do to the values."""
        profile = listing.examined["profile"]
        if "n_scores" not in profile.collect_schema().names() or not self.x.asks("R04"):
            return
        n, n_items, n_scores = (nw.col(name) for name in ("n", "n_items", "n_scores"))
        (some,) = model.engine.settle([profile.filter((n_scores < n) & (n_items == n)).select("user")])
        (repeating,) = model.engine.settle([profile.filter((n_scores < n_items) & (n_items < n)).select("user")])
        n_repeating = self.x.size(repeating)
        ties = Ties.of(model, listing.with_scores(some)) if self.x.size(some) else None
        if ties is None and not n_repeating:
            return
        whole = any(one.tied and one.k is None for one in model.plan.definitions) or not self.cutoffs
        deepest = None if whole else max(self.cutoffs)
        users, n_across = ties.users(self.cutoffs, deepest) if ties else (some, 0)
        bounds = {label: one._asdict() for label, one in ties.bounds(per_user, rows).items()} if ties else {}
        users = nw.concat([users, repeating])
        ranked = "n_ranks" in profile.collect_schema().names() and model.plan.definitions[0].lists.order == "rank"
        note = f"; {n_repeating:,} of them repeat an item, and bounds do not look at them" if n_repeating else ""
        note += "; their ranks put them in an order" if ranked else ""
        found = health.tied(self.x, name, users, self.x.size(listing.lengths), n_across, deepest, bounds, note, ordered=ranked)
        self.note(found)

    def values(self, name: str, plan: Plan, per_user: nw.DataFrame[Any], rows: Sequence[Sequence[Row]]) -> None:
        """The checks of the values of one model."""
        measured = [
            health.Measured(row, definition.metric.bounds, "" if definition.metric.system else f"v{index}")
            for index, (definition, of_one) in enumerate(zip(plan.definitions, rows, strict=True))
            for row in of_one[:1]
        ]
        self.note(health.values(self.x, name, per_user, measured))

    def measured(self, name: str, rows: Sequence[Sequence[Row]], baseline: Mapping[str, float], best: Mapping[str, float]) -> None:
        """The checks of the values of one model beside popularity and the best possible lists."""
        first = [row for of_one in rows for row in of_one if row.aggregate == "mean"]
        self.note(health.measured(self.x, name, first, baseline, best))

    def _inside(self, relevant: Frame, hits: Frame, of: health.Lists) -> tuple[int, int]:
        """Of the relevant items of users with a list, those that are in it, and all."""
        return self.x.size(hits.select("user", "item").unique(["user", "item"])), self.x.size(
            relevant.join(of.lengths, on="user", how="semi")
        )

    def _ids_of(self, source: load.Source, test: load.Source, of: health.Lists, truths: Truths, sides: Sides) -> None:
        assert truths.rows is not None
        train = sides.known.seen
        for column, own in (("user", of.lengths), ("item", of.items)):
            tested = truths.rows.select(column).unique(column)
            known = [tested] if train is None else [tested, train.select(column).unique(column)]
            known += [sides.known.items] if column == "item" and sides.known.items is not None else []
            everywhere = nw.concat(known).unique(column) if len(known) > 1 else tested
            own_ids, others = _ids(source, own.select(column), column), _ids(test, tested, column)
            self.note(health.ids(self.x, column, own_ids, others, everywhere, model=of.model, must_meet=True))

    def findings(self) -> list[health.Symptom]:
        """Every finding, the worst first, in the order of the checks; what all models share stands once."""
        order = {name: place for place, name in enumerate(CHECKS)}
        unique = {(one.finding.check, one.finding.model, one.finding.sentence): one for one in self.symptoms}
        return sorted(unique.values(), key=lambda one: (SEVERITIES.index(one.finding.severity), order[one.finding.check]))

    def unmade(self) -> dict[str, str]:
        """The checks that were not made, and why: they are `off`, or there is `no` thing that they need in any file."""
        found: dict[str, str] = {}
        for check in CHECKS.values():
            lacking = [NEEDS[need] for need in check.needs if not self.there.get(need)]
            if lacking or not self.x.asks(check.id):
                found[check.id] = f"no {lacking[0]}" if self.x.asks(check.id) else "off"
        return found


def _untimed(source: load.Source, n_timed: int, n_rows: int) -> str:
    """What to say of rows without a time, which the checks of time pass over; nothing if there are none."""
    if n_timed == n_rows:
        return ""
    said = health.shared(n_rows - n_timed, n_rows, "rows")
    return f"{source.role}: {said} have no time in {source.scan.names['timestamp']!r} that can be read; X07, X08 and X09 pass over them."


def done_without_list(ledger: Ledger, definition: Definition) -> str:
    """What a measure does with users who have relevant items and no list."""
    if not ledger.filled_without_list:
        return "are left out"
    return "have no defined value" if definition.counted.missing_lists == "undefined" else "count 0"


def _ids(source: load.Source, frame: Frame, column: str) -> health.Ids:
    stored = "integers" if source.stored[column] == "integer" else "text"
    return health.Ids(source.role, frame.select(column).unique(column), source.scan.names[column], stored)


def failing_rows(found: Iterable[health.Symptom], engine: Engine) -> dict[str, nw.DataFrame[Any]]:
    """The offending rows of errors and warnings, by the name of their file; without the columns that only reading needs."""
    kept: dict[str, nw.DataFrame[Any]] = {}
    for symptom in found:
        if symptom.rows is None or symptom.finding.severity not in ("error", "warn"):
            continue
        name = ".".join(part for part in (symptom.finding.check, symptom.finding.model.replace("/", "_")) if part)
        name = name if name not in kept else f"{name}.{len(kept)}"
        rows = engine.collect(symptom.rows())
        inner = [column for column in rows.columns if column == "row" or column.startswith("odd_")]
        kept[name] = rows.sort(rows.columns).drop(inner)
    return kept
