"""The command line: `acklab` and its verbs.

Thin on purpose: a verb reads its options, calls the Python API, prints, and says where the files
are. Anything that takes longer to import than click is imported by the verb that needs it, so
that ``acklab --help`` is immediate.
"""

from __future__ import annotations

import errno
import math
import signal
import sys
import time
from collections.abc import Sequence
from types import FrameType

import click

from acklab import __version__
from acklab.cli import output
from acklab.cli.papers import claims, papers, reproduce
from acklab.cli.run import run
from acklab.cli.sweep import sweep
from acklab.cli.tools import doctor, motion, new
from acklab.errors import (
    EXIT_BAD_INPUT,
    EXIT_INTERNAL,
    EXIT_INTERRUPTED,
    EXIT_OK,
    AcklabError,
)
from acklab.interrupts import ENDING

__all__ = ["cli", "execute", "main"]


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="acklab")
def cli() -> None:
    """What does an acknowledgement scheme do to TCP over a wireless network, and why?

    \b
    acklab new chain.toml            write a commented scenario to start from
    acklab run chain.toml            run it, print goodput and losses with intervals
    acklab sweep study.toml          many scenarios: a grid, named schemes, a wished precision
    acklab papers                    list the papers that can be reproduced
    acklab reproduce altman2003      a paper's tables and figures, judged claim by claim
    acklab doctor                    what is missing on this machine

    Every verb has --help with examples and --json for programs. Results land in ./results,
    each in a folder of its own, unless --out says otherwise.

    Exit codes: 0 fine; 1 a check or claim that was asked about does not hold; 2 bad input (the
    message names the place, the value and what is accepted), nowhere to write, or too little
    memory; 3 a fault of acklab itself; 130 interrupted by Ctrl-C (finished runs are kept).
    """


for _verb in (run, sweep, papers, reproduce, claims, new, motion, doctor):
    cli.add_command(_verb)


def execute(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code; nothing that a user causes is a traceback."""
    as_json = "--json" in arguments
    try:
        code = cli.main(list(arguments), prog_name="acklab", standalone_mode=False)
    except click.exceptions.Exit as leave:
        return leave.exit_code
    except click.ClickException as error:
        output.usage_error(error, as_json)
        return EXIT_BAD_INPUT
    except AcklabError as error:
        output.error(error, as_json)
        return error.exit_code
    except (KeyboardInterrupt, click.Abort) as interrupt:
        output.interrupted(output.left_by(interrupt), as_json)
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader of our output has gone (`acklab papers | head`): nothing is wrong. Python
        # would still complain when it flushes at exit.
        output.end()
        return EXIT_OK
    except OSError as error:
        if error.errno != errno.ENOSPC:
            output.internal_error(error, as_json)
            return EXIT_INTERNAL
        # What could not be printed cannot be told there either, nor when Python flushes at exit.
        output.end()
        output.say(f"error: the output cannot be written: {error.strerror}")
        return EXIT_BAD_INPUT
    except MemoryError:
        output.out_of_memory(as_json)
        return EXIT_BAD_INPUT
    except Exception as error:
        output.internal_error(error, as_json)
        return EXIT_INTERNAL
    return code if isinstance(code, int) else EXIT_OK


def main() -> None:
    """Run the command line of this process."""
    signal.signal(signal.SIGINT, _OneInterrupt(1.0))
    # What somebody has this process ignore stays so (`nohup`).
    ending = [number for number in ENDING if signal.getsignal(number) is signal.SIG_DFL]
    for number in ending:
        signal.signal(number, _OneInterrupt(math.inf))
    code = execute(sys.argv[1:])
    # A second copy of the interrupt must not kill what has an exit code already.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for number in ending:
        signal.signal(number, signal.SIG_DFL)
    sys.exit(code)


class _OneInterrupt:
    """Takes Ctrl-C once in so many seconds, and what nobody means twice for the same.

    A terminal sends it to every process in front, and a launcher such as ``uv run`` passes its own
    on: the second copy must not interrupt the saving of what the first one stopped.
    """

    def __init__(self, pause_s: float) -> None:
        self.pause_s = pause_s
        self.last = float("-inf")

    def __call__(self, _signal: int, _frame: FrameType | None) -> None:
        before, self.last = self.last, time.monotonic()
        if before == float("-inf") or self.last - before > self.pause_s:
            raise KeyboardInterrupt
