"""Exchanges: a check is asked for or announced, and players report what they rolled."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sociolab.worlds.anteval.importing.crd3.cast import Cast
from sociolab.worlds.anteval.importing.crd3.requests import (
    Signal,
    announcements,
    named_at,
    requests,
)
from sociolab.worlds.anteval.importing.crd3.rolls import reported_total
from sociolab.worlds.anteval.importing.crd3.turns import Episode, Spoken, own_voice
from sociolab.worlds.anteval.skills import SKILLS

JOINS = 6
"""A request this many turns after the last one, with no roll between, is of one exchange, ..."""

JOINS_SAME = 10
"""... and one for the same skill even so many turns after."""

PATIENCE = 10
"""How many turns after the request the first total may come, and ..."""

GAP = 5
"""... how many after one total the next."""

NARRATES = 10
"""With more words than this, and without a question, the DM has left the exchange behind."""

_OTHER_ROLL = re.compile(
    r"saving throw|\bsaves?\b|initiative|\bdamage\b|to hit|hit dice|hit die|percentile|"
    r"\battack rolls?\b|\b(?:roll|make) (?:an?|the|your|for|another) (?:\w+ )?attacks?\b|"
    r"\byou're up\b|\bends (?:your|\w+'s) (?:turn|go)\b|"
    r"\bd(?:4|6|8|10|12|20|100)\b|"
    r"\b(?:strength|dexterity|constitution|intelligence|wisdom|charisma)"
    r"(?: (?:check|roll|modifier|score))?\b|\bstraight roll\b|\bluck\b"
)


@dataclass(frozen=True, slots=True)
class Report:
    """A player says what the roll came to, in turn `turn`; `natural`: what the die shows."""

    player: str
    turn: int
    total: int
    natural: bool


@dataclass(frozen=True, slots=True)
class Exchange:
    """The signals of one check, in order, and the totals that were reported; `fault` why not."""

    signals: tuple[Signal, ...]
    reports: tuple[Report, ...]
    fault: str | None = None

    @property
    def first(self) -> Signal:
        """What opened the exchange."""
        return self.signals[0]

    @property
    def skill(self) -> str:
        """The skill that is checked, where there is no fault."""
        return min(self.first.skills)

    @property
    def end(self) -> int:
        """The last turn that belongs to the exchange."""
        return max([signal.turn for signal in self.signals] + [r.turn for r in self.reports])


def exchanges(episode: Episode, cast: Cast) -> tuple[Exchange, ...]:
    """All exchanges of an episode, in order, the faulty among them."""
    groups = list(_groups(episode.turns, cast))
    borders = [*(group[0].turn for group in groups), len(episode.turns)][1:]
    return tuple(
        _exchange(episode.turns, cast, group, border)
        for group, border in zip(groups, borders, strict=True)
    )


def _signals(turns: Sequence[Spoken], cast: Cast) -> Iterator[Signal]:
    for number, turn in enumerate(turns):
        if turn.speaker == cast.dm:
            yield from requests(number, turn.speaker, turn.text)
        elif turn.speaker in cast.characters:
            yield from announcements(number, turn.speaker, turn.text)


def _groups(turns: Sequence[Spoken], cast: Cast) -> Iterator[tuple[Signal, ...]]:
    """Signals that belong together: close to each other, and no total reported between them."""
    group: list[Signal] = []
    for signal in _signals(turns, cast):
        if group and not _continues(turns, group, signal):
            yield tuple(group)
            group = []
        group.append(signal)
    if group:
        yield tuple(group)


def _continues(turns: Sequence[Spoken], group: Sequence[Signal], signal: Signal) -> bool:
    last = group[-1]
    if signal.turn - last.turn > (JOINS_SAME if signal.skills == last.skills else JOINS):
        return False
    since = last.turn + 1 if last.by_dm else last.turn
    return all(reported_total(turn.text) is None for turn in turns[since : signal.turn])


def _exchange(
    turns: Sequence[Spoken], cast: Cast, group: tuple[Signal, ...], border: int
) -> Exchange:
    reports = tuple(_reports(turns, cast, group, border))
    return Exchange(group, reports, _fault(turns, cast, group, reports))


def _reports(
    turns: Sequence[Spoken], cast: Cast, group: Sequence[Signal], border: int
) -> Iterator[Report]:
    last = group[-1]
    reported: Report | None = None
    latest = last.turn + PATIENCE
    for number in range(last.turn if not last.by_dm else last.turn + 1, border):
        turn = turns[number]
        if number > latest or (turn.speaker == cast.dm and _leaves(turn, reported is not None)):
            return
        total = reported_total(turn.text) if turn.speaker in cast.characters else None
        if total is not None and not _echoes(turn, total, number, reported):
            reported = Report(turn.speaker, number, total, "natural" in turn.text.casefold())
            latest = number + GAP
            yield reported


def _leaves(turn: Spoken, reported: bool) -> bool:
    """Whether the DM goes on to something else: the story, or another kind of roll."""
    own = own_voice(turn.text).casefold()
    if _OTHER_ROLL.search(own):
        return True
    return reported and len(turn.text.split()) > NARRATES and "?" not in own


def _echoes(turn: Spoken, total: int, number: int, before: Report | None) -> bool:
    """Whether a player only repeats what another has just reported."""
    if before is None or before.player == turn.speaker or number - before.turn > 2:
        return False
    return total == before.total and bool(re.search(r"\?|!|natural", turn.text.casefold()))


def _fault(
    turns: Sequence[Spoken], cast: Cast, group: Sequence[Signal], reports: Sequence[Report]
) -> str | None:
    skills = set[str]().union(*(signal.skills for signal in group))
    if len(skills.union(*(_named(signal.sentence) for signal in group))) > 1:
        return "two skills"
    if any(name in signal.sentence for signal in group for name in cast.companions):
        return "for a companion"
    if not reports:
        return "no total reported"
    between = range(group[0].turn, reports[0].turn)
    if _corrected(turns, cast, group[0], between):
        return "skill corrected"
    if _left_open(turns, cast, min(skills), between):
        return "skill left open"
    return None


def _corrected(turns: Sequence[Spoken], cast: Cast, first: Signal, between: range) -> bool:
    """Whether the DM names another skill after the request and before the first total."""
    for number in between:
        if turns[number].speaker != cast.dm:
            continue
        own = own_voice(turns[number].text)[first.start if number == first.turn else 0 :]
        if _named(own) - first.skills:
            return True
    return False


def _left_open(turns: Sequence[Spoken], cast: Cast, skill: str, between: range) -> bool:
    """Whether a player asks which of two skills, and the DM does not say that it is this one."""
    asked = False
    for number in between:
        named = _named(turns[number].text)
        if turns[number].speaker == cast.dm:
            asked = asked and skill not in named
        elif skill in named and len(named) > 1:
            asked = True
    return asked


def _named(text: str) -> set[str]:
    return {skill for skill in SKILLS if named_at(skill, text) is not None}
