"""Texts as vectors, so that what they are about can be compared.

An embedder is a port: the one here needs no model, another may ask one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import blake2b
from math import sqrt
from typing import Final, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

Vectors: TypeAlias = npt.NDArray[np.float32]


class Embedder(Protocol):
    """Makes vectors of texts; `id` changes whenever the vectors do."""

    @property
    def id(self) -> str:
        """Such as "hashing-256-1": what a record of a run names."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """[texts, dimensions], a row of length one for each text, or of zeros for an empty one.

        A text's row must not depend on the texts beside it.
        """
        ...


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
    """Words and their parts, hashed into dimensions with signs (feature hashing).

    Texts with words in common are alike; words with letters in common a little; fillers hardly
    count. No training, no chance: the same text has the same row in every process.
    """

    id = f"hashing-{DIMENSIONS}-1"

    def __init__(self) -> None:
        self._forget_words()

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder`."""
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
        """Where the word's vector is kept."""
        row = self._row_of.get(word)
        if row is None:
            row = len(self._row_of)
            if row == len(self._rows):
                self._rows = np.concatenate([self._rows, np.zeros_like(self._rows)])
            self._rows[row] = _word_vector(word)
            self._row_of[word] = row
        return row


def _word_vector(word: str) -> Vectors:
    """The word as a whole in a few dimensions, its runs of letters in one each."""
    vector = np.zeros(DIMENSIONS, np.float32)
    whole = _digest(word)
    for place in range(_WORD_PLACES):
        _put(vector, whole[2 * place : 2 * place + 2], _WORD_PLACES**-0.5)
    framed = f"<{word}>"
    grams = [framed[i : i + _GRAM] for i in range(len(framed) - _GRAM + 1)] if word[3:] else []
    for gram in grams:
        _put(vector, _digest(f"\x1f{gram}"), _GRAMS_SHARE * len(grams) ** -0.5)
    return vector * np.float32(_FILLER_WEIGHT if word in _FILLER_WORDS else 1)


def _digest(text: str) -> bytes:
    return blake2b(text.encode(errors="surrogatepass"), digest_size=2 * _WORD_PLACES).digest()


def _put(vector: Vectors, dimension_and_sign: bytes, weight: float) -> None:
    vector[dimension_and_sign[0]] += weight if dimension_and_sign[1] & 1 else -weight
