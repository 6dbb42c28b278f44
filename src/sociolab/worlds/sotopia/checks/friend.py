"""The friend whom all seats know, as found in the talk.

Found means that everybody named the friend as known, or confirmed the name when another said it.
Lists that are read out and both hold the name count, unless it is said that there is nobody.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum, IntEnum, auto
from functools import lru_cache
from typing import TypeAlias

from sociolab.core.episode import Moved
from sociolab.worlds.sotopia.checks.outcome import (
    Agreed,
    CannotTell,
    Evidence,
    NoAgreement,
    Outcome,
    quoted,
)
from sociolab.worlds.sotopia.checks.phrases import Phrases
from sociolab.worlds.sotopia.checks.words import word_set, words
from sociolab.worlds.sotopia.scene import LEAVE, Casting

FOUND = 10.0

Lists: TypeAlias = tuple[tuple[str, ...], ...]


class Cue(IntEnum):
    """What a phrase says of the person spoken of."""

    KNOWS = auto()  # I know him, my friend
    YES = auto()  # counts right after a question
    DENIES = auto()
    DISOWNS = auto()  # the same, beyond doubt
    WONDERS = auto()  # sounds familiar
    WHICH = auto()  # the same, in a question
    NOBODY = auto()  # we have no friend in common
    MOCKS = auto()
    BUT = auto()
    NOTHING = auto()  # looks like a denial and is none


_CUES = Phrases(
    {
        Cue.KNOWS: """
            know (him|her|them) / know (this|that) (person|guy|one) / (i|we) do know
            knows (him|her|them)
            (he|she|they|that) (is|are) (my|our|good|close|old) (friend|friends)
            (he|she|they|that) (is|are) (dear|great|best|closest|) (friend|friends)
            (he|she|they|that) (is|are) (one of|) (my|our)
            (he|she|they|that) (is|are) (my|our|good|close) (mutual) (friend|acquaintance)
            (he|she|they|that) (is|are) (my|our|good|close) (common|shared) (friend|acquaintance)
            (he|she|they|that) (is|are) (old|dear|great|) (mutual) (friend|acquaintance)
            (he|she|they|that) (is|are) (old|dear|great|) (common|shared) (friend|acquaintance)
            friends with (him|her|them) / that is (him|her|them|who|one) / same (person|one|guy)
            me too / so do i / as do i / so we (do|both|have) / small world / what coincidence
            such coincidence / how do you know (him|her|them) / have been friends / we are friends
            we met / we go (way|back) / met (him|her|them) / our (mutual|common|shared) friend
            we both know / exactly / have (him|her|them) as friend / have mutual friend
            have friend in common / found our
            """,
        Cue.YES: """
            yes / of course / sure / indeed / absolutely / certainly / nods / nod / nodding / i do
            i am / right / correct / that is (true|right|correct) / oh wow / wow / (he|she) is
            they are / it is (him|her|them) / spot on / bingo
            """,
        Cue.DENIES: """
            no / not / never / unfortunately / sorry / afraid / unfamiliar / i do not / i am not
            neither / (does|did) not ring / not know (him|her|them|that|any)
            (shakes|shaking) (his|her|their|my) head / none / nobody / wrong / mistaken
            do not (think|believe|recall|remember|recognize|recognise)
            """,
        Cue.WONDERS: """
            can not place / sounds familiar / rings bell / might know / may know / could be
            i think i know / not sure / not certain
            """,
        Cue.WHICH: "who / which / last name / where from / what (does|did|is) / from where",
        Cue.NOBODY: """
            (no|not any|not have any) (mutual|common|shared) (friend|friends|acquaintance)
            (not share any) (mutual|common|shared) (friend|friends|acquaintance)
            (not have|not share) (mutual|common|shared) (friend|friends|acquaintance)
            (no|not any|not have any) (mutual|common|shared) (acquaintances)
            (no|not any|not have any) (mutual|common|shared) (connection|connections)
            (not share any|not have|not share) (mutual|common|shared) (acquaintances)
            (not share any|not have|not share) (mutual|common|shared) (connection|connections)
            (no|not any|not have any|not share any) (friend|friends) in common
            (nobody|no one|not anyone|not anybody) in common
            not (seem|appear) to (have|share) (any|) (mutual|common|shared)
            not (seem|appear) to (have|share) (any|) (friends|friend|anyone|anybody)
            not have (anyone|anybody|any friends|friends|any|friend) in common
            not (find|found) (any|) (mutual|common)
            """,
        Cue.MOCKS: """
            as if / oh sure / in your dreams / yes right / (queen|king) of / sarcastically
            """,
        Cue.DISOWNS: """
            (i|we) do not know (him|her|them|that|any) / never (heard|met) / (does|did) not ring
            i was (wrong|mistaken) / not know (him|her|them|that|any) / i have not (met|heard)
            """,
        Cue.NOTHING: """
            can not believe / could not believe / no (doubt|wonder|way|problem|surprise) / why not
            not only / would not have (thought|guessed) / not surprised / can not wait / not wait
            would not be surprised / not long ago / do not worry / never thought / never expected
            not mind
            """,
        Cue.BUT: "but / however / although / though",
    }
)


class Status(Enum):
    """How a seat stands to the mutual friend."""

    SILENT = auto()
    NAMED = auto()
    DENIED = auto()
    UNCLEAR = auto()


def friend_formula(found: str) -> tuple[float, str]:
    """What finding the mutual friend is worth: 10 to everybody."""
    return FOUND, f"{found} is the mutual friend and was found: 10 to everybody, else 0"


def found_friend(casting: Casting, moves: Sequence[Moved]) -> Outcome[str]:
    """The mutual friend, if the seats found out."""
    lists = tuple(
        tuple(friend.name for friend in goal.facts.friends)
        for goal in casting.scenario.goals
        if goal.facts is not None and goal.facts.kind == "friend"
    )
    if len(lists) < len(casting.characters):
        return CannotTell("not every seat's friends are known")
    mutual = [name for name in lists[0] if all(name in names for names in lists[1:])]
    if not mutual:
        return CannotTell("the lists of friends have nobody in common")
    present = {character.first_name for character in casting.characters}
    seats = [character.id for character in casting.characters]
    outcomes = []
    for name in mutual:
        search = _Search(_names(lists), name, seats)
        for move in moves:
            search.hear(move)
        outcomes.append(search.outcome(present))
    return max(
        outcomes, key=lambda outcome: (isinstance(outcome, Agreed), isinstance(outcome, CannotTell))
    )


class _Names:
    """Finds the friends' names in a text."""

    def __init__(self, lists: Lists) -> None:
        people = sorted({name for names in lists for name in names})
        firsts = [name.split()[0] for name in people]
        self._people: dict[str, str] = {name: name for name in people}
        for name in people:
            first = name.split()[0]
            self._people.setdefault(first, name if firsts.count(first) == 1 else first)
        spelled = sorted(self._people, key=len, reverse=True)
        self._pattern = re.compile(rf"\b({'|'.join(map(re.escape, spelled))})\b(?!['\u2019]t\b)")

    def within(self, text: str) -> list[str]:
        """Whom the text names; a first name alone where several people share it."""
        return [self._people[said] for said in self._pattern.findall(text)]


@lru_cache(maxsize=256)
def _names(lists: Lists) -> _Names:
    return _Names(lists)


_CLAUSE = re.compile(r"(?<=[.!?])\s+|(?:,\s*|\s+)but\s+", re.IGNORECASE)
_PERSON = word_set("him her them know friend he she they that ring familiar")
_HIM = word_set("him her he she")
_ECHO = 4  # most words in a question that only repeats the name


class _Search:
    """Follows a talk for one name: who named the friend, who denied, who wondered."""

    def __init__(self, names: _Names, friend: str, seats: Sequence[str]) -> None:
        self._names = names
        self._friend = friend
        self._first = friend.split()[0]
        self._status = dict.fromkeys(seats, Status.SILENT)
        self._evidence: dict[str, Evidence] = {}
        self._subject: list[str] = []  # who was spoken of last
        self._open = False  # whether a bare yes answers to that
        self._twin = self._nobody = False
        self._spoke: list[str] = []
        self._denied = False  # in answer to the name, or beyond doubt; or left instead of answering

    def hear(self, move: Moved) -> None:
        """Take in a turn."""
        if move.seat not in self._status:
            return
        text = " ".join(action.text for action in move.actions)
        if text:
            self._hear(move, text)
            self._spoke.append(move.seat)
        if LEAVE in {action.kind for action in move.actions}:
            asked = self._open and self._friend in self._subject and self._spoke[-1] != move.seat
            self._denied = self._denied or asked or move.seat not in self._spoke

    def _hear(self, move: Moved, text: str) -> None:
        before = self._status[move.seat]
        answered, self._open = (self._subject, self._open), False
        own = False
        for clause in _CLAUSE.split(text):
            said = words(clause)
            named = self._names.within(clause)
            asks = clause.rstrip(" \"'*\u201d").endswith("?")
            cues = [] if not (named or self._subject) else _cues(said)
            if named:
                self._subject, self._open = named, True
                self._twin = self._twin or (self._first in named and self._first != self._friend)
            elif asks:
                self._open = self._open and not _PERSON.isdisjoint(said)
            if Cue.NOBODY in cues and not asks:
                self._nobody = True
            elif self._friend in named:
                own = True
                before_us = self._friend in answered[0]
                echo = before_us and len(said) <= _ECHO
                self._status[move.seat] = self._after_name(move.seat, cues, asks, echo)
                denies = self._status[move.seat] is Status.DENIED
                self._denied = denies and (before_us or Cue.DISOWNS in cues)
            elif self._friend in self._subject and not named and not asks:
                self._hear_answer(move.seat, said, cues, own, answered[1])
        self._note(move, text, before)

    def _after_name(self, seat: str, cues: list[Cue], asks: bool, echo: bool) -> Status:
        """What it means that a seat says the name."""
        status = self._status[seat]
        if Cue.MOCKS in cues:
            return Status.UNCLEAR
        if _denies(cues) and not asks:
            return Status.DENIED
        wonders = Cue.WONDERS in cues or (asks and Cue.WHICH in cues)
        wonders = wonders and Cue.KNOWS not in cues
        if (wonders or (asks and echo)) and status is not Status.NAMED:
            return Status.UNCLEAR
        self._nobody = False
        return Status.NAMED

    def _hear_answer(
        self, seat: str, said: list[str], cues: list[Cue], own: bool, open_: bool
    ) -> None:
        """What it means that a seat speaks of the friend without the name."""
        about = not _PERSON.isdisjoint(said)
        if self._status[seat] is Status.NAMED and Cue.DISOWNS not in cues:
            return
        if Cue.MOCKS in cues:
            self._status[seat] = Status.UNCLEAR
        elif _denies(cues):
            if about or open_ or own:
                self._status[seat] = Status.DENIED
                self._denied = self._denied or open_ or Cue.DISOWNS in cues
        elif Cue.KNOWS in cues or (Cue.YES in cues and (open_ or own)):
            alone = self._subject == [self._friend]
            self._status[seat] = Status.NAMED if alone else Status.UNCLEAR
            self._nobody = self._nobody and not alone
        elif open_ and not _HIM.isdisjoint(said) and self._status[seat] is Status.SILENT:
            self._status[seat] = Status.UNCLEAR  # speaks of "her", as if they were acquainted

    def _note(self, move: Moved, text: str, before: Status) -> None:
        if self._status[move.seat] is Status.NAMED and before is not Status.NAMED:
            self._evidence[move.seat] = Evidence(move.turn, move.seat, quoted(text))

    def outcome(self, present: set[str]) -> Outcome[str]:
        """Whether this friend was found; `present` are the first names of the seats."""
        states = set(self._status.values())
        if states == {Status.NAMED}:
            if self._nobody:
                return NoAgreement("they concluded that they have no friend in common")
            if self._first in present:
                return CannotTell("the friend has the name of somebody who is present")
            evidence = sorted(self._evidence.values(), key=lambda item: item.turn)
            return Agreed(self._friend, tuple(evidence))
        if self._twin:
            return CannotTell("it is not clear who was meant by a first name")
        if Status.DENIED not in states and states >= {Status.NAMED, Status.UNCLEAR}:
            return CannotTell("the name was said, and the answer to it is unclear")
        if self._denied or self._nobody:
            return NoAgreement("not everybody named or confirmed the mutual friend")
        return CannotTell("nobody denied knowing the mutual friend in a way that rules can read")


def _cues(said: list[str]) -> list[Cue]:
    if said[:2] == ["no", ","]:
        said = said[2:] if any(word not in ",.!" for word in said[2:]) else said
    if said[:2] == ["it", "is"] and not any(word.isalpha() for word in said[2:]):
        return [Cue.YES]
    return [cue for _, _, cue in _CUES.marks(said)]


def _denies(cues: list[Cue]) -> bool:
    """Whether a denial stands before what speaks for knowing."""
    for cue in cues:
        if cue in (Cue.DENIES, Cue.DISOWNS):
            return True
        if cue is Cue.KNOWS:
            return False
    return False
