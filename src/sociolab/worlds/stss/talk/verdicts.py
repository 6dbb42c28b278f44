"""The four scores of a conversation: what can be judged, findings, the judge of recorded acts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from sociolab.core.episode import Episode, Unusable
from sociolab.core.score import JudgeId, Measure, Score, Verdict
from sociolab.core.seeding import digest
from sociolab.judging.reader import CannotTell, MissingValue, NoValue
from sociolab.town.questions import Matter, Memo, SpeechAct, Utterance
from sociolab.worlds.stss.talk.conditions import (
    ConditionFinding,
    GoalCondition,
    Occasion,
    share_met,
    success_rate,
)
from sociolab.worlds.stss.talk.dataset import TalkScenario, parse_scenario
from sociolab.worlds.stss.talk.playing import HeldTalk, read_talk
from sociolab.worlds.stss.world import SMOKE, is_smoke

CONVERSATION_SR = Measure("conversation_sr", 0, 1, title="conversation SR")
CONVERSATION_GCSR = Measure("conversation_gcsr", 0, 1, title="conversation GCSR")
SUMMARY_SR = Measure("summary_sr", 0, 1, title="summary SR")
SUMMARY_GCSR = Measure("summary_gcsr", 0, 1, title="summary GCSR")
MEASURES = (CONVERSATION_SR, CONVERSATION_GCSR, SUMMARY_SR, SUMMARY_GCSR)
"""Table 3 shows each over conversations (micro) and over tasks (macro)."""


_SMOKE_TEST = CannotTell(SMOKE)
"""A scripted partner remembers nothing of texts without acts; that is not a score of 0."""

Findings: TypeAlias = tuple[ConditionFinding, ...] | NoValue


def verdicts(talk: Findings, note: Findings) -> tuple[Verdict, ...]:
    """The four verdicts on an episode; a missing level is a failure of its two metrics."""
    return (
        *_level_verdicts(CONVERSATION_SR, CONVERSATION_GCSR, talk),
        *_level_verdicts(SUMMARY_SR, SUMMARY_GCSR, note),
    )


def format_findings(findings: tuple[ConditionFinding, ...]) -> str:
    """Which conditions are met and which are not, with quotes."""
    return "; ".join(
        f"{finding.condition.id}: {'yes' if finding.met else 'no'}"
        + (f' ("{finding.quote}")' if finding.quote else "")
        for finding in findings
    )


def _level_verdicts(rate: Measure, share: Measure, findings: Findings) -> tuple[Verdict, ...]:
    if isinstance(findings, NoValue):
        return findings.as_verdicts((rate, share))
    met = sum(finding.met for finding in findings)
    return (
        Score(rate, None, success_rate(findings), f"{met} of {len(findings)} conditions are met"),
        Score(share, None, share_met(findings), format_findings(findings)),
    )


# ------------------------------------------------------------------ what there is to judge


NOTES = ("summarise", "conversation_summary")
"""The questions of both minds whose answers are what one remembers of a conversation."""

_BROKEN = ("failed turn", "silence")
_QUESTIONS = {
    "utter": "utterance",
    "general_plan": "general plan",
    "talk_reminder": "checklist for conversations",
}


def readable(scenario: TalkScenario, episode: Episode) -> tuple[HeldTalk | NoValue, Memo | NoValue]:
    """The talk and the note, or why they cannot be judged; the same for every judge.

    A talk is lost if it broke off: an utterance of either side failed for good (whatever the
    policy says of failures), or a plan or reminder did under a policy that stops. A failure is not
    a bad talk, and the partner's is not the performer's. A talk in which nobody said anything is
    lost, too. A note is lost with its talk, and if the other could not write one. Smoke tests are
    not judged.
    """
    lost = _unfinished(episode)
    if lost is not None:
        return lost, lost
    talk = read_talk(scenario, episode)
    if not talk.lines:
        problem = "expected a conversation, found that nobody said anything"
        silence = MissingValue("incomplete", problem)
        return silence, silence
    if is_smoke(episode.trial):
        return _SMOKE_TEST, _SMOKE_TEST
    return talk, talk.note or _missing_note(episode)


def _unfinished(episode: Episode) -> MissingValue | None:
    """Why the talk has no end; None if it has one. A failed note leaves the talk intact."""
    ended = episode.ended
    if ended is None:
        return MissingValue("incomplete", "expected a finished conversation, found none")
    failed = _final_failure(episode)
    if ended.reason in _BROKEN and (failed is None or failed.name not in NOTES):
        who = failed.seat if failed else ended.seat or "somebody"
        what = _QUESTIONS.get(failed.name, failed.name) if failed else _QUESTIONS["utter"]
        why = f" ({failed.problem})" if failed else ""
        return MissingValue(
            "incomplete", f"the conversation broke off: {who} gave no usable {what}{why}"
        )
    return None


def _missing_note(episode: Episode) -> MissingValue:
    failed = _final_failure(episode)
    if failed is None or failed.name not in NOTES:
        return MissingValue("incomplete", "expected a note of the conversation, found none")
    return MissingValue("incomplete", f"{failed.seat} wrote no usable note ({failed.problem})")


def _final_failure(episode: Episode) -> Unusable | None:
    failed = (e for e in reversed(episode.events) if isinstance(e, Unusable) and e.final)
    return next(failed, None)


# ------------------------------------------------------------------ by recorded acts


SpokenAct: TypeAlias = tuple[SpeechAct, str]
"""An act, and the text that it belongs to."""

UNREAD = CannotTell(
    "only the acts of built-in scripted players are on record, and somebody else spoke here; name "
    "a model that reads the words, --judge openai/MODEL"
)


class RecordedJudge:
    """SR and GCSR of the talk and of the other's note, from acts; else Unscored.

    Only built-in scripted minds write acts, so that a talk or a note without them is somebody
    else's, and needs a judge that reads words.
    """

    def __init__(self) -> None:
        self.id = JudgeId("recorded", "scripted", digest("stss-talk", "recorded", "1"))

    async def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
        """Four verdicts; failures where the talk was not finished, or has no note."""
        scenario = parse_scenario(episode.trial.task.content)
        held, note = readable(scenario, episode)
        talk = (
            findings_in_talk(scenario.occasion, held.lines) if isinstance(held, HeldTalk) else held
        )
        if isinstance(note, NoValue):
            return verdicts(talk, note)
        return verdicts(talk, talk if talk is UNREAD else findings_in_note(scenario.occasion, note))


def findings_in_talk(
    occasion: Occasion, lines: Sequence[Utterance]
) -> tuple[ConditionFinding, ...] | CannotTell:
    """Which conditions a talk meets; CannotTell if any of its lines has no acts."""
    if not all(line.acts for line in lines):
        return UNREAD
    return _findings_in_acts(occasion, [(act, line.text) for line in lines for act in line.acts])


def findings_in_note(occasion: Occasion, note: Memo) -> tuple[ConditionFinding, ...] | CannotTell:
    """Which conditions a note meets; CannotTell if it has no acts."""
    if not note.acts:
        return UNREAD
    return _findings_in_acts(occasion, [(act, note.memo) for act in note.acts])


def _findings_in_acts(
    occasion: Occasion, acts: Iterable[SpokenAct]
) -> tuple[ConditionFinding, ...]:
    ours, what = occasion.performer.id, occasion.task.activity
    about = [
        (act, act.matter, text)
        for act, text in acts
        if act.matter is not None and (act.matter.host, act.matter.what) == (ours, what[:200])
    ]
    return tuple(
        ConditionFinding(condition, bool(quote), quote)
        for condition in occasion.conditions
        for quote in [_quote(condition, occasion, about)]
    )


def _quote(
    condition: GoalCondition, occasion: Occasion, about: Sequence[tuple[SpeechAct, Matter, str]]
) -> str:
    """The words of the last act that meets a condition; "" where none does."""
    task = occasion.task
    day = task.day.isoformat()
    own = [(act, matter, text) for act, matter, text in about if act.by == occasion.performer.id]
    errand = task.errands[condition.errand - 1].what[:200] if condition.errand else ""
    # What is agreed is the last answer, unless something else was put forward after it.
    answers = [entry for entry in about if entry[0].kind in ("accept", "decline", "counter")]
    agreed = [entry for entry in answers[-1:] if entry[0].kind == "accept"]

    def meets(act: SpeechAct, matter: Matter) -> bool:
        match condition.kind:
            case "invited" | "asked":
                return act.kind == "invite"
            case "request":
                return act.kind == "invite" and any(chore.what == errand for chore in matter.chores)
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

    among = agreed if condition.kind in ("time agreed", "place agreed") else own
    return next((text for act, matter, text in reversed(among) if meets(act, matter)), "")


# ------------------------------------------------------------------ findings of a reason


LEVELS = {CONVERSATION_GCSR.name: "the talk", SUMMARY_GCSR.name: "the note"}
"""What a measure reads, by its name; other measures have no findings in their reasons."""

OF_TALK = frozenset({CONVERSATION_GCSR.name})
"""Metrics whose findings quote lines of the talk."""


def findings_of(episode: Episode, verdict: Verdict) -> tuple[ConditionFinding, ...]:
    """The findings that a score's reason states (`format_findings`); none for other verdicts."""
    if not isinstance(verdict, Score) or verdict.measure.name not in LEVELS:
        return ()
    conditions = parse_scenario(episode.trial.task.content).occasion.conditions
    parts = (rf'{re.escape(condition.id)}: (yes|no)(?: \("(.*?)"\))?' for condition in conditions)
    match = re.fullmatch("; ".join(parts), verdict.reason, re.DOTALL)
    marks = match.groups("") if match else ()
    return tuple(
        ConditionFinding(condition, met == "yes", quote)
        for condition, met, quote in zip(conditions, marks[::2], marks[1::2], strict=False)
    )
