"""A decision as a world: the table talks, and each player then answers in private."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, create_model

from sociolab.core.episode import (
    ACT,
    ActionKind,
    ActionSpace,
    Answered,
    Ended,
    Episode,
    Task,
)
from sociolab.core.names import fold_name
from sociolab.core.ports import (
    DataId,
    FieldWording,
    Note,
    Observation,
    Play,
    Question,
    Sent,
    Step,
    Transcript,
    Wording,
)
from sociolab.core.seeding import digest
from sociolab.engine.episode_loop import DEFAULT_POLICY, play
from sociolab.engine.scene import FailurePolicy, Poll
from sociolab.plugin.scene import OpenScene, OpenWitness
from sociolab.prompting.sets import PromptSet, prompt
from sociolab.report.words import join_names
from sociolab.worlds.anteval.decision.case import Clue, DecisionCase, case_from
from sociolab.worlds.anteval.decision.cases import (
    PLAYED,
    Cases,
    DecisionSettings,
)
from sociolab.worlds.anteval.scene import PASS, SPEAK, seat_called

_SAY_NOTHING = ActionKind(PASS, has_text=False, label="Pass the turn")
ACTIONS = ActionSpace((ActionKind(SPEAK, spoken=True), _SAY_NOTHING))
IN_PUBLIC = ActionSpace((ActionKind(SPEAK, spoken=True, recipients="none"), _SAY_NOTHING))
"""Of imported cases, where everybody hears all that is said, as in HiddenBench."""

DECIDE, FULL_INFORMATION = "decide", "full_information"
"""The questions, as requests and events name them. "decide" is also the control before the talk,
then at turn 0; the other goes to the first player alone."""


class ChosenOption(BaseModel):
    """A player's answer: one of the options of its case."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    answer: str


@lru_cache(maxsize=1024)
def decision_type(options: tuple[str, ...]) -> type[ChosenOption]:
    """The type of an answer to these options; case, and marks around an option, do not matter."""
    by_name = {fold_name(option): option for option in options}

    def spell(value: object) -> object:
        return (
            by_name.get(fold_name(value.strip(" .\"'")), value) if isinstance(value, str) else value
        )

    kind = Annotated[
        Literal[options],  # type: ignore[valid-type]
        BeforeValidator(spell),
        Field(description="one of the possible answers, as it stands there"),
    ]
    return create_model("ChosenOption", __base__=ChosenOption, answer=(kind, ...))


@dataclass(frozen=True, slots=True)
class CluesView:
    """What a seat knows, as records for players that do not read text."""

    options: tuple[str, ...]
    clues: tuple[Clue, ...]


@dataclass(frozen=True)
class CaseScene(OpenScene):
    """The talk about a case: the players in their order, then the NPC, in each round."""

    case: DecisionCase = field(kw_only=True)
    texts: PromptSet = field(kw_only=True)

    def witness(self, seat: str) -> CaseWitness:
        return CaseWitness(self, seat)


class CaseWitness(OpenWitness):
    """What a seat has heard, with the world's own texts and records."""

    _scene: CaseScene

    def observe(self, turn: int) -> Observation:
        case, texts = self._scene.case, self._scene.texts
        return replace(
            super().observe(turn),
            tail=texts["act_tail"].render({"turn": turn + 1, "limit": self._scene.limit}),
            view=CluesView(case.options, case.clues_of(self._seat)),
            layout=texts.manifest.layout,
        )

    def seat_called(self, name: str) -> str | None:
        """The other seat of this first or full name, in any case; None if there is none."""
        full = {person.id: person.name for person in self._scene.case.people}
        return seat_called(name, self._seat, self._scene.names, full)


@dataclass(frozen=True)
class AntDecision:
    """The world over a set of cases."""

    cases: Cases
    settings: DecisionSettings
    policy: FailurePolicy = DEFAULT_POLICY

    @property
    def name(self) -> str:
        """As in `sociolab run anteval-decision`."""
        return "anteval-decision"

    @property
    def data(self) -> DataId:
        """The cases; the hash covers them, the prompts, and how they are played."""
        settings = self.settings
        prompts = settings.texts.hash_of(*PLAYED)
        played = digest(self.cases.id.hash, prompts, settings.rounds, settings.controls)
        if self.space is IN_PUBLIC:  # which models are asked for by a form
            played = digest(played, prompt("sociolab.agents", "fields").hash)
        return replace(self.cases.id, hash=played)

    @property
    def space(self) -> ActionSpace:
        """What a seat can do; at a table from a file all is said to everybody."""
        return ACTIONS if self.cases.folder is None else IN_PUBLIC

    def tasks(self) -> Sequence[Task]:
        return self.cases.tasks

    def play(self, task: Task, trial: str, seed: int) -> Play:
        """The talk with its questions; then the control of full information, apart from it."""
        case, policy = case_from(task.content), self.policy
        talk = play(self.scene(case), trial=trial, seed=seed, policy=policy)
        ended = yield from _play_until(talk, lambda step: isinstance(step, Ended))
        if self.settings.controls:
            pool = tuple(clue.id for clue in case.pool)
            knowing = case.model_copy(update={"knows": dict.fromkeys(case.knows, pool)})
            informed = self.scene(knowing, FULL_INFORMATION)
            control = play(informed, trial=trial, seed=seed, policy=policy)
            yield from _play_until(control, _is_turn)
        yield ended

    def scene(self, case: DecisionCase, control: str = "") -> CaseScene:
        """The talk about a case; with a `control`, a table at which the first player alone is asked
        this question, before any talk."""
        texts, players = self.settings.texts, tuple(player.id for player in case.players)

        def poll(at: int | None, seats: tuple[str, ...], name: str) -> Poll:
            before = at == 0 and not control  # a control comes after all has been said
            values = {"before": before, "question": case.question, "options": case.options}
            text = texts["decide"].render(values)
            choices = tuple((option, option) for option in case.options)
            wording = Wording(text, (FieldWording("answer", "Your answer", choices=choices),))
            kind = decision_type(case.options)
            return Poll(at, seats, Question(name, text, kind, wording=wording, needs=200))

        before = (poll(0, players, DECIDE),) if self.settings.controls else ()
        talk = (*before, poll(None, players, DECIDE))
        return CaseScene(
            heads={
                person.id: _render_head(texts, case, person.id, said=bool(control))
                for person in case.people
            },
            space=self.space,
            limit=self.settings.rounds * len(case.people),
            names=case.names,
            polls=(poll(0, players[:1], control),) if control else talk,
            case=case,
            texts=texts,
        )

    def transcript(self, episode: Episode, seat: str | None = None) -> Transcript:
        """The talk with everything private and all answers, or only what one seat saw."""
        case = case_from(episode.trial.task.content)
        seen = self.scene(case).transcript(case.question, episode, seat)
        if seat is not None:
            return seen
        stage = [("The situation", f"{case.situation}\n{case.question}")]
        for person in case.people:
            known = "\n".join(f"{clue.id}: {clue.text}" for clue in case.clues_of(person.id))
            about = f"Private: {person.about}" if person.about else ""
            parts = (person.look, f"Private: Knows\n{known}", about)
            stage.append((person.name, "\n".join(filter(None, parts))))
        stage.append(("The case", "\n".join(("Private:", *_describe_case(case)))))
        answers = [event for event in episode.events if isinstance(event, Answered)]
        notes = [Note(None, _describe_answer(case.names[e.seat], e)) for e in answers]
        return replace(seen, scene=tuple(stage), notes=(*seen.notes, *notes))


def _play_until(game: Play, stop: Callable[[Step], bool]) -> Generator[Step, Sent, Step]:
    """Play on until a step for which this holds, which is returned and not taken."""
    sent: Sent = None
    while not stop(step := game.send(sent)):
        sent = yield step
    game.close()
    return step


def _is_turn(step: Step) -> bool:
    return isinstance(step, tuple) and any(request.name == ACT for request in step)


def _render_head(texts: PromptSet, case: DecisionCase, seat: str, *, said: bool) -> str:
    (own,) = (person for person in case.people if person.id == seat)
    others = [person for person in case.people if person.id != seat]
    return texts["act_head"].render(
        {
            "drawn": bool(own.about),
            "npc": "" if case.npc is None else "you" if own == case.npc else "other",
            "situation": case.situation,
            "question": case.question,
            "options": case.options,
            "you": own.about or f"You are {own.name}.",
            "clues": [clue.text for clue in case.clues_of(seat)],
            "said": said,
            "others": others,
        }
    )


def _describe_case(case: DecisionCase) -> Iterator[str]:
    """What nobody at the table was told."""
    yield f"The answer is {case.answer}."
    for what, clues in (
        ("Known to all", [clue for clue in case.pool if clue not in case.private]),
        ("Needed for the answer", case.critical()),
        ("False", [clue for clue in case.clues if clue.id in case.false]),
    ):
        if clues:
            yield f"{what}: {join_names([clue.id for clue in clues])}."
    yield from (f"Known to nobody: {clue.text}" for clue in case.clues if clue not in case.pool)


def _describe_answer(name: str, event: Answered) -> str:
    when = "after the talk" if event.turn else "before the talk"
    when = "with all clues, apart from the talk," if event.question == FULL_INFORMATION else when
    return f"{when} {name} answered: {ChosenOption.model_validate(event.value).answer}"
