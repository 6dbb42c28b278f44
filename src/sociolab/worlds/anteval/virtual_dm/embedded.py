"""The linear virtual DM with sentence embeddings of turns beside their stems.

An embedding model gives a vector for each turn, once; only linear models are fitted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from sociolab.core.errors import Cause, ModelError
from sociolab.core.ports import CallKey, ChatModel, Message, Prompt
from sociolab.models.vectors import Vector, decode_vector
from sociolab.runner.local import work_all
from sociolab.runner.progress import Waits
from sociolab.worlds.anteval.virtual_dm.example import Example, Label, Turn
from sociolab.worlds.anteval.virtual_dm.linear import REACH, LinearDM, PlayReader, masked

if TYPE_CHECKING:
    from sociolab.worlds.anteval.virtual_dm.linear import Floats

_AT_ONCE = 64

_MOST_CHARACTERS = 1_000
"""Of a turn, from its end: about the 256 tokens that small embedding models read."""

_FADE = 0.6
"""What a turn's vector weighs beside that of the turn after it."""

_OWN, _ALL = 0.5, 0.7
"""Lengths of the vectors of what a candidate and all said, where stems have 1 (and 1 for all)."""


class TurnVectors:
    """The vectors of turns by an embedding model, which is asked for each text once.

    Names of candidates are masked. The model stores its replies, so that no later command asks for
    the same turn either. `tell` is called with the number of turns before they are asked for.
    """

    def __init__(self, model: ChatModel, tell: Callable[[str], None]) -> None:
        self.label = model.label
        self._model = model
        self._tell = tell
        self._texts: dict[tuple[tuple[Turn, ...], tuple[str, ...]], tuple[str, ...]] = {}
        self._vectors: dict[str, Vector] = {}

    async def load(self, examples: Sequence[Example]) -> None:
        """Ask for the vectors that `rows` needs; ModelError where one is missing or misshapen."""
        texts = dict.fromkeys(text for example in examples for text in self._read(example) if text)
        missing = [text for text in texts if text not in self._vectors]
        if missing:
            self._tell(f"{self.label}: {len(missing):,} turns to embed")
        error = await work_all(missing, self._embed, _AT_ONCE, Waits())
        if error is not None:
            raise error

    def rows(self, examples: Sequence[Example]) -> Floats:
        """A row per candidate of each example, in their order, with twice the numbers of a vector:
        what it said, and what was said in all; zeros for no words. The vectors must be loaded.
        """
        return np.concatenate([self._rows(example) for example in examples])

    def _read(self, example: Example) -> tuple[str, ...]:
        """The last turns as they are embedded, the latest first."""
        key = example.turns, example.candidates
        if key not in self._texts:
            self._texts[key] = tuple(
                masked(turn.text, example.candidates).strip()[-_MOST_CHARACTERS:]
                for turn in example.turns[: -REACH - 1 : -1]
            )
        return self._texts[key]

    async def _embed(self, text: str) -> None:
        prompt = Prompt((Message("user", text),))
        key = CallKey("turns", "embedder", "", 0, "virtual-dm", 1)
        vector = decode_vector((await self._model.complete(prompt, key)).text)
        size = self._size or len(vector)
        if not size or len(vector) != size:
            raise ModelError(
                f"{self.label}: expected embeddings of {size or 'some'} numbers, as of the turns "
                f"before, found {len(vector)}; name one model, or use a new --store if the "
                "endpoint has changed its model",
                cause="malformed reply",
                fatal=True,
            )
        self._vectors[text] = vector

    @property
    def _size(self) -> int:
        return len(next(iter(self._vectors.values()), ()))

    def _rows(self, example: Example) -> Floats:
        nothing = np.zeros(self._size, np.float32)
        vectors = [self._vectors.get(text, nothing) for text in self._read(example)]
        speakers = [turn.speaker for turn in example.turns[: -REACH - 1 : -1]]
        fades = _FADE ** np.arange(len(speakers))
        shares = [[speaker == who for speaker in speakers] * fades for who in example.candidates]
        sums = np.array([*shares, fades]) @ np.reshape(vectors, (len(vectors), len(nothing)))
        lengths = np.linalg.norm(sums, axis=1, keepdims=True)
        unit = sums / np.where(lengths > 0, lengths, 1)
        return np.hstack([unit[:-1] * _OWN, np.tile(unit[-1] * _ALL, (len(shares), 1))])


class EmbeddedDM:
    """`LinearDM` that reads vectors of turns as well; an `AsyncVirtualDM`.

    Virtual DMs with the same `vectors` and `reader` share what these have read.
    """

    def __init__(self, vectors: TurnVectors, reader: PlayReader) -> None:
        self._vectors = vectors
        self._dm = LinearDM(reader, vectors.rows)
        self.failures: Counter[Cause] = Counter()

    @property
    def name(self) -> str:
        """Such as "linear + openai/all-minilm"."""
        return f"{self._dm.name} + {self._vectors.label}"

    async def fit_async(self, examples: Sequence[Example]) -> None:
        """Embed what was not embedded yet, then learn. ModelError, and ConfigError as `linear`."""
        await self._vectors.load(examples)
        self._dm.fit(examples)

    async def predict_async(
        self, examples: Sequence[Example], most: int = 1
    ) -> tuple[frozenset[Label], ...]:
        """The best `most` pairs of each example; ModelError where a turn has no vector."""
        await self._vectors.load(examples)
        return self._dm.predict(examples, most)
