"""Which other study has a run already: the same scenario, seed and code are never run twice.

A small SQLite file among the user's caches names, for each run, the folders that hold it. It is a
hint and no more: a folder that is gone or does not have the run is passed over, and where the file
cannot be used at all, studies work without it; of a damaged one they say so. `ACKLAB_CACHE` names
another place, which is named if it cannot be used, or `off`.
"""

from __future__ import annotations

import logging
import os
import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable
from contextlib import closing
from functools import cache
from pathlib import Path

from acklab.study.index import FILE, RunKey

__all__ = ["Cache"]

_LOG = logging.getLogger("acklab")

_SCHEMA = """
CREATE TABLE IF NOT EXISTS holders (
    scenario TEXT NOT NULL, seed TEXT NOT NULL, run INTEGER NOT NULL, code TEXT NOT NULL,
    folder TEXT NOT NULL, PRIMARY KEY (scenario, seed, run, code, folder)
) WITHOUT ROWID;
"""


class Cache:
    """The folders of finished runs, over all studies of this user."""

    def __init__(self, code: str, place: Path | None = None) -> None:
        self.code = code
        self.path = place or _default_place()

    def find(self, wanted: Collection[RunKey], *but: Path) -> dict[Path, list[RunKey]]:
        """Return folders, other than ``but``, that are said to hold these runs; each run once."""
        found: dict[Path, list[RunKey]] = defaultdict(list)
        there = {_named(folder): False for folder in but}
        if self.path is None or not _is_there(self.path):
            return {}
        sought = "FROM holders WHERE (scenario, seed, run, code) = (?, ?, ?, ?)"
        try:
            with closing(self._open()) as database:
                for key in wanted:
                    row = (key.scenario, str(key.seed), key.run, self.code)
                    for (folder,) in database.execute(f"SELECT folder {sought}", row):
                        if folder not in there:
                            there[folder] = _is_there(Path(os.fsdecode(folder)) / FILE)
                        if there[folder]:
                            found[Path(os.fsdecode(folder))].append(key)
                            break
        except (sqlite3.DatabaseError, OSError) as error:
            self._tell(error)
            return {}
        return dict(found)

    def add(self, folder: Path, keys: Iterable[RunKey]) -> None:
        """Say that ``folder`` holds these runs."""
        here = _named(folder)
        rows = [(key.scenario, str(key.seed), key.run, self.code, here) for key in keys]
        if not rows:
            return
        try:
            with closing(self._open()) as database, database:
                database.executemany("INSERT OR IGNORE INTO holders VALUES (?, ?, ?, ?, ?)", rows)
        except (sqlite3.DatabaseError, OSError) as error:
            # Only the chance to save time later is lost.
            self._tell(error)

    def _tell(self, error: Exception) -> None:
        """Say of a damaged file that it is, and of a place of the user's choice that it is none.

        A file that is locked may mend, and of a place that nobody asked for nobody wants to hear.
        """
        if self.path is None:
            return
        # The lower byte is the kind, what is above it a closer description.
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
            _say_damaged(self.path)
        elif self.path.parent == Path(os.environ.get("ACKLAB_CACHE", "")) and code not in (
            sqlite3.SQLITE_BUSY,
            sqlite3.SQLITE_LOCKED,
        ):
            _say_unusable(self.path.parent, getattr(error, "strerror", None) or str(error))

    def _open(self) -> sqlite3.Connection:
        if self.path is None:
            raise sqlite3.DatabaseError("there is no cache")
        self.path.parent.mkdir(parents=True, exist_ok=True)
        database = sqlite3.connect(self.path, timeout=10.0)
        database.execute("PRAGMA journal_mode = WAL")
        # What a power cut takes from a cache is not worth a wait at every batch.
        database.execute("PRAGMA synchronous = OFF")
        database.executescript(_SCHEMA)
        return database


@cache
def _say_damaged(path: Path) -> None:
    """Say it once a process; each batch of a study meets the same file."""
    said = "%s is damaged: runs of other studies are not found; without the file it is made anew"
    _LOG.warning(said, path)


@cache
def _say_unusable(place: Path, why: str) -> None:
    said = "ACKLAB_CACHE: %s cannot be used (%s): studies may do again what others have done"
    _LOG.warning(said, place, why)


def _default_place() -> Path | None:
    named = os.environ.get("ACKLAB_CACHE")
    if named == "off":
        return None
    if named:
        return Path(named) / "studies.sqlite"
    try:
        caches = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    except RuntimeError:
        # A user without a home, as in some containers.
        return None
    return caches / "acklab" / "studies.sqlite"


def _named(folder: Path) -> str | bytes:
    """Return what a folder stands by in the file: its bytes where its name is no text."""
    name = str(folder.resolve())
    return os.fsencode(name) if any("\ud800" <= c <= "\udfff" for c in name) else name


def _is_there(path: Path) -> bool:
    """Whether a file can be seen; a folder that may not be looked into is passed over."""
    try:
        return path.exists()
    except OSError:
        return False
