"""The exams of the two worlds: short sessions with known answers, for judges and for raters."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache, partial
from importlib.resources import files

from pydantic import BaseModel, ConfigDict

from sociolab.core.episode import Action, Episode
from sociolab.core.exam import ExamCase
from sociolab.plugin.exam import CaseRow, read_exam
from sociolab.worlds.anteval.intention import describe_intention
from sociolab.worlds.anteval.scene import ACT, SPEAK
from sociolab.worlds.anteval.session import (
    NPC,
    PACKAGE,
    Fact,
    FactKind,
    Form,
    Intention,
    PartyMember,
    Session,
    passer_by,
)
from sociolab.worlds.anteval.sessions import session_episode

_TURN = re.compile(r"(\w+)(?: \[([^]]+)\])?(?:: (.+))?")


class SessionCase(CaseRow):
    """Who sits at the table, the NPC last, and what is said and done; seats are called by names.

    `talk` has a turn a line: "Mira: Hello.", "Mira [bows]" or "Mira [bows]: Hello." `answers` are
    what players say that they learned, `intentions` the skills that they mean to use.
    """

    situation: str
    party: tuple[str, ...]
    talk: str
    answers: Mapping[str, tuple[str, ...]] = {}
    intentions: Mapping[str, str] = {}


class ExamPeople(BaseModel):
    """Whom the cases name: "she/her, Elf ranger, a tall woman in green", and what NPCs know."""

    model_config = ConfigDict(frozen=True)

    people: Mapping[str, str]
    knowledge: Mapping[str, tuple[tuple[FactKind, str], ...]] = {}

    def episode(self, form: Form, case: SessionCase) -> Episode:
        *players, npc = case.party
        facts = enumerate(self.knowledge.get(npc, ()), 1)
        lines = case.talk.splitlines()
        turns = [turn for line in lines if (turn := _TURN.fullmatch(line))]
        assert len(turns) == len(lines), f"{case.id}: a line of the talk is no turn"
        played = []
        for turn in turns:
            parts = (Action(ACT, turn[2] or ""), Action(SPEAK, turn[3] or ""))
            played.append((turn[1], tuple(action for action in parts if action.text)))
        session = Session(
            id=case.id,
            form=form,
            turns=len(played),
            situation=case.situation,
            characters=(*(self._seated(name, name) for name in players), self._seated(NPC, npc)),
            knowledge=tuple(Fact(id=f"F{n}", kind=kind, text=text) for n, (kind, text) in facts),
            intentions=tuple(
                Intention(seat=name, skill=skill, text=describe_intention(skill))
                for name, skill in case.intentions.items()
            ),
        )
        return session_episode(
            session, [(NPC if who == npc else who, acts) for who, acts in played], case.answers
        )

    def _seated(self, seat: str, name: str) -> PartyMember:
        pronouns, kind, look = self.people[name].split(", ", 2)
        race, class_name = kind.split(" ", 1)
        return passer_by(seat, name, pronouns=pronouns, race=race, class_name=class_name, look=look)


@cache
def exam(form: Form) -> tuple[ExamCase, ...]:
    """The cases of one of the worlds, in the order of their file."""
    file = f"exam_{form}.toml"
    text = files(PACKAGE).joinpath("data", file).read_text("utf-8")
    people = ExamPeople.model_validate(tomllib.loads(text))
    return read_exam(PACKAGE, file, SessionCase, partial(people.episode, form))
