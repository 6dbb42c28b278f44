"""What a resident remembers, and what of it comes to mind.

Generative Agents, section 4.1: retrieval by recency, importance and relevance.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from hashlib import blake2b
from itertools import islice
from math import sqrt
from typing import Any, Final, Literal, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from sociolab.core.errors import WorldError
from sociolab.town.clock import Clock
from sociolab.town.questions import Memory

DECAY: Final = 0.995
"""What is left of a memory's recency after an hour of town time without access."""

PROVISIONAL: Final = 3
"""The importance that a memory counts with until it is rated: a little above the mundane."""

LIVED: Final = frozenset({"seen", "talk", "done"})
"""The kinds whose importance builds up to a reflection: what happens, not what one makes of it."""

MemoryKind: TypeAlias = Literal["seen", "talk", "thought", "done", "known", "plan"]
"""`known`: a seed memory, there before the first day."""
Floats: TypeAlias = npt.NDArray[np.float64]


class MemoryStream:
    """Memories in the order in which they were added, numbered from 0.

    `now` is the current step, set by the resident's life; `recall` and `latest` do not count as
    access. Adding is cheap: texts are embedded at the first query.
    """

    def __init__(self, clock: Clock, embedder: Embedder) -> None:
        self.now = 0
        self._clock = clock
        self._memories: list[Memory] = []
        self._accessed = np.zeros(32, np.int64)  # the step of the last access
        self._importance = np.zeros(32, np.float64)
        self._is_glimpse = np.zeros(32, np.bool_)
        self._relevance = Relevance(embedder)
        self._unrated: dict[str, list[int]] = {}
        self._rated: dict[str, int] = {}
        self._importance_since = 0

    def __len__(self) -> int:
        return len(self._memories)

    def __getitem__(self, index: int) -> Memory:
        return self._memories[index]

    def add(self, step: int, kind: MemoryKind, text: str, importance: int | None = None) -> int:
        """Add a memory; returns its number.

        Without `importance` it gets the rating that the same text was given before, if any.
        """
        index = len(self._memories)
        if importance is None:
            importance = self._rated.get(text)
        if importance is None:
            self._unrated.setdefault(text, []).append(index)
        self._memories.append(Memory(self._clock.at(step), kind, text, importance))
        if index == len(self._accessed):
            self._accessed, self._importance = _double(self._accessed), _double(self._importance)
            self._is_glimpse = _double(self._is_glimpse)
        self._accessed[index] = step
        self._is_glimpse[index] = kind == "seen"
        self._importance[index] = PROVISIONAL if importance is None else importance
        self._relevance.add(text)
        self._build_up(index)
        return index

    def unrated(self) -> tuple[int, ...]:
        """The memories to be rated, oldest first; of those with the same text only the first."""
        return tuple(alike[0] for alike in self._unrated.values())

    def rate(self, index: int, importance: int) -> None:
        """Rate an unrated memory, and all others with its text; importance is 1 to 10."""
        text = self._memories[index].text
        if text not in self._unrated or not 1 <= importance <= 10:
            raise WorldError(
                f"expected a rating from 1 to 10 of an unrated memory, found {importance} "
                f'for number {index}, "{text}".'
            )
        self._rated[text] = importance
        for alike in self._unrated.pop(text):
            self._memories[alike] = replace(self._memories[alike], importance=importance)
            self._importance[alike] = importance
            self._build_up(alike)

    @property
    def importance_since(self) -> int:
        """The total importance of experiences rated since `reset_importance`.

        A memory rated late counts when it is rated, so that each counts once.
        """
        return self._importance_since

    def reset_importance(self) -> None:
        """Reset `importance_since` after a reflection."""
        self._importance_since = 0

    def retrieve(
        self, step: int, query: str, most: int, glimpses: int | None = None
    ) -> tuple[Memory, ...]:
        """The highest-scoring memories at this step, best first; this counts as accessing them.

        At most `glimpses` of them are of things merely seen, which are many and would crowd out
        what was said.
        """
        best = self.find(step, query, most, glimpses)
        return tuple(self._memories[index] for index in best)

    def find(
        self, step: int, query: str, most: int, glimpses: int | None = None
    ) -> tuple[int, ...]:
        """As `retrieve`, but the numbers of the memories."""
        best = self._best(step, query, most, glimpses)
        self._accessed[best] = step
        return tuple(best)

    def recall(self, query: str, most: int) -> tuple[Memory, ...]:
        """As `retrieve`, now, but without counting as access (see `Recall`)."""
        return tuple(self._memories[index] for index in self._best(self.now, query, most))

    def latest(self, most: int) -> tuple[Memory, ...]:
        return tuple(self._memories[max(0, len(self._memories) - most) :])

    def texts(self) -> Iterator[str]:
        """Each distinct text once, in order of first appearance."""
        return self._relevance.texts()

    def scores(self, step: int, query: str) -> Floats:
        """[memories]: recency, importance and relevance, each scaled to [0, 1], added; 0 to 3.

        Recency is 0.995 to the power of the hours since the last access; relevance is the cosine
        between a memory and the query.
        """
        size = len(self._memories)
        hours = (step - self._accessed[:size]) * (self._clock.seconds / 3600)
        total = scale(DECAY**hours)
        total += scale(self._importance[:size])
        total += scale(self._relevance.cosines(query))
        return total

    def _best(self, step: int, query: str, most: int, glimpses: int | None = None) -> list[int]:
        """The numbers of the highest-scoring memories; of two equal ones the newer."""
        if not self._memories:
            return []
        scores = self.scores(step, query)
        if glimpses is None:
            return _highest(scores, np.arange(len(scores)), most)
        glimpsed = self._is_glimpse[: len(scores)]
        best = _highest(scores, np.flatnonzero(~glimpsed), most)
        best += _highest(scores, np.flatnonzero(glimpsed), min(glimpses, most))
        return sorted(best, key=lambda index: (-scores[index], -index))[:most]

    def _build_up(self, index: int) -> None:
        memory = self._memories[index]
        if memory.importance is not None and memory.kind in LIVED:
            self._importance_since += memory.importance


def scale(values: npt.NDArray[Any]) -> Floats:
    """Scale to [0, 1]: the least becomes 0, the greatest 1; all 0 if they are equal.

    >>> scale(np.array([2, 3, 6])).tolist()
    [0.0, 0.25, 1.0]
    """
    if not len(values):
        return np.zeros(0)
    low, high = float(values.min()), float(values.max())
    if low == high:
        return np.zeros(len(values))
    shares: Floats = np.subtract(values, low, dtype=np.float64)
    shares /= high - low
    return shares


_Numbers = npt.NDArray[Any]


def _double(numbers: _Numbers) -> _Numbers:
    return np.concatenate([numbers, np.zeros_like(numbers)])


def _highest(scores: Floats, among: npt.NDArray[np.intp], most: int) -> list[int]:
    """The highest-scoring of these numbers, best first; of two equal ones the higher number."""
    most = min(most, len(among))
    if most <= 0:
        return []
    values = scores[among]
    enough = among[values >= np.partition(values, len(values) - most)[len(values) - most]]
    best = sorted(zip(scores[enough].tolist(), enough.tolist(), strict=True), reverse=True)
    return [index for _, index in best[:most]]


# ------------------------------------------------------------------ relevance


_GRAIN: Final = np.float32(2048)
"""Vectors are rounded to multiples of 1/2048.

Products are then multiples of 2**-22, and sums of them below 2 are exact in 24 bits, so that the
order of adding, which libraries choose, is of no account: equal texts stay equal.
"""


class Relevance:
    """A growing list of texts; each distinct one is embedded once, at the next query."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._row_of: dict[str, int] = {}
        self._rows: list[int] = []
        self._vectors: Vectors | None = None
        self._embedded = 0
        self._row_numbers: npt.NDArray[np.int64] = np.zeros(0, np.int64)

    def add(self, text: str) -> None:
        self._rows.append(self._row_of.setdefault(text, len(self._row_of)))

    def texts(self) -> Iterator[str]:
        """The distinct texts, in order of first appearance."""
        return iter(self._row_of)

    def cosines(self, query: str) -> Vectors:
        """[texts added]: the cosine of each with the query, -1 to 1; 0 for an empty text.

        All are 0 while a vector is missing that is to be supplied from outside.
        """
        embedder = self._embedder
        if isinstance(embedder, SuppliedVectors) and embedder.missing((*self._row_of, query)):
            return np.zeros(len(self._rows), np.float32)
        vectors = self._all_embedded()
        row = self._row_of.get(query)
        sought = self._embed_rounded([query])[0] if row is None else vectors[row]
        if len(self._row_numbers) < len(self._rows):
            new = np.array(self._rows[len(self._row_numbers) :], np.int64)
            self._row_numbers = np.concatenate([self._row_numbers, new])
        cosines: Vectors = vectors @ sought
        return cosines.take(self._row_numbers)

    def _all_embedded(self) -> Vectors:
        """[distinct texts, dimensions]."""
        if self._vectors is None or self._embedded < len(self._row_of):
            new = self._embed_rounded(list(islice(self._row_of, self._embedded, None)))
            if self._vectors is None:
                self._vectors = new
            elif len(self._row_of) > len(self._vectors):
                room = np.zeros_like(self._vectors, shape=(len(self._row_of), new.shape[1]))
                self._vectors = np.concatenate([self._vectors[: self._embedded], new, room])
            else:
                self._vectors[self._embedded : len(self._row_of)] = new
            self._embedded = len(self._row_of)
        return self._vectors[: self._embedded]

    def _embed_rounded(self, texts: list[str]) -> Vectors:
        rounded: Vectors = np.rint(self._embedder.embed(texts) * _GRAIN)
        rounded /= _GRAIN
        return rounded


# ------------------------------------------------------------------ embedding


Vectors: TypeAlias = npt.NDArray[np.float32]


class Embedder(Protocol):
    """Embeds texts, so that their meanings can be compared.

    `id` changes whenever the vectors do. The embedder here needs no model; another may ask one.
    """

    @property
    def id(self) -> str:
        """Such as "hashing-256-1": what the record of a run names."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """[texts, dimensions]: a row of length one for each text, or of zeros for an empty one.

        A text's row must not depend on the texts beside it.
        """
        ...


class SuppliedVectors:
    """An `Embedder` whose vectors are supplied from outside."""

    id = "given"

    def __init__(self) -> None:
        self._rows: dict[str, Vectors] = {}

    def missing(self, texts: Iterable[str]) -> tuple[str, ...]:
        """The texts among these that have no vector yet, each once."""
        return tuple(text for text in dict.fromkeys(texts) if text not in self._rows)

    def supply(self, texts: Sequence[str], vectors: Sequence[Vectors]) -> None:
        """Supply a vector of length one for each text."""
        self._rows |= zip(texts, vectors, strict=True)

    def embed(self, texts: Sequence[str]) -> Vectors:
        return np.stack([self._rows[text] for text in texts])


DIMENSIONS: Final = 256
"""As many as one byte of a digest tells apart."""

_WORD_PLACES: Final = 4
_GRAM: Final = 3
_GRAMS_SHARE: Final = 0.6
_FILLER_WEIGHT: Final = 0.1
_MOST_WORDS_KEPT: Final = 16_384
_FILLERS: Final = (
    "a about after all also am an and any are as at be been before being but by can could d "
    "did do does doing for from get go going had has have having he her here him his how i if "
    "in into is it its just ll m me my no not of off on or our out over re s she should so "
    "some t than that the their them then there they this to too up us ve very was we were "
    "what when where which while who will with would you your"
)
_FILLER_WORDS: Final = frozenset(_FILLERS.split())
_WORD: Final = re.compile(r"\w+")


class HashingEmbedder:
    """Feature hashing: words and their letter trigrams, hashed into signed dimensions.

    Texts with words in common are similar; words with letters in common are a little; fillers
    hardly count. No training, no randomness: a text has the same row in every process.
    """

    id = f"hashing-{DIMENSIONS}-1"

    def __init__(self) -> None:
        self._forget_words()

    def embed(self, texts: Sequence[str]) -> Vectors:
        if len(self._row_of) > _MOST_WORDS_KEPT:
            self._forget_words()
        vectors = np.zeros((len(texts), DIMENSIONS), np.float32)
        for vector, text in zip(vectors, texts, strict=True):
            words = [self._row(word) for word in _WORD.findall(text.lower())]
            if words:
                np.add.reduce(self._rows.take(words, axis=0), axis=0, out=vector)
                vector *= 1 / (sqrt(vector.dot(vector)) or 1)
        return vectors

    def _forget_words(self) -> None:
        self._row_of: dict[str, int] = {}
        self._rows = np.zeros((256, DIMENSIONS), np.float32)

    def _row(self, word: str) -> int:
        """The number of the word's row; its vector is computed at first use."""
        row = self._row_of.get(word)
        if row is None:
            row = len(self._row_of)
            if row == len(self._rows):
                self._rows = np.concatenate([self._rows, np.zeros_like(self._rows)])
            self._rows[row] = _word_vector(word)
            self._row_of[word] = row
        return row


def _word_vector(word: str) -> Vectors:
    """The whole word in a few dimensions, each of its trigrams in one."""
    vector = np.zeros(DIMENSIONS, np.float32)
    digest = _digest(word)
    for place in range(_WORD_PLACES):
        _add_signed(vector, digest[2 * place : 2 * place + 2], _WORD_PLACES**-0.5)
    framed = f"<{word}>"
    grams = [framed[i : i + _GRAM] for i in range(len(framed) - _GRAM + 1)] if word[3:] else []
    for gram in grams:
        _add_signed(vector, _digest(f"\x1f{gram}"), _GRAMS_SHARE * len(grams) ** -0.5)
    return vector * np.float32(_FILLER_WEIGHT if word in _FILLER_WORDS else 1)


def _digest(text: str) -> bytes:
    return blake2b(text.encode(errors="surrogatepass"), digest_size=2 * _WORD_PLACES).digest()


def _add_signed(vector: Vectors, dimension_and_sign: bytes, weight: float) -> None:
    vector[dimension_and_sign[0]] += weight if dimension_and_sign[1] & 1 else -weight
