"""`receval init FILES` proposes a split by time, groups of test rows, the value of hits, and sessions, where the files have them."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from tests.cli.inits import PLAIN, TEST, text

CLICKS = [
    (f"v{user}", f"s{user}{day}", f"i{(user + day * repeats) % 13}", event, 3 + user % 4, day)
    for day in range(1, 11)
    for user in range(12)
    for event, repeats in (("view", 0), ("purchase", 1))
    if (user + day) % 3
]
"""Events of ten days; each user views the same item every day, and buys another one."""
COLUMNS = ("visitor_id", "session_id", "item_id", "event", "price", "timestamp")
BUYERS = sorted({user for user, *_, day in CLICKS if day >= 9} - {"v1", "v2", "v3"})


def clicks(factor: int = 86_400_000, start: int = 1_720_000_000) -> str:
    """Return the log of a shop with times in milliseconds; three users have no rows on the last two days."""
    rows = [row for row in CLICKS if row[-1] < 9 or row[0] in BUYERS]
    return text([(*row[:-1], (start // 86_400 + row[-1]) * factor + 1) for row in rows], COLUMNS)


LISTS_OF_BUYERS = text([(user, f"i{rank + 3}", rank) for user in BUYERS for rank in range(1, 6)], ("visitor_id", "item_id", "rank"))


def uncommented(config: str, *keys: str) -> str:
    """Return a config in which the proposed lines with these words count."""
    return "".join(
        line.replace("# ", "", 1) if line.lstrip().startswith("#") and any(line.lstrip(" #").startswith(key) for key in keys) else line
        for line in config.splitlines(keepends=True)
    )


def test_a_log_is_split_on_the_day_from_which_its_users_are_those_of_the_lists(init):
    done = init({"clicks.csv": clicks(), "als.csv": LISTS_OF_BUYERS})
    border = (1_720_000_000 // 86_400 + 9) * 86_400_000
    assert (done.data["test"]["where"], done.data["train"]["where"]) == (f"timestamp >= {border}", f"timestamp < {border}")
    evidence = "the lists are of 9 of the 9 users with rows from this day on"
    assert f"# rows from 2024-07-12 (UTC) on: {evidence}" in done.config
    assert f"rows from 2024-07-12 (UTC) on are the test set, and the rows before are the train set: {evidence}" in done.doubts
    assert "an example of a split" not in done.config


@pytest.mark.parametrize("factor", [86_400, 86_400_000_000])
def test_times_in_any_unit_split_a_log_on_the_same_day(factor, init):
    done = init({"clicks.csv": clicks(factor), "als.csv": LISTS_OF_BUYERS})
    assert done.data["test"]["where"] == f"timestamp >= {(1_720_000_000 // 86_400 + 9) * factor}"


def test_a_log_whose_users_are_all_in_the_lists_gets_an_example_of_a_split(init):
    everyone = sorted({row[0] for row in CLICKS})
    lists = text([(user, f"i{rank + 3}", rank) for user in everyone for rank in range(1, 6)], ("visitor_id", "item_id", "rank"))
    done = init({"clicks.csv": clicks(), "als.csv": lists})
    assert "where" not in done.data["test"]
    assert "an example of a split by time, from 2024-07-11 (UTC) on, with this train set" in done.config


def test_groups_of_events_and_repeats_are_proposed_with_their_counts(init, receval):
    config = init({"clicks.csv": clicks(), "als.csv": LISTS_OF_BUYERS}).config
    assert "  #   - rows.event  # purchase 76, view 76\n" in config
    test, train = (
        {row[::2][:2] for row in CLICKS if (row[-1] >= 9) == late and (row[-1] < 9 or row[0] in BUYERS)} for late in (True, False)
    )
    repeated = f"{len(test & train)} of {len(test)} distinct test pairs ({len(test & train) / len(test):.0%}".replace("%", " %)")
    assert f"  #   - rows.repeat  # {repeated} are in train\n" in config
    Path("all.yaml").write_text(uncommented(config, "by:", "- rows.", "value_columns", "- Revenue"))
    code, out, err = receval("run", "all.yaml", "--format", "csv", "--set", "health=off")
    assert code == 0, err
    assert {"repeat", "explore", "view", "purchase"} <= {row["group"] for row in csv.DictReader(io.StringIO(out))}
    assert "RevenueShare" in out


def test_proposals_are_said_beside_the_guesses(folder, receval):
    folder({"clicks.csv": clicks(), "als.csv": LISTS_OF_BUYERS})
    _, _, err = receval("init", "-o", "config.yaml")
    assert "proposed: by: rows.event: purchase 76, view 76\n" in err
    assert "proposed: value_columns: {revenue: rows.price}: the value of a hit; keep purchases only, with where in data.test\n" in err


def test_ids_of_events_numbers_of_prices_and_few_repeats_propose_nothing(init):
    header = ("user_id", "item_id", "event_id", "price_id", "type", "session_note")
    test = text([(user, item, f"e{n}", n, n, "") for n, (user, item, *_) in enumerate(TEST * 6)], header)
    config = init({"test.csv": test, "train.csv": PLAIN["train.csv"], "als.csv": PLAIN["als.csv"]}).config
    assert not [word for word in ("by:", "value_columns", "Revenue", "target", "cluster", "columns:") if word in config]


def test_sessions_as_users_propose_their_last_row_and_clusters_of_the_people_behind_them(init, receval):
    rows = [(f"s{n // 3}", n // 6, 11 + n % 4, 1_600_000_000 + n) for n in range(36)]
    lists = text([(f"s{session}", 10 + rank, rank) for session in range(12) for rank in range(1, 6)], ("session_id", "item_id", "rank"))
    header = ("session_id", "customer_id", "item_id", "timestamp")
    config = init({"test.csv": text(rows, header), "als.csv": lists, "other.csv": lists}).config
    assert "    # target: last  # next item: only the last row of each session is relevant\n" in config
    assert "#   cluster: users.customer_id  # sessions of one customer_id are not independent; needs data.users\n" in config
    Path("all.yaml").write_text(uncommented(config, "target: last", "users:", "compare:", "cluster:"))
    code, out, err = receval("compare", "all.yaml", "--baseline", "als", "--set", "health=off")
    assert code == 0, err
    assert "Fewer than 30 clusters" in out


def test_sessions_of_users_in_every_file_propose_users_of_two_columns(init, receval):
    rows = [(n // 6, f"s{n // 3}", 11 + n % 4) for n in range(36)]
    lists = [(n // 2, f"s{n}", 10 + rank, rank) for n in range(12) for rank in range(1, 6)]
    header = ("user_id", "session_id", "item_id")
    config = init({"test.csv": text(rows, header), "als.csv": text(lists, (*header, "rank"))}, "--force").config
    assert "  # columns: {user: [user_id, session_id]}  # one list for each session_id instead of each user_id\n" in config
    Path("all.yaml").write_text(uncommented(config, "columns: {user: ["))
    code, out, err = receval("run", "all.yaml", "--set", "health=off")
    assert code == 0, err
    assert "All 12 test users" in out


def test_steps_of_sessions_in_every_file_propose_users_of_two_columns(init, receval):
    rows = [(f"s{n // 3}", n % 3, 11 + n % 4) for n in range(36)]
    lists = [(f"s{n // 3}", n % 3, 10 + rank, rank) for n in range(36) for rank in range(1, 6)]
    header = ("session", "step", "item_id")
    config = init({"test.csv": text(rows, header), "als.csv": text(lists, (*header, "rank"))}, "--force").config
    reason = "one list for each step instead of each session; remove user from the columns of each file"
    assert f"  # columns: {{user: [session, step]}}  # {reason}\n" in config
    assert "target" not in config
    Path("all.yaml").write_text(uncommented(config, "columns: {user: [").replace("columns: {user: session, ", "columns: {"))
    code, out, err = receval("run", "all.yaml", "--set", "health=off")
    assert code == 0, err
    assert "All 36 test users" in out


def test_gates_are_proposed_with_the_choice_of_when_they_fail(init, receval):
    config = init({"clicks.csv": clicks(), "als.csv": LISTS_OF_BUYERS}).config
    assert "#   fail: shown_worse  # fail if a loss is shown and the value is beyond the limit" in config
    Path("gates.yaml").write_text(uncommented(config, "gates:", "baseline:", "fail:", "rules:"))
    code, _, err = receval("run", "gates.yaml", "--set", "health=off", "-q", "-o", "results/main/", "--if-missing", "pass")
    assert (code, err) == (0, "receval: the only gate was not judged\n")
    code, _, err = receval("gate", "gates.yaml", "--set", "health=off")
    assert (code, err) == (0, "receval: 1 gate passed\n")
