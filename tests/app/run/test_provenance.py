"""A run records with what it was made, which does not keep it from going on with something else."""

from __future__ import annotations

import platform
import subprocess
from pathlib import Path
from typing import Any

import pytest

import sociolab
from sociolab import RunConfig, open_store, result_of, run
from sociolab.app.run import session as provenance
from sociolab.report import setting_facts, warnings


def git(folder: Path, *args: str) -> None:
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    subprocess.run(["git", *who, *args], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "project" / "inner"
    folder.mkdir(parents=True)
    git(tmp_path / "project", "init")
    (folder / "agent.py").write_text("x = 1\n", "utf-8")
    git(folder, "add", ".")
    git(folder, "commit", "-m", "first")
    return folder


def played(store: Path, **more: Any) -> dict[str, Any]:
    run(RunConfig(limit=1, name="a", store=store, **more))
    with open_store(store) as opened:
        settings = opened.run("a").settings
    assert isinstance(settings, dict)
    return settings


def test_a_commit_is_told_and_whether_tracked_files_differ_from_it(tree: Path) -> None:
    clean = provenance.git_state(tree)
    assert clean is not None
    assert len(str(clean["commit"])) == 40
    assert clean["changed"] is False
    (tree / "notes.txt").write_text("not tracked", "utf-8")
    assert provenance.git_state(tree) == clean
    (tree / "agent.py").write_text("x = 2\n", "utf-8")
    assert provenance.git_state(tree) == {**clean, "changed": True}


def test_no_commit_is_told_where_there_is_none(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = tmp_path / "bare"
    bare.mkdir()
    assert provenance.git_state(bare) is None
    git(bare, "init")
    assert provenance.git_state(bare) is None
    monkeypatch.setenv("PATH", str(bare))
    assert provenance.git_state(tree) is None


def test_git_that_does_not_answer_is_not_waited_for(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hangs = tmp_path / "bin" / "git"
    hangs.parent.mkdir()
    hangs.write_text("#!/bin/sh\nread line < fifo\n", "utf-8")
    hangs.chmod(0o755)
    subprocess.run(["mkfifo", "fifo"], cwd=tree, check=True)
    monkeypatch.setenv("PATH", f"{hangs.parent}:/usr/bin:/bin")
    monkeypatch.setattr(provenance, "GIT_SECONDS", 0.05)
    assert provenance.git_state(tree) is None


def test_git_is_asked_once_for_a_run_and_the_run_says_what_it_said(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tree)
    asked = []
    real = subprocess.run

    def counted(*args: Any, **more: Any) -> Any:
        asked.append(args)
        return real(*args, **more)

    monkeypatch.setattr(subprocess, "run", counted)
    made = played(tmp_path / "s.db")["made_with"]
    assert len(asked) == 1
    assert (made["sociolab"], made["python"]) == (
        sociolab.__version__,
        platform.python_version(),
    )
    assert made["git"] == provenance.git_state(tree)
    with open_store(tmp_path / "s.db") as store:
        result = result_of(store, "a")
    told = dict(setting_facts(result))["Made with"]
    assert told.endswith(f"commit {made['git']['commit'][:10]}")
    assert f"Python {platform.python_version()}" in told


def test_a_run_goes_on_with_another_version_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    store = tmp_path / "s.db"
    first = played(store)
    assert "resumed_with" not in played(store)
    monkeypatch.setattr(provenance, "__version__", "9.9.9")
    again = played(store)
    assert again["made_with"] == first["made_with"]
    assert [one["sociolab"] for one in again["resumed_with"]] == ["9.9.9"]
    assert played(store) == again
    with open_store(store) as opened:
        result = result_of(opened, "a")
    (said,) = (one for one in warnings(result) if "different versions" in one)
    assert f"sociolab {sociolab.__version__}" in said
    assert "sociolab 9.9.9" in said
    assert "; then sociolab 9.9.9" in dict(setting_facts(result))["Made with"]


def test_a_run_from_before_versions_were_recorded_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    settings = played(tmp_path / "s.db")
    del settings["made_with"]
    with open_store(tmp_path / "s.db") as opened:
        opened.set_settings("a", settings)
        assert "Made with" not in dict(setting_facts(result_of(opened, "a")))
    assert len(played(tmp_path / "s.db")["resumed_with"]) == 1
    with open_store(tmp_path / "s.db") as opened:
        told = warnings(result_of(opened, "a"))
    assert any("versions not recorded, then sociolab" in one for one in told)


def test_tags_gather_as_a_run_goes_on(tmp_path: Path) -> None:
    assert played(tmp_path / "s.db", tags=("x", "y"))["tags"] == ["x", "y"]
    assert played(tmp_path / "s.db")["tags"] == ["x", "y"]
    assert played(tmp_path / "s.db", tags=("z", "x"))["tags"] == ["x", "y", "z"]
    with open_store(tmp_path / "s.db") as opened:
        assert dict(setting_facts(result_of(opened, "a")))["Tags"] == "x, y, z"
