"""The default virtual DM: linear models rank every candidate and every skill (scikit-learn).

Who: a logistic regression over when and how each candidate spoke, and over their last words. Which
skill: a ridge regression, one output a skill, over stems of what was said, later turns weighing
more, and over embeddings of it where there are any. A pair's score is the product of the two.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

from sociolab.core.errors import ConfigError, WorldError, missing_extra
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
    episodes of real play (benchmarks/virtual_dm_experiment.py). Virtual DMs with the same `reader`
    share what it has read, so that fitting another one to the same play takes a fraction of the
    time. `embed`, if there is one, gives a row of numbers for each candidate of some examples, in
    their order: what is said, as an embedding model reads it.
    """

    def __init__(self, reader: PlayReader | None = None, embed: Embed | None = None) -> None:
        self._reader = reader or PlayReader()
        self._embed = embed
        self._words: StemWeights | None = None
        self._who: _Who | None = None
        self._which: _Which | None = None

    @property
    def name(self) -> str:
        return "linear"

    def fit(self, examples: Sequence[Example]) -> None:
        """Learn from examples. ConfigError where there is no label or no word."""
        if not any(example.labels for example in examples):
            raise ConfigError("training examples: expected at least one label, found none")
        if not any(stems(turn.text) for example in examples for turn in example.turns):
            raise ConfigError("training examples: expected words in at least one turn, found none")
        from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

        self._words = StemWeights(self._reader, examples)
        features = Features(self._reader, examples, self._words, self._embed)
        # The products are many and small: a second thread only waits, at the cost of a whole core.
        with threadpool_limits(1):
            self._who = _Who(examples, features)
            self._which = _Which(examples, features)

    def predict(self, examples: Sequence[Example], most: int = 1) -> tuple[frozenset[Label], ...]:
        """The best `most` pairs of each example; of alike ones, the candidate named first."""
        if self._words is None or self._who is None or self._which is None:
            raise WorldError("linear: expected a call of fit before predict, found none")
        if not examples:
            return ()
        features = Features(self._reader, examples, self._words, self._embed)
        scores = self._who.chances(features)[:, None] * self._which.scores(features)
        return tuple(
            _best(example, scores[start : start + len(example.candidates)], most)
            for example, start in zip(examples, features.starts, strict=True)
        )


def require_sklearn(who: str) -> None:
    """ConfigError, which says what `who` needs, unless scikit-learn is installed."""
    if find_spec("sklearn") is None:
        raise missing_extra(f"the virtual DM {who!r} needs", "virtual-dm", "scikit-learn")


class _Who:
    """How likely each candidate makes a check."""

    def __init__(self, examples: Sequence[Example], features: Features) -> None:
        from sklearn.linear_model import LogisticRegression
        from sklearn.preprocessing import StandardScaler

        self._columns = features.manner.shape[1]
        self._scale = StandardScaler(with_mean=False).fit(features.manner)
        self._model = LogisticRegression(C=_INVERSE_PENALTY, max_iter=500)
        truth, weights = [], []
        for example in examples:
            checking = {label.character for label in example.labels}
            truth += [who in checking for who in example.candidates]
            weights += [1 / max(1, len(checking))] * len(example.candidates)
        self._always = len(set(truth)) == 1
        if not self._always:
            self._model.fit(self._design(features), truth, sample_weight=weights)

    def chances(self, features: Features) -> Floats:
        """Of each seat, in order, 0..1; all 1 where in training everybody always checked."""
        import numpy as np

        if self._always:
            return np.ones(features.manner.shape[0])
        return np.asarray(self._model.predict_proba(self._design(features))[:, 1])

    def _design(self, features: Features) -> Matrix:
        from scipy import sparse

        # What was not met in training has no weight.
        manner = self._scale.transform(features.manner[:, : self._columns])
        return sparse.hstack([manner, features.own * _OWN_WORDS], format="csr")


class _Which:
    """What each skill scores for a seat: about the chance that a check there is of this skill."""

    def __init__(self, examples: Sequence[Example], features: Features) -> None:
        import numpy as np
        from scipy import sparse

        checks = _checks(examples)
        numbers = [number for (number, _), _ in checks]
        seats = [
            features.starts[number] + examples[number].candidates.index(who)
            for (number, who), _ in checks
        ]
        rows = sparse.hstack(
            [features.own[seats], features.dm[numbers], features.all[numbers]], format="csr"
        )
        truth = np.array([[float(skill == name) for name in SKILLS] for _, skill in checks])
        sizes = Counter(numbers)
        # A check of the whole party is one event, not six; neither is it as little as one.
        weights = np.array([sizes[number] ** -0.5 for number in numbers])
        self._mean: Floats = np.average(truth, axis=0, weights=weights)
        # Ridge in its dual form: there are far fewer checks than columns.
        meaning = features.meaning[seats]
        inner = (rows @ rows.T).toarray() + meaning @ meaning.T
        inner[np.diag_indices_from(inner)] += _RIDGE / weights
        dual = np.linalg.solve(inner, truth - self._mean)
        self._coefficients: list[Floats] = np.split(rows.T @ dual, 3)
        self._of_meaning: Floats = meaning.T @ dual

    def scores(self, features: Features) -> Floats:
        """A row per seat, a column per skill."""
        import numpy as np

        own, dm, all_ = self._coefficients
        shared = features.dm @ dm + features.all @ all_
        scores = features.own @ own + shared[features.numbers] + self._mean
        scores += features.meaning @ self._of_meaning
        return np.asarray(np.maximum(scores, _FLOOR))


def _checks(examples: Sequence[Example]) -> list[tuple[Seat, str]]:
    """Who checks what, at most so many, drawn at random but always alike."""
    checks = [
        ((number, label.character), label.skill)
        for number, example in enumerate(examples)
        for label in sorted(example.labels)
    ]
    if len(checks) <= _MOST_CHECKS:
        return checks
    chosen = stream(0, "linear", len(checks)).sample(range(len(checks)), _MOST_CHECKS)
    return [checks[place] for place in sorted(chosen)]


def _best(example: Example, scores: Floats, most: int) -> frozenset[Label]:
    """The pairs of the highest scores, of a row per candidate and a column per skill."""
    best = (-scores.ravel()).argsort(kind="stable")[:most]
    places = (divmod(int(place), len(SKILLS)) for place in best)
    return frozenset(Label(example.candidates[who], SKILLS[skill]) for who, skill in places)


Matrix: TypeAlias = Any
"""A scipy sparse matrix; scikit-learn and scipy give its kinds no common type."""

Seat: TypeAlias = tuple[int, str]
"""The number of an example, and one of its candidates."""

Cells: TypeAlias = "tuple[NDArray[np.int32], Floats]"
"""A row of a sparse matrix: the columns that are not 0, and what stands there."""

REACH = 12
"""Turns back from the end that are read; more add little, and take time."""

_OWN_FADES, _DM_FADES, _ALL_FADE = 0.7, 0.7, 0.6
"""What a turn's words weigh beside those of the turn after it."""

_DM_SHARE = 0.5
"""The part of the DM's words in what tells two rows apart; that of the others is 1."""

_MOST_STEMS = 60_000


@dataclass(frozen=True, slots=True)
class _ReadPlay:
    """The counts of an example that do not depend on the training set.

    Of each stem (or pair of two) in the last turns: in how many turns it is (`turns`), how often in
    all (`times`); then 1 + log of its count in a turn, summed up over the turns of each candidate
    (`own`), of the DM and of all, where earlier turns weigh less. `manner`: how each candidate
    spoke.
    """

    length: int
    turns: Cells
    times: Cells
    own: tuple[Cells, ...]
    dm: Cells
    all: Cells
    manner: tuple[Cells, ...]


class PlayReader:
    """Reads each stretch of play once; numbers stems and ways to speak in the order met."""

    def __init__(self) -> None:
        self._read: dict[tuple[tuple[Turn, ...], tuple[str, ...]], _ReadPlay] = {}
        self._stems: dict[str, int] = {}
        self._manners: dict[str, int] = {}

    def read(self, examples: Sequence[Example]) -> list[_ReadPlay]:
        """The counts of each example; the same play is counted once."""
        stretches = []
        for example in examples:
            key = example.turns, example.candidates
            if key not in self._read:
                self._read[key] = self._count(example)
            stretches.append(self._read[key])
        return stretches

    def stems(self, rows: Iterable[Cells]) -> Matrix:
        """A sparse matrix with a column for every stem met so far."""
        return _matrix(rows, len(self._stems))

    def manners(self, rows: Iterable[Cells]) -> Matrix:
        """A sparse matrix with a column for every way to speak met so far."""
        return _matrix(rows, len(self._manners))

    def _count(self, example: Example) -> _ReadPlay:
        back = example.turns[: -REACH - 1 : -1]
        turns: Counter[int] = Counter()
        times: Counter[int] = Counter()
        all_: defaultdict[int, float] = defaultdict(float)
        spoken: dict[str, defaultdict[int, float]] = {
            who: defaultdict(float) for who in (DM, *example.candidates)
        }
        for place, turn in enumerate(back):
            single = stems(masked(turn.text, example.candidates))
            terms = (*single, *map(" ".join, pairwise(single)))
            counts = Counter(self._stems.setdefault(stem, len(self._stems)) for stem in terms)
            turns.update(counts.keys())
            times.update(counts)
            own = spoken.get(turn.speaker)
            fades = _DM_FADES if turn.speaker == DM else _OWN_FADES
            for stem, count in counts.items():
                weight = 1 + math.log(count)
                all_[stem] += weight * _ALL_FADE**place
                if own is not None:
                    own[stem] += weight * fades**place
        manner = (
            {
                self._manners.setdefault(name, len(self._manners)): value
                for name, value in row.items()
            }
            for row in candidate_features(example)
        )
        return _ReadPlay(
            len(back),
            _cells(turns),
            _cells(times),
            tuple(_cells(spoken[who]) for who in example.candidates),
            _cells(spoken[DM]),
            _cells(all_),
            tuple(map(_cells, manner)),
        )


def _cells(row: Mapping[int, float]) -> Cells:
    import numpy as np

    return np.array(list(row), np.int32), np.array(list(row.values()), np.float64)


def _matrix(rows: Iterable[Cells], columns: int) -> Matrix:
    import numpy as np
    from scipy import sparse

    cells = list(rows)
    ends = np.cumsum([0, *(len(places) for places, _ in cells)])
    places, values = (np.concatenate(parts) for parts in zip(*cells, strict=True))
    return sparse.csr_matrix((values, places, ends), shape=(len(cells), columns))


class StemWeights:
    """The stems, and pairs of two, that are in at least 3 turns, with their weights (TF-IDF).

    Where the examples are so few that nothing occurs in 3 turns, all that occurs.
    """

    def __init__(self, reader: PlayReader, examples: Sequence[Example]) -> None:
        import numpy as np

        read = reader.read(examples)
        turns = np.asarray(reader.stems(stretch.turns for stretch in read).sum(axis=0)).ravel()
        times = np.asarray(reader.stems(stretch.times for stretch in read).sum(axis=0)).ravel()
        columns = np.flatnonzero(turns >= 3)
        columns = columns if len(columns) else np.flatnonzero(turns)
        if len(columns) > _MOST_STEMS:
            columns = np.sort(columns[(-times[columns]).argsort(kind="stable")[:_MOST_STEMS]])
        self._columns = columns
        total = sum(stretch.length for stretch in read)
        self._weights = np.log((1 + total) / (1 + turns[columns])) + 1

    def weighted(self, counts: Matrix, share: float = 1.0) -> Matrix:
        """Rows of the kept stems, each of length sqrt(share), or empty."""
        from scipy import sparse
        from sklearn.preprocessing import normalize

        weighted = counts[:, self._columns] @ sparse.diags(self._weights)
        return normalize(weighted) * share**0.5


class Features:
    """Some examples as rows: of each seat its words (`own`) and how it spoke (`manner`); of each
    example the words of the `dm` and of `all`. `meaning` has a row of each seat, too, with no
    columns where nothing is embedded.

    `starts` is the row of each example's first seat, `numbers` the example of each seat.
    """

    def __init__(
        self,
        reader: PlayReader,
        examples: Sequence[Example],
        words: StemWeights,
        embed: Embed | None = None,
    ) -> None:
        import numpy as np

        read = reader.read(examples)
        self.own = words.weighted(reader.stems(row for stretch in read for row in stretch.own))
        self.dm = words.weighted(reader.stems(stretch.dm for stretch in read), _DM_SHARE)
        self.all = words.weighted(reader.stems(stretch.all for stretch in read))
        self.manner = reader.manners(row for stretch in read for row in stretch.manner)
        sizes = [len(example.candidates) for example in examples]
        self.starts = list(accumulate(sizes, initial=0))[:-1]
        self.numbers = [number for number, size in enumerate(sizes) for _ in range(size)]
        self.meaning: Floats = embed(examples) if embed else np.zeros((sum(sizes), 0))


if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]
    Embed: TypeAlias = Callable[[Sequence[Example]], Floats]


STEM = 5
"""Letters of a word that count: "sneaking" and "sneaks" are both "sneak"."""

_NEAR = 8
"""Turns back from the end in which it matters who is named."""

_NOBODY = "someone"

_CAPITALISED = re.compile(r"\b[A-Z][a-z]{2,}(?:['\u2019][a-z]+)?")
_TOKEN = re.compile(r"[\w']+|\?")
_LETTERS = re.compile(r"[^\W\d_]+")

# The speaker says that its character tries something: "Can I ...", "I'd like to ...".
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
    matches = (_find_name(match.group(), names) for match in _CAPITALISED.finditer(text))
    return tuple(name for name in matches if name is not None)


def masked(text: str, names: Sequence[str]) -> str:
    """The text with these names replaced by "someone", so that no name is learned."""

    def replacement(match: re.Match[str]) -> str:
        return match.group() if _find_name(match.group(), names) is None else _NOBODY

    return _CAPITALISED.sub(replacement, text)


def candidate_features(example: Example) -> tuple[Mapping[str, float], ...]:
    """Of each candidate, in their order: when and how they spoke, and who spoke to them."""
    back = tuple(reversed(example.turns))
    # When each spoke, in turns back from the last one, the latest first.
    spoke = {
        name: tuple(place for place, turn in enumerate(back) if turn.speaker == name)
        for name in example.candidates
    }
    ranked = sorted((name for name in spoke if spoke[name]), key=lambda name: spoke[name][0])
    dm_last = bool(back) and back[0].speaker == DM
    to_all = any(turn.speaker == DM and _ALL.search(turn.text[-300:]) for turn in back[:3])
    table = dm_last, to_all
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


def _time_features(
    places: Sequence[int], rank: int | None, table: tuple[bool, bool]
) -> dict[str, float]:
    """When this candidate spoke. `rank` 0 is the one who spoke last, None one who never spoke.

    `table`: whether the DM has the last word, and whether it lately spoke to all.
    """
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
    """The candidate's share of the latest turns of candidates."""
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
    places = [place for place, names in enumerate(named) if name in names]
    last = named[0] if named else ()
    dm_last = bool(speakers) and speakers[0] == DM
    return {
        "named by dm": sum(0.6**p for p in places if speakers[p] == DM),
        "named by others": sum(0.6**p for p in places if speakers[p] not in (DM, name)),
        "named at last by dm": float(dm_last and name in last),
        "the last one named by dm": float(dm_last and last[-1:] == (name,)),
        "others named at last": float(bool(last) and name not in last),
    }


def _find_name(word: str, names: Sequence[str]) -> str | None:
    """The one whose name begins with this word, or who goes by it."""
    spoken = _first_part(word)
    return next((name for name in names if _first_part(name).startswith(spoken)), None)


@lru_cache(maxsize=4096)
def _first_part(name: str) -> str:
    """The name up to its first apostrophe, hyphen or space, in lower case."""
    letters = _LETTERS.search(name)
    return letters.group().casefold() if letters else name.casefold()
