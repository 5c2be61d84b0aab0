"""The page docs/output-columns.md: the columns of the result files."""

from __future__ import annotations

from typing import get_args

from receval.documents.document import Block, Heading, Paragraph, Table, text_columns
from receval.results.row import Ledger
from receval.results.tables import LedgerRow, LedgerWord, ValueRow, columns_of_table
from receval.storage.result_folder import MANIFEST
from receval.support.outputs import in_folder

VALUES = {
    "run_id": "hash of the settings of the evaluation, of test set and lists, and of all values: one evaluation has one id",
    "model": "the name of the model in the config; reference lists are in parentheses",
    "measure": "the measure as in a config: `metrics: [nDCG@10]` gives it again",
    "metric": "the measure without its cut-off; its key in `definitions` of `results.json`",
    "k": "the cut-off; empty if the whole list is used, or the metric has no cut-off",
    "aggregate": "how users are combined: `mean`, `median`, `p90`, `std`, `ci95`, `micro`, `sum`, …; `system` for values of whole models",
    "by": "the grouping of users, relevant items or test rows, such as `users.plan`; empty for all users",
    "group": "the group",
    "fold": "the fold of this value; empty without folds, and for means over folds",
    "run": "the run of the model: the seed in the name of its file, else 1, 2, …; empty without several runs, and for means over runs",
    "value": "the value, in full precision",
    "ci_low": "for a mean over users: lower end of its 95 % interval, as on the page; else empty, also for means over folds or runs",
    "ci_high": "upper end of this interval",
    "n_users": "number of users who have a value",
    "higher_is_better": "`true` or `false`; empty if neither is better",
    "convention": "the convention of the value",
}
WORDS = {
    "counted": "users who have a value; together with those left out they are all users",
    "counted_without_list": "of those counted: users without a list, who get the value of the policy (0 for nearly all metrics)",
    "counted_without_relevant_item": "of those counted: users without a relevant item, who get the value of the policy",
    "counted_without_test_row": "of those counted: users without a test row, who get the value of the policy",
    "left_out_without_list": "users who do not count because they have no list",
    "left_out_without_relevant_item": "users who do not count because they have no relevant item",
    "left_out_without_test_row": "users with a list who do not count because they have no test row",
    "left_out_without_value": "users who do not count because the metric has no value for them: no hit, no prediction",
    "left_out_not_in_other_file": "users who do not count because the metric uses the users of another file (train, a reference model)",
    "only_in_other_file": "users of that file who are neither in the test file nor in the lists; they are counted or left out like others",
    "counted_with_list": "of those counted: users who have a list, if not all have one",
    "counted_with_train_rows": "of those counted: users who have train rows, if not all have some",
}
_KEYS = [name for name in Ledger.__struct_fields__ if not name.startswith("in_") and name not in ("covered_value", "warm_value")]
RECORDS = {
    "std": "for a mean over users: the standard deviation of the per-user values (divided by n − 1)",
    "in_truth": "number of users in the test file",
    "in_lists": "number of users in the lists",
    "in_both": "number of users in both",
    "achieved": "the share of the best possible value, with `yardsticks: oracle`",
    "few_users": "whether a group has fewer than 100 users",
    "n_rows": "the number of test rows in a group of test rows, or in a combination with one; empty for other groups",
    "repeats": "for a mean over folds or runs: the number of values",
    "repeats_std": "for a mean over folds or runs: the standard deviation of the values",
    "least_users": "for a mean over folds or runs: the smallest number of users of one value",
    "relevance": "which test items are relevant",
    "cutoff_from": "source of the cut-off: the measure, the config, or the default",
}
FILES_HOLD = {
    "results.csv": "the table of values below",
    "ledger.csv": "who was counted, filled in and left out; only the names of its columns if every user simply counts",
    "results_wide.csv": "one row per model (and group, fold, run), one column per measure",
    "results.json": "every value with all that is known of it, the ledger, findings, gates, definitions, the config, versions",
    "results.parquet": "the table of values, with column types",
    "results.md": "the table and its notes, for people",
    MANIFEST: "size and hash of every input and output, the config, the versions, and a checksum of all this",
}


def page() -> list[Block]:
    """Return the page; raise if a column or file has no description."""
    return [
        Heading("The columns of results"),
        Paragraph("`receval run CONFIG -o DIR/` writes a folder; `--format csv`, `jsonl` and `parquet` give the table of values."),
        Table.from_texts(text_columns("file", "contents"), ((f"`{name}`", FILES_HOLD[name]) for name in (*in_folder("result"), MANIFEST))),
        Paragraph(
            "`per_user.parquet` (or `.csv`, `.jsonl`) has `model`, `user` and a column per measure, or `measure` and `value` "
            "([long form](output.md)). `enriched.MODEL.parquet` has the lists "
            "with `rank`, `score`, `relevant`, `gain` and, with train, `in_train`. Spreadsheets treat text that begins with `=`, `+`, `-` "
            "or `@` as a formula. If others chose the ids, open CSV files as text, or set `output: {spreadsheet_safe: true}`."
        ),
        Heading("The table of values", 2),
        Paragraph(
            "`results.csv` and `results.parquet` have one row per value. Columns and types are the same in every run, so a warehouse can "
            "append runs. `result.values` in Python is the same table."
        ),
        _table("column", [(name, VALUES[name]) for name in columns_of_table(ValueRow)]),
        Heading("The ledger", 2),
        Paragraph(
            "`ledger.csv` says who was counted, filled in and left out, for the values of each model and, with folds and runs, of each of "
            "them; not for means over these, and not within groups. A value has rows only if some users are filled in, left out, added, "
            "without a list, or without train rows. `result.ledger` in Python and `ledger` in `results.json` are the same rows."
        ),
        Paragraph(
            f"Its columns are {', '.join(f'`{name}`' for name in columns_of_table(LedgerRow))}. `which_users` is one of these words; the "
            "last column is the key of the same number in `results` of `results.json`:"
        ),
        Table.from_texts(
            text_columns("which_users", "meaning", "key in JSON"),
            ((f"`{word}`", WORDS[word], f"`{key}`") for word, key in zip(get_args(LedgerWord), _KEYS, strict=True)),
        ),
        Paragraph(
            "`value_over_these_users` is the value of the measure over these users alone. It is given for `counted`, where it is the value "
            "in the table of values, `counted_with_list` and `counted_with_train_rows`, so that you see what users without a list, or new "
            "users, do to the value. It is empty for the others: users who are left out have no value, and those who are counted without a "
            "list, a relevant item or a test row all get the same one, that of the policy."
        ),
        Heading("More in JSON", 2),
        Paragraph(
            "`results` in `results.json` has the columns above (but `run_id`, which it has once), the numbers of the ledger under the "
            "keys above, and:"
        ),
        _table("key", list(RECORDS.items())),
        Paragraph(
            "`receval schema results` prints the JSON Schema of `results.json`; `comparison`, `gates`, `plan`, `history`, `leaderboard` "
            "and `manifest` in place of `results` those of the JSON of `receval compare`, `gate`, `gate --plan`, `history` and "
            "`leaderboard`, and of `manifest.json`."
        ),
    ]


def _table(title: str, rows: list[tuple[str, str]]) -> Table:
    return Table.from_texts(text_columns(title, "meaning"), ((f"`{name}`", meaning) for name, meaning in rows))
