"""Who made the check of an exchange: the players who report totals, if it can be told."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

from sociolab.worlds.anteval.importing.crd3.cast import Cast
from sociolab.worlds.anteval.importing.crd3.exchanges import Exchange
from sociolab.worlds.anteval.importing.crd3.turns import Spoken, own_voice

Grade: TypeAlias = Literal["A", "B", "C"]
"""How a roller is known: A called by name, announced, asked as a group, or the last to speak;
B among those who spoke just before; C only because the total follows at once."""

SPOKE = 4
"""How many player turns before the request count as just before."""

AT_ONCE = 2
"""How many turns after the request are at once."""

AROUND = 15
"""So many characters before and after a request may hold the name of who is asked."""

_ALL = re.compile(
    r"\b(?:every(?:one|body)|you all|y'all|all of you|you guys|guys|each of you|my friends|"
    r"the (?:rest|three|four|five|six) of you|everyone's|the group|the party|you both|"
    r"those of you|anyone|anybody|the two of you|both of you|you two|the both of you)\b|"
    r"\b(?:checks|rolls)\b(?! with)"
)
_BOTH = re.compile(r"\b(?:you both|the two of you|both of you|you two|the both of you)\b")
_JOINS = re.compile(
    r"\b(?:as well|too|join|also|i'll (?:do|roll|make)|for me|same|i got|i rolled|mine|me and)\b"
)


_OWN = re.compile(r"\b(?:same|i rolled|i got|mine)\b")


@dataclass(frozen=True, slots=True)
class Rollers:
    """The players who rolled, and how that is known; none of them, and why."""

    players: frozenset[str]
    grade: Grade
    fault: str | None = None


def rollers(turns: Sequence[Spoken], cast: Cast, exchange: Exchange) -> Rollers:
    """The players whose rolls an exchange without fault is about."""
    reported = list(dict.fromkeys(report.player for report in exchange.reports))
    called = _called(turns, cast, exchange)
    if called:
        meant = [player for player in reported if player in called]
        return _told(meant, "A") if reported[0] in called else _unclear("another was called")
    asked = " ".join(signal.sentence for signal in exchange.signals if signal.by_dm)
    if _BOTH.search(asked):
        return _told(reported, "A") if len(reported) <= 2 else _unclear("more than were asked")
    if _ALL.search(asked):
        return _told(reported, "A")
    grade = _grade(turns, cast, exchange)
    if grade is None:
        return _unclear("not to be told who rolled")
    if _read_by_another(turns, exchange):
        return _unclear("one die, read by two")
    others = [player for player in reported[1:] if _joins(turns, cast, exchange, player)]
    if len(others) < len(reported) - 1:
        return _unclear("further totals, not to be told whose")
    return _told(reported, grade)


def _told(players: Sequence[str], grade: Grade) -> Rollers:
    return Rollers(frozenset(players), grade)


def _unclear(why: str) -> Rollers:
    return Rollers(frozenset(), "C", why)


def _grade(turns: Sequence[Spoken], cast: Cast, exchange: Exchange) -> Grade | None:
    """How the first to report is known to be the one who was asked; None if not at all."""
    first = exchange.reports[0]
    announced = [signal.speaker for signal in exchange.signals if not signal.by_dm]
    if announced:
        return "A" if first.player in announced else None
    before = _spoke_before(turns, cast, exchange.first.turn)
    if before[:1] == [first.player]:
        return "A"
    if first.player in before[:SPOKE]:
        return "B"
    at_once = first.turn - exchange.signals[-1].turn <= AT_ONCE
    return "C" if at_once and first.player in before else None


def _spoke_before(turns: Sequence[Spoken], cast: Cast, turn: int) -> list[str]:
    """The players of the turns before, the last first; each turn counts."""
    spoken = (turns[number].speaker for number in range(turn - 1, max(-1, turn - 13), -1))
    return [speaker for speaker in spoken if speaker in cast.characters]


def _joins(turns: Sequence[Spoken], cast: Cast, exchange: Exchange, player: str) -> bool:
    """Whether a further player says to roll too, or took part in the play just before."""
    last = max(report.turn for report in exchange.reports if report.player == player)
    own = (
        turns[number].text.casefold()
        for number in range(exchange.first.turn, last + 1)
        if turns[number].speaker == player
    )
    before = _spoke_before(turns, cast, exchange.first.turn)
    return player in before[:SPOKE] or any(_JOINS.search(text) for text in own)


def _read_by_another(turns: Sequence[Spoken], exchange: Exchange) -> bool:
    """Whether two players read one die: the same total at once, or the die and then the total."""
    pairs = zip(exchange.reports, exchange.reports[1:], strict=False)
    return any(
        one.player != other.player
        and other.turn - one.turn <= AT_ONCE
        and (one.natural or one.total == other.total)
        and not _OWN.search(turns[other.turn].text.casefold())
        for one, other in pairs
    )


def _called(turns: Sequence[Spoken], cast: Cast, exchange: Exchange) -> frozenset[str]:
    """The players whom the DM calls by name in asking."""
    called: set[str] = set()
    for signal in exchange.signals:
        if signal.by_dm:
            text = own_voice(turns[signal.turn].text).casefold()
            called |= _vocatives(text, signal.start, signal.sentence, cast.names)
    return frozenset(called)


def _vocatives(text: str, start: int, sentence: str, names: Mapping[str, str]) -> frozenset[str]:
    """The players who are called in a sentence or, if it does not name them, right around it."""
    around = text[max(0, start - AROUND) : start + len(sentence) + AROUND]
    return frozenset(
        player
        for name, player in names.items()
        if _vocative(name).search(sentence if name in sentence else around)
    )


@lru_cache(maxsize=256)
def _vocative(name: str) -> re.Pattern[str]:
    """The name where it calls somebody; "follow Otto down the stairs" calls nobody."""
    return re.compile(
        rf"(?:^|[,.?!-]\s*|\b(?:so|okay|and|all right|well|then|for|from) ){re.escape(name)}"
        rf"(?=\s*(?:[,.?!-]|$|\b(?:and|make|roll|you|go|give|i need|i want|as)\b))"
    )
