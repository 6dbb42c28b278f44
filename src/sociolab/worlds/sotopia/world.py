"""SOTOPIA as a world: its tasks, their episodes, and transcripts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sociolab.core.episode import Answered, Episode, Task, Unusable
from sociolab.core.ports import DataId, Line, Note, Play, Transcript
from sociolab.core.seeding import digest
from sociolab.engine.episode_loop import DEFAULT_POLICY, play
from sociolab.engine.scene import FailurePolicy
from sociolab.engine.visibility import visible_moves
from sociolab.prompting.sets import PromptSet
from sociolab.report.words import spelled
from sociolab.worlds.sotopia.closing_form import SELECTION, entered, forms_hash, selections_in
from sociolab.worlds.sotopia.dataset import DataSet
from sociolab.worlds.sotopia.outcome import closing_hash, closing_polls
from sociolab.worlds.sotopia.scenarios import SceneCast, casting_from
from sociolab.worlds.sotopia.scene import (
    PLAYED,
    TURN_LIMIT,
    SotopiaScene,
    describe_ties,
    judge_names,
    paper_prompts,
)
from sociolab.worlds.sotopia.visibility import describe_self, format_line


@dataclass(frozen=True, slots=True)
class Sotopia:
    """The world of SOTOPIA over one data set; `named`: everybody knows all names from the start."""

    dataset: DataSet
    limit: int = TURN_LIMIT
    policy: FailurePolicy = DEFAULT_POLICY
    closing_question: bool = True
    texts: PromptSet = field(default_factory=paper_prompts)
    named: bool = False

    @property
    def name(self) -> str:
        return "sotopia"

    @property
    def data(self) -> DataId:
        """The data set; its hash covers the files, the prompts of play, and the settings."""
        closing = closing_hash() if self.closing_question else ""
        own, prompts = self.dataset.id, self.texts.hash_of(*PLAYED)
        scenarios = self.dataset.scenarios.values()
        forms = [forms_hash()] if any(one.closing != "question" for one in scenarios) else []
        combined = digest(own.hash, prompts, closing, self.limit, self.named, *forms)
        return DataId(own.name, own.version, combined)

    def tasks(self) -> Sequence[Task]:
        return self.dataset.tasks()

    def play(self, task: Task, trial: str, seed: int) -> Play:
        """Play in turns up to the limit (SOTOPIA section 2.2), then ask the closing question, or
        have both seats enter their selections."""
        casting = casting_of(task)
        polls = closing_polls(casting, asked=self.closing_question)
        scene = SotopiaScene(casting, self.limit, polls, texts=self.texts, named=self.named)
        return play(scene, trial=trial, seed=seed, policy=self.policy)

    def transcript(self, episode: Episode, seat: str | None = None) -> Transcript:
        """The transcript with everything private, or only as one seat saw it."""
        casting = casting_of(episode.trial.task)
        if seat is None:
            who = " and ".join(character.name for character in casting.characters)
            title = f"{spelled(casting.scenario.id)}: {who}"
            return Transcript(
                title, _stage(casting), _lines(casting, episode), _notes(casting, episode)
            )
        scene = SotopiaScene(casting, self.limit, texts=self.texts, named=self.named)
        witness = scene.witness(seat)
        for move in visible_moves(episode.moves, seat, scene.space):
            witness.see(move)
        obs = witness.observe(len(episode.moves))
        title = f"{spelled(casting.scenario.id)}, as {obs.you} saw it"
        return Transcript(title, (("What this seat was told", obs.head),), obs.history)


def casting_of(task: Task) -> SceneCast:
    return casting_from(task.content)


def _stage(casting: SceneCast) -> tuple[tuple[str, str], ...]:
    parts = [("Scene", casting.scenario.context)]
    for character, goal in zip(casting.characters, casting.scenario.goals, strict=True):
        parts.append((character.name, f"{describe_self(character)}\nGoal: {goal.text}"))
    parts.append(("How they know each other", "\n".join(describe_ties(casting))))
    return tuple(parts)


def _lines(casting: SceneCast, episode: Episode) -> tuple[Line, ...]:
    names = judge_names(casting)
    return tuple(
        Line(
            move.turn,
            names[move.seat],
            False,
            move.actions,
            " ".join(
                format_line(names[move.seat], a, tuple(names[to] for to in a.to))
                for a in move.actions
            ),
            move.seat,
        )
        for move in episode.moves
    )


def _notes(casting: SceneCast, episode: Episode) -> tuple[Note, ...]:
    """Unusable replies and answers, in order, except those to optional questions."""
    notes, selected = [], selections_in(episode, episode.trial.task.seats)
    for event in episode.events:
        if isinstance(event, Unusable) and not event.optional:
            what = "turn failed" if event.final else "asked again"
            text = (
                f"turn {event.turn + 1}, {event.seat}, attempt {event.attempt}: {what} "
                f"({event.cause}: {event.problem})"
            )
            notes.append(Note(event.turn, text, trouble=True))
        elif isinstance(event, Answered) and not event.optional:
            answer = f"asked {event.question}: {event.value}"
            text = f"turn {event.turn + 1}, {event.seat}, {answer}"
            if event.question == SELECTION:
                name = judge_names(casting)[event.seat]
                text = f"{name} entered in the form: {entered(selected[event.seat])}"
            notes.append(Note(event.turn, text))
    return tuple(notes)
