"""What stands in a reproduction's folder, read back: of which paper it is, and whole or not.

Invariant: a damaged file is an error that names it and says how it is made anew, never a fault of
the program.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from acklab import door
from acklab.errors import InputError, OutputError
from acklab.places import MANIFEST


def check_paper(folder: Path, paper: str) -> None:
    """Raise `OutputError` if the folder holds the reproduction of another paper."""
    other = paper_of(folder)
    if other not in ("", paper):
        raise OutputError(
            "holds the reproduction of another paper",
            str(folder),
            other,
            f"a new or empty folder, or an earlier reproduction of {paper}",
        )


def paper_of(folder: Path) -> str:
    """The paper whose reproduction it is; empty if there is none, or its manifest is damaged."""
    return str(_manifest(folder).get("paper", ""))


@dataclass(frozen=True)
class Before:
    """The report that a folder held: the items that it shows, and how they were run."""

    items: tuple[str, ...]
    mode: str


def before(folder: Path) -> Before:
    """What was reported in a folder; no items where nothing was, or nothing is told of it."""
    manifest = _manifest(folder)
    items = manifest.get("items")
    shown = tuple(map(str, items)) if isinstance(items, list) else ()
    return Before(shown, str(manifest.get("mode", "")))


def _manifest(folder: Path) -> dict[str, Any]:
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return manifest if isinstance(manifest, dict) else {}


def read_json(path: Path, paper: str) -> Any:
    """A file that a reproduction wrote."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise damaged(path, paper, str(error)) from error


def damaged(path: Path, paper: str, found: str) -> InputError:
    """What to say of a file that is not as a reproduction writes it."""
    command = door.command(f"reproduce {paper}")
    accepted = f"the file as `{command}` writes it; run it again, finished runs are kept"
    return InputError("is damaged", str(path), found, accepted)
