"""What in a trace bears on a task: who was where, doing what, and which talks were about it.

Presence is the tile that a resident stands on, never the address in its plan, and every step
counts, so that an early guest who stays is a guest (STSS section 3.1; the reference scorer looks at
planned addresses and at the moment at which an action starts). Each thing is computed once.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, time, timedelta
from functools import cached_property, partial
from typing import TypeAlias

from sociolab.town.clock import Clock, parse_time
from sociolab.town.person import shorten_activity
from sociolab.town.trace import Did, ObjectBecame, Remembered, Talked
from sociolab.town.trajectory import Interval, Intervals, Trajectory, intersect, total_steps
from sociolab.worlds.stss.literals import says_when_and_where
from sociolab.worlds.stss.task import Errand, Keywords, SocialTask, keyword_filter

Reads: TypeAlias = Callable[[str, Errand | None, str], bool]
"""Whether a resident (an id) who does this (the text) takes part, or runs the errand."""


class Evidence:
    """A task, and what a trace says about it; intervals are half-open steps.

    `reads` decides which actions are taking part; default: the paper's keyword filter.
    """

    def __init__(
        self, task: SocialTask, trajectory: Trajectory, reads: Reads | None = None
    ) -> None:
        self.task = task
        self.trajectory = trajectory
        self.window: Interval = event_window(task, trajectory.clock)
        self.about = About(task)
        self._reads = reads or by_filter(task)
        self._at_it: dict[str, Intervals] = {}
        self._on_errand: dict[tuple[Errand, str], Intervals] = {}

    # ------------------------------------------------------------------ actions

    def at_the_action(self, who: str) -> Intervals:
        """When somebody was at the task's action, wherever and whenever."""
        if who not in self._at_it:
            self._at_it[who] = self.trajectory.acting(who, partial(self._reads, who, None))
        return self._at_it[who]

    def at_the_place(self, who: str) -> Intervals:
        """When somebody was at the task's place; always, if it has none."""
        if not self.task.place:
            return ((0, self.trajectory.trace.steps),)
        return self.trajectory.presence(who, self.task.place)

    def in_time(self, intervals: Intervals) -> Intervals:
        """The part inside the event's window."""
        return intersect(intervals, (self.window,))

    def present(self, who: str) -> Intervals:
        """When somebody was at the place and at the action inside the window."""
        acting = self.in_time(self.at_the_action(who))
        return intersect(acting, self.at_the_place(who)) if acting else ()

    def on_errand(self, errand: Errand, who: str) -> Intervals:
        """When somebody was at an errand, in its place, inside the window."""
        key = errand, who
        if key not in self._on_errand:
            acting = self.trajectory.acting(who, partial(self._reads, who, errand))
            place = self.trajectory.presence(who, errand.place) if acting else ()
            self._on_errand[key] = self.in_time(intersect(acting, place))
        return self._on_errand[key]

    # ------------------------------------------------------------------ talks

    @cached_property
    def talks(self) -> tuple[Talked, ...]:
        """All talks about the task, whoever held them."""
        return self._talks_with(self.about)

    @cached_property
    def first_asked(self) -> dict[str, int]:
        """Who had a talk with the performer about an errand, and the step at which the first one
        was over: what they do from then on is help."""
        steps: dict[str, int] = {}
        for talk in self._talks_with(About(self.task, errands_only=True)):
            if other := partner_of(talk, self.task.performer):
                steps.setdefault(other, talk.end)
        return steps

    @cached_property
    def first_heard(self) -> dict[str, int]:
        """Who heard of the task in a conversation, with the performer or from somebody else who
        named it, and the step at which the first one began."""
        steps: dict[str, int] = {}
        for talk in self.talks:
            speakers = {line.who for line in talk.lines if self.about.matches(line.text)}
            for who, other in ((talk.who, talk.other), (talk.other, talk.who)):
                if other in speakers or other == self.task.performer:
                    steps.setdefault(who, talk.step)
        return steps

    @cached_property
    def first_spoke(self) -> dict[str, int]:
        """Who had a conversation with the performer, about anything, and the step of the
        first one."""
        steps: dict[str, int] = {}
        for talk in self.trajectory.everybody(Talked):
            if talk.lines and (other := partner_of(talk, self.task.performer)):
                steps.setdefault(other, talk.step)
        return steps

    @cached_property
    def placards(self) -> tuple[tuple[Did | ObjectBecame, str], ...]:
        """What people did, or things showed, before the event (where its time is open, before its
        date is over) that said all one needs to come: the matter, its day or hour, and its
        place. Each once, with its text."""
        sights: list[tuple[Did | ObjectBecame, str]] = []
        sights += [(action, action.doing) for action in self.trajectory.everybody(Did)]
        sights += [(change, change.state) for change in self.trajectory.everybody(ObjectBecame)]
        placards: dict[tuple[str, str], tuple[Did | ObjectBecame, str]] = {}
        start, end = self.window
        for record, text in sights:
            early = record.step < (start if self.task.start else end)
            if early and self.about.matches(text) and says_when_and_where(self.task, text):
                placards.setdefault((record.who, text), (record, text))
        return tuple(placards.values())

    def read_of_it(self, who: str) -> bool:
        """Whether somebody saw a placard while there was time to come."""
        sights = [shorten_activity(text) for _, text in self.placards]
        return any(
            memory.kind == "seen" and memory.step < self.window[1] and text in memory.text
            for memory in self.trajectory.records(Remembered, who)
            for text in sights
        )

    def _talks_with(self, about: About) -> tuple[Talked, ...]:
        return tuple(filter(about.matches_talk, self.trajectory.everybody(Talked)))

    # ------------------------------------------------------------------ how long

    def minutes(self, intervals: Intervals) -> float:
        return total_steps(intervals) * self.trajectory.trace.seconds / 60

    def long_enough(self, intervals: Intervals, least: float) -> bool:
        """Whether this lasts `least` minutes in all; with 0, a single step."""
        return bool(intervals) and self.minutes(intervals) >= least


def by_filter(task: SocialTask) -> Reads:
    """As in the paper: by keywords, whoever acts."""
    words = {errand: keyword_filter(task, errand) for errand in (None, *task.errands)}
    return lambda who, errand, text: words[errand].matches(text)


def partner_of(talk: Talked, who: str) -> str:
    """With whom somebody talked; "" if they were not in this talk."""
    return {talk.who: talk.other, talk.other: talk.who}.get(who, "")


class About:
    """The words that name a task: its keywords or the activity; for help, those of its errands.

    As in the paper a filter of words, without any reading of what is meant.
    """

    def __init__(self, task: SocialTask, errands_only: bool = False) -> None:
        errands = [word for errand in task.errands for word in errand.keywords]
        event = () if errands_only else (*task.keywords, task.activity)
        self._words = Keywords((*errands, *event))

    def matches(self, text: str) -> bool:
        """Whether an utterance or a line of a plan names the task."""
        return self._words.matches(text)

    def matches_talk(self, talk: Talked) -> bool:
        """Whether anything said in a talk names the task."""
        return any(self.matches(line.text) for line in talk.lines)

    def matches_memory(self, memory: Remembered) -> bool:
        """Whether this is a memory of a talk that names the task."""
        return memory.kind == "talk" and self.matches(memory.text)


# ------------------------------------------------------------------ when taking part counts


def event_window(task: SocialTask, clock: Clock) -> Interval:
    """The steps of the event, half-open; without a start the whole date, midnight to midnight.

    The date counts: the reference scorer compares times of day alone, so that a party held a day
    early scores in full. An event may go on past midnight.
    """
    midnight = datetime.combine(task.day, time())
    if not task.start:
        begins = clock.step(midnight)
        return begins, begins + clock.steps_per_day
    start = datetime.combine(task.day, parse_time(task.start))
    return clock.step(start), clock.step(start + timedelta(minutes=task.minutes))


def was_lived(task: SocialTask, trajectory: Trajectory) -> bool:
    """Whether the simulation reached the end of the event, or of its date if that is sooner."""
    clock = trajectory.clock
    midnight = clock.step(datetime.combine(task.day, time())) + clock.steps_per_day
    _, end = event_window(task, clock)
    return task.day >= clock.first and trajectory.trace.steps >= min(end, midnight)
