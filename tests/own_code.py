"""Modules of agents and judges as a user writes them: imported anew after each edit."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

AGENT = """
from sociolab.core.episode import Action
from sociolab.core.ports import Reply


class Mine:
    async def reply(self, request, memory):
        if len(request.observation.history) > 2:
            return Reply((Action("leave"),))
        return Reply((Action("speak", "{words}"),))
"""

JUDGE = """
from sociolab.core.score import JudgeId, Measure, Score

class Judge:
    id = JudgeId("mine", "rules", "1")

    async def judge(self, episode, judging=0):
        return [Score(Measure("length", 0, 99), None, len(episode.events) + {more})]
"""

Write = Callable[..., str]
"""Writes a module of this name and text; the spec prefix "python:NAME"."""


def writer(folder: Path) -> Write:
    """Writes modules into a folder that is on the path."""

    def write(name: str, text: str) -> str:
        (folder / f"{name}.py").write_text(text, "utf-8")
        sys.modules.pop(name, None)
        # An edit within one second may leave the file's size and time as they were.
        for kept in folder.glob(f"__pycache__/{name}.*"):
            kept.unlink()
        return f"python:{name}"

    return write
