"""R01 and R03 to R10: what is odd in the lists of one model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import narwhals as nw

from ..frames import Frame
from ..load.scan import Want
from .examiner import Examiner, Lists, Symptom, several, shared

_FEW_ITEMS = 20
"""Lists shorter than this are not taken for sampled candidates."""


def wanted(columns: frozenset[str], single: bool = False) -> Mapping[str, Want]:
    """What the checks need of the lists, to be computed in the pass that reads them; `single`: scores are compared in that precision."""
    found: dict[str, Want] = {
        "profile": lambda lists: (lists.group_by("user").agg(*_profile(columns, single)),),
        "items": lambda lists: (lists.group_by("item").agg(n=nw.len().cast(nw.Int64)),),
    }
    if {"score", "position"} <= columns:
        found["rising"] = lambda lists: (_rising(lists),)
    return found


def _profile(columns: frozenset[str], single: bool) -> list[nw.Expr]:
    found = [nw.len().cast(nw.Int64).alias("n"), nw.col("item").n_unique().cast(nw.Int64).alias("n_items")]
    if "score" in columns:
        score = nw.col("score").cast(nw.Float32) if single else nw.col("score")
        found.append(score.n_unique().cast(nw.Int64).alias("n_scores"))
    if "position" in columns:
        place = nw.col("position")
        found += [place.n_unique().cast(nw.Int64).alias("n_ranks"), place.min().alias("first"), place.max().alias("last")]
    return found


def _rising(lists: Frame) -> Frame:
    """The rows with more higher scores in their list than ranks above them: there are none if scores fall along the ranks.

    The first row must have the highest score; without it the same holds for the rest, and so on. And where scores fall no row has more.
    """
    by_score = nw.col("score").rank("min", descending=True).over("user").cast(nw.Int64)
    by_rank = nw.col("position").rank("min").over("user").cast(nw.Int64)
    return lists.select("user", "item", by_score=by_score, by_rank=by_rank).filter(nw.col("by_score") > nw.col("by_rank"))


def lists(x: Examiner, of: Lists, cutoffs: Sequence[int], catalogue: Frame | None, inside: tuple[int, int]) -> list[Symptom]:
    """Every finding in the lists of one model.

    `catalogue` are the items of train and of the items file; of the relevant items of users with a list `inside` says how many are in
    them, and how many there are.
    """
    n_lists = x.size(of.lengths)
    found = [*_repeated(x, of), *_misranked(x, of, n_lists), *_constant(x, of, n_lists), *_lengths(x, of, n_lists, cutoffs)]
    if catalogue is not None and x.asks("R07"):
        found += _unknown(x, of, catalogue)
    if x.asks("R08"):
        found += _alike(x, of, n_lists)
    if x.asks("R10"):
        found += _sampled(x, of, n_lists, None if catalogue is None else x.size(catalogue), *inside)
    return found


def _repeated(x: Examiner, of: Lists) -> list[Symptom]:
    if not x.asks("R01"):
        return []
    users = of.profile.filter(nw.col("n_items") < nw.col("n"))
    sums = x.one(users.select(users=nw.len(), rows=(nw.col("n") - nw.col("n_items")).sum()))
    if not sums["rows"]:
        return []

    def rows() -> Frame:
        again = of.rows().join(users, on="user", how="semi")
        counts = again.group_by("user", "item").agg(n=nw.len()).filter(nw.col("n") > 1)
        return again.join(counts, on=["user", "item"], how="semi")

    said = shared(sums["rows"], of.n_rows, "rows")
    sentence = f"{said} repeat an item that stands in the user's list already, for {several(sums['users'], 'user')}."
    return x.symptom("R01", sentence, sums["rows"], of.n_rows, model=of.model, examples=x.examples(rows(), "user", "item"), rows=rows)


def _misranked(x: Examiner, of: Lists, n_lists: int) -> list[Symptom]:
    if "position" not in of.columns or not x.asks("R03"):
        return []
    n, first, last, different = (nw.col(name) for name in ("n", "first", "last", "n_ranks"))
    whole = (last - first + 1 == n) & (different == n)
    odd = of.profile.filter(~(whole & (first == 1)))
    from_zero = of.profile.filter(whole & (first == 0))
    n_odd, n_zero = x.size(odd), x.size(from_zero)
    if n_odd == n_zero == n_lists and not _n_rising(x, of):
        sentence = "All ranks count from 0, not from 1; only their order matters."
        return x.symptom("R03", sentence, n_odd, n_lists, model=of.model, severity="info")
    rising = of.rising.select("user").unique("user") if of.rising is not None else None
    n_rising = x.size(rising) if rising is not None else 0
    users = odd.select("user") if rising is None else nw.concat([odd.select("user"), rising]).unique("user")
    parts = [f"{shared(n_odd, n_lists, 'lists')} have ranks that are not 1 to n, each once"] if n_odd else []
    parts += [f"{shared(n_rising, n_lists, 'lists')} have ranks that contradict the scores"] if n_rising else []
    return x.symptom(
        "R03",
        "; ".join(parts) + ".",
        x.size(users),
        n_lists,
        model=of.model,
        examples=x.examples(users, "user"),
        rows=lambda: of.rows().join(users, on="user", how="semi"),
    )


def _n_rising(x: Examiner, of: Lists) -> int:
    return x.size(of.rising) if of.rising is not None else 0


def _constant(x: Examiner, of: Lists, n_lists: int) -> list[Symptom]:
    if "score" not in of.columns or not x.asks("R09"):
        return []
    users = of.profile.filter((nw.col("n") > 1) & (nw.col("n_scores") == 1))
    n = x.size(users)
    sentence = f"{shared(n, n_lists, 'lists')} have the same score in every row."
    rows = lambda: of.rows().join(users, on="user", how="semi")  # noqa: E731
    return x.symptom("R09", sentence, n, n_lists, model=of.model, examples=x.examples(users, "user") if n else (), rows=rows)


def tied(
    x: Examiner,
    model: str,
    users: Frame,
    n_lists: int,
    n_across: int,
    deepest: int | None,
    bounds: Mapping[str, Mapping[str, float]],
    note: str,
    *,
    ordered: bool,
) -> list[Symptom]:
    """R04: `users` with tied scores before rank `deepest`, `n_across` of them across a cut-off; and the `bounds` of values.

    `note` ends the sentence. Ties that ranks put in an order are `ordered`, and no reason to refuse a file.

    Ties that move no value further than the limit are no reason to worry: their severity is info.
    """
    n = x.size(users)
    wide = {label: ends for label, ends in bounds.items() if ends["most"] - ends["least"] > x.limit("R04", "width")}
    if not n:
        return []
    before = f" in the first {deepest:,} places" if deepest else ""
    across = f", {n_across:,} of them across a cut-off" if n_across else ""
    sentence = f"{shared(n, n_lists, 'lists')} have tied scores{before}{across}{note}."
    details = {"across": n_across, **({"bounds": wide} if wide else {})}
    return x.symptom(
        "R04",
        sentence,
        n,
        n_lists,
        model=model,
        examples=x.examples(users, "user"),
        rows=lambda: users,
        severity="info" if bounds and not wide else None,
        unlimited=bool(wide),
        refusable=not ordered,
        details=details,
    )


def _lengths(x: Examiner, of: Lists, n_lists: int, cutoffs: Sequence[int]) -> list[Symptom]:
    if not cutoffs:
        return []
    short = _short(x, of, n_lists, sorted(cutoffs, reverse=True)) if x.asks("R05") else []
    return short + (_long(x, of, n_lists, max(cutoffs)) if x.asks("R06") else [])


def _short(x: Examiner, of: Lists, n_lists: int, cutoffs: Sequence[int]) -> list[Symptom]:
    """R05, where the `cutoffs` fall."""
    length, (most, *_) = nw.col("n_recommended"), cutoffs
    sums = x.one(of.lengths.select((length < k).cast(nw.Int64).sum().alias(f"below_{k}") for k in cutoffs))
    n = sums[f"below_{most}"]
    if not n:
        return []
    users = of.lengths.filter(length < most)
    per_k = ", ".join(f"{sums[f'below_{k}']:,} than {k}" for k in cutoffs if sums[f"below_{k}"])
    each = f" (shorter: {per_k})" if len(cutoffs) > 1 else ""
    sentence = f"{shared(n, n_lists, 'lists')} are shorter than the largest cut-off, {most}{each}."
    return x.symptom("R05", sentence, n, n_lists, model=of.model, examples=x.examples(users, "user"), rows=lambda: users)


def _long(x: Examiner, of: Lists, n_lists: int, most: int) -> list[Symptom]:
    users = of.lengths.filter(nw.col("n_recommended") > most)
    sums = x.one(users.select(n=nw.len(), longest=nw.col("n_recommended").max()))
    if not sums["n"]:
        return []
    said = f"{shared(sums['n'], n_lists, 'lists')} are longer than the largest cut-off, {most}"
    sentence = f"{said}; the longest has {several(sums['longest'], 'row')}."
    return x.symptom("R06", sentence, sums["n"], n_lists, model=of.model, examples=x.examples(users, "user"), rows=lambda: users)


def _unknown(x: Examiner, of: Lists, catalogue: Frame) -> list[Symptom]:
    items = of.items.join(catalogue, on="item", how="anti")
    sums = x.one(items.select(items=nw.len(), rows=nw.col("n").sum()))
    if not sums["rows"]:
        return []
    said = shared(sums["rows"], of.n_rows, "recommended rows")
    which = f"one of {sums['items']:,} items" if sums["items"] > 1 else "an item"
    sentence = f"{said} hold {which} that neither the train nor the items file knows."
    rows = lambda: of.rows().join(items, on="item", how="semi")  # noqa: E731
    return x.symptom("R07", sentence, sums["rows"], of.n_rows, model=of.model, examples=x.examples(items, "item"), rows=rows)


def _alike(x: Examiner, of: Lists, n_lists: int) -> list[Symptom]:
    """Lists of the same items: they can only be many if enough items stand in as many lists, which costs nothing to see."""
    least = x.limit("R08") * n_lists
    frequent = x.size(of.items.filter(nw.col("n") > least))
    shortest = x.one(of.lengths.select(n=nw.col("n_recommended").min()))["n"]
    if n_lists < 2 or frequent < shortest:
        return []
    (coded,) = x.engine.settle([of.items.select("item").with_row_index("code", order_by="item")])
    code = nw.col("code").cast(nw.Int64) + 1
    # Sums over distinct items that differ for different sets of them but by a rare accident.
    sums = [code.sum().alias("a"), (code * code % 2147483647).sum().alias("b"), (code * 48271 % 2147483647).sum().alias("c")]
    coded_rows = of.rows().select("user", "item").join(coded, on="item", how="left")
    (marks,) = x.engine.settle([coded_rows.group_by("user").agg(nw.len().alias("n"), *sums)])
    groups = marks.group_by("n", "a", "b", "c").agg(users=nw.len().cast(nw.Int64), user=nw.col("user").min())
    most = x.one(groups.select(n=nw.col("users").max()))["n"]
    if most < 2:
        return []
    largest = groups.filter(nw.col("users") == most)
    sentence = f"{shared(most, n_lists, 'users')} have the same items in their list."
    same = marks.join(largest.drop("users", "user"), on=["n", "a", "b", "c"], how="semi").select("user")
    rows = lambda: of.rows().join(same, on="user", how="semi")  # noqa: E731
    return x.symptom("R08", sentence, most, n_lists, model=of.model, examples=x.examples(same, "user"), rows=rows)


def _sampled(x: Examiner, of: Lists, n_lists: int, n_catalogue: int | None, inside: int, relevant: int) -> list[Symptom]:
    sizes = x.one(of.lengths.select(least=nw.col("n_recommended").min(), most=nw.col("n_recommended").max()))
    size = sizes["most"]
    if sizes["least"] != size or size < _FEW_ITEMS or not relevant or inside < x.limit("R10", "min_inside") * relevant:
        return []
    if n_catalogue is not None and 2 * size > n_catalogue:  # the lists hold most of the catalogue
        return []
    said = shared(inside, relevant, "relevant items")
    sentence = f"All lists have {size:,} rows, and {said} are in them: they look like candidates that were sampled around the truth."
    return x.symptom("R10", sentence, n_lists, n_lists, model=of.model, examples=x.examples(of.lengths, "user"), rows=lambda: of.lengths)
