"""The script `do` where something is missing: programs of a few lines stand for Rust and uv.

And what comes in by standard input.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from acklab import door
from acklab.validate.__main__ import SECTIONS
from conftest import SMALL

ROOT = Path(__file__).resolve().parents[2]
PLAIN = "plain build: Rust comes without llvm-profdata; run:  rustup component add llvm-tools"

RUSTC = """\
case "$*" in
--version) echo "rustc 1.95.0 (abc 2026-04-14)" ;;
-vV) echo "rustc 1.95.0"; echo "host: here" ;;
"--print target-libdir") echo "$TOOLCHAIN/lib" ;;
-Cllvm-args=*) ;;
*) exit 1 ;;
esac
"""
UV = """\
[ "$1" = --version ] && { echo "uv 0.13.9"; exit; }
printf 'uv %s|%s\\n' "${CARGO_ENCODED_RUSTFLAGS:-none}" "$*" >>"$SAID"
"""
# Leaves a program behind that counts one run of its scenario.
CARGO = """\
printf 'cargo %s|%s\\n' "$RUSTFLAGS" "$*" >>"$SAID"
mkdir -p target/guided/release/examples
printf '#!/bin/sh\\necho "$1" >>"$(dirname "$LLVM_PROFILE_FILE")/$$.profraw"\\n' \\
    >target/guided/release/examples/peer
chmod +x target/guided/release/examples/peer
"""
PROFDATA = '[ "$1 $2" = "merge -o" ] || exit 1\nplace=$3; shift 3; cat "$@" >"$place"\n'


@dataclass
class House:
    """A repository with nothing but `do` and two examples, on a machine of stand-ins."""

    root: Path
    programs: Path
    toolchain: Path

    def program(self, path: Path, text: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{text}")
        path.chmod(0o755)

    def has_llvm_tools(self, text: str = PROFDATA) -> None:
        (self.toolchain / "lib").mkdir(parents=True)
        self.program(self.toolchain / "bin" / "llvm-profdata", text)

    def do(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        drop = ("RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "ACKLAB_RUSTFLAGS")
        kept = {key: value for key, value in os.environ.items() if key not in drop}
        kept["PATH"] = f"{self.programs}{os.pathsep}{kept['PATH']}"
        machine = {"TOOLCHAIN": str(self.toolchain), "SAID": str(self.root / "said")}
        return subprocess.run(
            [self.root / "do", *arguments],
            env=kept | machine | environment,
            capture_output=True,
            text=True,
            check=False,
        )

    def said(self, program: str) -> Sequence[str]:
        """What the stand-in was given since the last question: flags and arguments."""
        path = self.root / "said"
        lines = path.read_text().splitlines() if path.exists() else []
        path.unlink(missing_ok=True)
        return [line.removeprefix(f"{program} ") for line in lines if line.startswith(program)]


@pytest.fixture
def house(tmp_path: Path) -> House:
    # A name with a blank in it: flags must not fall apart there.
    root = tmp_path / "a house"
    for folder in (".venv", "crates", "examples"):
        (root / folder).mkdir(parents=True)
    for file in ("Cargo.toml", "Cargo.lock", "examples/a.toml", "examples/b.toml"):
        (root / file).touch()
    shutil.copy(ROOT / "do", root / "do")
    # Where the sections of `validate` are listed.
    sections = Path("python", "acklab", "validate", "__main__.py")
    (root / sections).parent.mkdir(parents=True)
    shutil.copy(ROOT / sections, root / sections)
    found = House(root, tmp_path / "programs", tmp_path / "toolchain")
    for name, text in {"rustc": RUSTC, "uv": UV, "cargo": CARGO, "rustup": "exit 1\n"}.items():
        found.program(found.programs / name, text)
    found.program(found.programs / "ns", "")
    return found


def profiles(house: House) -> list[Path]:
    return sorted((house.root / "target" / "guided").glob("*.profdata"))


def test_without_the_tool_there_is_the_plain_build(house: House) -> None:
    tuned = house.do("tune")
    assert tuned.returncode == 2
    assert PLAIN in tuned.stderr
    validated = house.do("validate", "foundation")
    assert validated.returncode == 0
    assert PLAIN in validated.stderr
    assert [line.split("|")[0] for line in house.said("uv")] == ["none"]
    assert profiles(house) == []


def test_a_section_that_is_none_is_told_before_anything_is_built(house: House) -> None:
    house.has_llvm_tools()
    for line in (["fundation"], ["--full", "fundation"], ["--only", "table1", "fundation"]):
        wrong = house.do("validate", *line)
        assert wrong.returncode == 2
        said = wrong.stderr.strip().removeprefix("do: no such section: fundation; there are: ")
        assert said.split() == list(SECTIONS)
    assert house.said("uv") == []
    assert house.said("cargo") == []
    assert house.do("validate", "--only", "table1", "--workers", "2", "altman2003").returncode == 0


def test_what_is_optional_comes_when_it_is_named(house: House) -> None:
    house.do("python", "x.py", ACKLAB_EXTRAS="dask pandas")
    (line,) = house.said("uv")
    assert "--extra dask --extra pandas python x.py" in line
    house.program(house.programs / "uv", UV + 'echo "door $ACKLAB_DO" >>"$SAID"\n')
    house.do("acklab", "run")
    assert house.said("door") == [str(house.root / "do")]


def test_messages_say_what_to_type_where_they_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ACKLAB_DO", raising=False)
    assert door.command("run my.toml") == "acklab run my.toml"
    assert door.extra("dask") == "pip install distributed"
    monkeypatch.setenv("ACKLAB_DO", "./do")
    assert door.command("run my.toml") == "./do acklab run my.toml"
    assert "ACKLAB_EXTRAS=pandas" in door.extra("pandas")
    # What is named there is what the package calls its optional parts.
    told = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for name, (requirement, *_) in told["optional-dependencies"].items():
        monkeypatch.delenv("ACKLAB_DO", raising=False)
        assert door.extra(name) == f"pip install {requirement.partition('>=')[0]}"


def test_nothing_is_tuned_unasked(house: House) -> None:
    house.has_llvm_tools()
    other = (["python", "x.py"], ["reproduce"], ["acklab", "run"], ["validate", "--list"])
    for line in (*other, ["validate", "--only", "table1"]):
        assert house.do(*line).returncode == 0
    assert all(line.startswith("none|run ") for line in house.said("uv"))
    assert profiles(house) == []


def test_a_profile_of_every_example_guides_all_later_builds_of_the_engine(house: House) -> None:
    house.has_llvm_tools()
    tuned = house.do("tune")
    assert tuned.returncode == 0, tuned.stderr
    assert "building the engine so that it counts" in tuned.stderr
    (build,) = house.said("cargo")
    assert build.startswith("-Cprofile-generate ")
    (profile,) = profiles(house)
    assert sorted(profile.read_text().split()) == ["examples/a.toml", "examples/b.toml"]
    house.do("python", "x.py")
    flags, line = house.said("uv")[-1].split("|")
    assert flags.split("\037")[:2] == [f"-Cprofile-use={profile}", "--cfg=acklab_guided"]
    # What runs in there builds other things, and those plainly.
    assert line.endswith("env -u CARGO_ENCODED_RUSTFLAGS python x.py")


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_what_the_compiler_does_not_know_is_no_flag_of_a_guided_build(house, machine: str) -> None:
    house.has_llvm_tools()
    house.program(house.programs / "uname", f"echo {machine}\n")
    assert house.do("tune").returncode == 0
    house.do("python", "x.py")
    flags, _ = house.said("uv")[-1].split("|")
    known = ["-Cllvm-args=-x86-cmov-converter=false"] if machine == "x86_64" else []
    assert flags.split("\037")[3:] == known


def test_a_profile_is_made_anew_after_an_edit_only(house: House) -> None:
    house.has_llvm_tools()
    assert house.do("tune").returncode == 0
    assert len(house.said("cargo")) == 1
    assert house.do("tune").returncode == 0
    assert len(house.said("cargo")) == 0
    later = profiles(house)[0].stat().st_mtime + 5
    edited = house.root / "crates" / "lib.rs"
    edited.touch()
    os.utime(edited, (later, later))
    assert house.do("validate", "--only", "speed").returncode == 0
    assert len(house.said("cargo")) == 1


def test_a_signal_to_the_script_is_for_what_it_runs(house: House) -> None:
    house.program(house.programs / "uv", UV + 'echo "uv of $PPID" >>"$SAID"\n')
    assert house.do("acklab", "sweep", "study.toml").returncode == 0
    assert house.said("uv")[-1] == f"of {os.getpid()}"


def test_flags_of_ones_own_win(house: House) -> None:
    house.has_llvm_tools()
    assert house.do("tune").returncode == 0
    house.said("uv")
    assert house.do("python", "x.py", RUSTFLAGS="-g").returncode == 0
    assert house.said("uv")[0].startswith("none|")
    refused = house.do("tune", RUSTFLAGS="-g")
    assert refused.returncode == 2
    assert "plain build: RUSTFLAGS is set" in refused.stderr


@pytest.mark.parametrize("broken", ["cargo", "llvm-profdata"])
def test_a_failure_leaves_the_plain_build_and_no_profile(house: House, broken: str) -> None:
    why = "echo 'error: something is missing' >&2; exit 1\n"
    house.has_llvm_tools(why if broken == "llvm-profdata" else PROFDATA)
    if broken == "cargo":
        house.program(house.programs / "cargo", why)
    tuned = house.do("tune")
    assert tuned.returncode == 2
    assert "something is missing" in tuned.stderr
    assert "plain build: the runs could not be counted" in tuned.stderr
    assert profiles(house) == []


def test_standard_input_is_read_as_a_file_is(tmp_path):
    command = [sys.executable, "-m", "acklab", "run", "-", "--runs", "1"]
    marked = subprocess.run(
        command, input=SMALL.encode("utf-8-sig"), cwd=tmp_path, capture_output=True, check=False
    )
    assert marked.returncode == 0, marked.stderr
    other = subprocess.run(
        command, input=b'title = "\xff"', cwd=tmp_path, capture_output=True, check=False
    )
    assert other.returncode == 2
    assert b"standard input: is not text in UTF-8" in other.stderr
