"""A chat model as a judge: what a world lays out for it, and one structured reply an episode."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Protocol, TypeGuard

from pydantic import BaseModel

from sociolab.core.episode import Episode
from sociolab.core.instructions import Instructions
from sociolab.core.ports import ChatModel, Prompt
from sociolab.core.score import JudgeId, JudgeRole, ScoreFailure, Verdict
from sociolab.core.seeding import digest
from sociolab.judging.reader import MissingValue, TranscriptReader, join_problems


class Rubric(Protocol):
    """One prompt for an episode, the type of its reply, and how the reply becomes verdicts."""

    @property
    def hash(self) -> str:
        """Identifies the wording and the reply types."""
        ...

    @property
    def instructions(self) -> Instructions | None:
        """The set of prompts that the wording is from, if it is from one."""
        ...

    def prompt(self, episode: Episode, temperature: float) -> tuple[Prompt, type[BaseModel]] | None:
        """What the judge is shown, and the type of its reply; None: there is nothing to judge.

        The type is lenient where a part of it may be missing or out of range: a reply that holds
        some good scores is read, and the bad ones become failures of their own.
        """
        ...

    def verdicts(self, episode: Episode, reply: BaseModel) -> tuple[Verdict, ...]:
        """A verdict for each measure and seat, a failure where the reply has none of use; or
        ReplyError where all of it is of no use."""
        ...

    def failures(self, episode: Episode, missing: MissingValue) -> tuple[Verdict, ...]:
        """A failure for each measure and seat: there is no reply of use."""
        ...


class LlmJudge:
    """Judges with a chat model, at temperature 0 by default.

    A reply with some scores missing or out of range is asked for again; what the last one still
    lacks is a failure of those scores only. A failed call is a failure of all scores; a fatal error
    (credentials, budget) stops the run. `role` and `sheet` are those of its id, where one model
    judges in several ways.

    >>> import asyncio
    >>> from sociolab.app import load_world
    >>> from sociolab.core import ChatReply
    >>> from sociolab.judging import LlmJudge
    >>> from sociolab.testing import AnyPlayer, play_task
    >>> from sociolab.worlds import sotopia
    >>> class Model:
    ...     label = "my/model"
    ...     async def complete(self, prompt, key):
    ...         return ChatReply("I cannot say.")
    >>> world = load_world("sotopia").world
    >>> task = world.tasks()[0]
    >>> episode = play_task(world, task, dict.fromkeys(task.seats, AnyPlayer()))
    >>> verdicts = asyncio.run(LlmJudge(sotopia.SotopiaRubric(), Model()).judge(episode))
    >>> type(verdicts[0]).__name__, verdicts[0].cause, verdicts[0].attempts
    ('ScoreFailure', 'unreadable', 3)
    """

    def __init__(
        self,
        rubric: Rubric,
        model: ChatModel,
        temperature: float = 0.0,
        role: JudgeRole = "judge",
        sheet: str = "",
    ) -> None:
        self._rubric = rubric
        self._model = model
        self._temperature = temperature
        settings = digest(rubric.hash, model.label, str(temperature))
        prompts = rubric.instructions.prompts if rubric.instructions else None
        self.id = JudgeId(model.label, "model", settings, role, sheet, prompts=prompts)

    async def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
        """The verdicts of the model's reply; failures where nobody took a turn."""
        if not episode.moves:
            problem = "expected an episode with turns, found none: nothing to judge"
            return self._rubric.failures(episode, MissingValue("incomplete", problem, attempts=0))
        request = self._rubric.prompt(episode, self._temperature)
        if request is None:
            return ()
        reading = await TranscriptReader(self._model, episode.trial.id, judging).read(
            self.id.label, *request, partial(self._rubric.verdicts, episode), lacks=_lacks
        )
        if isinstance(reading, MissingValue):
            return self._rubric.failures(episode, reading)
        return tuple(
            replace(verdict, attempts=reading.attempts) if _is_unusable(verdict) else verdict
            for verdict in reading.value
        )


def _lacks(verdicts: tuple[Verdict, ...]) -> str:
    """What is wrong with a reply that could be read, in a sentence; empty if nothing is."""
    return join_problems(verdict.problem for verdict in verdicts if _is_unusable(verdict))


def _is_unusable(verdict: Verdict) -> TypeGuard[ScoreFailure]:
    """Whether the reply itself has no usable score here; what is made of several may lack some."""
    return isinstance(verdict, ScoreFailure) and verdict.cause != "incomplete"
