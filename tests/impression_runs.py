"""Sessions of D&D with an IEP each, as a judge of rules might have given it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from anteval_cases import PRIVATE, session
from casts import seated
from declared_worlds import declared
from sociolab.core import Action, Ended, JudgeId, Measure, Moved, Score, Trial
from sociolab.store import Store
from sociolab.worlds import anteval

RUN, STUDY = "tables", "words-for-tables"
IEP = Measure("iep", 0, 1, title="IEP")
MARK = (*PRIVATE, "Subjectmark", "Textmark")
"""What is private at the table; nobody who gives an impression may read it."""

_TALK = (
    ("player-1", "speak", "That iron door: what is behind it?"),
    (anteval.NPC, "speak", "Oh, this and that. You had better not ask."),
    ("player-2", "act", "knocks at the iron door three times"),
    (anteval.NPC, "speak", "I would not do that, friends."),
)


def build(path: Path, scores: Sequence[float | None]) -> None:
    """A run with an episode for each score, `None` for one that nobody judged."""
    task = anteval.task_of(session())
    cast = tuple(seated(seat, "openai/secret-model") for seat in task.seats)
    trials = [
        Trial(f"table{number:02}", "anteval-information", task, cast, number, 0)
        for number in range(len(scores))
    ]
    with Store.open(path) as store:
        store.create_run(
            RUN, "anteval-information", {}, trials, declared("anteval-information", trials)
        )
        for one, score in zip(trials, scores, strict=True):
            for turn, (seat, kind, text) in enumerate(_TALK):
                store.append(RUN, one.id, Moved(turn, seat, (Action(kind, text),)))
            store.append(RUN, one.id, Ended("turn limit", len(_TALK) - 1))
            store.set_status(RUN, one.id, "played")
            if score is not None:
                judge = JudgeId("rules", "rules", "r1")
                store.verdicts.add(RUN, judge, [Score(IEP, None, score)], trial=one.id)
