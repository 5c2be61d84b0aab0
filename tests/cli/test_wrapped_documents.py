"""JSON documents that hold everything under one key, beside facts about it."""

from __future__ import annotations

import json

import pytest

ROWS = [{"user": 1, "item": 10}, {"user": 1, "item": 12}, {"user": 2, "item": 11}]


@pytest.mark.parametrize(
    "document",
    [
        {"model": "als", "version": 3, "results": ROWS},
        {"results": ROWS},
        {"recommendations": {"1": [10, 12], "2": [11]}},
        {"model": "als", "lists": {"1": {"10": 0.9, "12": 0.5}, "2": {"11": 0.1}}},
    ],
)
@pytest.mark.parametrize("indent", [None, 1])
def test_what_a_document_holds_beside_facts_is_read(receval, folder, document, indent):
    folder({"test.csv": "user,item\n1,12\n2,11\n", "lists.json": json.dumps(document, indent=indent)})
    code, out, _ = receval("run", "--test", "test.csv", "--recs", "m=lists.json", "-m", "MRR@2", "--format", "json")
    assert (code, json.loads(out)["results"][0]["value"]) == (0, 0.75)


def test_a_user_with_one_list_of_objects_is_a_row(receval, folder):
    folder({"test.csv": "user,item\n1,12\n", "lists.json": json.dumps({"user": 1, "items": [{"id": 10}, {"id": 12}]})})
    out = receval("run", "--test", "test.csv", "--recs", "m=lists.json", "-m", "MRR@2", "--format", "json")[1]
    assert json.loads(out)["results"][0]["value"] == 0.5
