"""Config keys for files that names of columns alone do not describe, and `null`, which unsets a key."""

from __future__ import annotations

import json

import jsonschema
import pytest
import yaml
from receval import load_config
from receval.config import json_schema
from receval.load import ReadOptions
from receval.support.errors import ConfigError

WAYS = """
data:
  test: {path: t.csv, columns: {rating: null, user: {column: u, as: integer}}, label_separator: "-", padding: [-1, PAD]}
  recommendations:
    m: {path: l.csv, columns: {item: {column: [rec_1, rec_2], as: integer}, score: {column: distance, order: ascending}}, padding: 0}
    w: {path: w.csv, columns: {item: "rec_*", score: [s_1, s_2], rank: [4, 5]}}
    r: {path: r.txt, format: ragged, header: true}
    n: {path: n.jsonl, columns: {user: input.userId, item: output.items}}
evaluation: {metrics: [MRR]}
"""
ONE_FILE = "{data: {test: t.csv, recommendations: {path: all.csv, columns: {model: Algorithm}}}, evaluation: {metrics: [MRR]}}"
PLAIN = "{data: {test: {path: t.csv, columns: {rating: r}}, recommendations: {m: l.csv}}, evaluation: {metrics: [MRR], relevance: 3}}"


def options_of(config: str) -> dict[str, ReadOptions]:
    data = load_config(yaml.safe_load(config)).config.data
    return {".".join(map(str, place)): ReadOptions.from_config(source, shared=data.columns) for place, source in data.sources()}


@pytest.mark.parametrize("text", [WAYS, ONE_FILE])
def test_every_way_to_read_fits_the_schema_and_is_printed_as_it_is_read(text):
    written = yaml.safe_load(text)
    jsonschema.validate(written, json.loads(json_schema()))
    loaded = load_config(written)
    printed = yaml.safe_load(loaded.resolved_yaml())
    jsonschema.validate(printed["data"], {**json.loads(json_schema())["$defs"]["Data"], "$defs": json.loads(json_schema())["$defs"]})
    assert load_config(printed).config.data == loaded.config.data
    assert json.loads(json.dumps(loaded.resolved())) == printed


def test_read_options_have_what_the_config_says():
    options = options_of(WAYS)
    test, lists, wide = (options[name] for name in ("test", "recommendations.m", "recommendations.w"))
    assert (test.absent, test.integers, test.label_separator, test.padding) == ({"rating"}, {"user"}, "-", ("-1", "PAD"))
    assert lists.columns == {"item": ("rec_1", "rec_2"), "score": "distance"}
    assert (lists.integers, lists.ascending, lists.padding) == ({"item"}, {"score"}, ("0",))
    assert wide.columns == {"item": "rec_*", "score": ("s_1", "s_2"), "rank": (4, 5)}
    assert (options["recommendations.r"].format, options["recommendations.r"].header) == ("ragged", True)


def test_shared_columns_are_read_in_their_way_where_a_source_names_none():
    text = "{data: {columns: {item: {column: sku, as: integer}, rating: stars}, test: t.csv, train: {path: a.csv, columns: {item: i, "
    text += "rating: null}}, recommendations: {m: l.csv}}, evaluation: {metrics: [MRR]}}"
    options = options_of(text)
    assert (options["test"].columns, options["test"].integers) == ({"item": "sku", "rating": "stars"}, {"item"})
    assert (options["train"].columns, options["train"].integers, options["train"].absent) == ({"item": "i"}, frozenset(), {"rating"})


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("data.test.columns.item={column: a, as: text}", "as must be integer, as in {column: NAME, as: integer}, not 'text'"),
        ("data.test.columns.user={column: [a, b], as: integer}", "several columns that name a user together are read as they are written"),
        ("data.recommendations.m.columns.score={column: d, order: up}", "order must be ascending or descending"),
        ("data.recommendations.m.columns.score={name: d}", "a column with a way to read it is written {column: NAME, order: ascending}"),
        ("data.recommendations.m.columns.item=[a, a]", "the columns side by side must be one or more different ones"),
        ("data.recommendations.m.padding=true", "padding must be an id that only fills lists up"),
        ("data.recommendations.m.label_separator='-'", "labels in texts are ratings: only data.test and data.train have them"),
        ("data.test.label_separator=-", "remove one of label_separator and columns.rating"),
        ("data.test.columns.model=Algorithm", "this file has no column for model: only data.recommendations has one"),
        ("data.recommendations.m={path: l.csv, format: ragged, split: ' '}", "the lines are split at their separator: remove split"),
        ("data.recommendations.m={path: l.csv, split: ',', columns: {item: [a, b]}}", "each column has one item of the list: remove split"),
        ("data.previous_policy={path: p.csv, columns: {score: {column: d, order: ascending}}}", "the scores of a policy have no order"),
        ("data.recommendations={a: {path: a.csv, columns: {model: M}}, b: b.csv}", "a column names the models of one file of lists"),
    ],
)
def test_what_cannot_be_read_so_is_refused(override, message):
    with pytest.raises(ConfigError) as refused:
        load_config(yaml.safe_load(PLAIN), overrides=[override])
    assert message in str(refused.value)


def test_null_unsets_a_key():
    def loaded(override: str) -> dict:
        return load_config(yaml.safe_load(PLAIN), overrides=[override]).resolved()

    assert loaded("evaluation.relevance=null")["evaluation"]["relevance"] == {"graded": False}
    assert loaded("evaluation.relevance.threshold=null")["evaluation"]["relevance"] == {"graded": False}
    assert loaded("evaluation.top_k=null")["evaluation"]["top_k"] == [10]
    assert loaded("data.train=null") == loaded("data.train.columns=null") == load_config(yaml.safe_load(PLAIN)).resolved()
    assert loaded("data.test.columns=null")["data"]["test"] == {"path": "t.csv"}
    assert loaded("data.test.columns.rating=null")["data"]["test"] == {"path": "t.csv", "columns": {"rating": None}}
    with pytest.raises(ConfigError, match="unknown key 'relevnce' — did you mean 'relevance'"):
        loaded("evaluation.relevnce=null")


@pytest.mark.parametrize("given", ["all.csv", "any=all.csv"])
def test_a_column_of_models_can_be_set_for_a_file_of_the_command_line(given):
    config = {"data": {"test": "t.csv"}, "evaluation": {"metrics": ["MRR"]}}
    overrides = ["data.recommendations.columns.model=Algorithm"]
    data = load_config(config, overrides=overrides, recommendations=[given]).config.data
    assert data == load_config(yaml.safe_load(ONE_FILE)).config.data
    assert data.has_model_column
    assert data.named_models is None
    with pytest.raises(ConfigError, match="a column names the models of one file of lists: give one file"):
        load_config(config, overrides=overrides, recommendations=[given, "b.csv"])


def test_a_column_of_models_can_be_set_for_the_file_of_a_config():
    config = {"data": {"test": "t.csv", "recommendations": "all.csv"}, "evaluation": {"metrics": ["MRR"]}}
    data = load_config(config, overrides=["data.recommendations.columns.model=Algorithm"]).config.data
    assert data == load_config(yaml.safe_load(ONE_FILE)).config.data
