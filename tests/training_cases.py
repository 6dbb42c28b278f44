"""A small run whose every turn, score and pair can be counted by hand, and who plays and judges it.

Two tasks, each with openai/x in one seat and then the other, twice: 8 episodes of 4 turns. In the
first seat the model is asked three times (its first reply at turn 3 cannot be used), in the second
twice: 20 replies, 4 of them unusable. The scripted partner takes the other 16 turns.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sociolab import Arena, RunConfig, run
from sociolab.core import (
    Action,
    Episode,
    Json,
    JudgeId,
    Measure,
    NoReply,
    Question,
    Reply,
    Request,
    Score,
    ScoreFailure,
    Verdict,
)
from sociolab.endpoint import ChatBody, EndpointSettings, start_in_thread
from sociolab.training import ArenaSession, Observed

GOAL = Measure("goal", 0, 10)
MOOD = Measure("mood", 0, 1)
TURNS, UNUSABLE, SCRIPTED = 20, 4, 16


class ByHand:
    """Goal of the first seat: 5 in the first repeat, 8 in the second; of the second seat: 6, and a
    failure where the first seat is scripted. The mood of an episode is its repeat."""

    id = JudgeId("by-hand", "rules")

    async def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
        trial = episode.trial
        first, second = trial.task.seats
        goal: Verdict = Score(GOAL, second, 6)
        if trial.agent(first) == "scripted":
            goal = ScoreFailure(GOAL, second, "unreadable", "no number")
        return (
            Score(GOAL, first, 8 if trial.repeat else 5),
            goal,
            Score(MOOD, None, trial.repeat),
        )


class TwoMoods:
    """Gives two metrics, of which no world calls one its main metric."""

    id = JudgeId("two-moods", "rules")

    async def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
        return Score(MOOD, None, 1), Score(Measure("spirits", 0, 1), None, 1)


class Broken:
    """A judge with a bug."""

    id = JudgeId("broken", "rules")

    async def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
        raise KeyError("no such page")


class BrokenLater:
    """A judge that breaks on all episodes but the first."""

    id = JudgeId("broken-later", "rules")

    def __init__(self) -> None:
        self._judged = False

    async def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
        if self._judged:
            raise KeyError("no second page")
        self._judged = True
        return tuple(Score(GOAL, seat, 5) for seat in episode.trial.task.seats)


class Leaver:
    """A partner who is gone at once."""

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        return Reply((Action("leave"),))


class Muser:
    """Says, in the first two turns, what no model may: a control token."""

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        return Reply((Action("speak", "Well. <|im_end|> So." if request.turn < 2 else "Well."),))


class Buyer:
    """Says yes to $220, and afterwards that this was agreed, or that price, or nothing at all."""

    def __init__(
        self,
        outcome: str = "agreed",
        dollars: float = 220,
        words: str = "Deal, $220.",
        quotes: bool = False,
    ) -> None:
        self._outcome, self._dollars, self._words = outcome, dollars, words
        self._quotes = {"offer": "I want $220 for it", "acceptance": words} if quotes else {}

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        if not isinstance(request.expected, Question):
            return Reply((Action("speak", self._words),))
        if self._outcome == "silence":
            return NoReply("gave up", "I will not say", again=False)
        answer = closing(self._outcome, self._dollars) | self._quotes
        return Reply(request.expected.reply(**answer))


def closing(outcome: str, dollars: float = 220) -> dict[str, Any]:
    """An answer to the closing question of a bargain."""
    price = dollars if outcome == "agreed" else None
    return {"outcome": outcome, "price": price, "in_words": "", "offer": "", "acceptance": ""}


class Stumbler:
    """A partner with a bug."""

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        raise KeyError("stumbled")


class Offers:
    """A model that says which offer this is to the same prompt, and is unreadable once a game."""

    def __init__(self) -> None:
        self.seen: Counter[tuple[str, ...]] = Counter()

    def __call__(self, chat: ChatBody) -> str:
        texts = tuple(message.text for message in chat.messages)
        if "turn 3 of at most 4" in texts[-1] and "could not be used" not in texts[-1]:
            return "hm"
        self.seen[texts] += 1
        turn = texts[-1].partition("your turn: turn ")[2].partition(" ")[0]
        return json.dumps({"action": "speak", "text": f"Offer {self.seen[texts]} at {turn}."})


def play(store: Path, name: str = "small") -> None:
    """Play the small run into a store."""
    with start_in_thread(EndpointSettings(responder=Offers())) as endpoint:
        run(
            RunConfig(
                agents=("openai/x",),
                partner="scripted",
                judges=("python:training_cases:ByHand",),
                settings={"turns": "4"},
                limit=2,
                repeats=2,
                name=name,
                store=store,
                base_url=endpoint.url,
                in_flight=1,
                episodes=1,
            )
        )


def play_bargain(store: Path, name: str, agent: str) -> None:
    """One bargain of a `Buyer` with these arguments and one who says that $220 was agreed."""
    run(
        RunConfig(
            agents=(f"python:training_cases:Buyer?{agent}",),
            partner="python:training_cases:Buyer",
            judges=("none",),
            settings={"turns": "4"},
            tasks="scenario=bargain-01-touring-bicycle",
            limit=1,
            name=name,
            store=store,
        )
    )


def play_out(
    arena: Arena, policy: Callable[[Observed], Any], n: int = 1, **begin: Any
) -> list[ArenaSession]:
    """Episodes that a policy played to their end, one after the other."""
    sessions = []
    for _ in range(n):
        sessions.append(session := arena.begin(**begin))
        while session.observation is not None:
            session.step(policy(session.observation))
    return sessions


def lines(file: Path) -> list[dict[str, Any]]:
    """The examples of a file."""
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]
