"""A virtual DM fine-tuned by a provider that speaks OpenAI's fine-tuning API.

Its training file has a conversation on each line: an example as a virtual DM is asked about it, and
the right answer.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from sociolab.core.errors import Cause, ConfigError, WorldError
from sociolab.core.ports import ChatModel
from sociolab.core.user_files import written_whole
from sociolab.models.budget import CHARACTERS_A_TOKEN
from sociolab.models.finetuning import (
    PATIENT,
    FineTuningClient,
    Patience,
    TuningOrder,
    tuned,
    tuning_key,
)
from sociolab.worlds.anteval.virtual_dm.chat import ChatDM, answer_of, body_of, head
from sociolab.worlds.anteval.virtual_dm.example import Example, Label

TOKENS_A_MESSAGE = 4
"""What a chat format adds to each message, about."""


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
        tokens = training_tokens(examples)
        self._tell(f"{file}: {len(examples)} examples, about {tokens} tokens per epoch")
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
            raise WorldError(f"{self.name}: expected a call of fit before predict, found none")
        return await self._dm.predict_async(examples, most)


def training_bytes(examples: Sequence[Example]) -> bytes:
    """The training file of some examples, in their order; ConfigError if there are none."""
    if not examples:
        raise ConfigError("a training file: expected examples to train on, found none")
    lines = ({"messages": _messages(example)} for example in examples)
    text = "".join(
        json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines
    )
    return text.encode("utf-8", "replace")


def write_training_file(file: Path, content: bytes) -> None:
    """Write a training file, which appears when it is complete; ConfigError if it cannot be."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with written_whole(file) as part:
            part.write_bytes(content)
    except OSError as error:
        raise ConfigError(
            f"{file}: the training file cannot be written ({error.strerror}); name another folder"
        ) from error


def training_tokens(examples: Sequence[Example]) -> int:
    """An estimate of the tokens that an epoch is billed for, at four characters a token."""
    return sum(
        round(sum(len(message["content"]) for message in messages) / CHARACTERS_A_TOKEN)
        + TOKENS_A_MESSAGE * len(messages)
        for messages in map(_messages, examples)
    )


def _messages(example: Example) -> list[dict[str, str]]:
    return [
        {"role": "system", "content": head()},
        {"role": "user", "content": body_of(example)},
        {"role": "assistant", "content": answer_of(example)},
    ]
