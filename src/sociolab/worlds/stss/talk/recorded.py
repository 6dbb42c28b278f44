"""What a talk conveyed where both sides are scripted: read off their acts, exactly.

Only built-in scripted minds write acts, so that a talk or a note without them is somebody else's,
and needs a judge who reads words.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from sociolab.core.episode import Episode
from sociolab.core.score import JudgeId, Verdict
from sociolab.core.seeding import digest
from sociolab.town.answers import Matter, SpeechAct, Summary
from sociolab.town.thoughts import Line
from sociolab.worlds.stss.casting import is_smoke
from sociolab.worlds.stss.talk.conditions import Condition
from sociolab.worlds.stss.talk.content import scenario_from
from sociolab.worlds.stss.talk.findings import Finding, Occasion
from sociolab.worlds.stss.talk.readable import readable
from sociolab.worlds.stss.talk.verdicts import SMOKED, Findings, Lost, Unread, verdicts

Meant: TypeAlias = tuple[SpeechAct, str]
"""An act, and the words that it stands beside."""

UNREAD = Unread(
    "only the acts of built-in scripted players are on record, and somebody else spoke here; name "
    "a model that reads the words, --judge openai/MODEL"
)


class RecordedJudge:
    """SR and GCSR of the talk and of what the other keeps of it, from acts; else Unscored."""

    def __init__(self) -> None:
        self.id = JudgeId("recorded", "scripted", digest("stss-talk", "recorded", "1"))

    async def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
        """Four verdicts; failures where no talk was held to its end, or no note is kept of it."""
        scenario = scenario_from(episode.trial.task.content)
        told, note = readable(scenario, episode)
        if is_smoke(episode.trial) and not isinstance(told, Lost):
            return verdicts(SMOKED, SMOKED)
        occasion = scenario.occasion
        talk = told if isinstance(told, Lost) else of_talk(occasion, told.lines)
        return verdicts(talk, _of_note(occasion, talk, note))


def _of_note(occasion: Occasion, talk: Findings, note: Summary | Lost) -> Findings:
    if isinstance(note, Lost) or isinstance(talk, Unread):
        return note if isinstance(note, Lost) else talk
    return of_note(occasion, note)


def of_talk(occasion: Occasion, lines: Sequence[Line]) -> tuple[Finding, ...] | Unread:
    """What a talk conveyed; Unread where somebody in it wrote no acts."""
    if not all(line.acts for line in lines):
        return UNREAD
    return _findings(occasion, [(act, line.text) for line in lines for act in line.acts])


def of_note(occasion: Occasion, note: Summary) -> tuple[Finding, ...] | Unread:
    """What the other keeps of a talk; Unread where it is no scripted player's note."""
    if not note.acts:
        return UNREAD
    return _findings(occasion, [(act, note.memo) for act in note.acts])


def _findings(occasion: Occasion, meant: Iterable[Meant]) -> tuple[Finding, ...]:
    ours, what = occasion.performer.id, occasion.task.activity
    about = [
        (act, act.matter, text)
        for act, text in meant
        if act.matter is not None and (act.matter.host, act.matter.what) == (ours, what[:200])
    ]
    return tuple(
        Finding(condition, bool(quote), quote)
        for condition in occasion.conditions
        for quote in [_quote(condition, occasion, about)]
    )


def _quote(
    condition: Condition, occasion: Occasion, about: Sequence[tuple[SpeechAct, Matter, str]]
) -> str:
    """The words with the last act that meets a condition; "" where none does."""
    task = occasion.task
    day = task.day.isoformat()
    told = [(act, matter, text) for act, matter, text in about if act.by == occasion.performer.id]
    errand = task.errands[condition.errand - 1].what[:200] if condition.errand else ""
    # What is agreed is the last answer, unless something else was put forward after it.
    answers = [one for one in about if one[0].kind in ("accept", "decline", "counter")]
    agreed = [one for one in answers[-1:] if one[0].kind == "accept"]

    def wanted(act: SpeechAct, matter: Matter) -> bool:
        match condition.kind:
            case "invited" | "asked":
                return act.kind == "invite"
            case "request":
                return act.kind == "invite" and any(one.what == errand for one in matter.chores)
            case "place told" if errand:
                return condition.place in [c.place for c in matter.chores if c.what == errand]
            case "place told":
                return matter.place == condition.place
            case "time told":
                return (matter.day, matter.start) == (day, task.start)
            case "time agreed":
                return matter.day == day and bool(matter.start)
            case "place agreed":
                return bool(matter.place)

    among = agreed if condition.kind in ("time agreed", "place agreed") else told
    return next((text for act, matter, text in reversed(among) if wanted(act, matter)), "")
