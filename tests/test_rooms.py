"""The rules of the house: who may import whom, who may name an engine, what is in the wheel."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
import zipfile
from importlib.metadata import version
from pathlib import Path

import pytest
import receval

from tests.conftest import ROOT

EVALUATOR = ROOT / "evaluator"
STATIONS = ("config", "load", "rank", "match", "score", "aggregate", "render", "write")
SHARED = (
    "frames",
    "errors",
    "naming",
    "yaml_text",
    "conventions",
    "result",
    "metrics",
    "catalogue",
    "results",
    "formula",
    "interval",
    "checks",
    "ledger",
)
INNER = {
    "metrics": {"naming", "conventions"},
    "conventions": {"naming", "yaml_text"},
    "catalogue": {"metrics", "conventions", "naming"},
    "results": set(),
    "init": {"load", "config", "conventions", "metrics", "naming", "yaml_text", "errors", "engine", "engine.base"},
    "yaml_text": set(),
    "engine": {"frames", "errors", "engine.base"},
    "result": {"formula", "metrics", "ledger", "checks"},
    "checks": set(),
    "ledger": set(),
    "naming": set(),
    "formula": {"naming"},
    "interval": set(),
}
CONDUCTORS = ("pipeline", "inputs", "__init__", "__main__")
"""Modules that know the order of the stations."""


def modules() -> list[Path]:
    return sorted(path for folder in (EVALUATOR, ROOT / "cli") for path in folder.rglob("*.py"))


def room(path: Path) -> str:
    part = path.relative_to(EVALUATOR).parts[0]
    return part.removesuffix(".py")


def imported_rooms(path: Path) -> set[str]:
    """The rooms of the evaluator that a module of it imports, wherever in the module."""
    package = ["evaluator", *path.relative_to(EVALUATOR).parts[:-1]]
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = package[: len(package) - node.level + 1] + (node.module.split(".") if node.module else [])
            names = [alias.name for alias in node.names] if len(base) == 1 else [base[1]]
            found |= {name for name in names if base[0] == "evaluator"}
            if base[1:2] == ["engine"] and base[2:] == ["base"]:
                found = (found - {"engine"}) | {"engine.base"}
    return found - {room(path)}


@pytest.mark.parametrize("path", sorted(EVALUATOR.rglob("*.py")), ids=lambda path: str(path.relative_to(ROOT)))
def test_a_station_imports_shared_rooms_only_and_never_another_station(path):
    name = room(path)
    if name in CONDUCTORS:
        return
    allowed = INNER.get(name, {*SHARED, "engine.base", *({"engine"} if name == "load" else ())})
    assert imported_rooms(path) <= allowed
    if name in STATIONS:
        assert not imported_rooms(path) & set(STATIONS)


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_engines_are_named_in_engine_load_and_init_and_where_the_config_chooses_one_only(path):
    if path.relative_to(ROOT).parts[:2] in (("evaluator", "engine"), ("evaluator", "load"), ("evaluator", "init")):
        return
    tree = ast.parse(path.read_text())
    imports = [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    imports += [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    assert not [name for name in imports if name.split(".")[0] in ("polars", "pyspark", "pandas", "duckdb")]
    texts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    assert not texts & {"polars", "spark", "pyspark"} or path == EVALUATOR / "config" / "models.py"


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_only_load_reads_only_write_writes_and_only_the_command_line_speaks(path):
    where = path.relative_to(ROOT).parts
    called = [node.func for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
    calls = {function.id for function in called if isinstance(function, ast.Name)}
    if where[0] == "evaluator":
        assert "print" not in calls
    touching = {function.attr for function in called if isinstance(function, ast.Attribute)} & {
        "write_bytes",
        "write_text",
        "read_bytes",
        "read_text",
        "open",
        "unlink",
        "mkdir",
    }
    packaged = {
        ("evaluator", "config", "loader.py"),
        ("evaluator", "conventions", "convention.py"),
        ("cli", "main.py"),
        ("evaluator", "init", "sample.py"),
    }
    if where[:2] != ("evaluator", "load") and where != ("evaluator", "write.py"):
        assert "open" not in calls
        assert not touching or where in packaged, touching


def test_no_file_is_too_long_to_see_at_a_glance():
    assert not [(path.name, length) for path in modules() if (length := len(path.read_text().splitlines())) > 300]


def test_every_folder_of_modules_is_a_package():
    assert not [path for path in modules() if not (path.parent / "__init__.py").is_file()]


def installed_name(path: Path) -> str:
    """The path of a file of the tree inside site-packages."""
    top, *below = path.relative_to(ROOT).parts
    return "/".join(("receval", *(() if top == "evaluator" else (top,)), *below))


def test_the_wheel_holds_exactly_the_tree(tmp_path):
    source = shutil.copytree(ROOT, tmp_path / "source", ignore=shutil.ignore_patterns(".*", "build", "tests", "benchmarks"))
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--quiet", "--wheel-dir", str(tmp_path), str(source)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    names = zipfile.ZipFile(next(tmp_path.glob("*.whl"))).namelist()
    tree = {path for folder in ("evaluator", "cli") for path in (ROOT / folder).rglob("*") if path.suffix in (".py", ".yaml", ".typed")}
    tree |= {path for path in (ROOT / "configs").rglob("*") if path.suffix in (".csv", ".parquet", ".json")}
    tree |= {ROOT / "configs" / name for name in ("__init__.py", "families.yaml", "grids.yaml", "quickstart.yaml")}
    assert {name for name in names if ".dist-info/" not in name} == {installed_name(path) for path in tree}


def python(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True)


def test_the_tree_is_imported_under_one_name_only():
    done = python("-c", "import sys, receval.pipeline, receval.cli.run; sys.exit('evaluator' in sys.modules or 'cli' in sys.modules)")
    assert done.returncode == 0, done.stderr


def test_the_package_and_the_help_of_the_command_line_import_neither_polars_nor_pydantic():
    script = """
import sys, receval
from receval.cli.main import main
status = main(["--help"])
print(sorted({"polars", "pydantic", "numpy"} & sys.modules.keys()), receval.__version__, status)
"""
    assert python("-c", script).stdout.splitlines()[-1] == f"[] {version('receval')} 0"


def test_python_runs_the_package():
    assert python("-m", "receval", "--version").stdout == f"receval {version('receval')}\n"


def test_packages_are_the_folders_themselves_so_that_new_files_are_found_without_installing_again():
    script = "import receval.load, receval.cli, receval.configs; print(*receval.__path__, *receval.load.__path__, *receval.cli.__path__)"
    assert python("-c", script).stdout.split() == [str(EVALUATOR), str(EVALUATOR / "load"), str(ROOT / "cli")]


def test_what_is_public_is_what_is_listed():
    assert receval.__all__ == sorted(receval.__all__)
    for name in receval.__all__:
        assert getattr(receval, name).__doc__, name
