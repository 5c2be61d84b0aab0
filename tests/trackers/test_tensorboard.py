"""Results as event files of TensorBoard, parsed record by record."""

from __future__ import annotations

import json
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import receval as library
from receval.actions.track import files_of, track
from receval.config.run_sections import TensorboardTracking, Tracking
from receval.support.extras import install_command

from tests.trackers.conftest import MEASURE
from tests.trackers.readers import scalars_and_texts

needs_tensorboard = pytest.mark.skipif(find_spec("tensorboardX") is None, reason="needs the extra tensorboard")


@needs_tensorboard
def test_event_files_have_the_values_of_each_model_under_names_that_can_be_decoded(evaluated: library.EvaluationResult, tmp_path: Path):
    from receval.trackers.tensorboard import TensorboardFiles

    tracker = TensorboardFiles(TensorboardTracking(run="commit 1"), tmp_path, inputs=())
    assert tracker.log(evaluated, files_of(evaluated)) == str(tmp_path / "commit_1")
    assert {path.name for path in (tmp_path / "commit_1").iterdir()} == {"old", "new_er", "results.json", "report.html", "manifest.json"}
    for folder, model in {"old": "old", "new_er": "new.er"}.items():
        found = scalars_and_texts(tmp_path / "commit_1" / folder)
        names = json.loads(found["receval.measures/text_summary"])
        assert names["nDCG.gain-linear_at_3"] == MEASURE
        assert {names[name]: value for name, value in found.items() if name in names} == {
            measure: np.float32(value) for measure, value in evaluated.to_dict()[model].items()
        }
        widens = model == "new.er"  # all users of the other model have the same value
        assert (found["nDCG_at_3.low"] < found["nDCG_at_3"] < found["nDCG_at_3.high"]) == widens
        assert found["receval.model/text_summary"] == model
        assert json.loads(found["receval.settings/text_summary"])["convention"] == "receval"
    assert tracker.log(evaluated, {}) == str(tmp_path / "commit_1_2")  # no evaluation is mixed with another


def test_without_the_library_the_extra_to_install_is_named(
    evaluated: library.EvaluationResult, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(sys.modules, "tensorboardX", None)
    asked = Tracking(tensorboard=TensorboardTracking())
    (tracked,) = track(evaluated, [asked], tmp_path, inputs=())
    assert install_command("tensorboard") in tracked.problem
    assert list(tmp_path.iterdir()) == []
