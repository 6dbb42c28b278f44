"""What is planned, under way and over in a play study, and what may a person play next?"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import TypeAlias

from sociolab.core.episode import Event, Task, Trial
from sociolab.core.errors import Cause
from sociolab.store.store import Status, Store, TrialRow
from sociolab.store.studies import AssignmentRow, Progress
from sociolab.studies.live_episode import Sent
from sociolab.studies.participants import WITHDRAWN
from sociolab.studies.settings import PlayPlan

LET_GO = ""
"""The item of an assignment that says that a person waited in vain."""


class PlayRecords:
    """The trials and assignments of one study; this process alone changes them (`lock_run`)."""

    def __init__(self, store: Store, study: str, run: str) -> None:
        self.store, self.study, self.run = store, study, run
        self.ledger = AssignmentBalancer()
        self._rows: dict[str, TrialRow] = {}
        self._planned: _Planned = defaultdict(lambda: defaultdict(dict))
        for row in store.trials(run):
            self._set(row)
        self._own: defaultdict[int, list[AssignmentRow]] = defaultdict(list)
        for assignment in store.studies.assignments(study):
            self._note(assignment)

    # ------------------------------------------------------------------ reading

    def row(self, trial: str) -> TrialRow:
        """A trial of the plan."""
        return self._rows[trial]

    def planned(self, people: int) -> dict[str, Collection[Trial]]:
        """The trials for so many people that nobody has begun, by their tasks, in plan order."""
        return {task: trials.values() for task, trials in self._planned[people].items() if trials}

    def tasks(self) -> dict[str, Task]:
        """All tasks, by their ids, in plan order."""
        return {row.trial.task.id: row.trial.task for row in self._rows.values()}

    def assignments_of(self, person: int) -> Sequence[AssignmentRow]:
        """What a person was given, in that order."""
        return self._own.get(person, ())

    def ended(self, person: int) -> list[AssignmentRow]:
        """The plays that are over for a person."""
        return [
            row for row in self.assignments_of(person) if row.item != LET_GO and row.state in _OVER
        ]

    def was_let_go(self, person: int) -> bool:
        """Whether a person waited in vain."""
        return any(row.item == LET_GO for row in self.assignments_of(person))

    def was_taken_back(self, assignment: AssignmentRow) -> bool:
        """Whether what was played there is deleted, since somebody else wished to be forgotten."""
        return assignment.state == "given up" and any(
            answer.item == assignment.item and answer.name == WITHDRAWN
            for answer in self.store.studies.answers(self.study, assignment.participant)
        )

    def under_way(self) -> list[tuple[Trial, dict[str, int], set[str]]]:
        """The trials that were being played when the server stopped, who sits in them, and the
        seats whose people have gone on already (`release`).

        One whose people are not all there any more stays as it is.
        """
        seated: defaultdict[str, dict[str, int]] = defaultdict(dict)
        released: defaultdict[str, set[str]] = defaultdict(set)
        for person, own in self._own.items():
            for assignment in own:
                if assignment.state != "given up":
                    seated[assignment.item][assignment.seat] = person
                if assignment.state == "done":
                    released[assignment.item].add(assignment.seat)
        playing = [row.trial for row in self._rows.values() if row.status == "playing"]
        episodes = [(trial, seated[trial.id], released[trial.id]) for trial in playing]
        return [e for e in episodes if set(e[1]) == set(seats_of_people(e[0]))]

    def played(self) -> list[Trial]:
        """The trials that were played to their end."""
        return [row.trial for row in self._rows.values() if row.status == "played"]

    @property
    def spent(self) -> bool:
        """Whether a play had to end since the budget was spent: no other can begin then."""
        return any(row.cause == "budget" for row in self._rows.values())

    def broken(self, person: int) -> int:
        """How many plays of a person, the last one and those before it in a row, ended since the
        other side failed."""
        rows = [self._rows[assignment.item] for assignment in reversed(self.ended(person))]
        return len(list(takewhile(_is_broken, rows)))

    def events(self, trial: str) -> tuple[Event, ...]:
        """What has happened in a trial."""
        return self.store.events(self.run, trial)

    def last_answers(self, trial: str, people: Mapping[str, int]) -> dict[str, Sent]:
        """The last answer of each seat that was kept beside the events."""
        answers = {}
        for seat, person in people.items():
            for answer in self.store.studies.answers(self.study, person):
                if answer.item == trial and isinstance(answer.value, dict):
                    answers[seat] = Sent.model_validate(answer.value)
        return answers

    # ------------------------------------------------------------------ writing

    def begin(self, trial: Trial, people: Mapping[str, int]) -> None:
        """These people take these seats, and it begins."""
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
        """Put an event on disk, now: whoever did it is told so."""
        self.store.append(self.run, trial, event)
        self.store.commit()

    def keep(self, person: int, sent: Sent) -> None:
        """Put an answer on disk that is no event yet."""
        self.store.studies.answer(person, sent.trial, sent.name, sent.model_dump(mode="json"))

    def end(
        self,
        trial: str,
        status: Status,
        cause: Cause | None = None,
        problem: str = "",
        dropout_seat: str = "",
    ) -> None:
        """It is over: as `status` says, with `gone` the seat of whoever gave up."""
        with self.store.transaction():
            self._status(trial, status, cause, problem)
            for person in self._own:
                self._over(person, trial, dropout_seat)

    def release(self, trial: str, person: int, sent: Sent | None) -> None:
        """It is over for a person, while others still answer their last question; `sent` is their
        own answer, where it is no event yet."""
        with self.store.transaction():
            if sent is not None:
                self.keep(person, sent)
            self._over(person, trial)

    def let_go(self, person: int) -> None:
        """A person waited in vain."""
        pk = self.store.studies.assign(person, LET_GO, "", "given up")
        self._own[person].append(AssignmentRow(pk, person, LET_GO, "", "given up", 0.0, None))

    def lay_out(self, trial: Trial) -> None:
        """Add a trial to the end of the plan."""
        with self.store.transaction():
            self._add(trial)

    def plays(self, trial: Trial) -> int:
        """How many plays of this task with this cast are planned, whatever became of them."""
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
        """A person's part in a trial is over, unless it was already."""
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


def _is_broken(row: TrialRow) -> bool:
    return row.status == "failed" and row.cause != "gave up"


_OVER = ("done", "given up")
_Planned: TypeAlias = "defaultdict[int, defaultdict[str, dict[str, Trial]]]"
"""Trials by how many people play, by task, by id."""
MOST_BROKEN = 2
"""Plays in a row whose partner failed: a third would hardly do better."""
SPENT = (
    "No more conversations can be started in this study, so there is nothing left for you to do. "
    "Thank you for coming."
)
TAKEN = "All conversations of this study have been taken, so none is left for you."
BROKEN = "There is no further conversation at the moment, and nothing else for you to do here."


def is_done(records: PlayRecords, plan: PlayPlan, person: int) -> bool:
    """Whether a person has played all that was asked for, or nothing is left that is new to them.

    Where a stand-in plays, every task can be played once more. Who waited in vain is done; so is
    everybody when the budget is spent, and whose partners fail again and again.
    """
    if records.was_let_go(person) or len(records.ended(person)) >= plan.each:
        return True
    return bool(why_done(records, plan, person)) or not _is_left(records, plan, person)


def _is_left(records: PlayRecords, plan: PlayPlan, person: int) -> bool:
    """Whether any task is left that is new to a person."""
    with_stand_in = plan.people > 1 and plan.stand_in is not None
    tasks = records.tasks() if with_stand_in else records.planned(plan.people)
    return any(records.ledger.is_new(task, (person,)) for task in tasks)


def why_done(records: PlayRecords, plan: PlayPlan, person: int) -> str:
    """Why a person who has not played all that was planned for them is done, in a sentence for
    them; "" where that has no such reason."""
    if len(records.ended(person)) >= plan.each:
        return ""
    if records.spent:
        return SPENT
    if records.broken(person) >= MOST_BROKEN:
        return BROKEN
    return (
        TAKEN if not records.assignments_of(person) and not _is_left(records, plan, person) else ""
    )


def is_spent(store: Store, run: str) -> bool:
    """Whether the budget of a study is spent, so that nobody begins any more."""
    return "budget" in store.failed_causes(run)


class AssignmentBalancer:
    """Who has sat where, in which task and with whom; people are known by their numbers."""

    def __init__(self) -> None:
        self._tasks: Counter[str] = Counter()
        self._partners: Counter[str] = Counter()
        self._seats: Counter[tuple[str, str]] = Counter()
        self._own_tasks: defaultdict[int, set[str]] = defaultdict(set)
        self._own_partners: defaultdict[int, Counter[str]] = defaultdict(Counter)
        self._own_places: defaultdict[int, Counter[int]] = defaultdict(Counter)

    def enter(self, trial: Trial, person: int, seat: str) -> None:
        """A person was given a seat."""
        partner = partner_of(trial)
        self._tasks[trial.task.id] += 1
        self._partners[partner] += 1
        self._seats[trial.task.id, seat] += 1
        self._own_tasks[person].add(trial.task.id)
        self._own_partners[person][partner] += 1
        self._own_places[person][trial.task.seats.index(seat)] += 1

    def is_new(self, task: str, people: Iterable[int]) -> bool:
        """Whether none of these people has played this task."""
        return all(task not in self._own_tasks[person] for person in people)

    def next_task(self, tasks: Iterable[str], people: Sequence[int]) -> str | None:
        """The task played least of those that are new to all of them; the first of equals."""
        new = (task for task in tasks if self.is_new(task, people))
        return min(new, key=self._tasks.__getitem__, default=None)

    def choose(
        self, trials: Mapping[str, Collection[Trial]], people: Sequence[int]
    ) -> tuple[Trial, Mapping[str, int]] | None:
        """The trial that these people should play, and who sits where; None if there is none.

        `trials` are grouped by their tasks. The task comes first, see `next_task`; in it the
        partner met least (by all, then by these), then the seat taken least, then the plan's order.
        """
        task = self.next_task((task for task, some in trials.items() if some), people)
        if task is None:
            return None
        trial = min(trials[task], key=lambda candidate: self._burden(candidate, people))
        return trial, self.seated(trial, people)

    def seated(self, trial: Trial, people: Sequence[int]) -> dict[str, int]:
        """Each in the place that they had least often; who came first chooses first."""
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


def seats_of_people(trial: Trial) -> tuple[str, ...]:
    """The seats of a cast that people take."""
    return tuple(member.seat for member in trial.cast if member.identity.kind == "person")


def partner_of(trial: Trial) -> str:
    """The label of who takes the other seats; "" where people take all."""
    return next((m.agent for m in trial.cast if m.identity.kind != "person"), "")
