from __future__ import annotations

import asyncio

from pydantic import BaseModel

from play_studies import request_of
from sociolab.agents import SeatedPlayer
from sociolab.core import Action, NoReply, Question, Reply

WORDS = (Action("speak", "Hello."),)


def test_a_person_is_asked_and_the_answer_is_the_reply() -> None:
    async def play() -> None:
        told: list[str] = []
        player = SeatedPlayer(60, lambda: told.append("asked"))
        assert not player.answer(WORDS)
        reply = asyncio.create_task(player.reply(request_of(), 1))
        await asyncio.sleep(0)
        assert player.pending is not None
        assert player.pending.request == request_of()
        assert told == ["asked"]
        assert player.answer(WORDS)
        assert not player.answer(WORDS)  # one answer is enough
        assert await reply == Reply(WORDS)  # and the missed turn is forgotten
        assert player.pending is None

    asyncio.run(play())


def test_a_turn_without_an_answer_is_a_failed_one_and_is_counted() -> None:
    async def play() -> None:
        player = SeatedPlayer(0, lambda: None)
        reply = await player.reply(request_of(), 1)
        assert isinstance(reply, NoReply)
        assert (reply.cause, reply.again, reply.memory) == ("timeout", False, 2)
        assert player.pending is None

    asyncio.run(play())


def test_who_declines_to_answer_is_not_waited_for() -> None:
    async def play() -> None:
        player = SeatedPlayer(60, lambda: None)
        question = Question("closing", "What came of it?", BaseModel, optional=True)
        reply = asyncio.create_task(player.reply(request_of(question), 1))
        await asyncio.sleep(0)
        declined = NoReply("gave up", "the person skipped the question", again=False)
        assert player.answer(declined)
        assert await reply == declined

    asyncio.run(play())
