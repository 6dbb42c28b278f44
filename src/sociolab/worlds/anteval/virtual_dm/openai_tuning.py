"""A virtual DM fine-tuned by a provider that speaks OpenAI's fine-tuning API."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sociolab.core.errors import Cause, ConfigError, ReplyError, WorldError
from sociolab.core.ports import ChatModel
from sociolab.models.budget import CHARACTERS_A_TOKEN
from sociolab.models.finetuning import (
    PATIENT,
    FineTuningClient,
    Patience,
    TuningOrder,
    tuned,
    tuning_key,
)
from sociolab.prompting.structured import read
from sociolab.worlds.anteval.session import SKILLS
from sociolab.worlds.anteval.virtual_dm.chat import Answer, ChatDM, answer_of, body_of, head
from sociolab.worlds.anteval.virtual_dm.example import Example, Label

TOKENS_A_MESSAGE = 4
"""What a chat format adds to each message, about."""


class TrainingMessage(BaseModel):
    """One message of a conversation."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    role: Literal["system", "user", "assistant"]
    content: str


class Conversation(BaseModel):
    """One line of a training file: the prompt, and the reply to learn."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    messages: Annotated[tuple[TrainingMessage, ...], Field(min_length=1)]

    @property
    def tokens(self) -> int:
        """An estimate, at four characters a token."""
        characters = sum(len(message.content) for message in self.messages)
        return round(characters / CHARACTERS_A_TOKEN) + TOKENS_A_MESSAGE * len(self.messages)


def conversation(example: Example) -> Conversation:
    """An example as a virtual DM is asked about it, and the right answer."""
    return Conversation(
        messages=(
            TrainingMessage(role="system", content=head()),
            TrainingMessage(role="user", content=body_of(example)),
            TrainingMessage(role="assistant", content=answer_of(example)),
        )
    )


def training_bytes(examples: Sequence[Example]) -> bytes:
    """The training file of some examples, in their order; ConfigError if there are none."""
    if not examples:
        raise ConfigError("a training file: expected examples to train on, found none")
    lines = (conversation(example).model_dump() for example in examples)
    text = "".join(
        json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines
    )
    return text.encode("utf-8", "replace")


def write_training_file(file: Path, content: bytes) -> None:
    """Write a training file, which appears when it is complete; ConfigError if it cannot be."""
    part = file.with_name(f"{file.name}.part")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(content)
        os.replace(part, file)
    except OSError as error:
        raise ConfigError(
            f"{file}: the training file cannot be written ({error.strerror}); name another folder"
        ) from error


def read_training_file(file: Path) -> tuple[Conversation, ...]:
    """The conversations of a training file; ConfigError with file and line where it is wrong."""
    try:
        text = file.read_bytes().decode("utf-8")
    except OSError as error:
        raise ConfigError(
            f"{file}: expected a training file, found {error.strerror}; check the path"
        ) from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{file}: expected UTF-8 text, found other bytes ({error})") from error
    found = tuple(_conversations(file, text))
    if not found:
        raise ConfigError(f"{file}: expected a conversation on each line, found an empty file")
    return found


def training_tokens(conversations: Sequence[Conversation], epochs: int) -> int:
    """An estimate of the tokens that a job is billed for: all that is read, in all epochs."""
    return epochs * sum(one.tokens for one in conversations)


def _conversations(file: Path, text: str) -> Iterator[Conversation]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            yield _checked(line)
        except ValueError as error:
            raise ConfigError(f"{file}, line {number}: {error}") from error


def _checked(line: str) -> Conversation:
    """The conversation on a line; ValueError, in words, where it is none to learn from."""
    try:
        row = json.loads(line)
    except ValueError as error:
        raise ValueError(f"expected a JSON object, found broken JSON ({error})") from error
    if not isinstance(row, dict) or not row.get("messages"):
        raise ValueError(f'expected an object with "messages", found {line[:60]}')
    try:
        found = Conversation.model_validate(row)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise ValueError(f"{place}: {first['msg']}, found {str(first['input'])[:60]}") from error
    last = found.messages[-1]
    if last.role != "assistant":
        raise ValueError(f"expected the assistant's message at the end, found the {last.role}'s")
    try:
        answer = read(last.content, Answer)
    except ReplyError as error:
        raise ValueError(f"the assistant's message: {error}") from error
    for check in answer.checks:
        if check.skill not in SKILLS:
            raise ValueError(
                f'the assistant\'s message: expected one of the 18 skills, found "{check.skill}"'
            )
    return found


class OpenAITunedDM:
    """Fine-tunes a chat model on examples and asks the tuned one; a VirtualDM to be awaited.

    Training file and job record lie in `folder`, named by a hash of examples, model and order, so
    that fitting on the same examples again waits for the same job, or finds its model at once.
    `open_model` makes a chat model of the tuned model's name (with its replies kept, where that is
    wanted); `tell` hears what the provider says of the job; `run` is as in `ChatDM`.
    """

    def __init__(
        self,
        client: FineTuningClient,
        open_model: Callable[[str], ChatModel],
        folder: Path,
        order: TuningOrder,
        *,
        tell: Callable[[str], None],
        patience: Patience = PATIENT,
        run: str = "",
    ) -> None:
        self._client = client
        self._open_model = open_model
        self._folder = folder
        self._order = order
        self._tell = tell
        self._patience = patience
        self._run = run
        self._dm: ChatDM | None = None

    @property
    def name(self) -> str:
        """The base model, said to be tuned."""
        return f"tuned:{self._client.model}"

    @property
    def failures(self) -> Counter[Cause]:
        """As in `ChatDM`: the examples without a usable reply, by cause, since it was fitted."""
        return Counter() if self._dm is None else self._dm.failures

    async def fit_async(self, examples: Sequence[Example]) -> None:
        """Write the training file, and make, resume or find the job; ModelError if it is lost.

        ConfigError where there is nothing to learn from, or a file cannot be written.
        """
        self._dm = None
        content = training_bytes(examples)
        key = tuning_key(self._client, self._order, content)
        file = self._folder / f"{key}.jsonl"
        write_training_file(file, content)
        tokens = training_tokens(read_training_file(file), epochs=1)
        self._tell(f"{file}: {len(examples)} examples, about {tokens} tokens an epoch")
        record = self._folder / f"{key}.job.json"
        job = await tuned(self._client, self._order, content, record, self._patience, self._tell)
        assert job.tuned_model is not None
        # No schema: the tuned model then reads what it was trained on, and nothing else.
        self._dm = ChatDM(self._open_model(job.tuned_model), run=self._run, typed=False)

    async def predict_async(
        self, examples: Sequence[Example], most: int = 1
    ) -> tuple[frozenset[Label], ...]:
        """Ask the tuned model about each example; WorldError before it was fitted."""
        if self._dm is None:
            raise WorldError(f"{self.name}: expected to be fitted before it predicts, found not")
        return await self._dm.predict_async(examples, most)
