"""Readers of the files that trackers write: event files of TensorBoard, and the files in which W&B keeps runs."""

from __future__ import annotations

import json
import struct
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_BLOCK = 32768
_HEAD = 7
"""The length of a block of W&B's files, and of the heads of the file and of each piece of a record."""


def events(file: Path) -> Iterator[tuple[int, str, float | str]]:
    """Yield step, tag and value of an event file of TensorBoard. A record is its length, 4 bytes, its content, and 4 bytes."""
    from tensorboardX.proto.event_pb2 import Event

    content = file.read_bytes()
    while content:
        (length,) = struct.unpack("<Q", content[:8])
        event = Event.FromString(content[12 : 12 + length])
        for value in event.summary.value:
            is_text = value.metadata.plugin_data.plugin_name == "text"
            yield event.step, value.tag, value.tensor.string_val[0].decode() if is_text else value.simple_value
        content = content[16 + length :]


def scalars_and_texts(folder: Path) -> dict[str, Any]:
    """Return the scalars and texts of the only event file of a folder."""
    (file,) = folder.iterdir()
    return {tag: value for _, tag, value in events(file)}


def wandb_runs(folder: Path, n: int) -> dict[str, dict[str, Any]]:
    """Return name → group, job, config, summary and history of the `n` offline runs in the folder wandb/.

    The service of W&B may write the end of a file after the run is finished.
    """
    for _ in range(200):
        runs = [_wandb_run(file.read_bytes()) for file in sorted(folder.glob("wandb/offline-run-*/*.wandb"))]
        if len(runs) == n and all(run["ended"] for run in runs):
            return {run["name"]: run for run in runs}
        time.sleep(0.1)
    raise AssertionError(runs)


def _wandb_run(content: bytes) -> dict[str, Any]:
    run: dict[str, Any] = {"config": {}, "summary": {}, "history": [], "step_metrics": {}, "ended": False}
    for record in _wandb_records(content):
        kind = record.WhichOneof("record_type")
        if kind == "run":
            run |= {"name": record.run.display_name, "group": record.run.run_group, "job": record.run.job_type}
            run["config"] |= _values(record.run.config.update)
        elif kind == "summary":
            run["summary"] |= _values(record.summary.update)
        elif kind == "history":
            run["history"].append(_values(record.history.item))
        elif kind == "metric":
            run["step_metrics"][record.metric.name] = record.metric.step_metric
        run["ended"] |= kind == "exit"
    return run


def _values(entries: Any) -> dict[str, Any]:
    return {entry.key or ".".join(entry.nested_key): json.loads(entry.value_json) for entry in entries}


def _wandb_records(content: bytes) -> Iterator[Any]:
    """Yield the records of a log in the format of LevelDB: pieces of records in blocks, each with a checksum, its length and its kind."""
    from wandb.proto.wandb_internal_pb2 import Record

    position, record = _HEAD, b""
    while position + _HEAD <= len(content):
        if (left := _BLOCK - position % _BLOCK) < _HEAD:
            position += left
            continue
        length, is_last = int.from_bytes(content[position + 4 : position + 6], "little"), content[position + 6] in (1, 4)
        position += _HEAD
        record += content[position : position + length]
        position += length
        if is_last:
            yield Record.FromString(record)
            record = b""
