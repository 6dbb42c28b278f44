"""The default virtual DM: linear models rank every candidate and every skill (scikit-learn).

Who: a logistic regression over when and how each candidate spoke, and over their last words. Which
skill: a ridge regression, one output a skill, over stems of what was said, later turns weighing
more. A pair's score is the product of the two.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, Any, TypeAlias

from sociolab.core.errors import ConfigError, WorldError
from sociolab.core.seeding import stream
from sociolab.worlds.anteval.session import SKILLS
from sociolab.worlds.anteval.virtual_dm.example import DM, Example, Label, Turn

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
        self._words: StemVocabulary | None = None
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

        self._words = StemVocabulary(examples)
        turns = TurnMatrix(examples, self._words)
        # The products are many and small: a second thread only waits, at the cost of a whole core.
        with threadpool_limits(1):
            self._who = _Who(examples, turns)
            self._which = _Which(examples, turns)

    def predict(self, examples: Sequence[Example], most: int = 1) -> tuple[frozenset[Label], ...]:
        """The best `most` pairs of each example; of alike ones, the candidate named first."""
        if self._words is None or self._who is None or self._which is None:
            raise WorldError("linear: expected a call of fit before predict, found none")
        if not examples:
            return ()
        turns, seats = TurnMatrix(examples, self._words), _seats(examples)
        scores = self._who.chances(examples, turns)[:, None] * self._which.scores(turns, seats)
        ranked: list[list[tuple[float, Label]]] = [[] for _ in examples]
        for (number, who), row in zip(seats, scores.tolist(), strict=True):
            ranked[number] += zip(row, (Label(who, skill) for skill in SKILLS), strict=True)
        return tuple(frozenset(_best(pairs, most)) for pairs in ranked)


class _Who:
    """How likely each candidate makes a check."""

    def __init__(self, examples: Sequence[Example], turns: TurnMatrix) -> None:
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

    def chances(self, examples: Sequence[Example], turns: TurnMatrix) -> Floats:
        """Of each seat, in order, 0..1; all 1 where in training everybody always checked."""
        import numpy as np

        seats = _seats(examples)
        if self._always:
            return np.ones(len(seats))
        manner = self._scale.transform(self._columns.transform(_rows(examples)))
        return np.asarray(self._model.predict_proba(_beside(manner, turns, seats))[:, 1])


class _Which:
    """What each skill scores for a seat: about the chance that a check there is of this skill."""

    def __init__(self, examples: Sequence[Example], turns: TurnMatrix) -> None:
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

    def scores(self, turns: TurnMatrix, seats: Sequence[Seat]) -> Floats:
        """A row per seat, a column per skill."""
        import numpy as np

        scores = turns.all(seats) @ self._coefficients + self._mean
        return np.asarray(np.maximum(scores, _FLOOR))


def _beside(manner: Matrix, turns: TurnMatrix, seats: Sequence[Seat]) -> Matrix:
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


Matrix: TypeAlias = Any
"""A scipy sparse matrix; scikit-learn and scipy give its kinds no common type."""

Seat: TypeAlias = tuple[int, str]
"""The number of an example, and one of its candidates."""

REACH = 12
"""Turns back from the end that are read; more add little, and take time."""


@dataclass(frozen=True, slots=True)
class TurnView:
    """Which turns a block of columns adds up: `weight(back, speaker, candidate)` of each.

    `back` counts from 0, the last turn. `share` is the block's part in what tells two rows apart.
    """

    share: float
    weight: Callable[[int, str, str], float]


OWN = TurnView(1.0, lambda back, speaker, who: 0.7**back if speaker == who else 0.0)

VIEWS = (
    OWN,
    TurnView(0.5, lambda back, speaker, who: 0.7**back if speaker == DM else 0.0),
    TurnView(1.0, lambda back, speaker, who: 0.6**back),
)


class TurnMatrix:
    """The last turns of some examples as rows: TF-IDF of stems."""

    def __init__(self, examples: Sequence[Example], words: StemVocabulary) -> None:
        self._speakers = [
            [turn.speaker for turn in reversed(example.turns[-REACH:])] for example in examples
        ]
        self._words: Matrix = words.matrix(_texts(examples) or [""])

    def words(self, view: TurnView, seats: Sequence[Seat]) -> Matrix:
        """A row per seat: the words of the turns in view, of length sqrt(share), or empty."""
        from sklearn.preprocessing import normalize

        return normalize(self._weights(view, seats) @ self._words) * view.share**0.5

    def all(self, seats: Sequence[Seat]) -> Matrix:
        """All views, side by side."""
        from scipy import sparse

        return sparse.hstack([self.words(view, seats) for view in VIEWS], format="csr")

    def _weights(self, view: TurnView, seats: Sequence[Seat]) -> Matrix:
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


class StemVocabulary:
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


if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]


STEM = 5
"""Letters of a word that count: "sneaking" and "sneaks" are both "sneak"."""

_NEAR = 8
"""Turns back from the end in which it matters who is named."""

_NOBODY = "someone"

_CAPITALISED = re.compile(r"\b[A-Z][a-z]{2,}(?:['\u2019][a-z]+)?")
_TOKEN = re.compile(r"[\w']+|\?")
_LETTERS = re.compile(r"[^\W\d_]+")

_ATTEMPT = re.compile(
    r"\b(?:(?:can|could|may|do|am|shall) i|i (?:want|wanna|will|try|look|go|attempt|start|just|"
    r"pull|take|do)|i'd like|i would like|i'll|i'm (?:going to|gonna|trying)|let me)\b",
    re.IGNORECASE,
)
_FIRST_PERSON = re.compile(r"\bI\b")
_PLURAL = re.compile(r"\b(?:we|we're|we'll|us|let's)\b", re.IGNORECASE)
_DICE = re.compile(
    r"\b(?:checks?|roll(?:s|ed)?|(?:dis)?advantage|d20|natural|\d+)\b", re.IGNORECASE
)
_ALL = re.compile(
    r"\b(?:everyone|everybody|you guys|all of you|you all|party|both of you|the rest of you)\b",
    re.IGNORECASE,
)


def stems(text: str) -> list[str]:
    """Its words in lower case, cut to 5 letters, with numbers and question marks."""
    return [token[:STEM] for token in _TOKEN.findall(text.lower().replace("\u2019", "'"))]


def mentioned(text: str, names: Sequence[str]) -> tuple[str, ...]:
    """Who of these is named, in the order of the text; a nickname is the beginning of a name."""
    found = (_meant(match.group(), names) for match in _CAPITALISED.finditer(text))
    return tuple(name for name in found if name is not None)


def masked(text: str, names: Sequence[str]) -> str:
    """The text with these names replaced, so that nobody's name is learned."""

    def replacement(match: re.Match[str]) -> str:
        return match.group() if _meant(match.group(), names) is None else _NOBODY

    return _CAPITALISED.sub(replacement, text)


def candidate_features(example: Example) -> tuple[Mapping[str, float], ...]:
    """Of each candidate, in their order: when and how they spoke, and who spoke to them."""
    back = tuple(reversed(example.turns))
    spoke = {name: _places(back, name) for name in example.candidates}
    ranked = sorted((name for name in spoke if spoke[name]), key=lambda name: spoke[name][0])
    table = _table_features(back)
    named = [mentioned(turn.text, example.candidates) for turn in back[:_NEAR]]
    return tuple(
        {
            **_time_features(spoke[name], ranked.index(name) if name in ranked else None, table),
            **_turn_features(back, spoke[name], ranked.index(name) if name in ranked else None),
            **_share_features(back, name, example.candidates),
            **_named_features(back, named, name),
        }
        for name in example.candidates
    )


def _places(back: Sequence[Turn], name: str) -> tuple[int, ...]:
    """How many turns back from the last one this candidate spoke, the latest first."""
    return tuple(place for place, turn in enumerate(back) if turn.speaker == name)


def _table_features(back: Sequence[Turn]) -> tuple[bool, bool]:
    """Whether the DM has the last word, and whether the DM lately spoke to all."""
    last = bool(back) and back[0].speaker == DM
    to_all = any(turn.speaker == DM and _ALL.search(turn.text[-300:]) for turn in back[:3])
    return last, to_all


def _time_features(
    places: Sequence[int], rank: int | None, table: tuple[bool, bool]
) -> dict[str, float]:
    """When this candidate spoke. `rank` 0 is the one who spoke last, None one who never spoke."""
    dm_last, to_all = table
    order = min(rank, 3) if rank is not None else 4
    first = min(places[0], 10) if places else 11
    return {
        f"rank {order}": 1.0,
        f"rank {order}, dm last {dm_last}": 1.0,
        f"rank {order}, to all {to_all}": 1.0,
        f"last turn {first}": 1.0,
        "turns, fading": sum(0.7**place for place in places),
        **{
            f"turns of {most}": sum(p < most for p in places) / most**0.5 for most in (3, 6, 12, 30)
        },
    }


def _turn_features(
    back: Sequence[Turn], places: Sequence[int], rank: int | None
) -> dict[str, float]:
    """What the candidate's last turns are like, and where the DM spoke next to them."""
    if not places or rank is None:
        return {}
    order = min(rank, 3)
    last = back[places[0]].text
    attempt, question = bool(_ATTEMPT.search(last)), "?" in last
    short = len(last) < 20
    return {
        f"attempt, rank {order}": float(attempt),
        f"question, rank {order}": float(question),
        f"short, rank {order}": float(short),
        "attempt": float(attempt),
        "question": float(question),
        "plural": float(bool(_PLURAL.search(last))),
        "dice": float(bool(_DICE.search(last))),
        "first person": float(bool(_FIRST_PERSON.search(last))),
        "stage direction": float("(" in last),
        "length": math.log1p(len(last)),
        "words, fading": math.log1p(sum(len(back[p].text) * 0.8**p for p in places)),
        "attempts, fading": sum(0.75**p for p in places if _ATTEMPT.search(back[p].text)),
        "questions, fading": sum(0.75**p for p in places if "?" in back[p].text),
        "dice, fading": sum(0.8**p for p in places if _DICE.search(back[p].text)),
        "dm after": sum(0.75**p for p in places if p and back[p - 1].speaker == DM),
        "dm before": sum(
            0.75**p for p in places if p + 1 < len(back) and back[p + 1].speaker == DM
        ),
        "dm after the last": float(places[0] > 0 and back[places[0] - 1].speaker == DM),
    }


def _share_features(back: Sequence[Turn], name: str, candidates: Sequence[str]) -> dict[str, float]:
    """How much of the candidates' latest turns is this one's."""
    recent = [turn.speaker for turn in back[:10] if turn.speaker in candidates]
    return {
        "share of 10": recent.count(name) / max(1, len(recent)),
        "alone": float(bool(recent) and set(recent[:4]) == {name}),
        "at the table": len(candidates) / 6,
    }


def _named_features(
    back: Sequence[Turn], named: Sequence[Sequence[str]], name: str
) -> dict[str, float]:
    """Who named this candidate, and whether the last turn is about others."""
    speakers = [turn.speaker for turn in back[:_NEAR]]
    here = [place for place, names in enumerate(named) if name in names]
    last = named[0] if named else ()
    dm_last = bool(speakers) and speakers[0] == DM
    return {
        "named by dm": sum(0.6**p for p in here if speakers[p] == DM),
        "named by others": sum(0.6**p for p in here if speakers[p] not in (DM, name)),
        "named at last by dm": float(dm_last and name in last),
        "the last one named by dm": float(dm_last and last[-1:] == (name,)),
        "others named at last": float(bool(last) and name not in last),
    }


def _meant(word: str, names: Sequence[str]) -> str | None:
    """The one whose name begins with this word, or who goes by it."""
    spoken = _first_part(word)
    return next((name for name in names if _first_part(name).startswith(spoken)), None)


@lru_cache(maxsize=4096)
def _first_part(name: str) -> str:
    """The name up to its first apostrophe, hyphen or space, in lower case."""
    letters = _LETTERS.search(name)
    return letters.group().casefold() if letters else name.casefold()
