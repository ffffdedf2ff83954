"""The index of a study's folder: which finished run lies in which batch.

SQLite in WAL mode: a transaction is there or not, whatever is killed or loses power when. Batches
are renamed into place before the index speaks of them, so the index never names a file that is not
whole; a file that the index does not know (its writer was killed in between) is swept away once
nobody writes. The one invariant: a run that the index knows can be read.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, NamedTuple

from acklab import places, store
from acklab.errors import InputError, OutputError

try:
    import fcntl
except ImportError:  # pragma: no cover - no such locks on this system: nothing is swept there
    fcntl = None  # type: ignore[assignment]

__all__ = ["FILE", "Contents", "Index", "RunKey"]

FILE = "index.sqlite"
_FORMAT = 1
_SEATS = 256
# How long somebody else may keep the index to himself.
_WAIT_S = 60.0

_SCHEMA = """
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS batches (batch INTEGER PRIMARY KEY, file TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS runs (
    scenario TEXT NOT NULL, seed TEXT NOT NULL, run INTEGER NOT NULL, code TEXT NOT NULL,
    batch INTEGER NOT NULL REFERENCES batches (batch), wall_s REAL NOT NULL,
    PRIMARY KEY (scenario, seed, run, code)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS sums (
    path TEXT PRIMARY KEY, file TEXT NOT NULL, sum TEXT NOT NULL
) WITHOUT ROWID;
"""


class RunKey(NamedTuple):
    """What identifies a run besides the code: the scenario's hash, the root seed, the number."""

    scenario: str
    seed: int
    run: int


@dataclass(frozen=True)
class Contents:
    """What a folder holds at one instant, for one version of the code.

    Attributes:
        batches: the names of those that hold a run, in order of writing.
        sums: of their files, by the file's name, where they were noted.
    """

    batches: list[str]
    sums: dict[str, str]
    _runs: list[tuple[str, str, int, float, str]]

    def finished(self, but: Collection[str] = ()) -> dict[RunKey, float]:
        """Return the runs that are there, with the wall seconds that each one took.

        Args:
            but: batches that do not count.
        """
        return {
            RunKey(scenario, int(seed), run): wall
            for scenario, seed, run, wall, file in self._runs
            if file not in but
        }


class Index:
    """The finished runs of one folder, for one version of the code.

    Args:
        folder: the study's.
        code: that version.
        look: only look; nothing is written, so the folder may be on a disk that is read-only.
    """

    def __init__(self, folder: Path, code: str, *, look: bool = False) -> None:
        self.folder = folder
        self.code = code
        self._lock: IO[bytes] | None = None
        self._seats: IO[bytes] | None = None
        self._seat = 1
        self.alone = False
        """Whether nobody else had the folder open at the start."""
        if look:
            self._db = _to_look(folder / FILE)
        else:
            self._open()
        with self._named():
            self._version = self._data_version()

    def _open(self) -> None:
        folder = self.folder
        with self._named(), ExitStack() as undo:
            self._check_whole()
            self._lock = undo.enter_context((folder / ".lock").open("ab"))
            self._db = sqlite3.connect(folder / FILE, timeout=_WAIT_S, isolation_level=None)
            undo.callback(self._db.close)
            self._use_wal()
            self._db.execute("PRAGMA synchronous = FULL")
            # In one transaction: each would wait for the disk.
            format_of_this = f"INSERT OR IGNORE INTO meta VALUES ('format', '{_FORMAT}');"
            self._db.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} {format_of_this} COMMIT;")
            self._check_format()
            self.alone = self._try_alone(sweep=True)
            undo.pop_all()

    def _use_wal(self) -> None:
        # SQLite does not wait here for others who begin in the same instant.
        deadline = time.monotonic() + _WAIT_S
        while True:
            try:
                self._db.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                if (
                    error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY
                    or time.monotonic() > deadline
                ):
                    raise
            time.sleep(0.01)

    def _check_whole(self) -> None:
        """Refuse an index that was emptied: to SQLite that is a new one, which knows no batch."""
        path = self.folder / FILE
        if not path.exists() or path.stat().st_size or path.with_name(f"{FILE}-wal").exists():
            return
        if any((self.folder / "batches").glob("*.parquet")):
            raise self._fault(sqlite3.DatabaseError("the file is empty"))

    def _check_format(self) -> None:
        (found,) = self._db.execute("SELECT value FROM meta WHERE name = 'format'").fetchone()
        if found != str(_FORMAT):
            raise InputError(
                "was written by another version of acklab",
                str(self.folder / FILE),
                f"format {found}",
                f"format {_FORMAT}, or a new folder",
            )

    def shared(self) -> bool:
        """Whether somebody else has the folder open now, or has written since the last call."""
        with self._named():
            before, self._version = self._version, self._data_version()
            return self._version != before or not self._try_alone(sweep=False)

    def seat(self) -> int:
        """Return a number that nobody else has who works here now; who came first has 0."""
        if self.alone or fcntl is None:
            return 0
        if self._seats is None:
            with self._named():
                self._seats = (self.folder / ".seats").open("ab")
            for number in range(1, _SEATS):
                try:
                    fcntl.lockf(self._seats, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, number)
                except OSError:
                    continue
                self._seat = number
                break
        return self._seat

    @contextmanager
    def exclusively(self) -> Iterator[None]:
        """Wait until nobody else writes the folder's tables, and keep others from it."""
        if fcntl is None:
            yield
            return
        with ExitStack() as held:
            with self._named():
                file = held.enter_context((self.folder / ".tables").open("ab"))
                fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def _data_version(self) -> int:
        # Changes when another connection has written, never by our own writing.
        return int(self._db.execute("PRAGMA data_version").fetchone()[0])

    def _try_alone(self, *, sweep: bool) -> bool:
        """Look whether nobody else has the folder open; from then on hold it open ourselves."""
        if fcntl is None or self._lock is None:
            return False
        alone = True
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            alone = False
        else:
            if sweep:
                self._sweep()
        fcntl.flock(self._lock, fcntl.LOCK_SH)
        return alone

    def _sweep(self) -> None:
        known = {file for (file,) in self._db.execute("SELECT file FROM batches")}
        for path in (self.folder / "batches").glob("*"):
            if path.name.removesuffix(".parquet").partition(".")[0] not in known:
                path.unlink(missing_ok=True)
        for folder in (self.folder, self.folder / "scenarios"):
            store.sweep(folder)
        places.sweep_probes(self.folder)

    def contents(self) -> Contents:
        """Return what is there at one instant: others may write meanwhile.

        Raises:
            InputError: the index is damaged.
        """
        of_this_code = "(SELECT batch FROM runs WHERE code = ?)"
        with self._named():
            try:
                self._db.execute("BEGIN")
                batches = self._db.execute(
                    f"SELECT file FROM batches WHERE batch IN {of_this_code} ORDER BY batch",
                    (self.code,),
                ).fetchall()
                runs = self._db.execute(
                    "SELECT scenario, seed, run, wall_s, file FROM runs "
                    "JOIN batches USING (batch) WHERE code = ?",
                    (self.code,),
                ).fetchall()
                sums = self._sums()
            finally:
                if self._db.in_transaction:
                    self._db.execute("COMMIT")
        return Contents([file for (file,) in batches], sums, runs)

    def forget(self, seed: int, scenarios: Collection[str]) -> None:
        """Drop these scenarios' runs; what no other point holds is swept from the disk.

        Once only, until `settle`: a call that was interrupted after it goes on from there.
        """
        rows = self._rows(seed, scenarios)
        with self._named():
            # A context manager in Python that began the transaction would leave it open if Ctrl-C
            # came between its beginning and the block.
            with self._db:
                self._db.execute("BEGIN IMMEDIATE")
                if self.forgot(seed, scenarios):
                    return
                mark = _mark(rows)
                self._db.execute("INSERT OR REPLACE INTO meta VALUES ('fresh', ?)", (mark,))
                self._db.executemany(
                    "DELETE FROM runs WHERE scenario = ? AND seed = ? AND code = ?", rows
                )
                self._db.execute("DELETE FROM batches WHERE batch NOT IN (SELECT batch FROM runs)")
                self._db.execute("DELETE FROM sums WHERE file NOT IN (SELECT file FROM batches)")
            # Somebody may have come since the folder was opened.
            self._try_alone(sweep=True)

    def forgot(self, seed: int, scenarios: Collection[str]) -> bool:
        """Whether `forget` has done so already, and a call after it has not come to its end."""
        with self._named():
            known = self._db.execute("SELECT value FROM meta WHERE name = 'fresh'").fetchone()
        return bool(known == (_mark(self._rows(seed, scenarios)),))

    def _rows(self, seed: int, scenarios: Collection[str]) -> list[tuple[str, str, str]]:
        return [(scenario, str(seed), self.code) for scenario in sorted(scenarios)]

    def settle(self) -> None:
        """Say that what began with `forget` has come to its end."""
        with self._named():
            self._db.execute("DELETE FROM meta WHERE name = 'fresh'")

    def add(
        self,
        batch: str,
        sums: Mapping[str, str],
        runs: Iterable[tuple[RunKey, float]],
        instead_of: Collection[str] = (),
    ) -> None:
        """Make a written batch part of the study, in one step.

        Args:
            batch: its name.
            sums: of its files, by the file's name.
            runs: what it holds.
            instead_of: batches that hold less of a run; runs that stand there stand here then.

        Raises:
            OutputError: the index cannot be written.
        """
        rows = [(key.scenario, str(key.seed), key.run, self.code, wall) for key, wall in runs]
        with self._named(), self._db:
            self._db.execute("BEGIN IMMEDIATE")
            number = self._db.execute("INSERT INTO batches (file) VALUES (?)", (batch,)).lastrowid
            told = [(path, batch, text) for path, text in sums.items()]
            self._db.executemany("INSERT INTO sums VALUES (?, ?, ?)", told)
            self._drop(rows, instead_of)
            # Another process may have been faster with a run: both say the same, one counts.
            self._db.executemany(
                f"INSERT OR IGNORE INTO runs VALUES (?, ?, ?, ?, {number}, ?)", rows
            )

    def _drop(self, rows: Iterable[tuple[object, ...]], batches: Collection[str]) -> None:
        where = "WHERE (scenario, seed, run, code) = (?, ?, ?, ?)"
        file = f"SELECT file FROM runs JOIN batches USING (batch) {where}"
        for row in rows if batches else ():
            found = self._db.execute(file, row[:4]).fetchone()
            if found and found[0] in batches:
                self._db.execute(f"DELETE FROM runs {where}", row[:4])

    def _sums(self) -> dict[str, str]:
        known = "SELECT name FROM sqlite_master WHERE name = 'sums'"
        if self._db.execute(known).fetchone() is None:
            # Written before sums were noted, and only looked at.
            return {}
        return dict(self._db.execute("SELECT path, sum FROM sums"))

    @contextmanager
    def _named(self) -> Iterator[None]:
        """Name the index in what SQLite, or the system, has to say against it."""
        try:
            yield
        except OSError as error:
            raise self._unwritable(error.strerror or str(error)) from error
        except sqlite3.DatabaseError as error:
            raise self._fault(error) from error

    def _unwritable(self, why: str) -> OutputError:
        accepted = "a folder that is writeable and has room left"
        return OutputError(f"cannot be written: {why}", str(self.folder / FILE), None, accepted)

    def _fault(self, error: sqlite3.DatabaseError) -> InputError:
        if isinstance(error, sqlite3.OperationalError):
            return self._unwritable(str(error))
        accepted = "the index as it was written; if you remove it, the study's runs are done again"
        return InputError(f"is damaged: {error}", str(self.folder / FILE), None, accepted)

    def close(self) -> None:
        """Let go of the folder."""
        self._db.close()
        for file in (self._lock, self._seats):
            if file is not None:
                file.close()
        self._lock = self._seats = None


def _mark(rows: list[tuple[str, str, str]]) -> str:
    return hashlib.sha256(json.dumps(rows).encode()).hexdigest()


def _to_look(path: Path) -> sqlite3.Connection:
    """Open an index and write nothing, not even the files that SQLite keeps beside it."""
    modes = ["immutable=1", "mode=ro"]
    if path.with_name(f"{path.name}-wal").exists():
        # Somebody writes now, or was killed: a part of it lies there.
        modes.reverse()
    try:
        for mode in modes:
            database = sqlite3.connect(f"{path.resolve().as_uri()}?{mode}", timeout=60.0, uri=True)
            try:
                database.execute("SELECT count(*) FROM meta").fetchone()
                return database
            except sqlite3.OperationalError as error:
                database.close()
                reason = str(error)
    except sqlite3.DatabaseError as error:
        reason = str(error)
    raise InputError(f"cannot be read: {reason}", str(path), None, "the index of a study")
