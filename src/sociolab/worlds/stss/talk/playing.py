"""A conversation task without I/O: TDP's questions, the talk, and what is kept of it."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass, fields as dataclass_fields, replace
from datetime import datetime, time
from functools import cached_property, lru_cache
from typing import Any, TypeVar

from pydantic import ConfigDict, Field

from sociolab.core.episode import Answered, Ended, Episode, Unusable
from sociolab.core.ports import Play, Sent, Step
from sociolab.engine.scene import FailurePolicy
from sociolab.town.memory import HashingEmbedder, Relevance
from sociolab.town.mind import ask_mind
from sociolab.town.questions import (
    MOST_ROUNDS,
    GeneralPlan,
    Items,
    Lines,
    Me,
    Memo,
    Memory,
    MindAnswer,
    MindName,
    MindQuestion,
    Other,
    QuestionMeta,
    Said,
    Summarise,
    Summary,
    TalkReminder,
    Utter,
    Utterance,
)
from sociolab.town.questions.base import format_other
from sociolab.town.questions.generative import (
    ConversationSummary,
    GenerativeUtter,
    RelationshipSummary,
)
from sociolab.town.residents import Resident
from sociolab.worlds.stss.talk.dataset import Side, TalkScenario
from sociolab.worlds.stss.task import SocialTask
from sociolab.worlds.stss.world import TownSettings

A = TypeVar("A", bound=MindAnswer)


class TalkSettings(TownSettings):
    """How a talk is held.

    `mind`: how residents speak and what they keep: "lean", or as in Generative Agents, where the
    relationship is summed up before each utterance (section 4.3.2 of that paper). `tdp`: target-
    driven planning for the performer. `rounds`: how many at most, a round being one utterance by
    each (STSS appendix A.2: 8).
    """

    model_config = ConfigDict(frozen=True)

    tdp: bool = False
    rounds: int = Field(default=MOST_ROUNDS, ge=1, le=MOST_ROUNDS)


def play_talk(
    scenario: TalkScenario, settings: TalkSettings, policy: FailurePolicy, trial: str, seed: int
) -> Play:
    """Play the talk, at most `settings.rounds` rounds, then ask the other for its note.

    With TDP the performer is first asked for the general plan and the checklist for conversations,
    as on the first morning; both are in each of its prompts of the talk. Whoever has said goodbye
    is not asked again; the other may answer once. Utterance k is asked for at turn k, TDP's texts
    at turn 0, the note after the last utterance.

    It ends with "left", "turn limit" or, where an utterance failed for good, "failed turn" under a
    policy that stops and "silence" under one that goes on. Such a talk broke off: no note is asked
    for, and nothing is scored (see `readable`). Under a policy that goes on, a failed plan,
    reminder or note is simply missing.
    """
    return _Talk(scenario, settings, policy, trial, seed).play()


class _Stopped(Exception):  # noqa: N818  a state of affairs, not a fault
    """A question failed for good under a policy that stops."""

    def __init__(self, failure: Unusable) -> None:
        self.failure = failure


class _Talk:
    def __init__(
        self,
        scenario: TalkScenario,
        settings: TalkSettings,
        policy: FailurePolicy,
        trial: str,
        seed: int,
    ) -> None:
        self.task = scenario.task
        pair = self.performer, self.other = tuple(
            replace(each, me=replace(each.me, heads=settings.heads))
            for each in (make_performer(scenario), make_other(scenario))
        )
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
                yield from self._ask_tdp()
            ended = yield from self._hold_talk()
            if ended.reason != "silence":
                meta = self._make_meta(self.other, len(self.lines))
                yield from self._ask(self.other.ask_note(meta, self.lines, self.settings.mind))
        except _Stopped as stopped:
            failure = stopped.failure
            ended = Ended("failed turn", failure.turn, failure.seat)
        yield ended

    def _ask_tdp(self) -> Generator[Step, Sent, None]:
        """TDP's general plan and checklist, as the performer makes them on the first morning."""
        meta, goal = self._make_meta(self.performer, 0), self.task.goal
        me = self.performer.on_waking(self.task)
        plan = yield from self._ask(GeneralPlan(meta, me, goal))
        self.plan = plan.lines if plan is not None else ()
        items = yield from self._ask(TalkReminder(meta, me, goal, self.plan))
        self.checklist = items.items if items is not None else ()

    def _hold_talk(self) -> Generator[Step, Sent, Ended]:
        rounds = self.settings.rounds
        leaver = ""
        for turn in range(2 * rounds):
            speaker = self.order[turn % 2]
            meta = self._make_meta(speaker, turn)
            question = speaker.ask_utterance(meta, self.lines, rounds - turn // 2)
            if self.settings.mind == "generative-agents":
                question = yield from self._with_relationship(speaker, question)
            if speaker is self.performer:
                goal = self.task.goal if self.settings.tdp else ""
                question = replace(question, plan=self.plan, checklist=self.checklist, goal=goal)
            utterance = yield from self._ask(replace(question, closing=bool(leaver)))
            if utterance is None:
                return Ended("silence", turn, speaker.id)
            name = speaker.me.resident.name
            self.lines = (*self.lines, Utterance(speaker.id, name, utterance.text, utterance.acts))
            if leaver:
                return Ended("left", turn, leaver)
            leaver = speaker.id if utterance.ends else ""
        last = 2 * rounds - 1
        return Ended("left", last, leaver) if leaver else Ended("turn limit", last)

    def _with_relationship(
        self, speaker: Speaker, question: Utter
    ) -> Generator[Step, Sent, GenerativeUtter]:
        """The same question for the mind of Generative Agents, once it has been asked what matters
        now about the other."""
        summed = yield from self._ask(
            RelationshipSummary(
                question.meta,
                speaker.me,
                format_other(speaker.other),
                speaker.other.doing,
                speaker.side.memories,
                True,
                self.lines,
            )
        )
        fields = {field.name: getattr(question, field.name) for field in dataclass_fields(question)}
        return GenerativeUtter(**fields, relationship=summed.text if summed is not None else "")

    def _make_meta(self, speaker: Speaker, turn: int) -> QuestionMeta:
        return QuestionMeta(self.trial, self.seed, speaker.id, turn, seat=speaker.id)

    def _ask(self, question: MindQuestion[A]) -> Generator[Step, Sent, A | None]:
        """The answer; None where there is none and the talk goes on."""
        answer = yield from ask_mind(question, 2 * self.settings.rounds, self.policy)
        if not isinstance(answer, Unusable):
            return answer
        if self.policy.then == "stop":
            raise _Stopped(answer)
        return None


@dataclass(frozen=True, slots=True)
class HeldTalk:
    """A talk as it was held: `lines` by residents' ids.

    `note` is what the other keeps of it, None without a summary; its memo is judged. `plan` and
    `checklist` are the performer's texts of TDP, empty without them.
    """

    lines: tuple[Utterance, ...]
    note: Memo | None
    plan: tuple[str, ...] = ()
    checklist: tuple[str, ...] = ()


def read_talk(scenario: TalkScenario, episode: Episode) -> HeldTalk:
    """The talk of an episode, as far as it is recorded."""
    names = {side.resident.id: side.resident.name for side in (scenario.performer, scenario.other)}
    lines: list[Utterance] = []
    note: Memo | None = None
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
            case "conversation_summary":
                note = Memo.model_validate(event.value)
            case "general_plan":
                plan = Lines.model_validate(event.value).lines
            case "talk_reminder":
                checklist = Items.model_validate(event.value).items
    return HeldTalk(tuple(lines), note, plan, checklist)


# ------------------------------------------------------------------ the two who speak


@dataclass(frozen=True, slots=True)
class Speaker:
    """A side of a scenario who speaks; `began` if they speak first. `me` is at the talk's moment.

    It holds nothing of the other side but what one sees of them.
    """

    side: Side
    me: Me
    other: Other
    began: bool

    @property
    def id(self) -> str:
        return self.me.resident.id

    def ask_utterance(
        self, meta: QuestionMeta, lines: tuple[Utterance, ...], rounds_left: int
    ) -> Utter:
        """The question for the next utterance."""
        side = self.side
        return Utter(
            meta,
            self.me,
            self.other,
            self.began,
            lines,
            rounds_left,
            side.memories,
            side.ahead,
        )

    def ask_note(
        self, meta: QuestionMeta, lines: tuple[Utterance, ...], mind: MindName
    ) -> MindQuestion[Any]:
        """The question for the note; places named in the talk are known by then."""
        side, places = self.side, self.me.places_after(lines)
        me = replace(self.me, places=places, objects=dict.fromkeys(places, ()))
        if mind == "generative-agents":
            return ConversationSummary(meta, me, self.other, lines)
        return Summarise(meta, me, self.other, lines, side.ahead)

    def on_waking(self, task: SocialTask) -> Me:
        """As on the first morning: asleep at home, nothing experienced yet."""
        first = datetime.combine(task.days[0], time())
        memory = FrozenMemory(self.side.memories).until(first)
        home = self.me.resident.living_area
        return replace(self.me, now=first, place=home, doing="asleep", memory=memory, heard=())


def make_performer(scenario: TalkScenario) -> Speaker:
    """The performer, who is given the task as in the town."""
    side = scenario.performer
    resident = scenario.task.given_to(side.resident)
    speaker = _make_speaker(scenario, resident, side, scenario.other, scenario.performer_begins)
    return replace(speaker, me=replace(speaker.me, task=scenario.task.matter))


def make_other(scenario: TalkScenario) -> Speaker:
    side = scenario.other
    begins = not scenario.performer_begins
    return _make_speaker(scenario, side.resident, side, scenario.performer, begins)


def _make_speaker(
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

    `places` are those of the town, arenas by sector; names that are not among them are skipped.
    """
    names = [resident.living_area]
    for place in resident.knows:
        sector, _, arena = place.partition(": ")
        arenas = places.get(sector, ())
        names += [f"{sector}: {name}" for name in arenas if not arena or name == arena]
    return tuple(dict.fromkeys(names))


@dataclass(frozen=True)
class FrozenMemory:
    """Memories, best first, as a `Recall`; reading does not count as access."""

    memories: tuple[Memory, ...] = ()

    def recall(self, query: str, most: int) -> tuple[Memory, ...]:
        """The memories most similar to the query; of two equal ones the better first."""
        if not self.memories:
            return ()
        cosines = self._relevance.cosines(query).tolist()
        order = sorted(range(len(self.memories)), key=lambda number: -cosines[number])
        return tuple(self.memories[number] for number in order[: max(most, 0)])

    def latest(self, most: int) -> tuple[Memory, ...]:
        """The newest memories, the oldest of them first."""
        return self._by_time[-most:] if most > 0 else ()

    def until(self, moment: datetime) -> FrozenMemory:
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
    """Shared, since it caches the vectors of words."""
    return HashingEmbedder()
