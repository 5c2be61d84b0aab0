"""Any Python object is read or refused in one sentence; an ambiguous one is refused with its possible meanings."""

from __future__ import annotations

import datetime
import io
import uuid
import warnings
from collections import namedtuple
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Any

import narwhals
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pytest
import receval
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.sizes import draws

TEST = {0: [1], 1: [2], 2: [0]}
LISTS = {0: [1, 2], 1: [0], 2: [0]}
VALUES: list[Any] = [
    *(0, 1, -1, 2**40, 2**70, 1.0, 1.5, float("nan"), float("inf"), True, None, "a", "", "1", b"a", 1j, "é"),
    *(uuid.UUID(int=5), Decimal("1"), Decimal("1.5"), Decimal("NaN"), datetime.date(2020, 1, 1), datetime.timedelta(1), object()),
    *(pd.Timestamp("2020"), pd.NaT, pd.NA, np.int8(3), np.float32(2), np.str_("x"), np.datetime64("2020-01-01"), np.timedelta64(3, "s")),
    *((1, 2), [1, 2], [], ["a", 1], [None], [1.5], {"a": 1}, {1}, np.array([1, 2]), np.array(3), range(3), slice(1)),
]
DTYPES = ["i1", "u1", "i8", "u8", "f2", "f4", "f8", "g", "c8", "?", "U3", "S3", "M8[s]", "m8[s]", "M8[ns]", "V4", "O"]
PANDAS = ["Int8", "UInt64", "Float32", "boolean", "string", "category", "int64[pyarrow]", "double[pyarrow]", "string[pyarrow]"]
ARROW = [pa.int8(), pa.null(), pa.binary(), pa.decimal128(5, 2), pa.timestamp("s"), pa.list_(pa.int64()), pa.duration("s"), pa.float16()]
NAMES = [["user", "item"], ["user", "item", "score"], ["user", "item", "rank"], ["item"], ["user", "item", "column_names"], ["a", "b"]]
values = st.sampled_from(VALUES)
three = st.one_of(st.lists(values, min_size=3, max_size=3), values.map(lambda item: [item] * 3))


@st.composite
def arrays(draw: Any, shapes: tuple[tuple[int, ...], ...]) -> Any:
    shape, dtype = draw(st.sampled_from(shapes)), draw(st.sampled_from(DTYPES))
    if dtype != "O":
        return (
            np.array(draw(st.lists(st.integers(0, 3), min_size=int(np.prod(shape)), max_size=int(np.prod(shape)))))
            .reshape(shape)
            .astype(dtype)
        )
    held = np.empty(shape, object)
    for place in np.ndindex(shape):
        held[place] = draw(values)
    return held


@st.composite
def pandas_columns(draw: Any) -> Any:
    made = pd.Series([None] * 3, dtype=object)
    for place, value in enumerate(draw(three)):
        made.at[place] = value
    kinds = [
        made,
        pd.Series([1, 0, 1]).astype(draw(st.sampled_from(PANDAS))),
        pd.Series([1.0, None, 2.0], dtype=draw(st.sampled_from(["float32", "category", "Float64"]))),
        pd.Series(pd.date_range("2020", periods=3, tz="UTC")),
        pd.Series(pd.period_range("2020", periods=3)),
        pd.Series(pd.interval_range(0, 3)),
        pd.Series(pd.arrays.SparseArray([0, 0, 1])),
        pd.Series([None] * 3, dtype=pd.ArrowDtype(draw(st.sampled_from(ARROW)))),
    ]
    return draw(st.sampled_from(kinds))


@st.composite
def tables(draw: Any) -> Any:
    """Draw a table of some kind, valid or not."""
    names = draw(st.sampled_from(NAMES))
    flat, square = arrays(((3,), (2,))), arrays(((3, 2), (3, 3), (0, 2), (2, 0), (1, 1), (3, 7), (2, 2, 2), ()))
    held = st.one_of(three, flat, values, pandas_columns(), st.just({1, 2}), st.just([(1, 2.0)]), st.just([{"item": 1}]))
    kinds = [
        square,
        st.builds(receval.Matrix, square, users=st.one_of(st.none(), three), items=st.one_of(st.none(), three)),
        st.fixed_dictionaries(dict.fromkeys(names, pandas_columns())).map(pd.DataFrame),
        st.fixed_dictionaries(dict.fromkeys(names, st.one_of(three, flat, pandas_columns()))),
        st.dictionaries(st.sampled_from([1, 2, "x", None, 1.0, uuid.UUID(int=1), b"q", (1,), True]), held, max_size=3),
        st.lists(st.fixed_dictionaries(dict.fromkeys(names, values)), max_size=3),
        st.lists(three.map(tuple), min_size=1, max_size=3),
        st.lists(three, max_size=2),
        st.fixed_dictionaries(dict.fromkeys(names, three)).map(
            lambda held: pl.DataFrame([pl.Series(n, v, dtype=pl.Object) for n, v in held.items()])
        ),
        st.tuples(square, square),
        square.filter(lambda array: array.ndim == 2 and array.dtype.kind in "iufb" and array.dtype.itemsize > 2).map(
            lambda array: scipy.sparse.csr_matrix(array.astype("f8"))
        ),
        three.map(lambda held: pd.Series(held, index=pd.Index([1, 2, 3], name="user"), name="item", dtype=object)),
        st.just(np.ma.masked_array([[1, 2]], [[True, False]])),
        values,
    ]
    return draw(st.one_of(kinds))


@settings(max_examples=draws(30, 150), derandomize=True)
@given(
    table=tables(),
    place=st.sampled_from(["test", "recommendations", "a model", "train", "items", "users", "predictions"]),
    mask_seen=st.sampled_from([None, None, None, True]),
)
def test_any_python_object_is_read_or_refused_in_one_sentence(table: Any, place: str, mask_seen: bool | None):
    asked: dict[str, Any] = {"test": TEST, "recommendations": LISTS, "metrics": ["nDCG@2"], "mask_seen": mask_seen}
    asked |= {"recommendations": {"m": table}} if place == "a model" else {place: table}
    asked["metrics"] += {"train": ["EPC@2"], "items": ["ItemCoverage@2"], "predictions": ["RMSE"]}.get(place, [])
    with warnings.catch_warnings(action="ignore"), suppress(receval.RecevalError):  # a sentence; anything else fails
        receval.evaluate(**asked)


PAIRS = np.array([[0, 1], [1, 2], [2, 0]])
TOP = np.array([[1, 2], [0, 3], [0, 4]])
COUNTS = np.array([[0, 5, 0, 2, 2, 1], [3, 3, 0, 1, 1, 0], [4, 0, 1, 1, 0, 2]])
AMBIGUOUS: dict[str, tuple[str, Any, str, str]] = {
    "pairs, or ratings of two items": (
        "test",
        PAIRS,
        "3 × 2 numbers can be rows of user, item, or a matrix of 2 items for 3 users",
        "receval.Matrix(array)",
    ),
    "pairs as floats": ("train", PAIRS.astype(float), "can be rows of user, item, or a matrix of 2 items", "schema=['user', 'item']"),
    "rows of ratings": ("test", np.c_[PAIRS, [5.0, 3.5, 1]], "can be rows of user, item, rating, or a matrix of 3 items", ""),
    "rows with times": ("test", np.c_[PAIRS, PAIRS], "can be rows of user, item, rating, timestamp, or a matrix of 4 items", ""),
    "rows of predictions": ("predictions", np.c_[PAIRS, [5.0, 3.5, 1]], "can be rows of user, item, prediction, or a matrix of 3", ""),
    "pairs, or lists of two": (
        "recommendations",
        TOP,
        "can be rows of user, item, or lists of 2 item ids for 3 users",
        "lists as receval.Matrix",
    ),
    "rows of scores": ("recommendations", np.c_[TOP, [0.5, 0.25, 0.125]], "can be rows of user, item, score, or a matrix of 3 items", ""),
    "ids as floats": (
        "recommendations",
        np.c_[TOP, TOP + 5.0],
        "whole numbers stored as floats can be the item ids of each list, or scores of 4 items",
        "array.astype(int)",
    ),
    "ids beside NaN": (
        "recommendations",
        np.array([[1.0, np.nan], [2.0, 0.0]]),
        "whole numbers stored as floats can be the item ids",
        "-1 for no item",
    ),
    "counts, or ids": (
        "recommendations",
        COUNTS,
        "integers, some of them twice in each row, can be the item ids of each list, or scores of 6 items",
        "array.astype(float)",
    ),
    "an item of each user": (
        "test",
        np.array([[1], [2], [0]]),
        "3 × 1 numbers can be the item of each user, or a matrix of 1 item for 3 users",
        "dict(enumerate(array[:, 0]))",
    ),
    "ids of five, or ratings of five items": (
        "test",
        np.c_[TOP, TOP + 5, [-1, 9, -1]],
        "whole numbers, all different in each row, can be the item ids of each user, or ratings of 5 items",
        "dict(enumerate(array.tolist())), or a matrix as receval.Matrix(array)",
    ),
    "items, or names of columns": (
        "recommendations",
        {"m": {0: {"item": 1, "score": 2.0}}},
        "m: dict, user 0: the keys 'item', 'score' can be items, or the names of columns",
        "{user: [{'item': 1}, …]}, or items as {user: [item, …]}",
    ),
    "a masked array": ("test", np.ma.masked_array(COUNTS, COUNTS == 0), "masked values are not supported", "array.filled(0)"),
    "lists without users": (
        "recommendations",
        TOP.tolist(),
        "lists of 2 integers can be rows of user, item, or the items of users 0, 1, …",
        "give rows as tuples",
    ),
    "few texts": (
        "test",
        {"u0": "a", "u1": "b"},
        "test: dict: a dict of 2 texts can be the item of each user, or a section of a config with wrong keys",
        "give items as lists, {'u0': ['a']}, or a file as {'path': FILE}",
    ),
    "a dict of splits": (
        "test",
        {"train": pl.DataFrame({"user": [0]}), "test": pl.DataFrame({"user": [0]})},
        "a dict of tables, 'train', 'test'",
        "choose one of them: data['test']",
    ),
}


@pytest.mark.parametrize("name", AMBIGUOUS)
def test_an_ambiguous_object_is_refused_with_both_meanings(name: str):
    place, table, sentence, hint = AMBIGUOUS[name]
    asked: dict[str, Any] = {
        "test": TEST,
        "recommendations": LISTS,
        place: table,
        "metrics": ["nDCG@2", "RMSE"] if place == "predictions" else "nDCG@2",
    }
    with pytest.raises(receval.DataError) as raised:
        receval.evaluate(**asked, health={"X03": "off"})
    assert sentence in raised.value.message
    assert hint in (raised.value.hint or "")


def value(**asked: Any) -> float | None:
    return receval.evaluate(**{"test": TEST, "recommendations": LISTS, "metrics": "nDCG@2", **asked})["nDCG@2"].value


def test_arrays_are_read_as_pairs_ids_or_scores():
    # of a user's two ranks the first counts 1, the second 1/log2(3) = 0.6309; each user has one relevant item: 1, 2 and 0
    second = 1 / np.log2(3)
    assert value(test=pl.DataFrame(PAIRS, schema=["user", "item"])) == pytest.approx((1 + 0 + 1) / 3)
    assert value(test=receval.Matrix(np.array([[0, 1], [0, 1], [1, 0]]))) == pytest.approx((1 + 0 + 1) / 3)
    assert value(recommendations=receval.Matrix(TOP)) == pytest.approx((1 + 0 + 1) / 3)
    assert value(recommendations=pl.DataFrame(TOP, schema=["user", "item"]), test={0: [4], 1: [2]}, policy={}) == pytest.approx(
        (second + 1) / 2
    )
    # the highest of COUNTS: items 1 and 3 (2 and 2 tie: the smaller id), 0 and 1, 0 and 5
    assert value(recommendations=receval.Matrix(COUNTS.astype(float))) == pytest.approx((1 + 0 + 1) / 3)
    assert value(recommendations=COUNTS.astype(float)) == value(recommendations=receval.Matrix(COUNTS.astype(float)))
    assert value(recommendations=np.c_[TOP, [-1, -1, -1]]) == pytest.approx((1 + 0 + 1) / 3)


def test_a_single_item_is_a_list_of_one_in_interactions_only():
    held_out = np.array([[1], [2], [0]])
    assert value(test=dict(enumerate(held_out[:, 0]))) == value(test={0: 1, 1: [2], 2: [0]}) == value()
    with pytest.raises(receval.DataError, match="user 0: 1 is not a list of items"):
        value(recommendations={0: 1})


def test_few_texts_by_user_are_not_read_as_keys_of_a_config():
    for test, sentence in (
        ({"u0": None}, "test: dict, user 'u0': None is not a list of items"),
        ({"u0": "a", "u1": ["b"]}, "test: dict, user 'u0': 'a' is not a list of items"),
        ({"pth": "t.csv"}, "test.pth: unknown key 'pth' — did you mean 'path'?"),
    ):
        with pytest.raises((receval.DataError, receval.ConfigError)) as raised:
            value(test=test)
        assert str(raised.value).startswith(sentence)
    with pytest.raises(receval.DataError, match=r"recommendations.m: dict, user 'u0': 'a' is not a list of items"):
        value(recommendations={"m": {"u0": "a"}})
    assert value(test={f"u{user}": "a" for user in range(6)}, recommendations={"m": {"u0": ["a"]}}) == pytest.approx(1 / 6)
    assert value(test={0: "a"}, recommendations={0: ["a"]}) == 1.0


class Tensor:
    """A tensor, as PyTorch has it: it converts itself, and its elements are tensors."""

    def __init__(self, values: Any) -> None:
        self.values = np.asarray(values)
        self.shape, self.ndim = self.values.shape, self.values.ndim

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Any:
        return map(Tensor, self.values)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.values

    def tolist(self) -> Any:
        return self.values.tolist()


@pytest.mark.each_once
@pytest.mark.parametrize("kind", [list, tuple, np.array, pl.Series, pd.Series, pd.Index, pa.array, Tensor], ids=lambda kind: kind.__name__)
@pytest.mark.parametrize(
    "named", [dict, lambda items: {f"u{user}": [f"i{item}" for item in items[user]] for user in items}], ids=["integers", "texts"]
)
def test_the_items_of_a_user_are_any_sequence_with_and_without_the_name_of_the_model(kind: Any, named: Any):
    test, lists = ({user: kind(items) for user, items in named(table).items()} for table in (TEST, LISTS))
    expected = receval.evaluate(test=named(TEST), recommendations={"m": named(LISTS)}, metrics="nDCG@2").to_dict()["m"]
    evaluator = receval.Evaluator(test=test, metrics="nDCG@2")
    for asked in (lists, {"sasrec": lists}):
        assert receval.evaluate(test=test, recommendations=asked, metrics="nDCG@2")["nDCG@2"].value == expected["nDCG@2"]
        assert evaluator(asked) == expected


def test_an_evaluator_refuses_the_lists_of_several_models():
    evaluator = receval.Evaluator(test=TEST, metrics="nDCG@2")
    for lists in ({0: np.array([1, 2])}, pl.DataFrame({"user": [0], "item": [1]}), np.zeros((3, 3))):
        with pytest.raises(receval.ConfigError, match=r"the lists of 2 models, 'a', 'b': an .* one model\n  call it once for each"):
            evaluator({"a": lists, "b": lists})


def test_integers_are_ids_also_if_seen_items_are_masked():
    with pytest.raises(receval.DataError, match="integers are item ids, but mask_seen needs scores"):
        value(recommendations=COUNTS, train=TEST, mask_seen=True)


def test_mask_seen_is_refused_for_lists_that_are_not_a_matrix_of_scores():
    scores = np.array([[0.5, 0.25, 0.125]] * 3)
    for lists, named in ((LISTS, "recommendations are"), ({"m": scores, "top": LISTS}, "recommendations.top is")):
        with pytest.raises(receval.ConfigError, match=f"mask_seen: {named} not a matrix of scores\n  use policy={{'seen_items'"):
            value(recommendations=lists, train=TEST, mask_seen=True)
    with pytest.raises(receval.DataError, match="integers are item ids, but mask_seen needs scores"):
        value(recommendations=(np.array([[1, 2]]), np.array([[0.5, 0.25]])), train=TEST, mask_seen=True)
    evaluator = receval.Evaluator(test=TEST, train=TEST, metrics="nDCG@2", mask_seen=True)
    with pytest.raises(receval.ConfigError, match="mask_seen: the lists are not a matrix of scores"):
        evaluator(LISTS)
    assert evaluator(scores) == {"nDCG@2": 0.0}


def test_the_lists_of_a_model_may_be_several_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    for user, items in LISTS.items():
        pl.DataFrame({"user": [user] * len(items), "item": items}).write_parquet(f"{user}.parquet")
    names = [f"{user}.parquet" for user in LISTS]
    for files in (names, [Path(name) for name in names]):
        assert value(recommendations={"als": files}) == value()
    assert value(test={"als": ["0.parquet"]}, recommendations={"als": ["0.parquet", "1"]}) == 1.0  # "1" is an item


class DatasetDict(dict):  # type: ignore[type-arg]
    """Splits by name, like the class of HuggingFace."""


def test_the_splits_of_a_data_set_are_not_read_as_models():
    splits = DatasetDict(train=pl.DataFrame({"user": [0], "item": [1]}), test=pl.DataFrame({"user": [1], "item": [2]}))
    for role, split in (("recommendations", "test"), ("predictions", "test"), ("test", "test"), ("train", "train"), ("items", "test")):
        sentence = rf"^{role}: a DatasetDict has the splits train, test\n  choose one of them: data\['{split}'\]"
        with pytest.raises(receval.DataError, match=sentence):
            value(**{role: splits})
    with pytest.raises(receval.DataError, match=r"data.recommendations: a DatasetDict has the splits train, test"):
        receval.load_config({"data": {"test": TEST, "recommendations": splits}, "evaluation": {"metrics": ["nDCG"]}})
    with pytest.raises(receval.DataError, match=r"recommendations.m: .*a dict of tables, 'train', 'test'"):
        value(recommendations={"m": splits})
    assert value(recommendations={"a": splits["train"]}, test=splits["train"]) == 1.0


def unanswered() -> Any:
    yield {"user": 0, "item": 1}
    raise OSError("no answer")


def test_splits_of_huggingface_are_read_also_streamed():
    datasets = pytest.importorskip("datasets", reason="datasets of HuggingFace are not installed")
    split = datasets.Dataset(pa.table({"who": [0, 1, 2], "item": [1, 2, 0]}), fingerprint="rows")
    assert value(test=split, columns={"user": "who"}) == value()
    assert value(test=split.select([2, 0], new_fingerprint="two"), columns={"user": "who"}) == 1.0
    streamed = split.to_iterable_dataset()
    assert value(test=streamed, columns={"user": "who"}) == value(test=streamed, columns={"user": "who"}) == value()
    with pytest.raises(receval.DataError, match=r"IterableDataset: the stream cannot be read \(no answer\)\n  iterate over it yourself"):
        value(test=datasets.IterableDataset.from_generator(unanswered))
    with pytest.raises(receval.DataError, match="there are no rows"):
        value(test=datasets.IterableDataset.from_generator(lambda: iter(())))


BEST = np.array([[3, 1], [2, 4]])
SCORES = np.array([[0.9, 0.5], [0.8, 0.1]])
HELD: Any = {0: [3], 1: [4]}
TopK = namedtuple("TopK", "values indices")


def first_and_second(lists: Any, **more: Any) -> tuple[Any, Any]:
    given = {"test": HELD, "metrics": ["HitRate@1", "HitRate@2"], **more}
    result = receval.evaluate(recommendations=lists, health=False, **given)
    assert {row.label: row.value for row in result.rows} == receval.Evaluator(**given)(lists() if callable(lists) else lists)
    return tuple(row.value for row in result.rows)


@pytest.mark.parametrize(
    "lists",
    [
        TopK(SCORES, BEST),
        (BEST, SCORES),
        {user: (BEST[user], SCORES[user]) for user in (0, 1)},
        {user: TopK(SCORES[user], BEST[user]) for user in (0, 1)},
        pa.dataset.dataset(pa.table({"user": [0, 0, 1, 1], "item": BEST.ravel(), "rank": [1, 2, 1, 2]})),
        narwhals.from_native(pl.LazyFrame({"user": [0, 0, 1, 1], "item": BEST.ravel(), "rank": [1, 2, 1, 2]})),
    ],
    ids=["topk", "ids and scores", "ids and scores by user", "topk by user", "a dataset", "a lazy frame of narwhals"],
)
def test_what_training_code_returns_is_read(lists: Any):
    assert first_and_second(lists) == (0.5, 1.0)


def test_a_generator_of_records_is_read_once():
    def records() -> Any:
        yield from ({"user": user, "item": int(item), "rank": rank} for user in (0, 1) for rank, item in enumerate(BEST[user], 1))

    assert receval.evaluate(test=HELD, recommendations=records(), metrics="HitRate@1")["HitRate@1"].value == 0.5
    assert receval.Evaluator(test=HELD, metrics="HitRate@1")(records()) == {"HitRate@1": 0.5}


def test_bytes_in_memory_are_refused_with_the_way_to_read_them():
    with pytest.raises(receval.DataError, match=r"model: BytesIO has bytes, not a table\n  read them: polars\.read_parquet"):
        receval.evaluate(test=HELD, recommendations=io.BytesIO(b"PAR1"), metrics="HitRate@1")


@pytest.mark.parametrize("kind", [pl.DataFrame, pd.DataFrame, pa.table])
def test_booleans_are_ratings(kind: Any):
    test = kind({"user": [0, 0, 1], "item": [3, 1, 4], "rating": [True, False, True]})
    assert first_and_second((BEST, SCORES), test=test) == (0.5, 1.0)


@pytest.mark.filterwarnings("ignore:Sparse CSR")
def test_tensors_are_read_on_any_device_of_any_type_and_with_gradients():
    torch = pytest.importorskip("torch")
    scores = torch.rand(4, 9, generator=torch.Generator().manual_seed(1))
    test = {user: [item] for user, item in enumerate(scores.argmax(1).tolist())}
    top = torch.topk(scores, 5)
    by_user = {user: (top.indices[user], top.values[user]) for user in range(4)}
    kinds = [scores, torch.nn.Parameter(scores), scores.double(), scores.half(), scores.to_sparse(), scores.to_sparse_csr(), top, by_user]
    for lists in (*kinds, (top.indices, torch.nn.Parameter(top.values)), {user: top.indices[user] for user in range(4)}):
        assert first_and_second(lists, test=test) == (1.0, 1.0)
    coarse = scores.bfloat16()
    ties = {user: [int(item)] for user, item in enumerate(coarse.float().argmax(1))}
    assert first_and_second(coarse, test=ties)[1] == 1.0
    with pytest.raises(receval.DataError, match=r"recommendations.model: torch.Tensor: a tensor on the device meta has no values"):
        receval.evaluate(test=test, recommendations=scores.to("meta"), metrics="HitRate@1")
    with pytest.raises(receval.DataError, match=r"dict\(enumerate\(lists\)\)"):
        receval.evaluate(test=test, recommendations=list(top.indices), metrics="HitRate@1")
    evaluator = receval.Evaluator(test=test, metrics="HitRate@1")
    assert evaluator(top) == {"HitRate@1": 1.0}
    assert [*evaluator._run._files] == [("integer", "integer")], "the ids are not copied to text"


def test_tensors_are_read_also_in_a_config_in_a_section_and_beside_frames():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    ids, scores = torch.tensor(BEST), torch.tensor(SCORES).requires_grad_()
    frame = pl.DataFrame({"user": [0, 0, 1, 1], "item": BEST.ravel()})
    models = {"rows": frame, "pair": (ids, scores), "section": {"frame": receval.Matrix(ids)}, "runs": {"runs": [(ids, scores)] * 2}}
    config = {"data": {"test": HELD, "recommendations": models}, "evaluation": {"metrics": ["HitRate@1"]}, "health": "off"}
    for result in (receval.evaluate(config), receval.evaluate(test=HELD, recommendations=models, metrics="HitRate@1", health=False)):
        assert result.to_dict() == {name: {"HitRate@1": 0.5} for name in models}
    for wrong, sentence in (
        (torch.zeros(2, 2, 2), "m: torch.Tensor: an array of 3 dimensions"),
        (torch.zeros(2, 2, 2).to_sparse(), "m: torch.Tensor: a sparse tensor of 3 dimensions\n  a matrix has users × items"),
        (torch.zeros(2, 2, dtype=torch.complex64), "m: torch.Tensor: a matrix of complex64\n  give numbers"),
        ({0: [1], 1: torch.zeros(1, device="meta")}, "m: dict: a tensor on the device meta has no values"),
    ):
        with pytest.raises(receval.DataError, match=sentence):
            receval.evaluate(test=HELD, recommendations={"m": wrong}, metrics="HitRate@1")


def test_arrays_of_jax_are_read_and_traced_ones_refused():
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    ids, scores = jax.numpy.asarray(BEST), jax.numpy.asarray(SCORES)
    for lists in (receval.Matrix(ids), (ids, scores), {0: ids[0], 1: ids[1]}, (ids, scores.astype("bfloat16"))):
        assert first_and_second(lists) == (0.5, 1.0)
    matrix = jax.numpy.asarray([[0.5, 0.25, 0.125, 1.5, 0.0]] * 2, dtype="bfloat16")
    assert first_and_second(matrix) == (0.5, 0.5)
    traced = jax.jit(lambda user_values: receval.evaluate(test=HELD, recommendations=user_values, metrics="HitRate@1"))
    with pytest.raises(receval.DataError, match=r"cannot be converted into an array \(.*\)\n  give it as an array of NumPy"):
        traced(matrix)
