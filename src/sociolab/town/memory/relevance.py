"""How much texts have to do with a query: cosines, the same to the last bit on every machine."""

from __future__ import annotations

from itertools import islice
from typing import Final

import numpy as np
import numpy.typing as npt

from sociolab.town.memory.embedding import Embedder, Vectors

_GRAIN: Final = np.float32(2048)
"""Vectors are rounded to multiples of 1/2048.

Products are then multiples of 2**-22, and sums of them below 2 are exact in 24 bits, so that the
order of adding, which libraries choose, is of no account: equal texts stay equal.
"""


class Relevance:
    """A growing list of texts; each distinct one is embedded once, when a query first comes."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._row_of: dict[str, int] = {}
        self._rows: list[int] = []
        self._vectors: Vectors | None = None
        self._embedded = 0
        self._placed: npt.NDArray[np.int64] = np.zeros(0, np.int64)

    def add(self, text: str) -> None:
        """One more text, which may have been there before."""
        self._rows.append(self._row_of.setdefault(text, len(self._row_of)))

    def to(self, query: str) -> Vectors:
        """[texts added]: the cosine of each with the query, -1 to 1; 0 where one says nothing."""
        vectors = self._all_embedded()
        known = self._row_of.get(query)
        sought = self._rounded([query])[0] if known is None else vectors[known]
        if len(self._placed) < len(self._rows):
            new = np.array(self._rows[len(self._placed) :], np.int64)
            self._placed = np.concatenate([self._placed, new])
        cosines: Vectors = vectors @ sought
        return cosines.take(self._placed)

    def _all_embedded(self) -> Vectors:
        """[distinct texts, dimensions]."""
        if self._vectors is None or self._embedded < len(self._row_of):
            new = self._rounded(list(islice(self._row_of, self._embedded, None)))
            if self._vectors is None:
                self._vectors = new
            elif len(self._row_of) > len(self._vectors):
                room = np.zeros_like(self._vectors, shape=(len(self._row_of), new.shape[1]))
                self._vectors = np.concatenate([self._vectors[: self._embedded], new, room])
            else:
                self._vectors[self._embedded : len(self._row_of)] = new
            self._embedded = len(self._row_of)
        return self._vectors[: self._embedded]

    def _rounded(self, texts: list[str]) -> Vectors:
        rounded: Vectors = np.rint(self._embedder.embed(texts) * _GRAIN)
        rounded /= _GRAIN
        return rounded
