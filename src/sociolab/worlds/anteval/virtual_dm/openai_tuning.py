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
from sociolab.models.finetuning import FineTuningClient, TuningOrder
from sociolab.worlds.anteval.virtual_dm.chat import ChatDM, expected_reply, prompt_body, prompt_head
from sociolab.worlds.anteval.virtual_dm.example import Example, Label


class OpenAITunedDM:
    """Fine-tunes a chat model on examples and asks the tuned one; a VirtualDM to be awaited.

    Training file and job record lie in `folder`, named by a hash of examples, model and order, so
    that fitting on the same examples again waits for the same job, or finds its model at once.
    `open_model` makes a chat model from the tuned model's name; `tell` is called with the job's
    status, which is polled every `every_s` seconds; `run` is as in `ChatDM`.
    """

    def __init__(
        self,
        client: FineTuningClient,
        open_model: Callable[[str], ChatModel],
        folder: Path,
        order: TuningOrder,
        *,
        tell: Callable[[str], None],
        every_s: float = 20.0,
        run: str = "",
    ) -> None:
        self._client = client
        self._open_model = open_model
        self._folder = folder
        self._order = order
        self._tell = tell
        self._every_s = every_s
        self._run = run
        self._dm: ChatDM | None = None

    @property
    def name(self) -> str:
        """Such as "tuned:gpt-x", by the base model."""
        return f"tuned:{self._client.model}"

    @property
    def failures(self) -> Counter[Cause]:
        """As in `ChatDM`: the examples without a usable reply, by cause, since it was fitted."""
        return Counter() if self._dm is None else self._dm.failures

    async def fit_async(self, examples: Sequence[Example]) -> None:
        """Create or resume the job, and wait for its model; ModelError if it is lost.

        ConfigError where there is nothing to learn from, or a file cannot be written.
        """
        self._dm = None
        tuned = await self._client.tune(
            training_bytes(examples), self._folder, self._order, self._tell, self._every_s
        )
        # No schema: the tuned model then reads what it was trained on, and nothing else.
        self._dm = ChatDM(self._open_model(tuned), run=self._run, typed=False)

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
    text = ""
    for example in examples:
        messages = [
            {"role": "system", "content": prompt_head()},
            {"role": "user", "content": prompt_body(example)},
            {"role": "assistant", "content": expected_reply(example)},
        ]
        row = json.dumps({"messages": messages}, ensure_ascii=False, separators=(",", ":"))
        text += row + "\n"
    return text.encode("utf-8", "replace")
