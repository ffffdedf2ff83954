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

Importing this package is quick: polars, scipy and matplotlib are only imported when they are used.
"""

from acklab import search, stats
from acklab._native import version as _version
from acklab.batch import Progress
from acklab.errors import (
    AcklabError,
    InputError,
    Interrupted,
    OutputError,
    RunError,
    ScenarioError,
)
from acklab.result import MeasureInfo, Measures, Result, RunWarning, measure_info
from acklab.scenario import Resolved, Scenario, json_schema, starter
from acklab.simulate import Captures, compare, run
from acklab.stats import Difference, Estimate, Trend

__version__ = _version()

__all__ = [
    "AcklabError",
    "Captures",
    "Difference",
    "Estimate",
    "InputError",
    "Interrupted",
    "MeasureInfo",
    "Measures",
    "OutputError",
    "Progress",
    "Resolved",
    "Result",
    "RunError",
    "RunWarning",
    "Scenario",
    "ScenarioError",
    "Trend",
    "__version__",
    "compare",
    "json_schema",
    "measure_info",
    "run",
    "search",
    "starter",
    "stats",
]
