"""The default virtual DM: linear models rank every candidate and every skill (scikit-learn).

Who: a logistic regression over when and how each candidate spoke, and over their last words. Which
skill: a ridge regression, one output a skill, over stems of what was said, later turns weighing
more. A pair's score is the product of the two.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from sociolab.core.errors import ConfigError, WorldError
from sociolab.core.seeding import stream
from sociolab.worlds.anteval.skills import SKILLS
from sociolab.worlds.anteval.virtual_dm.example import Example, Label
from sociolab.worlds.anteval.virtual_dm.features import candidate_features, stems
from sociolab.worlds.anteval.virtual_dm.views import (
    OWN,
    Matrix,
    Seat,
    Turns,
    Words,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]

_RIDGE = 1.0
_INVERSE_PENALTY = 0.03
_OWN_WORDS = 3.0
"""What a candidate's words weigh beside the other features, each of deviation 1."""

_FLOOR = 1e-3
"""A skill's score below this counts as this, so that candidates still differ."""

_MOST_CHECKS = 6_000
"""The skills are learned from at most so many checks: memory grows with their square."""


class LinearDM:
    """Ranks (candidate, skill) pairs; no name of a candidate is a feature.

    The same examples in the same order give the same model. Chosen by cross-validation over
    episodes of real play (benchmarks/virtual_dm_experiment.py).
    """

    def __init__(self) -> None:
        self._words: Words | None = None
        self._who: _Who | None = None
        self._which: _Which | None = None

    @property
    def name(self) -> str:
        """As in tables."""
        return "linear"

    def fit(self, examples: Sequence[Example]) -> None:
        """Learn from examples. ConfigError where there is no label or no word."""
        if not any(example.labels for example in examples):
            raise ConfigError("training examples: expected at least one label, found none")
        if not any(stems(turn.text) for example in examples for turn in example.turns):
            raise ConfigError("training examples: expected words in at least one turn, found none")
        from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

        self._words = Words(examples)
        turns = Turns(examples, self._words)
        # The products are many and small: a second thread only waits, at the cost of a whole core.
        with threadpool_limits(1):
            self._who = _Who(examples, turns)
            self._which = _Which(examples, turns)

    def predict(self, examples: Sequence[Example], most: int = 1) -> tuple[frozenset[Label], ...]:
        """The best `most` pairs of each example; of alike ones, the candidate named first."""
        if self._words is None or self._who is None or self._which is None:
            raise WorldError("linear: expected to be fitted before it predicts, found not")
        if not examples:
            return ()
        turns, seats = Turns(examples, self._words), _seats(examples)
        scores = self._who.chances(examples, turns)[:, None] * self._which.scores(turns, seats)
        ranked: list[list[tuple[float, Label]]] = [[] for _ in examples]
        for (number, who), row in zip(seats, scores.tolist(), strict=True):
            ranked[number] += zip(row, (Label(who, skill) for skill in SKILLS), strict=True)
        return tuple(frozenset(_best(pairs, most)) for pairs in ranked)


class _Who:
    """How likely each candidate makes a check."""

    def __init__(self, examples: Sequence[Example], turns: Turns) -> None:
        from sklearn.feature_extraction import DictVectorizer
        from sklearn.linear_model import LogisticRegression
        from sklearn.preprocessing import StandardScaler

        self._columns = DictVectorizer()
        self._scale = StandardScaler(with_mean=False)
        self._model = LogisticRegression(C=_INVERSE_PENALTY, max_iter=500)
        manner = self._scale.fit_transform(self._columns.fit_transform(_rows(examples)))
        truth, weights = _truth(examples)
        self._always = len(set(truth)) == 1
        if not self._always:
            features = _beside(manner, turns, _seats(examples))
            self._model.fit(features, truth, sample_weight=weights)

    def chances(self, examples: Sequence[Example], turns: Turns) -> Floats:
        """Of each seat, in order, 0..1; all 1 where in training everybody always checked."""
        import numpy as np

        seats = _seats(examples)
        if self._always:
            return np.ones(len(seats))
        manner = self._scale.transform(self._columns.transform(_rows(examples)))
        return np.asarray(self._model.predict_proba(_beside(manner, turns, seats))[:, 1])


class _Which:
    """What each skill scores for a seat: about the chance that a check there is of this skill."""

    def __init__(self, examples: Sequence[Example], turns: Turns) -> None:
        import numpy as np

        checks = _checks(examples)
        features = turns.all([seat for seat, _ in checks])
        truth = np.array([[float(skill == one) for one in SKILLS] for _, skill in checks])
        sizes = Counter(number for (number, _), _ in checks)
        # A check of the whole party is one event, not six; neither is it as little as one.
        weights = np.array([sizes[number] ** -0.5 for (number, _), _ in checks])
        self._mean: Floats = np.average(truth, axis=0, weights=weights)
        # Ridge in its dual form: there are far fewer checks than columns.
        inner = (features @ features.T).toarray()
        inner[np.diag_indices_from(inner)] += _RIDGE / weights
        self._coefficients: Floats = features.T @ np.linalg.solve(inner, truth - self._mean)

    def scores(self, turns: Turns, seats: Sequence[Seat]) -> Floats:
        """A row per seat, a column per skill."""
        import numpy as np

        scores = turns.all(seats) @ self._coefficients + self._mean
        return np.asarray(np.maximum(scores, _FLOOR))


def _beside(manner: Matrix, turns: Turns, seats: Sequence[Seat]) -> Matrix:
    """How each seat spoke, and the words that it said."""
    from scipy import sparse

    return sparse.hstack([manner, turns.words(OWN, seats) * _OWN_WORDS], format="csr")


def _seats(examples: Sequence[Example]) -> list[Seat]:
    return [(number, who) for number, one in enumerate(examples) for who in one.candidates]


def _rows(examples: Sequence[Example]) -> list[dict[str, float]]:
    return [dict(row) for example in examples for row in candidate_features(example)]


def _truth(examples: Sequence[Example]) -> tuple[list[bool], list[float]]:
    """Of each seat: whether the candidate makes a check, and what the seat weighs."""
    truth, weights = [], []
    for example in examples:
        checking = {label.character for label in example.labels}
        truth += [who in checking for who in example.candidates]
        weights += [1 / max(1, len(checking))] * len(example.candidates)
    return truth, weights


def _checks(examples: Sequence[Example]) -> list[tuple[Seat, str]]:
    """Who checks what, at most so many, drawn at random but always alike."""
    found = [
        ((number, label.character), label.skill)
        for number, example in enumerate(examples)
        for label in sorted(example.labels)
    ]
    if len(found) <= _MOST_CHECKS:
        return found
    kept = stream(0, "linear", len(found)).sample(range(len(found)), _MOST_CHECKS)
    return [found[place] for place in sorted(kept)]


def _best(pairs: Sequence[tuple[float, Label]], most: int) -> list[Label]:
    ranked = sorted(pairs, key=lambda pair: -pair[0])
    return [label for _, label in ranked[:most]]
