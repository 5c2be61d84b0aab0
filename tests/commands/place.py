"""A folder for whole commands: inputs of every kind, results, unrelated files, plug-ins that misbehave; and what a command changed."""

from __future__ import annotations

import os
import random
import re
import shutil
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any, Final

import polars as pl
import yaml
from receval import load_config
from receval.support.errors import ConfigError

from tests.cli import random_configs
from tests.commands.schema import drawn

QUICK: Final = """
data: {test: test.parquet, recommendations: {one: lists.parquet, two: two.parquet}}
evaluation: {relevance: {threshold: 1}, metrics: [nDCG, Recall], top_k: [2]}
health: off
"""
FULL: Final = r"""
data:
  test: test.csv
  train: train.csv
  users: users.csv
  items: {path: items.parquet, categories: categories, split: "|"}
  recommendations: {one: lists.parquet, two: two.parquet, "odd\n::error::name": two.csv}
evaluation:
  metrics: [nDCG, Recall, ItemCoverage, "0.5*nDCG@2 + 0.5*Recall@2"]
  top_k: [1, 2]
  by: [users.plan]
  yardsticks: [popularity]
health: {R01: warn}
compare: {baseline: one, by: [users.plan]}
gates: {baseline: {path: kept}, rules: [{measure: nDCG@2, min: 0}, {measure: Recall@2, max_loss: 50%, against: one}]}
"""
_METRIC: Final = "import sys\nimport receval\n\n@receval.metric('{name}')\ndef body(listed, relevant):\n    '''{name}.'''\n    {does}\n"
PLUGINS: Final = {
    "Exits": _METRIC.format(name="Exits", does="sys.exit(0)"),
    "ExitsWith5": _METRIC.format(name="ExitsWith5", does="sys.exit(5)"),
    "Closes": _METRIC.format(name="Closes", does="raise GeneratorExit"),
    "Raises": _METRIC.format(name="Raises", does="raise KeyError('\\n::error::raised')"),
    "Interrupts": _METRIC.format(name="Interrupts", does="raise StopIteration"),
    "Prints": _METRIC.format(name="Prints", does="print('a value')\n    return 'no number'"),
    "Counts": _METRIC.format(name="Counts", does="return float(len(listed))"),
    "exits_at_once": "import sys\nsys.exit(0)\n",
    "closes_at_once": "raise GeneratorExit\n",
    "raises_at_once": "raise KeyError('\\n::error::raised')\n",
}
"""Plug-ins by the metric that they add, which the name of the file says."""
_UNRELATED: Final = {
    "cc.json": "{}",
    "notes.txt": "notes\n",
    "old.csv": "a,b\n1,2\n",
    "old.json": "{}",
    "old.md": "# Old\n",
    "page.html": "<p>page</p>\n",
}
ODD_NAME: Final = "a\n::error::boom.csv"
CONFIGS: Final = ("config.yaml", "quick.yaml", "full.yaml", "drawn.yaml")
RESULTS: Final = ("out", "other", "kept")


def write_place(folder: Path, chance: random.Random) -> None:
    """Fill a folder, which is the working folder, with everything that commands may name."""
    frames = random_configs.world(chance)
    while frames["test"].filter(pl.col("rating") > 1)["user"].n_unique() < 2 or len(frames["lists"]) < 4:
        frames = random_configs.world(chance)
    random_configs.write_world(folder, frames, _valid(partial(random_configs.config, chance)), chance)
    test, train = frames["test"], frames["train"]
    for name, frame in {"test": test, "train": train}.items():
        times = pl.Series("timestamp", [1_700_000_000 + chance.randrange(10**7) for _ in range(len(frame))], dtype=pl.Int64)
        events = pl.Series("event", [chance.choice(("view", "buy", "a\n::error::event")) for _ in range(len(frame))], dtype=pl.String)
        frame.with_columns(times, events).write_csv(folder / f"{name}.csv")
    for name, source in {"lists.csv": "lists", "two.csv": "two", ODD_NAME: "lists"}.items():
        pl.read_parquet(folder / f"{source}.parquet").write_csv(folder / name)
    frames["users"].rename({"group": "plan"}).write_csv(folder / "users.csv")
    plugins = {f"{name}.py": text for name, text in PLUGINS.items()}
    for name, text in {"quick.yaml": QUICK, "full.yaml": FULL, "template.md": "# {{ title }}\n", **_UNRELATED, **plugins}.items():
        (folder / name).write_text(text)
    os.symlink("test.csv", folder / "link.csv")
    (folder / "deep").mkdir()
    for config, name in (("quick.yaml", "out/"), ("full.yaml", "other/")):
        more = ("--set", "output.enriched=true", "--set", "gates.baseline=null")
        code, _, err = random_configs.call("run", config, "-o", name, "--per-user", *more)
        assert code in (0, 1), err
    assert random_configs.call("baseline", "set", "out", "--to", "kept")[0] == 0
    write_drawn(folder, chance)


def write_drawn(folder: Path, chance: random.Random) -> None:
    """Write another random config into a place."""
    base = yaml.safe_load(chance.choice((QUICK, FULL, FULL)))
    made = _valid(partial(drawn, chance, base)) if chance.random() < 0.8 else drawn(chance, base)
    (folder / "drawn.yaml").write_text(yaml.safe_dump(made, allow_unicode=True))


def _valid(draw: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return a drawn config that is valid, or the last of some that are not."""
    made = draw()
    for _ in range(4):
        try:
            load_config(made)
            break
        except ConfigError:
            made = draw()
    return made


class Snapshot:
    """The files of a place with their bytes, to find and undo what a command changed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files = _files(folder)

    def changed(self) -> set[str]:
        """Return the names of the files that are no longer what they were, or are new."""
        now = _files(self.folder)
        return {name for name in self.files.keys() | now.keys() if self.files.get(name) != now.get(name)}

    def restore(self) -> None:
        """Bring every file back, and remove those that are new."""
        for name in self.changed():
            path = self.folder / name
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            elif os.path.lexists(path):
                path.unlink()
            if (content := self.files.get(name)) is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
                if isinstance(content, bytes):
                    path.write_bytes(content)
                else:
                    os.symlink(content, path)
        for root, folders, _ in os.walk(self.folder, topdown=False):
            for name in folders:
                path = Path(root, name)
                if str(path.relative_to(self.folder)) != "deep" and not path.is_symlink() and not any(path.iterdir()):
                    path.rmdir()


def _files(folder: Path) -> dict[str, bytes | str]:
    found: dict[str, bytes | str] = {}
    for path in folder.rglob("*"):
        if path.is_symlink():
            found[str(path.relative_to(folder))] = os.readlink(path)
        elif path.is_file():
            found[str(path.relative_to(folder))] = path.read_bytes()
    return found


def inputs_of(folder: Path, words: Iterable[str], files: Iterable[str]) -> set[str]:
    """Return the files of a place that words name, also in configs and folders of results; a word may have an option before its `=`."""
    files, found, texts = set(files), set[str](), list(words)
    while texts:
        text = texts.pop()
        for name in files - found:
            top = name.split("/")[0]
            if top in text and (top not in RESULTS or _names(text, top)):
                found.add(name)
                if name.endswith(".yaml") and "/" not in name:
                    texts.append((folder / name).read_text())
    return found


def _names(text: str, folder: str) -> bool:
    """Return whether a text names a folder: as a word, before a slash or behind an equals sign."""
    return re.search(rf"(?<![\w./]){folder}(?![\w.])", text) is not None
