"""One sentence about goods, from left to right: who, does what, to which of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sociolab.worlds.sotopia.checks.counting import (
    COUNTING,
    OTHER,
    REMAINING,
    Count,
    Ratio,
    amount_of,
    counted,
    ratio_after,
)
from sociolab.worlds.sotopia.checks.good_names import GoodNames
from sociolab.worlds.sotopia.checks.said_of_goods import Cue
from sociolab.worlds.sotopia.checks.words import word_set

_OFFERS = word_set("take keep have")
_GAINS = _OFFERS | {"get"}
_OPENERS = word_set(", - and ahead so then okay yes sure please")

_OWNERS = (Cue.ME, Cue.YOU, Cue.WE, Cue.EACH, Cue.HALVE)
_HOLD_A_VERB = frozenset({Cue.HALVE, Cue.EACH})
_AFTER = {
    Cue.TO_ME: Cue.ME,
    Cue.TO_YOU: Cue.YOU,
    Cue.IS_MINE: Cue.ME,
    Cue.IS_YOURS: Cue.YOU,
}
_GIVING = word_set("give gives giving leave leaving hand handing grant offer offering")
_LETTING = word_set("let allow")
_JOINING = word_set(", and then just")
_ON_TO = _JOINING | {"to"}
_NOUN = word_set("a an the fair good this that")  # before what is no verb: a fair swap
_DONE = word_set("shared divided halved")
_PASSIVE = word_set("is are be being get gets")
_WITH_VERB = frozenset({Cue.IS_MINE, Cue.IS_YOURS})

REST, ALL = "(the rest)", "(everything)"
"""Stand for the goods that are not named, and for all of them."""


@dataclass(slots=True)
class NamedGood:
    """A good as it was named, and whom it is for. `direct`: it is the first object of its verb."""

    good: str
    count: Count
    owner: Cue | None
    direct: bool
    segment: int
    done: bool = False


class Sharing:
    """Reads one sentence from left to right: who, does what, to which goods."""

    owner: Cue | None = None
    verb = negated = muted = False
    fresh = False  # whether the verb has no object yet
    verb_end = -1
    given = ""  # the verb of which the owner is the indirect object: leave me, let you
    ratio: Ratio | None = None
    excepting: NamedGood | None = None
    segment = 0

    def __init__(self, goods: GoodNames, words: list[str], last: str | None) -> None:
        self.last = last  # the good that was named last in the turn
        self.goods = goods
        self.words = words
        self.named: list[NamedGood] = []

    def read(self) -> list[NamedGood]:
        """The goods that are for somebody."""
        for start, end, cue in self.goods.marks(self.words):
            if isinstance(cue, str):
                self._good(cue, start, end)
            else:
                _HANDLERS[cue](self, start, end, cue)
        return self.named

    def _owner(self, start: int, end: int, cue: Cue) -> None:
        self.given = self.words[start - 1] if start == self.verb_end else ""
        self.owner = cue
        self.verb = self.verb or cue in _HOLD_A_VERB
        self.fresh = True

    def _verb(self, start: int, end: int, cue: Cue) -> None:
        before = self.words[start - 1] if start else ","
        if self.owner is None and self.words[start] in _OFFERS and before in _OPENERS:
            self.owner = Cue.YOU  # take the apples, then
        if self.given and self.words[start] in _GAINS and before in _ON_TO:
            self._turn_round()
        self.verb_end = end
        self.verb = self.fresh = True

    def _turn_round(self) -> None:
        """Leave me this and take that: the giver takes. Let me have this and take that: unclear."""
        if self.given in _GIVING:
            self.owner = OTHER.get(self.owner) if self.owner else None
        elif self.given in _LETTING:
            self.owner = None
        self.given = ""

    def _part(self, start: int, end: int, cue: Cue) -> None:
        if start and self.words[start - 1] in _NOUN:
            return
        self.owner = OTHER.get(self.owner) if self.owner else None
        self.given = "give"
        self.verb = self.fresh = True

    def _against(self, start: int, end: int, cue: Cue) -> None:
        """The turbot for the lobsters: who gives the one gets the other."""
        traded = any(item.owner is not None and item.owner is self.owner for item in self.named)
        if traded and self.owner in OTHER and self._leads_to_good(end):
            self.owner, self.given = OTHER[self.owner], ""
        elif end - start > 1:
            self._break(start, end, cue)

    def _leads_to_good(self, at: int) -> bool:
        """Whether the next thing that is said is a good, with nothing but a count before it."""
        for start, _, mark in self.goods.marks(self.words[at : at + 8]):
            if isinstance(mark, str):
                return all(
                    word in COUNTING or amount_of(word) is not None
                    for word in self.words[at : at + start]
                )
        return False

    def _except(self, start: int, end: int, cue: Cue) -> None:
        """Everything but this: the rest for one, this for the other."""
        follows = self.words[end] if end < len(self.words) else ""
        if self.words[start] == "all" and amount_of(follows) is not None:
            return  # all but two of the apples
        self._add(REST, 0)
        self.excepting = self.named[-1] if self.named and self.owner is None else None
        self.owner = OTHER.get(self.owner) if self.owner else None

    def _halve(self, start: int, end: int, cue: Cue) -> None:
        ratio = ratio_after(self.words, end)
        if start and self.words[start - 1] in _PASSIVE and self.named:
            item = self.named.pop()
            self._halved(item.good, ratio)
            return
        if self.words[start] not in _DONE:  # what was shared before is no proposal
            self._owner(start, end, cue)
            self.ratio = ratio

    def _halved(self, good: str, ratio: Ratio | None) -> None:
        """In two equal parts, or as a ratio says."""
        if ratio is None:
            parts = {Cue.HALVE: self.goods.counts.get(good)}
        else:
            parts = ratio.parts(self.goods.counts.get(good, 0))
        for owner, count in parts.items():
            self.named.append(NamedGood(good, count, owner, False, self.segment, done=True))

    def _whole(self, start: int, end: int, cue: Cue) -> None:
        if cue is Cue.REST and self.words[end : end + 1] == ["of"]:
            if self._leads_to_good(end + 1):
                return  # the rest of the apples
            if self._begun():
                self._add(self.named[-1].good, REMAINING)
                return
        self._add(REST if cue is Cue.REST else ALL, 0)

    def _begun(self) -> bool:
        """Whether some pieces of the last good were given, and not all."""
        if not self.named:
            return False
        item = self.named[-1]
        return item.count is not None and item.count < self.goods.counts.get(item.good, 0)

    def _apiece(self, start: int, end: int, cue: Cue) -> None:
        if not self.named or self.muted:
            return
        item = self.named[-1]
        item.owner, item.done = Cue.EACH, True
        for word in reversed(self.words[max(0, start - 2) : start]):  # the wheat, three sacks each
            amount = amount_of(word)
            if amount is not None:
                item.count = amount

    def _not(self, start: int, end: int, cue: Cue) -> None:
        self.negated = True

    def _taste(self, start: int, end: int, cue: Cue) -> None:
        self.muted = True
        self.named = [item for item in self.named if item.owner is not None]

    def _comma(self, start: int, end: int, cue: Cue) -> None:
        self.segment += 1
        self.negated = self.muted = False

    def _break(self, start: int, end: int, cue: Cue) -> None:
        self.segment += 1
        self.negated = self.muted = self.verb = False
        self.owner, self.given, self.ratio = None, "", None

    def _good(self, good: str, start: int, end: int) -> None:
        self.last = good
        self._add(good, self._count(good, start, end))

    def _of_it(self, start: int, end: int, cue: Cue) -> None:
        """One of them, the other two: of the good that was named last."""
        good = self.last
        following = self.goods.marks(self.words[end : end + 3])
        named_next = any(at == 0 and isinstance(mark, str) for at, _, mark in following)
        if good is None or named_next:
            return
        amounts = [amount_of(word) for word in self.words[start:end]]
        known = [amount for amount in amounts if amount is not None]
        count = known[0] if known else REMAINING
        if {"all", "both"} & set(self.words[start:end]):
            count = self.goods.counts[good]
        self._add(good, count)

    def _them(self, start: int, end: int, cue: Cue) -> None:
        """You can have them: what the other has named, never what the speaker asks for."""
        if self.owner is Cue.YOU and self.last is not None:
            self.verb = self.fresh = True
            self._add(self.last, self.goods.counts[self.last])

    def _add(self, good: str, count: Count) -> None:
        if self.negated or self.muted:
            return
        owner = self.owner if self.verb else None
        if owner is Cue.HALVE and self.ratio is not None:
            self._halved(good, self.ratio)
            return
        self.named.append(NamedGood(good, count, owner, self.fresh, self.segment))
        self.fresh = False

    def _for(self, start: int, end: int, cue: Cue) -> None:
        """The goods before "for me" or "are yours"."""
        owner, with_verb = _AFTER[cue], cue in _WITH_VERB
        if self.words[start] == ":" and end < len(self.words) and self.words[end] not in _JOINING:
            self._owner(start + 1, end, owner)  # a fair swap: you take the apples
            return
        if self.muted or self.negated:
            return
        if cue is Cue.IS_MINE and not self.named and self.last and self.words == ["all", "mine"]:
            self._add(self.last, self.goods.counts[self.last])
        open_ = [item for item in self.named if not item.done]
        chosen = [
            item
            for item in open_
            if item.owner is None
            or (item.segment == self.segment and not (with_verb and item.direct))
        ]
        for item in chosen:
            item.owner, item.done = (OTHER[owner] if self._excepted(item) else owner), True

    def _excepted(self, item: NamedGood) -> bool:
        """Whether it stands after "everything but", where nobody had been named."""
        places = {id(one): place for place, one in enumerate(self.named)}
        first = places.get(id(self.excepting))
        return first is not None and places[id(item)] > first

    def _count(self, good: str, start: int, end: int) -> Count:
        plural = any(self.goods.is_plural(good, word) for word in self.words[start:end])
        return counted(self.words, start, self.goods.counts[good], plural)


_HANDLERS: dict[Cue, Callable[[Sharing, int, int, Cue], None]] = {
    **dict.fromkeys(_OWNERS, Sharing._owner),
    Cue.HALVE: Sharing._halve,
    Cue.PART: Sharing._part,
    Cue.AGAINST: Sharing._against,
    Cue.EXCEPT: Sharing._except,
    **dict.fromkeys(_AFTER, Sharing._for),
    **dict.fromkeys((Cue.REST, Cue.ALL), Sharing._whole),
    Cue.VERB: Sharing._verb,
    Cue.OF_IT: Sharing._of_it,
    Cue.THEM: Sharing._them,
    Cue.APIECE: Sharing._apiece,
    Cue.NOT: Sharing._not,
    Cue.TASTE: Sharing._taste,
    Cue.COMMA: Sharing._comma,
    Cue.BREAK: Sharing._break,
}
