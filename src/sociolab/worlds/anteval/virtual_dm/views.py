"""Play as sparse matrices: a row per seat at the table, the turns added up, later ones weigh more.

scikit-learn and scipy are imported when a matrix is made, not before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, TypeAlias

from sociolab.worlds.anteval.virtual_dm.example import DM, Example
from sociolab.worlds.anteval.virtual_dm.features import masked, stems

Matrix: TypeAlias = Any
"""A scipy sparse matrix; scikit-learn and scipy give its kinds no common type."""

Seat: TypeAlias = tuple[int, str]
"""The number of an example, and one of its candidates."""

REACH = 12
"""Turns back from the end that are read; more add little, and take time."""


@dataclass(frozen=True, slots=True)
class View:
    """Which turns a block of columns adds up: `weight(back, speaker, candidate)` of each.

    `back` counts from 0, the last turn. `share` is the block's part in what tells two rows apart.
    """

    share: float
    weight: Callable[[int, str, str], float]


OWN = View(1.0, lambda back, speaker, who: 0.7**back if speaker == who else 0.0)

VIEWS = (
    OWN,
    View(0.5, lambda back, speaker, who: 0.7**back if speaker == DM else 0.0),
    View(1.0, lambda back, speaker, who: 0.6**back),
)


class Turns:
    """The last turns of some examples as rows: TF-IDF of stems."""

    def __init__(self, examples: Sequence[Example], words: Words) -> None:
        self._speakers = [
            [turn.speaker for turn in reversed(example.turns[-REACH:])] for example in examples
        ]
        self._words: Matrix = words.matrix(_texts(examples) or [""])

    def words(self, view: View, seats: Sequence[Seat]) -> Matrix:
        """A row per seat: the words of the turns in view, of length sqrt(share), or empty."""
        from sklearn.preprocessing import normalize

        return normalize(self._weights(view, seats) @ self._words) * view.share**0.5

    def all(self, seats: Sequence[Seat]) -> Matrix:
        """All views, side by side."""
        from scipy import sparse

        return sparse.hstack([self.words(view, seats) for view in VIEWS], format="csr")

    def _weights(self, view: View, seats: Sequence[Seat]) -> Matrix:
        """A row per seat, a column per turn: what the turn weighs there."""
        from scipy import sparse

        starts = list(accumulate((len(one) for one in self._speakers), initial=0))
        cells = [
            (row, starts[number] + back, weight)
            for row, (number, who) in enumerate(seats)
            for back, speaker in enumerate(self._speakers[number])
            if (weight := view.weight(back, speaker, who))
        ]
        rows, columns, values = zip(*cells, strict=True) if cells else ((), (), ())
        shape = (len(seats), self._words.shape[0])
        return sparse.csr_matrix((values, (rows, columns)), shape=shape)


class Words:
    """A vocabulary with its weights: single stems and pairs of them, of at least 3 turns.

    Where the examples are so few that nothing occurs in 3 turns, all that occurs.
    """

    def __init__(self, examples: Sequence[Example]) -> None:
        texts = _texts(examples)
        try:
            self._vectorizer = _vectorizer(3).fit(texts)
        except ValueError:  # scikit-learn's word for an empty vocabulary
            self._vectorizer = _vectorizer(1).fit(texts)

    def matrix(self, texts: Sequence[str]) -> Matrix:
        """A row per text."""
        return self._vectorizer.transform(texts)


def _vectorizer(least: int) -> Any:
    from sklearn.feature_extraction.text import TfidfVectorizer

    return TfidfVectorizer(
        tokenizer=stems,
        token_pattern=None,
        lowercase=False,
        ngram_range=(1, 2),
        min_df=least,
        max_features=60_000,
        sublinear_tf=True,
        norm=None,
    )


def _texts(examples: Sequence[Example]) -> list[str]:
    """The last turns of all examples, the latest of each first, without the candidates' names."""
    return [
        masked(turn.text, example.candidates)
        for example in examples
        for turn in reversed(example.turns[-REACH:])
    ]
