"""How scipy.special is imported."""

from __future__ import annotations

import subprocess
import sys

_PROGRAM = """
import sys
from receval.stats.special import t_at
assert abs(t_at(0.975, 9) - 2.2621571628) < 1e-9
waiting = type(sys.modules["numpy.f2py"]).__name__
import numpy.f2py
print(waiting, type(numpy.f2py).__name__, callable(numpy.f2py.run_main))
"""


def test_the_translator_of_fortran_waits_until_somebody_looks_into_it():
    done = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=False)
    assert (done.stdout.split(), done.stderr) == (["_LazyModule", "module", "True"], "")
