"""A chat model that says which turns moved a goal or gave a secret away, and quotes each of them.

One call for an episode, with everybody who has something at stake in it: the transcript is the
most of a prompt, and a call for each seat would send it once more for each.
"""

from __future__ import annotations

from sociolab.core.errors import Cause, ModelError
from sociolab.core.ports import CallKey, ChatModel, Prompt
from sociolab.core.score import JudgeId
from sociolab.core.seeding import digest
from sociolab.judging.credit_record import MEASURES, Cell, Credit, CreditRecord, NoCredit
from sociolab.judging.credit_reply import LooseSheets, credit_in, field_of, sheets
from sociolab.judging.credit_story import Story
from sociolab.prompting.ask import ask_model, typed_prompt
from sociolab.prompting.structured import schema_of
from sociolab.prompting.templates import prompt

ATTEMPTS = 3
PACKAGE = "sociolab.judging"

_MOST_PROBLEMS = 3
"""A model is told of no more at once."""


class CreditJudge:
    """Gives credit to turns with a chat model at temperature 0.

    A quote that is not in its turn, a turn that is not there or a list that cannot be read is asked
    for again; the cells that the last reply still gets wrong are failures. A call that fails for
    good fails them all; a fatal error (credentials, budget) passes through and stops the run.
    """

    def __init__(self, model: ChatModel) -> None:
        self._model = model
        self._head = prompt(PACKAGE, "credit_head").render({})
        body, schema = prompt(PACKAGE, "credit_body").hash, schema_of(sheets((MEASURES,))).text
        self.id = JudgeId(model.label, "model", digest(model.label, self._head, body, schema))

    async def credit(self, trial: str, story: Story) -> CreditRecord:
        """What the model says of an episode in which somebody has something at stake."""
        if not story.asked:
            raise ValueError("expected somebody with a goal or a secret, found nobody")
        found: tuple[list[Credit], list[NoCredit]] = ([], [])

        def complaint(reply: LooseSheets) -> str:
            nonlocal found
            found = credit_in(story, reply)
            return "; ".join([failure.problem for failure in found[1]][:_MOST_PROBLEMS])

        key = CallKey(trial, "judge", "", 0, "credit", 1)
        try:
            asked = await ask_model(
                self._model,
                self._prompt(story),
                LooseSheets,
                key,
                attempts=ATTEMPTS,
                complaint=complaint,
            )
        except ModelError as error:
            if error.fatal:
                raise
            return self._failed(story, error.cause, str(error), error.tries)
        if asked.value is None:
            return self._failed(story, asked.cause, asked.problem, asked.attempts)
        return self._record(story, found[0], found[1], asked.attempts)

    def _prompt(self, story: Story) -> Prompt:
        shape = tuple(person.measures for person in story.asked)
        return typed_prompt(self._head, body(story), sheets(shape), 0.0)

    def _failed(self, story: Story, cause: Cause, problem: str, attempts: int) -> CreditRecord:
        failures = [NoCredit(cell=cell, cause=cause, problem=problem) for cell in cells(story)]
        return self._record(story, [], failures, attempts)

    def _record(
        self, story: Story, found: list[Credit], failures: list[NoCredit], attempts: int
    ) -> CreditRecord:
        return CreditRecord(
            judge=self.id.name,
            settings=self.id.settings,
            names={person.seat: person.name for person in story.people},
            asked=cells(story),
            credits=tuple(found),
            failures=tuple(failures),
            attempts=attempts,
        )


def cells(story: Story) -> tuple[Cell, ...]:
    """What a story is asked about."""
    return tuple(
        Cell(seat=person.seat, measure=measure)
        for person in story.asked
        for measure in person.measures
    )


def body(story: Story) -> str:
    """The scene, the numbered lines, and what is asked of whom.

    Everything of the episode is on a line of its own behind a number or blanks: nothing that was
    said can pass for a heading or for another turn.
    """
    return prompt(PACKAGE, "credit_body").render(
        {
            "scene": [
                {"heading": _flat(heading), "lines": [_flat(line) for line in text.splitlines()]}
                for heading, text in story.transcript.scene
            ],
            "lines": [_flat(line.text) for line in story.transcript.lines],
            "people": [
                {"field": field_of(index), "name": _flat(one.name), "measures": one.measures}
                for index, one in enumerate(story.asked)
            ],
        }
    )


def _flat(text: str) -> str:
    return " ".join(text.split())
