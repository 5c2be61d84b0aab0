"""The card of an evaluation: what was measured, what the author states, and what was not checked; every form is made from this document."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from msgspec.structs import replace

from ..checks import CHECKS, LEAKS
from ..results.result import Result
from ..results.row import shortened
from ..results.signature import hash_of, signature_lines
from .best_values import best_values, how_concluded
from .definitions import meanings
from .description import document as files_hold
from .document import NEWS, Block, Cell, Code, Column, Document, Heading, Paragraph, Points, Section, Sentences, Table, Terms
from .file_tables import name_of_source
from .findings import titled
from .headline import closing_of_result
from .merged_findings import merged
from .methods import citations
from .values import Formats, ledger, models_of, spread_of_repeats, values_of_models

NOT_STATED: Final = f"{NEWS['doubtful']}not stated"
"""The statement that the author does not make, with its sign."""
FIELDS: Final[Mapping[str, str]] = {
    "data": "data set",
    "preprocessing": "preprocessing",
    "split": "split",
    "validation": "validation set",
    "tuning": "tuning",
    "seeds": "seeds",
    "hardware": "hardware",
    "code": "code",
}
"""Key of the section `card` of a config → its name on the card."""
_ALL_MODELS: Final = "all models"
_OF_LISTS: Final = "data.recommendations."
"""The begin of a note on the lists of a model."""
_MOST_FILES: Final = 3
"""Number of files of one model or role that are listed; of more, their sums and one hash."""
_MOST_FOLDS: Final = 5
_OFF: Final = "off"
_UNSEEN: Final = (
    "Files do not show whether settings were chosen on the test set, whether baselines were tuned as much as the other models, "
    "or whether a difference holds online."
)
_COMMANDS: Final = "receval run config.yaml -o results/\nreceval card results/ -o card.md"


def document(result: Result) -> Document:
    """Return the card."""
    models = _models(result)
    title = (result.config.get("report") or {}).get("title") or f"Evaluation of {shortened(models)}"
    version = f" by receval {result.versions['receval']}" if "receval" in result.versions else ""
    n, labels = len(models), len(result.labels())
    said = f"{n} model{'' if n == 1 else 's'}, {labels} measure{'' if labels == 1 else 's'}, computed{version}. Run {result.run_id}."
    parts: dict[str, tuple[str, Iterable[Block]]] = {
        "values": ("Values", _values(result)),
        "data": ("Data", _data(result)),
        "leaks": ("Leaks and other findings", _findings(result)),
        "candidates": ("Candidates", _candidates(result)),
        "users": ("Users that were counted", _users(result)),
        "tests": ("Intervals and tests", _tests(result)),
        "repeats": ("Folds and runs", _repeats(result)),
        "author": ("Stated by the author", [_stated(result)]),
        "definitions": ("Definitions", _definitions(result)),
        "repeat": ("To repeat it", _again(result)),
        "unchecked": ("Not checked", [Points(tuple(_unchecked(result)))]),
    }
    sections = (Section(id, name, tuple(blocks)) for id, (name, blocks) in parts.items())
    return (Heading(f"Card: {title}"), Paragraph(said), *sections)


def cells(result: Result) -> dict[str, Any]:
    """Return the card as plain values; a statement that the author does not make is null."""
    card = document(result)
    heading, said, *sections = card
    assert isinstance(heading, Heading)
    assert isinstance(said, Paragraph)
    parts = {
        section.id: {"title": section.title, "content": [*_plain(section.blocks)]} for section in sections if isinstance(section, Section)
    }
    return {"title": heading.text, "about": said.text, "run_id": result.run_id, **parts}


def _plain(blocks: Iterable[Block]) -> Iterator[Any]:
    """Yield each block as plain values: texts, lists of texts, and tables and terms as lists of rows."""
    for block in blocks:
        match block:
            case Paragraph(text) | Code(text):
                yield text
            case Points(texts) | Sentences(texts):
                yield list(texts)
            case Terms(rows):
                yield [{"name": name, "text": text} for name, text in rows]  # a model may have several
            case Table(columns, rows):
                names = [" ".join(filter(None, (column.group, column.title))) for column in columns]
                yield [{name: _value(cell) for name, cell in zip(names, row, strict=True)} for row in rows]
            case Section(_, title, inner):
                yield {title: [*_plain(inner)]}
            case _:
                pass


def _value(cell: Cell) -> Any:
    """Return the content of a cell: its number, `None` if it is not stated, else its text."""
    if cell.drawn is not None and cell.value is not None:
        return {"value": cell.value, "low": cell.drawn.low, "high": cell.drawn.high}
    return cell.value if cell.value is not None else None if cell.text in ("", NOT_STATED) else cell.text


def _models(result: Result) -> list[str]:
    return [model for model in result.models if model not in result.yardsticks]


# What was measured


def _values(result: Result) -> Iterator[Block]:
    formats = Formats.from_rows(result.rows)
    best = best_values(result, formats)
    yield from [Points(tuple(said))] if (said := closing_of_result(result)) else []
    table = values_of_models(models_of(result), formats, best.marks(), with_intervals=True)
    yield replace(table, id="values-table", caption="Values over all users")
    yield from [Points(tuple(legend))] if (legend := best.legend("Marked:")) else []


def _data(result: Result) -> Iterator[Block]:
    """Yield the files with their hashes, the test sets, and what the files hold if that was measured."""
    yield _files(result)
    truths = {name: truth for name, truth in result.truths.items() if truth.rows}
    rows = [(name or "test", f"{truth.users:,}", f"{truth.rows:,}", truth.hash) for name, truth in truths.items()]
    if len(rows) > _MOST_FOLDS:
        users, n_rows = ([getattr(truth, name) for truth in truths.values()] for name in ("users", "rows"))
        rows = [(f"{len(rows)} folds", _ranged(users), _ranged(n_rows), hash_of(truth.hash for truth in truths.values()))]
    columns = (Column("test set", "key"), Column("users", "counts"), Column("rows", "counts"), Column("hash of its rows"))
    yield from [Table.from_texts(columns, rows, "Test sets: the hash does not depend on the order of rows", "truths")] if rows else []
    if result.description is None:
        yield Paragraph("Users, items, times and overlaps of the files were not measured (output.describe: true measures them).")
        return
    heading = ""
    for number, block in enumerate(files_hold(result.description)):
        heading = block.text if isinstance(block, Heading) else heading
        yield from [replace(block, caption=heading, id=f"files-{number}")] if isinstance(block, Table) else []


def _files(result: Result) -> Table:
    """Return the files of each role and model: rows, bytes and hash; those of many files are added up, and have one hash."""
    rows: list[tuple[str, ...]] = []
    groups: dict[str, list[Any]] = {}
    for source in result.inputs:
        groups.setdefault(name_of_source(source.role), []).append(source)
    for name, sources in groups.items():
        files = {file.hash: file for source in sources for file in source.files}
        n_rows = sum(source.rows for source in sources)
        if not files:
            rows.append((name, "a table in memory", f"{n_rows:,}", "", ""))
        elif len(files) <= _MOST_FILES and len(sources) == 1:
            rows += [(name, file.path, f"{n_rows:,}", f"{file.bytes:,}", file.short_hash) for file in files.values()]
        else:
            size = sum(file.bytes for file in files.values())
            rows.append((name, f"{len(files):,} files", f"{n_rows:,}", f"{size:,}", f"of all: {hash_of(sorted(files))}"))
    heads = (Column("input", "key"), Column("file", "name"), Column("rows", "counts"), Column("bytes", "counts"), Column("hash"))
    return Table.from_texts(heads, rows, "Input files; the manifest of the results has each hash in full", "inputs")


def _ranged(numbers: Iterable[int]) -> str:
    low, *_, high = sorted([*numbers] * 2)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _findings(result: Result) -> Iterator[Block]:
    """Yield the outcome of each check that looks for leaks, and the errors and warnings of the others."""
    found: dict[str, list[str]] = {}
    for finding, models in merged(result.findings):
        if finding.check in LEAKS or finding.severity in ("error", "warn"):
            found.setdefault(finding.check, []).append(titled(finding, ", ".join(models)))
    rows = [(id, CHECKS[id].finds, " ".join(found.get(id, [_outcome(result, id)]))) for id in LEAKS]
    columns = (Column("check", "key"), Column("what it looks for", wraps=True), Column("what it found", wraps=True))
    yield Table.from_texts(columns, rows, "Leaks", "leaks-table")
    others = [f"{check}: {sentence}" for check, sentences in found.items() if check not in LEAKS for sentence in sentences]
    yield from [Points(tuple(others))] if others else []


def _outcome(result: Result, id: str) -> str:
    if not result.examined:
        return "not checked"
    return f"not checked: {result.unmade[id]}" if id in result.unmade else "nothing"


def _candidates(result: Result) -> Iterator[Block]:
    sampled = [
        f"{model}: each list ranks about {candidate.per_user:,} candidates, "
        f"and {100 * candidate.inside:.3g} % of the relevant items are among them."
        for model, candidate in result.candidates.items()
    ]
    others = [model for model in _models(result) if model not in result.candidates]
    whole = [f"The lists of {', '.join(others)} do not look like those of sampled candidates."] if others else []
    yield Points((*sampled, *whole))


def _users(result: Result) -> Iterator[Block]:
    """Yield sentences on the users and their ledgers; models with the same ones share a line."""
    yield Points(_notes(result))
    for block in () if result.repeated else ledger(result):
        if isinstance(block, Terms):
            yield replace(block, rows=tuple((_named(names, result), text) for text, names in _by_text(block.rows).items()))
        elif not isinstance(block, Heading):
            yield block


def _notes(result: Result) -> tuple[str, ...]:
    """Return the notes of a result; a note on the lists of several models is once, with their names."""
    pairs = []
    for note in result.notes():
        place, _, text = note.partition(": ")
        model = place.removeprefix(_OF_LISTS)
        pairs.append((model, text) if place.startswith(_OF_LISTS) and model in result.models else ("", note))
    grouped = _by_text(pairs)
    return tuple(f"Lists of {_named(names, result)}: {text}" if any(names) else text for text, names in grouped.items())


def _named(names: Iterable[str], result: Result) -> str:
    """Return the names of models, each of which is on the card, unless they are all."""
    own = [*dict.fromkeys(names)]
    return _ALL_MODELS if len(own) > 1 and {*own} >= {*_models(result)} else ", ".join(own)


def _by_text(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Return text → the names that have it."""
    grouped: dict[str, list[str]] = {}
    for name, text in pairs:
        grouped.setdefault(text, []).append(name)
    return grouped


def _tests(result: Result) -> Iterator[Block]:
    texts = []
    if any(row.interval is not None for row in result.rows):
        texts.append("± beside a value is half of its 95 % interval over users; each is on its own.")
    if any(row.repeats_std is not None for row in result.rows):
        texts.append(f"± beside a value is the {spread_of_repeats(result)}.")
    tested = [conclusion for conclusion in result.conclusions if conclusion.is_tested]
    if tested:
        texts.append(f"All pairs of models were compared, to show which is best: {how_concluded(tested)}.")
        texts += citations(conclusion.test for conclusion in tested)
        labels = {conclusion.measure for conclusion in tested}
        untested = [label for label in result.labels() if label not in labels]
        texts += [f"Not tested: {shortened(untested)}."] if untested else []
    else:
        reason = "there is one" if len(_models(result)) < 2 else "no difference between them was tested"
        texts.append(f"No models were compared: {reason}.")
    yield Points(tuple(texts))


def _repeats(result: Result) -> Iterator[Block]:
    if not result.repeated:
        yield Paragraph("One test set, and one set of lists of each model.")
        return
    rows = []
    for model in result.models:
        own = [row for row in result.repeated if row.model == model]
        folds, runs = ({getattr(row, name) for row in own} - {None} for name in ("fold", "run"))
        rows.append((model, f"{max(len(folds), 1)}", f"{max(len(runs), 1)}"))
    yield Table.from_texts(
        (Column("model", "name"), Column("folds", "counts"), Column("runs in each", "counts")), rows, "", "repeats-table"
    )


def _definitions(result: Result) -> Iterator[Block]:
    yield from [known] if (known := meanings(result.definitions)) is not None else []
    yield Paragraph("Signatures: every setting that a value depends on. `receval run --from-signature LINE` computes it again.")
    yield Code("\n".join(signature_lines(result).values()))


# What is stated, and what is left


def _stated(result: Result) -> Table:
    """Return what the author states, field by field; models and baselines have a line each for their tuning."""
    given = result.config.get("card") or {}
    rows: list[tuple[Cell, Cell]] = []
    for key, name in FIELDS.items():
        if key != "tuning":
            rows.append((Cell(name), _statement(given.get(key))))
            continue
        tuning = given.get(key) or {}
        whose = [_ALL_MODELS] if _ALL_MODELS in tuning else dict.fromkeys((*_models(result), *tuning))
        rows += [(Cell(f"{name}: {model}"), _statement(tuning.get(model))) for model in whose]
    return Table((Column("field", "key"), Column("statement", wraps=True)), tuple(rows), "Statements of card: in the config", "stated")


def _statement(text: Any) -> Cell:
    return Cell(NOT_STATED, mark="warn") if text is None else Cell(str(text))


def _again(result: Result) -> Iterator[Block]:
    in_memory = [source.role for source in result.inputs if not source.files]
    if in_memory:
        yield Paragraph(f"{shortened(in_memory)} came from tables in memory, which a config cannot name.")
    yield Paragraph("Save the config below as config.yaml, in the folder of its paths, and run:")
    yield Code(_COMMANDS, "sh")
    yield Section("config", "Config", (Code(json.dumps(result.config, indent=1, ensure_ascii=False, default=str), "json"),), folded=True)
    yield Points((f"Versions: {', '.join(f'{name} {version}' for name, version in result.versions.items())}.",))


def _unchecked(result: Result) -> Iterator[str]:
    """Yield what the evaluation did not check."""
    if not result.examined:
        yield "No health check was run."
    by_reason: dict[str, list[str]] = {}
    for id, reason in result.unmade.items():
        by_reason.setdefault(reason, []).append(id)
    for reason, ids in by_reason.items():
        yield f"Health check{'' if len(ids) == 1 else 's'} {', '.join(ids)}: {'turned off' if reason == _OFF else reason}."
    if result.description is None:
        yield "The contents of the files: users, items, times and overlaps."
    if not result.yardsticks:
        yield "Reference lists (oracle, popularity, random): none were evaluated."
    if not any(row.run is not None for row in result.repeated):
        yield "Differences between training runs: there is one run of each model."
    if not result.folds:
        yield "Differences between splits: there is one test set."
    if not any(conclusion.is_tested for conclusion in result.conclusions) and len(_models(result)) > 1:
        yield "Whether differences between models are more than chance."
    missing = [row[0].text for row in _stated(result).rows if row[1].text == NOT_STATED]
    if missing:
        yield f"{len(missing)} of {len(_stated(result).rows)} fields of the author are not stated: {', '.join(missing)}."
    yield _UNSEEN
