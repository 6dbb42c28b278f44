"""The exam for judges, outcome readers and raters of SOTOPIA."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from sociolab.core.episode import Episode
from sociolab.core.exam import ExamCase
from sociolab.plugin.exam import CaseRow, read_exam
from sociolab.worlds.sotopia.outcome_reader import build_episode
from sociolab.worlds.sotopia.scenarios import (
    Character,
    Goal,
    Relationship,
    RelationshipType,
    Scenario,
    SceneCast,
    Text,
)
from sociolab.worlds.sotopia.scene import PACKAGE, SPEAK

_PRONOUNS = {"woman": "she/her", "man": "he/him"}
_TURN = re.compile(r"(\w+)(?: \[([^]]+)\])?: ?(.*)")


class ScenarioCase(CaseRow):
    """Two people, their goals, and what they say and do.

    A person is written "Mia, woman, 34, nurse", and sits in the seat "Mia". `talk` has a turn a
    line: "Mia: Hello.", "Mia [physical action]: waves" or "Mia [leave]:".
    """

    context: Text
    people: tuple[Text, Text]
    relationship: RelationshipType = RelationshipType.STRANGER
    tie: str = ""
    secrets: Mapping[str, Text] = {}
    goals: tuple[Goal, Goal]
    talk: Text

    def episode(self) -> Episode:
        first, second = (self._read_character(person) for person in self.people)
        pair = Relationship(a=first.id, b=second.id, type=self.relationship, tie=self.tie)
        scenario = Scenario(
            id=self.id,
            family="other",
            context=self.context,
            goals=self.goals,
            relationships=(self.relationship,),
        )
        casting = SceneCast(scenario=scenario, characters=(first, second), relationships=(pair,))
        turns = [_TURN.fullmatch(line) for line in self.talk.splitlines()]
        lines = [(turn[1], turn[2] or SPEAK, turn[3]) for turn in turns if turn]
        assert len(lines) == len(turns), f"{self.id}: a line of the talk names no speaker"
        return build_episode(self.id, casting, lines)

    def _read_character(self, person: str) -> Character:
        name, gender, age, occupation = person.split(", ", 3)
        return Character(
            id=name,
            first_name=name,
            gender=gender,
            pronouns=_PRONOUNS[gender],
            age=int(age),
            occupation=occupation,
            secret=self.secrets.get(name, ""),
        )


@cache
def exam() -> tuple[ExamCase, ...]:
    """The cases of both forms, in the order of the file."""
    return read_exam(PACKAGE, "exam.toml", ScenarioCase, ScenarioCase.episode)
