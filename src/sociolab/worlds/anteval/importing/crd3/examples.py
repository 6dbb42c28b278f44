"""Examples from an episode: the play before each check, cut before the skill is named."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sociolab.worlds.anteval.importing.crd3.cast import Cast, cast_of
from sociolab.worlds.anteval.importing.crd3.exchanges import Exchange, exchanges
from sociolab.worlds.anteval.importing.crd3.labels import Rollers, rollers
from sociolab.worlds.anteval.importing.crd3.requests import checked_skills, named_at
from sociolab.worlds.anteval.importing.crd3.turns import Episode, Spoken, sentences
from sociolab.worlds.anteval.virtual_dm.example import DM, Example, Label, Turn

CONTEXT = 30
"""An example holds at most so many turns."""

CUT = 6
"""A context ends at most so many turns before the request, where the skill is named early."""

OPENERS = 3
"""So many words before a request ("Okay.", a name) belong to it, not to the play."""

NEAR = 3
"""In the last turns of a context the skill must not be named as a check."""


@dataclass(frozen=True, slots=True)
class Extracted:
    """The examples of an episode, and how many exchanges gave none, by reason."""

    examples: tuple[Example, ...]
    dropped: Mapping[str, int]


def extract(episode: Episode) -> Extracted:
    """All examples that an episode gives."""
    cast = cast_of(episode)
    dropped: Counter[str] = Counter()
    examples = []
    past = -1
    for exchange in exchanges(episode, cast):
        found = _example(episode, cast, exchange, past)
        past = exchange.end if exchange.reports else past
        if isinstance(found, Example):
            examples.append(found)
        else:
            dropped[found] += 1
    return Extracted(tuple(examples), dropped)


def _example(episode: Episode, cast: Cast, exchange: Exchange, past: int) -> Example | str:
    """The example of an exchange, or why it gives none. `past` is the end of the one before."""
    if exchange.fault:
        return exchange.fault
    who = rollers(episode.turns, cast, exchange)
    if who.fault:
        return who.fault
    cut = _cut(episode.turns, exchange, past)
    if cut is None:
        return "skill just checked before"
    turns = _context(episode.turns, cast, *cut)
    if not turns:
        return "no play before"
    return _made(episode, cast, exchange, who, turns)


def _made(
    episode: Episode, cast: Cast, exchange: Exchange, who: Rollers, turns: tuple[Turn, ...]
) -> Example:
    skill = exchange.skill
    return Example(
        id=f"{episode.id}_{exchange.first.turn:05d}",
        group=episode.id,
        turns=turns,
        candidates=tuple(cast.characters.values()),
        labels=frozenset(Label(cast.characters[player], skill) for player in who.players),
        strict=who.grade != "C" and all(named_at(skill, turn.text) is None for turn in turns),
    )


def _cut(turns: Sequence[Spoken], exchange: Exchange, past: int) -> tuple[int, int] | None:
    """The turn and the character at which the context ends; None where it cannot be clean."""
    turn, start = exchange.first.turn, exchange.first.start
    skill = exchange.skill
    for number in range(turn, max(past, turn - CUT - 1, -1), -1):
        said = turns[number].text[: start if number == turn else None]
        for sentence in sentences(said):
            if named_at(skill, sentence.words) is not None:
                turn, start = number, sentence.start
                break
    near = [turns[number].text for number in range(max(0, turn - NEAR), turn)]
    near.append(turns[turn].text[:start])
    if any(skill in checked_skills(text.casefold()) for text in near):
        return None
    return turn, start


def _context(turns: Sequence[Spoken], cast: Cast, turn: int, start: int) -> tuple[Turn, ...]:
    partial = re.sub(r"[\s\"-]+$", "", turns[turn].text[:start])
    said = list(turns[max(0, turn - CONTEXT) : turn])
    if len(partial.split()) > OPENERS:
        said.append(Spoken(turns[turn].speaker, partial))
    return tuple(Turn(_voice(each.speaker, cast), each.text) for each in said if each.text)[
        -CONTEXT:
    ]


def _voice(speaker: str, cast: Cast) -> str:
    return DM if speaker == cast.dm else cast.characters.get(speaker, speaker)
