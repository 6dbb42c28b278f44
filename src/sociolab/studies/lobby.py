"""The live play studies of a store: for each, a waiting room and its live episodes."""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass
from itertools import combinations, islice
from typing import Self

from pydantic import ValidationError

from sociolab.app.run.session import models_among, note_servers, other_code
from sociolab.core.episode import Trial
from sociolab.core.errors import ConfigError, SociolabError, StoreError
from sociolab.store.calls import RunReplies
from sociolab.store.connect import lock_run
from sociolab.store.store import Store
from sociolab.store.studies import StudyRow
from sociolab.studies.live_episode import CUT_OFF, OVER, CutOff, Sent, Stale
from sociolab.studies.live_episodes import Callbacks, LiveEpisodes, People
from sociolab.studies.play_plan import (
    PartnerCast,
    TypingPace,
    cast_of,
    load_partner_cast,
    run_settings,
    seats_for_people,
    trial_with,
)
from sociolab.studies.play_records import PlayRecords, is_done, why_done
from sociolab.studies.screen import LastEpisode, Phase, Screen, deleted_episode, last_episode
from sociolab.studies.settings import PlayPlan, StudySettings

log = logging.getLogger("sociolab.studies")
REST, SOON = 10.0, 60.0
"""Seconds for which a study rests if the store fails twice within `SOON` seconds."""
_BETWEEN_CHECKS = 1.0
"""Seconds between two checks whether studies are still open."""
NOT_STORED = (
    "Messages cannot be saved at the moment, so the conversation is paused. It will resume by "
    "itself; if it does not, please tell the people who invited you."
)


_WHERE = (
    " models.toml and classes of your own are looked for in the folder in which `sociolab web` was "
    "started: start it in the one in which the study was set up."
)


class NotPlayable(SociolabError):  # noqa: N818  a state of affairs
    """A study that cannot be played now; the log says why. `soon`: it is worth trying again."""

    def __init__(self, message: str, *, soon: bool = False) -> None:
        super().__init__(message)
        self.soon = soon


class LiveStudies:
    """The lobbies of a store, in one event loop; an async context manager.

    Studies that are opened or closed meanwhile are noticed when somebody visits them.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._open: dict[str, _OpenStudy] = {}
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._ending: dict[Lobby, asyncio.Task[None]] = {}
        self._rests_until: dict[str, float] = {}
        self.problems: dict[str, str] = {}
        """By study: why it could not be played at the last try, for the researcher."""

    async def __aenter__(self) -> Self:
        for study in self._store.studies.all():
            if study.kind == "play" and study.open:
                try:
                    await self.lobby(study)
                except NotPlayable as error:
                    log.warning("%s", error)
        return self

    async def __aexit__(self, *_: object) -> None:
        for name in list(self._open):
            await self.shut(name)
        await asyncio.gather(*self._ending.values())

    async def lobby(self, study: StudyRow) -> Lobby:
        """The lobby of an open study, created if needed; NotPlayable where that fails."""
        lobby = self.open_lobby(study.name)
        if lobby is not None:
            return lobby
        async with self._locks[study.name]:
            if study.name not in self._open:
                if asyncio.get_running_loop().time() < self._rests_until.get(study.name, 0.0):
                    raise NotPlayable(NOT_STORED, soon=True)
                try:
                    await self._open_study(study)
                    self.problems.pop(study.name, None)
                except (SociolabError, ValidationError) as error:
                    log.warning("study %s cannot be played: %s", study.name, error)
                    where = _WHERE if isinstance(error, ConfigError) else ""
                    self.problems[study.name] = f"Nobody can play: {error}.{where}"
                    raise NotPlayable(
                        "This study is not available at the moment; please tell the people who "
                        "invited you.",
                        soon=isinstance(error, StoreError),
                    ) from error
            return self._open[study.name].lobby

    def open_lobby(self, name: str) -> Lobby | None:
        """The lobby of a study, if there is one already."""
        entry = self._open.get(name)
        return entry.lobby if entry is not None else None

    async def pause(self, name: str) -> None:
        """Stop the episodes of a study as they are; visitors wait until `unpause`."""
        await self._locks[name].acquire()
        try:
            await self._shut(name)
        except BaseException:  # a lock that is never released would keep everybody out
            self.unpause(name)
            raise

    def unpause(self, name: str) -> None:
        """Let the episodes of a study resume from the store, after `pause`."""
        self._locks[name].release()

    async def shut_if_closed(self, name: str) -> None:
        if name in self._open and not self._is_open(name):
            await self.shut(name)

    async def watch(self) -> None:
        """Shut studies that another process closes, for as long as this is awaited: they may have
        no more visitors."""
        while True:
            await asyncio.sleep(_BETWEEN_CHECKS)
            for name in list(self._open):
                with suppress(StoreError):  # it is busy; the next check will do
                    await self.shut_if_closed(name)

    async def shut(self, name: str) -> None:
        """Stop the episodes of a study as they are, and release its run."""
        async with self._locks[name]:  # visitors wait until the run is released
            await self._shut(name)

    async def _open_study(self, study: StudyRow) -> None:
        plan = StudySettings.model_validate(study.settings).play
        if plan is None:
            raise NotPlayable(f"nothing is played in the study {study.name}")
        if study.run is None:
            raise NotPlayable(f"the study {study.name} has no run; lay it out first")
        with ExitStack() as stack:
            stack.enter_context(lock_run(self._store.path, study.run))
            partner_cast = await asyncio.to_thread(load_partner_cast, plan)  # reads data from disk
            settings = await asyncio.to_thread(run_settings, plan, partner_cast)
            agents = [partner.id for partner in partner_cast.others]
            for problem in other_code(self._store.run(study.run), settings, agents):
                # People are not sent away for it, but whoever runs the server knows.
                log.warning(
                    "study %s: %s; what is played from now on is recorded as by the same: set up "
                    "another study to keep both apart",
                    study.name,
                    problem,
                )
            named = models_among(*plan.partners, plan.stand_in, *plan.judges)
            await note_servers(self._store, study.run, named, partner_cast.models)
            lobby = Lobby(
                PlayRecords(self._store, study.name, study.run),
                plan,
                partner_cast,
                is_open=lambda: self._is_open(study.name),
                shut=lambda: self._shut_soon(study.name, lobby),
            )
            lobby.resume()
            self._open[study.name] = _OpenStudy(lobby, stack.pop_all())

    async def _shut(self, name: str) -> None:
        entry = self._open.pop(name, None)
        if entry is not None:
            with entry.lock:
                await entry.lobby.close()

    def _is_open(self, name: str) -> bool:
        return any(study.name == name and study.open for study in self._store.studies.all())

    def _shut_soon(self, name: str, lobby: Lobby) -> None:
        """Shut from within a lobby, which cannot await its own end. Where the store fails again and
        again, the study rests in between: each restart may cost model calls."""
        if self.open_lobby(name) is not lobby or lobby in self._ending:
            return
        now = asyncio.get_running_loop().time()
        self._rests_until[name] = now + (
            REST if now - self._rests_until.get(name, -SOON) < SOON else 0.0
        )
        task = asyncio.get_running_loop().create_task(self.shut(name))
        self._ending[lobby] = task
        task.add_done_callback(lambda _: self._ending.pop(lobby))


@dataclass(frozen=True, slots=True)
class _OpenStudy:
    lobby: Lobby
    lock: ExitStack


_CONSIDERED = 12
"""People at the head of the queue who are considered for a match."""


class Lobby:
    """The waiting room and episodes of one study, in one event loop; `is_open` says whether the
    study is open, and `shut` is called when it is not."""

    def __init__(
        self,
        records: PlayRecords,
        plan: PlayPlan,
        partner_cast: PartnerCast,
        *,
        is_open: Callable[[], bool],
        shut: Callable[[], None],
    ) -> None:
        self.closed = False
        self._records, self._plan, self._partner_cast = records, plan, partner_cast
        self._loop = asyncio.get_running_loop()
        self._pace = TypingPace(plan.words_a_minute, plan.turn_seconds, plan.seed)
        self._waiting = WaitingRoom()
        self._listeners = Listeners()
        self._timers: defaultdict[int, list[asyncio.TimerHandle]] = defaultdict(list)
        self._last: dict[int, LastEpisode] = {}
        self._shut = shut
        callbacks = Callbacks(
            lambda people: self._listeners.notify(people.values()),
            lambda: self._soon(self._match),
            is_open,
            shut,
        )
        self._live = LiveEpisodes(records, plan, partner_cast, callbacks)
        partner_cast.replies.keep_in(RunReplies(records.store, records.run))
        partner_cast.budget.carry_over(records.store.calls.totals(records.run))

    def resume(self) -> None:
        """Resume the episodes that were live when the server stopped."""
        self._live.resume()

    async def close(self) -> None:
        """Stop everything as it is; episodes can be resumed from disk. Listeners are notified, and
        find the lobby `closed`."""
        self.closed = True
        for person in list(self._timers):
            self._stop_waiting(person)
        await self._live.close()
        await self._partner_cast.models.close()
        self._listeners.notify_all()

    # ------------------------------------------------------------------ what people do

    def begin(self, person: int) -> None:
        """A person is ready for the next episode; a second call does nothing."""
        if self._phase(person) != "ready":
            return
        now, plan = self._loop.time(), self._plan
        # With other people, the wait is real. A partner that is no person seems to arrive, too.
        number = len(self._records.assignments_of(person))
        alone = self._records.size_for(person) == 1
        wait = self._pace.arrival(person, number) if alone else 0.0
        self._waiting.enter(person, now, now + wait)
        if wait:
            self._timers[person].append(
                self._loop.call_later(wait, self._run_unattended, self._match)
            )
        longest = max(float(plan.waiting_seconds), wait + 1)
        if self._partner_cast.stand_in is not None:
            longest = self._pace.patience(longest, person, number)
        self._timers[person].append(
            self._loop.call_later(longest, self._run_unattended, self._end_wait, person)
        )
        self._match()
        self._listeners.notify([person])

    async def act(self, person: int, sent: Sent) -> None:
        """Accept an answer, see `LiveEpisode.act`."""
        place = self._live.places.get(person)
        if place is None or place.episode.trial.id != sent.trial:
            if any(row.item == sent.trial for row in self._records.assignments_of(person)):
                raise Stale(OVER)
            raise Stale("You are not in this conversation at the moment; please reload the page.")
        try:
            await place.episode.act(place.seat, sent)
        except StoreError as error:
            self._cut_off(error)
            raise CutOff(CUT_OFF) from error

    def leave(self, person: int) -> None:
        self._stop_waiting(person)
        place = self._live.places.get(person)
        if place is not None:
            place.episode.leave(place.seat)

    def screen(self, person: int) -> Screen:
        phase, plan, now = self._phase(person), self._plan, self._loop.time()
        place = self._live.places.get(person)
        waits = phase == "waiting"
        if waits and self._waiting.touch(person, now):
            self._soon(self._match)
        return Screen(
            phase=phase,
            number=min(len(self._records.ended(person)) + 1, plan.each),
            of=plan.each,
            note=why_done(self._records, plan, person) if phase == "done" else "",
            waited=self._waiting.seconds_waited(person, now) if waits else None,
            scene=place.episode.scene(place.seat) if place else None,
            asking=place.episode.asking(place.seat) if place else None,
            last=None if place else self._last_episode(person),
        )

    def episodes_of(self, person: int) -> tuple[str, ...]:
        """The episodes in which a person has or had a seat."""
        return tuple(row.item for row in self._records.assignments_of(person))

    def listening(self, person: int) -> AbstractContextManager[asyncio.Event]:
        """An event that is set whenever the person's screen may have changed."""
        return self._listeners.listening(person)

    def _phase(self, person: int) -> Phase:
        if person in self._live.places:
            return "playing"
        if self._records.was_let_go(person):
            return "let go"
        if is_done(self._records, self._plan, person):
            return "done"
        return "waiting" if person in self._waiting else "ready"

    def _last_episode(self, person: int) -> LastEpisode | None:
        ended = self._records.ended(person)
        if not ended:
            return None
        assignment, cached = ended[-1], self._last.get(person)
        if cached is None or cached.trial != assignment.item:
            records, trial = self._records, assignment.item
            if records.was_deleted(assignment):
                cached = deleted_episode(trial)
            else:
                kit, row, events = self._partner_cast.kit, records.row(trial), records.events(trial)
                cached = last_episode(kit, row, events, assignment.seat, assignment.state)
            self._last[person] = cached
        return cached

    # ------------------------------------------------------------------ the waiting room

    def _match(self) -> None:
        """Match people who can play together, first come first served; all are dismissed when the
        budget is spent."""
        if self._records.spent:
            waiting = self._waiting.everybody()
            for person in waiting:
                self._stop_waiting(person)
            self._listeners.notify(waiting)
        while (pairing := self._first_match()) is not None:
            self._start(*pairing)

    def _first_match(self) -> tuple[Trial, People] | None:
        ready = list(islice(self._waiting.ready(self._loop.time()), _CONSIDERED))
        for size in self._records.sizes:
            alike = [person for person in ready if self._records.size_for(person) == size]
            for people in combinations(alike, size):
                planned = self._records.planned(*people)
                pairing = self._records.ledger.choose(planned, people)
                if pairing is not None:
                    return pairing
        return None

    def _end_wait(self, person: int) -> None:
        """A person has waited the longest time: they get the stand-in, or are dismissed. One whose
        page is gone just stops waiting."""
        present = self._waiting.present(person, self._loop.time()) or person in self._listeners
        pairing = self._match_stand_in(person) if present and not self._records.spent else None
        if pairing is not None:
            self._start(*pairing)
        elif present and not is_done(self._records, self._plan, person):
            self._records.let_go(person)
        self._stop_waiting(person)
        self._listeners.notify([person])

    def _match_stand_in(self, person: int) -> tuple[Trial, Mapping[str, int]] | None:
        ledger, tasks = self._records.ledger, self._records.tasks()
        name = ledger.next_task(tasks, (person,))
        if self._partner_cast.stand_in is None or name is None:
            return None
        task, agent, plan = tasks[name], self._partner_cast.stand_in.id, self._plan
        options = [
            trial_with(plan, self._partner_cast, task, cast_of(plan, task, (seat,), agent), 0)
            for seat in seats_for_people(self._partner_cast.kit, task)
        ]
        return ledger.choose(
            {name: [self._live.next_repeat(trial) for trial in options]}, (person,)
        )

    def _start(self, trial: Trial, people: People) -> None:
        for person in people.values():
            self._stop_waiting(person)
        try:
            self._live.start(trial, people)
        except StoreError:
            self._shut()
            raise

    def _stop_waiting(self, person: int) -> None:
        self._waiting.leave(person)
        for timer in self._timers.pop(person, ()):
            timer.cancel()

    # ------------------------------------------------------------------ inside

    def _soon(self, what: Callable[[], None]) -> None:
        self._loop.call_soon(self._run_unattended, what)

    def _run_unattended(self, what: Callable[..., None], *values: int) -> None:
        """Run what nobody awaits; where the store fails, the study is shut and resumed later."""
        try:
            what(*values)
        except StoreError as error:
            self._cut_off(error)

    def _cut_off(self, error: StoreError) -> None:
        log.warning("study %s: %s", self._records.study, error)
        self._shut()


PRESENT_SECONDS = 30.0
"""A person whose page has sent nothing for longer is gone: pages poll more often."""


@dataclass(slots=True)
class Waiter:
    """A waiting person; times are in seconds of one clock."""

    person: int
    since: float
    ready: float
    """Not matched before: everybody waits a while, whoever the partner will be."""


class WaitingRoom:
    """A first-come, first-matched queue; times are passed in, so that it reads no clock."""

    def __init__(self) -> None:
        self._waiters: dict[int, Waiter] = {}
        self._last_seen: dict[int, float] = {}

    def __contains__(self, person: object) -> bool:
        return person in self._waiters

    def enter(self, person: int, now: float, ready: float) -> None:
        self._waiters[person] = Waiter(person, now, ready)
        self._last_seen[person] = now

    def everybody(self) -> tuple[int, ...]:
        """In the order in which they came."""
        return tuple(self._waiters)

    def leave(self, person: int) -> None:
        self._waiters.pop(person, None)
        self._last_seen.pop(person, None)

    def touch(self, person: int, now: float) -> bool:
        """A person's page has sent something; returns whether they had seemed to be gone."""
        back = not self.present(person, now)
        self._last_seen[person] = now
        return back

    def present(self, person: int, now: float) -> bool:
        """Whether a waiting person's page was heard of in the last `PRESENT_SECONDS`."""
        return now - self._last_seen.get(person, now) <= PRESENT_SECONDS

    def seconds_waited(self, person: int, now: float) -> float:
        return now - self._waiters[person].since

    def ready(self, now: float) -> Iterator[int]:
        """Those who can be matched, in the order in which they came."""
        for waiter in list(self._waiters.values()):
            if waiter.ready <= now and self.present(waiter.person, now):
                yield waiter.person


class Listeners:
    """The open windows of people."""

    def __init__(self) -> None:
        self._events: defaultdict[int, set[asyncio.Event]] = defaultdict(set)

    def __contains__(self, person: object) -> bool:
        return person in self._events

    @contextmanager
    def listening(self, person: int) -> Iterator[asyncio.Event]:
        """An event that is set whenever the person's screen may have changed."""
        changed = asyncio.Event()
        self._events[person].add(changed)
        try:
            yield changed
        finally:
            self._events[person].discard(changed)
            if not self._events[person]:
                del self._events[person]

    def notify(self, people: Iterable[int]) -> None:
        """Set the events of these people: their screens may have changed."""
        for person in people:
            for changed in self._events.get(person, ()):
                changed.set()

    def notify_all(self) -> None:
        self.notify(list(self._events))
