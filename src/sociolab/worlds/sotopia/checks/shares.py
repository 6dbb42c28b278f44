"""Who is to get what, as said in one turn: "I take two books, you get the rest"."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from sociolab.worlds.sotopia.checks.counting import REMAINING, Count
from sociolab.worlds.sotopia.checks.good_names import GoodNames
from sociolab.worlds.sotopia.checks.said_of_goods import Cue
from sociolab.worlds.sotopia.checks.sharing import ALL, REST, Sharing
from sociolab.worlds.sotopia.checks.words import BREAKS

Split: TypeAlias = tuple[int, int]
"""How many of one good the first and the second seat get."""

_UNSAID = -2  # a count that follows from the other seat's

Wanted: TypeAlias = dict[str, dict[Cue, Count]]
"""For each good, how many are for whom; None where it cannot be read."""


@dataclass(frozen=True, slots=True)
class Share:
    """A proposal for one good; `split` is None where it cannot be read.

    `doubt`: why it is uncertain, where some pieces fall to the other without having been named.
    """

    good: str
    split: Split | None
    asked: bool
    doubt: str = ""


class Goods(GoodNames):
    """The goods of a scenario, and how proposals about them are read."""

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
                sentence = Sharing(self, said[start:at], last)
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

    def _shares(self, wanted: Wanted, speaker: int, asked: bool) -> list[Share]:
        """The proposal for each good that was named, or is part of all or of the rest."""
        rest, everything = wanted.pop(REST, {}), wanted.pop(ALL, {})
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
    if mine == REMAINING:
        mine = _UNSAID
    if yours == REMAINING:
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
