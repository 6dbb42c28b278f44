"""The one prompt, the one parser and the one form of examples of every virtual DM that reads text.

A chat model, a fine-tuned one and a causal model with LoRA all see `head()`, then for each example
`body_of`, and answer as `answer_of` writes it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Any, Literal, Protocol

from pydantic import BaseModel, ConfigDict, create_model

from sociolab.core.errors import Cause, ReplyError
from sociolab.core.ports import Schema
from sociolab.prompting.structured import read, schema_of
from sociolab.prompting.templates import prompt
from sociolab.worlds.anteval.skills import SKILLS
from sociolab.worlds.anteval.virtual_dm.example import DM, Example, Label

PACKAGE = "sociolab.worlds.anteval"

MOST_TURNS = 30
"""A virtual DM reads the last turns only: as many as a session of the paper has."""


class AsyncVirtualDM(Protocol):
    """A virtual DM that waits for a provider: as `VirtualDM`, to be awaited."""

    @property
    def name(self) -> str:
        """Shown in tables, such as "openai/gpt-x, 8 examples"."""
        ...

    @property
    def failures(self) -> Counter[Cause]:
        """By cause and since it was fitted: the examples whose replies could not be used."""
        ...

    async def fit_async(self, examples: Sequence[Example]) -> None:
        """Learn from examples; what was learned before is forgotten. ModelError, ConfigError."""
        ...

    async def predict_async(
        self, examples: Sequence[Example], most: int = 1
    ) -> tuple[frozenset[Label], ...]:
        """For each example, at most `most` labels; none where no reply could be used."""
        ...


class Check(BaseModel):
    """A check as a model writes it; what else it says (a reason) is passed over."""

    model_config = ConfigDict(frozen=True)

    character: str
    skill: str


class Answer(BaseModel):
    """A reply that could be read; whether it makes sense is for `labels_in` to say."""

    model_config = ConfigDict(frozen=True)

    checks: tuple[Check, ...]


@cache
def head() -> str:
    """What stays the same for all examples: the task, the 18 skills, the form of the reply."""
    return prompt(PACKAGE, "virtual_dm").render({"dm": DM, "skills": SKILLS})


def body_of(example: Example) -> str:
    """What changes: who is at the table, then the last turns, a line each. Holds no label."""
    lines = [f"{turn.speaker}: {_one_line(turn.text)}" for turn in example.turns[-MOST_TURNS:]]
    return "\n".join(
        (f"At the table: {', '.join(example.candidates)}", "", *lines, "", "Who makes which check?")
    )


def answer_of(example: Example) -> str:
    """The reply that is right for this example: compact JSON, the checks in alphabetical order."""
    checks = [{"character": who, "skill": skill} for who, skill in sorted(example.labels)]
    return json.dumps({"checks": checks}, ensure_ascii=False, separators=(",", ":"))


def read_answer(text: str, example: Example, most: int) -> frozenset[Label]:
    """The labels in a model's reply, the first `most` of them; ReplyError where it will not do.

    Reasoning, code fences and chatter are passed over, and so are capitals, hyphens and the form
    of apostrophes; a character who is not at the table or an unknown skill is not.
    """
    return labels_in(read(text, Answer), example, most)


def labels_in(answer: Answer, example: Example, most: int) -> frozenset[Label]:
    """The first `most` different labels of an answer; ReplyError (not allowed) in one sentence."""
    names = {_folded(name): name for name in example.candidates}
    labels: dict[Label, None] = {}
    for check in answer.checks:
        name, skill = names.get(_folded(check.character)), _folded(check.skill)
        if name is None:
            expected = f"a character at the table ({', '.join(example.candidates)})"
            raise _not_allowed(expected, check.character, answer)
        if skill not in SKILLS:
            raise _not_allowed("one of the 18 skills", check.skill, answer)
        labels[Label(name, skill)] = None
    return frozenset(list(labels)[:most])


@cache
def answer_schema() -> Schema:
    """The JSON schema of a reply; the same for all examples, as providers compile each anew."""
    strict = ConfigDict(extra="forbid")
    fields: dict[str, Any] = {"character": (str, ...), "skill": (Literal[SKILLS], ...)}
    check = create_model("Check", __config__=strict, **fields)
    checks: dict[str, Any] = {"checks": (tuple[check, ...], ...)}
    return schema_of(create_model("Answer", __config__=strict, **checks))


def _folded(text: str) -> str:
    """Without what models change in a name: capitals, underscores, hyphens, curly apostrophes."""
    plain = text.casefold().replace("_", " ").replace("-", " ").replace("\u2019", "'")
    return " ".join(plain.split())


def _one_line(text: str) -> str:
    """So that nobody's words look like another speaker's turn."""
    return " ".join(text.split())


def _not_allowed(expected: str, found: str, answer: Answer) -> ReplyError:
    problem = f'expected {expected}, found "{_one_line(found)[:60]}"'
    return ReplyError(problem, raw=answer.model_dump_json(), cause="not allowed")
