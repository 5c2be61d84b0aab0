"""Without its library a module of receval.integrations is one sentence with the command that installs it."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest
from receval.support.errors import MissingExtraError


@pytest.mark.parametrize(
    ("module", "absent", "package"),
    [
        ("lightning", ("lightning", "pytorch_lightning"), "lightning"),
        ("huggingface", ("transformers",), "transformers"),
        ("keras", ("keras",), "keras"),
        ("optuna", ("optuna",), "optuna"),
        ("recbole", ("torch",), "torch"),
        ("recbole", ("recbole",), "recbole"),
    ],
)
def test_a_missing_library_is_named_with_its_command(module, absent, package, monkeypatch):
    for name in [name for name in sys.modules if name.partition(".")[0] in absent]:
        monkeypatch.delitem(sys.modules, name)
    for name in absent:
        monkeypatch.setitem(sys.modules, name, None)
    if package == "recbole":
        monkeypatch.setitem(sys.modules, "torch", sys)  # any module: it is imported first
    monkeypatch.delitem(sys.modules, f"receval.integrations.{module}", raising=False)
    with pytest.raises(MissingExtraError) as raised:
        import_module(f"receval.integrations.{module}")
    assert str(raised.value) == f"receval.integrations.{module} needs {package}, which is not installed\n  pip install {package}"


def test_receval_and_early_stopping_import_no_training_library():
    script = """
import sys, receval, receval.integrations.early_stopping
print(sorted({"torch", "lightning", "pytorch_lightning", "transformers", "keras", "optuna", "recbole"} & sys.modules.keys()))
"""
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout == "[]\n"
