"""The page docs/exit-codes.md, which holds the codes of every deliberate failure."""

from __future__ import annotations

from receval import errors
from receval.document import Block, Heading, Paragraph, Table, text_columns

CODES = {
    0: ("fine", "go on"),
    1: (
        "a gate or an error-level check failed, or with `--strict` a warning or an inconclusive gate; results were written",
        "look at the results; running again helps nothing",
    ),
    2: ("the command line or the config is wrong, or a result cannot be written there", "`receval validate CONFIG` names every problem"),
    3: ("data is missing, unreadable or wrong, or results cannot be compared", "the sentence names file and line; `receval check CONFIG`"),
    4: (
        "an engine or an optional extra is missing, or the machine has no room, memory or threads for the work",
        "`receval doctor` says which are there, how to install the others, and how much room there is",
    ),
    70: ("a bug of receval", "report it with the lines shown"),
    130: ("interrupted (Ctrl-C)", "old results are whole"),
    143: ("ended by SIGTERM", "old results are whole"),
}


def page() -> list[Block]:
    """The page; a failure with a code that is not listed stops it."""
    failures = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.RecevalError)]
    if unlisted := {kind.exit_code for kind in failures} - CODES.keys():
        raise SystemExit(f"exit codes without a meaning: {unlisted}")
    return [
        Heading("Exit codes"),
        Paragraph(
            "They are the same for every command, so that a scheduler can tell a bad model (1) from a bad config (2), bad data (3) "
            "and a bad machine (4). The sentence on standard error says what is wrong and what to do; `receval --debug run config.yaml` "
            "also shows where a failure comes from, and what libraries say of it."
        ),
        Table.of_texts(text_columns("code", "meaning", "what to do"), ((str(code), *meaning) for code, meaning in CODES.items())),
    ]
