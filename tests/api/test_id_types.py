"""Ids of the types that Python libraries use give the same bytes as plain ids."""

from __future__ import annotations

import uuid
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import receval
from hypothesis import given, settings

from tests.api.test_inputs import result_of, without_sources
from tests.sizes import draws, half
from tests.worlds import World, worlds


def texts(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the frame with its ids as texts of UUIDs."""
    ids = [pl.col(name) for name in ("user", "item", "other") if name in frame.columns]
    return frame.with_columns(column.map_elements(lambda value: str(uuid.UUID(int=value)), pl.String) for column in ids)


def objects(frame: pl.DataFrame) -> dict[str, list[Any]]:
    """Return the same ids as UUID objects of Python, by column."""
    return {
        name: [uuid.UUID(int=value) for value in frame[name]] if name in ("user", "item", "other") else frame[name].to_list()
        for name in frame.columns
    }


def with_objects(frame: pl.DataFrame) -> pl.DataFrame:
    held = objects(frame)
    return pl.DataFrame([pl.Series(n, held[n], dtype=pl.Object) if n in ("user", "item", "other") else frame[n] for n in frame.columns])


def retyped(frame: pl.DataFrame, dtype: Any) -> pl.DataFrame:
    return frame.with_columns(pl.col(name).cast(dtype) for name in ("user", "item", "other") if name in frame.columns)


IDS: dict[str, tuple[Any, Any]] = {
    "floats, Polars": (lambda frame: frame, lambda frame: retyped(frame, pl.Float64)),
    "short floats": (lambda frame: frame, lambda frame: retyped(frame, pl.Float32)),
    "floats, pandas": (lambda frame: frame, lambda frame: retyped(frame, pl.Float64).to_pandas()),
    "floats, pandas, Arrow": (
        lambda frame: frame,
        lambda frame: retyped(frame, pl.Float64).to_pandas().convert_dtypes(convert_integer=False, dtype_backend="pyarrow"),
    ),
    "floats, pyarrow": (lambda frame: frame, lambda frame: retyped(frame, pl.Float64).to_arrow()),
    "floats, records": (lambda frame: frame, lambda frame: retyped(frame, pl.Float64).to_dicts()),
    "decimals, Polars": (lambda frame: frame, lambda frame: retyped(frame, pl.Decimal(30, 0))),
    "decimals, pandas": (lambda frame: frame, lambda frame: retyped(frame, pl.Decimal(30, 0)).to_pandas()),
    "decimals, records": (lambda frame: frame, lambda frame: retyped(frame, pl.Decimal(30, 0)).to_dicts()),
    "UUIDs, Polars": (texts, with_objects),
    "UUIDs, pandas": (texts, lambda frame: pd.DataFrame(objects(frame))),
    "UUIDs, columns": (texts, objects),
    "UUIDs, records": (texts, lambda frame: with_objects(frame).to_dicts()),
}


@pytest.mark.parametrize("kind", half(IDS))
@settings(max_examples=draws(1, 3))
@given(world=worlds())
def test_ids_of_other_types_give_the_bytes_of_plain_ids(kind: str, world: World):
    as_file, as_held = IDS[kind]
    plain = result_of({name: as_file(frame) for name, frame in world.items()})
    assert without_sources(result_of({name: as_held(frame) for name, frame in world.items()})) == without_sources(plain)


def value_of(**asked: Any) -> float | None:
    return receval.evaluate(**asked, metrics="nDCG@2")["nDCG@2"].value


def test_ids_of_other_types_are_read_in_lists_of_users_too():
    ids = [uuid.UUID(int=number) for number in range(3)]
    assert value_of(test={ids[0]: [ids[1]]}, recommendations={str(ids[0]): [ids[2], ids[1]]}) == pytest.approx(1 / np.log2(3))
    assert value_of(test={0: [Decimal(1)]}, recommendations={0: [2.0, 1.0]}) == pytest.approx(1 / np.log2(3))
    assert value_of(test={0: [1]}, recommendations=pl.DataFrame({"user": [0.0], "items": [[2.0, 1.0]]})) == pytest.approx(1 / np.log2(3))
    masked = receval.Matrix(np.array([[0.5, 0.25]]), users=[7.0], items=[1.0, 2.0])
    assert value_of(test={7: [2]}, recommendations=masked, train={7: [1]}, mask_seen=True) == 1.0
