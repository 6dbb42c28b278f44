"""A world that has models fill in forms of actions has their wording in its hash, and no other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sociolab.agents import NoReply, Reply, Request
from sociolab.app import load_world
from sociolab.core import ActionSpace, Json
from sociolab.prompting.sets import PromptFile
from sociolab.testing import play_task

CASE = {
    "name": "picnic",
    "description": "Where do you go?",
    "shared_information": ["The park has a lake."],
    "hidden_information": ["The park is closed.", "The hill has tables."],
    "possible_answers": ["Park", "Hill"],
    "correct_answer": "Hill",
}


class Mute:
    """Keeps what it may do, and does nothing."""

    def __init__(self) -> None:
        self.spaces: list[ActionSpace] = []

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        if isinstance(request.expected, ActionSpace):
            self.spaces.append(request.expected)
        return NoReply("unreadable", "no reply")


@pytest.mark.parametrize(
    ("world", "data", "settings", "asks"),
    [
        ("sotopia", False, {}, False),
        ("anteval-information", False, {"sessions": "1", "turns": "4"}, False),
        ("anteval-intention", False, {"sessions": "1", "turns": "4"}, False),
        ("anteval-intention", False, {"sessions": "1", "turns": "4", "marks": "true"}, True),
        ("anteval-decision", False, {"cases": "1", "rounds": "1"}, False),
        ("anteval-decision", True, {"rounds": "1"}, True),
        ("stss-talk", False, {}, False),
    ],
)
def test_the_wording_of_forms_is_in_the_hash_where_they_are_asked(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    world: str,
    data: bool,
    settings: dict[str, str],
    asks: bool,
) -> None:
    (tmp_path / "tasks.json").write_text(json.dumps([CASE]), "utf-8")
    folder = str(tmp_path) if data else None
    played = load_world(world, folder, settings=settings).world
    task, mute = played.tasks()[0], Mute()
    play_task(played, task, dict.fromkeys(task.seats, mute))
    kinds = [kind for space in mute.spaces for kind in space.kinds]
    assert any(kind.fields or kind.recipients != "optional" for kind in kinds) == asks
    before, own = played.data.hash, vars(PromptFile)["hash"]
    other = property(lambda file: "other" if file.name == "fields" else own.fget(file))
    monkeypatch.setattr(PromptFile, "hash", other)
    assert (load_world(world, folder, settings=settings).world.data.hash != before) == asks
