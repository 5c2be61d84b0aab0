"""Shared fixtures: the evaluation of small tables, and the engines."""

from __future__ import annotations

import contextlib
import gc
import json
import os
import re
import shutil
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml
from hypothesis import HealthCheck, Phase, settings
from hypothesis.internal.conjecture import providers
from receval import Result, load_config, run
from receval.cli.main import main
from receval.engines.spark.session import SparkSession, start_session
from receval.render import drawing
from xdist.scheduler import LoadScopeScheduling

from benchmarks.cluster import HOST, free_port
from tests.sizes import FULL, draws, each_once

os.environ.pop("COLUMNS", None)  # workers of xdist set it, and tables in pipes would use this width
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # images set it; every process that tests start would compile all modules
sys.dont_write_bytecode = False  # the same for tests: pytest rewrites their assertions, which takes longer than all imports
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # like the command line; else its threads wait busily in every process of a test

gc.disable()  # until all tests are collected: what is imported and collected stays

ROOT = Path(__file__).parent.parent
CONFIGS = ROOT / "configs"

settings.register_profile(
    "default",
    deadline=None,
    max_examples=draws(20, 100),
    phases=(Phase.explicit, Phase.reuse, Phase.generate),  # an example takes a second, so a failure is not made smaller
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
settings.load_profile("default")
# Hypothesis tries constants of the tested code, and takes every file outside of site-packages for it: in some environments it would parse
# thousands of files of libraries, in each worker. Those of receval are the ones that the tests are about.
providers.is_local_module_file = lambda path: path.startswith((str(ROOT / "evaluator"), str(ROOT / "cli")))

QUICK_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
"""Options of a Java that runs only for seconds: it compiles little, and does not verify the classes of Spark before it loads them."""

Rows = Sequence[tuple[Any, ...]]


class FilesTogether(LoadScopeScheduling):
    """Runs all tests of a file in one worker, to share its fixtures; and all tests on Spark in one worker, to share one session.

    The marks of xdist's own `--dist loadgroup` have no effect with pytest 9.2, which keeps ids of tests elsewhere than xdist 3.8 writes
    them.
    """

    def _split_scope(self, nodeid: str) -> str:
        return "spark" if "spark" in nodeid else nodeid.partition("::")[0]


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> FilesTogether:
    config.option.loadscopereorder = False
    return FilesTogether(config, log)


def chosen(items: list[pytest.Item]) -> list[pytest.Item]:
    """Return the tests without those rows of a product that the mark `each_once` leaves out."""
    products = defaultdict[str, list[pytest.Item]](list)
    for item in items:
        products[item.nodeid.partition("[")[0] if item.get_closest_marker("each_once") else item.nodeid].append(item)
    kept = set[pytest.Item]()
    for product in products.values():
        names = [re.findall(r"\w+", str(mark.args[0])) for mark in product[0].iter_markers("parametrize")] if len(product) > 1 else []
        rows = [[repr([item.callspec.params[name] for name in of_mark]) for of_mark in names] for item in product]  # type: ignore[attr-defined]
        wanted = {*each_once(*(dict.fromkeys(column) for column in zip(*rows, strict=True)))} if names else {()}
        kept |= {item for item, row in zip(product, rows, strict=True) if tuple(row) in wanted}
    return [item for item in items if item in kept]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what only a release needs; begin with Spark and with files of slow tests, so that no worker waits at the end."""
    is_asked = FULL or "release" in config.option.markexpr or any("::" in argument for argument in config.args)
    if not is_asked and (left_out := [item for item in items if item.get_closest_marker("release")]):
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not item.get_closest_marker("release")]
    if not is_asked:
        items[:] = chosen(items)
    if hasattr(config, "workerinput"):
        slow = {item.path for item in items if item.get_closest_marker("slow")}
        items.sort(key=lambda item: ("spark" not in item.nodeid, item.path not in slow))


def pytest_collection_finish() -> None:
    # Imported and collected objects stay, and tests make few cycles: frequent garbage collection takes a twelfth of the time of all tests.
    gc.set_threshold(50_000, 20, 20)
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session", autouse=True)
def _own_temporary_folder() -> Iterator[None]:
    """Make an own folder for temporary files: without leftovers of other processes; some tests run processes of other users."""
    with tempfile.TemporaryDirectory(prefix="receval-tests-", ignore_cleanup_errors=True) as folder, pytest.MonkeyPatch.context() as patch:
        os.chmod(folder, 0o1777)
        patch.setenv("TMPDIR", folder)
        patch.setattr(tempfile, "tempdir", folder)
        yield


drawer = drawing._drawer
"""Returns vl-convert itself, for tests of drawing."""


class DrawnOnce:
    """vl-convert, which draws each chart once for all tests of a session: it takes 0.1 s, and many tests make the same page."""

    def __init__(self, folder: Path) -> None:
        self.svg = cache(partial(self._svg, folder))

    def __getattr__(self, name: str) -> Any:
        return getattr(drawer(), name)

    def vegalite_to_svg(self, spec: Mapping[str, Any], **options: Any) -> str:
        drawer()  # tests may hide it
        return self.svg(json.dumps([spec, options]))

    @staticmethod
    def _svg(folder: Path, asked: str) -> str:
        file = folder / sha256(asked.encode()).hexdigest()
        if not file.exists():
            spec, options = json.loads(asked)
            with tempfile.NamedTemporaryFile("w", encoding="utf-8", newline="", dir=folder, delete=False) as drawn:
                drawn.write(drawer().vegalite_to_svg(spec, **options))
            os.replace(drawn.name, file)
        return file.read_text("utf-8")


@pytest.fixture(scope="session", autouse=True)
def _the_disk_is_not_waited_for() -> Iterator[None]:
    """Let files be flushed to the disk whenever the system likes: the tests write thousands, and no test can cut the power."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda number: None)
        yield


@pytest.fixture(scope="session", autouse=True)
def _charts_are_drawn_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    base = tmp_path_factory.getbasetemp()
    (folder := (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "charts").mkdir(exist_ok=True)  # workers share it
    once = DrawnOnce(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(drawing, "_drawer", lambda: once)
        yield


def table(columns: Sequence[str], rows: Rows) -> pl.DataFrame:
    return pl.DataFrame([list(row) for row in rows], schema=list(columns), orient="row")


def column_of_test_categories(test: pl.DataFrame, settings: Iterable[Any]) -> str | None:
    """Return the column of categories of test rows, `categories` or the rating, if a measure or a convention may read them."""
    if not any(reader in str(setting) for setting in settings for reader in ("categories_of=test", "ir_measures")):
        return None
    return "categories" if "categories" in test.columns else "rating"


@pytest.fixture
def evaluate(tmp_path: Path) -> Callable[..., Result]:
    """Return a function that evaluates tables: `evaluate(test, lists, metrics=[…], top_k=…)`; frames are written as Parquet in their order.

    Health checks are off unless `health` is set.

    Side inputs are frames too: `train`, `items` (its column `categories`, if it has one, is split at `|`), `users`, `baseline`,
    `previous_policy`, `predictions` (a frame for all models, or one for each) and `distances`. `list_columns` names columns of the lists.
    """

    def evaluate(
        test: pl.DataFrame,
        lists: pl.DataFrame | Mapping[str, pl.DataFrame],
        *,
        train: pl.DataFrame | None = None,
        items: pl.DataFrame | None = None,
        users: pl.DataFrame | None = None,
        baseline: pl.DataFrame | None = None,
        previous_policy: pl.DataFrame | None = None,
        predictions: pl.DataFrame | Mapping[str, pl.DataFrame] | None = None,
        distances: pl.DataFrame | None = None,
        engine: Mapping[str, str] | None = None,
        health: Any = "off",
        compare: Mapping[str, Any] | None = None,
        list_columns: Mapping[str, str] | None = None,
        **evaluation: Any,
    ) -> Result:
        def write_frame(name: str, frame: pl.DataFrame) -> str:
            frame.write_parquet(tmp_path / f"{name}.parquet")
            return f"{name}.parquet"

        def model_paths(name: str, frames: Mapping[str, pl.DataFrame]) -> dict[str, str]:
            return {model: write_frame(f"{name}_{index}", frame) for index, (model, frame) in enumerate(frames.items())}

        models = {"model": lists} if isinstance(lists, pl.DataFrame) else lists
        paths = model_paths("lists", models)
        by_column = {model: {"path": path, "columns": dict(list_columns)} for model, path in paths.items()} if list_columns else paths
        data: dict[str, Any] = {"recommendations": by_column}
        sides = {"train": train, "items": items, "users": users, "baseline": baseline}
        sides |= {"previous_policy": previous_policy, "predictions": predictions, "distances": distances}
        for name, given in ({"test": test} | sides).items():
            if given is not None:
                data[name] = write_frame(name, given) if isinstance(given, pl.DataFrame) else model_paths(name, given)
        if items is not None and "categories" in items.columns:
            data["items"] = {"path": data["items"], "categories": "categories", "split": "|"}
        if items is not None and "vector" in items.columns and isinstance(data["items"], dict):
            data["items"]["vector"] = "vector"
        if column := column_of_test_categories(test, (evaluation.get("convention"), *evaluation.get("metrics", ()))):
            data["test"] = {"path": data["test"], "categories": column}
        config = {"data": data, "evaluation": evaluation, **({"engine": dict(engine)} if engine else {})}
        config |= {"compare": dict(compare)} if compare else {}
        config |= {"health": health}
        (tmp_path / "config.yaml").write_text(yaml.dump(config, Dumper=getattr(yaml, "CSafeDumper", yaml.SafeDumper)))
        return run(load_config(tmp_path / "config.yaml"))

    return evaluate


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that writes a text file into the test's folder: `write("config.yaml", "…")`."""

    def write(name: str, text: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    return write


@pytest.fixture
def receval(capfd: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Return a function that runs the command line in this process: `code, out, err = receval("run", config)`."""

    def receval(*arguments: object) -> tuple[int, str, str]:
        capfd.readouterr()
        code = main([str(argument) for argument in arguments])
        captured = capfd.readouterr()
        return code, captured.out, captured.err

    return receval


_built: dict[tuple[Any, ...], Path] = {}


def built_once(folder: Path, build: Callable[..., object], *given: Any) -> Path:
    """Fill a folder with what `build(*given)` writes into the working folder: it runs once in a process, and other tests get copies.

    What `build` takes from around it must be the same in every test, because only its name and `given` are compared.
    """
    key = (build.__module__, build.__qualname__, given)
    if key not in _built:
        made = Path(tempfile.mkdtemp(prefix="built-"))
        with contextlib.chdir(made):
            build(*given)
        _built[key] = made
    return Path(shutil.copytree(_built[key], folder, dirs_exist_ok=True))


def copied_configs(folder: Path) -> Path:
    """Copy the configs with their data, without what runs and Python left in their folder."""
    return Path(shutil.copytree(CONFIGS, folder, ignore=shutil.ignore_patterns("__pycache__", "results", ".*")))


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    """Return a copy of the configs with their data, in a writable folder."""
    return copied_configs(tmp_path / "configs")


@pytest.fixture(scope="session")
def spark_session() -> Iterator[SparkSession]:
    """Yield a Spark session that all tests share; skip if Spark is not available."""
    pytest.importorskip("pyspark", reason="the spark extra is not installed")
    if not (shutil.which("java") or os.environ.get("JAVA_HOME")):
        pytest.skip("there is no Java on this machine")
    with pytest.MonkeyPatch.context() as patch:
        served = (
            f"--conf spark.plugins=org.apache.spark.sql.connect.SparkConnectPlugin --conf spark.connect.grpc.binding.port={free_port()}"
        )
        patch.setenv("PYSPARK_SUBMIT_ARGS", f"--driver-java-options '{QUICK_JAVA}' {served} pyspark-shell")
        session = start_session("local[2]")
    yield session
    session.close()


@pytest.fixture(scope="session")
def connect_server(spark_session: SparkSession) -> str:
    """Return the address of a Spark Connect server: it is in the Java of the shared session, so nothing more has to start."""
    return f"sc://{HOST}:{spark_session.native.conf.get('spark.connect.grpc.binding.port')}"


@pytest.fixture
def spark(spark_session: SparkSession) -> Mapping[str, str]:
    """Return the `engine` section of a config that runs on the shared session."""
    return {"name": "spark", "master": "local[2]"}


def values(result: Result, model: str = "model") -> dict[str, float | None]:
    """Return label → value of one model."""
    return {row.label: row.value for row in result.rows if row.model == model}


def model_values(result: Result, model: str = "model") -> dict[str, float | None]:
    """Return label → value of one model, for measures with one value for the whole model."""
    return {row.label: row.value for row in result.rows if row.model == model and row.aggregate == "system"}


def per_user(result: Result, model: str = "model") -> dict[Any, dict[str, float]]:
    """Return user → measure → value of one model."""
    return {row["user"]: row for row in result.per_user[model].rows(named=True)}
