"""Who edits a module beside an agent has another agent."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest

from own_code import Write, writer
from sociolab import RunConfig, run
from sociolab.core import ConfigError

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


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    monkeypatch.syspath_prepend(tmp_path)
    return writer(tmp_path)


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
