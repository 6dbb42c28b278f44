"""One turn of one seat: its acts change where it stands."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Generic, TypeVar

from sociolab.worlds.sotopia.checks.acts import Act, Assent, Level, Named, Refuse, Sign, Take
from sociolab.worlds.sotopia.checks.standing import Stand, Standing

V = TypeVar("V")

NAMED_ELSE = "beside the yes something else is named"
UNCLEAR_PART = "it is not clear what part a value plays"


class Speaking(Generic[V]):
    """A turn in progress: what the seat stood for before, and what it has said since."""

    assented = False
    named: tuple[Named[V], ...] = ()

    def __init__(self, state: Standing[V], seat: str, now: int) -> None:
        self.state = state
        self.seat = seat
        self.now = now
        self.mine = state.seats[seat]
        self.before = dict(self.mine)
        self.proposer = state.proposer
        self.taken: set[str] = set()
        self.adopted: dict[str, Level] = {}

    def say(self, acts: Iterable[Act[V]]) -> None:
        """Apply the acts in order."""
        for act in acts:
            match act:
                case Take():
                    self._take(act)
                case Named():
                    if self.assented or (act.concludes and self.state.agreed):
                        self.named += (act,)
                case Assent():
                    self.assented = True
                    self._assent(act)
                case Refuse():
                    self._refuse(act)
                case Sign.INSIST:
                    for issue, stand in self.mine.items():
                        self.mine[issue] = stand._replace(said=self.now)
                case Sign.DEFER:
                    self._revert(Level.FINE)
                    self._turn_down()
                case Sign.WAVER:
                    self._waver()
                case Sign.WITHDRAW:
                    self._withdraw()
                case Sign.MOCK:
                    self._mock()
                case Sign.CHEAT:
                    self._cast_doubt("the agreement was not kept")
        for named in self.named:
            self._contradict(named)

    # -------------------------------------------------------------- stands

    def _take(self, take: Take[V]) -> None:
        issue = take.issue
        other = self.state.of_others(issue, self.seat)
        theirs = other[1].values if other is not None else None
        if take.echo and theirs == take.values:
            return
        if not take.values and self.state.agreed:
            return
        if take.mention and self._only_mentioned(take):
            return
        partial = take.partial
        if other is not None and theirs == take.values:
            partial = False  # each says its own part, and the parts fit
            self.state.seats[other[0]][issue] = other[1]._replace(partial=False)
        old = self.mine.get(issue)
        asked, tied, soft = take.asked, take.tied, take.soft
        if old is not None and old.firm and old.values == take.values:
            asked = tied = soft = False
        doubt = UNCLEAR_PART if take.mention else ""
        self.mine[issue] = Stand(take.values, self.now, self.now, asked, tied, soft, partial, doubt)
        if not take.mention:
            self.state.proposer = self.seat
            self.state.refused = self.state.dangling = False
        self.state.known.update(take.values)
        self.state.warm.clear()
        self.adopted.pop(issue, None)
        if not take.soft:
            self.taken.add(issue)

    def _only_mentioned(self, take: Take[V]) -> bool:
        """Whether a value of which it is unclear what it does leaves the stands as they are.

        After a yes it takes the yes back; a new one makes an older stand uncertain.
        """
        issue = take.issue
        if self.adopted.get(issue, Level.DEAL) < Level.DEAL:
            self._revert(Level.FINE)
        old = self.mine.get(issue)
        if old is None:
            return self.state.agreed
        new = self.state.known.isdisjoint(take.values)
        if new and not self.state.agreed and old.said != self.now:
            self.mine[issue] = old._replace(doubt=UNCLEAR_PART)
        return True

    def _contradict(self, named: Named[V]) -> None:
        """A yes beside which another value is named may be a yes to that one."""
        for issue, stand in self.mine.items():
            if issue in self.taken or named.value in stand.values:
                continue
            weak = self.adopted.get(issue, Level.DEAL) <= Level.YES
            if weak if named.reported else (issue in self.adopted or self.state.agreed):
                values = (*stand.values, named.value)
                self.mine[issue] = stand._replace(values=values, doubt=NAMED_ELSE)

    # -------------------------------------------------------------- assent

    def _assent(self, assent: Assent) -> None:
        adopted = [issue for issue in self.state.issues if self._adopt(issue, assent)]
        if adopted or self.taken:
            return
        if not (assent.asked or assent.tied or assent.doubt):
            self._confirm(assent.level)

    def _adopt(self, issue: str, assent: Assent) -> bool:
        """Stand where another stands, if that is what this assent answers."""
        other = self.state.of_others(issue, self.seat)
        if other is None or issue in self.taken:
            return False
        theirs, stand = other
        earlier = self.before.get(issue)
        older = earlier is not None and earlier.rank >= stand.rank
        if older and not assent.yours and issue not in self.adopted:
            return False
        fresh = stand.said == self.state.last[theirs]
        astray = self.state.asks_else[theirs] and assent.level in (Level.YES, Level.NICE)
        if astray or (assent.level <= Level.YES and not fresh):
            if assent.level is not Level.NICE and not self.state.agreed:
                self.state.warm.add(self.seat)
            return False
        own = self.mine.get(issue)
        if own is not None and own.values == stand.values:
            self.mine[issue] = self._upheld(own, assent)
            return True
        doubt = assent.doubt or _why_unsure(assent.level, stand, fresh)
        self.mine[issue] = Stand(
            stand.values,
            self.now,
            self.now,
            assent.asked,
            assent.tied,
            partial=stand.partial,
            doubt=doubt,
        )
        self.adopted[issue] = max(assent.level, self.adopted.get(issue, assent.level))
        return True

    def _upheld(self, own: Stand[V], assent: Assent) -> Stand[V]:
        """The same stand as before, said again by an assent."""
        sure = assent.level >= Level.YES and not assent.doubt
        return own._replace(
            said=self.now,
            rank=self.now,
            asked=own.asked and assent.asked,
            tied=own.tied and not (sure and not assent.tied),
            doubt="" if sure else own.doubt,
        )

    def _confirm(self, level: Level) -> None:
        """Assent to what is settled already makes it certain; to nothing, it is loose."""
        settled = self.state.settled()
        for issue in settled:
            stand = self.mine[issue]
            tied = stand.tied and level < Level.DEAL
            self.mine[issue] = stand._replace(doubt="", asked=False, tied=tied)
        if level is Level.DEAL and len(settled) < len(self.state.issues):
            self.state.loose = True

    # -------------------------------------------------------------- refusal

    def _refuse(self, refuse: Refuse[V]) -> None:
        if refuse.values:
            self._refuse_values(refuse.values)
            return
        self._revert(Level.DEAL if refuse.hard else Level.YES)
        for issue, stand in self.mine.items():
            self.mine[issue] = stand._replace(rank=self.now)
        self.state.loose = self.state.loose and not refuse.hard
        elsewhere = any(self.state.asks_else.values())
        self._turn_down(refused=refuse.hard or not elsewhere)
        if elsewhere:
            return
        if not self.state.agreed:
            self._refuse_conditions()
        elif refuse.hard:
            self._cast_doubt("somebody refused after the agreement")

    def _turn_down(self, refused: bool = False) -> None:
        """The last proposal, if another seat made it, has an answer, and that is not yes."""
        self.state.warm.discard(self.seat)
        if self.state.proposer not in (None, self.seat):
            self.state.dangling = False
            self.state.refused = self.state.refused or refused

    def _refuse_values(self, values: tuple[V, ...]) -> None:
        proposed = self.state.seats.get(self.state.proposer or "", {})
        if any(not set(values).isdisjoint(stand.values) for stand in proposed.values()):
            self._turn_down(refused=True)
        for issue, stand in list(self.mine.items()):
            if set(stand.values).isdisjoint(values):
                self.mine[issue] = stand._replace(rank=self.now)
            elif stand.said == self.now:
                self._put_back(issue)
            else:
                del self.mine[issue]

    def _refuse_conditions(self) -> None:
        """A no ends what others have said under a condition."""
        for seat, stands in self.state.seats.items():
            if seat != self.seat:
                for issue in [issue for issue, stand in stands.items() if stand.tied]:
                    del stands[issue]

    # -------------------------------------------------------------- taking back

    def _waver(self) -> None:
        """Somebody who would like something better has not agreed in the same breath."""
        self._turn_down()
        self._revert(Level.FINE)
        for issue in list(self.taken):
            other = self.state.of_others(issue, self.seat)
            stand = self.mine.get(issue)
            if other is not None and stand is not None and other[1].values == stand.values:
                self.taken.discard(issue)
                self._put_back(issue)

    def _withdraw(self) -> None:
        self.state.warm.discard(self.seat)
        self.mine.clear()
        self.taken.clear()

    def _mock(self) -> None:
        self.mine.clear()
        self.mine.update(self.before)
        self.taken.clear()
        self.adopted.clear()
        self.state.proposer = self.proposer
        self._refuse(Refuse(hard=True))

    def _cast_doubt(self, why: str) -> None:
        if self.state.agreed:
            for issue, stand in self.mine.items():
                self.mine[issue] = stand._replace(doubt=why)

    def _revert(self, highest: Level) -> None:
        """Undo the assents of this turn up to a level."""
        for issue in [issue for issue, level in self.adopted.items() if level <= highest]:
            del self.adopted[issue]
            self._put_back(issue)

    def _put_back(self, issue: str) -> None:
        """Stand on an issue where one stood before this turn."""
        self.mine.pop(issue, None)
        if issue in self.before:
            self.mine[issue] = self.before[issue]


def _why_unsure(level: Level, stand: Stand[V], fresh: bool) -> str:
    if level is Level.CLOSE:
        return "somebody behaves as if all was settled, without saying so"
    if level is Level.FINE and not fresh:
        return "it is not clear which offer was agreed to"
    if level is Level.NICE and stand.soft:
        return "it is not clear whether a wish was agreed to"
    return ""
