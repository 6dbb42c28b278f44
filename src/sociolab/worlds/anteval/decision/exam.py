"""The exam of judges: short talks, and which of the clues were said in them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from sociolab.core.episode import Action, CastMember, Ended, Episode, Moved, Trial
from sociolab.core.exam import ExamCase
from sociolab.plugin.exam import CaseRow, read_exam
from sociolab.worlds.anteval.decision.case import CasePerson, Clue, DecisionCase
from sociolab.worlds.anteval.decision.cases import PACKAGE, case_task
from sociolab.worlds.anteval.scene import SPEAK

_LINE = re.compile(r"(\w+)(?: \(to (\w+) only\))?: (.+)")


class ClueTalkCase(CaseRow):
    """Who knows what, by name, and a talk with a turn a line: "Mira: ..." or "Mira (to Odo only):
    ..."."""

    question: str
    options: tuple[str, ...]
    knows: Mapping[str, tuple[str, ...]]
    talk: str

    def episode(self) -> Episode:
        texts = [text for known in self.knows.values() for text in known]
        ids = {text: f"c{number}" for number, text in enumerate(dict.fromkeys(texts), 1)}
        case = DecisionCase(
            id=self.id,
            theme=self.id,
            situation="",
            question=self.question,
            options=self.options,
            answer=self.options[0],
            people=tuple(CasePerson(id=name, name=name, called=name) for name in self.knows),
            clues=tuple(Clue(id=id_, text=text) for text, id_ in ids.items()),
            knows={name: tuple(ids[text] for text in known) for name, known in self.knows.items()},
        )
        turns = [turn for line in self.talk.splitlines() if (turn := _LINE.fullmatch(line))]
        assert len(turns) == len(self.talk.splitlines()), (
            f"{self.id}: a line of the talk is no turn"
        )
        moves = tuple(
            Moved(number, turn[1], (Action(SPEAK, turn[3], (turn[2],) if turn[2] else ()),))
            for number, turn in enumerate(turns)
        )
        task = case_task(case)
        cast = tuple(CastMember(seat) for seat in task.seats)
        trial = Trial(self.id, "anteval-decision", task, cast, 0, 0)
        return Episode(trial, (*moves, Ended("turn limit", len(moves) - 1)))


@cache
def exam() -> tuple[ExamCase, ...]:
    """The cases in the order of their file."""
    return read_exam(PACKAGE, "exam.toml", ClueTalkCase, ClueTalkCase.episode)
