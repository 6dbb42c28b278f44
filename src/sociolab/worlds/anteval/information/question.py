"""What each player is asked when it is over, and for the controls before: what it learned."""

from __future__ import annotations

from functools import lru_cache

from pydantic import BaseModel, ConfigDict, Field
from pydantic.json_schema import SkipJsonSchema

from sociolab.core.episode import Answered, Episode, Unusable
from sociolab.core.ports import Question
from sociolab.engine.scene import Poll
from sociolab.prompting.templates import prompt
from sociolab.worlds.anteval.session import Session

LEARNED = "learned"
"""The question's name in requests and events."""


class Learned(BaseModel):
    """What a player says that it learned: one sentence each, none if it learned nothing.

    `ids` are for built-in scripted players: the fact that each sentence states, "" for none. They
    are asked of nobody, and count only where acts are on record (`scene.recorded`).
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    facts: list[str] = Field(description="a list of sentences, one for each thing")
    ids: SkipJsonSchema[list[str]] = Field(default=[], exclude_if=lambda ids: not ids)

    @property
    def text(self) -> str:
        """The answer as one text, in which it does not show how it was cut into sentences."""
        flat = (" ".join(sentence.split()) for sentence in self.facts)
        said = [sentence for sentence in flat if any(map(str.isalnum, sentence))]
        return " ".join(one if one[-1] in ".!?\"'" else f"{one}." for one in said)


def polls(session: Session, *, controls: bool, every: int) -> tuple[Poll, ...]:
    """When the players are asked: at the end, for the controls at 0, and every so many turns.

    Answers never enter the history; `every` 0 takes no snapshots.
    """
    seats = tuple(character.id for character in session.players)
    teller = session.npc.first_name
    times = {0} if controls else set()
    if every:
        times.update(snapshot_turns(session.turns, every))
    during = (Poll(at, seats, _question(teller, before=at == 0)) for at in sorted(times))
    return (*during, Poll(None, seats, _question(teller, before=False)))


def snapshot_turns(turns: int, every: int) -> tuple[int, ...]:
    """0, every, 2 every, ... and the last turn; none without snapshots."""
    return (*range(0, turns, every), turns) if every else ()


@lru_cache(maxsize=1024)
def _question(teller: str, *, before: bool) -> Question:
    words = {"teller": teller, "before": before}
    text = prompt("sociolab.worlds.anteval", "learned").render(words)
    return Question(LEARNED, text, Learned)


def answer(episode: Episode, seat: str, at: int | None) -> Learned | Unusable | None:
    """What this seat said after `at` turns, None being the end; the failure; or None: not asked."""
    ended = episode.ended
    if at is None and ended is None:
        return None
    turn = at if at is not None else (ended.turn + 1 if ended else 0)
    for event in reversed(episode.events):
        if isinstance(event, Answered) and _is(event.seat, event.question, event.turn, seat, turn):
            return Learned.model_validate(event.value)
        if isinstance(event, Unusable) and _is(event.seat, event.name, event.turn, seat, turn):
            return event
    return None


def _is(seat: str, name: str, turn: int, wanted: str, at: int) -> bool:
    return seat == wanted and name == LEARNED and turn == at
