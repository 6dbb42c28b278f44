"""Who is to get what, as said in one turn: "I take two books, you get the rest"."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from sociolab.worlds.sotopia.checks.amounts import SMALL_NUMBERS
from sociolab.worlds.sotopia.checks.phrases import Mark, Phrases
from sociolab.worlds.sotopia.checks.said_of_goods import OF_GOODS, Cue
from sociolab.worlds.sotopia.checks.words import BREAKS, word_set, words

Split: TypeAlias = tuple[int, int]
"""How many of one good the first and the second seat get."""


_OFFERS = word_set("take keep have")
_OPENERS = word_set(", - and ahead so then okay yes sure please")
_SKIPPED = word_set("of the my your our those these them that remaining other his her")
_ONE = word_set("a an another single one last first second third")
_UNCLEAR = word_set("some few several most more many any majority bigger fewer less extra")

_OWNERS = (Cue.ME, Cue.YOU, Cue.WE, Cue.EACH, Cue.HALVE)
_HOLD_A_VERB = frozenset({Cue.HALVE, Cue.EACH})
_AFTER = {
    Cue.TO_ME: Cue.ME,
    Cue.TO_YOU: Cue.YOU,
    Cue.IS_MINE: Cue.ME,
    Cue.IS_YOURS: Cue.YOU,
}
_WITH_VERB = frozenset({Cue.IS_MINE, Cue.IS_YOURS})

_REST, _ALL = "(the rest)", "(everything)"
_UNSAID, _REMAINING = -1, -2  # counts that follow from the other seat's

Count: TypeAlias = int | None
Wanted: TypeAlias = dict[str, dict[Cue, Count]]
"""For each good, how many are for whom; None where it cannot be read."""


@dataclass(slots=True)
class _Named:
    """A good as it was named, and whom it is for. `direct`: it is the first object of its verb."""

    good: str
    count: Count
    owner: Cue | None
    direct: bool
    segment: int
    done: bool = False


@dataclass(frozen=True, slots=True)
class Share:
    """A proposal for one good; `split` is None where it cannot be read.

    `doubt`: why it is uncertain, where some pieces fall to the other without having been named.
    """

    good: str
    split: Split | None
    asked: bool
    doubt: str = ""


class Goods:
    """The goods of a scenario, and how proposals about them are read."""

    def __init__(self, counts: Mapping[str, int]) -> None:
        self.counts = dict(counts)
        self._names = {good: words(good, dropped=frozenset()) or [good] for good in counts}
        self._phrases: Phrases[Cue | str] = Phrases(OF_GOODS, self._wordings())

    def proposals(self, said: list[str], speaker: int, topic: str | None = None) -> list[Share]:
        """What is proposed in a turn.

        `said` keeps its articles; `speaker` is 0 or 1; `topic` is the good that was named last
        in the turn before.
        """
        wanted: Wanted = {}
        asked = False
        start = 0
        last = topic
        for at, word in enumerate([*said, "."]):
            if word in BREAKS:
                sentence = _Sentence(self, said[start:at], last)
                named = sentence.read()
                last = sentence.last
                facing = any(item.owner is Cue.YOU for item in named)
                for item in named:
                    if item.owner is Cue.WE:
                        item.owner = Cue.ME if facing else None
                    if item.owner is not None:
                        wanted.setdefault(item.good, {})[item.owner] = item.count
                        asked = asked or word == "?"
                start = at + 1
        return self._shares(wanted, speaker, asked) if wanted else []

    def named_last(self, said: list[str]) -> str | None:
        """The good that is named last in a turn."""
        goods = [mark for _, _, mark in self._phrases.marks(said) if isinstance(mark, str)]
        return goods[-1] if goods else None

    def marks(self, sentence: list[str]) -> list[Mark[Cue | str]]:
        """The cues and the goods in a sentence; a good's mark is its name."""
        return self._phrases.marks(sentence)

    def is_plural(self, good: str, word: str) -> bool:
        """Whether a word names the good as the scenario does, and not one piece of it."""
        return word in self._names[good]

    def _wordings(self) -> dict[Cue | str, str]:
        """Each good by its full name and by words that only it has, plural and singular."""
        tables: dict[Cue | str, str] = {}
        for good, parts in self._names.items():
            others = {word for other, ws in self._names.items() if other != good for word in ws}
            own = [part for part in parts if part not in others and len(part) > 2]
            wordings = {" ".join(parts), *own}
            wordings |= {" ".join([*parts[:-1], one]) for one in _singulars(parts[-1])}
            wordings |= {" ".join([one, *parts[1:]]) for one in _singulars(parts[0])}
            wordings |= {one for part in own for one in _singulars(part)}
            tables[good] = "\n".join(sorted(wordings))
        return tables

    def _shares(self, wanted: Wanted, speaker: int, asked: bool) -> list[Share]:
        """The proposal for each good that was named, or is part of all or of the rest."""
        rest, everything = wanted.pop(_REST, {}), wanted.pop(_ALL, {})
        for owner in everything:
            if not wanted:
                wanted = {good: {owner: count} for good, count in self.counts.items()}
        for owner in rest:
            for good, count in self.counts.items():
                wanted.setdefault(good, {owner: count})
        both = len({owner for owners in wanted.values() for owner in owners}) > 1
        shares = []
        for good, owners in wanted.items():
            split = _split(owners, self.counts[good], speaker)
            partial = len(owners) == 1 and both and not rest and _is_part(owners, self.counts[good])
            doubt = f"nothing is said of the other {good}" if partial else ""
            shares.append(Share(good, split, asked, doubt))
        return shares


def _is_part(owners: dict[Cue, Count], total: int) -> bool:
    (owner, count), *_ = owners.items()
    return owner in (Cue.ME, Cue.YOU) and count is not None and count < total


def _split(owners: dict[Cue, Count], total: int, speaker: int) -> Split | None:
    """Shares of the two seats; what is not spoken for goes to the one who was not named."""
    if Cue.HALVE in owners:
        mine = yours = total // 2 if total % 2 == 0 else None
    elif Cue.EACH in owners:
        mine = yours = owners[Cue.EACH]
    else:
        mine, yours = owners.get(Cue.ME, _UNSAID), owners.get(Cue.YOU, _UNSAID)
    if mine == _REMAINING:
        mine = _UNSAID
    if yours == _REMAINING:
        yours = _UNSAID
    if mine == yours == _UNSAID or mine is None or yours is None:
        return None
    if mine == _UNSAID:
        mine = total - yours
    if yours == _UNSAID:
        yours = total - mine
    if mine < 0 or yours < 0 or mine + yours != total:
        return None
    return (mine, yours) if speaker == 0 else (yours, mine)


class _Sentence:
    """Reads one sentence from left to right: who, does what, to which goods."""

    def __init__(self, goods: Goods, words: list[str], last: str | None) -> None:
        self.last = last  # the good that was named last in the turn
        self.goods = goods
        self.words = words
        self.named: list[_Named] = []
        self.owner: Cue | None = None
        self.verb = self.negated = self.muted = False
        self.fresh = False  # whether the verb has no object yet
        self.segment = 0

    def read(self) -> list[_Named]:
        """The goods that are for somebody."""
        for start, end, cue in self.goods.marks(self.words):
            if isinstance(cue, str):
                self._good(cue, start, end)
            else:
                _HANDLERS[cue](self, start, end, cue)
        return self.named

    def _owner(self, start: int, end: int, cue: Cue) -> None:
        self.owner = cue
        self.verb = self.verb or cue in _HOLD_A_VERB
        self.fresh = True

    def _verb(self, start: int, end: int, cue: Cue) -> None:
        before = self.words[start - 1] if start else ","
        if self.owner is None and self.words[start] in _OFFERS and before in _OPENERS:
            self.owner = Cue.YOU  # take the apples, then
        self.verb = self.fresh = True

    def _whole(self, start: int, end: int, cue: Cue) -> None:
        self._add(_REST if cue is Cue.REST else _ALL, 0)

    def _apiece(self, start: int, end: int, cue: Cue) -> None:
        if not self.named or self.muted:
            return
        item = self.named[-1]
        item.owner, item.done = Cue.EACH, True
        for word in reversed(self.words[max(0, start - 2) : start]):  # the wheat, three sacks each
            amount = _amount(word)
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
        self.owner = None

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
        amounts = [_amount(word) for word in self.words[start:end]]
        known = [amount for amount in amounts if amount is not None]
        count = known[0] if known else _REMAINING
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
        self.named.append(_Named(good, count, owner, self.fresh, self.segment))
        self.fresh = False

    def _for(self, start: int, end: int, cue: Cue) -> None:
        """The goods before "for me" or "are yours"."""
        owner, with_verb = _AFTER[cue], cue in _WITH_VERB
        if self.muted or self.negated:
            return
        open_ = [item for item in self.named if not item.done]
        chosen = [
            item
            for item in open_
            if item.owner is None
            or (item.segment == self.segment and not (with_verb and item.direct))
        ]
        for item in chosen:
            item.owner, item.done = owner, True

    def _count(self, good: str, start: int, end: int) -> Count:
        total = self.goods.counts[good]
        other = False
        for at in range(start - 1, max(start - 6, -1), -1):
            word = self.words[at]
            amount = _amount(word)
            if amount is not None:
                return amount
            if word in ("both", "all", "every"):
                return total
            if word in ("half", "halves"):
                return total // 2 if total % 2 == 0 else None
            if word in _ONE:
                return 1
            if word in _UNCLEAR:
                return None
            if word not in _SKIPPED:
                break
            other = other or word in ("other", "remaining")
        plural = any(self.goods.is_plural(good, word) for word in self.words[start:end])
        if total == 1:
            return 1
        if other:
            return _REMAINING if plural else 1
        return total if plural else None


def _amount(word: str) -> Count:
    if word.isdigit():
        return int(word)
    if word in ("zero", "none"):
        return 0
    return 2 if word == "couple" else SMALL_NUMBERS.get(word)


def _singulars(word: str) -> set[str]:
    """What may be the singular of a plural: balls, boxes, berries, knives, locomotives."""
    if not word.endswith("s") or word.endswith("ss"):
        return {word}
    found = {word[:-1]}
    if word.endswith("ies"):
        found.add(word[:-3] + "y")
    if word.endswith("ves"):
        found |= {word[:-3] + "f", word[:-3] + "fe"}
    if word.endswith(("xes", "ches", "shes", "sses")):
        found.add(word[:-2])
    return found


_HANDLERS: dict[Cue, Callable[[_Sentence, int, int, Cue], None]] = {
    **dict.fromkeys(_OWNERS, _Sentence._owner),
    **dict.fromkeys(_AFTER, _Sentence._for),
    **dict.fromkeys((Cue.REST, Cue.ALL), _Sentence._whole),
    Cue.VERB: _Sentence._verb,
    Cue.OF_IT: _Sentence._of_it,
    Cue.THEM: _Sentence._them,
    Cue.APIECE: _Sentence._apiece,
    Cue.NOT: _Sentence._not,
    Cue.TASTE: _Sentence._taste,
    Cue.COMMA: _Sentence._comma,
    Cue.BREAK: _Sentence._break,
}
