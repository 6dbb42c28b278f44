"""What of a talk there is to judge: the talk itself and the note of it, or why there is none."""

from __future__ import annotations

from sociolab.core.episode import Episode, Unusable
from sociolab.town.answers import Summary
from sociolab.worlds.stss.talk.scenario import TalkScenario
from sociolab.worlds.stss.talk.told import Told, told_in
from sociolab.worlds.stss.talk.verdicts import Lost

_NOTE = "summarise"
_BROKEN = ("failed turn", "silence")
_QUESTIONS = {
    "utter": "utterance",
    "general_plan": "general plan",
    "talk_reminder": "reminder of the talk",
}


def readable(scenario: TalkScenario, episode: Episode) -> tuple[Told | Lost, Summary | Lost]:
    """The talk and the note, each to be judged or lost; the same for every judge.

    A talk is lost where it broke off: an utterance of either side failed for good (whatever the
    policy says of failures), or a plan or reminder did under a policy that stops. A failure is no
    talk that went badly, and the partner's is not the performer's. A talk in which nobody said
    anything is lost, too. A note is lost with its talk, and where nobody could write one.
    """
    lost = _unfinished(episode)
    if lost is not None:
        return lost, lost
    told = told_in(scenario, episode)
    if not told.lines:
        silence = Lost("incomplete", "expected a talk, found that nobody said anything")
        return silence, silence
    return told, told.note or _without_note(episode)


def _unfinished(episode: Episode) -> Lost | None:
    """Why the talk has no end; None if it has one. A note that failed leaves the talk whole."""
    ended = episode.ended
    if ended is None:
        return Lost("incomplete", "expected a talk that was held to its end, found none")
    failed = _failed(episode)
    if ended.reason in _BROKEN and (failed is None or failed.name != _NOTE):
        who = failed.seat if failed else ended.seat or "somebody"
        what = _QUESTIONS.get(failed.name, failed.name) if failed else _QUESTIONS["utter"]
        why = f" ({failed.problem})" if failed else ""
        return Lost("incomplete", f"the talk broke off: {who} gave no usable {what}{why}")
    return None


def _without_note(episode: Episode) -> Lost:
    failed = _failed(episode)
    if failed is None or failed.name != _NOTE:
        return Lost("incomplete", "expected a note of the talk, found none")
    return Lost("incomplete", f"{failed.seat} wrote no usable note ({failed.problem})")


def _failed(episode: Episode) -> Unusable | None:
    """The last reply that failed for good."""
    failed = (e for e in reversed(episode.events) if isinstance(e, Unusable) and e.final)
    return next(failed, None)
