"""The page docs/exit-codes.md, from the codes of all errors."""

from __future__ import annotations

from receval.documents.document import Block, Heading, Paragraph, Table, text_columns
from receval.support import errors

CODES = {
    0: ("fine", "go on"),
    1: (
        "a gate or an error-level check failed, such as R01 for duplicate items in lists, or with `--strict` a warning or an inconclusive "
        "gate; results were written",
        "look at the results; a second run gives the same",
    ),
    2: (
        "the command line or the config is wrong, a plug-in failed, or an output cannot be written or would replace an input",
        "`receval validate CONFIG` lists all problems of a config; choose another place for an output",
    ),
    3: (
        "data is missing or unreadable (a broken row, a missing id), a policy of the config refuses it "
        "(`evaluation.policy.duplicates: error`), or results cannot be compared",
        "see file and line in the message; `receval check CONFIG`",
    ),
    4: (
        "an engine or an optional extra is missing, or the machine has too little disk space, memory or threads",
        "`receval doctor` shows the installed extras, how to install the others, and how much space and memory there is",
    ),
    70: ("an internal error", "report it with the lines shown"),
    129: ("ended by SIGHUP, as when a terminal is closed; under `nohup` the command goes on", "old results are complete"),
    130: ("interrupted (Ctrl-C)", "old results are complete"),
    143: ("ended by SIGTERM", "old results are complete"),
}


def page() -> list[Block]:
    """Return the page; raise if an error has a code that is not listed."""
    failures = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.RecevalError)]
    if unlisted := {kind.exit_code for kind in failures} - CODES.keys():
        raise SystemExit(f"exit codes without a meaning: {unlisted}")
    return [
        Heading("Exit codes"),
        Paragraph(
            "All commands use the same exit codes, so a scheduler can distinguish a bad model (1), a bad config (2), bad data (3) "
            "and a problem of the machine (4). The message on standard error says what is wrong and what to do; "
            "`receval --debug run config.yaml` also shows the traceback, with the messages of libraries."
        ),
        Table.from_texts(text_columns("code", "meaning", "what to do"), ((str(code), *meaning) for code, meaning in CODES.items())),
    ]
