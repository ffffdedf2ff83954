"""acklab's side of a campaign: every scenario of a folder, so many runs each, in one process.

What it is: a few lines with the package, which print for each run what ns-2's script prints for its
own; `wireless.py` takes the time from outside, the start of Python included. What it is not: a
stopwatch, or statistics: means and intervals are nobody's part of the comparison.

    echo "6 1" | ./do python bench/peers/campaign.py FOLDER

Each line of the input asks for so many runs of every scenario with a root seed; for each run there
is a JSON line, and one behind the last of them. So the campaign can be halted between two parts.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import acklab


def campaign(folder: Path, runs: int, seed: int) -> Iterator[dict[str, object]]:
    """What each run delivered."""
    for file in sorted(folder.glob("*.toml")):
        result = acklab.run(acklab.Scenario.load(file), runs=runs, seed=seed, workers=1)
        for record in result.records:
            yield {
                "scenario": file.stem,
                "run": record["run"],
                "simulated_s": record["simulated_s"],
                "delivered": record["measures"]["delivered_packets"],
                "timeouts": record["measures"]["timeouts"],
            }


def main() -> None:
    """Do what each line of the input asks for, and print all of it."""
    for line in sys.stdin:
        runs, seed = (int(word) for word in line.split())
        done = 0
        for said in campaign(Path(sys.argv[1]), runs, seed):
            print(json.dumps(said))
            done += 1
        print(json.dumps({"runs": done}), flush=True)


if __name__ == "__main__":
    main()
