"""One episode under way: people at their screens, their partners, and what has happened so far."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from sociolab.agents.seated import LEFT, SeatedPlayer, missed_turns
from sociolab.app.floor.answers import CUT_OFF, OVER, CutOff, Key, Sent, Stale, key_of, value_of
from sociolab.app.floor.endings import how_it_ended
from sociolab.app.floor.screen import Asking, Scene
from sociolab.app.floor.view import as_seen, asking, told
from sociolab.core.episode import Answered, Episode, Event, Json, Moved, Trial, Unusable
from sociolab.core.errors import ModelError, SociolabError, StoreError
from sociolab.core.ports import NoReply, Player, Reply, Request, World
from sociolab.engine.drive import drive

PATIENCE = 0.25
"""Seconds that an answer may take into the episode before it is kept beside it: where several
seats are asked at once, no answer is an event before all have come."""


class GoneError(SociolabError):
    """A person has gone: by leaving, or by letting too many turns in a row go by."""

    def __init__(self, seat: str, how: str) -> None:
        super().__init__(f"the person in the seat {seat} {how}")
        self.seat = seat


@dataclass(frozen=True, slots=True)
class House:
    """What a table needs of the study that it stands in.

    `write` puts an event on disk, `keep` an answer that is no event yet; `changed` is called when
    a screen may look different. `release` lets the person in a seat go on while others still
    answer their last question, and keeps an answer that is no event yet.
    """

    world: World
    partners: Mapping[str, Player]
    turn_seconds: float
    missed: int
    write: Callable[[Event], None]
    keep: Callable[[str, Sent], None]
    changed: Callable[[], None]
    release: Callable[[str, Sent | None], None]


@dataclass(slots=True)
class _Taken:
    """An answer that was taken, and when it is on disk."""

    sent: Sent
    written: asyncio.Future[None]


@dataclass
class Table:
    """A trial, played by drive; `journal` holds its events if it goes on, `kept` what people had
    answered by then, seat by seat, and `released` the seats whose people had gone on by then."""

    house: House
    trial: Trial
    people: Sequence[str]
    journal: tuple[Event, ...] = ()
    kept: Mapping[str, Sent] = field(default_factory=dict)
    released: Collection[str] = ()

    def __post_init__(self) -> None:
        self._cut = False
        self._events = list(self.journal)
        self._asked: dict[str, Request] = {}
        self._optional: set[str] = set()
        self._through: dict[str, Request] = {}
        self._latest: Request | None = None
        self._taken: dict[tuple[str, Key], _Taken] = {}
        self._seen: dict[str, tuple[int, Scene]] = {}
        self._seats = {
            seat: SeatedPlayer(self.house.turn_seconds, self.house.changed) for seat in self.people
        }
        for seat in self.released:
            if seat not in self.kept:
                self._seats[seat].leave()

    # ------------------------------------------------------------------ playing

    async def play(self) -> Episode:
        """To its end; GoneError where a person went away, ModelError and others of partners."""
        trial = self.trial
        players: dict[str, Player] = {
            member.seat: _Chair(self, self._player(member.seat, member.agent))
            for member in trial.cast
        }
        play = self.house.world.play(trial.task, trial.id, trial.seed)
        try:
            return Episode(trial, await drive(play, players, self._record, self.journal))
        except (asyncio.CancelledError, StoreError):
            self._cut = True  # it is not over, and taken up again from what is on disk
            raise
        finally:
            for one in self._taken.values():
                if not one.written.done():
                    one.written.cancel()

    def _player(self, seat: str, agent: str) -> Player:
        return self._seats[seat] if seat in self._seats else self.house.partners[agent]

    def _record(self, event: Event) -> None:
        self.house.write(event)
        self._events.append(event)
        if isinstance(event, Moved | Answered | Unusable):
            self._written(event)
        if not self._is_hidden(event):
            self.house.changed()
        if isinstance(event, Unusable) and event.name in self._optional:
            return
        if isinstance(event, Unusable) and event.seat in self._seats and event.final:
            missed = missed_turns(event.memory)
            if event.problem == LEFT:
                raise GoneError(event.seat, "left")
            if missed >= self.house.missed:
                raise GoneError(event.seat, f"let {missed} turns go by unanswered")
        elif isinstance(event, Unusable) and event.final and event.cause == "timeout":
            self._miss(event.seat)

    def _miss(self, seat: str) -> None:
        """A partner that lets as many turns go by as a person may has gone, as a person would."""
        own = [
            one
            for one in self._events
            if getattr(one, "seat", None) == seat
            and not (isinstance(one, Unusable) and one.name in self._optional)
        ]
        missed = own[-self.house.missed :]
        if len(missed) == self.house.missed and all(
            isinstance(one, Unusable) and one.final and one.cause == "timeout" for one in missed
        ):
            raise ModelError(
                f"the partner in the seat {seat} let {len(missed)} turns go by", cause="timeout"
            )

    def _is_hidden(self, event: Event) -> bool:
        """Whether a partner is to be asked again: nobody sees it, and people are never asked so."""
        return isinstance(event, Unusable) and not event.final and event.seat not in self._seats

    def _written(self, event: Moved | Answered | Unusable) -> None:
        taken = self._taken.get((event.seat, key_of(event)))
        if taken is not None and not taken.written.done():
            taken.written.set_result(None)

    def begin(self, request: Request) -> None:
        """Somebody is asked now."""
        self._asked[request.seat] = self._latest = request
        if request.optional:
            self._optional.add(request.name)
        self._release()
        if request.attempt == 1 or request.seat in self._seats:
            self.house.changed()
        sent = self.kept.get(request.seat)
        if sent is not None and sent.key == Key.of(request):
            asyncio.get_running_loop().call_soon(self._give_again, request, sent)

    def end(self, request: Request) -> None:
        """And has answered, or not."""
        self._asked.pop(request.seat, None)

    def replied(self, request: Request) -> None:
        """Whatever the reply is: where it was the last that was asked, and nothing hangs on it, the
        person need not wait for others."""
        if request.last and request.optional and request.seat in self._seats:
            self._through[request.seat] = request
            self._release()

    def _release(self) -> None:
        """Let those go on who have nothing more to answer, if somebody else has."""
        while self._asked and self._through:
            seat, request = self._through.popitem()
            taken = self._taken.get((seat, Key.of(request)))
            unwritten = taken is not None and not taken.written.done()
            self.house.release(seat, taken.sent if taken and unwritten else None)
            if taken and unwritten:
                taken.written.set_result(None)

    def _give_again(self, request: Request, sent: Sent) -> None:
        """What a person had answered before the server stopped."""
        self._take(request.seat, request, sent)

    # ------------------------------------------------------------------ people

    async def act(self, seat: str, sent: Sent) -> None:
        """Take an answer; it is on disk when this returns.

        NotTaken where it cannot be used, Stale where it answers what is not asked (any more). The
        same answer sent again is no second one.
        """
        taken = self._taken.get((seat, sent.key)) or self._in_journal(seat, sent)
        if taken is None:
            if self._latest is None:
                raise CutOff(CUT_OFF)  # it is just being taken up
            asked = self._seats[seat].asked
            if asked is None or Key.of(asked.request) != sent.key:
                raise Stale("It is not your turn for this any more; look at what happened since.")
            taken = self._take(seat, asked.request, sent)
        elif taken.sent.content != sent.content:
            raise Stale("This turn was answered already, perhaps in another window.")
        try:
            await asyncio.wait_for(asyncio.shield(taken.written), PATIENCE)
        except TimeoutError:
            self.house.keep(seat, sent)
        except asyncio.CancelledError:
            if not taken.written.cancelled():
                raise
            raise (CutOff(CUT_OFF) if self._cut else Stale(OVER)) from None

    def leave(self, seat: str) -> None:
        """The person in this seat goes: the episode ends when it is their turn, if not now."""
        self._seats[seat].leave()

    def _take(self, seat: str, request: Request, sent: Sent) -> _Taken:
        value = value_of(sent, request)
        if not self._seats[seat].answer(value):
            raise Stale("The time for this turn is over.")
        written: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        taken = self._taken[seat, sent.key] = _Taken(sent, written)
        return taken

    def _in_journal(self, seat: str, sent: Sent) -> _Taken | None:
        """An answer that was taken before the server was started again."""
        for event in self.journal:
            if not isinstance(event, Moved | Answered) or event.seat != seat:
                continue
            if key_of(event) == sent.key and _says(event, sent):
                written: asyncio.Future[None] = asyncio.get_running_loop().create_future()
                written.set_result(None)
                return _Taken(sent, written)
        return None

    # ------------------------------------------------------------------ screens

    def asking(self, seat: str) -> Asking | None:
        """What this seat's person is asked now."""
        asked = self._seats[seat].asked
        if asked is None or (seat, Key.of(asked.request)) in self._taken:
            return None
        left = asked.due - asyncio.get_running_loop().time()
        over, request = "", asked.request
        if request.last:
            over = how_it_ended(self._events, seat, len(self.trial.cast), request.space)
        return asking(request, left, over)

    def scene(self, seat: str) -> Scene:
        """What this seat may know now."""
        known = self._seen.get(seat)
        if known is None or known[0] != len(self._events):
            known = self._seen[seat] = (len(self._events), self._scene(seat))
        latest, asked = self._latest, self._asked.get(seat)
        return known[1].model_copy(
            update={
                "you": asked.observation.you if asked else known[1].you,
                "turn": latest.turn + 1 if latest else None,
                "limit": latest.observation.limit if latest else None,
                "others_busy": any(other != seat for other in self._asked),
            }
        )

    def _scene(self, seat: str) -> Scene:
        head, lines = as_seen(self.house.world, Episode(self.trial, tuple(self._events)), seat)
        intro, sections = told(head)
        return Scene(
            trial=self.trial.id,
            you=self._seen[seat][1].you if seat in self._seen else "",
            intro=intro,
            sections=sections,
            history=lines,
            turn=None,
            limit=None,
            others_busy=False,
            several=len(self.trial.cast) > 2,
        )


@dataclass(frozen=True, slots=True)
class _Chair:
    """Tells the table who is asked."""

    table: Table
    player: Player

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        self.table.begin(request)
        try:
            reply = await self.player.reply(request, memory)
        except ModelError as error:
            if not request.optional:
                raise
            # All has been played: a budget that is spent now, say, ends the plays that follow.
            raise ModelError(str(error), cause=error.cause, tries=error.tries) from error
        finally:
            self.table.end(request)
        self.table.replied(request)
        return reply


def _says(event: Moved | Answered, sent: Sent) -> bool:
    """Whether what was sent is what is on record, but for whom it was meant for: the record has
    seats, and what is sent names."""
    if isinstance(event, Answered):
        return sent.answer is not None
    said = [(action.kind, action.text) for action in event.actions]
    return said == [(one.kind, one.text.strip()) for one in sent.actions]
