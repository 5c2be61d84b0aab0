"""The page docs/output-columns.md: the columns of the result files."""

from __future__ import annotations

from receval.disk.result_folder import MANIFEST
from receval.document import Block, Heading, Paragraph, Table, text_columns
from receval.outputs import in_folder
from receval.results.row import COLUMNS

MEANINGS = {
    "model": "the name of the model in the config; reference lists are in parentheses",
    "metric": "the measure as printed, without its cut-off",
    "k": "the cut-off; empty if the whole list is used, or the metric has no cut-off",
    "aggregate": "how users are combined: `mean`, `median`, `p90`, `std`, `ci95`, `micro`, `sum`, …; `system` for values of whole models",
    "value": "the value, in full precision",
    "n_users": "number of users who have a value",
    "std": "for a mean over users: the standard deviation of the per-user values (divided by n − 1)",
    "in_truth": "number of users in the test file",
    "in_lists": "number of users in the lists",
    "in_both": "number of users in both",
    "counted": "number of users who have a value; together with those left out they are all users",
    "filled_without_list": "of those counted: users without a list, who get the value of the policy (0 for nearly all metrics)",
    "filled_without_relevant": "of those counted: users without a relevant item",
    "filled_without_truth": "of those counted: users without a test row",
    "left_out_without_list": "users who do not count because they have no list",
    "left_out_without_relevant": "users who do not count because they have no relevant item",
    "left_out_without_truth": "users who do not count because they have no test row",
    "left_out_without_value": "users who do not count because the metric has no value for them: no hit, no prediction",
    "left_out_of_others": "users who do not count because the metric uses the users of another file",
    "others": "users of another file (train, a reference model) who are neither in the test file nor in the lists",
    "covered": "of those counted: users who have a list",
    "covered_value": "the value over these; empty if all users who count have a list",
    "warm": "of those counted: users who have train rows",
    "warm_value": "the value over these; empty if all users who count have train rows",
    "achieved": "the share of the best possible value, with `yardsticks: oracle`",
    "by": "the grouping of users, relevant items or test rows, such as `users.plan`; empty for all users",
    "group": "the group",
    "few_users": "whether a group has fewer than 100 users",
    "n_rows": "the number of test rows in a group of test rows, or in a combination with one; empty for other groups",
    "fold": "the fold of this value",
    "run": "the run of the model of this value",
    "repeats": "for a mean over folds or runs: the number of values",
    "repeats_std": "for a mean over folds or runs: the standard deviation of the values",
    "least_users": "for a mean over folds or runs: the smallest number of users of one value",
    "convention": "the convention of the value",
    "relevance": "which test items are relevant",
    "cutoff_from": "source of the cut-off: the measure, the config, or the default",
}
FILES_HOLD = {
    "results.csv": "the long table below",
    "results_wide.csv": "one row per model (and group, fold, run), one column per measure",
    "results.json": "the long table, who was counted, findings of the checks, gates, definitions, the config, versions",
    "results.parquet": "the long table, with column types",
    "results.md": "the table and its notes, for people",
    MANIFEST: "size and hash of every input and output, the config, the versions, and a checksum of all this",
}


def page() -> list[Block]:
    """Return the page; raise if a column or file has no description."""
    return [
        Heading("The columns of results"),
        Paragraph("`receval run CONFIG -o DIR/` writes a folder; `--format csv`, `json`, `jsonl` and `parquet` have the same long table."),
        Table.of_texts(text_columns("file", "contents"), ((f"`{name}`", FILES_HOLD[name]) for name in (*in_folder("result"), MANIFEST))),
        Paragraph(
            "`per_user.parquet` (or `.csv`, `.jsonl`) has `model`, `user` and a column per measure, or `measure` and `value` "
            "([long form](output.md)). `enriched.MODEL.parquet` has the lists "
            "with `rank`, `score`, `relevant`, `gain` and, with train, `in_train`. Spreadsheets treat text that begins with `=`, `+`, `-` "
            "or `@` as a formula. If others chose the ids, open CSV files as text, or set `output: {spreadsheet_safe: true}`."
        ),
        Heading("The long table", 2),
        Table.of_texts(text_columns("column", "meaning"), ((f"`{name}`", MEANINGS[name]) for name in COLUMNS)),
    ]
