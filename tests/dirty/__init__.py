"""Dirty input as data: files, the findings of the checks on them, and the values under every policy.

A file of cases has `files` and a `config` that its cases share, and `cases` by their sentence. A case can have

- `files`: more of them, or others under the same names: text; for .parquet columns and rows; or user → items, a file in list order;
- `config`: its differences from the config of the file of cases, merged into it;
- `findings`: every error and warning that the checks must raise, and any notes: check, severity, model (empty: of all models), count
  and total, a part of the sentence as `says`, and the `bounds` of values under ties (least, expected, most);
- `silent`: checks that must not raise anything, though they nearly do;
- `notes`: sentences below the table;
- `values`: measure → value; `policies`: policy → its value → measure → value, or `refused`.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import yaml

from tests.conftest import table


@dataclass(frozen=True)
class Case:
    """One dirty input."""

    name: str
    files: Mapping[str, Any]
    config: Mapping[str, Any]
    findings: tuple[Mapping[str, Any], ...] = ()
    silent: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    values: Mapping[str, Any] | None = None
    policies: Mapping[str, Mapping[str, Any]] | None = None

    def write(self, folder: Path) -> Path:
        """Write the files into an empty `folder`; return the path of the config."""
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for name, content in self.files.items():
            if name.endswith(".parquet"):
                table(**content).write_parquet(folder / name)
            else:
                (folder / name).write_text(content if isinstance(content, str) else in_list_order(content))
        (folder / "config.yaml").write_text(yaml.safe_dump(self.config))
        return folder / "config.yaml"


def in_list_order(lists: Mapping[Any, list[Any]]) -> str:
    return "user,item\n" + "".join(f"{user},{item}\n" for user, items in lists.items() for item in items)


def merge(base: Any, other: Any) -> Any:
    """Return `base`, updated deeply with `other`; if `other` has models, they replace those of `base`."""
    if not isinstance(base, Mapping) or not isinstance(other, Mapping):
        return other
    both = {**base, **other}
    return {name: merge(base[name], value) if name in base and name != "recommendations" else value for name, value in both.items()}


def number(value: Any) -> float | None:
    """Return a written value as a float: a number, a fraction such as 2/3, or None."""
    return None if value is None else float(Fraction(str(value)))


def read() -> dict[str, Case]:
    """Return every case, by file and sentence."""
    cases = {}
    for path in sorted(Path(__file__).parent.glob("*.yaml")):
        of_all = yaml.safe_load(path.read_text())
        for name, case in of_all["cases"].items():
            files = {**of_all["files"], **case.pop("files", {})}
            config = merge(of_all["config"], case.pop("config", {}))
            cases[f"{path.stem}: {name}"] = Case(
                name, files, config, *(tuple(case.pop(part, ())) for part in ("findings", "silent", "notes")), **case
            )
    return cases


CASES = read()
