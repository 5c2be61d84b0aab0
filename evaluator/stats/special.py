"""The distributions of `scipy.special`, imported when first asked for, without what its import brings along in vain."""

from __future__ import annotations

import importlib.util
import sys
from functools import cache
from types import ModuleType

import numpy as np


def below_t(t: float, df: float) -> float:
    """The share of Student's t distribution with `df` degrees of freedom below `t`."""
    return float(_special().stdtr(df, t))


def t_at(share: float, df: float) -> float:
    """The number below which a `share` of Student's t distribution with `df` degrees of freedom lies."""
    return float(_special().stdtrit(df, share))


def below_noncentral_t(t: float, df: float, noncentrality: float) -> float:
    """The share of the noncentral t distribution below `t`."""
    return float(_special().nctdtr(df, noncentrality, t))


def gamma_at(share: float, shape: float) -> float:
    """The number below which a `share` of the gamma distribution with this `shape` and scale 1 lies."""
    return float(_special().gammaincinv(shape, share))


def above_gamma(number: float, shape: float) -> float:
    """The share of the gamma distribution with this `shape` and scale 1 above `number`."""
    return float(_special().gammaincc(shape, max(0.0, number)))


@cache
def _special() -> ModuleType:
    """`scipy.special`: it imports all that NumPy names, and of that the translator of Fortran, half of the time, waits until it is used."""
    name = "numpy.f2py"
    spec = importlib.util.find_spec(name) if name not in sys.modules else None
    if spec is not None and spec.loader is not None:
        spec.loader = importlib.util.LazyLoader(spec.loader)
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
        np.f2py = module
    import scipy.special

    special: ModuleType = scipy.special
    return special
