"""Count what stock ns-2 did in one run of `ns2_chain.tcl`: frames, collisions, drops, TCP events.

What it is: a reader of ns-2's old-format trace that prints one row (JSON or CSV) per run, with the
column names of the reference rows of `acklab.papers`. The trace streams through a pipe; nothing
is stored unless `--keep` names a file.
What it is not: a judge. It counts; the comparison is the reader's.

    python3 bench/peers/ns2_counts.py --nodes 9 --window 3 --d 1 --seeds 1-10 --csv rows.csv
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

NS2_MISSING = 3
"""Exit code when ns-2 is not installed: the measurement was skipped, which is not a pass."""

SCRIPT = Path(__file__).with_name("ns2_chain.tcl")
CONTROL = ("RTS", "CTS", "ACK")
BROADCAST = "ffffffff"


@dataclass(frozen=True)
class Run:
    """The parameters of one run, in the words of `ns2_chain.tcl`."""

    nodes: int = 9
    window: int = 8
    d: int = 1
    rate: str = "1Mb"
    payload: int = 1000
    duration: float = 150.0
    start: float = 1.0
    seed: int = 1
    positions: str = ""

    def arguments(self) -> list[str]:
        """The command line for `ns`."""
        options: list[str] = []
        for name, value in vars(self).items():
            if value != "":
                options += [f"-{name}", str(value)]
        return options


@dataclass
class TraceCounts:
    """Everything counted from one trace, line by line."""

    sent: Counter[str] = field(default_factory=Counter)
    """MAC transmissions by kind: RTS, CTS, ACK, data (unicast), broadcast."""
    heard: Counter[str] = field(default_factory=Counter)
    """MAC receptions of control frames by kind, at their addressee."""
    done: Counter[str] = field(default_factory=Counter)
    """Unicast exchanges whose ACK came back, by the packet's type (tcp, ack, AODV, ARP)."""
    drops: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    """Drop lines by (layer, reason, packet type)."""
    routing: Counter[str] = field(default_factory=Counter)
    """AODV packets handed to the link layer, by kind; forwarded requests apart."""
    acks_made: int = 0
    arrived: set[int] = field(default_factory=set[int])
    on_air: dict[str, str] = field(default_factory=dict[str, str])
    """The last unicast data frame of each node, to know what an arriving ACK acknowledges."""

    def read(self, lines: Iterable[str]) -> None:
        """Count every line of a trace."""
        for line in lines:
            words = line.split()
            if len(words) < 8:
                continue
            event, node, layer = words[0], words[2], words[3]
            # Drops carry their reason where the others carry `---`.
            reason, kind = words[4], words[6]
            if event == "D":
                self.drops[layer, reason, kind] += 1
            elif layer == "MAC":
                self._mac(event, node, kind, words)
            elif layer == "AGT":
                self._agent(event, kind, words)
            elif layer == "RTR" and kind == "AODV" and event in "sf":
                self._routing(words)

    def _mac(self, event: str, node: str, kind: str, words: list[str]) -> None:
        if event == "s":
            if kind in CONTROL:
                self.sent[kind] += 1
            elif words[9] == BROADCAST:
                self.sent["broadcast"] += 1
            else:
                self.sent["data"] += 1
                self.on_air[node] = kind
        elif event == "r" and kind in CONTROL:
            self.heard[kind] += 1
            if kind == "ACK":
                self.done[self.on_air[node]] += 1

    def _routing(self, words: list[str]) -> None:
        name = words[-1].strip("()")
        # A forwarded request is a new packet with the forwarder's address: only its hop count
        # tells the origin.
        if name == "REQUEST" and words[words.index("[0x2") + 1] != "1":
            name = "REQUEST forwarded"
        self.routing[name] += 1

    def _agent(self, event: str, kind: str, words: list[str]) -> None:
        if event == "r" and kind == "tcp":
            # `[seqno ackno]` is the second bracket after the addresses.
            self.arrived.add(int(line_sequence(words)))
        elif event == "s" and kind == "ack":
            self.acks_made += 1

    def in_order(self) -> int:
        """Segments delivered in order to the sink, without the 40-byte opening packet 0."""
        number = 0
        while number + 1 in self.arrived:
            number += 1
        return number

    def dropped(self, layer: str, reason: str, *kinds: str) -> int:
        """Drop lines at `layer` for `reason`, of the given packet types or of all."""
        return sum(
            count
            for (at, why, kind), count in self.drops.items()
            if (at, why) == (layer, reason) and (not kinds or kind in kinds)
        )


def line_sequence(words: list[str]) -> str:
    """The TCP sequence number of a trace line: `… [0:0 8:0 30 1] [24 0] 0 0`."""
    brackets = [word for word in words if word.startswith("[")]
    return brackets[-1].lstrip("[")


def mean_window(lines: Iterable[str], run: Run) -> dict[str, float]:
    """Time averages of `cwnd` and of `min(cwnd, window)`, and the largest `cwnd`.

    The averages divide by the whole duration: the seconds before the start count as a window of
    0, as in the reference rows. The inflation during fast recovery is a separate variable in ns-2
    and is in none of the three (the reference's `avgwin` contains it).
    """
    at, cwnd = run.start, 1.0
    area = limited = largest = 0.0
    for line in lines:
        words = line.split()
        if len(words) < 7 or words[5] != "cwnd_":
            continue
        now, value = max(float(words[0]), run.start), float(words[6])
        area += cwnd * (now - at)
        limited += min(cwnd, run.window) * (now - at)
        largest = max(largest, value)
        at, cwnd = now, value
    area += cwnd * (run.duration - at)
    limited += min(cwnd, run.window) * (run.duration - at)
    return {"maxcwnd": largest, "avgcwnd": area / run.duration, "avgmin": limited / run.duration}


def measure(run: Run, keep: Path | None = None) -> dict[str, object]:
    """Run ns-2 once with its MAC trace on and return one row of counts."""
    counts = TraceCounts()
    with tempfile.TemporaryDirectory() as folder:
        windows = Path(folder, "cwnd")
        reading, writing = os.pipe()
        command = [
            "ns",
            str(SCRIPT),
            *run.arguments(),
            "-trace",
            f"/dev/fd/{writing}",
            "-cwnd",
            str(windows),
        ]
        with subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            pass_fds=(writing,),
        ) as process:
            os.close(writing)
            with os.fdopen(reading) as trace:
                if keep is None:
                    counts.read(trace)
                else:
                    with keep.open("w") as copy:
                        counts.read(tee(trace, copy))
            assert process.stdout is not None
            summary = summary_line(process.stdout)
        averages = mean_window(windows.read_text().splitlines(), run)
    return {
        **row(run, counts, summary),
        **{name: round(value, 4) for name, value in averages.items()},
    }


def tee(lines: Iterable[str], copy: TextIO) -> Iterable[str]:
    """Pass lines on and write each to `copy`."""
    for line in lines:
        copy.write(line)
        yield line


def summary_line(lines: Iterable[str]) -> dict[str, float]:
    """The JSON line that `ns2_chain.tcl` prints, among ns-2's own messages."""
    for line in lines:
        if line.startswith("{"):
            found: dict[str, float] = json.loads(line)
            return found
    raise RuntimeError(f"{SCRIPT.name} ended without its JSON line; run it by hand to see why")


def row(run: Run, counts: TraceCounts, summary: dict[str, float]) -> dict[str, object]:
    """One row with the names of the reference columns, and a few that only the trace gives."""
    sent, heard = counts.sent, counts.heard
    measured = run.duration - run.start
    delivered = counts.in_order()
    return {
        "n": run.nodes,
        "wmax": run.window,
        "d": run.d,
        "rate": run.rate,
        "seed": run.seed,
        "meas_s": measured,
        "delivered": delivered,
        "goodput_pps": round(delivered / measured, 4),
        "acked": summary["delivered"],
        "sent": summary["sent"],
        "rexmit": summary["rexmit"],
        "timeouts": summary["timeouts"],
        "cwndcuts": summary["cwndcuts"],
        "rts_tx": sent["RTS"],
        "cts_tx": sent["CTS"],
        "data_tx": sent["data"],
        "ack_tx": sent["ACK"],
        "bcast_tx": sent["broadcast"],
        "rts_fail": sent["RTS"] - heard["CTS"],
        "ack_fail": sent["data"] - heard["ACK"],
        "mac_uni_tcp": counts.done["tcp"],
        "mac_uni_ack": counts.done["ack"],
        "coll_decodable": counts.dropped("MAC", "COL"),
        "retry_drop_rts": counts.dropped("MAC", "RET", "RTS"),
        "retry_drop": counts.dropped("MAC", "RET") - counts.dropped("MAC", "RET", "RTS"),
        "retry_drop_tcp": counts.dropped("MAC", "RET", "tcp"),
        "retry_drop_ack": counts.dropped("MAC", "RET", "ack"),
        "busy_drop": counts.dropped("MAC", "BSY"),
        "dup_drop": counts.dropped("MAC", "DUP"),
        "ifq_drop": counts.dropped("IFQ", "IFQ"),
        "arp_drop": counts.dropped("IFQ", "ARP"),
        "callback_drop": counts.dropped("RTR", "CBK"),
        "no_route_drop": counts.dropped("RTR", "NRTE"),
        "aodv_fail": counts.dropped("MAC", "RET", "tcp", "ack"),
        "aodv_rreq": counts.routing["REQUEST"],
        "aodv_rreq_forwarded": counts.routing["REQUEST forwarded"],
        "aodv_rrep": counts.routing["REPLY"],
        "aodv_rerr": counts.routing["ERROR"],
        "acks_made": counts.acks_made,
        "drops": " ".join(
            f"{'/'.join(key)}={number}" for key, number in sorted(counts.drops.items())
        ),
    }


def numbers(text: str) -> list[int]:
    """`1-4,9` as [1, 2, 3, 4, 9]."""
    found: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found


def main() -> int:
    """Run the wished grid and print or write its rows."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--nodes", default="9", help="numbers of nodes, such as 3,9")
    parser.add_argument("--window", default="8", help="receiver windows in packets, such as 1,3,5")
    parser.add_argument("--d", default="1", help="segments per ACK: 1, 2 or 1,2")
    parser.add_argument("--seeds", default="1", help="seeds, such as 1-10")
    parser.add_argument("--rate", default="1Mb", help="data rate as ns-2 writes it, such as 2Mb")
    parser.add_argument("--duration", type=float, default=150.0, help="simulated seconds")
    parser.add_argument(
        "--csv", type=Path, help="write the rows to this file instead of printing JSON lines"
    )
    parser.add_argument(
        "--keep", type=Path, help="also keep the trace of the (last) run in this file"
    )
    arguments = parser.parse_args()
    rows: list[dict[str, object]] = []
    try:
        for nodes in numbers(arguments.nodes):
            for window in numbers(arguments.window):
                for d in numbers(arguments.d):
                    for seed in numbers(arguments.seeds):
                        run = Run(
                            nodes, window, d, arguments.rate, duration=arguments.duration, seed=seed
                        )
                        rows.append(measure(run, arguments.keep))
                        if arguments.csv is None:
                            print(json.dumps(rows[-1]), flush=True)
    except FileNotFoundError as error:
        if error.filename != "ns":
            raise
        print("ns-2 is not installed (no `ns` on the PATH): apt-get install ns2", file=sys.stderr)
        return NS2_MISSING
    if arguments.csv is not None and rows:
        with arguments.csv.open("w", newline="") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
