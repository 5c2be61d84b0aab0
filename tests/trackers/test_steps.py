"""Values of epochs in trackers: `receval.track(…, step=…)` and `receval track --step`."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import receval as library
from receval.support import plugins

from tests.trackers.readers import events, wandb_runs

Command = Callable[..., tuple[int, str, str]]
needs_mlflow = pytest.mark.skipif(find_spec("mlflow") is None, reason="needs the extra mlflow")
TEST = {user: [user % 7] for user in range(20)}
VALUES = [0.5, 0.7, 0.75]


def epochs(n: int = 3) -> Iterator[tuple[int, dict[str, float | None]]]:
    """Yield epochs with the values of an evaluator, which are those of `VALUES`."""
    evaluator = library.Evaluator(test=TEST, metrics=["HitRate@1", "nDCG(gain=linear)@1"])
    for epoch in range(n):
        hits = 20 * VALUES[epoch]
        yield epoch, evaluator({user: [user % 7 if user < hits else 9] for user in TEST})


@pytest.fixture
def history(files: str, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], list[tuple[int, float]]]:
    """Return a function from a run to the steps and values of HitRate@1 of the latest run of this name."""
    pytest.importorskip("mlflow", reason="needs the extra mlflow")
    from mlflow import MlflowClient

    monkeypatch.setenv("MLFLOW_TRACKING_URI", files)

    def read(name: str, key: str = "HitRate_at_1", experiment: str = "receval") -> list[tuple[int, float]]:
        client = MlflowClient(files)
        (run,) = client.search_runs([client.get_experiment_by_name(experiment).experiment_id], f"attributes.run_name = '{name}'")
        return sorted((point.step, point.value) for point in client.get_metric_history(run.info.run_id, key))

    return read


def test_epochs_are_a_line_of_one_run_in_mlflow(history: Callable[..., Any]):
    for epoch, values in epochs():
        (tracked,) = library.track(values, {"mlflow": {"run": "als"}}, step=epoch)
        assert (tracked.name, tracked.went) == ("mlflow", f"receval, run als, step {epoch}")
    assert history("als") == list(enumerate(VALUES))
    assert history("als", "nDCG.gain-linear_at_1") == list(enumerate(VALUES))
    library.track({"old": {"HitRate@1": 0.25}, "new": {"HitRate@1": 0.5}}, {"mlflow": {"run": "both"}}, step=4)
    assert (history("both/old"), history("both/new")) == ([(4, 0.25)], [(4, 0.5)])


def test_epochs_go_to_the_active_run_of_mlflow(history: Callable[..., Any], monkeypatch: pytest.MonkeyPatch):
    import mlflow

    mlflow.set_tracking_uri(None)
    mlflow.set_experiment("training")
    with mlflow.start_run(run_name="mine") as run:
        for epoch, values in epochs(2):
            (tracked,) = library.track(values, "mlflow", step=epoch)
            assert tracked.went == f"run {run.info.run_id}, step {epoch}"
    monkeypatch.setenv("MLFLOW_RUN_ID", run.info.run_id)
    library.track({"old": {"HitRate@1": 0.25}, "new": {"HitRate@1": 0.5}}, "mlflow", step=9)
    assert history("mine", experiment="training") == list(enumerate(VALUES[:2]))
    assert history("mine", "new/HitRate_at_1", experiment="training") == [(9, 0.5)]
    assert mlflow.MlflowClient().get_run(run.info.run_id).info.status == "FINISHED"


def test_the_command_logs_a_folder_at_a_step(history: Callable[..., Any], receval: Command, tmp_path: Path):
    for step, hits in enumerate((10, 14)):
        lists = {user: [user % 7 if user < hits else 9] for user in TEST}
        library.evaluate(test=TEST, recommendations={"als": lists}, metrics="HitRate@1", health=False).save(tmp_path / "now/")
        code, _, err = receval("track", tmp_path / "now", "--to", "{mlflow: {run: tuning}}", "--step", step)
        assert (code, err) == (0, f"receval: tracked with mlflow: receval, run tuning, step {step}\n")
    assert history("tuning") == list(enumerate(VALUES[:2]))
    assert [step for step, _ in history("tuning", "HitRate_at_1.low")] == [0, 1]  # a result has intervals


@pytest.mark.release
@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_epochs_have_their_own_axis_in_the_active_run_of_wandb(wandb_folder: Path):
    import wandb

    settings = wandb.Settings(silent=True, console="off", x_disable_stats=True)
    with wandb.init(project="home", name="als", mode="offline", settings=settings) as run:
        for epoch, values in epochs():
            run.log({"loss": 1.0})  # the count of W&B runs ahead of the epochs
            library.track(values, "wandb", step=epoch)
    (read,) = wandb_runs(wandb_folder, 1).values()
    lines = [(row["receval_step"], row["HitRate_at_1"]) for row in read["history"] if "receval_step" in row]
    assert lines == list(enumerate(VALUES))
    assert read["step_metrics"]["HitRate_at_1"] == "receval_step"
    with pytest.raises(library.RecevalError, match="no run is active, and an offline run cannot be continued"):
        library.track({"HitRate@1": 0.5}, {"wandb": {"mode": "offline"}}, step=0)


def test_epochs_are_event_files_of_one_folder_of_tensorboard(tmp_path: Path):
    pytest.importorskip("tensorboardX", reason="needs the extra tensorboard")
    for epoch, values in epochs():
        (tracked,) = library.track(values, {"tensorboard": {"dir": str(tmp_path), "run": "als"}}, step=epoch)
        assert tracked.went == f"{tmp_path / 'als'}, step {epoch}"
    folder = tmp_path / "als" / "model"
    found = [(step, value) for file in sorted(folder.iterdir()) for step, tag, value in events(file) if tag == "HitRate_at_1"]
    assert found == [(epoch, pytest.approx(value)) for epoch, value in enumerate(VALUES)]


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_tensorboard_draws_a_line_over_epochs_and_hides_those_of_an_earlier_training(tmp_path: Path):
    pytest.importorskip("tensorboardX", reason="needs the extra tensorboard")
    accumulators = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator", reason="needs tensorboard itself")
    to = {"tensorboard": {"dir": str(tmp_path), "run": "als"}}
    for epoch, values in epochs():
        library.track(values, to, step=epoch)

    def drawn() -> list[tuple[int, float]]:
        reader = accumulators.EventAccumulator(str(tmp_path / "als" / "model"))
        reader.Reload()
        return [(scalar.step, pytest.approx(scalar.value)) for scalar in reader.Scalars("HitRate_at_1")]

    assert drawn() == list(enumerate(VALUES))
    for file in (tmp_path / "als" / "model").iterdir():  # as if it had been written earlier
        file.rename(file.with_name(file.name.replace("tfevents.1", "tfevents.0")))
    library.track({"HitRate@1": 0.1}, to, step=1)
    assert drawn() == [(0, 0.5), (1, 0.1)]


def test_epochs_are_rows_of_a_plot_for_dvc(tmp_path: Path):
    to = {"dvc": {"dir": str(tmp_path)}}
    for epoch, values in epochs():
        library.track(values, to, step=epoch)
    library.track({"HitRate@1": 0.25}, to, step=1)  # a new training: later epochs are of the one before
    assert list(csv.reader((tmp_path / "steps" / "HitRate_at_1.csv").read_text().splitlines())) == [
        ["step", "model"],
        ["0", "0.5"],
        ["1", "0.25"],
    ]
    assert json.loads((tmp_path / "metrics.json").read_text()) == {"step": 1, "model": {"HitRate_at_1": 0.25}}


@pytest.mark.parametrize(
    ("values", "to", "step", "sentence"),
    [
        ({"nDCG@5": 0.5}, "dvc", None, "step is missing\n  values of an Evaluator are logged at a step"),
        ({"nDCG@5": 0.5}, "dvc", -1, "step: this should be a whole number from 0, not -1"),
        ({"nDCG@5": 0.5}, "dvc", 1.5, "step: this should be a whole number from 0, not 1.5"),
        ({"nDCG@5": "high"}, "dvc", 1, "values: nDCG@5 should be a number, not 'high'"),
        ({}, "dvc", 1, "values: give a result, its folder, or measures with their values"),
        ({"nDCG@5": 0.5}, "dvx", 1, "to[0].dvx: unknown key 'dvx' — did you mean 'dvc'?"),
        ({"nDCG@5": 0.5}, None, 1, "no tracker is given\n  choose one with to='mlflow', 'wandb', 'dvc' or 'tensorboard'"),
    ],
)
def test_wrong_arguments_are_refused_in_a_sentence(values: Any, to: Any, step: Any, sentence: str):
    with pytest.raises(library.ConfigError) as raised:
        library.track(values, to, step=step)
    assert sentence in str(raised.value)


def test_a_tracker_of_a_package_without_steps_says_so(monkeypatch: pytest.MonkeyPatch):
    class Plain:
        def log(self, result: library.Result, files: Any) -> str:
            return "acme.example"

    monkeypatch.setattr(plugins, "find", lambda kind, name: (lambda options: Plain()) if (kind, name) == ("trackers", "acme") else None)
    with pytest.raises(library.ConfigError, match="acme: this tracker has no steps"):
        library.track({"nDCG@5": 0.5}, "acme", step=1)


def test_a_result_without_a_step_is_logged_as_by_the_command(tmp_path: Path):
    result = library.evaluate(test=TEST, recommendations={"als": TEST}, metrics="HitRate@1", health=False)
    (tracked,) = library.track(result, {"dvc": {"dir": str(tmp_path / "dvc")}})
    assert (tracked.name, tracked.went) == ("dvc", str(tmp_path / "dvc"))
    result.save(tmp_path / "now/")
    library.track(tmp_path / "now", [{"dvc": {"dir": str(tmp_path / "again")}}])
    for file in ("metrics.json", "results.json"):
        assert (tmp_path / "dvc" / file).read_bytes() == (tmp_path / "again" / file).read_bytes()
