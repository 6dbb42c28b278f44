"""The findings that a verdict's reason tells of, read back: what `verdicts.reason` wrote."""

from __future__ import annotations

from sociolab.core.episode import Episode
from sociolab.core.score import Score, Verdict
from sociolab.worlds.stss.talk.conditions import Condition
from sociolab.worlds.stss.talk.content import scenario_from
from sociolab.worlds.stss.talk.findings import Finding
from sociolab.worlds.stss.talk.measures import CONVERSATION_GCSR, SUMMARY_GCSR

LEVELS = {CONVERSATION_GCSR.name: "the talk", SUMMARY_GCSR.name: "the note"}
"""What a measure reads, by its name; other measures have no findings in their reasons."""
OF_TALK = frozenset({CONVERSATION_GCSR.name})
"""Those that quote lines of the talk."""


def findings_of(episode: Episode, verdict: Verdict) -> tuple[Finding, ...]:
    """The findings behind a score; none where the verdict is none, or its reason not of ours."""
    if not isinstance(verdict, Score) or verdict.measure.name not in LEVELS:
        return ()
    conditions = scenario_from(episode.trial.task.content).occasion.conditions
    found = []
    rest = verdict.reason
    for place, condition in enumerate(conditions):
        after = conditions[place + 1].id if place + 1 < len(conditions) else None
        part, rest = _up_to(rest, after)
        finding = _finding(condition, part)
        if finding is None:
            return ()
        found.append(finding)
    return tuple(found) if not rest else ()


def _up_to(text: str, condition: str | None) -> tuple[str, str]:
    """The text in two, before and from the next condition on."""
    if condition is None:
        return text, ""
    places = [text.find(f"; {condition}: {said}") for said in ("yes", "no")]
    at = min((place for place in places if place >= 0), default=len(text))
    return text[:at], text[at + 2 :]


def _finding(condition: Condition, text: str) -> Finding | None:
    for said, met in (("yes", True), ("no", False)):
        head = f"{condition.id}: {said}"
        if text == head:
            return Finding(condition, met)
        if text.startswith(f'{head} ("') and text.endswith('")'):
            return Finding(condition, met, text[len(head) + 3 : -2])
    return None
