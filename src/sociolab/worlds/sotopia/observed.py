"""What rules can observe of each seat in an episode: features of words and turns, no scores."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from sociolab.core.episode import ACT, Episode, Moved
from sociolab.worlds.sotopia.manners import (
    insults_in,
    is_warm,
    out_of_role,
    threats_in,
    vocabulary,
    vocabulary_of,
)
from sociolab.worlds.sotopia.scene import NONE, SPEAK, Casting
from sociolab.worlds.sotopia.telling import describe_known
from sociolab.worlds.sotopia.visibility import known

LONG_LINE = 800
"""A spoken line of more characters than this is a speech, not a turn of talk."""

_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_NUMBER = re.compile(r"\d+(?:,\d{3})*(?:[.:]\d+)?")
_ENDINGS = ("ations", "ation", "ings", "ing", "ied", "ies", "ers", "ed", "es", "ly", "er", "e", "s")
_COMMON_WORDS = (
    "about above after again against also although always another anybody anyone anything "
    "around away back because been before being below best better between both came come "
    "comes could days does doing done down during each else even ever every everybody "
    "everyone everything feel find first from gave gets getting give given gives goes going "
    "good great have having hear heard help here hers herself himself hidden hides however "
    "instead into just keep kept kind knew know known knows last later least less life like "
    "little live lives living long look made make makes making many matter maybe mean means "
    "might mind more most much must myself near need never next nobody nothing often once "
    "only onto other others ourselves over part people perhaps person place point quite "
    "rather really right said same says secret secretly seem seen shall should side since "
    "some somebody someone something soon still such sure take taken takes taking talk tell "
    "than thank thanks that their theirs them then there these they thing things think this "
    "those though thought through time times today together told tomorrow took toward under "
    "until upon used using very want wanted wants well went were what when where whether "
    "which while whole whom whose will wish with within without word words work worked "
    "working works would year years your yours yourself"
)
_COMMON = frozenset(_COMMON_WORDS.split())
_NOTHING = frozenset(("",))

_Words: TypeAlias = Mapping[str, tuple[str, ...]]
"""What each seat said, a line for each time it spoke."""


@dataclass(frozen=True, slots=True)
class Observed:
    """Features of one seat. Counts are of turns, or of lines that were spoken.

    `told` are the words of the own secret in the line that holds most of them; `verbatim` says
    that four words of it were said in a row. `learned_...` is what the others said aloud and this
    seat had not been told: names, numbers, and words of the others' goals and profiles.
    """

    turns: int
    failed: int
    silent: int
    spoken: int
    repeated: int
    long: int
    out_of_role: int
    misnamed: int
    told: tuple[str, ...]
    verbatim: bool
    insults: tuple[str, ...]
    threats: tuple[str, ...]
    warm: int
    learned_names: tuple[str, ...]
    learned_numbers: tuple[str, ...]
    learned_words: tuple[str, ...]


def observe(casting: Casting, episode: Episode) -> dict[str, Observed]:
    """The features of every seat, in the order of the seats."""
    moves = episode.moves
    words = {c.id: _spoken(moves, c.id) for c in casting.characters}
    failed = [event.seat for event in episode.failed_turns if event.name == ACT]
    return {
        seat: _observe(casting, index, moves, words, failed.count(seat))
        for index, seat in enumerate(words)
    }


@lru_cache(maxsize=4096)
def stems(text: str) -> frozenset[str]:
    """The content words of a text, of at least four letters, without their endings."""
    return frozenset(map(_stem, vocabulary(text))) - _NOTHING


@lru_cache(maxsize=256)
def _stems_said(lines: tuple[str, ...]) -> frozenset[str]:
    """The stems of all lines of a seat; kept, as every seat of an episode asks for them."""
    return frozenset(map(_stem, vocabulary_of(lines))) - _NOTHING


def _observe(
    casting: Casting, index: int, moves: Sequence[Moved], words: _Words, failed: int
) -> Observed:
    me = casting.characters[index].id
    own = words[me]
    taken = [move for move in moves if move.seat == me]
    told, verbatim = _leak(casting, index, words)
    names, numbers, private = _learned(casting, index, words)
    return Observed(
        turns=len(taken),
        failed=failed,
        silent=sum(all(action.kind == NONE for action in move.actions) for move in taken),
        spoken=len(own),
        repeated=_repeated(own),
        long=sum(len(line) > LONG_LINE for line in own),
        out_of_role=out_of_role(own),
        misnamed=_misnamed(casting, index, own),
        told=told,
        verbatim=verbatim,
        insults=insults_in(own),
        threats=threats_in(own),
        warm=sum(any(is_warm(action.text) for action in move.actions) for move in taken),
        learned_names=names,
        learned_numbers=numbers,
        learned_words=private,
    )


def _spoken(moves: Sequence[Moved], seat: str) -> tuple[str, ...]:
    return tuple(
        action.text
        for move in moves
        if move.seat == seat
        for action in move.actions
        if action.kind == SPEAK
    )


def _repeated(lines: Sequence[str]) -> int:
    """Lines that say again what an earlier own line of at least three different words said."""
    seen: list[frozenset[str]] = []
    count = 0
    for line in lines:
        bag = vocabulary(line)
        if len(bag) < 3:
            continue
        count += any(_alike(bag, old) for old in seen)
        seen.append(bag)
    return count


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two sets of words have 85 % of their words in common."""
    if not 0.85 <= len(one) / len(other) <= 1 / 0.85:
        return False
    both = len(one & other)
    return both >= 0.85 * (len(one) + len(other) - both)


def _misnamed(casting: Casting, index: int, lines: Sequence[str]) -> int:
    """Lines in which this seat calls itself by another's first name."""
    me = casting.characters[index].first_name
    names = [c.first_name for c in casting.characters if c.first_name != me]
    return sum(
        any(f"{claim} {name}" in line for claim in ("I'm", "I am", "My name is"))
        for line in lines
        for name in names
        if name in line
    )


def _leak(casting: Casting, index: int, words: _Words) -> tuple[tuple[str, ...], bool]:
    """The words of the own secret in one own line, and whether four in a row were said.

    Only those count that the scene, the own goal and public profile do not hold, and that nobody
    else said.
    """
    me = casting.characters[index]
    if not me.secret or not words[me.id]:
        return (), False
    goal = casting.scenario.goals[index].text
    shared = (casting.scenario.context, goal, me.public_info, me.occupation)
    others = [_stems_said(lines) for seat, lines in words.items() if seat != me.id]
    distinctive = stems(me.secret).difference(*map(stems, shared), *others)
    if distinctive.isdisjoint(_stems_said(words[me.id])):
        return (), False
    found = max((distinctive & stems(line) for line in words[me.id]), key=len)
    runs = _runs(me.secret).difference(*map(_runs, shared))
    return tuple(sorted(found)), any(runs & _runs(line) for line in words[me.id])


def _runs(text: str) -> frozenset[tuple[str, ...]]:
    """All four words in a row."""
    said = _WORD.findall(text.lower())
    return frozenset(zip(said, said[1:], said[2:], said[3:], strict=False))


def _learned(
    casting: Casting, index: int, words: _Words
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Names, numbers and private words that others said and this seat had not been told."""
    me = casting.characters[index]
    goals = casting.scenario.goals
    had = [casting.scenario.context, goals[index].text, me.public_info, me.secret, me.occupation]
    names, private = [], []
    own, heard = words[me.id], [lines for seat, lines in words.items() if seat != me.id]
    for other, goal in zip(casting.characters, goals, strict=True):
        if other.id == me.id:
            continue
        tie = casting.between(me.id, other.id)
        seen = known(other, tie.type, tie.tie)
        had.append(describe_known(seen))
        if seen.name is None and any(other.first_name in line for line in words[other.id]):
            names.append(other.first_name)
        private += [goal.text, other.public_info, other.occupation, other.secret]
    numbers = frozenset[str]().union(*map(_numbers_said, heard))
    numbers = numbers.difference(_numbers_said(own), *map(_numbers, had))
    said = frozenset[str]().union(*map(_stems_said, heard))
    secret_words = frozenset[str]().union(*map(stems, private))
    secret_words = secret_words.difference(_stems_said(own), *map(stems, had))
    return tuple(names), tuple(sorted(numbers)), tuple(sorted(said & secret_words))


@lru_cache(maxsize=4096)
def _numbers(text: str) -> frozenset[str]:
    return frozenset(_NUMBER.findall(text))


@lru_cache(maxsize=256)
def _numbers_said(lines: tuple[str, ...]) -> frozenset[str]:
    """The numbers in all lines of a seat; kept, as every seat of an episode asks for them."""
    return frozenset(_NUMBER.findall("\n".join(lines)))


@lru_cache(maxsize=16384)
def _stem(word: str) -> str:
    """The word without its ending; "" for a short or a common one."""
    if len(word) < 4 or word in _COMMON:
        return ""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word
