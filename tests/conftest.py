"""What tests share: a way to evaluate small tables, and the engines."""

from __future__ import annotations

import gc
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml
from hypothesis import HealthCheck, Phase, settings
from receval import Result, load_config, run
from receval.cli.main import main
from receval.parts.spark.session import SparkSession, start_session
from xdist.scheduler import LoadScopeScheduling

os.environ.pop("COLUMNS", None)  # workers of xdist have one, and tables in pipes keep to it
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # images set it, and each of the processes that tests start would compile everything
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command line does: its threads wait busily in every process that tests start

ROOT = Path(__file__).parent.parent
CONFIGS = ROOT / "configs"

settings.register_profile(
    "default",
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),  # an example takes a second: a failure is not made smaller
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
settings.load_profile("default")

QUICK_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
"""Options of a Java that runs for seconds: it compiles little, and does not verify the classes of Spark before it loads them."""

Rows = Sequence[tuple[Any, ...]]


class FilesTogether(LoadScopeScheduling):
    """Gives the tests of a file to one worker, so that what they share is made once; all tests on Spark too, which share one session.

    The marks of xdist's own `--dist loadgroup` have no effect with pytest 9.2, which keeps ids of tests elsewhere than xdist 3.8 writes
    them.
    """

    def _split_scope(self, nodeid: str) -> str:
        return "spark" if "spark" in nodeid else nodeid.partition("::")[0]


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> FilesTogether:
    config.option.loadscopereorder = False
    return FilesTogether(config, log)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Let workers begin with Spark and with files that have slow tests, so that none of them waits for another at the end."""
    if hasattr(config, "workerinput"):
        slow = {item.path for item in items if item.get_closest_marker("slow")}
        items.sort(key=lambda item: ("spark" not in item.nodeid, item.path not in slow))


def pytest_collection_finish() -> None:
    # What was imported and collected stays, and tests make few cycles: to look for them often takes a twelfth of the time of all tests.
    gc.set_threshold(50_000, 20, 20)
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def _own_temporary_folder() -> Iterator[None]:
    """A folder for temporary files that no other process looks through, nor has leftovers in; some tests have processes of other users."""
    with tempfile.TemporaryDirectory(prefix="receval-tests-", ignore_cleanup_errors=True) as folder, pytest.MonkeyPatch.context() as patch:
        os.chmod(folder, 0o1777)
        patch.setenv("TMPDIR", folder)
        patch.setattr(tempfile, "tempdir", folder)
        yield


def table(columns: Sequence[str], rows: Rows) -> pl.DataFrame:
    return pl.DataFrame([list(row) for row in rows], schema=list(columns), orient="row")


@pytest.fixture
def evaluate(tmp_path: Path) -> Callable[..., Result]:
    """Evaluate tables: `evaluate(test, lists, metrics=[…], top_k=…)`; frames are written as Parquet, in the order given.

    Health checks are made if `health` says which.

    Side inputs are frames too: `train`, `items` (its column `categories`, if it has one, is split at `|`), `users`, `baseline`,
    `previous_policy`, `predictions` (a frame for all models, or one for each) and `distances`.
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
        **evaluation: Any,
    ) -> Result:
        def written(name: str, frame: pl.DataFrame) -> str:
            frame.write_parquet(tmp_path / f"{name}.parquet")
            return f"{name}.parquet"

        def of_models(name: str, frames: Mapping[str, pl.DataFrame]) -> dict[str, str]:
            return {model: written(f"{name}_{index}", frame) for index, (model, frame) in enumerate(frames.items())}

        models = {"model": lists} if isinstance(lists, pl.DataFrame) else lists
        data: dict[str, Any] = {"recommendations": of_models("lists", models)}
        sides = {"train": train, "items": items, "users": users, "baseline": baseline}
        sides |= {"previous_policy": previous_policy, "predictions": predictions, "distances": distances}
        for name, given in ({"test": test} | sides).items():
            if given is not None:
                data[name] = written(name, given) if isinstance(given, pl.DataFrame) else of_models(name, given)
        if items is not None and "categories" in items.columns:
            data["items"] = {"path": data["items"], "categories": "categories", "split": "|"}
        config = {"data": data, "evaluation": evaluation, **({"engine": dict(engine)} if engine else {})}
        config |= {"health": health}
        (tmp_path / "config.yaml").write_text(yaml.safe_dump(config))
        return run(load_config(tmp_path / "config.yaml"))

    return evaluate


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Write a text file into the test's folder: `write("config.yaml", "…")`."""

    def write(name: str, text: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    return write


@pytest.fixture
def receval(capfd: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Run the command line in this process: `code, out, err = receval("run", config)`."""

    def receval(*arguments: object) -> tuple[int, str, str]:
        capfd.readouterr()
        code = main([str(argument) for argument in arguments])
        captured = capfd.readouterr()
        return code, captured.out, captured.err

    return receval


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    """A copy of the configs with their data, to run them where they may write."""
    return Path(shutil.copytree(CONFIGS, tmp_path / "configs"))


@pytest.fixture(scope="session")
def spark_session() -> Iterator[SparkSession]:
    """A Spark session shared by all tests; skips where there is none."""
    pytest.importorskip("pyspark", reason="the spark extra is not installed")
    if not (shutil.which("java") or os.environ.get("JAVA_HOME")):
        pytest.skip("there is no Java on this machine")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_SUBMIT_ARGS", f"--driver-java-options '{QUICK_JAVA}' pyspark-shell")
        session = start_session("local[2]")
    yield session
    session.close()


@pytest.fixture
def spark(spark_session: SparkSession) -> Mapping[str, str]:
    """The `engine` of a config that runs on the shared session."""
    return {"name": "spark", "master": "local[2]"}


def values(result: Result, model: str = "model") -> dict[str, float | None]:
    """label → value of one model."""
    return {row.label: row.value for row in result.rows if row.model == model}


def wholes(result: Result, model: str = "model") -> dict[str, float | None]:
    """label → value of one model, of the measures that have one value for the whole model."""
    return {row.label: row.value for row in result.rows if row.model == model and row.aggregate == "system"}


def per_user(result: Result, model: str = "model") -> dict[Any, dict[str, float]]:
    """user → measure → value of one model."""
    return {row["user"]: row for row in result.per_user[model].rows(named=True)}
