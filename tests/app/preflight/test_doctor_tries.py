"""The doctor plays an episode with somebody's agent, and says in a sentence what is wrong."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import ClassVar

import pytest

from sociolab.app import Diagnosis, examine
from sociolab.core import (
    Action,
    ActionSpace,
    ConfigError,
    Episode,
    Json,
    JudgeId,
    Measure,
    Moved,
    NoReply,
    Question,
    Reply,
    Request,
    Score,
    Verdict,
)
from sociolab.plugin import EndpointAccess
from sociolab.town import Said, ScriptedMind, Utter

HERE = f"python:{__name__}"
asked, never = threading.Event(), threading.Event()


class Speaks:
    """Plays wherever one speaks, and answers no questions."""

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        if isinstance(request.expected, Question):
            return NoReply("gave up", "no answers here", again=False)
        return Reply((Action("speak", "Well."),))


class Text:
    """Replies with a text."""

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        return "hello"  # type: ignore[return-value]


class Raises:
    """Breaks."""

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        raise KeyError("key")


class Unheard:
    """Does what nobody may do."""

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        return Reply((Action("fly", "away"),))


class Remembers:
    """Has a memory that cannot be kept."""

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        return Reply((Action("speak", "Well."),), memory={"it": object()})  # type: ignore[dict-item]


class Waits:
    """Never replies."""

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        await asyncio.Event().wait()
        raise AssertionError


class Blocks:
    """Never replies, and lets nobody else on."""

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        asked.set()
        never.wait()
        raise AssertionError


class Sleeps(Speaks):
    """Keeps everybody else waiting at each turn."""

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        time.sleep(0.11)  # noqa: ASYNC251
        return await super().reply(request, memory)


class Plain:
    """Is no coroutine."""

    def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        assert isinstance(request.expected, ActionSpace)
        return Reply((Action("speak", "Well."),))


class Counts:
    """A judge."""

    id: ClassVar[JudgeId] = JudgeId("counts", "rules")

    async def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
        turns = sum(isinstance(event, Moved) for event in episode.events)
        return (Score(Measure("turns", 0, 99), None, turns),)


class SaysNothing(Counts):
    """A judge without verdicts."""

    async def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
        return ()


class JudgeRaises(Counts):
    """A judge that breaks."""

    async def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
        raise KeyError("key")


class JudgeWaits(Counts):
    """A judge that never says anything."""

    async def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
        await asyncio.Event().wait()
        raise AssertionError


class WrongWords(ScriptedMind):
    """A mind whose words are of no type."""

    async def utter(self, question: Utter) -> Said:
        return {"text": "hi"}  # type: ignore[return-value]


def looked_at(name: str, world: str = "sotopia") -> Diagnosis:
    found = examine(f"{HERE}:{name}", EndpointAccess(), world)
    assert "\n" not in found.sentence
    return found


@pytest.mark.parametrize(
    ("name", "world"),
    [
        ("Speaks", "sotopia"),
        ("Speaks", "anteval-intention"),
        ("Counts", "sotopia"),
        ("Counts", "anteval-information"),
    ],
)
def test_what_works_says_what_it_did(name: str, world: str) -> None:
    found = looked_at(name, world)
    assert found.well, found.sentence
    assert f"in {world}" in found.sentence or f"of {world}" in found.sentence


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Text", "expected a Reply or a NoReply, found 'hello'"),
        ("Raises", "KeyError: 'key' (test_doctor_tries.py, line {raises}, in reply)"),
        ("Unheard", '"fly" is no kind of action here; choose one of: speak'),
        ("Remembers", "expected a memory of JSON"),
        ("SaysNothing", "gave no score"),
        ("JudgeRaises", "KeyError: 'key' (test_doctor_tries.py, line"),
    ],
)
def test_what_is_wrong_is_said_with_the_line(name: str, said: str) -> None:
    found = looked_at(name)
    assert not found.well
    raises = Raises.reply.__code__.co_firstlineno + 1
    assert said.format(raises=raises) in found.sentence


def test_a_question_that_stays_open_is_told() -> None:
    found = looked_at("Speaks", "anteval-information")
    assert not found.well
    assert 'the question "learned" (gave up): no answers here' in found.sentence


def test_a_mind_is_tried_in_a_talk() -> None:
    found = looked_at("WrongWords", "stss-talk")
    assert not found.well
    assert "expected a Said" in found.sentence


@pytest.mark.parametrize("name", ["Waits", "JudgeWaits"])
def test_who_does_not_reply_in_time_hangs(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sociolab.app.preflight.doctor.PATIENCE", 0.05)
    found = looked_at(name)
    assert not found.well
    assert "0.05 s" in found.sentence


def test_who_hangs_without_awaiting_is_left_behind_with_the_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sociolab.app.preflight.doctor._wait", lambda thread: asked.wait(60))
    found = looked_at("Blocks")
    never.set()
    assert not found.well
    assert "hangs: nothing came for 30 s (test_doctor_tries.py, line" in found.sentence
    assert "in reply)" in found.sentence


def test_the_tasks_to_try_are_named_and_an_optional_question_may_stay_unanswered() -> None:
    """A bargain ends with a closing question; the first task of all has none."""
    assert "closing" not in looked_at("Speaks").sentence
    found = examine(f"{HERE}:Speaks", EndpointAccess(), tasks="bargain")
    assert found.well
    assert found.sentence.endswith(
        'in sotopia, and left the question "closing" unanswered: no answers here'
    )


def test_what_works_but_lets_nobody_else_on_is_told_to_await() -> None:
    found = looked_at("Sleeps")
    assert found.well
    assert f"But {HERE}:Sleeps held up all other episodes" in found.sentence
    assert "use an asynchronous client" in found.sentence
    assert "held up" not in looked_at("Speaks").sentence


def test_what_is_no_coroutine_is_refused() -> None:
    with pytest.raises(ConfigError, match="reply is not async"):
        looked_at("Plain")


def test_a_world_without_turns_is_refused() -> None:
    with pytest.raises(ConfigError, match="expected a world of turns"):
        looked_at("Speaks", "stss")


def test_rules_and_people_are_well() -> None:
    assert examine("scripted", EndpointAccess()).well
    assert examine("human", EndpointAccess()).well
