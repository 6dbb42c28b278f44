"""All play studies that are open: each has its run locked, and its hall."""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Self

from pydantic import ValidationError

from sociolab.app.floor.hall import Hall
from sociolab.app.floor.plan import company_of, run_settings
from sociolab.app.floor.records import Records
from sociolab.app.runs.resuming import other_code
from sociolab.app.study.settings import PlayPlan, StudySettings
from sociolab.core.episode import Json
from sociolab.core.errors import SociolabError, StoreError
from sociolab.store.connect import lock_run
from sociolab.store.sqlite import Store
from sociolab.store.studies import StudyRow

log = logging.getLogger("sociolab.floor")

LONGEST_REST = 60.0
"""Seconds until plays begin again that stopped since the store failed, at most."""

NOT_STORED = (
    "What is said cannot be stored at the moment, so the conversation is stopped. It goes on by "
    "itself; if it stays so, tell those who invited you."
)


class NotPlayable(SociolabError):  # noqa: N818  a state of affairs
    """A study whose plays cannot go on now; the log says why. `soon`: it is worth asking again."""

    def __init__(self, message: str, *, soon: bool = False) -> None:
        super().__init__(message)
        self.soon = soon


@dataclass(frozen=True, slots=True)
class _Open:
    hall: Hall
    lock: ExitStack


@dataclass(frozen=True, slots=True)
class _Rest:
    """A study's plays begin again `until` then, in the event loop's time."""

    seconds: float
    until: float

    @classmethod
    def after(cls, last: Self | None, now: float) -> Self:
        """None at first; then longer each time that comes soon after the last."""
        again = last is not None and now - last.until < LONGEST_REST
        seconds = min(max(2 * last.seconds, 1.0), LONGEST_REST) if last and again else 0.0
        return cls(seconds, now + seconds)


class Floor:
    """The halls of a store, in one event loop; used as an async context manager.

    Studies that are opened or closed while it lives are noticed when somebody comes to them.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._open: dict[str, _Open] = {}
        self._doors: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._ending: dict[Hall, asyncio.Task[None]] = {}
        self._rests: dict[str, _Rest] = {}

    async def __aenter__(self) -> Self:
        for study in self._store.studies():
            if study.kind == "play" and study.open:
                try:
                    await self.hall(study)
                except NotPlayable as error:
                    log.warning("%s", error)
        return self

    async def __aexit__(self, *_: object) -> None:
        for name in list(self._open):
            await self.shut(name)
        await asyncio.gather(*self._ending.values())

    async def hall(self, study: StudyRow) -> Hall:
        """The hall of an open study, made if there is none; NotPlayable where that fails."""
        known = self.open_hall(study.name)
        if known is not None:
            return known
        async with self._doors[study.name]:
            if study.name not in self._open:
                self._check_rested(study.name)
                try:
                    await self._make(study)
                except (SociolabError, ValidationError) as error:
                    log.warning("study %s cannot be played: %s", study.name, error)
                    raise NotPlayable(
                        "This study cannot be played at the moment; please tell those who invited "
                        "you.",
                        soon=isinstance(error, StoreError),
                    ) from error
            return self._open[study.name].hall

    def open_hall(self, name: str) -> Hall | None:
        """The hall of a study, if there is one already."""
        known = self._open.get(name)
        return known.hall if known is not None else None

    async def set_aside(self, name: str) -> None:
        """Stop the plays of a study as they are. Whoever comes waits until it is taken up."""
        await self._doors[name].acquire()
        try:
            await self._shut(name)
        except BaseException:
            self.take_up(name)
            raise

    def take_up(self, name: str) -> None:
        """Let plays go on from the store, after `set_aside`."""
        self._doors[name].release()

    async def look(self, name: str) -> None:
        """Let go of a study that was closed."""
        if name in self._open and not self._is_open(name):
            await self.shut(name)

    async def shut(self, name: str) -> None:
        """Stop the plays of a study as they are, and let go of its run."""
        async with self._doors[name]:  # whoever comes meanwhile waits for the run to be let go
            await self._shut(name)

    async def _make(self, study: StudyRow) -> None:
        plan = _plan_of(study)
        if study.run is None:
            raise NotPlayable(f"the study {study.name} has no run; lay it out first")
        with ExitStack() as stack:
            stack.enter_context(lock_run(self._store.path, study.run))
            company = await asyncio.to_thread(company_of, plan)  # reads data from disk
            now = await asyncio.to_thread(run_settings, plan, company)
            self._warn_of_other_code(study.name, study.run, now)
            hall = Hall(
                Records(self._store, study.name, study.run),
                plan,
                company,
                is_open=lambda: self._is_open(study.name),
                shut=lambda: self._shut_soon(study.name, hall),
            )
            hall.go_on()
            self._open[study.name] = _Open(hall, stack.pop_all())

    def _warn_of_other_code(self, study: str, run: str, now: Mapping[str, Json]) -> None:
        """People are not sent away for it, but whoever runs the server knows."""
        was = self._store.run(run).settings
        for problem in other_code(was if isinstance(was, dict) else {}, now):
            log.warning(
                "study %s: %s; what is played from now on is recorded as by the same: set up "
                "another study to keep both apart",
                study,
                problem,
            )

    async def _shut(self, name: str) -> None:
        known = self._open.pop(name, None)
        if known is not None:
            with known.lock:
                await known.hall.close()

    def _is_open(self, name: str) -> bool:
        return any(one.name == name and one.open for one in self._store.studies())

    def _check_rested(self, name: str) -> None:
        rest = self._rests.get(name)
        if rest is not None and asyncio.get_running_loop().time() < rest.until:
            raise NotPlayable(NOT_STORED, soon=True)

    def _shut_soon(self, name: str, hall: Hall) -> None:
        """From within a hall, which cannot wait for its own end. Where that is for a store that
        fails again and again, it rests ever longer: each new beginning may cost calls of models."""
        if self.open_hall(name) is not hall or hall in self._ending:
            return
        now = asyncio.get_running_loop().time()
        self._rests[name] = _Rest.after(self._rests.get(name), now)
        task = asyncio.get_running_loop().create_task(self.shut(name))
        self._ending[hall] = task
        task.add_done_callback(lambda _: self._ending.pop(hall))


def _plan_of(study: StudyRow) -> PlayPlan:
    plan = StudySettings.model_validate(study.settings).play
    if plan is None:
        raise NotPlayable(f"nothing is played in the study {study.name}")
    return plan
