"""An untuned chat model as a virtual DM, zero-shot or few-shot: prompt, reply and parser."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from functools import cache

from pydantic import BaseModel, ConfigDict, Field

from sociolab.core.errors import Cause, ConfigError, ReplyError, WorldError
from sociolab.core.ports import ChatModel, Message, Prompt
from sociolab.core.seeding import stream
from sociolab.judging.quoting import flat
from sociolab.judging.reader import MissingValue, TranscriptReader
from sociolab.prompting.sets import PromptSet
from sociolab.prompting.structured import parse_reply_text, schema_of
from sociolab.runner.local import work_all
from sociolab.runner.progress import Waits
from sociolab.worlds.anteval.prompt_sets import paper_prompts
from sociolab.worlds.anteval.session import SKILLS
from sociolab.worlds.anteval.virtual_dm.example import DM, Example, Label

MOST_TURNS = 30
"""A virtual DM reads the last turns only: as many as a session of the paper has."""


class Check(BaseModel):
    """A check as a model writes it; what else it says (a reason) is passed over."""

    model_config = ConfigDict(frozen=True)

    character: str
    skill: str = Field(json_schema_extra={"enum": [*SKILLS]})
    """One of `SKILLS` for a server that keeps to schemas; `labels_in` takes other spellings."""


class Answer(BaseModel):
    """A reply that could be read; whether it makes sense is for `labels_in` to say.

    Its schema is the same for all examples, as providers compile each anew.
    """

    model_config = ConfigDict(frozen=True)

    checks: tuple[Check, ...]


NEEDS = 800
"""Tokens that an answer may take: 20 or so for a check, and some for a reason."""


@cache
def prompt_head(texts: PromptSet | None = None) -> str:
    """What stays the same for all examples: the task, the 18 skills, the form of the reply."""
    return (texts or paper_prompts())["virtual_dm"].render({"dm": DM, "skills": SKILLS})


def prompt_body(example: Example) -> str:
    """What changes: who is at the table, then the last turns, a line each. Holds no label."""
    # On one line, so that nobody's words look like another speaker's turn.
    lines = [f"{turn.speaker}: {flat(turn.text)}" for turn in example.turns[-MOST_TURNS:]]
    return "\n".join(
        (f"At the table: {', '.join(example.candidates)}", "", *lines, "", "Who makes which check?")
    )


def expected_reply(example: Example) -> str:
    """The reply that is right for this example: compact JSON, the checks in alphabetical order."""
    checks = [{"character": who, "skill": skill} for who, skill in sorted(example.labels)]
    return json.dumps({"checks": checks}, ensure_ascii=False, separators=(",", ":"))


def read_answer(text: str, example: Example, most: int) -> frozenset[Label]:
    """The labels in a model's reply, the first `most` of them; ReplyError if it cannot be used.

    Reasoning, code fences and chatter are passed over, and so are capitals, hyphens and the form
    of apostrophes; a character who is not at the table or an unknown skill is not.
    """
    return labels_in(parse_reply_text(text, Answer), example, most)


def labels_in(answer: Answer, example: Example, most: int | None = None) -> frozenset[Label]:
    """The distinct labels of an answer, the first `most` of them; ReplyError (not allowed) for a
    character who is not at the table or an unknown skill."""
    names = {_folded(name): name for name in example.candidates}
    labels: dict[Label, None] = {}
    for check in answer.checks:
        name, skill = names.get(_folded(check.character)), _folded(check.skill)
        if name is None:
            expected = f"a character at the table ({', '.join(example.candidates)})"
            raise _not_allowed(expected, check.character)
        if skill not in SKILLS:
            raise _not_allowed("one of the 18 skills", check.skill)
        labels[Label(name, skill)] = None
    return frozenset(list(labels)[:most])


def _folded(text: str) -> str:
    """The text without what models change in names: case, underscores, hyphens, curly quotes."""
    plain = text.casefold().replace("_", " ").replace("-", " ").replace("\u2019", "'")
    return " ".join(plain.split())


def _not_allowed(expected: str, value: str) -> ReplyError:
    problem = f'expected {expected}, found "{flat(value)[:60]}"'
    return ReplyError(problem, cause="not allowed")


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
        self._schema = schema_of(Answer) if typed else None
        self._shot_messages: tuple[Message, ...] | None = None if shots else ()
        self.failures: Counter[Cause] = Counter()

    @property
    def name(self) -> str:
        """Such as "openai/gpt-x, 8 examples"; the model's label alone without examples."""
        return f"{self._model.label}, {self._shots} examples" if self._shots else self._model.label

    async def fit_async(self, examples: Sequence[Example]) -> None:
        """Draw the examples to show; ConfigError if there are too few."""
        self.failures.clear()
        chosen = shots_from(examples, self._shots, self._seed)
        self._shot_messages = tuple(
            message
            for example in chosen
            for message in (
                Message("user", prompt_body(example)),
                Message("assistant", expected_reply(example)),
            )
        )

    async def predict_async(
        self, examples: Sequence[Example], most: int = 1
    ) -> tuple[frozenset[Label], ...]:
        """Ask the model about each example, many at once; the order is that of the examples."""
        if self._shot_messages is None:
            raise WorldError(f"{self.name}: expected a call of fit before predict, found none")
        predicted: dict[int, frozenset[Label]] = {}

        async def predict(item: tuple[int, Example]) -> None:
            predicted[item[0]] = await self._predict(item[1], most)

        error = await work_all(list(enumerate(examples)), predict, _AT_ONCE, Waits())
        if error is not None:
            raise error
        return tuple(predicted[index] for index in range(len(examples)))

    async def _predict(self, example: Example, most: int) -> frozenset[Label]:
        """The labels that the model gives; a failure is counted, and gives none."""
        assert self._shot_messages is not None
        messages = (
            Message("system", prompt_head()),
            *self._shot_messages,
            Message("user", prompt_body(example)),
        )
        prompt = Prompt(messages, self._schema, temperature=0.0, needs=NEEDS)
        trial = f"{self._run}/{example.id}" if self._run else example.id
        reading = await TranscriptReader(self._model, trial).read(
            "virtual-dm", prompt, Answer, lambda answer: labels_in(answer, example, most)
        )
        if not isinstance(reading, MissingValue):
            return reading.value
        self.failures[reading.cause] += 1
        return frozenset()


def shots_from(examples: Sequence[Example], count: int, seed: int) -> tuple[Example, ...]:
    """Examples to show: short ones, each with the skills shown least so far.

    The same examples in any order give the same choice. ConfigError if there are too few.
    """
    if len(examples) < count:
        raise ConfigError(
            f"examples to show: expected at least {count} to draw from, found {len(examples)}; "
            "show fewer"
        )
    by_length = sorted(examples, key=lambda example: (len(prompt_body(example)), example.id))
    short = by_length[: max(count, len(by_length) // _SHORT_SHARE)]
    stream(seed, "virtual-dm", "shots", count).shuffle(short)
    counts: Counter[str] = Counter()
    chosen: list[Example] = []
    for _ in range(count):
        least = min(short, key=lambda example: _familiar(example, counts))
        short.remove(least)
        chosen.append(least)
        counts.update(label.skill for label in least.labels)
    return tuple(chosen)


def _familiar(example: Example, counts: Counter[str]) -> tuple[bool, int]:
    """A sort key: examples of the rarest skills so far first, those without a check last."""
    return not example.labels, max((counts[label.skill] for label in example.labels), default=0)
