"""STSS as a world: a social task simulated for two days in a town, and which seat answers
for whom."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal, Self, TypeVar

from pydantic import ConfigDict, Field, ValidationInfo, field_validator, model_validator

from sociolab.core.episode import Episode, Happened, Task, Trial, Unusable
from sociolab.core.errors import did_you_mean
from sociolab.core.instructions import Instructions
from sociolab.core.ports import DataId, Note, Play, Transcript
from sociolab.core.seeding import digest, interleave
from sociolab.engine.episode_loop import DEFAULT_POLICY
from sociolab.engine.scene import FailurePolicy
from sociolab.prompting.sets import PromptedSettings, PromptSet, RequiredTemplates, load_set
from sociolab.town.clock import Clock
from sociolab.town.generative import ABLATIONS, MERGES
from sociolab.town.memory import HashingEmbedder
from sociolab.town.model_mind import prompts_hash
from sociolab.town.person import Rules, Setting
from sociolab.town.questions import GENERATIVE, QUESTIONS, QUESTIONS_OF, MindName, MindQuestion
from sociolab.town.questions.base import Heads
from sociolab.town.residents import Resident
from sociolab.town.simulation import simulate
from sociolab.town.trace import chunks_in, read_trace
from sociolab.town.trajectory import Trajectory, diary
from sociolab.worlds.stss.dataset import Content, TownData, pack_map, parse_content, unpack_map
from sociolab.worlds.stss.evidence import was_lived
from sociolab.worlds.stss.narrative import format_moment, story
from sociolab.worlds.stss.scoring import ScoreSettings, score
from sociolab.worlds.stss.task import SocialTask

PACKAGE = "sociolab.worlds.stss"
REQUIRED_TEMPLATES = {
    "head": "age currently home innate learned lifestyle name pause people places plain routine",
    **{question.template(): question.input_names() for question in QUESTIONS},
    "attendance_head": "",
    "attendance_body": "lines matter",
    "judge_talk": "rules",
    "judge_note": "rules",
    "judge_rules": "",
    "judge_body": "activity errands lines now other other_home performer performer_home place "
    "statements title today tomorrow type when where",
}
JUDGED = tuple(name for name in REQUIRED_TEMPLATES if name.startswith(("attendance_", "judge_")))

GENERATIVE_TEMPLATES = {
    **REQUIRED_TEMPLATES,
    "generative/identity": "age currently home innate learned lifestyle name outline parts pause "
    "people routine",
    **{question.template(): question.input_names() for question in GENERATIVE},
}
"""What the mind of Generative Agents needs, too."""


class TownSettings(PromptedSettings):
    """Settings of both worlds: the mind of residents, and which prompt set to use.

    `heads`: what each prompt of Generative Agents begins with: what bears on its question ("short")
    or all of who one is and how the town works ("full").
    """

    package = PACKAGE
    required_templates = REQUIRED_TEMPLATES
    told = tuple(name for name in REQUIRED_TEMPLATES if name not in JUDGED)

    mind: MindName = "lean"
    heads: Heads = "short"

    @classmethod
    def templates(cls, given: Mapping[str, Any]) -> RequiredTemplates:
        return REQUIRED_TEMPLATES if given.get("mind", "lean") == "lean" else GENERATIVE_TEMPLATES

    @property
    def questions(self) -> tuple[type[MindQuestion[Any]], ...]:
        return QUESTIONS_OF[self.mind]

    @property
    def footnote(self) -> str:
        """The note below every table: which mind, and how it differs from the paper's."""
        lean = self.mind == "lean"
        if lean:
            return "lean mind, not Generative Agents"
        return "mind of Generative Agents" + "; full heads" * (self.heads == "full")


def paper_prompts() -> PromptSet:
    """The default prompt set."""
    return load_set(PACKAGE, "paper", REQUIRED_TEMPLATES)


_EVALUATED = (
    "plan_day replan talk_or_not utter summarise reflect general_plan day_reminder talk_reminder "
    "salient_questions insights planning_note feeling_note revise_identity wake_up_hour daily_plan "
    "hourly_schedule day_schedule revise_schedule relationship react conversation_summary "
    "planning_thought conversation_memo"
)
PAPERS_QUESTIONS = tuple(_EVALUATED.split())
"""What the evaluated agent answers for the performer: high-level planning, talk, TDP (STSS,
section 5.1). The background agent answers the rest, and everything for everybody else."""


class StssSettings(TownSettings):
    """How a task is simulated and scored.

    `tdp`: target-driven planning for the performer. `evaluated`: the questions of the performer
    that the evaluated agent answers, comma-separated. `step` is seconds of town time, `radius`
    tiles. `least`: minimum attendance in minutes. `order` is the scheduler; the trace is the same
    either way: all residents at the same step, or each as far ahead as it may go, which pays where
    answers take time ("auto": if anybody but scripted minds answers).

    `mind` is how residents remember, plan and react: "lean", or as in Generative Agents. For the
    latter, `embedder` is the model by which memories are compared ("endpoint/model", or the folder
    of a local checkpoint; "" hashes words), `merge` names calls that are merged
    (`town.generative.MERGES`; ratings of importance by default). `without` ablates parts,
    comma-separated: "observation", "reflection", "planning" of this mind, and any of TDP's three
    texts.
    """

    model_config = ConfigDict(frozen=True)

    embedder: str = ""
    merge: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    tdp: bool = False
    evaluated: tuple[str, ...] = PAPERS_QUESTIONS
    step: Literal[5, 10, 15, 20, 30, 60] = 10
    radius: int = Field(default=8, ge=1, le=50)
    bandwidth: int = Field(default=8, ge=1)
    retention: int = Field(default=8, ge=0)
    cooldown: int = Field(default=120, ge=0)
    patience: int = Field(default=60, ge=0)
    least: int = Field(default=5, ge=0)
    order: Literal["auto", "ahead", "lock-step"] = "auto"

    @field_validator("evaluated", "merge", "without", mode="before")
    @classmethod
    def _names(cls, value: object, info: ValidationInfo) -> object:
        if not isinstance(value, str):
            return value
        names = tuple(name.strip() for name in value.split(",") if name.strip())
        choices = _LISTS[info.field_name or ""]
        unknown = [name for name in names if name not in choices]
        if unknown:
            raise ValueError(
                f'unknown name "{unknown[0]}"{did_you_mean(unknown[0], choices)}; expected any of '
                f"{', '.join(choices)}"
            )
        return names

    @model_validator(mode="before")
    @classmethod
    def _merge_ratings(cls, values: dict[str, Any]) -> dict[str, Any]:
        """By default memories of a moment are rated together, but by the authors' texts one by
        one: they have no prompt for several."""
        if values.get("mind") != "generative-agents":
            return values
        texts = load_set(cls.package, values.get("prompts", "paper"), {})
        theirs = texts.manifest.instructions in ("verified original", "unverified")
        return {"merge": () if theirs else ("importance",), **values}

    @property
    def instructions(self) -> Instructions:
        """What the texts are: no original where prompts of ours ask for several answers at once."""
        found = self.texts.instructions()
        changed = self.merge and found.standing == "verified original"
        return replace(found, standing="modified") if changed else found

    @model_validator(mode="after")
    def _check_mind(self) -> Self:
        """Refuse what only the mind of Generative Agents has, or what needs TDP, without it."""
        own = [f'embedder="{self.embedder}"'] if self.embedder else []
        own += [f"merge={','.join(self.merge)}"] if self.merge else []
        own += ["heads=full"] if self.heads == "full" else []
        own += [f"without={part}" for part in self.without if part in ABLATIONS]
        if own and self.mind == "lean":
            raise ValueError(f"{own[0]} is for mind=generative-agents, found mind=lean")
        tdp = [part for part in self.without if part not in ABLATIONS]
        if tdp and not self.tdp:
            raise ValueError(f"without={tdp[0]} is a part of TDP: give tdp=true, too")
        return self

    @property
    def footnote(self) -> str:
        """With relevance, what is merged, and what is left out."""
        parts = [super().footnote]
        if self.mind != "lean":
            model = self.embedder.rstrip("/")
            label = Path(model).name if model.startswith((".", "/", "~")) else model
            relevance = label or "hashing, not an embedding model"
            parts.append(f"relevance: {relevance}")
        parts += [f"merged calls: {', '.join(self.merge)}"] if self.merge else []
        parts += [f"without {', '.join(self.without)}"] if self.without else []
        return "; ".join(parts)

    @field_validator("step", mode="before")
    @classmethod
    def _seconds(cls, value: object) -> object:
        return int(value) if isinstance(value, str) and value.isdigit() else value


_LISTS: Mapping[str, Collection[str]] = {
    "evaluated": dict.fromkeys(
        question.name for questions in QUESTIONS_OF.values() for question in questions
    ),
    "merge": MERGES,
    "without": (*ABLATIONS, "general_plan", "day_reminder", "talk_reminder"),
}
"""The settings that are lists of names, and what they may name."""


@dataclass
class Tempo:
    """Whether answers take time, set when anything but scripted minds is seated. It affects speed
    alone: the trace is the same in any order."""

    answers_take_time: bool = False


@dataclass(frozen=True)
class Stss:
    """The world over one town with its tasks."""

    dataset: TownData
    settings: StssSettings
    policy: FailurePolicy = DEFAULT_POLICY
    tempo: Tempo = field(default_factory=Tempo, compare=False)

    @property
    def name(self) -> str:
        """As in `sociolab run stss`."""
        return "stss"

    @property
    def data(self) -> DataId:
        """The town; the hash covers people, tasks, prompts, and all settings of the simulation."""
        own, settings = self.dataset.id, self.settings
        names = {question.name for question in settings.questions}
        evaluated = tuple(name for name in settings.evaluated if name in names)
        other = {"least", "order", "prompts"}
        if settings.mind == "lean":  # what it has not is no part of what it is
            other |= {"mind", "heads", "embedder", "merge"}
            other |= set() if settings.without else {"without"}
        lived = settings.model_copy(update={"evaluated": evaluated}).model_dump_json(exclude=other)
        return DataId(
            own.name,
            own.version,
            digest(own.hash, prompts_hash(settings.texts, settings.questions), lived),
        )

    def tasks(self) -> Sequence[Task]:
        """The social tasks: types alternate, within a type in the order of the file."""
        tasks = interleave(self.dataset.tasks, lambda task: task.type)
        return tuple(make_task(task, self.dataset) for task in tasks)

    def play(self, task: Task, trial: str, seed: int) -> Play:
        """Two days in town: one to plan and invite, one with the event."""
        content = parse_content(task.content)
        order = self.settings.order
        if order == "auto":
            order = "ahead" if self.tempo.answers_take_time else "lock-step"
        return simulate(make_setting(content, self.settings, self.policy, trial, seed), order)

    def steps(self, task: Task) -> int:
        return len(parse_content(task.content).task.days) * 24 * 3600 // self.settings.step

    def transcript(self, episode: Episode, seat: str | None = None) -> Transcript:
        """The story of the task or, with `seat`, what one resident experienced."""
        content = parse_content(episode.trial.task.content)
        if seat is not None:
            return _resident_transcript(content, episode, seat)
        task = content.task
        parts: tuple[tuple[str, str], ...] = (("The task", task.goal),)
        if any(isinstance(event, Happened) for event in episode.events):
            lived, rules = read_trajectory(episode), ScoreSettings(least=self.settings.least)
            scored = score(task, lived, rules) if was_lived(task, lived) else None
            parts = story(task, content.residents, lived, scored)
        return Transcript(task.title, parts, (), _failure_notes(episode))


def make_setting(
    content: Content, settings: StssSettings, policy: FailurePolicy, trial: str, seed: int
) -> Setting:
    """The simulation of a task, which only the performer knows of."""
    task = content.task
    goal = {task.performer: task.goal} if settings.tdp else {}
    return Setting(
        town=unpack_map(content.town),
        residents=tuple(_brief_resident(resident, task) for resident in content.residents),
        clock=Clock(task.days[0], settings.step),
        days=len(task.days),
        trial=trial,
        seed=int(digest(seed, trial), 16),
        rules=Rules(
            radius=settings.radius,
            bandwidth=settings.bandwidth,
            retention=settings.retention,
            cooldown=settings.cooldown,
            patience=settings.patience,
        ),
        policy=policy,
        seat_of=partial(seat_for, task, settings.evaluated),
        embedder=None if settings.embedder else HashingEmbedder(),
        mind=settings.mind,
        heads=settings.heads,
        merge=frozenset(settings.merge),
        without=frozenset(settings.without),
        concerns={task.performer: task.goal},
        tdp=goal,
        tasks={task.performer: task.matter},
    )


def read_trajectory(episode: Episode) -> Trajectory:
    """The trajectory of an episode, as far as it is recorded."""
    content = parse_content(episode.trial.task.content)
    return Trajectory(read_trace(chunks_in(episode.events)), unpack_map(content.town))


def make_task(task: SocialTask, data: TownData) -> Task:
    """A social task as a task of this world, with the residents who are in it."""
    present = {task.performer, *task.background}
    residents = tuple(resident for resident in data.residents if resident.id in present)
    content = Content(task=task, residents=residents, town=pack_map(data.town))
    kind = task.type.replace(" ", "-")
    return Task(task.id, list_seats(task), task.id, content.model_dump_json(), (kind,))


def _brief_resident(resident: Resident, task: SocialTask) -> Resident:
    return task.given_to(resident) if resident.id == task.performer else resident


def _resident_transcript(content: Content, episode: Episode, seat: str) -> Transcript:
    who = seat.removesuffix(ROUTINE)
    resident = next(candidate for candidate in content.residents if candidate.id == who)
    chunks = chunks_in(episode.events)
    days = diary(read_trace(chunks), who) if chunks else ()
    concerns = _brief_resident(resident, content.task).currently
    title = f"{content.task.title}, as experienced by {resident.name}"
    return Transcript(
        title, (("Current concerns", concerns), *days), (), _failure_notes(episode, who)
    )


def _failure_notes(episode: Episode, who: str = "") -> tuple[Note, ...]:
    """Replies that could not be used, for everybody or for one resident."""
    failures = [e for e in episode.events if isinstance(e, Unusable)]
    lived = any(isinstance(event, Happened) for event in episode.events)
    clock = read_trajectory(episode).clock if failures and lived else None
    return tuple(
        Note(
            event.turn,
            f"{format_moment(clock, event.turn) if clock else f'step {event.turn}'}, {event.seat}, "
            f"{event.name}, attempt {event.attempt}: {'unanswered' if event.final else 'retried'} "
            f"({event.cause}: {event.problem})",
            trouble=True,
        )
        for event in failures
        if event.seat.removesuffix(ROUTINE) == who or not who
    )


# ------------------------------------------------------------------ who thinks for whom


Agent = TypeVar("Agent")
ROUTINE = ".routine"
"""Suffix to the performer's id: the seat that answers its low-level questions."""

SMOKE = (
    "smoke test: scripted background agents only understand each other, so there is nothing to "
    "score; name a model that plays them, --background openai/MODEL"
)


def is_smoke(trial: Trial) -> bool:
    """Whether a performer that is not rule-based met scripted residents, who agree to nothing: they
    read no words, and understand only one another's acts."""
    by_rules = [member.identity.kind == "rules" for member in trial.cast]
    return any(by_rules[1:]) and not by_rules[0]


def list_seats(task: SocialTask) -> tuple[str, ...]:
    """The performer first, then its low-level questions, then everybody in the background."""
    return (task.performer, task.performer + ROUTINE, *task.background)


def seat_for(task: SocialTask, evaluated: Sequence[str], resident: str, question: str) -> str:
    """The seat that answers a resident's question (STSS section 5.1)."""
    if resident == task.performer and question not in evaluated:
        return resident + ROUTINE
    return resident


def town_casts(
    agents: Sequence[Agent], partner: Agent | None, seats: Sequence[str]
) -> tuple[tuple[Agent, ...], ...]:
    """One town for each agent: it is the performer, and the partner is everybody else.

    Without a partner the agent answers for all.
    """
    background = len(seats) - 1
    return tuple((agent, *[partner or agent] * background) for agent in dict.fromkeys(agents))
