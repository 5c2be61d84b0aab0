"""The evaluator `receval` of `mlflow.models.evaluate`, for which MLflow needs scikit-learn: the whole of mlflow, not mlflow-skinny."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import entry_points
from importlib.util import find_spec
from typing import Any

import pytest
import receval as library

needs_mlflow = pytest.mark.skipif(find_spec("mlflow") is None or find_spec("sklearn") is None, reason="needs the whole of mlflow")
TEST = {"user": [1, 1, 2, 3], "item": [10, 20, 30, 40]}
ASKED = {"test": TEST, "metrics": ["nDCG@2", "Recall@2"], "health": False}


def popular(model_input: Any) -> Any:
    """Predict the same two items for the users of a table."""
    import pandas

    users = [user for user in model_input["user"] for _ in range(2)]
    return pandas.DataFrame({"user": users, "item": [10, 30] * len(model_input), "score": [0.9, 0.5] * len(model_input)})


def test_mlflow_finds_the_evaluator_by_its_entry_point():
    assert {entry.name: entry.value for entry in entry_points(group="mlflow.model_evaluator")}["receval"] == (
        "receval.api.mlflow_evaluator:RecevalEvaluator"
    )


@pytest.fixture
def evaluated(files: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that evaluates by MLflow in a new run, and returns the values and the run."""
    import mlflow

    monkeypatch.setenv("MLFLOW_TRACKING_URI", files)
    mlflow.set_tracking_uri(None)
    mlflow.set_experiment("home")

    def call(model: Any, data: Any, config: Mapping[str, Any] = ASKED, **more: Any) -> tuple[Mapping[str, float], Any]:
        with mlflow.start_run() as run:
            found = mlflow.models.evaluate(
                model, data, model_type="recommender", **{"evaluators": "receval", "evaluator_config": dict(config), **more}
            )
        return found.metrics, mlflow.MlflowClient().get_run(run.info.run_id)

    return call


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
@needs_mlflow
def test_mlflow_evaluates_the_lists_that_a_model_predicts(evaluated: Any):
    import mlflow
    import pandas

    users = pandas.DataFrame({"user": [1, 2, 3]})
    expected = library.evaluate(recommendations=popular(users), **ASKED)
    values, run = evaluated(popular, users)
    assert values == run.data.metrics
    assert {name: values[name] for name in ("nDCG_at_2", "Recall_at_2")} == {
        "nDCG_at_2": expected["nDCG@2"].value,
        "Recall_at_2": expected["Recall@2"].value,
    }
    assert values["nDCG_at_2.low"] <= values["nDCG_at_2"] <= values["nDCG_at_2.high"]
    assert run.data.tags["receval.convention"] == "receval"
    assert {file.path for file in mlflow.MlflowClient().list_artifacts(run.info.run_id)} >= {"results.json", "report.html"}
    of_lists, _ = evaluated(None, popular(users))
    assert of_lists == values
    with_reference, _ = evaluated(None, popular(users), {**ASKED, "yardsticks": "oracle"})
    assert with_reference == values


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
@needs_mlflow
def test_wrong_settings_of_the_evaluator_have_receval_s_own_errors(evaluated: Any):
    import pandas
    from mlflow.exceptions import MlflowException

    lists = popular(pandas.DataFrame({"user": [1, 2, 3]}))
    with pytest.raises(library.ConfigError, match="test is missing"):
        evaluated(None, lists, {"metrics": "nDCG@2"})
    with pytest.raises(library.ConfigError, match="unknown metric 'nDCGG' — did you mean 'nDCG'"):
        evaluated(None, lists, {"test": TEST, "metrics": "nDCGG"})
    with pytest.raises(library.ConfigError, match="recommendations: they are what the model predicts"):
        evaluated(None, lists, {**ASKED, "recommendations": lists})
    with pytest.raises(MlflowException, match="could not be evaluated by any"):
        evaluated(None, lists, {"pos_label": 1}, evaluators=None)
