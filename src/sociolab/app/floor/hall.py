"""One open play study: its waiting room, its tables, and what each person's screen shows."""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from itertools import combinations, islice

from sociolab.app.floor.answers import CUT_OFF, OVER, CutOff, Sent, Stale
from sociolab.app.floor.endings import last_of, taken_back
from sociolab.app.floor.going_on import is_over, why_over
from sociolab.app.floor.listeners import Listeners
from sociolab.app.floor.pace import Pace
from sociolab.app.floor.plan import Company, cast_of, seats_for_people, trial_with
from sociolab.app.floor.records import Records
from sociolab.app.floor.screen import Last, Phase, Screen
from sociolab.app.floor.tables import People, Tables, Told
from sociolab.app.floor.waiting import WaitingRoom
from sociolab.app.study.settings import PlayPlan
from sociolab.core.episode import Trial
from sociolab.core.errors import StoreError
from sociolab.store.calls import RunReplies
from sociolab.store.studies import AssignmentRow

log = logging.getLogger("sociolab.floor")

_LOOKED_AT = 12
"""People at the head of the queue who are looked at when people are brought together."""


class Hall:
    """The plays of one study. Lives in one event loop; `is_open` says whether the study still is,
    and `shut` is called when it is not."""

    def __init__(
        self,
        records: Records,
        plan: PlayPlan,
        company: Company,
        *,
        is_open: Callable[[], bool],
        shut: Callable[[], None],
    ) -> None:
        self.closed = False
        self._records, self._plan, self._company = records, plan, company
        self._loop = asyncio.get_running_loop()
        self._pace = Pace(plan.words_a_minute, plan.turn_seconds, plan.seed)
        self._waiting = WaitingRoom()
        self._listeners = Listeners()
        self._timers: defaultdict[int, list[asyncio.TimerHandle]] = defaultdict(list)
        self._last: dict[int, Last] = {}
        self._shut = shut
        told = Told(self._tell, lambda: self._soon(self._match), is_open, shut)
        self._tables = Tables(records, plan, company, told)
        company.replies.keep_in(RunReplies(records.store, records.run))
        company.budget.carry_over(records.store.totals(records.run))

    def go_on(self) -> None:
        """Take up what was under way when the server stopped."""
        self._tables.go_on()

    async def close(self) -> None:
        """Stop everything as it is; what was played stays on disk, to be gone on with. Those who
        listen are told, and find the hall `closed`."""
        self.closed = True
        for person in list(self._timers):
            self._stop_waiting(person)
        await self._tables.close()
        await self._company.models.close()
        self._listeners.tell_all()

    # ------------------------------------------------------------------ what people do

    def begin(self, person: int) -> None:
        """Somebody is ready for the next episode; a second time does nothing."""
        if self._phase(person) != "ready":
            return
        now, plan = self._loop.time(), self._plan
        # People who come together wait for each other; who plays with no people waits as long as
        # others do.
        number = len(self._records.of(person))
        wait = self._pace.arrival(person, number) if plan.people == 1 else 0.0
        self._waiting.enter(person, now, now + wait)
        if wait:
            self._timers[person].append(self._loop.call_later(wait, self._by_itself, self._match))
        longest = max(float(plan.waiting_seconds), wait + 1)
        if self._company.stand_in is not None:
            longest = self._pace.patience(longest, person, number)
        self._timers[person].append(
            self._loop.call_later(longest, self._by_itself, self._waited, person)
        )
        self._match()
        self._listeners.tell([person])

    async def act(self, person: int, sent: Sent) -> None:
        """Take an answer, see `Table.act`."""
        place = self._tables.places.get(person)
        if place is None or place.table.trial.id != sent.trial:
            if any(one.item == sent.trial for one in self._records.of(person)):
                raise Stale(OVER)
            raise Stale("You do not play this at the moment; load the page again.")
        try:
            await place.table.act(place.seat, sent)
        except StoreError as error:
            self._cut_off(error)
            raise CutOff(CUT_OFF) from error

    def leave(self, person: int) -> None:
        """Somebody goes, and is waited for no longer."""
        self._stop_waiting(person)
        place = self._tables.places.get(person)
        if place is not None:
            place.table.leave(place.seat)

    def screen(self, person: int) -> Screen:
        """What this person's screen shows now."""
        phase, plan, now = self._phase(person), self._plan, self._loop.time()
        place = self._tables.places.get(person)
        waits = phase == "waiting"
        if waits and self._waiting.seen(person, now):
            self._soon(self._match)
        return Screen(
            phase=phase,
            number=min(len(self._records.ended(person)) + 1, plan.each),
            of=plan.each,
            note=why_over(self._records, plan, person) if phase == "done" else "",
            waited=self._waiting.waited(person, now) if waits else None,
            waits_at_most=plan.waiting_seconds if waits else None,
            scene=place.table.scene(place.seat) if place else None,
            asking=place.table.asking(place.seat) if place else None,
            last=None if place else self._last_of(person),
        )

    def given(self, person: int) -> tuple[str, ...]:
        """The episodes that a person has or had a seat in."""
        return tuple(one.item for one in self._records.of(person))

    def listening(self, person: int) -> AbstractContextManager[asyncio.Event]:
        """An event that is set whenever the person's screen may have changed."""
        return self._listeners.listening(person)

    def _phase(self, person: int) -> Phase:
        if person in self._tables.places:
            return "playing"
        if self._records.was_let_go(person):
            return "let go"
        if is_over(self._records, self._plan, person):
            return "done"
        return "waiting" if person in self._waiting else "ready"

    def _last_of(self, person: int) -> Last | None:
        ended = self._records.ended(person)
        if not ended:
            return None
        given, known = ended[-1], self._last.get(person)
        if known is None or known.trial != given.item:
            known = self._last[person] = self._ending(given)
        return known

    def _ending(self, given: AssignmentRow) -> Last:
        records, trial = self._records, given.item
        if records.was_taken_back(given):
            return taken_back(trial)
        world, events = self._company.kit.world, records.events(trial)
        return last_of(world, records.row(trial), events, given.seat, given.state)

    # ------------------------------------------------------------------ the waiting room

    def _match(self) -> None:
        """Bring together who can play together, those who came first before others; all are let go
        when the budget is spent."""
        if self._records.spent:
            self._empty()
        while (found := self._first_match()) is not None:
            self._sit_down(*found)

    def _empty(self) -> None:
        waited = self._waiting.everybody()
        for person in waited:
            self._stop_waiting(person)
        self._listeners.tell(waited)

    def _first_match(self) -> tuple[Trial, People] | None:
        ready = list(islice(self._waiting.ready(self._loop.time()), _LOOKED_AT))
        planned = self._records.planned(self._plan.people)
        for people in combinations(ready, self._plan.people):
            found = self._records.ledger.choose(planned, people)
            if found is not None:
                return found
        return None

    def _waited(self, person: int) -> None:
        """Somebody has waited long enough: they meet the stand-in, or are let go; who is not there
        any more has only stopped to wait."""
        here = self._waiting.present(person, self._loop.time()) or person in self._listeners
        found = self._with_stand_in(person) if here and not self._records.spent else None
        if found is not None:
            self._sit_down(*found)
        elif here and not is_over(self._records, self._plan, person):
            self._records.let_go(person)
        self._stop_waiting(person)
        self._listeners.tell([person])

    def _with_stand_in(self, person: int) -> tuple[Trial, Mapping[str, int]] | None:
        ledger, tasks = self._records.ledger, self._records.tasks()
        name = ledger.next_task(tasks, (person,))
        if self._company.stand_in is None or name is None:
            return None
        task, agent, plan = tasks[name], self._company.stand_in.id, self._plan
        options = [
            trial_with(plan, self._company, task, cast_of(plan, task, (seat,), agent), 0)
            for seat in seats_for_people(self._company.kit, task)
        ]
        return ledger.choose({name: [self._tables.next_play(one) for one in options]}, (person,))

    def _sit_down(self, trial: Trial, people: People) -> None:
        for person in people.values():
            self._stop_waiting(person)
        try:
            self._tables.sit_down(trial, people)
        except StoreError:
            self._shut()
            raise

    def _stop_waiting(self, person: int) -> None:
        self._waiting.leave(person)
        for timer in self._timers.pop(person, ()):
            timer.cancel()

    # ------------------------------------------------------------------ inside

    def _soon(self, what: Callable[[], None]) -> None:
        self._loop.call_soon(self._by_itself, what)

    def _by_itself(self, what: Callable[..., None], *values: int) -> None:
        """Do what nobody waits for; where the store fails, everybody goes on from what it holds."""
        try:
            what(*values)
        except StoreError as error:
            self._cut_off(error)

    def _cut_off(self, error: StoreError) -> None:
        log.warning("study %s: %s", self._records.study, error)
        self._shut()

    def _tell(self, people: People) -> None:
        self._listeners.tell(people.values())
