"""What the command line prints: progress, errors, where files are.

Results go to standard output, everything else to standard error, so that ``--json`` output can be
piped while a progress bar moves.
"""

from __future__ import annotations

import json
import os
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import click

from acklab.errors import (
    EXIT_BAD_INPUT,
    EXIT_INTERNAL,
    EXIT_INTERRUPTED,
    AcklabError,
    InputError,
)

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

# A bar for something that is over at once only flickers.
_SHOW_AFTER_S = 1.0
# Where there is no terminal (a log file), a line now and then.
_LINE_EVERY_S = 15.0
_NO_MEMORY = (
    "memory ran out; it takes less with fewer runs or workers, a longer measure.sample, "
    "or less in a study's keep"
)


class State(Protocol):
    """What a progress callback is told."""

    @property
    def done(self) -> int:
        """Finished pieces."""
        ...

    @property
    def total(self) -> int:
        """All pieces."""
        ...

    @property
    def elapsed_s(self) -> float:
        """Seconds since the start."""
        ...

    @property
    def left_s(self) -> float | None:
        """Seconds left, where that can be told."""
        ...


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[State], None]]:
    """Yield a progress callback that shows a bar with the time left once it takes a while."""
    bar = _Bar(what)
    try:
        yield bar.update
    finally:
        bar.close()


class _Bar:
    def __init__(self, what: str) -> None:
        self.what = what
        # Where standard error is closed there is none.
        self.terminal = sys.stderr is not None and sys.stderr.isatty()
        self.last_line = time.monotonic()
        self.rich: RichProgress | None = None
        self.task: TaskID | None = None

    def update(self, state: State) -> None:
        if not self.terminal:
            now = time.monotonic()
            if state.elapsed_s > _SHOW_AFTER_S and now - self.last_line >= _LINE_EVERY_S:
                self.last_line = now
                say(f"{self._doing(state)}: {state.done}/{state.total} runs, {_left(state)}")
            return
        if self.rich is None:
            ended = state.done >= state.total and not getattr(state, "tables", False)
            if state.elapsed_s < _SHOW_AFTER_S or ended:
                return
            self._open()
        assert self.rich is not None
        assert self.task is not None
        self.rich.update(
            self.task,
            description=self._doing(state),
            completed=state.done,
            total=state.total,
            left=_left(state),
        )
        # Only now: its first line says what is known. It starts once.
        self.rich.start()

    def _doing(self, state: State) -> str:
        return str(getattr(state, "doing", "") or self.what)

    def _open(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
        from rich.table import Column

        self.rich = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            # On a narrow terminal the bar gives way, not the numbers.
            MofNCompleteColumn(table_column=Column(no_wrap=True)),
            TextColumn("{task.fields[left]}", markup=False),
            console=Console(stderr=True),
            transient=True,
        )
        self.task = self.rich.add_task(self.what, left="")

    def close(self) -> None:
        if self.rich is not None:
            self.rich.stop()


def _left(state: State) -> str:
    if state.left_s is None:
        return "time left not known yet"
    return f"{duration(state.left_s)} left {getattr(state, 'left_of', '')}".rstrip()


def duration(seconds: float) -> str:
    """Return seconds as people say them: ``8 s``, ``2 min 05 s``, ``3 h 10 min``."""
    whole = round(seconds)
    if 0.0 < seconds < 1.0:
        return "less than 1 s"
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def say(text: str) -> None:
    """Print a line to standard error."""
    click.echo(text, err=True)


def show_json(value: Any) -> None:
    """Print a value as JSON to standard output; numbers that JSON lacks become null."""
    click.echo(json.dumps(_finite(value), indent=2, default=str, allow_nan=False))


def shown(path: str | Path) -> str:
    """Return a path as it is shortest to type from here."""
    path = Path(path)
    try:
        relative = os.path.relpath(path)
    except ValueError:
        return str(path)
    return str(path) if relative.startswith("..") else relative


def error(problem: AcklabError, as_json: bool) -> None:
    """Print an error that names place, value and what is accepted."""
    if as_json:
        show_json({"error": problem.as_dict()})
        return
    if not isinstance(problem, InputError):
        say(f"error: {problem}")
        return
    place = f"{problem.place}: " if problem.place else ""
    say(f"error: {place}{problem.message}")
    if problem.value is not None:
        say(f"  found:    {problem.value}")
    if problem.accepted is not None:
        say(f"  accepted: {problem.accepted}")


def usage_error(problem: click.ClickException, as_json: bool) -> None:
    """Print an error in the command line itself."""
    if as_json:
        message = problem.format_message()
        show_json(
            {"error": {"kind": "UsageError", "message": message, "exit_code": EXIT_BAD_INPUT}}
        )
    else:
        problem.show(sys.stderr)


def internal_error(problem: Exception, as_json: bool) -> None:
    """Print a fault of acklab itself; the traceback goes where it was asked for."""
    if as_json:
        message = f"{type(problem).__name__}: {problem}"
        show_json(
            {"error": {"kind": "InternalError", "message": message, "exit_code": EXIT_INTERNAL}}
        )
    if os.environ.get("ACKLAB_TRACEBACK"):
        traceback.print_exception(problem)
    elif not as_json:
        say(f"error: a fault of acklab itself: {type(problem).__name__}: {problem}")
        say("  ACKLAB_TRACEBACK=1 shows where; please report it with the scenario and the seed")


def out_of_memory(as_json: bool) -> None:
    """Print that what was asked for needs more memory than there is, and what needs less."""
    if as_json:
        problem = {"kind": "MemoryError", "message": _NO_MEMORY, "exit_code": EXIT_BAD_INPUT}
        show_json({"error": problem})
    else:
        say(f"error: {_NO_MEMORY}")


def left_by(interrupt: BaseException) -> str:
    """Return what an interrupt left behind, where its raiser said so."""
    # click puts its own wordless exception around the one that knows what was kept.
    return str(interrupt) or str(interrupt.__cause__ or "") or "interrupted"


def interrupted(message: str, as_json: bool) -> None:
    """Print what an interrupt left behind; for programs to standard output as well."""
    say(message)
    if as_json:
        problem = {"kind": "Interrupted", "message": message, "exit_code": EXIT_INTERRUPTED}
        try:
            show_json({"error": problem})
        except BrokenPipeError:
            # Ctrl-C ends those who read as well.
            end()


def end() -> None:
    """Print no more to standard output, not even what Python would still flush at exit."""
    sys.stdout = open("/dev/null", "w")  # noqa: PTH123, SIM115


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if value - value == 0.0 else None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value
