"""How scipy.special is imported."""

from __future__ import annotations

import subprocess
import sys

_PROGRAM = """
import sys
from receval.stats.confidence import t_at
assert abs(t_at(0.975, 9) - 2.2621571628) < 1e-9
print("scipy.special" in sys.modules, "numpy.f2py" in sys.modules)
import scipy.special, scipy.stats
print(scipy.special.stdtrit(9, 0.975) == t_at(0.975, 9), scipy.special.logsumexp([0.0]) == 0, scipy.stats.norm.cdf(0) == 0.5)
"""


def test_only_compiled_functions_are_loaded_and_the_package_is_whole_when_somebody_else_imports_it():
    done = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=False)
    assert (done.stdout.split(), done.stderr) == (["False", "False", "True", "True", "True"], "")
