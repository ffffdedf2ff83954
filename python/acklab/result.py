"""The result of a scenario's runs: measures, frames, samples, warnings.

A result is never bare: it carries the resolved scenario, the seed, the code's version, the cost of
computing it, and every warning that its runs raised. Frames are polars frames, made on demand.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from acklab import arguments
from acklab.batch import Record
from acklab.errors import InputError
from acklab.frames import as_pandas
from acklab.measures import Measures
from acklab.scenario import Resolved, Scenario

if TYPE_CHECKING:
    import polars

__all__ = ["Result", "RunWarning"]

# Each run's bookkeeping, in this order in front of its measures.
_RUN_COLUMNS = ("run", "seed", "simulated_s", "wall_s", "events", "digest")

_FIRST = " (in the first of these runs)"


@dataclass(frozen=True)
class RunWarning:
    """Something a reader of the result must know.

    Attributes:
        code: a stable short name.
        message: one sentence.
        count: how often it happened, over all runs.
        runs: the runs in which it happened.
    """

    code: str
    message: str
    count: int
    runs: tuple[int, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the warning as plain data."""
        return {
            "code": self.code,
            "message": self.message,
            "count": self.count,
            "runs": list(self.runs),
        }

    def __str__(self) -> str:
        return f"{self.message} [{self.code}, {self.count}×]"


@dataclass(frozen=True, repr=False)
class Result:
    """What `acklab.run` returns.

    Attributes:
        scenario: the scenario as given.
        seed: the root seed of all runs.
        records: each finished run as the core reported it, ordered by run number.
        failures: runs that ended in a fault: run number to message.
        requested: how many runs were asked for.
        elapsed_s: wall time for all of them together.
        workers: how many ran at a time.
        interrupted: whether Ctrl-C cut it short.
        confidence: the coverage of the intervals.
        capture_files: what was written besides, by kind (``pcap``, ``ip_pcap``, ``events``).
    """

    scenario: Scenario
    seed: int
    records: tuple[Record, ...]
    failures: Mapping[int, str] = field(default_factory=dict)
    requested: int = 0
    elapsed_s: float = 0.0
    workers: int = 1
    interrupted: bool = False
    confidence: float = 0.95
    capture_files: Mapping[str, str] = field(default_factory=dict)
    extra_warnings: tuple[RunWarning, ...] = ()

    @property
    def resolved(self) -> Resolved:
        """The scenario with every default filled in."""
        return self.scenario.resolve()

    @property
    def runs(self) -> int:
        """How many runs finished."""
        return len(self.records)

    @cached_property
    def measures(self) -> Measures:
        """Network-wide measures and sums over the flows: name to mean with interval."""
        return Measures([record["measures"] for record in self.records], self.confidence)

    def flow(self, index: int = 0) -> Measures:
        """Return the measures of one flow, numbered as in the scenario from 0.

        Raises:
            InputError: there is no such flow.
        """
        return self._part("flows", "flow", index)

    def node(self, index: int) -> Measures:
        """Return the measures of one node, numbered from 0.

        Raises:
            InputError: there is no such node.
        """
        return self._part("nodes", "node", index)

    def _part(self, key: str, noun: str, index: int) -> Measures:
        most = len(self.records[0][key]) - 1
        whole = arguments.is_whole(index)
        if not whole or not 0 <= index <= most:
            shown = str(index) if whole else repr(index)
            raise InputError(f"there is no such {noun}", noun, shown, f"0 to {most}")
        return Measures([record[key][index] for record in self.records], self.confidence)

    @cached_property
    def warnings(self) -> tuple[RunWarning, ...]:
        """Every warning of every run, one entry per code, the most frequent first."""
        found: dict[str, RunWarning] = {}

        def add(code: str, message: str, count: int, run: int) -> None:
            if before := found.get(code):
                first = before.message.removesuffix(_FIRST)
                message = first if message == before.message else first + _FIRST
                count, runs = count + before.count, (*before.runs, run)
            found[code] = RunWarning(code, message, count, runs if before else (run,))

        for record in self.records:
            for entry in record.get("warnings", []):
                add(entry["code"], entry["message"], entry["count"], record["run"])
        for run in self.failures:
            first = next(iter(self.failures))
            add("run-failed", f"run {first} failed and is left out: {self.failures[first]}", 1, run)
        if self.interrupted:
            found["interrupted"] = RunWarning(
                "interrupted", f"interrupted after {self.runs} of {self.requested} runs", 1, ()
            )
        if self.runs == 1:
            found["no-interval"] = RunWarning(
                "no-interval", "a single run gives no interval: ask for two or more", 1, ()
            )
        ordered = sorted(found.values(), key=lambda warning: (-warning.count, warning.code))
        return (*self.extra_warnings, *ordered)

    @property
    def simulated_s(self) -> float:
        """Simulated seconds of all runs together."""
        return math.fsum(record["simulated_s"] for record in self.records)

    @property
    def events(self) -> int:
        """What happened in all runs together, counted as it went into their digests."""
        return sum(int(record["events"]) for record in self.records)

    @property
    def speed(self) -> str:
        """One line on the cost: simulated seconds per wall second and events per second."""
        elapsed = max(self.elapsed_s, 1e-9)
        return (
            f"{self.simulated_s:,.6g} simulated s in {self.elapsed_s:.2f} s: "
            f"{self.simulated_s / elapsed:,.0f} simulated s per wall s, "
            f"{self.events / elapsed:,.0f} events/s ({self.events:,} events, "
            f"{self.workers} worker{'s' if self.workers > 1 else ''})"
        )

    def frame(self, per: Literal["run", "flow", "node"] = "run", *, pandas: bool = False) -> Any:
        """Return the measures as a polars frame.

        Args:
            per: ``"run"`` gives one row per run (run, seed, simulated_s, wall_s, events, digest,
                then each network-wide measure); ``"flow"`` and ``"node"`` give one row per run and
                flow or node (run, flow or node, then its measures). Units: `measure_info`.
            pandas: return a pandas frame (which does not come with acklab).

        Raises:
            InputError: ``per`` is none of these.
        """
        import polars

        if per == "run":
            rows = [
                {name: record[name] for name in _RUN_COLUMNS} | record["measures"]
                for record in self.records
            ]
        elif per in ("flow", "node"):
            rows = [
                {"run": record["run"], per: index} | part
                for record in self.records
                for index, part in enumerate(record[f"{per}s"])
            ]
        else:
            raise InputError("no such frame", "per", repr(per), "run, flow or node")
        # Of any seed: polars would take one of 2⁶³ or more for a number of 128 bits.
        seeds = {"seed": polars.UInt64} if per == "run" else {}
        frame = polars.DataFrame(rows, schema_overrides=seeds, infer_schema_length=None)
        return as_pandas(frame) if pandas else frame

    def samples(self, run: int = 0) -> polars.DataFrame:
        """Return what was sampled over time in one run.

        The frame has one row per sample and flow: ``time_s`` (simulated seconds), ``flow`` (from
        0), and the sampled quantities with their units in their names, such as ``cwnd_packets``.

        Raises:
            InputError: there is no such run, or the scenario asks for no samples.
        """
        import polars

        samples = self._sampled(run)
        times = samples.get("time_s") or []
        if not times:
            raise InputError(
                "the scenario takes no samples",
                "measure.sample",
                None,
                'an interval of simulated time, such as "100 ms"',
            )
        frames = [
            polars.DataFrame({"time_s": times, "flow": [flow] * len(times)} | columns)
            for flow, columns in enumerate(samples["flows"])
        ]
        return polars.concat(frames, how="diagonal")

    def _sampled(self, run: int) -> Mapping[str, Any]:
        for record in self.records:
            if record["run"] == run:
                return record.get("samples") or {}
        accepted = ", ".join(str(record["run"]) for record in self.records)
        shown = str(run) if arguments.is_whole(run) else repr(run)
        raise InputError("there is no such run", "run", shown, accepted)

    def sessions(self, run: int = 0) -> polars.DataFrame:
        """Return the short transfers of one run, in the order of their opening.

        The frame has one row per transfer: ``flow`` (from 0), ``session`` (from 0 in its flow),
        ``start_s`` (simulated seconds), ``bytes`` (its size, as sent) and ``delay_s`` (from opening
        to the last ACK at the source; null if the run ended before). The k-th size and the pause
        after it are the same under every scheme, so transfers can be compared in pairs.

        Raises:
            InputError: there is no such run, or the scenario has no short transfers.
        """
        import polars

        flows = self._sampled(run).get("sessions") or []
        if not flows:
            raise InputError(
                "the scenario has no short transfers", "flow.kind", None, 'a flow of "sessions"'
            )
        schema = {
            "flow": polars.Int64,
            "session": polars.Int64,
            "start_s": polars.Float64,
            "bytes": polars.Int64,
            "delay_s": polars.Float64,
        }
        frames = [
            polars.DataFrame(
                flow
                | {
                    "flow": [flow["flow"]] * len(flow["bytes"]),
                    "session": range(len(flow["bytes"])),
                },
                schema_overrides=schema,
            ).select(list(schema))
            for flow in flows
        ]
        return polars.concat(frames).sort("start_s", maintain_order=True)

    @property
    def has_sessions(self) -> bool:
        """Whether the scenario has short transfers."""
        return any((record.get("samples") or {}).get("sessions") for record in self.records)

    @property
    def has_samples(self) -> bool:
        """Whether the runs were sampled over time."""
        return any((record.get("samples") or {}).get("time_s") for record in self.records)

    def save(self, folder: str | Path | None = None) -> Path:
        """Write the result into a folder and return the folder's path.

        The folder holds ``manifest.json``, ``scenario.toml`` (as given), ``resolved.toml`` (with
        sources), ``measures.csv``, and as Parquet and CSV ``runs``, ``flows``, ``nodes``, and where
        there are any ``samples`` and ``sessions``. It appears whole or not at all.

        Args:
            folder: where; by default ``results/<title>-<short id>`` in the current folder. A result
                of acklab that stands there is replaced, anything else is left alone.

        Raises:
            OutputError: the folder cannot be written, or holds something else.
        """
        from acklab import store

        return store.save(self, folder)

    def __repr__(self) -> str:
        return f"<acklab.Result of {self.scenario.title!r}: {self.runs} runs, seed {self.seed}>"

    def _repr_html_(self) -> str:
        """Show the measures as a table in a notebook."""
        import html

        rows = "".join(
            f"<tr><td>{html.escape(name)}</td><td>{html.escape(str(estimate))}</td></tr>"
            for name, estimate in self.measures.items()
        )
        notes = "".join(f"<li>{html.escape(str(warning))}</li>" for warning in self.warnings)
        title = html.escape(f"{self.scenario.title}: {self.runs} runs, seed {self.seed}")
        return f"<p>{title}</p><table>{rows}</table><ul>{notes}</ul>"
