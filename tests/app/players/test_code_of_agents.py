"""The code of a class is a part of who an agent or a judge is: a run does not go on with other."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from own_code import AGENT, JUDGE, Write, writer
from sociolab import RunConfig, open_store, run
from sociolab.app import Casting, Models, load_world
from sociolab.core import Agent, ConfigError, DataId, Task
from sociolab.models import Budget, NullReplyStore
from sociolab.runner import plan_trials


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    monkeypatch.syspath_prepend(tmp_path)
    return writer(tmp_path)


def played(folder: Path, **more: Any) -> Any:
    importlib.invalidate_caches()
    given = {"limit": 1, "partner": "scripted", "store": folder / "s.db", "name": "a", **more}
    return run(RunConfig.model_validate(given))


def agent_id(text: str) -> Agent:
    importlib.invalidate_caches()
    casting = Casting(load_world("sotopia"), Models(RunConfig()), NullReplyStore(), Budget())
    return casting.agent(text, "agent").id


def test_the_trials_of_agents_that_are_no_python_classes_have_the_ids_that_they_had() -> None:
    task = Task("t1", ("ann", "bob"), "scene", "{}", ())
    found = plan_trials(
        "sotopia", DataId("by-hand", "1", "h1"), [task], [agent_id("scripted")], None,
        repeats=2, seed=7,
    )  # fmt: skip
    assert agent_id("scripted").settings == "96d1f267425c84db"
    assert [one.id for one in found] == ["7c48d230483a426f", "7aa04803cf41fa76"]


def test_an_edit_makes_another_agent_of_the_same_label(write: Write) -> None:
    write("edit_a", AGENT.format(words="Hello."))
    first = agent_id("python:edit_a:Mine")
    write("edit_a", AGENT.format(words="Hello."))
    assert agent_id("python:edit_a:Mine") == first
    write("edit_a", AGENT.format(words="Go away."))
    second = agent_id("python:edit_a:Mine")
    assert second.label == first.label
    assert second.settings == first.settings
    assert second.code != first.code


def test_a_run_does_not_go_on_with_other_code(write: Write, tmp_path: Path) -> None:
    spec = write("edit_b", AGENT.format(words="Hello."))
    assert played(tmp_path, agents=(f"{spec}:Mine",)).played == 2
    assert played(tmp_path, agents=(f"{spec}:Mine",)).played == 2
    write("edit_b", AGENT.format(words="Go away."))
    with pytest.raises(ConfigError) as caught:
        played(tmp_path, agents=(f"{spec}:Mine",))
    said = str(caught.value)
    assert "the code of python:edit_b:Mine is another one by now" in said
    assert "2 of its 2 trials played;" in said
    assert "another --name" in said
    assert "sociolab delete a" in said
    assert "\n" not in said


def test_nor_with_another_judge_s_code(write: Write, tmp_path: Path) -> None:
    judge = write("edit_c", JUDGE.format(more=0))
    played(tmp_path, judges=(f"{judge}:Judge",))
    write("edit_c", JUDGE.format(more=1))
    with pytest.raises(ConfigError, match="the code of the judge mine is another one by now"):
        played(tmp_path, judges=(f"{judge}:Judge",))


def test_an_edited_judge_is_another_judge(write: Write, tmp_path: Path) -> None:
    judge = write("edit_d", JUDGE.format(more=0))
    played(tmp_path, judges=(f"{judge}:Judge",))
    write("edit_d", JUDGE.format(more=1))
    played(tmp_path, judges=(f"{judge}:Judge",), name="b")
    with open_store(tmp_path / "s.db") as store:
        ids = {
            one.code for name in "ab" for one in store.verdicts.counts(name)
            if one.name == "mine"
        }  # fmt: skip
    assert len(ids) == 2


def test_the_code_is_known(write: Write) -> None:
    write("edit_e", AGENT.format(words="Hello."))
    found = agent_id("python:edit_e:Mine")
    assert found.code not in (None, "unknown code")


class HoldsAClient:
    """What an agent of a script makes for itself is no part of its code."""

    def __init__(self) -> None:
        self.client = object()

    async def reply(self, request: object, memory: object) -> None: ...


def test_what_a_class_makes_for_itself_does_not_make_its_code_unknown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    main = ModuleType("__main__")
    main.__file__ = __file__
    main.HoldsAClient = HoldsAClient  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "__main__", main)
    monkeypatch.setattr(HoldsAClient, "__module__", "__main__")
    found = agent_id("python:__main__:HoldsAClient")
    assert found.code not in (None, "unknown code")


BREAKS = """
class Breaks:
    def __init__(self):
        raise RuntimeError("no GPU")

class Plain:
    id = "mine"
    def reply(self, request, memory): ...
    def judge(self, episode, judging=0): ...

class NoId:
    async def judge(self, episode, judging=0): ...
"""


@pytest.mark.parametrize(
    ("role", "name", "said"),
    [
        ("agents", "Breaks", r"cannot be made: RuntimeError: no GPU \(breaks_f.py, line 4, in __i"),
        ("agents", "Plain", 'reply is not async: expected "async def reply'),
        ("agents", "Gone", 'has no "Gone"'),
        ("judges", "Plain", "expected id = JudgeId"),
        ("judges", "NoId", 'no judge: expected a class with an "id"'),
        ("judges", "Breaks", "no GPU"),
    ],
)
def test_what_cannot_play_or_judge_is_refused_in_a_sentence(
    write: Write, tmp_path: Path, role: str, name: str, said: str
) -> None:
    spec = write("breaks_f", BREAKS)
    with pytest.raises(ConfigError, match=said) as caught:
        played(tmp_path, **{role: (f"{spec}:{name}",)})
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "s.db").exists()


@pytest.mark.parametrize(
    ("agent", "said"),
    [
        ("python:nowhere.near:A", 'there is no module "nowhere.near", neither in this folder'),
        ("python:breaks_f.Gone", 'did you mean "python:breaks_f:Gone"?'),
        ("python:breaks_f.py:Gone", 'leave out ".py": "python:breaks_f:Gone"'),
        ("breaks_f.py:Gone", 'for a class, write "python:breaks_f:Gone"; for a model, name its'),
        ("llama3:8b", '"llama3:8b"; for a model, name its endpoint: "openai/llama3:8b"'),
        (
            "python:needs_f:A",
            'the module "needs_f" breaks when it is imported: ModuleNotFoundError: No module named '
            "'nowhere' (needs_f.py, line 1",
        ),
    ],
)
def test_a_path_that_leads_to_no_class_is_refused_with_the_one_that_may_be_meant(
    write: Write, agent: str, said: str
) -> None:
    write("breaks_f", BREAKS)
    write("needs_f", "import nowhere\n")
    with pytest.raises(ConfigError) as caught:
        agent_id(agent)
    assert said in str(caught.value)


def test_the_judge_that_always_scores_needs_no_naming(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match='"outcome" scores every episode anyway; leave it out'):
        played(tmp_path, judges=("outcome",))


def test_a_module_that_breaks_when_it_is_imported_is_told_with_its_line(write: Write) -> None:
    write("broken_h", "x = 1\ny = {}['z']\n")
    with pytest.raises(ConfigError, match=r"KeyError: 'z' \(broken_h.py, line 2, in <module>\)"):
        agent_id("python:broken_h:A")
