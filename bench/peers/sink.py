"""Builds the sink that ns-2 lacks: one that delays the ACK for more than two segments.

What it is: `ns2_sink.cc`, compiled against the headers of the very ns-2 that is installed, as a
library that `ns` loads. The headers come from ns-2's source package, out of the folder of the
archive that apt names for the program, and are checked by their digest.
What it is not: a build of ns-2; the program that is measured is the one that is installed.

    python3 bench/peers/sink.py                    prints where the library lies
    python3 bench/peers/sink.py --needs            Debian's packages that it is built with

Exit codes: 0 built, 3 something that it needs is missing (the message says what).
"""

from __future__ import annotations

import argparse
import hashlib
import http.client
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import urllib.request
from pathlib import Path, PurePosixPath
from typing import Any

BUILT, MISSING = 0, 3
ROOT = Path(__file__).resolve().parents[2]
CODE = Path(__file__).with_name("ns2_sink.cc")
SOURCE = "ns2_2.35+dfsg.orig.tar.xz"
SOURCE_SHA256 = "a3a097194c87fedbf2a7d3c8520790dc8688874cad0373af2db0ed33e463d52e"
"""The one source package of which this sink is known to fit the program (Debian 12's ns-2.35)."""
PACKAGES = ("ns2", "g++", "tcl-dev", "libtclcl1-dev", "libotcl1-dev")
"""Debian's packages: the simulator, the compiler, and what ns-2's headers ask for in turn."""
ROOMS = (
    *("tcp", "common", "lib", "tools", "trace", "mac", "mobile", "qs", "apps", "link", "queue"),
    *("routing", "classifier"),
)
"""ns-2's folders whose headers the sink's base class draws in."""
SETTINGS = (
    *("TCP_DELAY_BIND_ALL", "STDC_HEADERS", "NS_DIFFUSION", "USE_SINGLE_ADDRESS_SPACE"),
    "USE_INTERP_RESULT",
)
"""How ns-2's makefile builds it, which decides where fields stand; the last one is Tcl's."""
AUTOCONF = """\
#define SIZEOF_LONG 8
#define HAVE_STRING_H 1
#define HAVE_BZERO 1
#define HAVE_BCOPY 1
#define HAVE_SNPRINTF 1
#define CPP_NAMESPACE std
"""
"""What ns-2's configure script would find on Linux, as far as these headers ask."""


class MissingError(Exception):
    """What the sink needs and this machine has not."""


def library() -> Path:
    """The sink's library, built if there is none for this `ns` and this code.

    Raises `MissingError` where ns-2, the compiler, headers, the source package or room to build
    cannot be had.
    """
    place = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "ns2"
    built = place / f"countedsink-{fingerprint()}.so"
    if built.exists():
        return built
    try:
        place.mkdir(parents=True, exist_ok=True)
        source = fetch(place)
        with tempfile.TemporaryDirectory(dir=place) as workshop:
            made = Path(workshop, built.name)
            compile_against(unpack(source, Path(workshop)), made)
            made.replace(built)
    except OSError as error:
        raise MissingError(f"{place}: cannot be built in: {error.strerror or error}") from error
    return built


def fingerprint() -> str:
    """What a library depends on: the code, how it is built, and the program that loads it.

    Fields that stand elsewhere than the program has them would be written over in silence.
    """
    program = shutil.which("ns")
    if program is None:
        raise MissingError(f"ns is missing; {advice()}")
    parts = (CODE.read_bytes(), Path(__file__).read_bytes(), Path(program).read_bytes())
    return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()[
        :16
    ]


def fetch(place: Path) -> Path:
    """The source package of the installed ns-2, checked by its digest."""
    kept = place / SOURCE
    if not kept.exists():
        partial = kept.with_suffix(".part")
        try:
            with urllib.request.urlopen(address(), timeout=60) as answer, partial.open("wb") as out:
                shutil.copyfileobj(answer, out)
            partial.replace(kept)
        except (OSError, http.client.HTTPException) as error:
            raise MissingError(f"ns-2's {SOURCE} cannot be fetched: {error}") from error
        finally:
            partial.unlink(missing_ok=True)
    digest = hashlib.sha256(kept.read_bytes()).hexdigest()
    if digest != SOURCE_SHA256:
        kept.unlink()
        raise MissingError(f"{SOURCE} has the digest {digest}, not {SOURCE_SHA256}: removed")
    return kept


def address() -> str:
    """Where the source package lies: beside the program's package, of which apt knows the place."""
    try:
        asked = run("apt-get", "--print-uris", "download", "ns2")
    except MissingError as error:
        hint = "as root on Debian, first:  apt-get update"
        raise MissingError(
            f"where ns-2's source lies apt does not say; {hint} ({error})"
        ) from error
    package = asked.split()[0].strip("'") if asked.strip() else ""
    folder, _, name = package.rpartition("/")
    if not name.startswith("ns2_2.35"):
        raise MissingError(f"apt knows no package of ns-2.35 (it says {name or 'nothing'!r})")
    return f"{folder}/{SOURCE}"


def unpack(archive: Path, place: Path) -> Path:
    """Put ns-2's headers there, and what its configure script would add; gives their folder."""
    # Where Python is too old to be told, it does the same with what has been checked by its digest.
    how: dict[str, Any] = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
    with tarfile.open(archive) as source:
        headers = [member for member in source if member.name.endswith(".h")]
        source.extractall(place, headers, **how)
    folder = place / PurePosixPath(headers[0].name).parts[0]
    (folder / "autoconf.h").write_text(AUTOCONF, encoding="utf-8")
    return folder


def compile_against(headers: Path, made: Path) -> None:
    """Compile the sink into a library."""
    include = (headers, *(headers / room for room in ROOMS))
    system = ("/usr/include/tcl", "/usr/include/tcl8.6", "/usr/include/tclcl")
    run(
        *("g++", "-std=gnu++14", "-O2", "-fPIC", "-shared", "-Wall", "-Wextra"),
        *(f"-D{name}" for name in SETTINGS),
        *(word for folder in (*include, *system) for word in ("-isystem", str(folder))),
        *("-o", str(made), str(CODE)),
    )


def run(*command: str) -> str:
    """What a program prints; `MissingError` where it is missing or fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise MissingError(f"{command[0]} is missing; {advice()}") from error
    if done.returncode != 0:
        said = next((line for line in done.stderr.splitlines() if "rror" in line), done.stderr)
        raise MissingError(f"{command[0]}: {said.strip()}; {advice()}")
    return done.stdout


def advice() -> str:
    """What to install, on the system that has it."""
    return f"on Debian:  apt-get install {' '.join(PACKAGES)}"


def main() -> int:
    """Build it, and print its place or what is missing."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--needs", action="store_true", help="print the packages and do nothing")
    if parser.parse_args().needs:
        print(*PACKAGES)
        return BUILT
    try:
        print(library())
    except MissingError as error:
        print(f"no sink for ns-2: {error}", file=sys.stderr)
        return MISSING
    return BUILT


if __name__ == "__main__":
    sys.exit(main())
