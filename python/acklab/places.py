"""Whether results could be written to a place: found out now, not after an hour of runs."""

from __future__ import annotations

import errno
import json
import os
import re
import tempfile
from contextlib import suppress
from pathlib import Path

from acklab.errors import AcklabError, InputError, OutputError

__all__ = [
    "MANIFEST",
    "TEMPORARY",
    "check_file",
    "check_folder",
    "check_outside_results",
    "check_replaceable",
    "is_no_plain_file",
    "is_there",
    "make_folder",
    "output_error",
    "real",
    "regular",
    "sweep_probes",
    "target",
]

MANIFEST = "manifest.json"
"""The file that marks a folder as a result of acklab."""

_KINDS = {
    "run": "the result of a run",
    "reproduction": "a reproduction",
    "study": "a study",
}
"""What a folder with a manifest of this kind holds."""

_PROBE = ".acklab."
"""How the name of a file begins that only tries whether there can be one."""

_PROBED = re.compile(r"\.acklab\.[a-z0-9_]{8}")

TEMPORARY = re.compile(r"\..+\.(parquet|csv|json|toml)\.[a-z0-9_]{8}")
"""The name of a file of a result before it is whole."""

_LOCK = ".lock"
"""The file by which those who work on a study know of each other; it stays."""

_OF_A_STUDY = re.compile(
    r"\.(lock|seats|tables)|index\.sqlite(-wal|-shm|-journal)?"
    r"|(table|points|comparison|flows|nodes|samples)\.(parquet|csv)"
)
"""What stands in the folder of a study before there is a manifest, or after it was taken away."""

_INSIDE = {
    "batches": re.compile(r"\.?[0-9a-f]{32}(\.(flows|nodes|samples))?\.parquet"),
    "scenarios": re.compile(r"[0-9a-f]{12,}\.toml"),
}
"""What stands in its folders."""

# How often a folder is made that others take away again meanwhile.
_TRIES = 20


def check_folder(path: str | Path, kind: str = "run", *, look: bool = False) -> None:
    """Find out now, not after an hour of runs, whether a result could be written to ``path``.

    Args:
        path: the folder.
        kind: what is to be written: ``run`` replaces an earlier one as a whole, ``reproduction``
            and ``study`` go on in an earlier one.
        look: write nothing, not even for a moment; a full disk is not seen then.

    Raises:
        OutputError: ``path`` holds something else, or cannot be written.
    """
    path = target(path)
    inside = kind != "run" and is_there(path)
    if kind == "run":
        check_replaceable(path)
    else:
        _check_kind(path, kind)
    # What goes on in a folder that is there asks nothing of the folder around it.
    place = path / MANIFEST if inside else path
    if look:
        _check_parent(place)
    else:
        _probe(place)


def is_there(path: Path) -> bool:
    """Whether something is there.

    Raises:
        OutputError: that cannot be told: a folder on the way may not be looked into, say.
    """
    try:
        return path.exists()
    except OSError as error:
        raise output_error(error, path) from error


def check_file(path: str | Path) -> None:
    """Find out whether a file could be written to ``path``.

    Raises:
        OutputError: ``path`` is a folder, or cannot be written.
    """
    place = target(path)
    if is_no_plain_file(place):
        # A pipe or a device is written into, and nothing is made beside it.
        if not os.access(place, os.W_OK):
            raise output_error(OSError(errno.EACCES, os.strerror(errno.EACCES)), Path(path))
        return
    _probe(regular(place))


def real(path: str | Path) -> Path:
    """Return where a path leads, over links, whether something is there yet or not."""
    try:
        # Unlike `Path.resolve`, no error where links lead in a circle.
        return Path(os.path.realpath(path))
    except OSError:
        # The current folder is gone.
        return Path(path)


def target(path: str | Path) -> Path:
    """Return where a link of this name leads, or else the path as it was given."""
    # `Path.is_symlink` raises where the system does not tell.
    return real(path) if os.path.islink(path) else Path(path)  # noqa: PTH114


def regular(path: str | Path) -> Path:
    """Return the `target` of a file that shall be written: a new file, or a regular one.

    What is written takes the place of what is there as a whole: of a device or a pipe nothing would
    be left, whoever reads from it would wait for ever, and as root a machine would lose its
    ``/dev/null``.

    Raises:
        OutputError: there is a folder, a device, a pipe or a socket.
    """
    place = target(path)
    if place.is_dir():
        raise OutputError("is a folder", str(path), None, "a file name")
    if is_no_plain_file(place):
        reason = "is a device, a pipe or a socket, and a file is put in its place as a whole"
        raise OutputError(reason, str(path), None, "a new file, or a regular one")
    return place


def is_no_plain_file(path: Path) -> bool:
    """Whether something is there that is neither a file nor a folder: a pipe or a device."""
    return is_there(path) and not path.is_file() and not path.is_dir()


def check_outside_results(path: Path, name: str, folder: Path | None = None) -> None:
    """Refuse a file in a folder of results: that is replaced as a whole, with all that lies in it.

    Args:
        path: where the file shall be.
        name: what it is, for the message.
        folder: where a result will be written, whether something is there yet or not.

    Raises:
        InputError: ``path`` lies in ``folder``, is it, or lies in a result that is there.
    """
    place = real(path)
    within = [place, *place.parents]
    for parent in within:
        if (folder and parent == real(folder)) or _holds(parent) == "run":
            reason = "lies in the folder of a result, which is replaced as a whole"
            there = folder if folder and parent == real(folder) else parent
            accepted = f"a file that is not in {there}"
            raise InputError(reason, name, str(path), accepted)


def _check_parent(path: Path) -> None:
    """Look whether something could be made beside ``path``, by its folder's rights."""
    parent = next(folder for folder in path.absolute().parents if os.path.lexists(folder))
    number = 0
    if not parent.is_dir():
        number = errno.ENOTDIR
    elif not os.access(parent, os.W_OK | os.X_OK):
        number = errno.EROFS if _is_read_only(parent) else errno.EACCES
    if number:
        raise output_error(OSError(number, os.strerror(number)), path)


def _is_read_only(folder: Path) -> bool:
    """Whether it lies on a disk that nobody can write, where the system tells."""
    return hasattr(os, "statvfs") and bool(os.statvfs(folder).f_flag & os.ST_RDONLY)


def _probe(path: Path) -> None:
    """Write something beside ``path`` and take it away again, with the folders made for it."""
    fresh = [parent for parent in path.parents if not is_there(parent)]
    try:
        for left in reversed(range(_TRIES)):
            try:
                _try_beside(path)
                break
            except FileNotFoundError:
                # Another process that tries the same has taken a folder away again.
                if not left:
                    raise
    except OSError as error:
        raise output_error(error, path) from error
    finally:
        for parent in fresh:
            with suppress(OSError):
                parent.rmdir()


def make_folder(path: Path) -> None:
    """Make a folder and those that it stands in, whatever others try there at the same time."""
    for _ in range(_TRIES):
        # Another process that tries the same may take a folder away again: before one is made in
        # it, or between "there is one" and the look whether that is a folder.
        with suppress(FileNotFoundError, FileExistsError):
            path.mkdir(parents=True, exist_ok=True)
            return
    path.mkdir(parents=True, exist_ok=True)


def _try_beside(path: Path) -> None:
    make_folder(path.parent)
    # Without a name, where the system can: nothing is left by a process that is killed just then.
    with tempfile.TemporaryFile(prefix=_PROBE, dir=path.parent) as file:
        file.write(b"x" * 4096)


def sweep_probes(folder: Path) -> None:
    """Take away what was left in a folder by processes that were killed as they tried it."""
    for path in folder.glob(f"{_PROBE}*"):
        if _PROBED.fullmatch(path.name) and path.is_file():
            path.unlink(missing_ok=True)


def check_replaceable(path: Path) -> None:
    """Refuse a folder in which anything stands that is not part of an earlier result."""
    _check_kind(path, "run")
    if is_there(path) and real(path) == real("."):
        reason = "is the folder in which you are, and a result replaces its folder as a whole"
        raise OutputError(reason, str(path), None, "a folder in it, or elsewhere")
    if not is_there(path / MANIFEST):
        return
    earlier = json.loads((path / MANIFEST).read_text(encoding="utf-8"))
    ours = {MANIFEST, *earlier.get("files", ())}
    strangers = sorted({entry.name for entry in path.iterdir()} - ours)
    if strangers:
        raise OutputError(
            "holds something that is no part of the earlier result in it",
            str(path),
            ", ".join(strangers),
            "a new or empty folder, or an earlier result alone",
        )


def _is_empty_folder(path: Path) -> bool:
    try:
        return path.is_dir() and not any(path.iterdir())
    except OSError as error:
        raise output_error(error, path) from error


def _is_begun(path: Path) -> bool:
    """Whether there is nothing but what a study puts there, which has no manifest yet or any more.

    Its lock shows that it was one; or somebody only tries, or tried, whether it could be.
    """
    try:
        entries = [entry for entry in path.iterdir() if not _PROBED.fullmatch(entry.name)]
        # Somebody else who tries the folder too may have taken his file away by now.
        if not entries:
            return True
        return any(entry.name == _LOCK for entry in entries) and all(map(_is_of_a_study, entries))
    except FileNotFoundError:
        return True
    except OSError:
        return False


def _is_of_a_study(entry: Path) -> bool:
    if (inside := _INSIDE.get(entry.name)) and entry.is_dir():
        names = (held.name for held in entry.iterdir())
        return all(inside.fullmatch(name) or TEMPORARY.fullmatch(name) for name in names)
    ours = _OF_A_STUDY.fullmatch(entry.name) or TEMPORARY.fullmatch(entry.name)
    # A file of the index may have gone since it was listed.
    return bool(ours) and not entry.is_dir()


def _check_kind(path: Path, kind: str) -> None:
    """Refuse what is neither missing, nor empty, nor of the same kind."""
    if not is_there(path) or _is_empty_folder(path):
        return
    found = _holds(path)
    if found == kind or (kind == "study" and found is None and _is_begun(path)):
        return
    other = _KINDS.get(found) if isinstance(found, str) else None
    raise OutputError(
        f"holds {other or 'something that is no result of acklab'}",
        str(path),
        None,
        f"a new or empty folder, or one that holds {_KINDS[kind]}",
    )


def _holds(path: Path) -> object:
    """Return the kind of what acklab wrote into a folder; ``None`` if it wrote nothing there."""
    try:
        manifest = json.loads((path / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return manifest.get("kind") if isinstance(manifest, dict) else None


def output_error(error: OSError, path: Path) -> AcklabError:
    """Return what to say where the system refused to write to ``path``."""
    if isinstance(error, FileExistsError | NotADirectoryError):
        reason = "a part of the path is a file, not a folder"
    else:
        reason = error.strerror or str(error)
    return OutputError(
        f"cannot be written: {reason}",
        str(path),
        None,
        "a folder that is writeable and has room left",
    )
