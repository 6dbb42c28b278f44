"""How much two texts share of their word 4-grams, names masked: |A & B| / min(|A|, |B|)."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_matrix

_WORD = re.compile(r"[\w'-]+")
_SENTENCE_STARTS = re.compile(r"(?:^|[.?!:]\s+)$")


def masked(text: str, first_name: str) -> list[str]:
    """The words in small letters; names (capitals within a sentence, or the hero's) are masked."""
    words = []
    for found in _WORD.finditer(text):
        word = found[0]
        inside = not _SENTENCE_STARTS.search(text[: found.start()][-3:])
        name = word.removesuffix("'s") == first_name or (inside and word[0].isupper())
        words.append("#" if name else word.casefold())
    return words


def four_grams(words: Sequence[str]) -> set[tuple[str, ...]]:
    return set(zip(words, words[1:], words[2:], words[3:], strict=False))


def shares(texts: Sequence[set[tuple[str, ...]]]) -> np.ndarray:
    """Every pair's share, in a square of which the diagonal is 0."""
    number = {gram: place for place, gram in enumerate(sorted(set().union(*texts)))}
    columns = [number[gram] for grams in texts for gram in sorted(grams)]
    rows = np.repeat(np.arange(len(texts)), [len(grams) for grams in texts])
    ones = np.ones(len(columns), dtype=np.int32)
    held = csr_matrix((ones, (rows, columns)), shape=(len(texts), len(number)))
    common = csr_matrix(held @ held.T).toarray()
    sizes = np.array([len(grams) for grams in texts])
    found: np.ndarray = common / np.minimum.outer(sizes, sizes)
    np.fill_diagonal(found, 0.0)
    return found
