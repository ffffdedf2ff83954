"""The simulator's core, compiled from Rust. Texts are JSON; use the classes of `acklab` instead."""

from typing import Any, final

__all__ = [
    "Batch",
    "Segment",
    "guided",
    "json_schema",
    "measures",
    "movement",
    "resolve",
    "run",
    "starter",
    "version",
]

def resolve(text: str, name: str, format: str) -> str: ...
def run(
    resolved: str,
    seed: int,
    run: int,
    options: str | None = None,
    policies: dict[str, Any] | None = None,
) -> str: ...
def movement(resolved: str, seed: int, run: int) -> str: ...
def json_schema() -> str: ...
def starter() -> str: ...
def measures() -> str: ...
def version() -> str: ...
def guided() -> bool: ...

@final
class Segment:
    @property
    def now_s(self) -> float: ...
    @property
    def number(self) -> int: ...
    @property
    def length(self) -> int: ...
    @property
    def mss(self) -> int: ...
    @property
    def waiting(self) -> int: ...
    @property
    def waiting_bytes(self) -> int: ...

@final
class Batch:
    def __new__(
        cls,
        jobs: list[
            tuple[str, int, int]
            | tuple[str, int, int, str]
            | tuple[str, int, int, str | None, dict[str, Any]]
        ],
        workers: int,
    ) -> Batch: ...
    def next(self, timeout_s: float) -> tuple[int, str] | None: ...
    def remaining(self) -> int: ...
    def cancel(self) -> None: ...
