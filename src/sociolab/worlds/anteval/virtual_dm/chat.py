"""A chat model as a virtual DM, untuned: with nothing but the prompt, or with some examples."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence

from sociolab.core.errors import (
    BudgetSpent,
    Cause,
    ConfigError,
    ModelError,
    ReplyError,
    WorldError,
)
from sociolab.core.ports import CallKey, ChatModel, Message, Prompt
from sociolab.core.seeding import stream
from sociolab.prompting.ask import ask_model
from sociolab.worlds.anteval.virtual_dm.example import Example, Label
from sociolab.worlds.anteval.virtual_dm.prompting import (
    Answer,
    answer_of,
    answer_schema,
    body_of,
    head,
    labels_in,
)

ATTEMPTS = 3

_AT_ONCE = 64
"""Examples under way: more would only hold budget for calls that wait for a place in flight."""

_SHORT_SHARE = 3
"""The examples to show are drawn from the shortest third."""


class ChatDM:
    """A chat model that reads play (AntEval section 4.2); a VirtualDM to be awaited.

    With `shots` it is shown so many of the examples that it is fitted on, drawn by `seed`; without,
    it is the untuned virtual DM of f0, and learns nothing. `run` keeps its calls apart from those
    of other uses of the same examples. `typed` sends the JSON schema along; a model that was tuned
    to the form of the reply needs none, and then sees what it was trained on and nothing else.

    `failures` counts, by cause and since it was fitted, the examples whose replies could not be
    used: each is an empty prediction. A fatal ModelError passes through.
    """

    def __init__(
        self, model: ChatModel, shots: int = 0, *, seed: int = 0, run: str = "", typed: bool = True
    ) -> None:
        if shots < 0:
            raise ConfigError(f"examples to show: expected 0 or more, found {shots}")
        self._model = model
        self._shots = shots
        self._seed = seed
        self._run = run
        self._schema = answer_schema() if typed else None
        self._shown: tuple[Message, ...] | None = None if shots else ()
        self._failures: Counter[Cause] = Counter()

    @property
    def name(self) -> str:
        """The model's label, and how many examples it is shown."""
        return f"{self._model.label}, {self._shots} examples" if self._shots else self._model.label

    @property
    def failures(self) -> Counter[Cause]:
        """The examples whose replies could not be used, by cause and since it was fitted."""
        return self._failures

    async def fit_async(self, examples: Sequence[Example]) -> None:
        """Draw the examples to show; ConfigError if there are too few."""
        self._failures.clear()
        chosen = shots_from(examples, self._shots, self._seed)
        self._shown = tuple(message for example in chosen for message in _exchange(example))

    async def predict_async(
        self, examples: Sequence[Example], most: int = 1
    ) -> tuple[frozenset[Label], ...]:
        """Ask the model about each example, many at once; the order is that of the examples."""
        if self._shown is None:
            raise WorldError(f"{self.name}: expected to be fitted before it predicts, found not")
        found: dict[int, frozenset[Label]] = {}
        waiting = iter(enumerate(examples))
        workers = [
            asyncio.ensure_future(self._work(waiting, most, found))
            for _ in range(min(_AT_ONCE, len(examples)))
        ]
        try:
            await asyncio.gather(*workers)
        except BudgetSpent:  # calls in flight are paid for: they come back to be kept
            await asyncio.gather(*workers, return_exceptions=True)
            raise
        finally:  # any other fatal error of one ends all
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)
        return tuple(found[index] for index in range(len(examples)))

    async def _work(
        self, waiting: Iterator[tuple[int, Example]], most: int, found: dict[int, frozenset[Label]]
    ) -> None:
        for index, example in waiting:
            found[index] = await self._one(example, most)

    async def _one(self, example: Example, most: int) -> frozenset[Label]:
        """The labels that the model gives; a failure is counted, and gives none."""

        def complaint(answer: Answer) -> str:
            try:
                labels_in(answer, example, most)
            except ReplyError as error:
                return str(error)
            return ""

        try:
            asked = await ask_model(
                self._model,
                self._prompt(example),
                Answer,
                self._key(example),
                attempts=ATTEMPTS,
                complaint=complaint,
            )
            if asked.value is not None:
                return labels_in(asked.value, example, most)
            self._failures[asked.cause] += 1
        except ReplyError as error:
            self._failures[error.cause] += 1
        except ModelError as error:
            if error.fatal:
                raise
            self._failures[error.cause] += 1
        return frozenset()

    def _prompt(self, example: Example) -> Prompt:
        assert self._shown is not None
        messages = (Message("system", head()), *self._shown, Message("user", body_of(example)))
        return Prompt(messages, self._schema, temperature=0.0)

    def _key(self, example: Example) -> CallKey:
        trial = f"{self._run}/{example.id}" if self._run else example.id
        return CallKey(trial, "judge", "", 0, "virtual-dm", 1)


def shots_from(examples: Sequence[Example], count: int, seed: int) -> tuple[Example, ...]:
    """Examples to show: short ones, each with the skills shown least so far.

    The same examples in any order give the same choice. ConfigError if there are too few.
    """
    if len(examples) < count:
        raise ConfigError(
            f"examples to show: expected at least {count} to draw from, found {len(examples)}; "
            "show fewer"
        )
    by_length = sorted(examples, key=lambda example: (len(body_of(example)), example.id))
    short = by_length[: max(count, len(by_length) // _SHORT_SHARE)]
    stream(seed, "virtual-dm", "shots", count).shuffle(short)
    shown: Counter[str] = Counter()
    chosen: list[Example] = []
    for _ in range(count):
        least = min(short, key=lambda example: _familiar(example, shown))
        short.remove(least)
        chosen.append(least)
        shown.update(label.skill for label in least.labels)
    return tuple(chosen)


def _familiar(example: Example, shown: Counter[str]) -> tuple[bool, int]:
    """How little new an example shows; one without a check comes last."""
    return not example.labels, max((shown[label.skill] for label in example.labels), default=0)


def _exchange(example: Example) -> tuple[Message, Message]:
    return Message("user", body_of(example)), Message("assistant", answer_of(example))
