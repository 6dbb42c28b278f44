"""Conversation tasks from a simulation: residents as they are just before they talk.

A social task is simulated by scripted players of the mind of Generative Agents, or was played, by
anybody, in a stored run. Where the
performer is about to talk to somebody who has not heard of the task from it, both sides are saved
(STSS section 3.2). Tasks of several towns are simulated at once, in as many processes as there are
processors.
"""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from multiprocessing import get_context, parent_process
from pathlib import Path
from threading import Thread
from typing import Any, TypeAlias

from sociolab.core.episode import Episode, Event, Happened
from sociolab.core.errors import StoreError
from sociolab.core.ports import Completed, NoReply, Reply, Request, StartRequests
from sociolab.engine.journal import Journal
from sociolab.engine.scene import FailurePolicy
from sociolab.town.clock import parse_time
from sociolab.town.mind import MindPlayer
from sociolab.town.person import Setting
from sociolab.town.questions import Heard, Memory, MindQuestion, Recall, Utter
from sociolab.town.scripted.matters import matter_key, standings, task_for
from sociolab.town.scripted.mind import ScriptedMind
from sociolab.town.simulation import simulate
from sociolab.town.trace import Did, chunks_in, read_trace
from sociolab.town.trajectory import Trajectory
from sociolab.worlds.stss.dataset import Content, TownData, own_town, parse_content, read_town
from sociolab.worlds.stss.talk.dataset import Neighbour, Side, TalkScenario
from sociolab.worlds.stss.talk.playing import known_places
from sociolab.worlds.stss.task import SocialTask
from sociolab.worlds.stss.world import Stss, StssSettings, make_setting

Watch: TypeAlias = Callable[[int, int, int], object]
"""Called with the towns or tasks done so far, their total, and the talks frozen."""

LEAST_MEMORIES: Mapping[str, int] = {"generative-agents": 3, "lean": 2}
"""The least memories of a side, by mind: the lean one does not remember what it does."""

MOST_MEMORIES, MOST_DONE = 8, 4
"""The most memories of a side; and the most beside them of what it did itself and of things that it
used."""

MOST_OF_KIND: Mapping[str, int] = {"seen": 3, "done": MOST_DONE, "plan": 0}
"""How many of them may be of what was merely seen, as in the town; the day's plan is not among
them, since what is ahead of it is shown as it stands."""

LIVED = StssSettings(mind="generative-agents")
"""How days are simulated to freeze conversations: as published, played by scripted players."""

_ALL = 100_000
"""More memories than anybody has."""

MOST_AHEAD = 8
"""Blocks of the day's plan that are saved; on the task's own day, all that remain."""

BEFORE = timedelta(minutes=30)
"""The least time between a talk and the event: whoever is invited must be able to come."""

AFTERWARDS = timedelta(hours=8)
"""For how long a day is simulated on, since a later time may be agreed."""

LATEST = time(12)
"""On the day of a task without a fixed time: asked later, one would hardly find a time."""


def freeze_talks(data: TownData, task: SocialTask, seed: int) -> tuple[TalkScenario, ...]:
    """The conversation tasks of a social task, as scripted players live it, in order.

    One for each resident with whom the performer talks, frozen before their first talk, and before
    the first on another day if the performer has not spoken of the task to them until then; half an
    hour before the event or earlier, and by noon on its day where no time is agreed; for an
    appointment with the partner alone; not with anybody who has promised to come by hearsay. `task`
    is one of `data`.
    """
    laid_out = next(candidate for candidate in Stss(data, LIVED).tasks() if candidate.id == task.id)
    content, player = parse_content(laid_out.content), MindPlayer(ScriptedMind(), built_in=True)
    setting = make_setting(content, LIVED, FailurePolicy(), task.id, seed)
    return _freeze(
        content, seed, setting, lambda request: _run_at_once(player.reply(request, None))
    )


def freeze_episode(
    episode: Episode, settings: StssSettings, policy: FailurePolicy, *, whole: bool = True
) -> tuple[TalkScenario, ...]:
    """As `freeze_talks`, from a stored episode, by its replies; `settings` and `policy` are those
    of its run. Promises between residents are known where scripted minds made them. Of an episode
    that is not `whole` the full hours that were simulated count.

    StoreError where the replay diverges from the record, since the world's rules have changed.
    """
    trial, journal = episode.trial, Journal(episode.events)
    content = parse_content(trial.task.content)
    setting = make_setting(content, settings, policy, trial.id, trial.seed)
    journal.allow_any_order()

    def reply(request: Request) -> Reply | NoReply | None:
        recorded = journal.reply(request)
        if recorded is None and whole:
            raise StoreError(
                f"the episode {trial.id} cannot be simulated again from its record: the world's "
                "rules have changed since; play it under another --name"
            )
        return recorded

    return _freeze(content, trial.seed, setting, reply)


def _freeze(
    content: Content,
    seed: int,
    setting: Setting,
    reply: Callable[[Request], Reply | NoReply | None],
) -> tuple[TalkScenario, ...]:
    """Simulate until nothing more can be frozen, or until there is no reply."""
    watcher = _Watcher(content, seed)
    events: list[Event] = []
    play = simulate(setting, "lock-step")
    sent: list[Completed] | None = None
    while not watcher.is_over:
        try:
            step = play.send(sent)
        except StopIteration:
            break
        sent = None
        if isinstance(step, StartRequests):
            sent = []
            for request in step.requests:
                if request.attempt == 1:
                    watcher.see(request.observation.view)
                answer = reply(request)
                if answer is None:
                    return _frozen_in_full_hours(watcher, events, setting)
                sent.append(Completed(request, answer))
        elif isinstance(step, Happened):
            events.append(step)
    return _frozen_in_full_hours(watcher, events, setting)


def _frozen_in_full_hours(
    watcher: _Watcher, events: list[Event], setting: Setting
) -> tuple[TalkScenario, ...]:
    """What was frozen of those who have a day behind them; for the lean mind, which does not
    remember what it does itself, with that, as far as it is on record."""
    frozen, least = watcher.frozen, LEAST_MEMORIES[setting.mind]
    if setting.mind == "lean":
        days = Trajectory(read_trace(chunks_in(events)), setting.town)
        until = days.clock.at(days.trace.steps)
        frozen = [_add_deeds(each, days) for each in frozen if each.now <= until]
    return tuple(
        each
        for each in frozen
        if min(len(side.memories) for side in (each.performer, each.other)) >= least
    )


@dataclass(frozen=True, slots=True)
class _Opening:
    """A talk that the performer is in, at its first question: before anything is said.

    Memories of both are read here, since the other's question follows the first words.
    """

    first: Utter
    met_before: bool
    performer_memories: tuple[Memory, ...]
    other_memories: tuple[Memory, ...]


class _Watcher:
    """Watches all that residents are asked, and freezes both sides of the performer's talks."""

    def __init__(self, content: Content, seed: int) -> None:
        self.frozen: list[TalkScenario] = []
        self._task = content.task
        self._seed = seed
        self._residents = {resident.id: resident for resident in content.residents}
        self._memories: dict[str, Recall] = {}
        self._met: dict[str, date] = {}
        self._opening: _Opening | None = None
        self._last = _last_moment(content.task, ()) + AFTERWARDS
        self.is_over = False
        """Whether nothing more can be frozen."""

    def see(self, question: MindQuestion[Any]) -> None:
        """Freeze a talk at the first question to each side."""
        self.is_over = question.me.now > self._last
        self._memories[question.me.resident.id] = question.me.memory
        if not isinstance(question, Utter):
            return
        if self._task.performer in (question.me.resident.id, question.other.id):
            if not question.lines:
                self._opening = self._open_talk(question)
            elif len(question.lines) == 1 and self._opening is not None:
                scenario = self._scenario(self._opening, question)
                self.frozen += [scenario] if scenario is not None else []

    def _open_talk(self, question: Utter) -> _Opening | None:
        """The talk if it is to be frozen: the first of the two on this day."""
        task, starter, listener = self._task, question.me.resident.id, question.other.id
        other = listener if starter == task.performer else starter
        now = question.me.now
        last_met = self._met.get(other)
        self._met[other] = now.date()
        if last_met == now.date():
            return None
        if task.partner and other != task.partner:
            return None
        performer, name = self._residents[task.performer].name, self._residents[other].name
        return _Opening(
            question,
            last_met is not None,
            _recall_briefly(self._memories[task.performer], f"{name} {task.goal}", now),
            _recall_briefly(self._memories[other], f"{performer} {task.activity}", now),
        )

    def _scenario(self, opening: _Opening, answer: Utter) -> TalkScenario | None:
        """Both sides before a word is said; None where there is nothing to ask, it is too late, or
        the other has promised already: its note would then contain what it knew before."""
        first, task = opening.first, self._task
        begins = first.me.resident.id == task.performer
        performer, other = (first, answer) if begins else (answer, first)
        if first.me.now > _last_moment(task, performer.me.heard):
            return None
        standing = standings(other.me).get(matter_key(task.matter))
        recorded = all(line.acts for line in answer.lines)
        is_told = standing is not None and performer.me.resident.id in standing.informed
        if opening.met_before and (is_told or not recorded):
            return None
        has_promised = standing is not None and standing.said_yes(other.me.resident.id)
        if has_promised or task_for(performer.me, performer.other) is None:
            return None
        return TalkScenario(
            id=f"{task.id}.{self._seed}.{other.me.resident.id}{'.again' * opening.met_before}",
            seed=self._seed,
            task=task,
            now=first.me.now,
            performer_begins=begins,
            performer=self._side(performer, first.me.now, opening.performer_memories),
            other=self._side(other, first.me.now, opening.other_memories),
            people={
                who: Neighbour(name=resident.name, known_as=resident.known_as)
                for who, resident in self._residents.items()
            },
            places=_by_sector(first.me.names),
        )

    def _side(self, question: Utter, moment: datetime, memories: tuple[Memory, ...]) -> Side:
        """One side, without the task; it knows the places of which it has been told."""
        me = question.me
        uninformed = self._residents[me.resident.id]
        before = known_places(me.resident, _by_sector(me.names))
        learned = tuple(place for place in me.places if place not in before)
        ahead = tuple(block for block in question.ahead if block.end > moment)
        return Side(
            resident=uninformed.model_copy(update={"knows": (*uninformed.knows, *learned)}),
            place=me.place,
            doing=me.doing,
            memories=memories,
            heard=_last_heard(me.heard),
            ahead=ahead if moment.date() == self._task.day else ahead[:MOST_AHEAD],
        )


def _last_moment(task: SocialTask, heard: tuple[Heard, ...]) -> datetime:
    """Until when a talk may be frozen, by the task's time or the one that was agreed last."""
    agreed = [
        about.start
        for act in (entry.act for entry in heard if entry.act.kind == "accept")
        if (about := act.matter) is not None and matter_key(about) == matter_key(task.matter)
    ]
    start = task.start or next(filter(None, reversed(agreed)), "")
    if not start:
        return datetime.combine(task.day, LATEST)
    return datetime.combine(task.day, parse_time(start)) - BEFORE


def _last_heard(entries: tuple[Heard, ...]) -> tuple[Heard, ...]:
    """What was said last of each matter in each earlier talk: an answer contains what it
    is about."""
    last = {
        (entry.when, entry.other, entry.act.matter and matter_key(entry.act.matter)): entry
        for entry in entries
    }
    return tuple(last.values())


def _recall_briefly(memory: Recall, query: str, now: datetime) -> tuple[Memory, ...]:
    """What comes to mind, best first, each text once, and of some kinds a few at most; no sights
    that matter least, nor what one sees at this moment, which is shown as it is."""
    memories: dict[str, Memory] = {}
    for recalled in memory.recall(query, _ALL):
        if recalled.kind == "seen" and recalled.when >= now:
            continue
        kinds = Counter(each.kind for each in memories.values())
        others = len(memories) - kinds["done"]
        is_full = recalled.kind != "done" and others >= MOST_MEMORIES
        if not is_full and kinds[recalled.kind] < MOST_OF_KIND.get(recalled.kind, MOST_MEMORIES):
            memories.setdefault(recalled.text, recalled)
    return tuple(m for m in memories.values() if m.kind != "seen" or m.importance != 1)


def _add_deeds(scenario: TalkScenario, days: Trajectory) -> TalkScenario:
    """With what both did on that day until then, which the town's own questions do not show."""
    sides = {name: getattr(scenario, name) for name in ("performer", "other")}
    return scenario.model_copy(
        update={
            name: side.model_copy(
                update={"memories": (*side.memories, *_deeds_of_day(side, scenario.now, days))}
            )
            for name, side in sides.items()
        }
    )


def _deeds_of_day(side: Side, moment: datetime, days: Trajectory) -> tuple[Memory, ...]:
    """The last distinct entries of the day's plan that were carried out, oldest first."""
    deeds: dict[str, Memory] = {}
    for did in days.records(Did, side.resident.id):
        when = days.clock.at(did.step)
        if did.state == "at it" and when.date() == moment.date() and when < moment:
            text = f"own activity: {did.block or did.doing}, at {did.place}"
            deeds.pop(text, None)
            deeds[text] = Memory(when, "done", text)
    return tuple(deeds.values())[-MOST_DONE:]


def _by_sector(names: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    arenas: dict[str, tuple[str, ...]] = {}
    for name in names:
        sector, _, arena = name.partition(": ")
        arenas[sector] = (*arenas.get(sector, ()), arena)
    return arenas


def _run_at_once(coroutine: Coroutine[Any, Any, Reply | NoReply]) -> Reply | NoReply:
    try:
        coroutine.send(None)
    except StopIteration as over:
        reply: Reply | NoReply = over.value
        return reply
    raise AssertionError("a scripted mind waits for nothing")


# ------------------------------------------------------------------ many towns at once


@dataclass(frozen=True, slots=True)
class Unit:
    """One task to be simulated: the input of a process."""

    folder: Path | None
    seed: int
    task: str


PLENTY = 1.25
"""A task that has this many times its share of a set is not simulated with further seeds."""


def freeze_towns(
    folder: Path | None, seeds: Sequence[int], total: int, watch: Watch
) -> list[TalkScenario]:
    """The talks frozen from the tasks of each seed's town, until a task has plenty for a set of
    `total`: by task, then by seed, whatever the number of processes."""
    frozen: dict[str, list[TalkScenario]] = {}
    watch(0, len(seeds), 0)
    for number, seed in enumerate(seeds, 1):
        tasks = load_town(folder, seed).tasks
        share = PLENTY * total / len(tasks)
        few = [task.id for task in tasks if len(frozen.setdefault(task.id, [])) < share]
        with _map_units([Unit(folder, seed, task) for task in few]) as towns:
            for task, talks in zip(few, towns, strict=True):
                frozen[task] += talks
        watch(number, len(seeds), sum(map(len, frozen.values())))
    return [scenario for talks in frozen.values() for scenario in talks]


@contextmanager
def _map_units(units: list[Unit]) -> Iterator[Iterator[tuple[TalkScenario, ...]]]:
    """The units simulated by as many processes as there are processors."""
    processes = min(len(units), _processors())
    if processes < 2:
        yield map(_freeze_unit, units)
        return
    pool = ProcessPoolExecutor(processes, get_context("spawn"), _follow_parent)
    try:
        yield pool.map(_freeze_unit, units)
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


def _freeze_unit(unit: Unit) -> tuple[TalkScenario, ...]:
    town = load_town(unit.folder, unit.seed)
    task = next(candidate for candidate in town.tasks if candidate.id == unit.task)
    return freeze_talks(town, task, unit.seed)


@lru_cache(maxsize=1)
def load_town(folder: Path | None, seed: int) -> TownData:
    return own_town(seed) if folder is None else read_town(folder)
