"""Notes that tables count."""

from __future__ import annotations

import pickle

import pytest
from receval.tables.graph import NOTE_SENTENCES, TABLES, Notes, Tables, note_sentence, sentences, table


@pytest.fixture
def remarkable():
    """Register a table with a note on one of its two rows."""
    note_sentence("odd_rows", lambda n, total: f"{n} of {total} rows are odd")

    @table("remarkable", uses=("notes",), params=("n",))
    def make(notes, n):
        notes.count("odd_rows", n, 2)
        return object()

    yield
    del TABLES["remarkable"], NOTE_SENTENCES["odd_rows"]


@pytest.mark.usefixtures("remarkable")
def test_counts_of_parts_add_up_and_a_table_read_twice_counts_once():
    parts = [Notes(), Notes()]
    for notes in parts:
        tables = Tables({"notes": notes})
        assert tables.get("remarkable", n=1) is tables.get("remarkable", n=1)
    first, second = (pickle.loads(pickle.dumps(notes)) for notes in parts)
    assert sentences(first.merge(second)) == sentences(second.merge(first)) == ["2 of 4 rows are odd"]


@pytest.mark.usefixtures("remarkable")
def test_tables_of_one_kind_have_one_note_with_the_highest_count_and_none_at_0():
    notes = Notes()
    tables = Tables({"notes": notes})
    tables.get("remarkable", n=0)
    assert sentences(notes) == []
    for n in (1, 2):
        tables.get("remarkable", n=n)
    assert sentences(notes) == ["2 of 2 rows are odd"]


def test_a_table_can_be_computed_without_notes(remarkable):
    Tables({}).get("remarkable", n=1)
