"""Bounds over the whole catalogue of models that rank sampled candidates: a table, the order of models, and what they rest on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..results.catalogue_bounds import FALLING, CatalogueBounds, Verdict
from ..results.result import Result
from ..results.row import listed
from .document import Cell, Column, Document, Heading, Points, Sentences, Table

TITLE = "Bounds over the whole catalogue"


def section(result: Result, *, id: str = "") -> Document:
    """Return the bounds of the measures of a result, with the order of its models; empty if none were asked for.

    The table has the `id`; without one it is below a heading.
    """
    bounds = result.catalogue_bounds
    if not bounds:
        return ()
    has_table = any(of_model.values for of_model in bounds.values())
    return (*([Heading(TITLE, 2)] if has_table and not id else []), *_table(result, id), *_orders(result), Sentences(tuple(_notes(bounds))))


def _table(result: Result, id: str) -> Iterator[Table]:
    """Yield a row for each measure and model with bounds, if there are any."""
    shown = [
        (value, name, of_model.sampled)
        for measure in result.labels()
        for name, of_model in result.catalogue_bounds.items()
        if (value := of_model.by_measure.get(measure)) is not None
    ]
    if not shown:
        return
    falls = any(value.falling for value, _, _ in shown)
    sizes = sorted({sampled for _, _, sampled in shown})
    among = f"among {sizes[0] + 1:,}" if len(sizes) == 1 else "among candidates"
    columns = [Column("measure", "key"), Column("model", "name"), Column(among, "value"), Column("whole catalogue", "interval")]
    rows = [
        (
            Cell(value.measure, direction=result.higher_is_better.get(value.measure)),
            Cell(name),
            Cell(f"{value.value:.4f}", value=value.value),
            Cell(_range((value.low, value.high))),
            *([Cell(_range(value.falling))] if falls else []),
        )
        for value, name, _ in shown
    ]
    yield Table(
        (*columns, *([Column("falling", "interval")] if falls else [])),
        tuple(rows),
        caption="Least and greatest values that agree with the ranks among candidates",
        id=id,
        columns_of_data=("measure", "model", "value", "low", "high", "falling_low", "falling_high"),
        data=[[value.measure, name, value.value, value.low, value.high, *(value.falling or (None, None))] for value, name, _ in shown],
    )


def _range(ends: tuple[float, float] | None) -> str:
    return "" if ends is None else f"{ends[0]:.4f} to {ends[1]:.4f}"


def _orders(result: Result) -> Iterator[Points]:
    """Yield a sentence for the pairs of models with the same verdict in the same measures."""
    measures: dict[tuple[Verdict, tuple[str, str]], list[str]] = {}
    models = list(result.catalogue_bounds)
    for order in (order for order in result.catalogue_orders if order.measure in result.labels()):
        pair = (order.first, order.second)
        if order.verdict == "inconclusive":
            pair = (min(pair, key=models.index), max(pair, key=models.index))
        measures.setdefault((order.verdict, pair), []).append(order.measure)
    pairs: dict[tuple[Verdict, tuple[str, ...]], list[tuple[str, str]]] = {}
    for (verdict, pair), labels in measures.items():
        pairs.setdefault((verdict, tuple(labels)), []).append(pair)
    in_order = sorted(pairs.items(), key=lambda entry: ("kept", "reversed", "inconclusive").index(entry[0][0]))
    texts = tuple(_sentence(verdict, some, labels) for (verdict, labels), some in in_order)
    yield from [Points(texts)] if texts else []


def _sentence(verdict: Verdict, pairs: Sequence[tuple[str, str]], labels: Sequence[str]) -> str:
    """Return the verdict on the order of pairs, each with the model first that has the higher value among the candidates."""
    above = [(second, first) if verdict == "reversed" else (first, second) for first, second in pairs]
    joint = "and" if verdict == "inconclusive" else "above"
    if len(pairs) == 1:
        first, second = above[0]
        why = "the bounds overlap" if verdict == "inconclusive" else f"{first} is above {second}"
        return f"The order of {pairs[0][0]} and {pairs[0][1]} over the whole catalogue is {verdict} in {listed(labels)}: {why}."
    each = (f"{first} {joint} {second}" for first, second in above)
    return f"The order of {len(pairs):,} pairs of models over the whole catalogue is {verdict} in {listed(labels)}: {'; '.join(each)}."


def _notes(bounds: Mapping[str, CatalogueBounds]) -> Iterator[str]:
    """Yield what the bounds mean, what they assume, and which models and measures have none."""
    first = next(iter(bounds.values()))
    if any(of_model.values for of_model in bounds.values()):
        how = "with" if first.replacement else "without"
        together = "All bounds hold together" if first.n_models > 1 else "They hold"
        yield (
            f"The bounds hold whatever the true ranks are, for items sampled uniformly {how} replacement from {first.catalogue:,}. "
            f"{together} in {100 * first.level:g} % of samples. No value between two bounds is more likely than another, so do not use "
            "their middle as an estimate."
        )
    if any(value.falling for of_model in bounds.values() for value in of_model.values):
        order = "; the order of models is judged by these bounds" if len(bounds) > 1 else ""
        yield f"falling: bounds of the expected value over users like these, under the assumption that {FALLING}{order}. They can be wider."
    for names, sentence in _shared((name, sentence) for name, of_model in bounds.items() for sentence in _about(of_model)):
        yield sentence.format(listed(names))


def _about(bounds: CatalogueBounds) -> Iterator[str]:
    """Yield sentences about one model, with {} for its name."""
    if bounds.refused:
        yield f"No bounds for {{}}: {bounds.refused}."
        return
    if bounds.has_more_items:
        yield (
            f"{{}}: the lists have {bounds.n_items:,} different items, more than the {bounds.catalogue:,} of "
            "evaluation.candidates.catalogue: if the items of each user were sampled from more items, the bounds are wrong."
        )
    if bounds.not_falling:
        yield f"No falling bounds for {{}}: if {FALLING}, no true ranks explain the ranks among the candidates."
    if bounds.lacking:
        yield f"{{}}: {_users(bounds.lacking, bounds.n_users)} without the relevant item in the list count with every possible rank."
    if bounds.tied:
        yield f"{{}}: {_users(bounds.tied, bounds.n_users)} with the relevant item among tied scores count with every rank of the tie."
    if bounds.unlisted:
        yield f"{{}}: {bounds.unlisted:,} user{'s' * (bounds.unlisted != 1)} without a list count as in the values."
    for names, reason in _shared(bounds.left_out.items()):
        yield f"No bounds for {listed(names)} of {{}}: {reason}."


def _users(n: int, total: int) -> str:
    return f"{n:,} of {total:,} users"


def _shared(pairs: Iterable[tuple[str, str]]) -> Iterator[tuple[list[str], str]]:
    """Yield each text once, with all its names."""
    names: dict[str, list[str]] = {}
    for name, text in pairs:
        names.setdefault(text, []).append(name)
    yield from ((some, text) for text, some in names.items())
