"""Reading TOML tables strictly: a key that nobody reads is an error, so a typo cannot hide."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from acklab.papers.engine.errors import PaperError

T = TypeVar("T")


def read_toml(path: Path) -> dict[str, Any]:
    """One file of a paper's folder."""
    if not path.is_file():
        raise PaperError(str(path), "no such file", "a TOML file", "a paper's folder needs it")
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise PaperError(str(path), error, "TOML", "cannot be read") from None


class Table:
    """A TOML table that is read key by key; `done` complains about keys that were left over."""

    def __init__(self, data: Mapping[str, Any], place: str) -> None:
        self.data = dict(data)
        self.place = place
        self.seen: list[str] = []

    def take(self, key: str, kind: type[T], default: T | None = None) -> T:
        """The value of a key; without a default the key must be there."""
        self.seen.append(key)
        if key not in self.data:
            if default is None:
                raise PaperError(self.place, f"no {key}", kind.__name__, "a key is missing")
            return default
        value = self.data.pop(key)
        if kind is float and isinstance(value, int):
            value = float(value)
        if not isinstance(value, kind):
            raise PaperError(f"{self.place}.{key}", value, kind.__name__)
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts, empty where the key is absent."""
        return tuple(str(entry) for entry in self.take(key, list, []))

    def tables(self, key: str) -> list[Table]:
        """A list of tables, empty where the key is absent."""
        entries: list[Any] = self.take(key, list, [])
        return [Table(entry, f"{self.place}.{key}[{i}]") for i, entry in enumerate(entries)]

    def rest(self) -> dict[str, Any]:
        """All keys that were not taken one by one."""
        rest, self.data = self.data, {}
        return rest

    def done(self) -> None:
        """Refuse keys that nobody asked for."""
        for key in self.data:
            raise PaperError(f"{self.place}.{key}", key, self.seen, "unknown key")
