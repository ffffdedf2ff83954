"""A request to end: Ctrl-C, and the signals that end a program otherwise.

All raise `KeyboardInterrupt` where the program is just then. That may be in code of others which
swallows it, so each is remembered besides, and is asked for after each run: there may be a thousand
a second.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from multiprocessing import resource_tracker
from types import FrameType

from acklab.signals import ENDING

__all__ = ["ended_gently", "heard", "not_in_workers"]

_Handler = Callable[[int, FrameType | None], object]


class _Request:
    """Passes a signal on, and remembers that `KeyboardInterrupt` was raised for it."""

    def __init__(self, handler: _Handler) -> None:
        self.handler = handler
        self.came = False

    @contextmanager
    def at_work(self, number: int) -> Iterator[None]:
        """Stand in for the handler of a signal, and be asked by `heard` meanwhile."""
        before = signal.getsignal(number)
        try:
            _AT_WORK.append(self)
            signal.signal(number, self)
            yield
        finally:
            # However often this is interrupted: what stayed in the list would stop later studies.
            try:
                signal.signal(number, before)
            finally:
                _AT_WORK.remove(self)

    def __call__(self, number: int, frame: FrameType | None) -> None:
        try:
            self.handler(number, frame)
        except KeyboardInterrupt:
            self.came = True
            raise


_AT_WORK: list[_Request] = []


@contextmanager
def ended_gently() -> Iterator[None]:
    """Raise `KeyboardInterrupt` at SIGTERM and SIGHUP, unless the program has plans for them.

    Once: whoever sends it again does not interrupt the saving of what the first one stopped. What
    the program raises by itself at any of these signals is remembered for `heard`.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    with ExitStack() as undo:
        for number in (*ENDING, signal.SIGINT):
            before = signal.getsignal(number)
            is_default = number != signal.SIGINT and before is signal.SIG_DFL
            handler = _interrupt if is_default else before
            if callable(handler) and not isinstance(handler, _Request):
                undo.enter_context(_Request(handler).at_work(number))
        yield


def heard() -> None:
    """Raise `KeyboardInterrupt` if a request to end came that was swallowed on its way."""
    if any(request.came for request in _AT_WORK):
        raise KeyboardInterrupt


@contextmanager
def not_in_workers() -> Iterator[None]:
    """Start processes and threads that a terminal's Ctrl-C does not reach.

    It reaches this process when the block ends, and whoever started the workers ends them.
    """
    if not hasattr(signal, "pthread_sigmask"):  # pragma: no cover - no such masks on this system
        yield
        return
    # Which would start with the first process, and lets the signal through from then on.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _interrupt(number: int, _frame: FrameType | None) -> None:
    if isinstance(mine := signal.getsignal(number), _Request):
        # Sent again, it does nothing more.
        mine.handler = lambda _number, _frame: None
    raise KeyboardInterrupt
