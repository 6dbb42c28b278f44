"""`sociolab build stss-talk`: sets made by living a town."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from sociolab.core import ConfigError
from sociolab.core.user_files import imported_folder
from sociolab.worlds import stss
from sociolab.worlds.stss.talk import building, freezing as living
from sociolab.worlds.stss.talk.building import parse_seeds

TWO = ("kite-evening", "honey")
freeze_talks = stss.freeze_talks  # before it is patched


@pytest.fixture
def town(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A town of two tasks; what is built is kept in a home of its own."""
    monkeypatch.setenv("SOCIOLAB_HOME", str(tmp_path / "home"))
    data = stss.own_town(1)
    tasks = tuple(task for task in data.tasks if task.id in TWO)
    stss.write_town(tmp_path / "town", replace(data, name="small", tasks=tasks))
    return tmp_path / "town"


@cache
def remembered(task: str) -> tuple[stss.TalkScenario, ...]:
    data = stss.own_town(1)
    return freeze_talks(data, next(one for one in data.tasks if one.id == task), 1)


def in_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """A task that was lived before is not lived again."""
    monkeypatch.setattr(living, "_processors", lambda: 1)
    monkeypatch.setattr(living, "freeze_talks", lambda _, task, __: remembered(task.id))


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    in_one_process(monkeypatch)


def silent(done: int, total: int, frozen: int) -> None:
    assert done <= total


def leftovers(folder: Path) -> list[str]:
    return sorted(one.name for one in folder.iterdir()) if folder.is_dir() else []


def test_seeds_are_numbers_and_spans() -> None:
    assert parse_seeds("1-6") == (1, 2, 3, 4, 5, 6)
    assert parse_seeds("7") == (7,)
    assert parse_seeds("9, 2-3,2") == (2, 3, 9)


@pytest.mark.parametrize("text", ["", "a", "3-1", "1-", "-2", "1;2", "1-99999", "1,,2"])
def test_other_seeds_are_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="--seeds: expected numbers such as 1-6"):
        parse_seeds(text)


def test_a_set_is_the_same_from_one_process_or_two(
    town: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    wanted = stss.TalkBuild(seeds="1", total=4, data=str(town), name="small", out=tmp_path / "two")
    monkeypatch.setattr(living, "_processors", lambda: 2)
    two = stss.build_talks(wanted, silent)
    in_one_process(monkeypatch)
    one = stss.build_talks(wanted.model_copy(update={"out": tmp_path / "one"}), silent)
    assert one.data == two.data == stss.read_talks(tmp_path / "one")
    assert len(one.data.scenarios) == 4
    assert {scenario.task.id for scenario in one.data.scenarios} == set(TWO)
    assert one.data.name == "small"


@pytest.mark.usefixtures("quick")
def test_a_set_with_a_name_is_kept_where_runs_find_it(town: Path) -> None:
    built = stss.build_talks(
        stss.TalkBuild(seeds="1", total=4, data=str(town), name="mine"), silent
    )
    assert built.folder == imported_folder("stss-talk", "mine")
    assert stss.read_talks(built.folder).name == "mine"
    meta = json.loads((built.folder / "meta.json").read_text())
    command = f"sociolab build stss-talk --seeds 1 --total 4 --data {town} --name mine"
    assert meta["command"] == command
    with pytest.raises(ConfigError, match='"mine" is there already'):
        stss.build_talks(stss.TalkBuild(seeds="1", total=4, data=str(town), name="mine"), silent)
    stss.build_talks(
        stss.TalkBuild(seeds="1", total=2, data=str(town), name="mine", replace=True), silent
    )
    assert len(stss.read_talks(built.folder).scenarios) == 2
    assert leftovers(built.folder.parent) == ["mine"]


@pytest.mark.usefixtures("quick")
def test_a_set_in_a_folder_bears_the_folders_name_unless_it_is_given_one(
    town: Path, tmp_path: Path
) -> None:
    wanted = stss.TalkBuild(seeds="1", total=4, data=str(town), out=tmp_path / "market-talks")
    assert stss.build_talks(wanted, silent).data.name == "market-talks"
    given = stss.build_talks(
        wanted.model_copy(update={"name": "other-talks", "replace": True}), silent
    )
    assert given.folder == tmp_path / "market-talks"
    assert stss.read_talks(given.folder).name == "other-talks"
    command = json.loads((given.folder / "meta.json").read_text())["command"]
    assert command.endswith(f"--name other-talks --out {tmp_path / 'market-talks'}")


@pytest.mark.usefixtures("quick")
def test_too_few_candidates_are_told_and_nothing_is_left(town: Path) -> None:
    possible = sum(len(remembered(task)) for task in TWO)
    with pytest.raises(ConfigError, match=rf"expected 999 .* found {possible} "):
        stss.build_talks(stss.TalkBuild(seeds="1", total=999, data=str(town), name="mine"), silent)
    assert leftovers(imported_folder("stss-talk", "mine").parent) == []


@pytest.mark.usefixtures("quick")
def test_a_build_that_is_interrupted_leaves_the_old_set_and_nothing_else(
    town: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = stss.TalkBuild(seeds="1", total=4, data=str(town), name="mine")
    before = stss.build_talks(wanted, silent).data

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(building, "write_talks", interrupt)
    with pytest.raises(KeyboardInterrupt):
        stss.build_talks(wanted.model_copy(update={"total": 2, "replace": True}), silent)
    folder = imported_folder("stss-talk", "mine")
    assert leftovers(folder.parent) == ["mine"]
    assert stss.read_talks(folder) == before


def test_a_folder_that_holds_something_else_is_not_touched(town: Path, tmp_path: Path) -> None:
    wanted = stss.TalkBuild(seeds="1", total=4, data=str(town), out=tmp_path / "out", replace=True)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "diary.txt").write_text("dear")
    with pytest.raises(ConfigError, match=r'found "diary\.txt"'):
        stss.build_talks(wanted, silent)
    with pytest.raises(ConfigError, match="found the file"):
        stss.build_talks(wanted.model_copy(update={"out": tmp_path / "out" / "diary.txt"}), silent)
    (tmp_path / "out" / "diary.txt").rename(tmp_path / "out" / "meta.json")
    with pytest.raises(ConfigError, match="add --replace"):
        stss.build_talks(wanted.model_copy(update={"replace": False}), silent)


def test_a_name_or_a_folder_is_given(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="found neither"):
        stss.build_talks(stss.TalkBuild(), silent)
    with pytest.raises(ConfigError, match=r'--name: .* name of the data set .* found "a/b"'):
        stss.build_talks(stss.TalkBuild(name="a/b"), silent)
    with pytest.raises(ConfigError, match=r'--out: .* found "my talks"; .* add --name NAME'):
        stss.build_talks(stss.TalkBuild(out=tmp_path / "my talks"), silent)


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("deep", ["file/set", "file/deep/set", "x" * 300])
def test_a_folder_that_cannot_be_is_refused_in_a_sentence(
    town: Path, tmp_path: Path, deep: str
) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="name another"):
        stss.build_talks(
            stss.TalkBuild(seeds="1", total=4, data=str(town), name="mine", out=tmp_path / deep),
            silent,
        )
