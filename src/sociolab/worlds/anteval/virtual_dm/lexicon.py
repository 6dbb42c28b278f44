"""A keyword lexicon: what people say when they do what a skill is for (data/virtual_dm)."""

from __future__ import annotations

import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from sociolab.worlds.anteval.skills import SKILLS
from sociolab.worlds.anteval.virtual_dm.example import Example, Label

COMMONEST = "perception"
"""What is guessed of somebody who gives no cue: the check that the game asks for most."""

RECENT = 8
"""Turns back from the end in which a cue still counts."""

_FADING = 0.7
"""What a cue is worth, relative to one a turn later."""

_STEM = 4
"""From so many letters a word of a cue stands for its inflections too, up to 4 letters longer."""

_GAP = ".."
_WIDTH = 3

_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")


@dataclass(frozen=True, slots=True)
class Cue:
    """A word or phrase that hints at a skill; ".." among its words is a gap of up to 3 words."""

    skill: str
    words: tuple[str, ...]

    @property
    def weight(self) -> int:
        """How much it says: a phrase more than a word."""
        return sum(word != _GAP for word in self.words)


@lru_cache(maxsize=1)
def lexicon() -> Mapping[str, tuple[Cue, ...]]:
    """The cues of each of the 18 skills, from data/virtual_dm/lexicon.toml."""
    data = files("sociolab.worlds.anteval") / "data" / "virtual_dm" / "lexicon.toml"
    table: dict[str, list[str]] = tomllib.loads(data.read_text("utf-8"))
    return {
        skill: tuple(Cue(skill, tuple(_stem(word) for word in cue.split())) for cue in table[skill])
        for skill in SKILLS
    }


def cue_strengths(text: str) -> Mapping[str, int]:
    """The weight of the different cues in a text, by skill; skills without a cue are left out."""
    words = _words(text)
    found = {cue for place in range(len(words)) for cue in _starting(words, place)}
    strengths: Counter[str] = Counter()
    for cue in found:
        strengths[cue.skill] += cue.weight
    return strengths


def cues_in(text: str) -> tuple[str, ...]:
    """The skills that a text hints at, the strongest first; alike ones in alphabetical order."""
    strengths = cue_strengths(text)
    return tuple(sorted(strengths, key=lambda skill: (-strengths[skill], skill)))


class LexiconDM:
    """Guesses who gave the strongest cue of late, and for which skill. It learns nothing.

    A cue in the last turn counts whole, in the turn before it 0.7 of that, and so on for 8 turns.
    Where fewer pairs than asked for are hinted at, there are fewer guesses; where there is none,
    the last candidate who spoke makes the commonest check.
    """

    @property
    def name(self) -> str:
        """As in tables."""
        return "keyword lexicon"

    def fit(self, examples: Sequence[Example]) -> None:
        """Nothing to learn."""

    def predict(self, examples: Sequence[Example], most: int = 1) -> tuple[frozenset[Label], ...]:
        """The strongest pairs of each example, at most `most`."""
        return tuple(frozenset(_guesses(example)[:most]) for example in examples)


def last_speaker(example: Example) -> str:
    """The candidate who spoke last; the first at the table if none of them spoke."""
    spoke = (turn.speaker for turn in reversed(example.turns))
    return next((who for who in spoke if who in example.candidates), example.candidates[0])


def _guesses(example: Example) -> Sequence[Label]:
    strengths: defaultdict[Label, float] = defaultdict(float)
    for back, turn in enumerate(reversed(example.turns[-RECENT:])):
        if turn.speaker in example.candidates:
            for skill, weight in cue_strengths(turn.text).items():
                strengths[Label(turn.speaker, skill)] += weight * _FADING**back
    ranked = sorted(strengths, key=lambda label: (-strengths[label], label))
    return ranked or [Label(last_speaker(example), COMMONEST)]


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower().replace("\u2019", "'"))


def _stem(word: str) -> str:
    """Without a last "e", which inflections drop, where enough is left to tell words apart."""
    return word[:-1] if len(word) > _STEM + 1 and word.endswith("e") else word


@lru_cache(maxsize=1)
def _by_first_word() -> Mapping[str, tuple[Cue, ...]]:
    found: defaultdict[str, list[Cue]] = defaultdict(list)
    for cues in lexicon().values():
        for cue in cues:
            found[cue.words[0]].append(cue)
    return {word: tuple(cues) for word, cues in found.items()}


def _starting(words: Sequence[str], place: int) -> Iterator[Cue]:
    """The cues that stand at this place of a text."""
    for cue in _beginning_with(words[place]):
        if len(cue.words) == 1 or _follows(words, place + 1, cue.words[1:]):
            yield cue


@lru_cache(maxsize=50_000)
def _beginning_with(word: str) -> tuple[Cue, ...]:
    """The cues whose first word is this one, or one that this one inflects."""
    shortest = max(_STEM, len(word) - _STEM)
    stems = (word, *(word[:size] for size in range(shortest, len(word))))
    return tuple(cue for stem in stems for cue in _by_first_word().get(stem, ()))


def _follows(words: Sequence[str], place: int, wanted: Sequence[str]) -> bool:
    if not wanted:
        return True
    if wanted[0] == _GAP:
        ends = range(place, place + _WIDTH + 1)
        return any(_follows(words, end, wanted[1:]) for end in ends)
    if place >= len(words) or not _inflects(words[place], wanted[0]):
        return False
    return _follows(words, place + 1, wanted[1:])


def _inflects(word: str, stem: str) -> bool:
    longer = len(word) - len(stem)
    return word == stem or (len(stem) >= _STEM and longer <= _STEM and word.startswith(stem))
