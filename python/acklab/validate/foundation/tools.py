"""Running other programs of the repository."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from acklab.validate.model import FAIL, PASS, SKIPPED, Row


@dataclass(frozen=True)
class Tests:
    """What a run of cargo's tests said."""

    passed: int
    failed: int
    output: str


def missing_source(root: Path) -> str:
    """Why the Rust tests cannot run here; empty if they can."""
    if not (root / "Cargo.toml").is_file():
        return "needs a checkout of the repository: an installed package has no Rust sources"
    if shutil.which("cargo") is None:
        return "needs Rust (cargo is not on the PATH)"
    return ""


def run(
    command: Sequence[str], root: Path, timeout_s: float = 900.0, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run a program in the repository and keep what it says."""
    return subprocess.run(
        list(command),
        cwd=root,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
    )


def cargo_test(root: Path, *arguments: str) -> Tests:
    """Run `cargo test` and count."""
    command = ["cargo", "test", "--locked", "--no-fail-fast", *arguments]
    done = _as_the_engine(command, root) if "--release" in arguments else run(command, root)
    text = done.stdout + done.stderr
    found = re.findall(r"test result: \w+\. (\d+) passed; (\d+) failed", text)
    failed = sum(int(bad) for _, bad in found)
    if done.returncode != 0 and failed == 0:
        # Tests that do not compile, or a test program that died.
        failed = 1
    return Tests(sum(int(good) for good, _ in found), failed, text)


def tests_row(root: Path, name: str, bar: str, *arguments: str) -> Row:
    """A row that passes when at least one of these tests exists and all of them pass."""
    if why := missing_source(root):
        return Row(name, "none", bar, SKIPPED, why)
    tests = cargo_test(root, *arguments)
    figure = f"{tests.passed} tests pass, {tests.failed} fail"
    if tests.passed and not tests.failed:
        return Row(name, figure, bar, PASS)
    bad = re.findall(r"^test (.*) \.\.\. FAILED", tests.output, flags=re.M)
    errors = re.findall(r"^error.*", tests.output, flags=re.M)
    why = ", ".join(bad) or " / ".join(errors[:2]) or "there is no such test"
    return Row(name, figure, bar, FAIL, why)


def _as_the_engine(
    command: Sequence[str], root: Path, plain: bool = False
) -> subprocess.CompletedProcess[str]:
    """Run cargo so that it takes the crates that `./do` built for the extension.

    Guided after `./do tune`, unless the plain ones are wished; and with the same features of other
    people's crates, which hang on all the packages that are asked for.
    """
    flags = "" if plain else os.environ.get("ACKLAB_RUSTFLAGS")
    command = [*command, "-p", "acklab-py"]
    return run(command, root, CARGO_ENCODED_RUSTFLAGS=flags) if flags else run(command, root)


def build_kind(guided: bool) -> str:
    """How rows call the two kinds of build."""
    return "guided build" if guided else "plain build"


def cargo_example(root: Path, name: str, profile: str, plain: bool = False) -> Path:
    """Build an example of the world and say where it is; a release as `./do` builds the engine."""
    command = ["cargo", "build", "--locked", "-p", "acklab-world", "--example", name]
    command += ["--profile", profile, "--message-format", "short"]
    release = profile == "release"
    done = _as_the_engine(command, root, plain) if release else run(command, root)
    if done.returncode != 0:
        raise RuntimeError(f"{name} does not build: {done.stderr.strip().splitlines()[-1:]}")
    target = Path(os.environ.get("CARGO_TARGET_DIR", root / "target"))
    folder = {"dev": "debug"}.get(profile, profile)
    return target / folder / "examples" / name


def python(*arguments: str) -> list[str]:
    """This Python with these arguments."""
    return [sys.executable, *arguments]
