"""Conversation tasks as a world: a talk frozen from the town, held by two agents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sociolab.core.episode import Action, Episode, Task, Unusable
from sociolab.core.ports import DataId, Line, Note, Play, Transcript
from sociolab.core.seeding import digest, interleave
from sociolab.engine.episode_loop import DEFAULT_POLICY
from sociolab.engine.scene import FailurePolicy
from sociolab.town.clock import spoken_date
from sociolab.town.model_mind import prompts_hash
from sociolab.town.questions import (
    GeneralPlan,
    MindName,
    MindQuestion,
    Summarise,
    TalkReminder,
    Utter,
)
from sociolab.town.questions.base import memory_lines, plan_lines, text_lines
from sociolab.town.questions.generative import (
    ConversationSummary,
    GenerativeUtter,
    RelationshipSummary,
)
from sociolab.worlds.stss.talk.dataset import TalkData, TalkScenario, parse_scenario
from sociolab.worlds.stss.talk.playing import (
    HeldTalk,
    Speaker,
    TalkSettings,
    make_other,
    make_performer,
    play_talk,
    read_talk,
)

TALK_QUESTIONS: Mapping[MindName, tuple[type[MindQuestion[Any]], ...]] = {
    "lean": (GeneralPlan, TalkReminder, Utter, Summarise),
    "generative-agents": (
        GeneralPlan,
        TalkReminder,
        RelationshipSummary,
        GenerativeUtter,
        ConversationSummary,
    ),
}
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

        The hash of a run covers them, the prompts of the questions asked in a talk, and how a talk
        is held.
        """
        own = self.dataset.id
        settings = self.settings
        lean = {"mind", "heads"} if settings.mind == "lean" else set()
        held = settings.model_dump_json(exclude={"prompts", *lean})
        version = f"{own.version}+{own.hash}"
        prompts = prompts_hash(settings.texts, TALK_QUESTIONS[settings.mind])
        return DataId(own.name, version, digest(own.hash, prompts, held))

    def tasks(self) -> Sequence[Task]:
        """The conversation tasks: types alternate, within a type its social tasks, within one of
        those in the order of the data. Intervals cluster by social task."""
        by_task = interleave(self.dataset.scenarios, lambda scenario: scenario.task.id)
        by_type = interleave(by_task, lambda scenario: scenario.task.type)
        return tuple(
            Task(
                scenario.id,
                (scenario.performer.resident.id, scenario.other.resident.id),
                scenario.task.id,
                scenario.model_dump_json(),
                (scenario.task.type.replace(" ", "-"), f"seed-{scenario.seed}"),
            )
            for scenario in by_type
        )

    def play(self, task: Task, trial: str, seed: int) -> Play:
        """The talk, with TDP's questions before it and the other's note after it."""
        scenario = parse_scenario(task.content)
        mixed = int(digest(seed, trial), 16)
        return play_talk(scenario, self.settings, self.policy, trial, mixed)

    def transcript(self, episode: Episode, seat: str | None = None) -> Transcript:
        """The talk with all that both had in mind or, with `seat`, as one of them knew it."""
        return transcript_of(parse_scenario(episode.trial.task.content), episode, seat)


# ------------------------------------------------------------------ to read


def transcript_of(scenario: TalkScenario, episode: Episode, seat: str | None) -> Transcript:
    """The complete transcript or, for one seat, no more than it knew."""
    talk = read_talk(scenario, episode)
    performer, other = make_performer(scenario), make_other(scenario)
    scene = [_describe_meeting(scenario)]
    for speaker in (performer, other):
        own = seat in (None, speaker.id)
        private = _describe_private(scenario, speaker, talk) if own else ()
        text = "\n".join((_describe_visible(speaker), *private))
        scene.append((speaker.me.resident.name, text))
    if seat != other.id:
        conditions = text_lines(condition.text for condition in scenario.occasion.conditions)
        scene.append(("To be conveyed", conditions))
    title = scenario.task.title
    if seat == other.id:
        title = f"A talk with {performer.me.resident.name}"
    notes = [*_failure_notes(scenario, episode, seat)]
    if talk.note is not None and seat in (None, other.id):
        notes.append(Note(None, f"{other.me.resident.name} keeps of it: {talk.note.memo}"))
    return Transcript(title, tuple(scene), _transcript_lines(talk, seat), tuple(notes))


def _describe_meeting(scenario: TalkScenario) -> tuple[str, str]:
    performer, other = scenario.performer.resident.name, scenario.other.resident.name
    first, second = (performer, other) if scenario.performer_begins else (other, performer)
    when = f"{spoken_date(scenario.now.date())}, {scenario.now:%H:%M}"
    where = f"at {scenario.performer.place}" if scenario.performer.place else "outdoors"
    return "The scene", f"{when}, {where}. {first} speaks to {second}."


def _describe_visible(speaker: Speaker) -> str:
    """What the other sees, and everybody knows, of them."""
    known_as, doing = speaker.me.known_as.get(speaker.id, ""), speaker.me.doing
    text = "; ".join(filter(None, (known_as, f"was seen {doing}" if doing else "")))
    return f"{text[:1].upper()}{text[1:]}." if text else "Nothing is known of them."


def _describe_private(scenario: TalkScenario, speaker: Speaker, talk: HeldTalk) -> Iterator[str]:
    """What only they know: the performer's goal and texts of TDP, and what they have in mind."""
    performs = speaker.side is scenario.performer
    side = speaker.side
    if performs:
        yield f"Goal: {scenario.task.goal}"
        yield from _list_private("General plan", text_lines(talk.plan))
        yield from _list_private("Checklist for conversations", text_lines(talk.checklist))
    if side.resident.currently:
        yield f"Private: {side.resident.currently}"
    if speaker.other.tie:
        yield f"Private: {speaker.other.name} is their {speaker.other.tie}."
    yield from _list_private("Remembers", memory_lines(side.memories))
    yield from _list_private("Has planned", plan_lines(side.ahead))


def _list_private(heading: str, lines: str) -> Iterator[str]:
    if lines:
        yield f"Private: {heading}:"
        yield lines


def _transcript_lines(talk: HeldTalk, seat: str | None) -> tuple[Line, ...]:
    return tuple(
        Line(
            turn,
            line.name,
            line.who == seat,
            (Action("speak", line.text),),
            f"{line.name}: {line.text}",
            line.who if seat is None else "",
        )
        for turn, line in enumerate(talk.lines)
    )


def _failure_notes(scenario: TalkScenario, episode: Episode, seat: str | None) -> Iterator[Note]:
    """Replies that could not be used, of both or of one."""
    names = {side.resident.id: side.resident.name for side in (scenario.performer, scenario.other)}
    for event in episode.events:
        if isinstance(event, Unusable) and seat in (None, event.seat):
            outcome = "asked again"
            if event.final:
                outcome = "the talk ended here" if event.name == "utter" else "went without"
            who = names.get(event.seat, event.seat)
            text = f"{who}, {event.name}, attempt {event.attempt}: {outcome}"
            yield Note(event.turn, f"{text} ({event.cause}: {event.problem})", trouble=True)
