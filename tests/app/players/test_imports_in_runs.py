"""Who edits a module beside an agent has another agent; runs from before that counted go on."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import pytest

from own_code import JUDGE, Write, writer
from sociolab import RunConfig, judge_run, open_store, run
from sociolab.app.players import source_code
from sociolab.core.errors import ConfigError

AGENT = """
from {near} import WORDS
from sociolab.core.episode import Action
from sociolab.core.ports import Reply


class Mine:
    async def reply(self, request, memory):
        if len(request.observation.history) > 2:
            return Reply((Action("leave"),))
        return Reply((Action("speak", WORDS),))
"""
JUDGES = "from {near} import MORE\n" + JUDGE.format(more="MORE")


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    monkeypatch.syspath_prepend(tmp_path)
    return writer(tmp_path)


Before = Callable[[], None]


@pytest.fixture
def before(monkeypatch: pytest.MonkeyPatch) -> Before:
    """Until it is called, imports do not count, as in an older version."""
    monkeypatch.setattr(source_code, "imported_code", lambda roots: {})
    monkeypatch.setattr(source_code, "_read", WeakKeyDictionary())

    def over() -> None:
        monkeypatch.undo()

    return over


def played(folder: Path, **more: Any) -> Any:
    importlib.invalidate_caches()
    given = {"limit": 1, "partner": "scripted", "store": folder / "s.db", "name": "a", **more}
    return run(RunConfig.model_validate(given))


def test_a_run_does_not_go_on_after_an_edit_of_what_the_agent_imports(
    write: Write, tmp_path: Path
) -> None:
    write("near_a", "WORDS = 'Hello.'\n")
    spec = f"{write('agent_i', AGENT.format(near='near_a'))}:Mine"
    played(tmp_path, agents=(spec,))
    assert played(tmp_path, agents=(spec,)).played == 2
    write("near_a", "WORDS = 'Go away.'\n")
    write("agent_i", AGENT.format(near="near_a"))
    with pytest.raises(ConfigError, match=f"the code of {spec} is another one by now"):
        played(tmp_path, agents=(spec,))


def test_a_run_from_before_imports_counted_goes_on_and_nothing_is_judged_again(
    write: Write, tmp_path: Path, before: Before
) -> None:
    write("near_b", "WORDS, MORE = 'Hello.', 1\n")
    spec = f"{write('agent_j', AGENT.format(near='near_b'))}:Mine"
    judge = f"{write('judge_j', JUDGES.format(near='near_b'))}:Judge"
    played(tmp_path, agents=(spec,), judges=(judge,))
    before()
    with pytest.MonkeyPatch.context() as again:
        again.syspath_prepend(tmp_path)
        for name in ("near_b", "agent_j", "judge_j"):
            write(name, (tmp_path / f"{name}.py").read_text("utf-8"))
        result = played(tmp_path, agents=(spec,), judges=(judge,))
        assert [one.judge for one in result.judges].count("mine") == 1
        once_more = RunConfig(judges=(judge,), store=tmp_path / "s.db")
        judge_run("a", once_more, repeats=1)
        with open_store(tmp_path / "s.db") as store:
            assert len([one for one in store.verdicts.judges("a") if one.name == "mine"]) == 1
        write("agent_j", AGENT.format(near="near_b") + "\n# edited\n")
        with pytest.raises(ConfigError, match=f"the code of {spec} is another one by now"):
            played(tmp_path, agents=(spec,), judges=(judge,))
