"""Folders and files appear whole or not at all."""

import json
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from acklab import OutputError, places, store
from acklab.places import MANIFEST


def leftovers(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def fail_after(path: Path, text: str) -> None:
    path.write_text(text)
    raise ZeroDivisionError


def manifest(title: str, kind: str = "run") -> str:
    return json.dumps({"kind": kind, "title": title, "files": ["runs.csv"]})


def test_a_folder_appears_only_when_its_block_ends(tmp_path):
    place = tmp_path / "deep" / "result"
    with store.new_folder(place) as new:
        (new / MANIFEST).write_text("{}")
        assert not place.exists()
    assert leftovers(place) == [MANIFEST]
    assert leftovers(place.parent) == ["result"]


def test_a_fault_half_way_leaves_the_earlier_result(tmp_path):
    place = tmp_path / "result"
    for title in ("first", "second"):
        with store.new_folder(place) as new:
            (new / MANIFEST).write_text(manifest(title))
    with pytest.raises(ZeroDivisionError), store.new_folder(place) as new:
        fail_after(new / MANIFEST, "third")
    assert (place / MANIFEST).read_text() == manifest("second")
    assert leftovers(tmp_path) == ["result"]


def test_a_folder_with_other_things_is_never_replaced(tmp_path):
    place = tmp_path / "thesis"
    place.mkdir()
    (place / "chapter.tex").write_text("years of work")
    with pytest.raises(OutputError) as caught, store.new_folder(place):
        pass
    assert caught.value.place == str(place)
    assert leftovers(place) == ["chapter.tex"]
    with pytest.raises(OutputError):
        places.check_folder(place)


@pytest.mark.parametrize("text", ["{}", "no JSON", "[]", '{"kind": []}'])
def test_a_manifest_of_something_else_protects_its_folder(tmp_path, text):
    (tmp_path / MANIFEST).write_text(text)
    with pytest.raises(OutputError, match="no result of acklab"):
        places.check_folder(tmp_path)
    assert (tmp_path / MANIFEST).read_text() == text


@pytest.mark.parametrize(
    ("holds", "wanted", "said"),
    [
        ("study", "run", "holds a study; accepted: a new or empty folder, or one that holds the"),
        ("run", "study", "holds the result of a run; accepted: .* one that holds a study"),
        ("reproduction", "study", "holds a reproduction"),
        ("study", "reproduction", "one that holds a reproduction"),
        ("dream", "study", "holds something that is no result of acklab"),
    ],
)
def test_a_folder_of_another_kind_is_called_what_it_is(tmp_path, holds, wanted, said):
    (tmp_path / MANIFEST).write_text(manifest("x", holds))
    for look in (False, True):
        with pytest.raises(OutputError, match=said):
            places.check_folder(tmp_path, wanted, look=look)


def test_notes_beside_an_earlier_result_are_never_thrown_away(tmp_path):
    for name in ("runs.csv", "my-notes.txt"):
        (tmp_path / name).write_text("x")
    (tmp_path / MANIFEST).write_text(manifest("first"))
    with pytest.raises(OutputError, match=r"my-notes\.txt"), store.new_folder(tmp_path):
        pass
    assert leftovers(tmp_path) == [MANIFEST, "my-notes.txt", "runs.csv"]
    (tmp_path / "my-notes.txt").unlink()
    places.check_folder(tmp_path)


def test_a_reproduction_goes_on_in_its_own_folder_only(tmp_path):
    (tmp_path / MANIFEST).write_text(manifest("first", "reproduction"))
    (tmp_path / "my-notes.txt").write_text("x")
    places.check_folder(tmp_path, "reproduction")
    with pytest.raises(OutputError, match="one that holds a study"):
        places.check_folder(tmp_path, "study")


def test_a_parent_that_is_a_file_is_an_error_that_names_it(tmp_path):
    (tmp_path / "file").write_text("x")
    place = tmp_path / "file" / "result"
    with pytest.raises(OutputError, match="not a folder"), store.new_folder(place):
        pass
    with pytest.raises(OutputError, match="not a folder"):
        places.check_folder(place)


def test_looking_alone_refuses_a_parent_that_cannot_be_one(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="is a file, not a folder"):
        places.check_folder(tmp_path / "file" / "out", "study", look=True)
    before = tmp_path.stat().st_mtime_ns
    places.check_folder(tmp_path / "a" / "b", "study", look=True)
    assert tmp_path.stat().st_mtime_ns == before
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(OutputError, match="Permission denied"):
        places.check_folder(tmp_path / "a" / "b", "study", look=True)


def test_checking_leaves_no_trace(tmp_path):
    places.check_folder(tmp_path / "a" / "b" / "c")
    assert leftovers(tmp_path) == []


def test_a_file_appears_only_when_its_block_ends(tmp_path):
    place = tmp_path / "air.pcapng"
    place.write_text("old")
    with pytest.raises(ZeroDivisionError), store.new_file(place) as new:
        fail_after(new, "half")
    assert place.read_text() == "old"
    with store.new_file(place) as new:
        new.write_text("whole")
    assert place.read_text() == "whole"
    assert leftovers(tmp_path) == ["air.pcapng"]


def test_a_new_file_has_the_usual_permissions(tmp_path):
    with store.new_file(tmp_path / "f") as new:
        new.write_text("x")
    (tmp_path / "plain").write_text("x")
    assert (tmp_path / "f").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_new_files_heed_the_mask_and_never_set_it(tmp_path, monkeypatch):
    before = os.umask(0o027)
    try:
        with monkeypatch.context() as others_write_too:
            others_write_too.delattr(os, "umask")
            with store.new_file(tmp_path / "file") as new:
                new.write_text("x")
            with store.new_folder(tmp_path / "folder") as new:
                (new / "x").write_text("x")
    finally:
        os.umask(before)
    modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.rglob("*")}
    assert modes == {"file": 0o640, "folder": 0o750, "x": 0o640}


def test_the_same_question_has_the_same_folder():
    one = store.default_folder("9-Node Chain: W = 8!", "scenario, seed 1")
    assert one == store.default_folder("9-Node Chain: W = 8!", "scenario, seed 1")
    assert one != store.default_folder("9-Node Chain: W = 8!", "scenario, seed 2")
    assert one.parent == Path("results")
    assert one.name.startswith("9-node-chain-w-8-")
    assert store.default_folder("../..", "x").name.startswith("scenario-")


@pytest.fixture
def full_disk(tmp_path):
    """A file system of 64 kB."""
    place = tmp_path / "small"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "acklab-test", str(place)]
    if os.geteuid() != 0 or subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("a small file system can only be mounted by root")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_a_full_disk_is_an_error_and_leaves_nothing(full_disk):
    place = full_disk / "result"
    with pytest.raises(OutputError, match="No space left"), store.new_folder(place) as new:
        (new / "big").write_bytes(b"x" * 200_000)
    assert leftovers(full_disk) == []


@pytest.mark.parametrize("fault", [KeyboardInterrupt, OSError])
@pytest.mark.parametrize("at", [1, 2])
def test_a_fault_between_two_renames_leaves_the_earlier_result(tmp_path, monkeypatch, fault, at):
    # As on a file system where two folders cannot change places in one step.
    monkeypatch.setattr(store, "_exchanged", lambda *_: False)
    place = tmp_path / "result"
    with store.new_folder(place) as new:
        (new / MANIFEST).write_text(manifest("first"))
    calls = []
    rename = Path.rename

    def faulty(path, target):
        calls.append(path)
        if len(calls) == at:
            raise fault
        return rename(path, target)

    def replaced():
        with store.new_folder(place) as new:
            (new / MANIFEST).write_text(manifest("second"))
            monkeypatch.setattr(Path, "rename", faulty)

    with pytest.raises(OutputError if fault is OSError else fault):
        replaced()
    assert (place / MANIFEST).read_text() == manifest("first")
    assert leftovers(tmp_path) == ["result"]


@pytest.mark.parametrize("kind", ["pipe", "device", "link to a device"])
def test_a_device_or_a_pipe_is_never_replaced_by_a_file(tmp_path, kind):
    place = tmp_path / "there"
    if kind == "pipe":
        os.mkfifo(place)
    elif kind == "device":
        if os.geteuid() != 0:
            pytest.skip("only root makes devices, and only root would lose one")
        os.mknod(place, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
    else:
        place.symlink_to("/dev/null")
    before = place.lstat()
    with (
        pytest.raises(OutputError, match="is a device, a pipe or a socket") as caught,
        store.new_file(place),
    ):
        pass
    assert caught.value.place == str(place)
    assert place.lstat() == before
    assert leftovers(tmp_path) == ["there"]


def test_a_link_stays_and_where_it_leads_is_written(tmp_path):
    (tmp_path / "elsewhere" / "folder").mkdir(parents=True)
    (tmp_path / "file").symlink_to("elsewhere/new")
    (tmp_path / "folder").symlink_to("elsewhere/folder")
    with store.new_file(tmp_path / "file") as new:
        new.write_text("x")
    with store.new_folder(tmp_path / "folder") as new:
        (new / "y").write_text("y")
    assert all((tmp_path / name).is_symlink() for name in ("file", "folder"))
    assert (tmp_path / "elsewhere" / "new").read_text() == "x"
    assert leftovers(tmp_path / "elsewhere" / "folder") == ["y"]
    assert leftovers(tmp_path / "elsewhere") == ["folder", "new"]


@pytest.mark.parametrize("path", [".", "", "../here", None])
def test_the_current_folder_is_not_replaced_under_who_stands_in_it(tmp_path, monkeypatch, path):
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    with pytest.raises(OutputError, match="is the folder in which you are"):
        places.check_folder(here if path is None else path)
    # A study goes on in a folder that is there.
    places.check_folder(here if path is None else path, "study")


KILLED = """
import os, signal, sys
from acklab import store

left = int(sys.argv[1])

def kill_at(event, _args):
    global left
    if event in ("os.rename", "ctypes.dlsym", "shutil.rmtree"):
        left -= 1
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)

with store.new_folder("result") as new:
    (new / "manifest.json").write_text(sys.argv[2])
    sys.addaudithook(kill_at)
"""


@pytest.mark.parametrize("step", [1, 2, 3, 4])
def test_a_result_stands_in_its_place_whenever_the_next_one_is_killed(tmp_path, step):
    place = tmp_path / "result"
    texts = [manifest(title) for title in ("first", "second", "third")]
    with store.new_folder(place) as new:
        (new / MANIFEST).write_text(texts[0])
    killed = [sys.executable, "-c", KILLED, str(step), texts[1]]
    ended = subprocess.run(killed, cwd=tmp_path, check=False)
    assert ended.returncode in (0, -signal.SIGKILL)
    assert (place / MANIFEST).read_text() in texts[:2]
    with store.new_folder(place) as new:
        (new / MANIFEST).write_text(texts[2])
    assert leftovers(tmp_path) == ["result"]


def test_what_somebody_is_writing_now_is_not_swept_away(tmp_path):
    place = tmp_path / "result"
    with store.new_folder(place) as first, store.new_folder(place) as second:
        for new in (first, second):
            (new / MANIFEST).write_text(manifest("whole"))
    assert leftovers(tmp_path) == ["result"]
