"""The files of a folder → the data section of a config: the inputs of receval beside the test file and the lists."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl
from border import exchange
from libraries import LIBRARIES, Group, Row, file_of, has_table, lists_of_library, read
from receval.syntax.measure_strings import Scalar

PAIR = ["user_id", "item_id"]
OTHER = "(none)"
Items = dict[object, object]
"""Items that exchange their ids."""


def data(source: Path, work: Path, group: Group, test: pl.DataFrame, lists: dict[str, pl.DataFrame], moved: Items) -> Row:
    """Write the files of a run into `work`, with the ids of `moved` items exchanged; return the data section of a config."""
    library = LIBRARIES[group.library]
    named = {model: f"{place}.parquet" for place, model in enumerate(lists)}
    genres = categories(source, group)
    fed = {
        model: category_lists(model_lists, genres, group.others) if group.named else exchange(model_lists, moved)
        for model, model_lists in lists.items()
    }
    for model, frame in fed.items():
        frame.write_parquet(work / named[model])
    pairs = predictions(source, test, group)
    if group.pairs and pairs is not None:
        test = test.join(pairs, on=PAIR, how="semi")
    (category_lists(test, genres, group.others) if group.named else exchange(test, moved)).write_parquet(work / "test.parquet")
    found: Row = {"test": "test.parquet", "recommendations": named}
    if library.train:
        found |= {
            "train": write(exchange(read(source / "train"), moved), work / "train.parquet"),
            "items": items(source, work, moved),
        }
    if group.named:
        listed = pl.concat([frame.select("item_id") for frame in fed.values()]).unique()
        of_items = listed.with_columns(genres=pl.col("item_id").str.split("|").list.last())
        found["items"] = {"path": write(of_items, work / "items.parquet"), "categories": "genres"}
    if has_table(source / "user_groups"):
        found["users"] = write(read(source / "user_groups"), work / "users.parquet")
    if has_table(source / "previous_policy"):
        found["previous_policy"] = write(read(source / "previous_policy"), work / "previous_policy.parquet")
    if group.baseline:
        reference = lists_of_library(read(source / file_of(group.baseline)), replace(group, tested=False), test)
        found["baseline"] = write(reference, work / "baseline.parquet")
    if pairs is not None:
        found["predictions"] = write(pairs, work / "predictions.parquet")
    return found


def write(frame: pl.DataFrame, path: Path) -> str:
    """Write a frame; return its file name."""
    frame.write_parquet(path)
    return path.name


def items(source: Path, work: Path, moved: Items) -> Row:
    """Return the source of the catalogue with its genres and the groups of its items."""
    catalogue = read(source / "items")
    if has_table(source / "item_groups"):
        groups = read(source / "item_groups").select("item_id", pl.exclude("item_id", "train_count"))
        catalogue = catalogue.join(groups, on="item_id", how="left")
    return {"path": write(exchange(catalogue, moved), work / "items.parquet"), "categories": "genres", "split": "|"}


def categories(source: Path, group: Group) -> pl.DataFrame:
    """Return `item_id`, `genres`: a row for each genre of an item, or only for the first."""
    found = read(source / "items").select("item_id", pl.col("genres").fill_null("").str.split("|"))
    if group.first:
        found = found.with_columns(pl.col("genres").list.head(1))
    return found.explode("genres").filter(pl.col("genres") != "")


def category_lists(lists: pl.DataFrame, genres: pl.DataFrame, others: bool) -> pl.DataFrame:
    """Return a list of categories: a row for each genre of each item, as its own item; an item without one gets another, or no row."""
    rows = lists.with_row_index("place").join(genres, on="item_id", how="left" if others else "inner").sort("place", maintain_order=True)
    named = pl.format("{}|{}", "item_id", pl.col("genres").fill_null(OTHER))
    return rows.with_columns(item_id=named).drop("place", "genres")


def predictions(source: Path, test: pl.DataFrame, group: Group) -> pl.DataFrame | None:
    """Return the predicted ratings, scaled over the test pairs if the library got them so."""
    if not has_table(source / "ratings_pred"):
        return None
    found = read(source / "ratings_pred")
    if not group.scaled:
        return found
    found = found.join(test, on=PAIR, how="semi")
    low, high = pl.col("prediction").min(), pl.col("prediction").max()
    return found.with_columns(prediction=(pl.col("prediction") - low) / (high - low))


def group_names(source: Path) -> dict[tuple[str, str], list[Scalar]]:
    """Return the groups of users and of items by column, in order."""
    found: dict[tuple[str, str], list[Scalar]] = {}
    for table in ("users", "items"):
        path = source / f"{table[:-1]}_groups"
        if has_table(path):
            frame = read(path).select(pl.exclude(*PAIR, "train_count"))
            found |= {(table, name): frame[name].drop_nulls().unique().sort().to_list() for name in frame.columns}
    return found
