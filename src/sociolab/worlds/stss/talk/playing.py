"""A conversation task as a play without I/O: TDP's questions, the talk, and what is kept of it."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, time
from functools import cached_property, lru_cache
from typing import TypeVar

from pydantic import ConfigDict, Field

from sociolab.core.episode import Answered, Ended, Episode, Unusable
from sociolab.core.ports import Play, Sent, Step
from sociolab.engine.scene import FailurePolicy
from sociolab.town.memory import HashingEmbedder, Relevance
from sociolab.town.mind import answered
from sociolab.town.questions import (
    MOST_ROUNDS,
    Asked,
    GeneralPlan,
    Items,
    Lines,
    Me,
    Memory,
    MindAnswer,
    MindQuestion,
    Other,
    Said,
    Summarise,
    Summary,
    TalkReminder,
    Utter,
    Utterance,
)
from sociolab.town.residents import Resident
from sociolab.worlds.stss.talk.dataset import Side, TalkScenario
from sociolab.worlds.stss.task import SocialTask
from sociolab.worlds.stss.world import TownSettings

A = TypeVar("A", bound=MindAnswer)


class TalkSettings(TownSettings):
    """How a talk is held.

    `tdp`: target-driven planning for the performer. `rounds`: how many at most, a round being one
    utterance by each (STSS appendix A.2: 8).
    """

    model_config = ConfigDict(frozen=True)

    tdp: bool = False
    rounds: int = Field(default=MOST_ROUNDS, ge=1, le=MOST_ROUNDS)


def play_talk(
    scenario: TalkScenario, settings: TalkSettings, policy: FailurePolicy, trial: str, seed: int
) -> Play:
    """The talk in turn, at most `settings.rounds` rounds, then the other's note of it.

    With TDP the performer is first asked for the general plan and the checklist for conversations,
    as on the first morning; both are in each of its prompts of the talk. Who has said goodbye is
    not asked again; the other may answer once.
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
        self.lines: tuple[Utterance, ...] = ()
        self.plan: tuple[str, ...] = ()
        self.checklist: tuple[str, ...] = ()

    def play(self) -> Play:
        try:
            if self.settings.tdp:
                yield from self._target()
            ended = yield from self._talk()
            if ended.reason != "silence":
                context = self._build_context(self.other, len(self.lines))
                yield from self._answer(self.other.keeps(context, self.lines))
        except _Stopped as stopped:
            failure = stopped.failure
            ended = Ended("failed turn", failure.turn, failure.seat)
        yield ended

    def _target(self) -> Generator[Step, Sent, None]:
        """TDP's general plan and checklist, as the performer makes them on the first morning."""
        context, goal = self._build_context(self.performer, 0), self.task.goal
        me = self.performer.on_waking(self.task)
        plan = yield from self._answer(GeneralPlan(context, me, goal))
        self.plan = plan.lines if plan is not None else ()
        items = yield from self._answer(TalkReminder(context, me, goal, self.plan))
        self.checklist = items.items if items is not None else ()

    def _talk(self) -> Generator[Step, Sent, Ended]:
        rounds = self.settings.rounds
        leaver = ""
        for turn in range(2 * rounds):
            speaker = self.order[turn % 2]
            question = self._utter(speaker, self._build_context(speaker, turn), rounds - turn // 2)
            utterance = yield from self._answer(replace(question, closing=bool(leaver)))
            if utterance is None:
                return Ended("silence", turn, speaker.id)
            name = speaker.me.resident.name
            self.lines = (*self.lines, Utterance(speaker.id, name, utterance.text, utterance.acts))
            if leaver:
                return Ended("left", turn, leaver)
            leaver = speaker.id if utterance.ends else ""
        last = 2 * rounds - 1
        return Ended("left", last, leaver) if leaver else Ended("turn limit", last)

    def _utter(self, speaker: Speaker, context: Asked, rounds_left: int) -> Utter:
        question = speaker.says(context, self.lines, rounds_left)
        if speaker is not self.performer:
            return question
        return replace(question, plan=self.plan, checklist=self.checklist)

    def _build_context(self, speaker: Speaker, turn: int) -> Asked:
        return Asked(self.trial, self.seed, speaker.id, turn, seat=speaker.id)

    def _answer(self, question: MindQuestion[A]) -> Generator[Step, Sent, A | None]:
        """The answer; None where there is none and the talk goes on."""
        answer = yield from answered(question, 2 * self.settings.rounds, self.policy)
        if not isinstance(answer, Unusable):
            return answer
        if self.policy.then == "stop":
            raise _Stopped(answer)
        return None


@dataclass(frozen=True, slots=True)
class HeldTalk:
    """A talk as it was held: `lines` by residents' ids.

    `note` is what the other keeps of it, None where there is no summary; its memo is judged. `plan`
    and `checklist` are the performer's texts of TDP, empty without them.
    """

    lines: tuple[Utterance, ...]
    note: Summary | None
    plan: tuple[str, ...] = ()
    checklist: tuple[str, ...] = ()


def told_in(scenario: TalkScenario, episode: Episode) -> HeldTalk:
    """The talk of an episode, as far as it is recorded."""
    names = {side.resident.id: side.resident.name for side in (scenario.performer, scenario.other)}
    lines: list[Utterance] = []
    note: Summary | None = None
    plan: tuple[str, ...] = ()
    checklist: tuple[str, ...] = ()
    for event in episode.events:
        if not isinstance(event, Answered):
            continue
        match event.question:
            case "utter":
                answer = Said.model_validate(event.value)
                lines.append(Utterance(event.seat, names[event.seat], answer.text, answer.acts))
            case "summarise":
                note = Summary.model_validate(event.value)
            case "general_plan":
                plan = Lines.model_validate(event.value).lines
            case "talk_reminder":
                checklist = Items.model_validate(event.value).items
    return HeldTalk(tuple(lines), note, plan, checklist)


# ------------------------------------------------------------------ the two who speak


@dataclass(frozen=True, slots=True)
class Speaker:
    """A side of a scenario who speaks; `began` if they speak first. `me` is at the talk's moment.

    Nothing of the other side is here but what one sees of them.
    """

    side: Side
    me: Me
    other: Other
    began: bool

    @property
    def id(self) -> str:
        """The resident's, and the seat's."""
        return self.me.resident.id

    def says(self, context: Asked, lines: tuple[Utterance, ...], rounds_left: int) -> Utter:
        """The next utterance is wanted."""
        side = self.side
        return Utter(
            context,
            self.me,
            self.other,
            self.began,
            lines,
            rounds_left,
            side.memories,
            side.ahead,
        )

    def keeps(self, context: Asked, lines: tuple[Utterance, ...]) -> Summarise:
        """What to remember of the talk is wanted; the places that were told are known by then."""
        side, places = self.side, self.me.places_after(lines)
        me = replace(self.me, places=places, objects=dict.fromkeys(places, ()))
        return Summarise(context, me, self.other, lines, side.ahead)

    def on_waking(self, task: SocialTask) -> Me:
        """As on the first morning: asleep at home, nothing lived yet."""
        first = datetime.combine(task.days[0], time())
        memory = FrozenMemory(self.side.memories).until(first)
        home = self.me.resident.living_area
        return replace(self.me, now=first, place=home, doing="asleep", memory=memory, heard=())


def performer_of(scenario: TalkScenario) -> Speaker:
    """The performer, who is given the task, as in the town."""
    side = scenario.performer
    resident = scenario.task.given_to(side.resident)
    speaker = _speaker(scenario, resident, side, scenario.other, scenario.performer_begins)
    return replace(speaker, me=replace(speaker.me, task=scenario.task.matter))


def other_of(scenario: TalkScenario) -> Speaker:
    """The one whom the performer talks to."""
    side = scenario.other
    begins = not scenario.performer_begins
    return _speaker(scenario, side.resident, side, scenario.performer, begins)


def _speaker(
    scenario: TalkScenario, resident: Resident, side: Side, other: Side, began: bool
) -> Speaker:
    places = known_places(resident, scenario.places)
    known_as = {who: person.known_as for who, person in scenario.people.items() if person.known_as}
    me = Me(
        resident=resident,
        now=scenario.now,
        places=places,
        objects=dict.fromkeys(places, ()),
        people={who: person.name for who, person in scenario.people.items() if who != resident.id},
        memory=FrozenMemory(side.memories),
        known_as=known_as,
        place=side.place,
        names=scenario.place_names,
        doing=side.doing,
        heard=side.heard,
    )
    name = other.resident.name
    tie = resident.ties.get(name, "")
    return Speaker(side, me, Other(other.resident.id, name, other.doing, tie), began)


def known_places(resident: Resident, places: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Home first, then what the resident is said to know, in that order; sectors in full.

    `places` are those of the town, arenas by sector; what is not among them is passed over.
    """
    names = [resident.living_area]
    for place in resident.knows:
        sector, _, arena = place.partition(": ")
        arenas = places.get(sector, ())
        names += [f"{sector}: {name}" for name in arenas if not arena or name == arena]
    return tuple(dict.fromkeys(names))


@dataclass(frozen=True)
class FrozenMemory:
    """Memories, best first, as a `Recall`: reading leaves no mark."""

    memories: tuple[Memory, ...] = ()

    def recall(self, query: str, most: int) -> tuple[Memory, ...]:
        """Those that have most to do with the query, the better one first where two are equal."""
        if not self.memories:
            return ()
        cosines = self._relevance.to(query).tolist()
        order = sorted(range(len(self.memories)), key=lambda number: -cosines[number])
        return tuple(self.memories[number] for number in order[: max(most, 0)])

    def latest(self, most: int) -> tuple[Memory, ...]:
        """The newest memories, oldest of them first."""
        return self._by_time[-most:] if most > 0 else ()

    def until(self, moment: datetime) -> FrozenMemory:
        """What was remembered at an earlier moment."""
        return FrozenMemory(tuple(memory for memory in self.memories if memory.when <= moment))

    @cached_property
    def _by_time(self) -> tuple[Memory, ...]:
        return tuple(sorted(self.memories, key=lambda memory: memory.when))

    @cached_property
    def _relevance(self) -> Relevance:
        relevance = Relevance(_embedder())
        for memory in self.memories:
            relevance.add(memory.text)
        return relevance


@lru_cache(maxsize=1)
def _embedder() -> HashingEmbedder:
    """One for all, as it keeps the vectors of words."""
    return HashingEmbedder()
