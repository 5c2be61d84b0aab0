"""Every kind of object as every input: the values of the Polars frame, or the recorded sentence; from these docs/input-forms.md is made."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Mapping
from types import ModuleType
from typing import Any

import pytest
import receval

from tests.conftest import ROOT
from tests.sizes import FULL, half


def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("input_kinds", ROOT / "docs" / "generate" / "input_kinds.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["input_kinds"] = module
    spec.loader.exec_module(module)
    return module


INPUT_KINDS = script()
KINDS = {kind.title: kind for kind in INPUT_KINDS.KINDS}
STORED = INPUT_KINDS.stored()


def test_every_kind_and_every_input_is_recorded():
    assert list(STORED) == list(KINDS)
    for answers in STORED.values():
        assert sorted(role for roles in answers.values() for role in roles) == sorted(INPUT_KINDS.ROLES)
    tables = {"test", "train", "items", "users", "baseline", "previous_policy", "distances", "predictions", "recommendations"}
    assert {*INPUT_KINDS.WORLD} == tables, "an input without rows in docs/generate/input_kinds.py"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("title", half([title for title in KINDS if title != INPUT_KINDS.SPARK]))
def test_an_object_is_read_as_the_polars_frame_or_refused_with_the_recorded_sentence(title: str):
    kind, place = KINDS[title], [*KINDS].index(title)
    if not kind.is_installed:
        pytest.skip(f"{kind.library} is not installed")
    recorded = {role: sentence for sentence, roles in STORED[title].items() for role in roles}
    assert recorded.keys() == {*INPUT_KINDS.ROLES}
    roles = INPUT_KINDS.ROLES if FULL else [*INPUT_KINDS.ROLES][place % 5 :: 5]  # every input has some kinds
    found = {role: INPUT_KINDS.answer(kind, role) for role in roles}
    assert found == {role: recorded[role] for role in roles}, "if the new answers are right, run python docs/generate/input_kinds.py"


@pytest.mark.parametrize("title", KINDS)
def test_a_refusal_is_one_line_without_words_of_files_and_of_the_command_line(title: str):
    for sentence in STORED[title].keys() - {INPUT_KINDS.READ}:
        assert "\n" not in sentence
        assert not [word for word in ("data.", "--", "in the config", "the file ", "line ") if word in sentence]


@pytest.mark.spark
@pytest.mark.filterwarnings("ignore:os.fork")  # of JAX, if it is installed
def test_dataframes_of_spark_are_read_as_every_input(spark_session: Any):
    world: Mapping[str, Any] = INPUT_KINDS.WORLD
    metrics = ["nDCG@3", *(metric for asked in INPUT_KINDS.METRICS.values() for metric in asked.get("metrics", ()))]
    here, there = (
        receval.evaluate(**tables, metrics=metrics, by="users.plan", health=False)
        for tables in (world, {role: spark_session.native.createDataFrame(frame.to_arrow()) for role, frame in world.items()})
    )
    assert there.rows == here.rows
    lists = spark_session.native.createDataFrame(world["recommendations"].to_arrow())
    repeated = receval.Evaluator(test=world["test"], metrics="nDCG@3")
    assert repeated(lists) == repeated(world["recommendations"])
    assert STORED[INPUT_KINDS.SPARK][INPUT_KINDS.READ] == list(INPUT_KINDS.ROLES)
