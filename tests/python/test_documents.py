"""What the documents show runs, and what is generated is up to date."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest

import acklab
from acklab import reference as measures
from acklab.cli import cli, execute, reference
from acklab.validate.model import FELL

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language, text=README):
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def commands():
    """Every command line of the README, comments left off."""
    lines = "".join(blocks("sh")).splitlines()
    return [shlex.split(line, comments=True) for line in lines if line.strip()]


def test_the_page_of_the_command_line_is_up_to_date():
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    assert page == reference.page(), "run: ./do python -m acklab.cli.reference > docs/cli.md"


def test_the_page_of_measures_is_up_to_date():
    page = (ROOT / "docs" / "measures.md").read_text(encoding="utf-8")
    assert page == measures.page(), "run: ./do python -m acklab.reference > docs/measures.md"
    assert all(f"| `{name}` |" in page for name in acklab.measure_info())


def test_the_example_of_the_python_page_runs(capsys):
    (program,) = blocks("python", (ROOT / "docs" / "python.md").read_text(encoding="utf-8"))
    exec(compile(program, "docs/python.md", "exec"), {})
    assert "cwnd_packets" in capsys.readouterr().out


def test_everything_that_the_python_page_names_exists():
    text = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    for name in set(re.findall(r"acklab\.([A-Za-z_]+)", text)):
        assert hasattr(acklab, name)


def codes_in(pattern, *files):
    """Codes of warnings, found where they are made."""
    text = "".join((ROOT / file).read_text(encoding="utf-8") for file in files)
    return set(re.findall(pattern, text))


def test_every_warning_stands_on_a_page():
    front = [f"python/acklab/{name}.py" for name in ("simulate", "result", "captures")]
    study = [f"python/acklab/study/{name}.py" for name in ("finish", "warnings")]
    core = codes_in(r'warn\(\s*"(\w+)"', "crates/world/src/warnings.rs")
    runs = codes_in(r'(?:RunWarning\(\s*|code = |add\()"([a-z-]+)"', *front)
    points = codes_in(r'\bwarning\("([a-z-]+)"', *study)
    assert min(map(len, (core, runs, points))) > 7
    for page, wanted in {"python.md": core | runs, "studies.md": points}.items():
        text = (ROOT / "docs" / page).read_text(encoding="utf-8")
        first = re.findall(r"^\| (`.*?) \|", text, re.MULTILINE)
        assert wanted <= set(re.findall(r"`([a-z_-]+)`", " ".join(first))), page


def lines_of_the_command_line():
    """Every line that a page of docs shows for the command line, with the page's name."""
    for page in sorted((ROOT / "docs").rglob("*.md")):
        text = page.read_text(encoding="utf-8")
        shown = re.findall(r"^    acklab (.*)$", text, re.MULTILINE)
        shown += re.findall(r"^(?:\./do )?acklab (.*)$", "".join(blocks("sh", text)), re.MULTILINE)
        for line in shown:
            # A longer gap parts what is typed from what it does, where "#" does not.
            words = shlex.split(re.split(r"   +|  #", line)[0], comments=True)
            ends = [place for place, word in enumerate(words) if word in (">", "&&", "|")]
            yield page.name, words[: min(ends, default=len(words))]


def test_every_line_that_a_page_shows_is_understood(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = list(lines_of_the_command_line())
    assert {"cli.md", "papers.md"} <= {page for page, _ in lines}
    for page, (verb, *rest) in lines:
        command = cli.commands[verb]
        try:
            command.make_context(verb, rest)
        except click.exceptions.Exit:
            assert "--help" in rest, page


def test_the_page_of_papers_shows_lines_that_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    quick = [["papers"], ["claims", "altman2003"]]
    shown = [line for page, line in lines_of_the_command_line() if page == "papers.md"]
    assert all(line in shown for line in quick)
    for line in quick:
        assert execute(line) == 0, capsys.readouterr().err


def test_the_readme_begins_with_two_commands():
    assert commands()[:2] == [["./do", "reproduce"], ["./do", "test"]]


def test_every_verb_that_the_readme_names_exists():
    known = subprocess.run([ROOT / "do", "help"], capture_output=True, text=True, check=True).stdout
    for verb in {command[1] for command in commands()} | set(re.findall(r"`\./do (\w+)", README)):
        assert f"./do {verb}" in known


@pytest.fixture
def readme_folder(tmp_path, monkeypatch):
    """A folder with the README's scenario in it, and the examples."""
    monkeypatch.chdir(tmp_path)
    (scenario,) = blocks("toml")
    assert scenario.startswith("# chain.toml\n")
    (tmp_path / "chain.toml").write_text(scenario)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    return tmp_path


def test_the_readmes_commands_run(readme_folder, capsys):
    lines = [command[2:] for command in commands() if command[1] == "acklab"]
    assert len(lines) >= 5
    for line in lines:
        assert execute(line) == 0, capsys.readouterr().err
    assert (readme_folder / "air.pcapng").exists()
    assert list((readme_folder / "results").glob("*/manifest.json"))


def test_the_readmes_python_runs(readme_folder, capsys):
    (program,) = blocks("python")
    exec(compile(program, "README.md", "exec"), {})  # the README's own words
    assert "±" in capsys.readouterr().out
    assert (readme_folder / "results" / "third" / "manifest.json").exists()


def test_the_front_door_refuses_what_it_does_not_know():
    answer = subprocess.run([ROOT / "do", "dance"], capture_output=True, text=True, check=False)
    assert answer.returncode == 2
    assert "dance" in answer.stderr


def test_the_page_of_studies_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ACKLAB_CACHE", "off")
    page = (ROOT / "docs" / "studies.md").read_text(encoding="utf-8")
    cluster, guarded, study = blocks("python", page)
    for of_a_cluster in (cluster, guarded):
        compile(of_a_cluster, "docs/studies.md", "exec")
    exec(compile(study, "docs/studies.md", "exec"), {})
    assert "ratio" in capsys.readouterr().out
    assert Path("goodput.svg").exists()


def test_the_page_of_papers_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (program,) = blocks("python", (ROOT / "docs" / "papers.md").read_text(encoding="utf-8"))
    exec(compile(program, "docs/papers.md", "exec"), {})
    assert (tmp_path / "results" / "altman2003" / "report.html").exists()


def test_the_page_of_searching_runs(capsys):
    (program,) = blocks("python", (ROOT / "docs" / "search.md").read_text(encoding="utf-8"))
    for whole, short in (("720 s", "40 s"), ("360 s", "10 s")):
        assert whole in program
        program = program.replace(whole, short)
    found = {}
    exec(compile(program, "docs/search.md", "exec"), found)
    assert 29 <= found["best"].low <= found["best"].value <= found["best"].high <= 48


def test_the_page_of_own_policies_runs(capsys, monkeypatch, tmp_path):
    (program,) = blocks("python", (ROOT / "docs" / "own-policy.md").read_text(encoding="utf-8"))
    exec(compile(program, "docs/own-policy.md", "exec"), {})
    assert "±" in capsys.readouterr().out


def test_the_example_study_is_understood(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    study = str(ROOT / "examples" / "studies" / "thinning.toml")
    assert execute(["sweep", study, "--dry-run"]) == 0
    assert "12 points, 96 runs" in capsys.readouterr().out


def test_the_notebook_runs_from_top_to_bottom(tmp_path):
    notebook = ROOT / "examples" / "thinning.py"
    environment = os.environ | {"ACKLAB_CACHE": "off"}
    command = [sys.executable, str(notebook)]
    subprocess.run(command, cwd=tmp_path, env=environment, check=True, timeout=120)
    assert list((tmp_path / "results").glob("*/table.parquet"))


def test_no_row_of_the_validation_stands_for_a_check_that_fell():
    """It fails like a bar that is missed, and was once taken for one."""
    page = (ROOT / "docs/validation.md").read_text(encoding="utf-8")
    assert "rows pass." in page
    assert [line for line in page.splitlines() if f"| none | {FELL} |" in line] == []
