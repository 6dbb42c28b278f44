"""A chat model as a judge: what a world lays out for it, one structured call for an episode, asked
again where it fails.
"""

from __future__ import annotations

from typing import Protocol

from pydantic import BaseModel

from sociolab.core.episode import Episode
from sociolab.core.errors import Cause, ModelError
from sociolab.core.instructions import Instructions
from sociolab.core.ports import CallKey, ChatModel, Prompt
from sociolab.core.score import JudgeId, JudgeRole, ScoreFailure, Verdict
from sociolab.core.seeding import digest
from sociolab.prompting.structured import ask_model


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

    def verdicts(self, episode: Episode, reply: BaseModel, attempts: int) -> tuple[Verdict, ...]:
        """A verdict for each measure and seat; what is missing in the reply is a failure."""
        ...

    def failures(
        self, episode: Episode, cause: Cause, problem: str, raw: str, attempts: int
    ) -> tuple[Verdict, ...]:
        """A failure for each measure and seat: the whole reply was of no use."""
        ...


ATTEMPTS = 3

_MOST_PROBLEMS = 3
"""A model is told of no more at once."""


class LlmJudge:
    """Judges with a chat model, at temperature 0 if nothing else is said.

    A reply with some scores missing or out of range is asked for again; what the last one still
    lacks is a failure of those cells only. A call that fails for good fails them all; a fatal
    error (credentials, budget) passes through and stops the run. `role` and `sheet` are those of
    its id, where one model judges in several ways.
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
            return self._rubric.failures(episode, "incomplete", problem, "", 0)
        shown = self._rubric.prompt(episode, self._temperature)
        if shown is None:
            return ()
        prompt, kind = shown
        found: tuple[Verdict, ...] = ()

        def complaint(reply: BaseModel) -> str:
            nonlocal found
            found = self._rubric.verdicts(episode, reply, 1)
            return _missing(found)

        key = CallKey(episode.trial.id, "judge", "", 0, self.id.label, 1, judging)
        try:
            asked = await ask_model(
                self._model, prompt, kind, key, attempts=ATTEMPTS, complaint=complaint
            )
        except ModelError as error:
            if error.fatal:
                raise
            return self._rubric.failures(episode, error.cause, str(error), "", error.tries)
        if asked.value is None:
            return self._rubric.failures(
                episode, asked.cause, asked.problem, asked.raw, asked.attempts
            )
        if asked.attempts == 1:
            return found
        return self._rubric.verdicts(episode, asked.value, asked.attempts)


def _missing(verdicts: tuple[Verdict, ...]) -> str:
    """What is wrong with a reply that could be read, in a sentence; empty if nothing is."""
    failures = [v for v in verdicts if isinstance(v, ScoreFailure) and v.cause != "incomplete"]
    problems = list(dict.fromkeys(failure.problem for failure in failures))
    return "; ".join(problems[:_MOST_PROBLEMS])
