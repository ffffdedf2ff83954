"""Rows of validation that are tests of the engine: each names tests that are there."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from acklab.validate import __main__ as command
from acklab.validate.altman2003.routing import routing
from acklab.validate.cho2005 import machines as cho2005
from acklab.validate.foundation import machine, peers, tools
from acklab.validate.model import PASS, Context
from acklab.validate.vaidya1999 import machines as vaidya1999
from acklab.validate.yuki2004 import machines as yuki2004

ROWS = (
    *(machine.scripts, machine.fates, routing),
    *(vaidya1999.arq, vaidya1999.snoop, yuki2004.diagrams, yuki2004.swarm),
    *(cho2005.motion, cho2005.agent, cho2005.cases, cho2005.soft_state),
    *(cho2005.below, cho2005.refused),
)


def root() -> Path:
    return Path(command.ROOT)


def program(crate: Path, name: str) -> Path | None:
    """The source of a crate's test program, as cargo finds it."""
    manifest = tomllib.loads((crate / "Cargo.toml").read_text(encoding="utf-8"))
    named = {test["name"]: test["path"] for test in manifest.get("test", [])}
    if name in named:
        return crate / named[name]
    usual = [crate / "tests" / f"{name}.rs", crate / "tests" / name / "main.rs"]
    found = usual if manifest["package"].get("autotests", True) else []
    return next((path for path in found if path.exists()), None)


def module(source: Path, filter_: str) -> bool:
    """Whether the tests of a module, or of modules in it, bear such names."""
    *folders, name = filter_.strip(":").split("::")
    place = source.parent.joinpath(*folders)
    return (place / f"{name}.rs").exists() or (place / name / "mod.rs").exists()


def sources(arguments: list[str]) -> tuple[list[Path], list[str]]:
    """The programs that a command of `cargo test` runs, and what names of tests have in them.

    Cargo looks for a program in each crate that is asked for, wherever it stands in the command.
    """
    crates, names, filters = [], [], []
    words = iter(word for word in arguments if word not in ("--", "--release"))
    for word in words:
        match word:
            case "-p":
                crates.append(root() / "crates" / next(words).removeprefix("acklab-"))
            case "--test" | "--lib":
                names.append(next(words) if word == "--test" else word)
            case _:
                filters.append(word)
    programs = []
    for name in names:
        lib = name == "--lib"
        found = [crate / "src" / "lib.rs" if lib else program(crate, name) for crate in crates]
        of_one = [path for path in found if path is not None]
        assert len(of_one) == 1, f"{name} is a program of {len(of_one)} crates"
        programs += of_one
    return programs, filters


@pytest.mark.parametrize("rows", ROWS, ids=lambda rows: f"{rows.__module__}.{rows.__name__}")
def test_the_tests_are_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, rows) -> None:
    asked: list[list[str]] = []

    def cargo_test(_: Path, *arguments: str) -> tools.Tests:
        asked.append(list(arguments))
        return tools.Tests(1, 0, "")

    monkeypatch.setattr(tools, "cargo_test", cargo_test)
    found = rows(Context(command.ROOT, False, 1, tmp_path, lambda text: None))
    assert [row.verdict for row in found] == [PASS] * len(asked)
    for arguments in asked:
        programs, filters = sources(arguments)
        assert programs, arguments
        assert all(path.exists() for path in programs), arguments
        for filter_ in filters:
            assert any(module(path, filter_) for path in programs), (filter_, arguments)
        # No program is run in which nothing has such a name.
        for path in programs if filters else []:
            assert any(module(path, filter_) for filter_ in filters), (path, arguments)


def test_what_is_allocated_is_counted_by_a_program_of_its_own() -> None:
    assert program(root() / "crates" / "world", peers.ALLOCATION_TEST) is not None


def test_the_check_sees_what_is_not_there() -> None:
    networks = program(root() / "crates" / "world", "networks")
    assert networks is not None
    assert module(networks, "cells::")
    assert not module(networks, "cell::")
    with pytest.raises(AssertionError, match="cells is a program of 0 crates"):
        sources(["-p", "acklab-world", "--test", "cells"])
