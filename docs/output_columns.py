"""The page docs/output-columns.md: the columns of the result files."""

from __future__ import annotations

from receval.disk.result_folder import MANIFEST
from receval.document import Block, Heading, Paragraph, Table, text_columns
from receval.outputs import in_folder
from receval.results.row import COLUMNS

MEANINGS = {
    "model": "the name of the model in the config; yardsticks stand in parentheses",
    "metric": "the measure as it prints, without its cut-off",
    "k": "the cut-off; empty where the whole list is read, or the metric takes none",
    "aggregate": "how users are combined: `mean`, `median`, `p90`, `std`, `ci95`, `micro`, `sum`, …; `system` for values of whole models",
    "value": "the value, in full precision",
    "n_users": "the users who have a value",
    "std": "the standard deviation of their values (divided by n − 1), of a mean over users",
    "in_truth": "the users of the test file",
    "in_lists": "the users of the lists",
    "in_both": "those in both",
    "counted": "the users who have a value; with those left out they are all users",
    "filled_without_list": "of those counted: without a list, so that the policy gives the value (0 for nearly all metrics)",
    "filled_without_relevant": "of those counted: without a relevant item",
    "filled_without_truth": "of those counted: without a test row",
    "left_out_without_list": "users who do not count because they have no list",
    "left_out_without_relevant": "users who do not count because they have no relevant item",
    "left_out_without_truth": "users who do not count because they have no test row",
    "left_out_without_value": "users who do not count because the metric has no value for them: no hit, no prediction",
    "left_out_of_others": "users who do not count because the metric looks at the users of another file",
    "others": "users of another file (train, a reference model) who stand neither in the test file nor in the lists",
    "covered": "those counted who have a list",
    "covered_value": "the value over these; empty where all who count have one",
    "warm": "those counted whom train holds",
    "warm_value": "the value over these; empty where all who count are held by train",
    "achieved": "the share of the best possible value, with the yardstick `oracle`",
    "by": "what users, or relevant items, are split by, such as `users.plan`; empty over all",
    "group": "the group",
    "few_users": "whether a group has fewer than 100 users",
    "fold": "the fold whose value it is",
    "run": "the run of the model whose value it is",
    "repeats": "of a mean over folds or runs: how many",
    "repeats_std": "of a mean over folds or runs: the standard deviation of their values",
    "least_users": "of a mean over folds or runs: the users of the value that has the fewest",
    "convention": "the convention the value is computed under",
    "relevance": "which test items are relevant",
    "cutoff_from": "whether the cut-off is the measure's own, the config's, or the default",
}
FILES_HOLD = {
    "results.csv": "the long table below",
    "results_wide.csv": "one row per model (and group, fold, run), one column per measure",
    "results.json": "the long table, who was counted, findings of the checks, gates, definitions, the config, versions",
    "results.parquet": "the long table, typed",
    "results.md": "the table and its notes, for people",
    MANIFEST: "size and hash of every input and output, the config, the versions, and a checksum of all this",
}


def page() -> list[Block]:
    """The page; a column or file without a meaning stops it."""
    return [
        Heading("The columns of results"),
        Paragraph("`receval run CONFIG -o DIR/` writes a folder; `--format csv`, `json`, `jsonl` and `parquet` have the same long table."),
        Table.of_texts(
            text_columns("file", "what it holds"), ((f"`{name}`", FILES_HOLD[name]) for name in (*in_folder("result"), MANIFEST))
        ),
        Paragraph(
            "`per_user.parquet` (or `.csv`, `.jsonl`) has `model`, `user` and a column per measure; `enriched.MODEL.parquet` the lists "
            "with `rank`, `score`, `relevant`, `gain` and, with train, `in_train`. Text that begins with `=`, `+`, `-` or `@` is a "
            "formula to spreadsheets: open CSV files of others' ids as text there, or write them with `output: {spreadsheet_safe: true}`."
        ),
        Heading("The long table", 2),
        Table.of_texts(text_columns("column", "what it holds"), ((f"`{name}`", MEANINGS[name]) for name in COLUMNS)),
    ]
