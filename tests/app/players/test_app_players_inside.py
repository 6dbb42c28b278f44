"""Units that are worth a test alone, from inside: app/players."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest

from casts import agent
from own_code import Write, writer
from sociolab.app.players import own_code
from sociolab.app.players.models import PythonSpec, parse
from sociolab.app.players.own_code import keyword_arguments
from sociolab.app.run.session import check_same
from sociolab.core import Agent, ConfigError, JudgeId
from sociolab.core.metrics import UNDECLARED
from sociolab.runner import Waits
from sociolab.store.store import RunRow


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    monkeypatch.syspath_prepend(tmp_path)
    return writer(tmp_path)


def row(settings: Any, *agents: Agent) -> RunRow:
    return RunRow(
        "a", "sotopia", settings, UNDECLARED, "", 0.0, 0.0, planned=3, playing=0, played=2,
        failed=0, agents={one.label: one for one in agents},
    )  # fmt: skip


@pytest.mark.parametrize("was", ["unknown code", None])
@pytest.mark.parametrize("now", ["unknown code", "0" * 16])
def test_a_run_of_unknown_code_does_not_go_on(was: str | None, now: str) -> None:
    label = "python:x:Y"
    with pytest.raises(ConfigError, match=f"nobody can tell whether {label} runs the code") as e:
        check_same(row({}, agent(label, "s", was)), {}, [agent(label, "s", now)])
    assert "2 of its 5 trials" in str(e.value)


def test_two_judges_of_one_name_go_on_each_with_its_code() -> None:
    a, b, c = (JudgeId("mine", "rules", "s", code=it * 16).as_row() for it in "abc")
    both: dict[str, Any] = {"judges": [a, b]}
    check_same(row(both), dict(both))
    with pytest.raises(ConfigError, match="the code of the judge mine is another one by now"):
        check_same(row(both), {"judges": [a, c]})


def test_other_prompts_of_another_version_are_told_as_such() -> None:
    with pytest.raises(ConfigError, match="the prompts or the data are not those") as e:
        check_same(row({"data": ["town", "1", "h1"]}), {"data": ["town", "1", "h2"]})
    assert "2 of its 5 trials" in str(e.value)
    with pytest.raises(ConfigError, match="other settings"):
        check_same(row({"data": ["town", "1", "h1"]}), {"data": ["other", "1", "h2"]})


def test_other_settings_are_told_as_such() -> None:
    with pytest.raises(ConfigError, match="other settings"):
        check_same(row({"partner": ["python:x:Y", "s"]}), {"partner": ["python:x:Y", "t"]})


def test_runs_without_classes_go_on_as_ever() -> None:
    settings: dict[str, Any] = {
        "agents": [["scripted", "1"]],
        "partner": None,
        "judges": [JudgeId("rules", "rules", "2").as_row()],
    }
    check_same(row({**settings, "data_source": "there"}), {**settings, "data_source": None})


@pytest.mark.parametrize(
    ("method", "said"),
    [
        ("def judge(self, episode, judging=0): ...", "judge is not async"),
        ("async def judge(self, episode): ...", "found judge.episode."),
    ],
)
def test_a_judge_that_cannot_be_called_is_refused(write: Write, method: str, said: str) -> None:
    text = 'from sociolab.core.score import JudgeId\nclass J:\n    id = JudgeId("j", "rules")\n'
    write("calls_g", f"{text}    {method}\n")
    made = importlib.import_module("calls_g").J()
    with pytest.raises(ConfigError, match=said):
        own_code.own_judge("python:calls_g:J", made, "unknown code", 1.0, Waits())


@dataclass
class Settled:
    level: int
    share: float = 0.5
    name: str = "x"
    mood: Literal["glad", "grim"] = "glad"
    quiet: bool = False
    most: int | None = None
    places: tuple[str, ...] = ()


class Loose:
    def __init__(self, models, level=1, **more):  # type: ignore[no-untyped-def]
        pass


def arguments(text: str, made: object) -> dict[str, object]:
    spec = parse(f"python:m:C?{text}", "agent")
    assert isinstance(spec, PythonSpec)
    return keyword_arguments(spec, made)


def test_arguments_have_the_types_that_the_constructor_names() -> None:
    text = 'level=3&share=.2&name=7&mood=grim&quiet=true&most=5&places=["a","b"]'
    assert Settled(**arguments(text, Settled)) == Settled(  # type: ignore[arg-type]
        3, 0.2, "7", "grim", True, 5, ("a", "b")
    )


def test_without_a_type_a_number_is_a_number() -> None:
    found = arguments("level=.5&a=3&b=false&c=x&d=null&e=[1]", Loose)
    assert found == {"level": 0.5, "a": 3, "b": False, "c": "x", "d": "null", "e": "[1]"}


@pytest.mark.parametrize(
    ("text", "made", "said"),
    [
        ("heat=1", Settled, 'takes no "heat"; it takes level, share, name'),
        ("level=many", Settled, "level: .*whole number"),
        ("mood=odd", Settled, "mood: .*'glad' or 'grim'"),
        ("models=1", Loose, 'takes no "models"; it takes level'),
        ("level=1", Settled(1), "names an object, not a class"),
    ],
)
def test_arguments_that_do_not_fit_are_named(text: str, made: object, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        arguments(text, made)
