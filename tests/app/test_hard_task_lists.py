"""A list of hard tasks, from the plays that choose it to the run that plays it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sociolab import RunConfig, run
from sociolab.app import HardSpec, load_world, select_tasks
from sociolab.app.data.sets import TaskList, check_name, save_list, stored_lists
from sociolab.app.hard_subset import Chosen, choose_hard
from sociolab.core import ConfigError, World
from sociolab.store import Store

CURT = "python:app.run.test_python_api:Parrot"
BY_WORDS = "python:biased_judges:ByWords"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SOCIOLAB_HOME", str(tmp_path / "lab"))
    return tmp_path / "lab"


@pytest.fixture(scope="module")
def world() -> World:
    return load_world("sotopia").world


def config(folder: Path, name: str, **more: object) -> RunConfig:
    settings = {"store": folder / "s.db", "name": name, "world": "sotopia", **more}
    return RunConfig.model_validate(settings)


def hard_tasks(folder: Path, **more: object) -> tuple[Chosen, Path]:
    """Two agents in every pairing on twelve tasks; the two hardest for Parrot, and their list."""
    run(config(folder, "first", agents=("scripted", CURT), limit=12, judges=BY_WORDS))
    spec = HardSpec(("first",), CURT, "hard-parrot", most=2, **more)  # type: ignore[arg-type]
    with Store.open(folder / "s.db") as store:
        chosen = choose_hard(store, spec)
    return chosen, save_list(chosen.tasks)


def the_list(world: World, name: str, tasks: tuple[str, ...], hash_: str | None = None) -> TaskList:
    data = world.data
    return TaskList(
        name=name,
        world="sotopia",
        data=(data.name, data.version, hash_ or data.hash),
        tasks=tasks,
    )


def test_the_hard_tasks_of_a_run_are_stored_and_played_by_name(tmp_path: Path, home: Path) -> None:
    chosen, path = hard_tasks(tmp_path)
    assert len(chosen.hard.ids) == 2
    assert path == home / "tasks" / "sotopia" / "hard-parrot.json"
    assert json.loads(path.read_text("utf-8"))["made"]["target"] == CURT
    assert chosen.command == "sociolab run sotopia --tasks hard-parrot"
    result = run(config(tmp_path, "second", tasks="hard-parrot"))
    assert result.played == 2
    with Store.open(tmp_path / "s.db") as store:
        played = {row.trial.task.id for row in store.trials("second")}
        settings = store.run("second").settings
    assert played == set(chosen.hard.ids)
    assert isinstance(settings, dict)
    assert settings["task_lists"] == {"hard-parrot": stored_lists(["sotopia"])[0].hash}


def test_a_run_whose_list_has_changed_is_not_resumed(tmp_path: Path, world: World) -> None:
    first, second, third = (task.id for task in world.tasks()[:3])
    save_list(the_list(world, "mine", (first, second)))
    assert run(config(tmp_path, "r", tasks="mine")).played == 2
    save_list(the_list(world, "mine", (second, first)))  # the same tasks, in another order
    assert run(config(tmp_path, "r", tasks="mine")).played == 2
    save_list(the_list(world, "mine", (first, third)))
    with pytest.raises(ConfigError, match=r"other settings.*task_lists mine, now set up otherwise"):
        run(config(tmp_path, "r", tasks="mine"))


def test_a_list_combines_with_tags_and_other_tasks(world: World) -> None:
    tasks = world.tasks()
    bargains = [task for task in tasks if "bargain" in task.tags]
    other = next(task for task in tasks if "bargain" not in task.tags)
    save_list(the_list(world, "mine", (bargains[0].id, other.id)))
    assert select_tasks("sotopia", world, "mine + bargain", None) == (bargains[0],)
    both = select_tasks("sotopia", world, f"mine, {bargains[1].id}", None)
    assert {task.id for task in both} == {bargains[0].id, bargains[1].id, other.id}
    assert len(select_tasks("sotopia", world, "mine", 1)) == 1


def test_a_list_for_other_data_names_the_tasks_that_are_missing(world: World) -> None:
    ids = (world.tasks()[0].id, *(f"gone-{i}" for i in range(6)))
    save_list(the_list(world, "old", ids, hash_="ffff"))
    with pytest.raises(
        ConfigError,
        match=r"6 of its 7 tasks are missing: gone-0, gone-1, gone-2, gone-3 and 2 more",
    ):
        select_tasks("sotopia", world, "old", None)
    save_list(the_list(world, "old", ids[:1], hash_="ffff"))
    with pytest.raises(ConfigError, match="the same ids, which may not be the same tasks"):
        select_tasks("sotopia", world, "old", None)


def test_a_list_is_not_called_like_a_task_or_tag(world: World) -> None:
    tasks = world.tasks()
    for name in (tasks[0].id, tasks[0].tags[0], "public-hard"):
        with pytest.raises(ConfigError, match="is already a task or tag"):
            check_name("sotopia", name, tasks, replace=True)
    for name in ("", "a,b", "a+b", "scenario=x", "../x", ".x"):
        with pytest.raises(ConfigError, match="name of a task list has 1 to 80"):
            check_name("sotopia", name, tasks, replace=True)


def test_a_name_that_became_a_tag_since_is_refused_rather_than_guessed(world: World) -> None:
    save_list(the_list(world, world.tasks()[0].tags[0], (world.tasks()[0].id,)))
    with pytest.raises(ConfigError, match="stored task list and also a task or tag"):
        select_tasks("sotopia", world, world.tasks()[0].tags[0], None)


def test_a_list_is_replaced_only_if_asked(tmp_path: Path) -> None:
    _, path = hard_tasks(tmp_path)
    before = path.read_bytes()
    with pytest.raises(ConfigError, match=r"there is a task list .*--replace"):
        hard_tasks(tmp_path)
    hard_tasks(tmp_path, replace=True)
    assert path.read_bytes() == before


def test_nothing_is_stored_where_nothing_was_found(tmp_path: Path, home: Path) -> None:
    run(config(tmp_path, "first", limit=1, judges=BY_WORDS))
    spec = HardSpec(("first",), "nobody", "hard-x", measure="believability")
    with (
        Store.open(tmp_path / "s.db") as store,
        pytest.raises(ConfigError, match='"nobody" has no score here'),
    ):
        choose_hard(store, spec)
    assert not home.exists()


def test_a_file_that_is_no_list_is_told_by_its_path(home: Path, world: World) -> None:
    path = home / "tasks" / "sotopia" / "broken.json"
    path.parent.mkdir(parents=True)
    path.write_text("{}", "utf-8")
    with pytest.raises(ConfigError, match=r"broken\.json is no task list: name is missing"):
        select_tasks("sotopia", world, "broken", None)


def test_an_agent_of_which_nothing_could_be_scored_is_told_what_to_do(tmp_path: Path) -> None:
    """Of a bargain of a scripted player with a class that reads nothing nobody can tell."""
    run(config(tmp_path, "first", agents=("scripted", CURT), tasks="bargain", limit=2))
    spec = HardSpec(("first",), CURT, "hard-x")
    with (
        Store.open(tmp_path / "s.db") as store,
        pytest.raises(
            ConfigError,
            match=r'".*Parrot" has no score here; agents with scores: scripted.* --reader endpoint',
        ),
    ):
        choose_hard(store, spec)
