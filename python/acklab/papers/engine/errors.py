"""Errors of the papers engine: each says where, what was found and what is accepted."""

from __future__ import annotations

from collections.abc import Iterable

from acklab.errors import InputError


class PaperError(InputError):
    """A mistake in a paper's folder, or in what was asked of it.

    `place` is the file and key (or the argument), `value` what stood there, `accepted` what may.
    """

    def __init__(
        self, place: str, value: object, accepted: Iterable[str] | str, what: str = "not accepted"
    ) -> None:
        names = accepted if isinstance(accepted, str) else ", ".join(accepted)
        super().__init__(what, place, str(value), names)


class PaperInterrupted(KeyboardInterrupt):
    """Ctrl-C arrived; the finished runs are kept in `folder` and are reused next time."""

    def __init__(self, done: int, total: int, folder: str) -> None:
        self.done = done
        self.total = total
        self.folder = folder
        super().__init__(
            f"interrupted after {done} of {total} runs; they are kept in {folder}; "
            "the same command goes on from there"
        )
