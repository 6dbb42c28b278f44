"""One sentence as acts: what its cues make of the values between them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from sociolab.worlds.sotopia.checks.acts import (
    Act,
    Assent,
    Found,
    Level,
    Named,
    Refuse,
    Sign,
    Take,
)
from sociolab.worlds.sotopia.checks.clauses import INFORMATIVE, Clauses
from sociolab.worlds.sotopia.checks.cues import CLOSERS, FLUFF, OPENERS, Cue
from sociolab.worlds.sotopia.checks.words import word_set

V = TypeVar("V")

_NEXT = frozenset({Cue.TAKE_NEXT, Cue.PAST_NEXT})
_REPORTS = frozenset({Cue.PAST, Cue.PAST_NEXT})
_LEVELS = {
    Cue.DEAL: Level.DEAL,
    Cue.DEAL_WORD: Level.DEAL,
    Cue.FINE: Level.FINE,
    Cue.YES: Level.YES,
    Cue.NOD: Level.YES,
    Cue.NICE: Level.NICE,
    Cue.CLOSE: Level.CLOSE,
}
_ALONE = frozenset({Cue.DEAL_WORD, Cue.YES, Cue.NICE})
_SIGNS = {
    Cue.MOCK: Sign.MOCK,
    Cue.LATER: Sign.DEFER,
    Cue.OFF: Sign.WITHDRAW,
    Cue.CHEAT: Sign.CHEAT,
}
_SEGMENT_ENDS = word_set(", - : ; but and or if with without including when as")
_TURNING_TO_ONESELF = word_set("i let how what would could can shall my we")
_CONCLUDING = word_set("so then")
_REACH = 10  # words between a cue and its value

# Members of an enumeration are slow to look up, and these are looked up for every word.
_ASK = Cue.ASK
_BOUND = Cue.BOUND
_DELTA = Cue.DELTA
_FROM_TO = Cue.FROM_TO
_NEVER = Cue.NEVER
_NOTHING = Cue.NOTHING
_PAST = Cue.PAST
_REFUSING = Cue.REFUSING
_SOFT = Cue.SOFT
_TAKE = Cue.TAKE
_TAKE_NEXT = Cue.TAKE_NEXT
_VALUE = Cue.VALUE
_VALUE_DELTA = Cue.VALUE_DELTA
_VALUE_PAST = Cue.VALUE_PAST
_VALUE_REFUSED = Cue.VALUE_REFUSED
_VALUE_TAKEN = Cue.VALUE_TAKEN


class Sentence(Clauses[V]):
    """Reads one sentence from left to right. What it says of the whole turn is left in flags."""

    @property
    def about_values(self) -> bool:
        """Whether a question asks for a value, or for assent to one."""
        return self.confirming or bool(self.values)

    def read(self) -> list[Act[V]]:
        """The acts of the sentence, in order."""
        for start, end, cue in self.marks:
            _HANDLERS[cue](self, start, end, cue)
        if self.wavers and not self.values:
            self.acts.append((len(self.words), Sign.WAVER))
        if self.another_time:
            self.acts = [
                (at, _uncertain(act) if isinstance(act, Take) else act)
                for at, act in self.acts
                if not isinstance(act, Named)
            ]
        return self._under_condition() if self.if_from >= 0 else [act for _, act in self.acts]

    # -------------------------------------------------------------- values

    def _lead(self, start: int, end: int, cue: Cue) -> None:
        """A cue for a value that is to follow."""
        if self.echo and start > self.echo_from and self.words[start] in _TURNING_TO_ONESELF:
            self.echo = False
        if cue in _NEXT and self.left in INFORMATIVE and start - self.left_end <= _REACH:
            return
        self.left, self.left_end = cue, end

    def _value(self, start: int, end: int, cue: Cue) -> None:
        if cue is not _VALUE:
            start = self.words.index("#", start)
        found = self.values[start]
        role = self._role(start, cue)
        either, self.either, self.left = self.either, False, None
        if role is _REFUSING:
            if found.value is not None:
                self.acts.append((start, Refuse((found.value,))))
        elif role is _PAST:
            if cue is _VALUE_PAST:
                self._name(start, found, reported=True)
        elif either and self._alternative(found):
            return
        elif role is not _NOTHING or found.telling:
            self.acts.append((start, self._taken(found, role)))
        else:
            self._name(start, found)

    def _name(self, start: int, found: Found[V], reported: bool = False) -> None:
        """A value that is no stand, and yet must not be overheard beside a yes."""
        if found.value is not None and not found.telling:
            concludes = self.words[0] in _CONCLUDING
            self.acts.append((start, Named(found.value, reported, concludes)))

    def _taken(self, found: Found[V], role: Cue) -> Take[V]:
        take = Take(
            () if found.value is None or role is _DELTA else (found.value,),
            asked=role is _ASK or self.asked,
            soft=role is _SOFT,
            echo=role is _VALUE and self.asked,
        )
        return _uncertain(take) if role is _NOTHING else take

    def _alternative(self, found: Found[V]) -> bool:
        """Add a value after "or" to the stand before it, if there is one."""
        for index in range(len(self.acts) - 1, -1, -1):
            at, act = self.acts[index]
            if isinstance(act, Take) and found.value is not None:
                self.acts[index] = (at, act._replace(values=(*act.values, found.value)))
                return True
        return False

    def _role(self, start: int, cue: Cue) -> Cue:
        """TAKE, ASK, SOFT, DELTA, REFUSING, PAST, VALUE (bare) or NOTHING (unclear)."""
        left = self._left(start)
        if self.echo:
            return _PAST
        if cue is _VALUE_DELTA or (left is _DELTA and cue is not _VALUE_TAKEN):
            return _PAST if left in _REPORTS or self.negated else _DELTA
        if cue is _VALUE_REFUSED or left is _REFUSING:
            return _REFUSING
        if left is _BOUND:
            return _TAKE if self.negated else _PAST
        if cue is _VALUE_TAKEN:
            return _REFUSING if self.negated else _TAKE
        if left in _REPORTS:
            return _PAST
        if left is not None:
            taken = _TAKE if left is _TAKE_NEXT else left
            return _REFUSING if self.negated else taken
        if cue is _VALUE_PAST:
            return _PAST
        if self.negated:
            return _REFUSING
        if self._bare(start):
            return _VALUE
        return _NOTHING

    def _left(self, start: int) -> Cue | None:
        reach = 1 if self.left in _NEXT else _REACH
        return self.left if start - self.left_end <= reach else None

    def _bare(self, at: int) -> bool:
        """Whether the value's segment holds nothing else of weight."""
        for step in (-1, 1):
            other = at + step
            while 0 <= other < len(self.words) and self.words[other] not in _SEGMENT_ENDS:
                if self.words[other] not in FLUFF:
                    return False
                other += step
        return True

    def _pair(self, start: int, end: int, cue: Cue) -> None:
        """A range is a stand that cannot be read; after "from X to" comes the new value."""
        if cue is _FROM_TO:
            self.left, self.left_end = _TAKE, end
        elif self._left(start) not in _REPORTS:
            self.acts.append((start, Take((), asked=self.asked)))

    # -------------------------------------------------------------- assent, refusal, signs

    def _assent(self, start: int, end: int, cue: Cue) -> None:
        if cue in _ALONE and not self._stands_alone(start, end):
            return
        level = _LEVELS[cue]
        asked = self.asked and not (level <= Level.YES and self.words[end : end + 1] == [","])
        if asked and level <= Level.YES:
            self.confirming = self.confirming or level is Level.YES
            return
        if self.negated and level >= Level.FINE:
            return
        self.acts.append((start, Assent(level, "your" in self.words[start:end], asked)))
        self.confirming = self.confirming or asked
        if level is Level.YES:
            self.yes_end = end

    def _stands_alone(self, start: int, end: int) -> bool:
        before = self.words[start - 1] if start else ","
        after = self.words[end] if end < len(self.words) else "."
        return before in OPENERS and after in CLOSERS

    def _refusal(self, start: int, end: int, cue: Cue) -> None:
        hard = cue is _NEVER
        self.negated = self.negated or hard
        self.acts.append((start, Refuse(hard=hard)))

    def _sign(self, start: int, end: int, cue: Cue) -> None:
        self.acts.append((start, _SIGNS[cue]))

    def _aside(self, start: int, end: int, cue: Cue) -> None:
        """A yes before it only says that one has heard."""
        if 0 <= start - self.yes_end <= 2:
            self.acts = [
                (at, act)
                for at, act in self.acts
                if not (isinstance(act, Assent) and act.level is Level.YES)
            ]


def _uncertain(take: Take[V]) -> Take[V]:
    return take._replace(mention=True)


_HANDLERS: dict[Cue, Callable[[Sentence[Any], int, int, Cue], None]] = {
    **dict.fromkeys((Cue.TAKE, Cue.ASK, Cue.SOFT, Cue.PAST, Cue.BOUND), Sentence._lead),
    **dict.fromkeys((Cue.DELTA, Cue.REFUSING, Cue.TAKE_NEXT, Cue.PAST_NEXT), Sentence._lead),
    **dict.fromkeys((Cue.VALUE, Cue.VALUE_TAKEN, Cue.VALUE_REFUSED), Sentence._value),
    **dict.fromkeys((Cue.VALUE_PAST, Cue.VALUE_DELTA), Sentence._value),
    **dict.fromkeys((Cue.RANGE, Cue.FROM_TO), Sentence._pair),
    **dict.fromkeys(_LEVELS, Sentence._assent),
    **dict.fromkeys((Cue.NO, Cue.NEVER), Sentence._refusal),
    **dict.fromkeys(_SIGNS, Sentence._sign),
    **dict.fromkeys((Cue.BUT, Cue.BREAK), Clauses._break),
    Cue.NOTHING: Clauses._nothing,
    Cue.MIDDLE: Clauses._middle,
    Cue.ANOTHER_TIME: Clauses._another_time,
    Cue.COMMA: Clauses._comma,
    Cue.ASIDE: Sentence._aside,
    Cue.ECHO: Clauses._echo,
    Cue.NOT: Clauses._not,
    Cue.OR: Clauses._or,
    Cue.IF: Clauses._if,
    Cue.ONLY_IF: Clauses._only_if,
    Cue.CONFIRM: Clauses._confirm,
    Cue.LOGISTICS: Clauses._logistics,
    Cue.IRONY: Clauses._irony,
    Cue.WAVER: Clauses._waver,
}
