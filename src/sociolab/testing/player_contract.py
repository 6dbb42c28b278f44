"""What every player must keep to."""

# ruff: noqa: D102  a test is called by what it shows

from __future__ import annotations

import asyncio
import copy
import json
from collections.abc import Sequence

from pydantic import BaseModel

from sociolab.core.episode import Ended, Event, Json, Moved, Unusable
from sociolab.core.ports import NoReply, Player, Question, Reply, Request
from sociolab.engine.scene import FailurePolicy, Scene
from sociolab.testing.players import ODD_TEXTS, Heard, OddPlayer, Watched
from sociolab.testing.playing import play_scene
from sociolab.testing.stock import StockScene


class Opinion(BaseModel):
    """A question of several types at once."""

    agreed: bool
    confidence: int
    words: str


class PlayerContract:
    """Inherit and return your player; `scene` too, if it plays a world of its own.

    A player that needs more than one attempt (a model) raises `attempts`.
    """

    attempts = 1

    def player(self) -> Player:
        """A fresh player."""
        raise NotImplementedError

    def scene(self) -> Scene:
        """A small scene of at least two seats that this player can play."""
        return StockScene()

    def test_it_acts_in_every_turn(self) -> None:
        events = self._play(self.scene())
        _no_failed_turn(events)
        assert any(isinstance(event, Moved) for event in events), "somebody took a turn"
        assert isinstance(events[-1], Ended), "the episode came to its end"

    def test_it_leaves_the_request_as_it_was(self) -> None:
        changed: list[int] = []

        def compare(request: Request, heard: Heard) -> None:
            if request != heard.request:
                changed.append(request.turn)

        scene = self.scene()
        play_scene(scene, {seat: Watched(self.player(), compare) for seat in scene.seats})
        assert not changed, f"the request of turn {changed[0]} was changed"

    def test_its_memory_is_json(self) -> None:
        for heard in self._heard():
            memory = heard.reply.memory
            text = json.dumps(memory, allow_nan=False)
            assert json.loads(text) == memory, f"a memory that survives JSON; found {memory!r}"

    def test_a_request_and_a_memory_are_all_that_it_needs(self) -> None:
        player = self.player()
        for heard in self._heard():
            memory: Json = json.loads(json.dumps(heard.memory))
            for asked in (player, self.player()):
                reply = asyncio.run(asked.reply(copy.deepcopy(heard.request), memory))
                assert type(reply) is type(heard.reply), (
                    f"a {type(heard.reply).__name__} again at turn {heard.request.turn}, "
                    f"found {reply}"
                )

    def test_it_survives_an_odd_history(self) -> None:
        for seat in self.scene().seats:
            for first in range(0, len(ODD_TEXTS), 3):
                scene = self.scene()
                players: dict[str, Player] = dict.fromkeys(scene.seats, OddPlayer(first))
                policy = FailurePolicy(attempts=self.attempts)
                events = play_scene(scene, players | {seat: self.player()}, policy=policy)
                failed = [e for e in events if isinstance(e, Unusable) and e.final]
                assert not failed, f"usable replies to an odd history, found {failed[0]}"

    def test_it_takes_a_problem_and_tries_again(self) -> None:
        first = self._heard()[0]
        again = Request(
            first.request.trial,
            first.request.seed,
            first.request.seat,
            first.request.turn,
            2,
            first.request.wanted,
            first.request.observation,
            problem="expected a JSON object, found an empty reply",
        )
        reply = asyncio.run(self.player().reply(again, first.memory))
        assert isinstance(reply, Reply | NoReply), f"a Reply or a NoReply, found {reply!r}"

    def test_it_answers_a_question_or_says_that_it_cannot(self) -> None:
        first = self._heard()[0].request
        asked = Question("opinion", "Have you agreed, and how sure are you (0 to 10)?", Opinion)
        request = Request(
            first.trial, first.seed, first.seat, first.turn, 1, asked, first.observation
        )
        reply = asyncio.run(self.player().reply(request, None))
        if isinstance(reply, Reply):
            assert isinstance(reply.value, Opinion), f"an Opinion, found {reply.value!r}"
        else:
            assert isinstance(reply, NoReply), f"a Reply or a NoReply, found {reply!r}"
            assert reply.problem, "a NoReply says why"

    def _play(self, scene: Scene) -> tuple[Event, ...]:
        policy = FailurePolicy(attempts=self.attempts)
        players = {seat: self.player() for seat in scene.seats}
        return play_scene(scene, players, policy=policy)

    def _heard(self) -> Sequence[Heard]:
        """All that a player was asked in an episode, with its replies."""
        found: list[Heard] = []
        scene = self.scene()
        watched = {
            seat: Watched(self.player(), lambda _, heard: found.append(heard))
            for seat in scene.seats
        }
        play_scene(scene, watched)
        return found


def _no_failed_turn(events: Sequence[Event]) -> None:
    for event in events:
        assert not (isinstance(event, Unusable) and event.final), f"a valid turn, found {event}"
