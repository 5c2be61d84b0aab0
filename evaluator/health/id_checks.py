"""Checks of ids: X03 and X04 on ids that two files share; R07, X11 and X12 on unknown, popular and never recommended items."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from typing import Any, Final, Literal, NamedTuple

import numpy as np
import polars as pl
from msgspec import Struct

from ..checks import Finding
from ..syntax.yaml_text import option
from ..tables.array import Array
from ..tables.ids import distinct
from ..tables.lists import ListRows
from ..tables.prepared import Prepared
from ..tables.truth import TEST, TruthTable
from .checker import Context, HealthCheck, SourceNames, Symptom, check, count_text, share_text
from .examined import ExaminedPart
from .file_checks import TRAIN
from .tallies import EXAMPLES, DistinctIds, Marks, Tally

Normalisation = Callable[[pl.Expr], pl.Expr]

NORMALISATIONS: Final[Mapping[str, Normalisation]] = {
    "white space": lambda text: text.str.strip_chars(),
    "case": lambda text: text.str.to_lowercase(),
    "leading zeros": lambda text: text.str.replace("^0+", ""),
    "a final .0": lambda text: text.str.replace(r"\.0+$", ""),
}


_WHOLE: Final = r"^\s*[+-]?\d+(\.0*)?\s*$"
"""An integer, however it is written."""
_REMEDIES: Final[Mapping[str, str]] = {
    "white space": "remove the spaces (in pandas .str.strip())",
    "case": "write all ids in lower case (in pandas .str.lower())",
    "leading zeros": "keep the zeros in all files (pandas loses them unless it reads ids with dtype=str)",
    "a final .0": "write whole numbers without .0 (in pandas .astype('Int64') before saving)",
}
"""Normalisation → what to change in the files."""


def normalise_fully(text: pl.Expr) -> pl.Expr:
    """Apply all normalisations to a text."""
    return reduce(lambda result, normalise: normalise(result), NORMALISATIONS.values(), text)


def matches_of(strange: pl.Series, known: pl.Series, normalise: Normalisation) -> pl.DataFrame:
    """Return the `strange` ids that equal a `known` id after normalisation, ascending: `id`, and the first of those as `other`."""
    key = normalise(pl.col("id"))
    others = pl.DataFrame({"id": known}).group_by(key.alias("key")).agg(other=pl.col("id").min())
    own = pl.DataFrame({"id": strange}).with_columns(key=key)
    return own.join(others, on="key").select("id", "other").sort("id")


Column = Literal["user", "item"]
COLUMNS: Final[tuple[Column, ...]] = ("user", "item")
_SHOWN: Final = 3
"""Number of ids of each file to show if none is in common."""


class Meeting(Struct, frozen=True, eq=False):
    """Ids of lists and test, kept until a part has one in common; then there is no finding, and they are dropped."""

    listed: DistinctIds | None = None
    tested: DistinctIds | None = None

    def __add__(self, other: Meeting) -> Meeting:
        if self.listed is None or other.listed is None or self.tested is None or other.tested is None:
            return Meeting()
        return Meeting(self.listed + other.listed, self.tested + other.tested)


_SURPRISING: Final = 7.0
"""Expected number of hits of random lists from which no hit at all is a surprise: its probability is below e⁻⁷ < 0.001."""


@check("X03", uses=("listed_items", "stored_hits", "test_pairs", "truth_table", "rows_as_stored"))
class NothingInCommon(HealthCheck):
    """Lists and test without a common user, without a common item, or without a hit where random lists would have several.

    Random lists of the same sizes, of all items that any file has, have Σ (size of the list · relevant items) / items hits on average.
    """

    def tally(self, part: ExaminedPart) -> Tally:
        listed, tested = part.lists.counts > 0, part.data.rows(TEST).counts > 0
        users, items = Meeting(), Meeting()
        if not (listed & tested).any():
            users = Meeting(*(DistinctIds.from_ids(part.data.users.filter(pl.Series(mask))) for mask in (listed, tested)))
        if not len(part.table("stored_hits")[0]):
            items = Meeting(DistinctIds.from_ids(part.table("listed_items")), DistinctIds.from_ids(part.table("test_pairs").item.unique()))
        return Tally.of(user=users, item=items, **({} if items.listed is None else self._chances(part)))

    @staticmethod
    def _chances(part: ExaminedPart) -> dict[str, Any]:
        """Return the number of pairs of a listed and a relevant item of the same user, and of relevant items, in a part without hits."""
        rows: ListRows = part.table("rows_as_stored")
        truth: TruthTable = part.table("truth_table")
        of_lists = rows.user[distinct(rows.pairs)[0]] if rows.repeats else rows.user
        listed, relevant = (np.bincount(users, minlength=part.data.n_users) for users in (of_lists, truth.pairs.user[truth.relevant]))
        return {"chances": int(listed @ relevant), "relevant": int(relevant[listed > 0].sum()), **part.users((listed > 0) & (relevant > 0))}

    def finding(self, tally: Tally, context: Context) -> list[Symptom]:
        symptoms: list[Symptom] = []
        for column in COLUMNS:
            meeting: Meeting = tally[column]
            if meeting.listed is None or meeting.tested is None:
                continue
            listed, tested = meeting.listed.ids, meeting.tested.ids
            if _any_in(listed, tested):
                symptoms += self._without_a_hit(tally, context, pl.concat([listed, tested]).unique()) if column == "item" else []
                continue
            shown = f"{_shown(context, TEST, column, tested)}; {_shown(context, 'lists', column, listed)}"
            sentence = f"No {column} of {context.sources['lists'].role} is in {context.sources[TEST].role}: {shown}."
            symptoms += self.symptom(context, sentence, len(listed), len(listed))
        return symptoms

    def _without_a_hit(self, tally: Tally, context: Context, items: pl.Series) -> list[Symptom]:
        """Return a warning that no list has a relevant item of its user, if random lists would have several."""
        n_items = max(len(items), int((context.prepared.in_train | context.prepared.in_catalogue).sum()))
        expected, relevant = tally.count("chances") / n_items, tally.count("relevant")
        if expected < _SURPRISING:
            return []
        sources = [context.sources[name] for name in ("lists", TEST)]
        columns = " and ".join(f"{source.role} ({source.columns['user']!r}, {source.columns['item']!r})" for source in sources)
        sentence = (
            f"No list has one of the {relevant:,} relevant items of its user; random lists would have about {expected:,.0f}. "
            f"The ids may not mean the same: check the columns of {columns}, and look at the rows of a user (receval explain … --user ID)."
        )
        return self.symptom(context, sentence, context.n_lists, context.n_lists, examples=tally.examples("user"), severity="warn")


def _any_in(ids: pl.Series, others: pl.Series) -> bool:
    return bool(ids.is_in(others.implode()).any())


def _shown(context: Context, source: str, column: Column, ids: pl.Series) -> str:
    names = context.sources[source]
    return f"{names.role} ({names.columns[column]!r}, {names.stored[column]}) has {', '.join(map(repr, ids.head(_SHOWN)))}"


class _Comparison(NamedTuple):
    """A comparison of the ids of two sources; ids that are in the `known` sources are never reported."""

    own: str
    other: str
    known: tuple[str, ...]
    columns: tuple[Column, ...] = COLUMNS


_OF_FILES: Final = (_Comparison(TEST, TRAIN, (TRAIN,)), _Comparison("items", TEST, (TEST, TRAIN), ("item",)))
_OF_MODEL: Final = _Comparison("lists", TEST, (TEST, TRAIN, "items"))


@check("X04", uses=("listed_items",))
class UnnormalisedIds(HealthCheck):
    """Text ids that would match another file after removing white space, case, leading zeros or a final .0.

    A finding in the files that all models share comes with every model; it is reported once.
    """

    def tally(self, part: ExaminedPart) -> Tally:
        data = part.data
        noted: dict[str, DistinctIds] = {}
        if data.users.dtype == pl.String:
            listed, tested = part.lists.counts > 0, data.rows(TEST).counts > 0
            trained = data.rows(TRAIN).counts > 0 if TRAIN in data else np.zeros_like(tested)
            masks = {"lists user": listed, f"{TEST} user": tested, f"{TRAIN} user": trained}
            noted |= {name: DistinctIds.from_ids(data.users.filter(pl.Series(mask))) for name, mask in masks.items()}
        if part.lists.item.dtype == pl.String:
            noted |= {
                "lists item": DistinctIds.from_ids(part.table("listed_items")),
                f"{TEST} item": DistinctIds.from_ids(data.rows(TEST).item.unique()),
            }
        return Tally(noted)

    def finding(self, tally: Tally, context: Context) -> list[Symptom]:
        symptoms: list[Symptom] = []
        for comparison in (*_OF_FILES, _OF_MODEL):
            if comparison.own in context.sources and comparison.other in context.sources:
                for column in comparison.columns:
                    if f"lists {column}" in tally:
                        symptoms += self._compared(tally, context, comparison, column)
        return symptoms

    def _compared(self, tally: Tally, context: Context, comparison: _Comparison, column: Column) -> list[Symptom]:
        model = context.model if comparison is _OF_MODEL else ""
        own, other = context.sources[comparison.own], context.sources[comparison.other]
        ids = _ids(tally, context, comparison.own, column)
        known = pl.concat([_ids(tally, context, name, column) for name in comparison.known if column in _columns(context, name)])
        strange = ids.filter(~ids.is_in(known.implode()))
        matches = matches_of(strange, known, normalise_fully) if len(strange) else None
        if matches is not None and len(matches):
            counts = {what: len(matches_of(strange, known, normalise)) for what, normalise in NORMALISATIONS.items()}
            causes = ", ".join(f"{what} {count:,}" for what, count in counts.items() if count) or "several of these at once"
            share = share_text(len(matches), len(ids), f"{column} ids")
            partners = [name for name in comparison.known if column in _columns(context, name)]
            partners = [name for name in partners if _any_in(matches["other"], _ids(tally, context, name, column))]
            others = " and ".join(context.sources[name].place for name in partners)
            sentence = f"{share} of {own.place} would match {others} after cleaning ({causes})."
            ways = "; ".join(way for what, way in _REMEDIES.items() if counts[what])
            sides = [(own, ids), *((context.sources[name], _ids(tally, context, name, column)) for name in partners)]
            cures = _read_as_integers(sides, column)
            settings = "or read them as integers:" if cures else "no setting changes them"
            examples = [f"{mine!r} would match {theirs!r}" for mine, theirs in matches.head(EXAMPLES).rows()]
            symptoms = self.symptom(
                context,
                sentence,
                len(matches),
                len(ids),
                examples=examples,
                rows=matches.rename({"id": column}),
                model=model,
                advice=f"ids are compared as written: {ways}; {settings}" if ways else "",
                cures=cures,
            )
            if symptoms:
                return symptoms
        if own.stored[column] == other.stored[column] or self._nothing_in_common(tally, context, comparison, column):
            return []
        differ = f"The {column} ids are {own.stored[column]} in {own.role} and {other.stored[column]} in {other.role}"
        return self.symptom(context, f"{differ}; they are compared as text.", len(ids), len(ids), model=model, severity="info")

    def _nothing_in_common(self, tally: Tally, context: Context, comparison: _Comparison, column: Column) -> bool:
        """Return whether `NothingInCommon` reports already that the ids of the lists differ."""
        if comparison is not _OF_MODEL or context.setting(NothingInCommon.declared.id).severity == "off":
            return False
        return not _any_in(_ids(tally, context, "lists", column), _ids(tally, context, TEST, column))


def _read_as_integers(sides: Sequence[tuple[SourceNames, pl.Series]], column: Column) -> list[str]:
    """Return the options that read ids of files as integers, where all are integers on all sides and some are written otherwise."""
    cures = []
    for source, ids in sides:
        written = ids.cast(pl.String)
        as_integers = written.str.strip_chars().str.replace(r"\.0*$", "").cast(pl.Int64, strict=False)
        if column not in source.keys or not written.str.contains(_WHOLE).all() or as_integers.has_nulls():
            return []
        if (as_integers.cast(pl.String) != written).any():
            cures.append(option(f"{source.setting}.columns.{column}", {"column": source.keys[column], "as": "integer"}))
    return cures


def _columns(context: Context, source: str) -> Mapping[str, str]:
    """Return the columns of a source; none if it is not given."""
    return context.sources[source].columns if source in context.sources else {}


def _ids(tally: Tally, context: Context, source: str, column: Column) -> pl.Series:
    """Return the distinct ids of a source, ascending."""
    prepared = context.prepared
    if column == "item" and source in (TRAIN, "items"):
        return prepared.items.ids.filter(pl.Series(prepared.in_train if source == TRAIN else prepared.in_catalogue)).rename("id")
    ids: DistinctIds = tally[f"{source} {column}"]
    return ids.ids


@check("R07", uses=("rows_as_stored", "item_counts"), policy="unknown_items")
class UnknownItems(HealthCheck):
    """Recommended items that are in neither train nor the items file; the sentence names the file that is not given."""

    def tally(self, part: ExaminedPart) -> Tally:
        rows: ListRows = part.table("rows_as_stored")
        unknown = ~np.append(part.prepared.in_train | part.prepared.in_catalogue, False)
        if not part.table("item_counts")[unknown].any():
            return Tally()
        frame = part.lists.frame.filter(pl.Series(unknown[rows.item_index]))
        return Tally.of(unknown=len(frame), items=DistinctIds.from_ids(frame["item"].unique()), **part.notes(frame, "item"))

    def finding(self, tally: Tally, context: Context) -> list[Symptom]:
        n, total = tally.count("unknown"), context.counts.count("list_rows")
        n_items = len(tally["items"].ids) if n else 0
        which = f"one of {n_items:,} items that are" if n_items > 1 else "an item that is"
        where = "in neither the train nor the items file."
        if "items" not in context.sources:
            where = "not in the train file; if the catalogue has more items than train, give it as data.items (--items)."
        elif TRAIN not in context.sources:
            where = "not in the items file; if train has more items, give it as data.train (--train)."
        sentence = f"{share_text(n, total, 'recommended rows')} contain {which} {where}"
        return self.symptom(context, sentence, n, total, examples=tally.examples("item"), rows=tally.rows())


@check("X11", uses=("rows_as_stored", "stored_hits", "item_counts"))
class PopularHits(HealthCheck):
    """Hits that are among the most popular items of train, and the lift of the lists.

    The lift is the mean popularity of recommended items, divided by the mean popularity of train rows.
    """

    def tally(self, part: ExaminedPart) -> Tally:
        rows: ListRows = part.table("rows_as_stored")
        hits, _ = part.table("stored_hits")
        popular = np.append(_head(part.prepared, part.setting.limit("head")), False)[rows.item_index[hits]]
        popularity = int(part.table("item_counts")[:-1] @ part.prepared.train_rows.astype(np.int64))
        notes = part.notes(part.lists.frame[hits[popular]], "item")
        return Tally.of(hits=len(hits), popular=int(popular.sum()), popularity=popularity, **notes)

    def finding(self, tally: Tally, context: Context) -> list[Symptom]:
        n, n_hits = tally.count("popular"), tally.count("hits")
        if not n_hits:
            return []
        own = context.prepared.train_rows[context.prepared.in_train].astype(object)
        n_items, n_head = len(own), _size_of_head(len(own), context.limit(self.id, "head"))
        lift = (tally.count("popularity") / context.counts.count("list_rows")) / (int((own * own).sum()) / int(own.sum()))
        best = "most popular" if n_head == 1 else f"{n_head:,} most popular"
        lists = f"the lists are {lift:.2f} times as popular as train"
        sentence = f"{share_text(n, n_hits, 'hits')} come from the {best} of {count_text(n_items, 'item')}; {lists}."
        return self.symptom(context, sentence, n, n_hits, examples=tally.examples("item"), details={"popularity_lift": lift})


@check("X12", uses=("item_counts",))
class NeverRecommended(HealthCheck):
    """Items of the catalogue that are in no list."""

    def tally(self, part: ExaminedPart) -> Tally:
        return Tally.of(listed=Marks(part.table("item_counts")[:-1] > 0))

    def finding(self, tally: Tally, context: Context) -> list[Symptom]:
        catalogue = context.prepared.in_catalogue
        never = np.flatnonzero(catalogue & ~tally["listed"].mask)
        n, total = len(never), int(catalogue.sum())
        items = pl.DataFrame({"item": context.prepared.items.ids.gather(never)})
        examples = [f"item {item}" for item in items["item"].head(5)]
        sentence = f"{share_text(n, total, 'items of the catalogue')} are never recommended at any rank."
        return self.symptom(context, sentence, n, total, examples=examples, rows=items)


def _size_of_head(n_items: int, share: float) -> int:
    return max(1, math.ceil(share * n_items))


def _head(prepared: Prepared, share: float) -> Array:
    """Return a mask of the items known before: those in the `share` of train's items with the most rows; ties go to the first by id."""
    key = ("head", share)
    if key not in prepared.memo:
        trained = np.flatnonzero(prepared.in_train)
        order = np.argsort(-prepared.train_rows[trained].astype(np.int64), kind="stable")
        mask = np.zeros(len(prepared.items), dtype=np.bool_)
        mask[trained[order[: _size_of_head(len(trained), share)]]] = True
        prepared.memo[key] = mask
    head: Array = prepared.memo[key]
    return head


def shifted_ids(models: Iterable[str], findings: Sequence[Finding]) -> Iterator[tuple[str, str]]:
    """Yield each model whose ids seem to begin at 0 where those of the other files begin at 1, with a sentence."""
    unknown = {(finding.model, finding.check): finding.examples for finding in findings}
    for name in models:
        of_users = unknown.get((name, "X02")) == ("user 0",) and (name, "X01") in unknown
        of_items = unknown.get((name, "R07")) == ("item 0",)
        if of_users or of_items:
            both = " and ".join(["user 0"] * of_users + ["item 0"] * of_items)
            are = "are" if of_users and of_items else "is"
            wrong = "then every list belongs to the wrong user" if of_users else "then every row has the wrong item"
            yield name, f"only {both} {are} not in the other files: these ids may start at 0 and those of the other files at 1; {wrong}."
