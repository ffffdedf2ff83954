"""acklab: what an acknowledgement scheme does to TCP over a wireless network, and why.

Example:
    >>> import acklab
    >>> chain = acklab.Scenario.load("chain.toml")
    >>> every = acklab.run(chain, runs=10)
    >>> every.measures["goodput_pps"].mean
    >>> third = acklab.run(chain.with_({"flow.ack": {"policy": "delayed", "count": 3}}))
    >>> print(acklab.compare(third, every, "goodput_pps"))
    >>> third.frame()           # polars: one row per run
    >>> third.save()            # results/<title>-<id>/
    >>> study = acklab.Study(chain, grid={"flow.window": [2, 5, 10]}, precision=0.02)
    >>> study.run().points("goodput_pps")

Importing this package is quick: polars, scipy and matplotlib are only imported when they are used.
"""

from typing import TYPE_CHECKING

from acklab import search, stats
from acklab._native import version as _version
from acklab.batch import Progress
from acklab.errors import (
    AcklabError,
    InputError,
    Interrupted,
    MeasureError,
    OutputError,
    RunError,
    ScenarioError,
    StudyInterrupted,
)
from acklab.measures import MeasureInfo, Measures, measure_info
from acklab.policy import AckPolicy
from acklab.result import Result, RunWarning
from acklab.scenario import Resolved, Scenario, json_schema, starter
from acklab.simulate import Captures, compare, run
from acklab.stats import Difference, Estimate, Trend

if TYPE_CHECKING:
    from acklab import doctor, papers, plot
    from acklab.study import Plan, Study, StudyResult

__version__ = _version()

_LAZY = {"Plan": "study", "Study": "study", "StudyResult": "study"}
_LAZY_MODULES = ("doctor", "papers", "plot")


def __getattr__(name: str) -> object:
    # Studies and pictures bring polars and matplotlib along: only who uses them waits for them.
    import importlib

    if name in _LAZY_MODULES:
        return importlib.import_module(f"acklab.{name}")
    if name not in _LAZY:
        raise AttributeError(f"module 'acklab' has no attribute {name!r}")
    return getattr(importlib.import_module(f"acklab.{_LAZY[name]}"), name)


__all__ = [
    "AckPolicy",
    "AcklabError",
    "Captures",
    "Difference",
    "Estimate",
    "InputError",
    "Interrupted",
    "MeasureError",
    "MeasureInfo",
    "Measures",
    "OutputError",
    "Plan",
    "Progress",
    "Resolved",
    "Result",
    "RunError",
    "RunWarning",
    "Scenario",
    "ScenarioError",
    "Study",
    "StudyInterrupted",
    "StudyResult",
    "Trend",
    "__version__",
    "compare",
    "doctor",
    "json_schema",
    "measure_info",
    "papers",
    "plot",
    "run",
    "search",
    "starter",
    "stats",
]
