"""Finished runs on disk: one JSON line a run, keyed by scenario hash, seed, run and code version.

Lines are only ever appended. A torn last line (power cut, full disk) is skipped when reading, as is
any other that is damaged: what had finished is found again, the rest is run again. Rows of another
code version are left alone but not used.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import IO, Any

from acklab.places import output_error

Row = dict[str, Any]
Key = tuple[str, int, int]

KEPT = ("measures", "flows", "warnings", "digest", "events", "simulated_s", "wall_s", "samples")


class Store:
    """The finished runs of one experiment, made by one version of the code."""

    def __init__(self, path: Path, version: str, fresh: bool = False) -> None:
        self.path = path
        self.version = version
        self.rows: dict[Key, Row] = {}
        self._out: IO[bytes] | None = None
        if fresh and path.exists():
            path.unlink()
        if path.exists():
            self._read()

    def _read(self) -> None:
        # As bytes: in a damaged line there may be what is no text at all.
        with self.path.open("rb") as lines:
            for line in lines:
                try:
                    row = json.loads(line.decode())
                    key = (row["scenario"], row["seed"], row["run"])
                    whole = isinstance(row["measures"], dict) and row["version"] == self.version
                except (ValueError, KeyError, TypeError, RecursionError):
                    continue
                if whole:
                    self.rows[key] = row

    def add(self, scenario: str, seed: int, run: int, result: Row) -> Row:
        """Keep one finished run; the system has it when this returns.

        Raises:
            OutputError: the file cannot be written, or the disk is full.
        """
        row = {"scenario": scenario, "seed": seed, "run": run, "version": self.version}
        row |= {name: result[name] for name in KEPT if name in result}
        try:
            self._append(json.dumps(row, separators=(",", ":")).encode() + b"\n")
        except OSError as error:
            # Whoever goes on opens it again, and sees that the last line is torn.
            self.close()
            raise output_error(error, self.path) from error
        self.rows[scenario, seed, run] = row
        return row

    def _append(self, line: bytes) -> None:
        if self._out is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            # Without a buffer, which would be written once more when the file is closed.
            self._out = self.path.open("ab", buffering=0)
            if self._torn():
                line = b"\n" + line
        while line:
            line = line[self._out.write(line) :]

    def _torn(self) -> bool:
        if self.path.stat().st_size == 0:
            return False
        with self.path.open("rb") as file:
            file.seek(-1, 2)
            return file.read(1) != b"\n"

    def close(self) -> None:
        """Close the file; `add` opens it again."""
        if self._out is not None:
            self._out.close()
            self._out = None
