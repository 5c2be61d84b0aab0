"""Helpers: lists and sides on literal data, and their parts as plain frames."""

from __future__ import annotations

import polars as pl
from receval.engines import Part, Scratch, SideTable, whole_users
from receval.load import ReadAgain

MEMORY = 1 << 30


def table(users, **columns) -> pl.DataFrame:
    """Return a table in which each item is the number of its row."""
    kind = pl.String if any(isinstance(user, str) for user in users) else pl.Int64
    n = len(users)
    return pl.DataFrame(
        {
            "user": pl.Series(users, dtype=kind),
            "item": pl.Series(range(n), dtype=pl.Int64),
            **columns,
            "row": pl.Series(range(n), dtype=pl.Int64),
        }
    )


def parts_of(
    lists: pl.DataFrame,
    sides: dict[str, pl.DataFrame] | None = None,
    *,
    apart=False,
    last=("test",),
    rows_per_part=3,
    memory=MEMORY,
    examine=lambda batch: None,
    progress=lambda n_rows: None,
    scratch=None,
    few=False,
) -> list[Part]:
    """Return all parts of lists in memory, which are read again if a user comes back late."""
    with scratch or Scratch() as folder:
        options = {"last": last, "rows_per_part": rows_per_part, "memory": memory, "few": few}
        options |= {"scratch": folder, "examine": examine, "progress": progress}
        tables = {role: SideTable(frame) for role, frame in (sides or {}).items()}
        try:
            return list(whole_users(lists.lazy(), tables, apart=apart, **options))
        except ReadAgain:
            assert not apart
            return list(whole_users(lists.lazy(), tables, apart=True, **options))


def assert_whole(parts: list[Part], lists: pl.DataFrame, sides: dict[str, pl.DataFrame], last=("test",)) -> None:
    """Assert that every user is in one part, with exactly the rows of the tables, together and in order."""
    where: dict[object, int] = {}
    for number, part in enumerate(parts):
        assert set(part.sides) == set(sides)
        for frame in (part.lists, *part.sides.values()):
            runs = frame["user"].rle().struct.field("value").to_list()
            assert len(runs) == len(set(runs)), "the rows of a user are apart"
            assert frame.select((pl.col("row").diff().over("user").drop_nulls() > 0).all()).item(), "rows are not in order"
            for user in runs:
                assert where.setdefault(user, number) == number, f"{user} is in two parts"
        first_rows = part.lists["user"].rle().struct.field("len").cum_sum() - part.lists["user"].rle().struct.field("len")
        assert part.starts.tolist() == first_rows.to_list(), "users begin elsewhere"
        assert part.lists.height or any(part.sides[role].height for role in last)
    for source, frames in [(lists, [part.lists for part in parts])] + [
        (sides[role], [part.sides[role] for part in parts]) for role in sides
    ]:
        given = source.select(pl.exclude("^odd_.*$"))
        together = pl.concat([given.clear(), *frames])
        listed = pl.concat([lists["user"], *(sides[role]["user"] for role in last if role in sides)])
        wanted = given.filter(pl.col("user").is_in(listed.drop_nulls().unique().implode()))
        assert together.sort("row").equals(wanted.sort("row"))
