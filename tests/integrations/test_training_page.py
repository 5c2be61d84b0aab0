"""docs/how-to/training.md: its loop stops where the page says, and its callbacks work with the real libraries where these are installed."""

from __future__ import annotations

import contextlib
import importlib
import io
import logging
import re
import sys
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import receval

from tests.conftest import ROOT
from tests.integrations.epochs import epoch_of

PAGE = (ROOT / "docs" / "how-to" / "training.md").read_text("utf-8")
BLOCKS = dict(re.findall(r"^<!-- example: ([\w-]+) -->\n\n```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))
PRINTED = re.findall(r"^```text\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
LIBRARIES = ("keras", "lightning", "optuna", "recbole", "transformers")
needs = {
    library: pytest.mark.skipif(find_spec(library) is None, reason=f"{library} is not installed")
    for library in (*LIBRARIES, "pytorch_lightning")
}


@pytest.fixture(scope="module")
def loop() -> dict[str, Any]:
    """Return the names of the loop of the page after it ran, with what it `printed`, and its `log`."""
    names: dict[str, Any] = {"__name__": "page"}
    log, logger = io.StringIO(), logging.getLogger("receval.integrations.early_stopping")
    handler = logging.StreamHandler(log)
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(BLOCKS["numpy"], "numpy", "exec"), names)
    logger.removeHandler(handler)
    logger.setLevel(logging.NOTSET)
    return {**names, "printed": printed.getvalue(), "log": log.getvalue()}


@pytest.fixture
def ran(loop, tmp_path, monkeypatch):
    """Return a function that runs a block of the page in an empty folder after the loop, and returns its names."""
    monkeypatch.chdir(tmp_path)
    if find_spec("torch") is not None:
        monkeypatch.setenv("KERAS_BACKEND", "torch")

    def run(block: str, **names: Any) -> dict[str, Any]:
        held = {**loop, **names}
        exec(compile(block, "page", "exec"), held)
        return held

    return run


def test_there_is_a_block_for_each_library():
    assert BLOCKS.keys() == {"numpy", *LIBRARIES}


def test_the_loop_stops_where_the_page_says(loop):
    assert loop["printed"] == PRINTED[0]
    assert PRINTED[1].strip() in loop["log"]
    users, items = loop["best"]
    assert loop["evaluator"](users @ items.T)["nDCG@10"] == pytest.approx(loop["stopping"].best_value)


@needs["lightning"]
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_lightning_stops_and_keeps_the_best_epoch(ran):
    names = ran(BLOCKS["lightning"])
    assert_stopped_at_its_best(names["callback"], float(names["result"]))
    assert names["trainer"].callback_metrics["receval/Recall@20"] == pytest.approx(names["callback"].values["Recall@20"])


@needs["pytorch_lightning"]
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_lightning_under_its_other_name_takes_lists_of_all_users_too(ran):
    importlib.import_module("pytorch_lightning")
    sys.modules.pop("receval.integrations.lightning", None)  # which chooses its base classes when it is imported
    block = BLOCKS["lightning"].replace("lightning.pytorch", "pytorch_lightning").replace("epochs=100", "epochs=3")
    block = block.replace("LightningCallback(evaluator, ", "LightningCallback(evaluator, lambda module: module(torch.arange(600)), ")
    names = ran(block)
    assert float(names["result"]) == pytest.approx(names["callback"]._stopping.best_value)
    assert isinstance(names["callback"], sys.modules["pytorch_lightning"].Callback)


@needs["lightning"]
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_lightning_says_what_validation_step_has_to_return(ran):
    with pytest.raises(receval.ConfigError, match=r"^validation_step does not return users and their lists\n  return "):
        ran(BLOCKS["lightning"].replace('return {"users": batch[0], "lists": self(batch[0])}', "return self(batch[0])"))


@needs["lightning"]
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_lists_of_batches_in_several_processes_are_refused_with_what_to_do(loop):
    callback = importlib.import_module("receval.integrations.lightning").LightningCallback(loop["evaluator"])
    trainer = SimpleNamespace(sanity_checking=False, world_size=2)
    with pytest.raises(receval.ConfigError, match="the lists of batches are in 2 processes, and receval evaluates in one\n  give"):
        callback.on_validation_batch_end(trainer, None, {"users": [1], "lists": [[1]]}, None, 0)


@needs["transformers"]
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_the_trainer_of_hugging_face_stops_and_keeps_the_best_epoch(ran):
    names = ran(BLOCKS["transformers"])
    assert_stopped_at_its_best(names["metrics"], names["result"])
    assert Path(names["trainer"].state.best_model_checkpoint).is_dir()
    metrics = names["trainer"].evaluate(names["rows"])
    assert metrics["eval_Recall@20"] == pytest.approx(names["metrics"].values["Recall@20"])
    with pytest.raises(receval.DataError, match="the Trainer has predictions of 10 rows, but there are 600 users\n  give the users in the"):
        names["trainer"].evaluate(names["rows"][:10])


@needs["transformers"]
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_the_trainer_of_hugging_face_may_give_item_ids_only(ran):
    names = ran(BLOCKS["transformers"].replace("epochs=60", "epochs=1"))
    trainer = names["trainer"]
    of_scores = trainer.evaluate()["eval_nDCG@10"]
    evaluator = receval.Evaluator(test=names["valid"], metrics="nDCG@10")
    module = sys.modules["receval.integrations.huggingface"]
    trainer.compute_metrics = module.HuggingFaceMetrics(evaluator, range(600))
    trainer.preprocess_logits_for_metrics = lambda scores, labels: (scores - 100 * labels).topk(10).indices
    assert trainer.evaluate()["eval_nDCG@10"] == pytest.approx(of_scores)


@needs["keras"]
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_keras_stops_and_keeps_the_best_epoch(ran):
    names = ran(BLOCKS["keras"])
    assert_stopped_at_its_best(names["callback"], names["result"])
    best = sys.modules["keras"].models.load_model("best.keras")
    again = names["evaluator"](best.predict(np.arange(600), verbose=0))
    assert again["nDCG@10"] == pytest.approx(names["result"])


@needs["optuna"]
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_optuna_prunes_trials_that_are_clearly_worse(ran):
    names = ran(BLOCKS["optuna"])
    pruned = [trial for trial in names["study"].trials if trial.state.name == "PRUNED"]
    assert 0 < len(pruned) < 12
    reasons = [trial.user_attrs["receval/pruned"] for trial in pruned]
    assert all(" is worse than trial " in reason for reason in reasons)
    assert PRINTED[-1].strip() in reasons
    assert all(trial.user_attrs["receval/nDCG@10"] == trial.value for trial in names["study"].trials)
    assert len(names["pruning"]._steps) <= 2


@needs["optuna"]
@pytest.mark.filterwarnings("ignore")
def test_optuna_prunes_nothing_after_the_steps_for_which_its_level_is_corrected():
    optuna = importlib.import_module("optuna")
    pruning = importlib.import_module("receval.integrations.optuna").OptunaPruning(n_steps=1)
    study = optuna.create_study(direction="maximize")
    good, bad = (epoch_of(np.linspace(low, 1, 300)) for low in (0.9, 0.0))
    best, other, last = (study.ask() for _ in range(3))
    for step in range(2):
        pruning.report(best, good, step)
    study.tell(best, 0.95)
    pruning.report(other, good, 0)
    pruning.report(other, bad, 1)
    with pytest.raises(optuna.TrialPruned, match="trial 2 is worse than trial 0: nDCG@10 is lower by"):
        pruning.report(last, bad, 0)


@needs["recbole"]
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["BPR", "NeuMF", "GRU4Rec"])
def test_values_of_a_model_of_recbole_are_those_of_recbole(name, loop, ran, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["recbole"])
    for old, new in {"float_": np.float64, "complex_": np.complex128, "unicode_": np.str_}.items():
        monkeypatch.setattr(np, old, new, raising=False)
    rows = [f"u{user}\ti{item}\t{time}" for user in range(60) for time, item in enumerate(loop["clicked"][user])]
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "shop.inter").write_text("\n".join(["user_id:token\titem_id:token\ttimestamp:float", *rows]))
    trainer, model, train_data, valid_data = recbole_trainer(name, tmp_path)
    monkeypatch.setattr(trainer, "fit", lambda *data, **more: type(trainer).fit(trainer, *data, saved=False, verbose=False, **more))
    names = ran(BLOCKS["recbole"], trainer=trainer, train_data=train_data, valid_data=valid_data)
    own = trainer.evaluate(valid_data, load_best_model=False)
    values = names["evaluation"](model)
    assert {"ndcg@10", "recall@10", "mrr@10"} == own.keys()
    assert [values[measure] for measure in ("nDCG@10", "Recall@10", "MRR@10")] == pytest.approx([*own.values()], abs=1e-12)
    assert len(capsys.readouterr().out.splitlines()) >= 2
    assert names["result"] == values["nDCG@10"] > 0
    with pytest.raises(receval.ConfigError, match="does not rank all items\n  set mode: full in eval_args of the config of RecBole"):
        names["RecBoleEvaluation"](train_data, metrics="nDCG@10")


def recbole_trainer(name: str, folder: Path) -> tuple[Any, Any, Any, Any]:
    """Return a trainer of RecBole with its model and its data loaders for training and validation."""
    from recbole.config import Config
    from recbole.data import create_dataset, data_preparation
    from recbole.utils import get_model, get_trainer

    sequential = name == "GRU4Rec"
    split = {"LS": "valid_and_test"} if sequential else {"RS": [0.8, 0.1, 0.1]}
    settings = {
        "data_path": str(folder),
        "checkpoint_dir": str(folder),
        "state": "ERROR",
        "show_progress": False,
        "epochs": 2,
        "metrics": ["NDCG", "Recall", "MRR"],
        "topk": [10],
        "valid_metric": "NDCG@10",
        "metric_decimal_place": 15,
        **({"train_neg_sample_args": None} if sequential else {}),
        "load_col": {"inter": ["user_id", "item_id", "timestamp"]},
        "eval_args": {"split": split, "order": "TO", "group_by": "user", "mode": "full"},
    }
    config = Config(model=name, dataset="shop", config_dict=settings)
    dataset = create_dataset(config)
    train_data, valid_data, _ = data_preparation(config, dataset)
    model = get_model(config["model"])(config, train_data.dataset)
    return get_trainer(config["MODEL_TYPE"], config["model"])(config, model), model, train_data, valid_data


def assert_stopped_at_its_best(callback: Any, best_value: float) -> None:
    """Check that a training was stopped early, and that the library knows the value of the best epoch."""
    stopping = callback._stopping
    assert stopping.should_stop
    assert stopping.sentence.startswith("No clear improvement in nDCG@10 for 5 epochs after epoch ")
    assert best_value == pytest.approx(stopping.best_value)
    assert best_value > 0.15
