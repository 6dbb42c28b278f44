"""Conversation tasks as a world: a talk frozen from the town, held by two agents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sociolab.core.episode import Episode, Task
from sociolab.core.ordering import in_turn
from sociolab.core.ports import DataId, Play, Transcript
from sociolab.core.seeding import digest
from sociolab.engine.play import DEFAULT_POLICY
from sociolab.engine.scene import FailurePolicy
from sociolab.town.model.mind import prompts_hash
from sociolab.town.thoughts import GeneralPlan, Summarise, TalkReminder, Utter
from sociolab.worlds.stss.talk.content import scenario_from
from sociolab.worlds.stss.talk.dataset import TalkData
from sociolab.worlds.stss.talk.playing import play_talk
from sociolab.worlds.stss.talk.scenario import TalkScenario
from sociolab.worlds.stss.talk.settings import TalkSettings
from sociolab.worlds.stss.talk.transcript import transcript_of

ASKED = (GeneralPlan, TalkReminder, Utter, Summarise)
"""The questions of a talk: no other of the town's prompts makes a difference to it."""


@dataclass(frozen=True)
class StssTalk:
    """The world over a set of conversation tasks."""

    dataset: TalkData
    settings: TalkSettings = field(default_factory=TalkSettings)
    policy: FailurePolicy = DEFAULT_POLICY

    @property
    def name(self) -> str:
        """As in `sociolab run stss-talk`."""
        return "stss-talk"

    @property
    def data(self) -> DataId:
        """The conversation tasks, with their own hash after the version ("1+be63f47068d97e2a").

        The hash of a run covers them, the prompts of the questions that are asked in a talk, and
        how a talk is held.
        """
        own = self.dataset.id
        held = self.settings.model_dump_json()
        version = f"{own.version}+{own.hash}"
        return DataId(own.name, version, digest(own.hash, prompts_hash(ASKED), held))

    def tasks(self) -> Sequence[Task]:
        """The conversation tasks: types take turns, within a type its social tasks, within one of
        those in the order of the data. Intervals cluster by social task."""
        by_task = in_turn(self.dataset.scenarios, lambda scenario: scenario.task.id)
        by_type = in_turn(by_task, lambda scenario: scenario.task.type)
        return tuple(_task(scenario) for scenario in by_type)

    def play(self, task: Task, trial: str, seed: int) -> Play:
        """The talk, with TDP's questions before it and the other's note after it."""
        scenario = scenario_from(task.content)
        mixed = int(digest(seed, trial), 16)
        return play_talk(scenario, self.settings, self.policy, trial, mixed)

    def transcript(self, episode: Episode, seat: str | None = None) -> Transcript:
        """The talk with all that both had in mind; or as one of them knew it."""
        return transcript_of(scenario_from(episode.trial.task.content), episode, seat)


def _task(scenario: TalkScenario) -> Task:
    task = scenario.task
    seats = (scenario.performer.resident.id, scenario.other.resident.id)
    tags = (task.type.replace(" ", "-"), f"seed-{scenario.seed}")
    return Task(scenario.id, seats, task.id, scenario.model_dump_json(), tags)
