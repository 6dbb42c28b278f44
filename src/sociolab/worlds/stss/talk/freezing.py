"""Conversation tasks from a simulation: residents as they are just before they talk.

A social task is lived by scripted minds. Where the performer is about to talk to somebody who has
not heard of the task from it, both sides are kept (STSS section 3.2). Tasks of several towns are
lived at once, in as many processes as there are processors.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from functools import lru_cache
from multiprocessing import get_context, parent_process
from pathlib import Path
from threading import Thread
from typing import Any, TypeAlias

from sociolab.core.ports import Completed, NoReply, Play, Reply, Sent, StartRequests
from sociolab.town.clock import clock_time
from sociolab.town.mind import MindPlayer
from sociolab.town.questions import DayPlan, Heard, Me, Memory, PlanDay, Recall, Said, Utter
from sociolab.town.scripted.matters import key_of, standings, wanted_of
from sociolab.town.scripted.mind import ScriptedMind
from sociolab.worlds.stss.dataset import TownData, own_town, read_town
from sociolab.worlds.stss.talk.dataset import Neighbour, Side, TalkScenario
from sociolab.worlds.stss.talk.playing import known_places
from sociolab.worlds.stss.task import SocialTask
from sociolab.worlds.stss.world import Stss, StssSettings

Watch: TypeAlias = Callable[[int, int, int], object]
"""Told how many tasks have been lived, of how many, and how many talks were frozen."""

MOST_MEMORIES = 8
MOST_SEEN = 3
"""Memories of a side, and how many of them may be of what was merely seen: as in the town."""

_ALL = 100_000
"""More memories than anybody has."""

MOST_AHEAD = 8
"""Blocks of the day's plan that are kept; on the task's own day all that are left."""

BEFORE = timedelta(minutes=30)
"""How long before an event a talk is at least: somebody who is told must be able to come."""

LATEST = time(12)
"""On the day of a task that leaves the time open: who is asked later will hardly find one."""


def frozen_talks(data: TownData, task: SocialTask, seed: int) -> tuple[TalkScenario, ...]:
    """The conversation tasks of a social task, as it is lived with this seed, in their order.

    One for each resident with whom the performer talks, frozen before their first talk, if that
    comes half an hour before the event or earlier, and by noon on its day where no time is agreed;
    for an appointment with the partner alone; not with who has promised to come by hearsay.
    `task` is one of `data`.
    """
    world = Stss(data, StssSettings(order="lock-step"))
    laid_out = next(one for one in world.tasks() if one.id == task.id)
    watcher = _Watcher(data, task, seed)
    _live(world.play(laid_out, task.id, seed), MindPlayer(watcher, built_in=True))
    return tuple(watcher.frozen)


@dataclass(frozen=True, slots=True)
class _Begun:
    """A talk that the performer is in, as its first question shows it: before anything is said.

    What the two remember is read here, since the other's question follows upon the first words.
    """

    first: Utter
    performers: tuple[Memory, ...]
    others: tuple[Memory, ...]


class _Watcher(ScriptedMind):
    """Thinks for everybody, and keeps both sides of the performer's talks."""

    def __init__(self, data: TownData, task: SocialTask, seed: int) -> None:
        self.frozen: list[TalkScenario] = []
        self._task = task
        self._seed = seed
        people = (task.performer, *task.background)
        self._residents = {one.id: one for one in data.residents if one.id in people}
        self._memories: dict[str, Recall] = {}
        self._met: set[str] = set()
        self._begun: _Begun | None = None

    async def plan_day(self, question: PlanDay) -> DayPlan:
        """The first question of a life, by which its memory becomes known."""
        self._memories[question.me.resident.id] = question.me.memory
        return await super().plan_day(question)

    async def utter(self, question: Utter) -> Said:
        """Each side's first utterance in a talk is where it is frozen."""
        if self._task.performer in (question.me.resident.id, question.other.id):
            if not question.lines:
                self._begun = self._beginning(question)
            elif len(question.lines) == 1 and self._begun is not None:
                scenario = self._scenario(self._begun, question)
                self.frozen += [scenario] if scenario is not None else []
        return await super().utter(question)

    def _beginning(self, question: Utter) -> _Begun | None:
        """The talk if it is to be frozen: the first of the two, about what is still to come."""
        task, starter, listener = self._task, question.me.resident.id, question.other.id
        other = listener if starter == task.performer else starter
        if other in self._met:
            return None
        self._met.add(other)
        if task.partner and other != task.partner:
            return None
        performer, name = self._residents[task.performer].name, self._residents[other].name
        return _Begun(
            question,
            _recalled(self._memories[task.performer], name, task, task.goal),
            _recalled(self._memories[other], performer, task, task.activity),
        )

    def _scenario(self, begun: _Begun, answer: Utter) -> TalkScenario | None:
        """Both sides before a word is said; None where there is nothing to ask, or it is late, or
        the other has promised already: its note of the talk would tell what it knew before.
        """
        first, task = begun.first, self._task
        begins = first.me.resident.id == task.performer
        performer, other = (first, answer) if begins else (answer, first)
        if first.me.now > _last_moment(task, performer.me):
            return None
        if wanted_of(performer.me, performer.other) is None or _has_promised(other.me, task):
            return None
        return TalkScenario(
            id=f"{task.id}.{self._seed}.{other.me.resident.id}",
            seed=self._seed,
            task=task,
            now=first.me.now,
            performer_begins=begins,
            performer=self._side(performer, first.me.now, begun.performers),
            other=self._side(other, first.me.now, begun.others),
            people={
                who: Neighbour(name=one.name, known_as=one.known_as)
                for who, one in self._residents.items()
            },
            places=_by_sector(first.me.names),
        )

    def _side(self, question: Utter, now: datetime, memories: tuple[Memory, ...]) -> Side:
        """One side, without the task; it knows the places of which it has been told."""
        me = question.me
        untold = self._residents[me.resident.id]
        before = known_places(me.resident, _by_sector(me.names))
        learned = tuple(place for place in me.places if place not in before)
        ahead = tuple(block for block in question.ahead if block.end > now)
        return Side(
            resident=untold.model_copy(update={"knows": (*untold.knows, *learned)}),
            place=me.place,
            doing=me.doing,
            memories=memories,
            heard=_last_words(me.heard),
            ahead=ahead if now.date() == self._task.day else ahead[:MOST_AHEAD],
        )


def _last_moment(task: SocialTask, performer: Me) -> datetime:
    """Until when a talk may be frozen, by the task's time or the one that was agreed last."""
    agreed = [
        about.start
        for act in (heard.act for heard in performer.heard if heard.act.kind == "accept")
        if (about := act.matter) is not None and key_of(about) == key_of(task.matter)
    ]
    start = task.start or next(filter(None, reversed(agreed)), "")
    if not start:
        return datetime.combine(task.day, LATEST)
    return datetime.combine(task.day, clock_time(start)) - BEFORE


def _has_promised(other: Me, task: SocialTask) -> bool:
    """Whether somebody else has won the other over already."""
    known = standings(other).get(key_of(task.matter))
    return known is not None and known.said_yes(other.resident.id)


def _last_words(heard: tuple[Heard, ...]) -> tuple[Heard, ...]:
    """Of each earlier talk what was said last of each matter: an answer holds what it is about."""
    last = {(one.when, one.other, one.act.matter and key_of(one.act.matter)): one for one in heard}
    return tuple(last.values())


def _recalled(memory: Recall, name: str, task: SocialTask, query: str) -> tuple[Memory, ...]:
    """What matters for a talk with somebody about this task, best first.

    That is what names the one or the matter; of what was merely seen, the one, each sight once.
    """
    found: list[Memory] = []
    for one in memory.recall(f"{name} {query}", _ALL):
        seen = [each.text for each in found if each.kind == "seen"]
        if one.kind == "seen":
            whom = one.text.partition(":")[0]  # "saw NAME: what they did"
            matters = name in whom and one.text not in seen and len(seen) < MOST_SEEN
        else:
            matters = name in one.text or _is_about(task, one.text)
        if matters:
            found.append(one)
    return tuple(found[:MOST_MEMORIES])


def _is_about(task: SocialTask, text: str) -> bool:
    words = (task.activity, *task.keywords, *(w for one in task.errands for w in one.keywords))
    return any(word.casefold() in text.casefold() for word in words)


def _by_sector(names: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for name in names:
        sector, _, arena = name.partition(": ")
        found[sector] = (*found.get(sector, ()), arena)
    return found


def _live(play: Play, player: MindPlayer) -> None:
    """Play to the end with somebody who answers at once."""
    sent: Sent = None
    while True:
        try:
            step = play.send(sent)
        except StopIteration:
            return
        sent = None
        if isinstance(step, StartRequests):
            sent = [Completed(one, _at_once(player.reply(one, None))) for one in step.requests]


def _at_once(asked: Coroutine[Any, Any, Reply | NoReply]) -> Reply | NoReply:
    try:
        asked.send(None)
    except StopIteration as over:
        reply: Reply | NoReply = over.value
        return reply
    raise AssertionError("a scripted mind waits for nothing")


# ------------------------------------------------------------------ many towns at once


@dataclass(frozen=True, slots=True)
class Unit:
    """One task to be lived: what a process is given."""

    folder: Path | None
    seed: int
    task: str


def candidates(units: list[Unit], watch: Watch) -> list[TalkScenario]:
    """What all froze: by task, then in the order of the units, however many processes there are."""
    found: list[TalkScenario] = []
    watch(0, len(units), 0)
    with _mapped(units) as frozen:
        for number, talks in enumerate(frozen, 1):
            found += talks
            watch(number, len(units), len(found))
    return sorted(found, key=_task_order(units))


def _task_order(units: list[Unit]) -> Callable[[TalkScenario], int]:
    """Tasks as they come in the town, whichever seed had one of them first."""
    order = {task: number for number, task in enumerate(dict.fromkeys(u.task for u in units))}
    return lambda one: order[one.task.id]


@contextmanager
def _mapped(units: list[Unit]) -> Iterator[Iterator[tuple[TalkScenario, ...]]]:
    """The units lived by as many processes as there are processors."""
    processes = min(len(units), _processors())
    if processes < 2:
        yield map(_frozen, units)
        return
    pool = ProcessPoolExecutor(processes, get_context("spawn"), _follow_parent)
    try:
        yield pool.map(_frozen, units)
    finally:
        pool.shutdown(cancel_futures=True)


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _follow_parent() -> None:
    """Ctrl-C reaches all processes of a terminal: leave it to the parent, and end when it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _frozen(unit: Unit) -> tuple[TalkScenario, ...]:
    town = town_of(unit.folder, unit.seed)
    task = next(one for one in town.tasks if one.id == unit.task)
    return frozen_talks(town, task, unit.seed)


@lru_cache(maxsize=1)
def town_of(folder: Path | None, seed: int) -> TownData:
    """The town of a folder, or our own with the tasks of a seed."""
    return own_town(seed) if folder is None else read_town(folder)
