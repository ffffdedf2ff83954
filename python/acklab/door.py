"""How people get at acklab here, for messages that tell them what to type.

In a clone everything goes through its script `do`, which says so in ``ACKLAB_DO`` and makes the
environment; elsewhere acklab is a program and a package like any other.
"""

from __future__ import annotations

import os

__all__ = ["command", "extra"]

_PACKAGE = {
    "dask": "distributed",
    "notebook": "marimo",
    "pandas": "pandas",
    "slurm": "dask-jobqueue",
}


def command(words: str) -> str:
    """Return a command of acklab as it is typed here: ``./do acklab run FILE``."""
    return f"{_prefix()}acklab {words}"


def extra(name: str) -> str:
    """Return how an optional part comes here: an extra of the package, such as ``dask``."""
    if _prefix():
        return f"ACKLAB_EXTRAS={name} before {_prefix()}python or {_prefix()}acklab"
    return f"pip install {_PACKAGE[name]}"


def _prefix() -> str:
    door = os.environ.get("ACKLAB_DO")
    return f"{door} " if door else ""
