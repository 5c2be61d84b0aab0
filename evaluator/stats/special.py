"""The distributions of `scipy.special`, imported when first asked for, without what its import brings along in vain."""

from __future__ import annotations

import importlib
import os
import sys
from functools import cache
from types import ModuleType


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
    """The compiled functions of `scipy.special`, without the rest of that package, whose import takes five times as long.

    While they are loaded an empty module has its place, so that Python does not run the package; others then import all of it as ever.
    """
    name = "scipy.special"
    if name in sys.modules:
        return sys.modules[name]
    import scipy

    sys.modules[name] = package = ModuleType(name)
    package.__path__ = [os.path.join(folder, "special") for folder in scipy.__path__]
    try:
        return importlib.import_module(f"{name}._ufuncs")
    finally:
        del sys.modules[name]
