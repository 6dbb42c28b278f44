"""Baselines that read no word of the play: whoever spoke last makes the check."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from sociolab.core.errors import ConfigError
from sociolab.worlds.anteval.virtual_dm.example import Example, Label
from sociolab.worlds.anteval.virtual_dm.scoring import NO_SKILL


class LastSpeaker:
    """The candidate who spoke last, and no skill: its F_o and F_s are 0 by construction.

    Tables show its F_c only.
    """

    @property
    def name(self) -> str:
        """As in tables."""
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
        """As in tables."""
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
