"""From findings to scores: SR and GCSR of a talk and of the note that is kept of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from sociolab.core.errors import Cause
from sociolab.core.score import Measure, Score, ScoreFailure, Unscored, Verdict
from sociolab.worlds.stss.casting import SMOKE
from sociolab.worlds.stss.talk.findings import Finding, share_met, success
from sociolab.worlds.stss.talk.measures import (
    CONVERSATION_GCSR,
    CONVERSATION_SR,
    SUMMARY_GCSR,
    SUMMARY_SR,
)


@dataclass(frozen=True, slots=True)
class Lost:
    """There is nothing to judge, or the judge gave no usable reply: why."""

    cause: Cause
    problem: str
    raw: str = ""
    attempts: int = 1


@dataclass(frozen=True, slots=True)
class Unread:
    """This judge cannot tell what was said: why, and who could."""

    why: str


SMOKED = Unread(SMOKE)
"""A scripted partner keeps nothing of what somebody says who writes no acts: that is no 0."""

Findings: TypeAlias = tuple[Finding, ...] | Lost | Unread


def verdicts(talk: Findings, note: Findings) -> tuple[Verdict, ...]:
    """The four verdicts on an episode; what was lost is a failure of its two measures."""
    return (
        *_level(CONVERSATION_SR, CONVERSATION_GCSR, talk),
        *_level(SUMMARY_SR, SUMMARY_GCSR, note),
    )


def reason(findings: tuple[Finding, ...]) -> str:
    """Which conditions are met and which are not, with the words that show it."""
    return "; ".join(
        f"{finding.condition.id}: {'yes' if finding.met else 'no'}"
        + (f' ("{finding.quote}")' if finding.quote else "")
        for finding in findings
    )


def _level(rate: Measure, share: Measure, found: Findings) -> tuple[Verdict, ...]:
    if isinstance(found, Lost):
        lost = (found.cause, found.problem, found.raw, found.attempts)
        return (ScoreFailure(rate, None, *lost), ScoreFailure(share, None, *lost))
    if isinstance(found, Unread):
        return (Unscored(rate, None, found.why), Unscored(share, None, found.why))
    met = sum(finding.met for finding in found)
    return (
        Score(rate, None, success(found), f"{met} of {len(found)} conditions are met"),
        Score(share, None, share_met(found), reason(found)),
    )
