"""The import of scipy.special."""

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


def test_only_compiled_functions_are_loaded_and_a_later_import_gets_the_whole_package():
    done = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=False)
    assert (done.stdout.split(), done.stderr) == (["False", "False", "True", "True", "True"], "")


_IN_THREADS = """
import threading
from receval.stats.confidence import t_at
together, values = threading.Barrier(8), []

def ask(package):
    together.wait()
    if package:
        from scipy.special import expit
        assert expit(0.0) == 0.5
    values.append(t_at(0.975, 9))

threads = [threading.Thread(target=ask, args=(number % 4 == 0,)) for number in range(8)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
from scipy.special import expit, stdtrit
print(len(values), set(values) == {stdtrit(9, 0.975)})
"""


def test_threads_can_import_the_functions_and_the_package_at_the_same_time():
    done = subprocess.run([sys.executable, "-c", _IN_THREADS], capture_output=True, text=True, check=False, timeout=60)
    assert (done.stdout.split(), done.stderr) == (["8", "True"], "")
