"""Labelled pairs of a statement and a fact that test a judge: whether the one states the other."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from sociolab.core.episode import Action, Answered, CastMember, Ended, Episode, Json, Moved, Trial
from sociolab.core.ports import ChatModel, Labelled, Point, PointAnswer
from sociolab.core.score import Score
from sociolab.worlds.anteval.information.evidence import Plan
from sociolab.worlds.anteval.information.measures import RECALL, Reading
from sociolab.worlds.anteval.information.model_judge import ModelJudge
from sociolab.worlds.anteval.information.question import LEARNED, Learned
from sociolab.worlds.anteval.session import NPC, Character, Fact, FactKind, Session
from sociolab.worlds.anteval.sessions import task_of
from sociolab.worlds.anteval.telling import SPEAK

STATED, NOT_STATED = "stated", "not stated"
_PLAYER = "player-1"


class _Known(BaseModel):
    kind: FactKind
    text: str = Field(min_length=1)


class Row(BaseModel):
    """A statement and a fact, as a line of a set; further fields of the fact are passed over."""

    id: str | None = None
    statement: str = Field(min_length=1)
    fact: _Known
    label: Literal["same", "not"]


def labelled(row: Json, id: str) -> Labelled:
    """A row of a set as an item that a judge can be tested with.

    The statement is a player's whole answer in a session whose NPC knows this fact alone.
    """
    read = Row.model_validate(row)
    same, episode = read.label == "same", _episode(read.id or id, read)

    async def ask(model: ChatModel) -> tuple[PointAnswer, ...]:
        found = await ModelJudge(Plan(1, controls=False), model).reading(episode, _PLAYER)
        if not isinstance(found, Reading):
            return (PointAnswer(None, getattr(found, "problem", "")),)
        return tuple(PointAnswer(STATED, quote) for quote in found.stated.values()) or (
            PointAnswer(NOT_STATED, ", ".join((*found.other, *found.hallucinated))),
        )

    return Labelled(
        id=read.id or id,
        kind=read.fact.kind,
        text=(f"Fact: {read.fact.text}", f"Statement: {read.statement}"),
        points=(Point(read.fact.kind, "", (STATED if same else NOT_STATED,), (NOT_STATED,)),),
        ask=ask,
        episode=episode,
        expected=((Score(RECALL, _PLAYER, float(same)),),),
    )


def _episode(id: str, row: Row) -> Episode:
    session = Session(
        id=id,
        form="information",
        turns=1,
        situation="A traveller has met somebody who knows the place.",
        characters=(_somebody(_PLAYER, "Traveller"), _somebody(NPC, "Teller")),
        knowledge=(Fact(id="F1", kind=row.fact.kind, text=row.fact.text),),
    )
    task = task_of(session)
    cast = tuple(CastMember(seat, "labelled") for seat in task.seats)
    answer = Learned(facts=[row.statement]).model_dump(mode="json")
    events = (
        Moved(0, _PLAYER, (Action(SPEAK, "What can you tell me?"),)),
        Answered(1, _PLAYER, LEARNED, answer),
        Ended("turn limit", 0),
    )
    return Episode(Trial(id, "anteval-information", task, cast, 0, 0), events)


def _somebody(seat: str, name: str) -> Character:
    return Character(
        id=seat,
        name=name,
        pronouns="they/them",
        race="Human",
        class_name="commoner",
        background="none",
        alignment="neutral",
        abilities={},
        personality=(),
        ideal="",
        bond="",
        flaw="",
        goal="",
        look="",
        description="",
    )
