"""The rules of the house: imports between rooms, access to files, and the contents of the wheel."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import zipfile
from collections import Counter
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from importlib.metadata import version
from pathlib import Path

import pytest
import receval
from receval.api import stubs

from tests.conftest import ROOT
from tests.tree import below, sources

EVALUATOR = ROOT / "evaluator"
ROOMS = (
    "__main__",
    "cli",
    "receval",
    "integrations",
    "functional",
    "testing",
    "api",
    "actions",
    "studies",
    "evaluation",
    "init",
    "trackers",
    "storage",
    "render",
    "gates",
    "comparison",
    "documents",
    "engines",
    "recognise",
    "load",
    "config",
    "health",
    "scoring",
    "results",
    "stats",
    "checks",
    "metrics",
    "tables",
    "conventions",
    "syntax",
    "exact_sums",
    "support",
)
"""The rooms from top to bottom: each imports only from rooms below it. `receval` is the package itself, the front door of the library."""
WITHOUT_ROWS = {"__main__", "checks", "cli", "config", "conventions", "functional", "receval", "syntax", "trackers"}
"""Rooms that read no rows, and import neither Polars nor NumPy."""
ARRAYS = set(ROOMS) - WITHOUT_ROWS - {"support"}
LIBRARIES = {
    "polars": ARRAYS - {"stats", "exact_sums"} | {"support"},
    **{library: {"integrations"} for library in ("keras", "lightning", "optuna", "recbole", "torch", "transformers")},
    "numpy": ARRAYS - {"actions", "documents", "init", "recognise", "render", "results", "storage"},
    "pandas": {"api"},
    "scipy": {"stats"},
    "pyspark": {"engines"},
    "pyarrow": {"engines"},
    "obstore": {"load"},
    "deltalake": {"load"},
    "pyiceberg": {"load"},
    "msgspec": set(ROOMS),
    "blake3": {"load", "results"},
    "pydantic": {"config"},
    "pydantic_core": {"config"},
    "yaml": {"config", "init", "syntax", "trackers"},
    "rich": {"cli", "render"},
    "click": {"cli"},
    "zstandard": {"load"},
    "mlflow": {"api", "load", "trackers"},
    "wandb": {"trackers"},
    "tensorboardX": {"trackers"},
    "jinja2": {"render"},
    "markupsafe": {"render"},
}
"""Each library outside of the standard library, with the rooms that may import it."""
LAZY = {"np": "numpy", "pl": "polars"}
"""Name in `support.lazy` → the library, which is imported at its first use."""
ENDINGS = (".py", ".pyi", ".yaml", ".typed", ".css", ".html", ".js")
"""Endings of installed files."""
FILES = {
    "reads rows": ({"scan_csv", "scan_ndjson", "scan_parquet", "scan_ipc", "scan_lines", "scan_delta", "scan_iceberg", "read_parquet"},
                   {"storage", "load"}),
    "opens a file": ({"open"}, {"storage", "support", "load", "syntax", "render"}),
    "reads a text of its own": ({"read_text", "read_bytes"}, {"config", "conventions", "init", "engines", "support"}),
    "writes a result": ({"write_text", "write_bytes", "mkdir", "touch"}, {"storage"}),
    "keeps temporary files": ({"mkdtemp", "TemporaryDirectory", "write_ipc_stream", "read_ipc_stream", "unlink", "rmtree"},
                              {"storage", "load", "engines", "support"}),
}  # fmt: skip
"""Operations on files: the functions, and the rooms that may call them."""


def installed(path: Path) -> str:
    """Return the name of a module of the tree when it is installed."""
    top, *below = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(name for name in ("receval", *(() if top == "evaluator" else (top,)), *below) if name != "__init__")


MODULES = {installed(path): path for folder in (EVALUATOR, ROOT / "cli") for path in sorted(folder.rglob("*.py"))}
"""Installed name of each module → its file."""


@cache
def trees() -> dict[str, ast.Module]:
    """Return the syntax tree of each module."""
    return {name: ast.parse(path.read_text()) for name, path in MODULES.items()}


@cache
def nodes(name: str) -> tuple[ast.AST, ...]:
    """Return every node of a module."""
    return tuple(ast.walk(trees()[name]))


def room(name: str) -> str:
    """Return the room of a module."""
    return name.split(".")[1] if name.count(".") else "receval"


@cache
def imports(name: str) -> frozenset[str]:
    """Return every module that a module imports, anywhere in its text; a name imported from a package can be a module too."""
    return frozenset(_imports(name))


def _imports(name: str) -> Iterator[str]:
    package = name.split(".") if MODULES[name].name == "__init__.py" else name.split(".")[:-1]
    for node in nodes(name):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join((*base, *([node.module] if node.module else [])))
            for alias in node.names:
                yield f"{module}.{alias.name}" if f"{module}.{alias.name}" in MODULES else module


def calls(name: str) -> Iterator[ast.expr]:
    """Yield every function that a module calls."""
    return (node.func for node in nodes(name) if isinstance(node, ast.Call))


def test_imports_go_downwards_only():
    below = {name: ROOMS[ROOMS.index(room(name)) :] for name in MODULES}
    ours = {name: {module for module in imports(name) if module.split(".")[0] == "receval"} for name in MODULES}
    upwards = {name: {module for module in ours[name] if room(module) not in below[name]} for name in MODULES}
    assert not {name: modules for name, modules in upwards.items() if modules}


def test_no_modules_import_each_other_in_a_circle():
    tuple(TopologicalSorter({name: imports(name) - {name} for name in MODULES}).static_order())


def test_no_import_is_for_type_checkers_only():
    assert not [name for name, path in MODULES.items() if "TYPE_CHECKING" in path.read_text()]


def test_libraries_are_imported_where_they_belong():
    libraries = {name: {module.split(".")[0] for module in imports(name)} - sys.stdlib_module_names - {"receval"} for name in MODULES}
    for name in MODULES:
        lazy = (node for node in nodes(name) if isinstance(node, ast.ImportFrom) and (node.module or "").endswith("lazy"))
        libraries[name] |= {LAZY[alias.name] for node in lazy for alias in node.names if alias.name in LAZY}
    strangers = {name: {library for library in libraries[name] if room(name) not in LIBRARIES.get(library, ())} for name in MODULES}
    assert not {name: found for name, found in strangers.items() if found}


def test_only_load_reads_rows_and_only_output_writes_results():
    for name in MODULES:
        called = {call.attr for call in calls(name) if isinstance(call, ast.Attribute) and ast.unparse(call) != "os.open"}
        called |= {call.id for call in calls(name) if isinstance(call, ast.Name)}
        deeds = {deed: called & verbs for deed, (verbs, rooms) in FILES.items() if called & verbs and room(name) not in rooms}
        assert not deeds, name


def test_only_the_command_line_prints():
    printing = {name for name in MODULES if any(isinstance(call, ast.Name) and call.id == "print" for call in calls(name))}
    assert {room(name) for name in printing} <= {"cli"}, printing


DOORS = (*("receval", "receval.cli", "receval.actions", "receval.config", "receval.support", "receval.render", "receval.render.terminal"),)
"""Modules of receval that the command line may import: the front door, loading of configs and plug-ins, words of errors, and the screen."""


def test_the_command_line_imports_the_front_door_the_config_failures_and_the_screen_only():
    ours = {name: {module for module in imports(name) if module.split(".")[0] == "receval"} for name in MODULES if room(name) == "cli"}
    strangers = {
        name: {module for module in modules if not any(module == door or module.startswith(f"{door}.") for door in DOORS[1:])} - {"receval"}
        for name, modules in ours.items()
    }
    assert not {name: modules for name, modules in strangers.items() if modules}


def test_no_function_of_the_command_line_has_more_than_forty_lines():
    functions = [(name, node) for name in MODULES if room(name) == "cli" for node in nodes(name) if isinstance(node, ast.FunctionDef)]
    lengths = {f"{name}.{node.name}": (node.end_lineno or 0) - node.body[0].lineno + 1 for name, node in functions}
    assert not {name: length for name, length in lengths.items() if length > 40}


def test_public_classes_have_different_names():
    classes = Counter(
        node.name for tree in trees().values() for node in tree.body if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert not [name for name, count in classes.items() if count > 1]


SUBJECTS = {
    *(
        "across",
        "audit",
        "card",
        "catalogue",
        "catalogue_bounds",
        "description",
        "diff",
        "explanation",
        "found_settings",
        "gate_plan",
        "gates",
        "looks",
        "model_diff",
        "progress",
        "report",
        "run",
        "series",
        "slices",
        "user",
        "user_view",
        "watch",
    ),
    "studies",
}
"""Subjects with a file of the same name in several rooms: its values, its texts, and its command."""


def test_files_of_the_same_name_in_several_rooms_have_the_same_subject():
    named = {(name.split(".")[-1], room(name)) for name, path in MODULES.items() if path.name != "__init__.py" and name.count(".") > 1}
    rooms = Counter(name for name, _ in named)
    assert {name for name, count in rooms.items() if count > 1} <= SUBJECTS


def test_no_file_is_too_long_to_see_at_a_glance():
    paths = [*MODULES.values(), *(ROOT / "tests").rglob("*.py"), *(ROOT / "benchmarks").glob("*.py"), *(ROOT / "docs").rglob("*.py")]
    lengths = {str(path.relative_to(ROOT)): len(path.read_text().splitlines()) for path in paths}
    assert not {name: length for name, length in lengths.items() if length >= 500}


def test_every_folder_of_modules_is_a_package():
    assert not [path for path in MODULES.values() if not (path.parent / "__init__.py").is_file()]


def installed_path(path: Path) -> str:
    """Return the path of a file of the tree inside site-packages."""
    top, *below = path.relative_to(ROOT).parts
    return "/".join(("receval", *(() if top == "evaluator" else (top,)), *below))


MADE_BY_PEOPLE = (
    "configs/results/results.csv",
    "configs/results/per_user.parquet",
    "configs/data/mine.csv",
    "configs/mine.yaml",
    "evaluator/results_of_mine/results.json",
    "evaluator/render/page/mine.css.orig",
    "cli/report.html",
    "results/results.csv",
)


@pytest.mark.release
@pytest.mark.slow
def test_the_wheel_has_exactly_the_files_of_the_tree(tmp_path):
    source = tmp_path / "source"
    for path in sources():
        copy = source / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
    for name in MADE_BY_PEOPLE:
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text("model,value\nmine,1\n")
    options = ("--no-deps", "--no-build-isolation", "--quiet", "--wheel-dir", str(tmp_path))
    done = python("-m", "pip", "wheel", *options, str(source))
    assert done.returncode == 0, done.stderr
    wheel = zipfile.ZipFile(next(tmp_path.glob("*.whl")))
    tree = {path for path in below("evaluator", "cli") if path.suffix in ENDINGS}
    tree |= {path for path in below("configs") if path.suffix in (".csv", ".parquet", ".json")}
    tree |= {ROOT / "configs" / name for name in ("__init__.py", "families.yaml", "grids.yaml", "quickstart.yaml")}
    types = "receval/functional.pyi"
    assert {name for name in wheel.namelist() if ".dist-info/" not in name} == {types, *map(installed_path, tree)}
    assert wheel.read(types).decode() == stubs.text()


def python(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True)


def test_the_tree_is_imported_under_one_name_only():
    done = python(
        "-c", "import sys, receval.evaluation.running, receval.cli.run; sys.exit('evaluator' in sys.modules or 'cli' in sys.modules)"
    )
    assert done.returncode == 0, done.stderr


def test_the_package_and_the_help_of_the_command_line_import_neither_polars_nor_pydantic():
    script = """
import sys, receval
from receval.cli.main import main
status = main(["--help"])
print(sorted({"polars", "pydantic", "numpy"} & sys.modules.keys()), receval.__version__, status)
"""
    assert python("-c", script).stdout.splitlines()[-1] == f"[] {version('receval')} 0"


HEAVY = ["polars", "numpy", "pydantic", "importlib.metadata"]
"""Modules that a page from declared data does not need; each takes from 15 to 90 ms."""
OF_OTHER_RUNS = ["jinja2", "obstore", "pyspark", "scipy", "vl_convert", "xml.etree.ElementTree"]
"""Modules that a run with plain files, without outputs, does not need."""


@pytest.mark.parametrize(
    ("arguments", "unneeded"),
    [
        (["metrics"], HEAVY),
        (["metrics", "nDCG"], HEAVY),
        (["metrics", "--conventions"], HEAVY),
        (["completion", "bash"], HEAVY),
        (["run", str(ROOT / "configs" / "quickstart.yaml")], OF_OTHER_RUNS),
    ],
)
def test_a_command_imports_none_of_the_modules_that_it_does_not_need(arguments, unneeded):
    loaded = f"print(sorted(set({unneeded}) & sys.modules.keys()), status)"
    script = f"import sys; from receval.cli.main import main; status = main({arguments}); {loaded}"
    assert python("-c", script).stdout.splitlines()[-1] == "[] 0"


def test_expressions_of_a_module_are_compiled_at_their_first_use():
    """A command imports a hundred regular expressions and uses few; `support.patterns.regex` compiles those."""
    made = [(name, node.value) for name in MODULES for node in trees()[name].body if isinstance(node, ast.Assign | ast.AnnAssign)]
    compiled = {name for name, value in made if isinstance(value, ast.Call) and ast.unparse(value.func) == "re.compile"}
    assert not {name for name in compiled if room(name) not in {"documents", "engines", "render", "results", "scoring"}}


def test_classes_of_the_config_do_not_postpone_their_annotations():
    """Pydantic would compile each of them by itself, which takes a fifth of the time to create the classes."""
    models = [name for name in MODULES if re.search(r"(?m)^class \w+\((Model|BaseModel)\)", MODULES[name].read_text())]
    assert len(models) > 5
    assert not [name for name in models if "from __future__ import annotations" in MODULES[name].read_text()]


def test_python_runs_the_package():
    assert python("-m", "receval", "--version").stdout == f"receval {version('receval')}\n"


def test_packages_are_the_folders_themselves_so_that_new_files_are_found_without_installing_again():
    script = "import receval.load, receval.cli, receval.configs; print(*receval.__path__, *receval.load.__path__, *receval.cli.__path__)"
    assert python("-c", script).stdout.split() == [str(EVALUATOR), str(EVALUATOR / "load"), str(ROOT / "cli")]


def test_public_names_are_listed_and_documented():
    assert receval.__all__ == sorted(receval.__all__)
    for name in receval.__all__:
        assert getattr(receval, name).__doc__, name


def test_only_os_path_tests_whether_a_path_exists():
    """Guard against `Path.exists` and its like, which fail in unreadable folders and for names that are too long."""
    asking = {name: [ast.unparse(node.func) for node in nodes(name) if isinstance(node, ast.Call) and not node.args] for name in MODULES}
    assert not {
        name: asked
        for name, asked in asking.items()
        if any(dotted_name.endswith((".exists", ".is_file", "path.is_dir")) for dotted_name in asked)
    }


def test_only_declarations_and_implementations_name_checks():
    """Other rooms read the declarations: needs, demands on a run, and the key of the policy that refuses data."""
    check = re.compile(r"[A-Z]\d\d")
    others = [name for name in MODULES if room(name) not in ("checks", "health")]
    texts = {
        name: [node.value for node in nodes(name) if isinstance(node, ast.Constant) and isinstance(node.value, str)] for name in others
    }
    named = {name: list(filter(check.fullmatch, of_module)) for name, of_module in texts.items()}
    assert not {name: checks for name, checks in named.items() if checks}


def test_the_page_of_the_architecture_has_every_room_in_its_order():
    table = (ROOT / "docs" / "architecture.md").read_text("utf-8").partition("## The source tree")[2].partition("\n## ")[0]
    named = [name for row in re.findall(r"^\| (`[^|]*) \|", table, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)]
    assert named == [room for room in ROOMS if room not in ("__main__", "receval")]


def test_the_picture_of_the_architecture_names_rooms():
    picture = (ROOT / "docs" / "architecture.svg").read_text("utf-8")
    named = re.findall(r'text-anchor="middle"[^>]*>(\w+)<', picture)
    assert set(named) <= set(ROOMS)
    assert len(set(named)) == len(named) > 15


def test_every_file_of_more_than_400_lines_says_in_its_head_why():
    long = [text for path in MODULES.values() if (text := path.read_text("utf-8")).count("\n") > 400]
    heads = (ast.get_docstring(ast.parse(text)) or "" for text in long)
    assert [head for head in heads if not re.search("Long: | is long because ", head)] == []
