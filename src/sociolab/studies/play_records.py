"""The trials and assignments of a play study, and what a person may play next."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import TypeAlias, cast

from sociolab.core.episode import Event, Task, Trial
from sociolab.core.errors import Cause
from sociolab.store.store import RunRow, Status, Store, TrialRow
from sociolab.store.studies import AssignmentRow, Progress
from sociolab.studies.live_episode import Sent
from sociolab.studies.participants import CONDITION, WITHDRAWN
from sociolab.studies.settings import PlayPlan, StudySettings

LET_GO = ""
"""The item of an assignment that records that a person waited in vain."""


class PlayRecords:
    """The trials and assignments of one study; only this process changes them (`lock_run`)."""

    def __init__(self, store: Store, study: str, run: str) -> None:
        self.store, self.study, self.run = store, study, run
        self.ledger = AssignmentBalancer()
        self._rows: dict[str, TrialRow] = {}
        self._planned: _Planned = defaultdict(lambda: defaultdict(dict))
        for row in store.trials(run):
            self._set(row)
        settings = StudySettings.model_validate(store.studies.get(study).settings)
        self._shares = shares_by_condition(settings, store.run(run))
        self.sizes = settings.sizes
        self._conditions: dict[int, str] = {}
        self._own: defaultdict[int, list[AssignmentRow]] = defaultdict(list)
        for assignment in store.studies.assignments(study):
            self._note(assignment)

    # ------------------------------------------------------------------ reading

    def row(self, trial: str) -> TrialRow:
        return self._rows[trial]

    def planned(self, *who: int) -> dict[str, Collection[Trial]]:
        """The trials of the condition of these people that were not started, by task, in plan
        order. People of two conditions never meet."""
        conditions = {self._condition(person) for person in who}
        if len(conditions) > 1:
            return {}
        share = self._shares.get(conditions.pop(), self._shares[""])
        by_task: dict[str, Collection[Trial]] = {
            task: trials.values() for task, trials in self._planned[share.people].items()
        }
        if share.partners is not None:
            by_task = {
                task: [trial for trial in trials if partner_of(trial) in share.partners]
                for task, trials in by_task.items()
            }
        return {task: trials for task, trials in by_task.items() if trials}

    def size_for(self, person: int) -> int:
        """How many people sit in the episodes of a person's condition."""
        return self._shares.get(self._condition(person), self._shares[""]).people

    def _condition(self, person: int) -> str:
        """A person's condition, "" if there are none; it never changes once it is given."""
        if len(self._shares) > 1 and person not in self._conditions:
            for answer in self.store.studies.answers(self.study, person):
                if answer.name == CONDITION:
                    self._conditions[person] = str(answer.value)
        return self._conditions.get(person, "")

    def tasks(self) -> dict[str, Task]:
        return {row.trial.task.id: row.trial.task for row in self._rows.values()}

    def assignments_of(self, person: int) -> Sequence[AssignmentRow]:
        return self._own.get(person, ())

    def ended(self, person: int) -> list[AssignmentRow]:
        """The assignments of a person to episodes that are over for them."""
        return [
            row for row in self.assignments_of(person) if row.item != LET_GO and row.state in _OVER
        ]

    def was_let_go(self, person: int) -> bool:
        """Whether a person waited in vain and was dismissed."""
        return any(row.item == LET_GO for row in self.assignments_of(person))

    def was_deleted(self, assignment: AssignmentRow) -> bool:
        """Whether the episode was deleted at another participant's request."""
        return assignment.state == "given up" and any(
            answer.item == assignment.item and answer.name == WITHDRAWN
            for answer in self.store.studies.answers(self.study, assignment.participant)
        )

    def live_trials(self) -> list[tuple[Trial, dict[str, int], set[str]]]:
        """The trials that were live when the server stopped, who sits in them, and the seats whose
        people have gone on already (`release`).

        Trials with missing people are left out.
        """
        assign_seats: defaultdict[str, dict[str, int]] = defaultdict(dict)
        released: defaultdict[str, set[str]] = defaultdict(set)
        for person, own in self._own.items():
            for assignment in own:
                if assignment.state != "given up":
                    assign_seats[assignment.item][assignment.seat] = person
                if assignment.state == "done":
                    released[assignment.item].add(assignment.seat)
        playing = [row.trial for row in self._rows.values() if row.status == "playing"]
        episodes = [(trial, assign_seats[trial.id], released[trial.id]) for trial in playing]
        return [e for e in episodes if set(e[1]) == set(seats_of_people(e[0]))]

    def played(self) -> list[Trial]:
        return [row.trial for row in self._rows.values() if row.status == "played"]

    @property
    def spent(self) -> bool:
        """Whether an episode ended because the budget was spent, so that no other can start."""
        return any(row.cause == "budget" for row in self._rows.values())

    def count_broken(self, person: int) -> int:
        """How many of a person's latest episodes in a row ended because the partner failed."""
        rows = [self._rows[assignment.item] for assignment in reversed(self.ended(person))]
        broken = (row.status == "failed" and row.cause != "gave up" for row in rows)
        return len(list(takewhile(bool, broken)))

    def events(self, trial: str) -> tuple[Event, ...]:
        return self.store.events(self.run, trial)

    def last_answers(self, trial: str, people: Mapping[str, int]) -> dict[str, Sent]:
        """The last answer of each seat that was stored separately from the events."""
        answers = {}
        for seat, person in people.items():
            for answer in self.store.studies.answers(self.study, person):
                if answer.item == trial and isinstance(answer.value, dict):
                    answers[seat] = Sent.model_validate(answer.value)
        return answers

    # ------------------------------------------------------------------ writing

    def begin(self, trial: Trial, people: Mapping[str, int]) -> None:
        with self.store.transaction():
            if trial.id not in self._rows:
                self._add(trial)
            self._status(trial.id, "playing")
            assignments = [
                AssignmentRow(
                    self.store.studies.assign(person, trial.id, seat, "open"),
                    person, trial.id, seat, "open", 0.0, None,
                )
                for seat, person in people.items()
            ]  # fmt: skip
        for assignment in assignments:
            self._note(assignment)

    def write(self, trial: str, event: Event) -> None:
        """Store an event, and commit before returning: the sender is told that it is stored."""
        self.store.append(self.run, trial, event)
        self.store.commit()

    def keep(self, person: int, sent: Sent) -> None:
        """Store an answer that is no event yet."""
        self.store.studies.answer(person, sent.trial, sent.name, sent.model_dump(mode="json"))

    def end(
        self,
        trial: str,
        status: Status,
        cause: Cause | None = None,
        problem: str = "",
        dropout_seat: str = "",
    ) -> None:
        """Record how a trial ended; `dropout_seat` is the seat of whoever gave up."""
        with self.store.transaction():
            self._status(trial, status, cause, problem)
            for person in self._own:
                self._over(person, trial, dropout_seat)

    def release(self, trial: str, person: int, sent: Sent | None) -> None:
        """Record that a trial is over for one person, while others still answer their last
        question; `sent` is the person's own answer if it is no event yet."""
        with self.store.transaction():
            if sent is not None:
                self.keep(person, sent)
            self._over(person, trial)

    def let_go(self, person: int) -> None:
        """Record that a person waited in vain."""
        pk = self.store.studies.assign(person, LET_GO, "", "given up")
        self._own[person].append(AssignmentRow(pk, person, LET_GO, "", "given up", 0.0, None))

    def add_trial(self, trial: Trial) -> None:
        with self.store.transaction():
            self._add(trial)

    def count_repeats(self, trial: Trial) -> int:
        """How many repeats of this task and cast are planned, in whatever state."""
        alike = (
            row.trial.repeat
            for row in self._rows.values()
            if row.trial.task.id == trial.task.id and row.trial.cast == trial.cast
        )
        return max(alike, default=-1) + 1

    # ------------------------------------------------------------------ inside

    def _add(self, trial: Trial) -> None:
        self.store.add_trials(self.run, [trial])
        self._set(TrialRow(trial, len(self._rows), "planned"))

    def _status(
        self, trial: str, status: Status, cause: Cause | None = None, problem: str = ""
    ) -> None:
        self.store.set_status(self.run, trial, status, cause, problem)
        self._set(replace(self._rows[trial], status=status, cause=cause, problem=problem))

    def _over(self, person: int, trial: str, dropout_seat: str = "") -> None:
        """End a person's assignment in a trial, unless it has ended."""
        own = self._own[person]
        for index, assignment in enumerate(own):
            if assignment.item == trial and assignment.state == "open":
                state: Progress = "given up" if assignment.seat == dropout_seat else "done"
                self.store.studies.set_progress(assignment.pk, state)
                own[index] = replace(assignment, state=state)

    def _set(self, row: TrialRow) -> None:
        trial = row.trial
        self._rows[trial.id] = row
        planned = self._planned[len(seats_of_people(trial))][trial.task.id]
        if row.status == "planned":
            planned[trial.id] = trial
        else:
            planned.pop(trial.id, None)

    def _note(self, assignment: AssignmentRow) -> None:
        self._own[assignment.participant].append(assignment)
        if assignment.item in self._rows:
            self.ledger.enter(
                self._rows[assignment.item].trial, assignment.participant, assignment.seat
            )


_OVER = ("done", "given up")
_Planned: TypeAlias = "defaultdict[int, defaultdict[str, dict[str, Trial]]]"
"""Trials by number of people, task and id."""
MOST_BROKEN = 2
"""Episodes in a row whose partner failed, after which a person gets no other."""
BUDGET_SPENT_TEXT = (
    "No more conversations can be started in this study, so there is nothing left for you to do. "
    "Thank you for coming."
)
ALL_TAKEN_TEXT = "All conversations of this study have been taken, so none is left for you."
BROKEN = "There is no further conversation at the moment, and nothing else for you to do here."


def is_done(records: PlayRecords, plan: PlayPlan, person: int) -> bool:
    """Whether a person has played their share, or no task that is new to them is left.

    With a stand-in every task can be played once more. A person who waited in vain is done; so is
    everybody when the budget is spent, and a person whose partners fail again and again.
    """
    if records.was_let_go(person) or len(records.ended(person)) >= plan.each:
        return True
    return bool(why_done(records, plan, person)) or not _is_left(records, plan, person)


def _is_left(records: PlayRecords, plan: PlayPlan, person: int) -> bool:
    with_stand_in = records.size_for(person) > 1 and plan.stand_in is not None
    tasks = records.tasks() if with_stand_in else records.planned(person)
    return any(records.ledger.is_new(task, (person,)) for task in tasks)


def why_done(records: PlayRecords, plan: PlayPlan, person: int) -> str:
    """Why a person who has not played their share is done, in a sentence for them; "" if there is
    no such reason."""
    if len(records.ended(person)) >= plan.each:
        return ""
    if records.spent:
        return BUDGET_SPENT_TEXT
    if records.count_broken(person) >= MOST_BROKEN:
        return BROKEN
    return (
        ALL_TAKEN_TEXT
        if not records.assignments_of(person) and not _is_left(records, plan, person)
        else ""
    )


def is_spent(store: Store, run: str) -> bool:
    """Whether the budget of a study is spent, so that no episode starts any more."""
    return "budget" in store.failed_causes(run)


class AssignmentBalancer:
    """Counts who has had which task, seat and partner; people are their primary keys."""

    def __init__(self) -> None:
        self._tasks: Counter[str] = Counter()
        self._partners: Counter[str] = Counter()
        self._seats: Counter[tuple[str, str]] = Counter()
        self._own_tasks: defaultdict[int, set[str]] = defaultdict(set)
        self._own_partners: defaultdict[int, Counter[str]] = defaultdict(Counter)
        self._own_places: defaultdict[int, Counter[int]] = defaultdict(Counter)

    def enter(self, trial: Trial, person: int, seat: str) -> None:
        partner = partner_of(trial)
        self._tasks[trial.task.id] += 1
        self._partners[partner] += 1
        self._seats[trial.task.id, seat] += 1
        self._own_tasks[person].add(trial.task.id)
        self._own_partners[person][partner] += 1
        self._own_places[person][trial.task.seats.index(seat)] += 1

    def is_new(self, task: str, people: Iterable[int]) -> bool:
        """Whether none of these people has had this task."""
        return all(task not in self._own_tasks[person] for person in people)

    def next_task(self, tasks: Iterable[str], people: Sequence[int]) -> str | None:
        """The least played task of those that are new to all these people; the first in a tie."""
        new = (task for task in tasks if self.is_new(task, people))
        return min(new, key=self._tasks.__getitem__, default=None)

    def choose(
        self, trials: Mapping[str, Collection[Trial]], people: Sequence[int]
    ) -> tuple[Trial, Mapping[str, int]] | None:
        """The trial that these people should play, and who sits where; None if none is left.

        `trials` are grouped by task. The task is chosen first, see `next_task`; then the partner
        met least (by all, then by these), then the seat taken least, then the plan's order.
        """
        task = self.next_task((task for task, some in trials.items() if some), people)
        if task is None:
            return None
        trial = min(trials[task], key=lambda candidate: self._burden(candidate, people))
        return trial, self.assign_seats(trial, people)

    def assign_seats(self, trial: Trial, people: Sequence[int]) -> dict[str, int]:
        """Seat each person in the place that they had least often, first come first served."""
        unseated = list(people)
        seats = {}
        for seat in seats_of_people(trial):
            place = trial.task.seats.index(seat)
            who = min(unseated, key=lambda person: self._own_places[person][place])
            unseated.remove(who)
            seats[seat] = who
        return seats

    def _burden(self, trial: Trial, people: Sequence[int]) -> tuple[int, int, int, int]:
        partner, seats = partner_of(trial), seats_of_people(trial)
        return (
            self._partners[partner],
            sum(self._own_partners[person][partner] for person in people),
            sum(self._seats[trial.task.id, seat] for seat in seats),
            sum(
                self._own_places[p][trial.task.seats.index(seat)] for seat in seats for p in people
            ),
        )


@dataclass(frozen=True, slots=True)
class Share:
    """The trials of a condition: with so many people, and one of these partners (labels; None:
    any)."""

    people: int
    partners: frozenset[str] | None = None

    def __contains__(self, trial: Trial) -> bool:
        alike = len(seats_of_people(trial)) == self.people
        return alike and (self.partners is None or partner_of(trial) in self.partners)


def shares_by_condition(settings: StudySettings, run: RunRow) -> Mapping[str, Share]:
    """What people play in each condition; under "" what they play where there are none."""
    plan = settings.play
    assert plan is not None
    if not settings.conditions:
        return {"": Share(plan.people)}
    agents = cast("dict[str, list[list[str]]]", run.settings)["agents"]
    specs = dict.fromkeys(plan.partners)
    labels = {spec: label for spec, (label, _) in zip(specs, agents[1:], strict=True)}
    shares = {
        each.name: Share(
            each.people or plan.people,
            frozenset({"", *(labels[spec] for spec in each.partners or specs)}),
        )
        for each in settings.conditions
    }
    return {"": Share(plan.people, frozenset({"", *labels.values()})), **shares}


def seats_of_people(trial: Trial) -> tuple[str, ...]:
    return tuple(member.seat for member in trial.cast if member.identity.kind == "person")


def partner_of(trial: Trial) -> str:
    """The label of the agent in the other seats; "" where people take all."""
    return next((m.agent for m in trial.cast if m.identity.kind != "person"), "")
