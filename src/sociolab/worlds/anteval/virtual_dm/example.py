"""Examples of play for virtual DMs, the F-scores of their predictions, and trivial baselines."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence, Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple, Protocol

from sociolab.core.errors import Cause, ConfigError

DM = "DM"
"""The speaker who is nobody's character: the game master, or in generated play the NPC."""


class Label(NamedTuple):
    """A character who makes a check, and the skill (one of the 18)."""

    character: str
    skill: str


@dataclass(frozen=True, slots=True)
class Turn:
    """What one speaker said or did: a candidate's character name, `DM`, or somebody else."""

    speaker: str
    text: str


@dataclass(frozen=True, slots=True)
class Example:
    """A stretch of play and the checks that follow from it.

    `group` is what intervals cluster by and cross-validation splits by: the episode of real play,
    the session of generated play. `strict`: the skill is not named in the play itself. `after`:
    how the play went on after the checks, where that is known; no virtual DM is shown it.
    """

    id: str
    group: str
    turns: tuple[Turn, ...]
    candidates: tuple[str, ...]
    labels: frozenset[Label]
    strict: bool = True
    after: tuple[Turn, ...] = ()


HALF_WINDOW = 15
"""So many turns on either side of a check make a window as long as a session of the paper."""

_LEAST_AFTER = 5
"""With fewer turns after it a check stands at the end of its window, not in the middle."""


WINDOW = "/window"
"""The suffix of a window's id, after the id of its example."""


def windows(examples: Iterable[Example]) -> tuple[Example, ...]:
    """Play in the format of a whole session: the check is in the middle, not at the end.

    Up to 15 turns before and after it; examples with fewer than 5 turns after it are left out.
    """
    return tuple(
        replace(
            example,
            id=f"{example.id}{WINDOW}",
            turns=(*example.turns[-HALF_WINDOW:], *example.after[:HALF_WINDOW]),
            after=(),
        )
        for example in examples
        if len(example.after) >= _LEAST_AFTER
    )


def names_skill(turns: Iterable[Turn], skills: Iterable[str]) -> bool:
    """Whether one of the skills is named in what was said or done, in any case."""
    patterns = [_skill_pattern(skill) for skill in skills]
    return any(pattern.search(turn.text) for turn in turns for pattern in patterns)


@cache
def _skill_pattern(skill: str) -> re.Pattern[str]:
    words = r"[\s-]+".join(skill.split())
    return re.compile(rf"(?<!\w){words}(?!\w)", re.IGNORECASE)


class VirtualDM(Protocol):
    """Reads play and says who checks what (AntEval section 4.2)."""

    @property
    def name(self) -> str:
        """Shown in tables, such as "linear"."""
        ...

    def fit(self, examples: Sequence[Example]) -> None:
        """Learn from examples; what was learned before is forgotten."""
        ...

    def predict(self, examples: Sequence[Example], most: int = 1) -> tuple[frozenset[Label], ...]:
        """For each example, at most `most` labels: its best guesses, one unless said otherwise."""
        ...


class AsyncVirtualDM(Protocol):
    """A virtual DM that waits for a provider: as `VirtualDM`, to be awaited."""

    @property
    def name(self) -> str:
        """Shown in tables, such as "openai/gpt-x, 8 examples"."""
        ...

    @property
    def failures(self) -> Counter[Cause]:
        """By cause and since it was fitted: the examples whose replies could not be used."""
        ...

    async def fit_async(self, examples: Sequence[Example]) -> None:
        """Learn from examples; what was learned before is forgotten. ModelError, ConfigError."""
        ...

    async def predict_async(
        self, examples: Sequence[Example], most: int = 1
    ) -> tuple[frozenset[Label], ...]:
        """For each example, at most `most` labels; none where no reply could be used."""
        ...


class LocalDM:
    """A local virtual DM behind the asynchronous interface; it blocks the event loop."""

    def __init__(self, dm: VirtualDM) -> None:
        self._dm = dm
        self.failures: Counter[Cause] = Counter()

    @property
    def name(self) -> str:
        return self._dm.name

    async def fit_async(self, examples: Sequence[Example]) -> None:
        self._dm.fit(examples)

    async def predict_async(
        self, examples: Sequence[Example], most: int = 1
    ) -> tuple[frozenset[Label], ...]:
        return self._dm.predict(examples, most)


NO_SKILL = ""
"""The skill of a prediction that names a character only: it is wrong in F_o and none in F_s."""


@dataclass(frozen=True, slots=True)
class Overlap:
    """How far two sets agree, added up over examples: |P & G|, |P| and |G|."""

    both: int
    predicted: int
    real: int

    @property
    def f1(self) -> float:
        """2 * both / (predicted + real), 0..1; 1 where both sets are empty."""
        total = self.predicted + self.real
        return 2 * self.both / total if total else 1.0


@dataclass(frozen=True, slots=True)
class FScores:
    """F1 over characters, (character, skill) tuples and skills, 0..1; None without examples."""

    f_c: float | None
    f_o: float | None
    f_s: float | None


@dataclass(frozen=True, slots=True)
class Overlaps:
    """How far one prediction agrees with the labels, by what is compared."""

    characters: Overlap
    tuples: Overlap
    skills: Overlap


def count_overlaps(
    predicted: Sequence[AbstractSet[Label]], examples: Sequence[Example]
) -> tuple[Overlaps, ...]:
    """Compare each example's prediction with its labels. ValueError if the lengths differ."""
    if len(predicted) != len(examples):
        raise ValueError(
            f"each example needs its prediction, found {len(examples)} examples and "
            f"{len(predicted)} predictions"
        )
    return tuple(
        Overlaps(
            _overlap(_characters(guess), _characters(example.labels)),
            _overlap(guess, example.labels),
            _overlap(_skills(guess), _skills(example.labels)),
        )
        for guess, example in zip(predicted, examples, strict=True)
    )


def micro(rows: Sequence[Overlaps]) -> FScores:
    """F1 over all examples pooled: each tuple counts the same. None without examples."""
    if not rows:
        return FScores(None, None, None)
    return FScores(
        _total([row.characters for row in rows]).f1,
        _total([row.tuples for row in rows]).f1,
        _total([row.skills for row in rows]).f1,
    )


def macro(rows: Sequence[Overlaps]) -> FScores:
    """The mean of the examples' F1: each example counts the same. None without examples."""
    if not rows:
        return FScores(None, None, None)
    return FScores(
        sum(row.characters.f1 for row in rows) / len(rows),
        sum(row.tuples.f1 for row in rows) / len(rows),
        sum(row.skills.f1 for row in rows) / len(rows),
    )


def _overlap(predicted: AbstractSet[Hashable], real: AbstractSet[Hashable]) -> Overlap:
    return Overlap(len(predicted & real), len(predicted), len(real))


def _total(parts: Sequence[Overlap]) -> Overlap:
    return Overlap(
        sum(part.both for part in parts),
        sum(part.predicted for part in parts),
        sum(part.real for part in parts),
    )


def _characters(labels: AbstractSet[Label]) -> set[str]:
    return {label.character for label in labels}


def _skills(labels: AbstractSet[Label]) -> set[str]:
    return {label.skill for label in labels} - {NO_SKILL}


class LastSpeaker:
    """The candidate who spoke last, and no skill: its F_o and F_s are 0 by construction.

    Tables show its F_c only.
    """

    @property
    def name(self) -> str:
        return "last speaker"

    def fit(self, examples: Sequence[Example]) -> None:
        """Nothing to learn."""

    def predict(self, examples: Sequence[Example], most: int = 1) -> tuple[frozenset[Label], ...]:
        """One guess an example, whatever `most` is."""
        return tuple(frozenset({Label(last_speaker(example), NO_SKILL)}) for example in examples)


class LastSpeakerMajority:
    """The candidate who spoke last, and the skill that the training set's labels hold most often.

    Of skills that are alike often, the first in alphabetical order.
    """

    def __init__(self) -> None:
        self._skill = NO_SKILL

    @property
    def name(self) -> str:
        return "last speaker + majority skill"

    def fit(self, examples: Sequence[Example]) -> None:
        """Count the skills. ConfigError where there is no label."""
        counts = Counter(label.skill for example in examples for label in example.labels)
        if not counts:
            raise ConfigError("training examples: expected at least one label, found none")
        self._skill = min(counts, key=lambda skill: (-counts[skill], skill))

    def predict(self, examples: Sequence[Example], most: int = 1) -> tuple[frozenset[Label], ...]:
        """One guess an example, whatever `most` is."""
        return tuple(frozenset({Label(last_speaker(example), self._skill)}) for example in examples)


def last_speaker(example: Example) -> str:
    """The candidate who spoke last; the first at the table if none of them spoke."""
    spoke = (turn.speaker for turn in reversed(example.turns))
    return next((who for who in spoke if who in example.candidates), example.candidates[0])
