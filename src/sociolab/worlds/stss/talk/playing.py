"""A conversation task as a play without I/O: TDP's questions, the talk, and what is kept of it."""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeVar

from pydantic import BaseModel

from sociolab.core.episode import Ended, Unusable
from sociolab.core.ports import Play, Sent, Step
from sociolab.engine.scene import FailurePolicy
from sociolab.town.answers import Items, Lines, Said, Summary
from sociolab.town.asking import answered
from sociolab.town.thoughts import Asked, Line, Thought
from sociolab.worlds.stss.talk.scenario import TalkScenario
from sociolab.worlds.stss.talk.settings import TalkSettings
from sociolab.worlds.stss.talk.speaker import Speaker, other_of, performer_of

Typed = TypeVar("Typed", bound=BaseModel)


def play_talk(
    scenario: TalkScenario, settings: TalkSettings, policy: FailurePolicy, trial: str, seed: int
) -> Play:
    """The talk in turn, at most `settings.rounds` rounds, then the other's note of it.

    With TDP the performer is first asked for the general plan, as on the first morning, and for a
    reminder of this talk. Who has said goodbye is not asked again; the other may answer once.
    Utterance k is asked for at turn k, TDP's texts at turn 0, the note after the last utterance.

    It ends with "left", "turn limit", or, where an utterance failed for good, "failed turn" under
    a policy that stops and "silence" under one that goes on. Such a talk broke off: no note of it
    is asked for, and nothing of it is scored (see `readable`). Under a policy that goes on, a plan
    or a reminder that failed is gone without, and so is a note.
    """
    return _Talk(scenario, settings, policy, trial, seed).play()


class _Stopped(Exception):  # noqa: N818  a state of affairs, not a fault
    """A question failed for good, and the policy is to stop there."""

    def __init__(self, failure: Unusable) -> None:
        self.failure = failure


class _Talk:
    """The talk under way."""

    def __init__(
        self,
        scenario: TalkScenario,
        settings: TalkSettings,
        policy: FailurePolicy,
        trial: str,
        seed: int,
    ) -> None:
        self.task = scenario.task
        self.performer, self.other = performer_of(scenario), other_of(scenario)
        pair = (self.performer, self.other)
        self.order = pair if scenario.performer_begins else pair[::-1]
        self.settings = settings
        self.policy = policy
        self.trial = trial
        self.seed = seed
        self.lines: tuple[Line, ...] = ()

    def play(self) -> Play:
        try:
            reminder = (yield from self._reminder()) if self.settings.tdp else ""
            ended = yield from self._talk(reminder)
            if ended.reason != "silence":
                asked = self._asked(self.other, len(self.lines))
                yield from self._answer(self.other.keeps(asked, self.lines), Summary)
        except _Stopped as stopped:
            failure = stopped.failure
            ended = Ended("failed turn", failure.turn, failure.seat)
        yield ended

    def _reminder(self) -> Generator[Step, Sent, str]:
        """TDP's items for this talk, one a line; "" where there are none."""
        mind, asked = self.performer, self._asked(self.performer, 0)
        plan = yield from self._answer(mind.plans(asked, self.task), Lines)
        lines = plan.lines if plan is not None else ()
        items = yield from self._answer(mind.reminds(asked, self.task, lines), Items)
        return "\n".join(items.items) if items is not None else ""

    def _talk(self, reminder: str) -> Generator[Step, Sent, Ended]:
        rounds = self.settings.rounds
        leaver = ""
        for turn in range(2 * rounds):
            speaker = self.order[turn % 2]
            said = yield from self._answer(
                speaker.says(
                    self._asked(speaker, turn),
                    self.lines,
                    rounds - turn // 2,
                    reminder if speaker is self.performer else "",
                ),
                Said,
            )
            if said is None:
                return Ended("silence", turn, speaker.id)
            name = speaker.me.resident.name
            self.lines = (*self.lines, Line(speaker.id, name, said.text, said.acts))
            if leaver:
                return Ended("left", turn, leaver)
            leaver = speaker.id if said.ends else ""
        last = 2 * rounds - 1
        return Ended("left", last, leaver) if leaver else Ended("turn limit", last)

    def _asked(self, speaker: Speaker, turn: int) -> Asked:
        return Asked(self.trial, self.seed, speaker.id, turn, seat=speaker.id)

    def _answer(self, question: Thought, kind: type[Typed]) -> Generator[Step, Sent, Typed | None]:
        """The answer; None where there is none and the talk goes on."""
        found = yield from answered(question, kind, 2 * self.settings.rounds, self.policy)
        if not isinstance(found, Unusable):
            return found
        if self.policy.then == "stop":
            raise _Stopped(found)
        return None
