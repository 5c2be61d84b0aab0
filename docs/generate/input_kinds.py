"""Every kind of Python object × every input of `receval.evaluate`: what is read, and what the others get as an answer.

`python docs/generate/input_kinds.py` tries all kinds whose library is installed, and writes `input_kinds.yaml`, from which the table in
docs/input-forms.md is made; `python docs/generate/input_kinds.py "Spark DataFrame"` tries only those of Spark.
"""

from __future__ import annotations

import importlib.util
import io
import os
import re
import sys
import tempfile
import warnings
from collections import namedtuple
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import polars as pl
import receval
import yaml
from msgspec import Struct
from receval.documents.document import Block, Paragraph, Table, text_columns

OUTCOMES: Final = Path(__file__).parent / "input_kinds.yaml"
SPARK: Final = "Spark DataFrame"
"""The title of the kind that needs a session of Spark."""
READ: Final = "read"
"""The outcome of a table that gives the values of the Polars frame with the same rows."""
_USERS, _ITEMS, _RANKS = range(4), range(7), 5
_LISTED: Final = [(user, (user * 3 + rank) % 7) for user in _USERS for rank in range(_RANKS)]
_RATED: Final = [(0, 1), (0, 2), (1, 3), (2, 0), (2, 6), (3, 5), (3, 3)]
_NUMBERED: Final = {"score", "rating", "prediction", "distance"}
WORLD: Final[Mapping[str, pl.DataFrame]] = {
    "test": pl.DataFrame([(u, i, 1 + i % 5) for u, i in _RATED], schema=["user", "item", "rating"], orient="row"),
    "recommendations": pl.DataFrame(
        [(u, i, 0.9 - n % _RANKS / 7 - u / 50) for n, (u, i) in enumerate(_LISTED)], schema=["user", "item", "score"], orient="row"
    ),
    "train": pl.DataFrame([(u, (u + i) % 7, 1 + u) for u in _USERS for i in range(u + 1)], schema=["user", "item", "rating"], orient="row"),
    "baseline": pl.DataFrame(
        [(u, (i + 1) % 7, 0.9 - n % _RANKS / 7) for n, (u, i) in enumerate(_LISTED)], schema=["user", "item", "score"], orient="row"
    ),
    "predictions": pl.DataFrame([(u, i, 0.5 + i % 3) for u, i in _RATED], schema=["user", "item", "prediction"], orient="row"),
    "previous_policy": pl.DataFrame({"item": list(_ITEMS), "score": [0.5 + i % 3 for i in _ITEMS]}),
    "distances": pl.DataFrame(
        [(i, j, (i + j) % 5 / 5) for i in _ITEMS for j in range(i)], schema=["item", "other", "distance"], orient="row"
    ),
    "items": pl.DataFrame({"item": [*_ITEMS, 20], "kind": list("abcaabca")}),
    "users": pl.DataFrame({"user": list(_USERS), "plan": list("abba")}),
}
"""A table for each input, as a Polars frame."""
ROLES: Final = (*WORLD, "Evaluator")
"""Every input; `Evaluator` are the lists of a call of a `receval.Evaluator`."""
METRICS: Final[Mapping[str, Mapping[str, Any]]] = {
    "train": {"metrics": ["EPC@3"]},
    "baseline": {"metrics": ["Unexpectedness@3"]},
    "predictions": {"metrics": ["RMSE"]},
    "previous_policy": {"metrics": ["NCISRecall@3"]},
    "distances": {"metrics": ["ILD(distance=file)@3"]},
    "items": {"metrics": ["ItemCoverage@3"]},
    "users": {"by": "users.plan"},
}
_PLACE: Final = re.compile(r"^(recommendations\.model|[a-z_]+): ([A-Za-z]\w*(\.\w+)*(?=, |: )(, user \S+)?: )?")
"""The place with which a sentence begins: the input, the type of the object, and a user."""
_FOLDER: Final = tempfile.TemporaryDirectory()
TopK = namedtuple("TopK", "values indices")


class Kind(Struct, frozen=True):
    """One kind of object: its title, the library that it needs, and how it is made of the rows of an input.

    `rows` are the rows that it has, if they are not those of the input: a mapping of users has none of the columns of a catalogue.
    """

    title: str
    library: str
    make: Callable[[str, pl.DataFrame], Any]
    rows: Callable[[str, pl.DataFrame], pl.DataFrame] = lambda role, frame: frame

    @property
    def is_installed(self) -> bool:
        """True if the library of this kind can be imported."""
        return not self.library or importlib.util.find_spec(self.library) is not None


def answer(kind: Kind, role: str) -> str:
    """Return how a kind of object is answered as this input: `READ`, or the sentence of its refusal without the name of the input.

    Raises what receval raises if it is not a `RecevalError`, and `AssertionError` if it gives other values than the frame of its rows.
    """
    frame = WORLD[table_of(role)]
    rows = kind.make(role, frame)
    try:
        values = values_of(role, rows)
    except receval.RecevalError as error:
        return _PLACE.sub("", str(error)).replace(f"{_FOLDER.name}/{role}", "table").replace("\n  ", ": ")
    expected = values_of(role, kind.rows(role, frame))
    assert values == expected, f"{kind.title} as {role}: {values}, not {expected}"
    return READ


def answers(kind: Kind) -> dict[str, list[str]]:
    """Return each answer to a kind of object, with the inputs that get it."""
    found: dict[str, list[str]] = {}
    for role in ROLES:
        found.setdefault(answer(kind, role), []).append(role)
    return found


def stored() -> dict[str, dict[str, list[str]]]:
    """Return the recorded answers of each kind, by its title."""
    held = yaml.safe_load(OUTCOMES.read_text("utf-8"))
    return {title: {sentence: roles.split(", ") for sentence, roles in given.items()} for title, given in held.items()}


def table_of(role: str) -> str:
    """Return the table of `WORLD` that an input has."""
    return "recommendations" if role == "Evaluator" else role


def values_of(role: str, rows: Any, **more: Any) -> dict[str, Any]:
    """Return the values that are measured with these rows as this input, and with Polars frames for all others."""
    given = {name: WORLD[name] for name in ("test", "recommendations")}
    asked: dict[str, Any] = {"metrics": ["nDCG@3", "Recall@5"], "health": False, **METRICS.get(role, {}), **more}
    with warnings.catch_warnings(action="ignore"):
        if role == "Evaluator":
            return dict(receval.Evaluator(test=given["test"], metrics=asked["metrics"])(rows))
        result = receval.evaluate(**{**given, role: rows, **asked})
    return {f"{row.label} {row.group or ''}": row.value for row in result.rows}


def _pairs(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a table of users and items: of an input without them, such as the items, that of the test rows."""
    return frame if {"user", "item"} <= set(frame.columns) else WORLD["test"]


def _by_user(role: str, frame: pl.DataFrame, held: Callable[[list[Any], list[Any]], Any]) -> dict[int, Any]:
    """Return what `held` makes of the items and numbers of each user."""
    table = _pairs(frame)
    groups = table.group_by("user", maintain_order=True).agg(pl.all()).rows()
    return {user: held(items, numbers) for user, items, numbers in groups}


def _dense(role: str, frame: pl.DataFrame) -> Any:
    """Return users × items: scores of lists, in which no other item is a candidate, else numbers of interactions."""
    table = _pairs(frame)
    made = np.full((len(_USERS), len(_ITEMS)), -np.inf if "score" in table.columns else 0.0)
    made[table["user"].to_numpy(), table["item"].to_numpy()] = table.to_series(2).to_numpy()
    return made


def _sparse(role: str, frame: pl.DataFrame) -> Any:
    import scipy.sparse

    table = _pairs(frame)
    entries = (table.to_series(2).to_numpy().astype(float), (table["user"].to_numpy(), table["item"].to_numpy()))
    return scipy.sparse.coo_array(entries, shape=(len(_USERS), len(_ITEMS)))


def _ids(role: str, frame: pl.DataFrame) -> Any:
    """Return users × ranks of item ids, -1 for none."""
    lists = _by_user(role, frame, lambda items, _: items)
    return np.array([lists[user] + [-1] * (_RANKS - len(lists[user])) for user in _USERS])


def _scores(role: str, frame: pl.DataFrame) -> Any:
    lists = _by_user(role, frame, lambda _, numbers: numbers)
    return np.array([lists[user] + [0.0] * (_RANKS - len(lists[user])) for user in _USERS])


def _entries(array: Any, columns: list[str]) -> pl.DataFrame:
    rows, places = np.nonzero(array)
    return pl.DataFrame([rows, places, array[rows, places]], schema=columns)


def _first_items(role: str, frame: pl.DataFrame) -> pl.DataFrame:
    """Return the first row of each user; as scores of a policy a dict of integers has the users as items."""
    first = _pairs(frame).unique("user", keep="first", maintain_order=True)
    return first.select(item="user", score="item") if role == "previous_policy" else first


def _arrow(frame: pl.DataFrame) -> Any:
    return frame.to_arrow()


def _imported(name: str) -> Any:
    return importlib.import_module(name)


def _file(role: str, frame: pl.DataFrame) -> Path:
    path = Path(_FOLDER.name) / f"{role}.csv"
    frame.write_csv(path)
    return path


def _on_spark(frame: pl.DataFrame) -> Any:
    """Return a DataFrame of the active session of Spark."""
    return _imported("pyspark.sql").SparkSession.getActiveSession().createDataFrame(frame.to_arrow())


def _dataset(frame: pl.DataFrame) -> Any:
    return _imported("datasets").Dataset(_arrow(frame), fingerprint="rows")


def _splits(frame: pl.DataFrame) -> Any:
    return _imported("datasets").DatasetDict(train=_dataset(frame), test=_dataset(frame))


def _relation(frame: pl.DataFrame) -> Any:
    return _imported("duckdb").from_arrow(_arrow(frame))


def _result_of_duckdb(frame: pl.DataFrame) -> Any:
    held = _arrow(frame)
    return _imported("duckdb").connect().register("held", held).execute("select * from held")


def _tensor(array: Any) -> Any:
    return _imported("torch").as_tensor(array)


def _structured(frame: pl.DataFrame) -> Any:
    return frame.to_numpy(structured=True)


def _id_column(role: str, frame: pl.DataFrame) -> pl.Series:
    return frame["item" if "item" in frame.columns else "user"]


def _generator(frame: pl.DataFrame) -> Iterator[dict[str, Any]]:
    yield from frame.to_dicts()


KINDS: Final = (
    Kind("Polars DataFrame", "polars", lambda role, frame: frame),
    Kind("Polars LazyFrame", "polars", lambda role, frame: frame.lazy()),
    Kind("Polars Series of ids", "polars", _id_column),
    Kind("Polars GroupBy", "polars", lambda role, frame: frame.group_by(frame.columns[0])),
    Kind("pandas DataFrame", "pandas", lambda role, frame: frame.to_pandas()),
    Kind("pandas DataFrame, index of ids", "pandas", lambda role, frame: frame.to_pandas().set_index(frame.columns[0])),
    Kind(
        "pandas Series of items, by user",
        "pandas",
        lambda role, frame: _pairs(frame).to_pandas().set_index("user")["item"],
        lambda role, frame: _pairs(frame),
    ),
    Kind("pandas Series of ids", "pandas", lambda role, frame: _id_column(role, frame).to_pandas()),
    Kind("pandas Index of ids", "pandas", lambda role, frame: _imported("pandas").Index(_id_column(role, frame).to_pandas())),
    Kind("pandas GroupBy", "pandas", lambda role, frame: frame.to_pandas().groupby(frame.columns[0])),
    Kind("pyarrow Table", "pyarrow", lambda role, frame: _arrow(frame)),
    Kind("pyarrow RecordBatch", "pyarrow", lambda role, frame: _arrow(frame).to_batches()[0]),
    Kind("pyarrow RecordBatchReader", "pyarrow", lambda role, frame: _arrow(frame).to_reader()),
    Kind("pyarrow Dataset", "pyarrow", lambda role, frame: _imported("pyarrow.dataset").dataset(_arrow(frame))),
    Kind("pyarrow Scanner", "pyarrow", lambda role, frame: _imported("pyarrow.dataset").dataset(_arrow(frame)).scanner()),
    Kind("pyarrow Array of ids", "pyarrow", lambda role, frame: _id_column(role, frame).to_arrow()),
    Kind("DuckDB relation", "duckdb", lambda role, frame: _relation(frame)),
    Kind("DuckDB result of execute", "duckdb", lambda role, frame: _result_of_duckdb(frame)),
    Kind(SPARK, "pyspark", lambda role, frame: _on_spark(frame)),
    Kind("narwhals DataFrame", "narwhals", lambda role, frame: _imported("narwhals").from_native(frame)),
    Kind("narwhals LazyFrame", "narwhals", lambda role, frame: _imported("narwhals").from_native(frame.lazy())),
    Kind("HuggingFace Dataset", "datasets", lambda role, frame: _dataset(frame)),
    Kind(
        "HuggingFace IterableDataset",
        "datasets",
        lambda role, frame: _dataset(frame).to_iterable_dataset(),
    ),
    Kind("HuggingFace DatasetDict", "datasets", lambda role, frame: _splits(frame)),
    Kind("users × items, NumPy", "numpy", _dense),
    Kind("users × items, receval.Matrix", "numpy", lambda role, frame: receval.Matrix(_dense(role, frame))),
    Kind("users × items, SciPy sparse", "scipy", _sparse),
    Kind("users × items, PyTorch", "torch", lambda role, frame: _tensor(_dense(role, frame)).requires_grad_()),
    Kind("users × items, PyTorch sparse", "torch", lambda role, frame: _sparse_tensor(role, frame)),
    Kind("users × items, JAX", "jax", lambda role, frame: _imported("jax.numpy").asarray(_dense(role, frame))),
    Kind("item ids by rank, NumPy", "numpy", _ids),
    Kind(
        "integers in a receval.Matrix: item ids by rank in lists, users × items elsewhere",
        "numpy",
        lambda role, frame: receval.Matrix(_ids(role, frame)),
        lambda role, frame: frame if "score" in frame.columns else _entries(_ids(role, frame), frame.columns),
    ),
    Kind("item ids by rank, PyTorch", "torch", lambda role, frame: _tensor(_ids(role, frame))),
    Kind("item ids by rank, JAX", "jax", lambda role, frame: _imported("jax.numpy").asarray(_ids(role, frame))),
    Kind("item ids and scores, NumPy", "numpy", lambda role, frame: (_ids(role, frame), _scores(role, frame))),
    Kind(
        "what torch.topk returns",
        "torch",
        lambda role, frame: _imported("torch").return_types.topk((_tensor(_scores(role, frame)), _tensor(_ids(role, frame)))),
    ),
    Kind("PyTorch on the device meta", "torch", lambda role, frame: _tensor(_dense(role, frame)).to("meta")),
    Kind("structured array, NumPy", "numpy", lambda role, frame: _structured(frame)),
    Kind("array of ids, NumPy", "numpy", lambda role, frame: _id_column(role, frame).to_numpy()),
    Kind("{user: [item, …]}", "", lambda role, frame: _by_user(role, frame, lambda items, numbers: items)),
    Kind("{user: {item, …}}, sets", "", lambda role, frame: _by_user(role, frame, lambda items, numbers: set(items))),
    Kind("{user: {item: number}}", "", lambda role, frame: _by_user(role, frame, lambda *both: dict(zip(*both, strict=True)))),
    Kind("{user: [(item, number), …]}", "", lambda role, frame: _by_user(role, frame, lambda *both: list(zip(*both, strict=True)))),
    Kind("{user: array}", "numpy", lambda role, frame: _by_user(role, frame, lambda items, numbers: np.array(items))),
    Kind("{user: tensor}", "torch", lambda role, frame: _by_user(role, frame, lambda items, numbers: _tensor(items))),
    Kind("{user: (ids, scores)}", "numpy", lambda role, frame: _by_user(role, frame, lambda *both: tuple(map(np.array, both)))),
    Kind(
        "{user: what torch.topk returns}",
        "torch",
        lambda role, frame: _by_user(role, frame, lambda items, numbers: TopK(_tensor(numbers), _tensor(items))),
    ),
    Kind("{id: record}", "", lambda role, frame: {row.pop(frame.columns[0]): row for row in frame.to_dicts()}),
    Kind(
        "{user: item}",
        "",
        lambda role, frame: dict(_first_items("", frame).select("user", "item").iter_rows()),
        lambda role, frame: _first_items(role, frame),
    ),
    Kind("{item: number}", "", lambda role, frame: dict.fromkeys(_ITEMS, 0.5), lambda role, frame: frame.with_columns(score=0.5)),
    Kind("{column: values}", "", lambda role, frame: frame.to_dict(as_series=False)),
    Kind(
        "{column: tensor}",
        "torch",
        lambda role, frame: {
            name: _tensor(frame[name].to_numpy()) if frame[name].dtype.is_numeric() else frame[name].to_list() for name in frame.columns
        },
    ),
    Kind("list of dicts", "", lambda role, frame: frame.to_dicts()),
    Kind("list of tuples", "", lambda role, frame: frame.rows()),
    Kind("list of lists", "", lambda role, frame: list(map(list, frame.rows()))),
    Kind("list of the items of each user", "", lambda role, frame: list(_by_user(role, frame, lambda items, numbers: items).values())),
    Kind("generator of dicts", "", lambda role, frame: _generator(frame)),
    Kind("generator of tuples", "", lambda role, frame: iter(frame.rows())),
    Kind("list of ids", "", lambda role, frame: _id_column(role, frame).to_list()),
    Kind("set of ids", "", lambda role, frame: set(_id_column(role, frame).to_list())),
    Kind("range", "", lambda role, frame: range(8)),
    Kind("path", "", lambda role, frame: str(_file(role, frame))),
    Kind("list of paths", "", lambda role, frame: [_file(role, frame)]),
    Kind("open file", "", lambda role, frame: _file(role, frame).open()),
    Kind("BytesIO", "", lambda role, frame: io.BytesIO(frame.write_csv().encode())),
    Kind("StringIO", "", lambda role, frame: io.StringIO(frame.write_csv())),
    Kind("bytes", "", lambda role, frame: frame.write_csv().encode()),
    Kind("text of a table", "", lambda role, frame: "user,item\n0,1\n0,2\n1,2\n"),
    Kind("number", "", lambda role, frame: 5),
    Kind("function", "", lambda role, frame: lambda: frame),
)


def _sparse_tensor(role: str, frame: pl.DataFrame) -> Any:
    torch = _imported("torch")
    table = _pairs(frame)
    places = torch.as_tensor(np.stack([table["user"].to_numpy(), table["item"].to_numpy()]))
    return torch.sparse_coo_tensor(places, torch.as_tensor(table.to_series(2).to_numpy().astype(float)), (len(_USERS), len(_ITEMS)))


def page() -> list[Block]:
    """Return the table of kinds × inputs, and the sentences of refusals, from the stored outcomes."""
    outcomes = stored()
    sentences = list(dict.fromkeys(sentence for given in outcomes.values() for sentence in given if sentence != READ))
    lines = []
    for kind, given in outcomes.items():
        of_role = {role: sentence for sentence, roles in given.items() for role in roles}
        lines.append((f"`{kind}`" if "{" in kind else kind, *(_cell(of_role[role], sentences) for role in ROLES)))
    return [
        Paragraph(
            "Every kind of object as every input of `receval.evaluate`, and as the lists of a call of a `receval.Evaluator`: yes if it "
            "gives the values of the Polars DataFrame with the same rows, else the number of the sentence that refuses it. A test "
            "tries them all."
        ),
        Table.from_texts(text_columns("object", *ROLES), lines),
        Table.from_texts(
            text_columns("", "the sentence of the refusal"), [(str(n), f"`{sentence}`") for n, sentence in enumerate(sentences, 1)]
        ),
    ]


def _cell(sentence: str, sentences: list[str]) -> str:
    return "yes" if sentence == READ else str(sentences.index(sentence) + 1)


def main(titles: Collection[str]) -> None:
    """Write the outcomes of the kinds with these titles, or of all but Spark, whose library is installed; those of others stay."""
    outcomes = stored() if OUTCOMES.exists() else {}
    for kind in KINDS:
        if kind.is_installed and (kind.title in titles if titles else kind.title != SPARK):
            if kind.title == SPARK:
                os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
                _imported("pyspark.sql").SparkSession.builder.master("local[2]").getOrCreate()
            outcomes[kind.title] = answers(kind)
    of_kinds = {kind.title: {sentence: ", ".join(roles) for sentence, roles in outcomes.get(kind.title, {}).items()} for kind in KINDS}
    OUTCOMES.write_text(yaml.safe_dump(of_kinds, sort_keys=False, allow_unicode=True, width=1000), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
