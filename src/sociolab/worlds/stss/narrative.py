"""The story of a social task: who was told when, who remembered it, who came, and who did not and
why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sociolab.town.clock import Clock
from sociolab.town.map import OUTDOORS
from sociolab.town.residents import Resident
from sociolab.town.trace import Planned, Remembered, Reminded, Stood, Talked
from sociolab.town.trajectory import Trajectory, format_spans
from sociolab.worlds.stss.evidence import Evidence, event_window
from sociolab.worlds.stss.scoring import (
    Account,
    TaskScore,
    describe_absence,
    explain_authors,
    explain_score,
)
from sociolab.worlds.stss.task import SocialTask


def story(
    task: SocialTask,
    residents: Sequence[Resident],
    trajectory: Trajectory,
    score: TaskScore | None,
) -> tuple[tuple[str, str], ...]:
    """Headings and their text, a line for each fact; parts without content are left out.

    Without a score, as of an unfinished simulation, the parts about attendance are left out.
    """
    writer = StoryWriter(task, residents, trajectory)
    performer = writer.name(task.performer)
    parts: list[tuple[str, Iterator[str]]] = [
        ("The task", writer.task()),
        (f"What {performer} had in mind", writer.plans()),
        (f"{performer}'s conversations about it", writer.talks()),
        ("Word of mouth", writer.hearsay()),
        ("What the others remembered of it", writer.remembered()),
    ]
    if score is not None:
        parts += [
            ("What could be read of it", writer.placards(score)),
            ("Who took part", writer.attendees(score)),
            ("Who did not, and why", writer.absentees(score)),
            ("The score", writer.scored(score)),
        ]
    texts = ((heading, "\n".join(lines)) for heading, lines in parts)
    return tuple((heading, text) for heading, text in texts if text)


class StoryWriter:
    """Writes a story; each method yields the lines of one part."""

    def __init__(
        self, task: SocialTask, residents: Sequence[Resident], trajectory: Trajectory
    ) -> None:
        self._task = task
        self._names = {resident.id: resident.name for resident in residents}
        self._trajectory = trajectory
        self._clock = trajectory.clock
        evidence = Evidence(task, trajectory)
        self._about, self._talks = evidence.about, evidence.talks

    def name(self, who: str) -> str:
        """The name of a resident, or the id where there is none."""
        return self._names.get(who, who)

    def task(self) -> Iterator[str]:
        """The goal, and how many others are in town."""
        task = self._task
        yield f"{self.name(task.performer)} ({task.type}): {task.goal}"
        names = ", ".join(map(self.name, task.background))
        yield f"Also in town ({len(task.background)}): {names}."

    def plans(self) -> Iterator[str]:
        """The performer's plans and reminders, in the order in which they were made."""
        who = self._task.performer
        reminded = self._trajectory.records(Reminded, who)
        kinds = {"day": "reminder for the day", "talk": "checklist for conversations"}
        entries = [
            (r.step, f"{kinds.get(r.kind, r.kind)}: {' / '.join(r.text.splitlines())}")
            for r in reminded
        ]
        planned = self._trajectory.records(Planned, who)
        entries += [(plan.step, text) for plan in planned if (text := self._describe_plan(plan))]
        for step, text in sorted(entries, key=lambda pair: pair[0]):
            yield f"{format_moment(self._clock, step)}: {text}"

    def talks(self) -> Iterator[str]:
        """The performer's talks about the task: with whom, where, and what was said."""
        for talk in self._talks:
            if self._task.performer in (talk.who, talk.other):
                yield from self._describe_talk(talk)

    def hearsay(self) -> Iterator[str]:
        """Talks about the task without the performer."""
        for talk in self._talks:
            if self._task.performer not in (talk.who, talk.other):
                yield from self._describe_talk(talk)

    def remembered(self) -> Iterator[str]:
        """What the others remembered of talks about the task."""
        for memory in self._trajectory.everybody(Remembered):
            if memory.who != self._task.performer and self._about.matches_memory(memory):
                when = format_moment(self._clock, memory.step)
                yield f"{when}: {self.name(memory.who)}: {memory.text}"

    def placards(self, score: TaskScore) -> Iterator[str]:
        """Texts of actions and objects that announced when and where to come."""
        for placard in score.placards:
            yield f"{placard.when:%A %H:%M}: {self.name(placard.who)}: {placard.text}"

    def attendees(self, score: TaskScore) -> Iterator[str]:
        """Who took part, however briefly, from when until when; for help, who ran each errand."""
        for errand in score.errands:
            if errand.step is None:
                yield f"Nobody who was asked did this: {errand.what}."
            else:
                when = format_moment(self._clock, errand.step)
                yield f"{self.name(errand.who)} did this, by {when}: {errand.what}."
        attendees = [account for account in score.accounts if account.when and not score.errands]
        for account in attendees:
            yield f"{self.name(account.who)}: {format_spans(self._clock, account.when)}."
        if not score.errands and not attendees:
            yield "Nobody."

    def absentees(self, score: TaskScore) -> Iterator[str]:
        """The outcome for each of the others; first for the host, if it was held without them."""
        if score.host_absent:
            host = Account(self._task.performer, "did not come", 0.0, (), "")
            yield f"{describe_absence(self._task, self.name)}{self._describe_when(host, score)}."
        for account in score.accounts:
            if account.fate != "took part" and (score.errands or not account.when):
                when = self._describe_when(account, score)
                yield f"{self.name(account.who)} {account.words}{when}."

    def scored(self, score: TaskScore) -> Iterator[str]:
        """The scores by minimum attendance (a run may set any), and the reason."""
        goals = ", ".join(f"{goal:.3g} at {minutes} min" for minutes, goal in score.goals)
        yield f"Goal by minimum attendance: {goals}."
        why = explain_score(self._task, score, self.name)
        yield f"{score.goal:.3g} at {score.least} min, since {why}"
        if score.ratio is not None and score.ratio_both is not None:
            yield (
                f"Conversation ratio {score.ratio:.3g} ({score.ratio_both:.3g} with conversations "
                "that others began)."
            )
        if score.authors.goal != score.goal:
            yield f"{score.authors.goal:.3g}: {explain_authors(self._task, score, self.name)}"
        if score.goal_by_word != score.goal:
            by_word = "cannot tell" if score.goal_by_word is None else f"{score.goal_by_word:.3g}"
            yield f"Counting only those who had heard of it in a conversation: {by_word}."
        if score.host_absent and score.goal_any_host is not None:
            yield f"Without requiring the host's presence: {score.goal_any_host:.3g}."
        if score.goal_any_helper is not None:
            yield f"With any helper counted: {score.goal_any_helper:.3g}."

    def _describe_talk(self, talk: Talked) -> Iterator[str]:
        where = self._describe_where(talk.who, talk.step)
        pair = f"{self.name(talk.who)} spoke to {self.name(talk.other)}"
        yield f"{format_moment(self._clock, talk.step)}: {pair}{where}."
        yield from (f"    {line.name}: {line.text}" for line in talk.lines)

    def _describe_plan(self, planned: Planned) -> str:
        """The plan of a day, or how it was changed, if it is about the task."""
        blocks = [block for block in planned.blocks if self._about.matches(block.what)]
        if planned.why and not blocks:
            return ""
        reported = blocks if planned.why else planned.blocks
        clock = self._clock
        entries = "; ".join(
            f"{clock.at(b.start):%H:%M} {b.what.removesuffix('.')}" for b in reported
        )
        why = planned.why.removesuffix(".")
        return f"new plan ({why}): {entries}." if why else f"plan: {entries}."

    def _describe_when(self, account: Account, score: TaskScore) -> str:
        """When somebody was there too briefly, or nearly came; else what they did instead."""
        if account.when:
            return f" ({format_spans(self._clock, account.when)})"
        if account.near:
            begin, _ = account.near[0]
            day = f"{self._clock.at(begin):%A} {format_spans(self._clock, account.near)}"
            return f" ({day},{self._describe_where(account.who, begin)})"
        # If the task has no fixed time, look at when most others came.
        start = (
            event_window(self._task, self._clock)[0] if self._task.start else busiest_step(score)
        )
        did = None if start is None else self._trajectory.action_at(account.who, start)
        if start is None or did is None:
            return ""
        doing = did.doing.removesuffix(".")
        return (
            f"; at {self._clock.at(start):%H:%M}{self._describe_where(account.who, start)}: {doing}"
        )

    def _describe_where(self, who: str, step: int) -> str:
        if not self._trajectory.records(Stood, who):
            return ""
        place = self._trajectory.place_at(who, step)
        return " outdoors" if place == OUTDOORS else f" at {place}"


def busiest_step(score: TaskScore) -> int | None:
    """The first step at which most people took part at once; None if nobody did, or for help."""
    if score.errands:
        return None
    stays = [interval for account in score.accounts for interval in account.when]

    def attendance(step: int) -> int:
        return sum(begin <= step < end for begin, end in stays)

    starts = {begin for begin, _ in stays}
    return min(starts, key=lambda step: (-attendance(step), step), default=None)


def format_moment(clock: Clock, step: int) -> str:
    """Such as "Monday 10:05"."""
    return f"{clock.at(step):%A %H:%M}"
