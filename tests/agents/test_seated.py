from __future__ import annotations

import asyncio

from play_studies import request_of
from sociolab.agents.seated import SeatedPlayer
from sociolab.core.episode import Action
from sociolab.core.ports import NoReply, Reply

WORDS = (Action("speak", "Hello."),)


def test_a_person_is_asked_and_the_answer_is_the_reply() -> None:
    async def play() -> None:
        told: list[str] = []
        player = SeatedPlayer(60, lambda: told.append("asked"))
        assert not player.answer(WORDS)
        reply = asyncio.create_task(player.reply(request_of(), 1))
        await asyncio.sleep(0)
        assert player.asked is not None
        assert player.asked.request == request_of()
        assert told == ["asked"]
        assert player.answer(WORDS)
        assert not player.answer(WORDS)  # one answer is enough
        assert await reply == Reply(WORDS)  # and the missed turn is forgotten
        assert player.asked is None

    asyncio.run(play())


def test_a_turn_without_an_answer_is_a_failed_one_and_is_counted() -> None:
    async def play() -> None:
        player = SeatedPlayer(0, lambda: None)
        reply = await player.reply(request_of(), 1)
        assert isinstance(reply, NoReply)
        assert (reply.cause, reply.again, reply.memory) == ("timeout", False, 2)
        assert player.asked is None

    asyncio.run(play())
