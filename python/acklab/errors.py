"""What can go wrong, and how a program or a shell tells the kinds apart.

Every error that a user can cause names three things where they exist: the place (a file, a key,
an option), the value found there, and what would have been accepted. Each class carries the exit
code that the command line ends with.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from acklab.result import Result

EXIT_OK = 0
EXIT_CHECK_FAILED = 1
EXIT_BAD_INPUT = 2
EXIT_INTERNAL = 3
EXIT_INTERRUPTED = 130


class AcklabError(Exception):
    """The base of every error that acklab raises on purpose."""

    exit_code = EXIT_INTERNAL

    def as_dict(self) -> dict[str, Any]:
        """Return the error as plain data, as ``--json`` prints it."""
        return {"kind": type(self).__name__, "message": str(self), "exit_code": self.exit_code}


class InputError(AcklabError, ValueError):
    """Something that the user gave cannot be used.

    Attributes:
        message: one sentence that says what is wrong.
        place: where it stands, such as ``chain.toml, line 7, flow[0].window`` or ``--runs``.
        value: what was found there, as text; ``None`` when something is absent.
        accepted: what would have been accepted.
    """

    exit_code = EXIT_BAD_INPUT

    def __init__(
        self,
        message: str,
        place: str | None = None,
        value: str | None = None,
        accepted: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.place = place
        self.value = value
        self.accepted = accepted

    def __str__(self) -> str:
        text = self.message if self.place is None else f"{self.place}: {self.message}"
        if self.value is not None:
            text += f" (found: {self.value})"
        if self.accepted is not None:
            text += f"; accepted: {self.accepted}"
        return text

    def as_dict(self) -> dict[str, Any]:
        """Return the error as plain data, with its place, value and what is accepted."""
        return {
            "kind": type(self).__name__,
            "message": self.message,
            "place": self.place,
            "value": self.value,
            "accepted": self.accepted,
            "exit_code": self.exit_code,
        }


class MeasureError(InputError, KeyError):
    """There is no measure of this name, or no run has a value of it.

    A `KeyError` as well, so that ``measures.get(name)`` and ``name in measures`` do what a mapping
    does.
    """


class ScenarioError(InputError):
    """A scenario that cannot be read or makes no sense."""


class OutputError(InputError):
    """A result cannot be written: the folder is not writable, or the disk is full.

    Nothing half-written is left behind.
    """


class RunError(AcklabError, RuntimeError):
    """No run came through: a policy of one's own failed in each, or the simulator itself did.

    The message says which; of the simulator's own faults please report scenario and seed.
    """

    exit_code = EXIT_INTERNAL


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during several runs; the finished ones are kept.

    Attributes:
        result: the finished runs, or ``None`` when none had finished.
    """

    def __init__(self, result: Result | None) -> None:
        super().__init__("interrupted")
        self.result = result


class StudyInterrupted(KeyboardInterrupt):
    """Ctrl-C during a study; every finished run is kept, and the same call goes on from there.

    Attributes:
        done: runs that are finished.
        total: runs that were known to be needed.
        folder: where they are.
    """

    def __init__(self, done: int, total: int, folder: str) -> None:
        super().__init__(
            f"interrupted: {done} of {total} runs are finished and kept in {folder}; "
            "the same command goes on from there"
        )
        self.done = done
        self.total = total
        self.folder = folder
