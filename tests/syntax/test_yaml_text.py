"""YAML 1.2 scalars, places, duplicate keys, the environment, and hostile input."""

from __future__ import annotations

import time

import pytest
from receval.syntax.yaml_text import read, read_file

from tests.conftest import ROOT


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("1e-3", 0.001), ("no", "no"), ("yes", "yes"), ("on", "on"), ("010", 10), ("0o10", 8), ("0x1F", 31), ("12:30", "12:30"),
        ("1_000", "1_000"), ("true", True), ("False", False), ("null", None), ("~", None), ("", None), (".5", 0.5), ("1.", 1.0),
        ("-.inf", float("-inf")), ("'1'", "1"), ('"true"', "true"), ("2024-01-01", "2024-01-01"), ("+3", 3), ("1e3", 1000.0), ("=", "="),
    ],
)  # fmt: skip
def test_scalars_are_those_of_yaml_1_2(written, value):
    document = read(f"a: {written}", {})
    assert (document.value, document.problems) == ({"a": value}, [])


def test_the_place_of_every_value_and_key_is_kept():
    document = read("a:\n  - x\n  - {b: 1}\n", {})
    assert document.position(("a", 1, "b")) == (3, 9)
    assert document.position(("a", 1, "b"), of_key=True) == (3, 6)
    assert document.position(("a", 7)) == (2, 3)


def test_a_duplicate_key_is_a_problem_with_its_place():
    assert read("a: 1\nb: 2\na: 3\n", {}).problems == [((3, 1), "the key 'a' is given twice")]


def test_variables_come_from_the_environment_with_defaults_and_types():
    document = read("a: ${X}\nb: ${Y:7}\nc: 'p/${X}'\nd: $${X}\ne: ${Z:}\n", {"X": "12"})
    assert document.value == {"a": 12, "b": 7, "c": "p/12", "d": "${X}", "e": None}


def test_an_unset_variable_is_a_problem_with_its_place():
    ((place, message),) = read("a: 1\nb: ${NOPE}\n", {}).problems
    assert place == (2, 4)
    assert "NOPE" in message


@pytest.mark.parametrize(
    "text", ["a: !!python/object/apply:os.system ['true']", "a: !x 1", "a: !!binary aGk=", "{[a]: 1}", "? {a: 1}\n: 2"]
)
def test_tags_and_odd_keys_are_refused(text):
    assert read(text, {}).problems


@pytest.mark.parametrize("text", ["a: [", "a: 'x", "a:\tb: c", "a: b\x00", "a: 1\n---\nb: 2", "%YAML 3.0\n---\na: 1", "&a [*a]"])
def test_invalid_yaml_is_a_problem_and_not_an_exception(text):
    assert read(text, {}).problems


def test_an_alias_bomb_is_refused_quickly():
    bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 12))
    start = time.monotonic()
    assert "aliases" in read(bomb, {}).problems[0][1]
    assert time.monotonic() - start < 5


@pytest.mark.parametrize("text", ["[" * 50_000, "a: " + "{a: " * 5_000, "- " * 3_000 + "x"])
def test_deep_nesting_is_refused(text):
    assert read(text, {}).problems


@pytest.mark.parametrize("deep", ["[" * 1_000_000, "{a: " * 200_000, "- " * 5_000, "a: {" + "[" * 100_000])
def test_endless_nesting_is_refused_quickly(deep):
    begun = time.monotonic()
    assert "is nested too deeply," in read(deep).problems[0][1]
    assert time.monotonic() - begun < 5


@pytest.mark.parametrize("path", sorted((ROOT / "evaluator" / "conventions").glob("*.yaml")), ids=lambda path: path.stem)
def test_libyaml_reads_conventions_as_python_does(path):
    text = read_file(path)
    one, other = read(text, {}), read(text, {}, is_own=True)
    assert (one.value, one.positions, one.keys) == (other.value, other.positions, other.keys)
    assert one.problems == other.problems == []
