"""A run in a TOML file: what a person writes is taken, and what was called is written."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from sociolab import RunConfig
from sociolab.app import config_of, read_run, write_run
from sociolab.app.run.config import merge_flags, run_toml
from sociolab.core import ConfigError


def file(tmp_path: Path, text: str) -> Path:
    made = tmp_path / "run.toml"
    made.write_text(text, "utf-8")
    return made


def config(tmp_path: Path, text: str) -> RunConfig:
    return merge_flags(file(tmp_path, text), {})[0]


def test_numbers_and_booleans_are_taken_where_words_are_meant(tmp_path: Path) -> None:
    text = "name = 2026-01-31\ndata = 7\n[settings]\nturns = 10\nstep = 0.5\ntdp = true\n"
    found = config(tmp_path, text)
    assert (found.name, found.data) == ("2026-01-31", "7")
    assert found.settings == {"turns": "10", "step": "0.5", "tdp": "true"}


def test_one_name_is_taken_where_several_are_meant_and_a_list_of_tasks(tmp_path: Path) -> None:
    found = config(tmp_path, 'agents = "a"\njudges = "b"\ntags = "c"\ntasks = ["x", "y"]\n')
    assert (found.agents, found.judges, found.tags) == (("a",), ("b",), ("c",))
    assert found.tasks == "x,y"


def test_the_same_is_taken_from_python() -> None:
    found = RunConfig.model_validate({"agents": "a", "settings": {"turns": 10}})
    assert (found.agents, found.settings) == (("a",), {"turns": "10"})


def test_the_flags_own_spelling_is_taken(tmp_path: Path) -> None:
    text = (
        'agent = ["a"]\njudge = "b"\nbackground = "p"\nin-flight = 3\non-failed-turn = "stop"\n'
        'base-url = "http://x/v1"\ntag = "t"\ntdp = true\n[set]\nturns = 4\n'
    )
    found = config(tmp_path, text)
    assert (found.agents, found.judges, found.partner) == (("a",), ("b",), "p")
    assert (found.in_flight, found.on_failed_turn, found.base_url) == (3, "stop", "http://x/v1")
    assert (found.tags, found.settings) == (("t",), {"turns": "4", "tdp": "true"})


def test_two_spellings_of_one_field_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r'run.toml: "agents" gives "agents" a second time'):
        read_run(file(tmp_path, 'agent = "a"\nagents = "b"\n'))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("agnets = 1", 'unknown field "agnets" .did you mean agents'),
        ("on-failed = 1", "did you mean on_failed_turn"),
        (
            "xyzzy = 1",
            "expected one of .*world, tasks, seed, judges, readers, exam, agents, partner",
        ),
        ("[settings]\nx = [1]", r"settings\.x: expected a string, found \[1\]"),
        ("agents = []", "agents: "),
        ("tasks = [1]", "tasks: "),
    ],
)
def test_what_is_wrong_is_named_with_what_is_near(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ConfigError, match=rf"run\.toml: .*{said}"):
        config(tmp_path, text)


def test_flags_win_over_the_file_and_what_they_change_is_said(tmp_path: Path) -> None:
    text = 'agents = ["a", "b"]\nlimit = 5\nseed = 1\n[settings]\nturns = 10\nstep = 2\n'
    flags = {"limit": 2, "seed": 1, "agents": ["c"], "settings": {"turns": "8"}, "name": "n"}
    found, remarks = merge_flags(file(tmp_path, text), flags)
    assert (found.limit, found.agents, found.name) == (2, ("c",), "n")
    assert found.settings == {"turns": "8", "step": "2"}
    (said,) = remarks
    assert said.startswith("flags beside ")
    assert "agents c instead of a, b" in said
    assert "limit 2 instead of 5" in said
    assert "settings turns=8, step=2 instead of turns=10, step=2" in said
    assert "seed" not in said
    assert "name" not in said


def test_flags_that_change_nothing_are_not_spoken_of(tmp_path: Path) -> None:
    assert merge_flags(file(tmp_path, "limit = 5"), {"limit": 5, "name": "x"})[1] == ()
    assert merge_flags(None, {"limit": 5})[1] == ()


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@given(
    settings=st.dictionaries(TEXTS, TEXTS, max_size=3),
    agents=st.lists(TEXTS, min_size=1, max_size=3, unique=True),
    budget=st.none() | st.floats(min_value=0),
    limit=st.none() | st.integers(1, 10**6),
    tasks=st.none() | TEXTS,
)
def test_what_is_written_reads_back_as_the_same(
    tmp_path_factory: pytest.TempPathFactory, **fields: object
) -> None:
    wanted = config_of(fields, "test")
    made = tmp_path_factory.mktemp("toml") / "run.toml"
    write_run(made, wanted)
    assert merge_flags(made, {})[0] == wanted


def test_only_what_was_given_is_written(tmp_path: Path) -> None:
    given_ = config_of({"world": "stss", "seed": 3, "store": tmp_path / "s.db"}, "test")
    lines = run_toml(given_).splitlines()
    assert lines[1:] == ['world = "stss"', "seed = 3", f'store = "{tmp_path / "s.db"}"']


def test_no_key_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAB_API_KEY", "kept-in-the-drawer-9182")
    text = run_toml(
        RunConfig(
            agents=("lab/x?user=kept-in-the-drawer-9182",),
            base_url="http://ann:hush-hush-4711@127.0.0.1:8/v1",
            key_env="LAB_API_KEY",
        )
    )
    assert "drawer" not in text
    assert "hush" not in text
    assert 'key_env = "LAB_API_KEY"' in text


def test_a_file_that_is_there_is_left_alone(tmp_path: Path) -> None:
    made = file(tmp_path, "mine")
    with pytest.raises(ConfigError, match=r"--write-file: .* is there already"):
        write_run(made, RunConfig())
    assert made.read_text("utf-8") == "mine"
