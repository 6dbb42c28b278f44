"""What is planned, under way and over in a play study: in the store, and at hand."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import TypeAlias

from sociolab.app.floor.answers import Sent
from sociolab.app.floor.ledger import Ledger, seats_of_people
from sociolab.app.study.frame import WITHDRAWN
from sociolab.core.episode import Event, Task, Trial
from sociolab.core.errors import Cause
from sociolab.store.sqlite import Store
from sociolab.store.studies import AssignmentRow, Progress
from sociolab.store.trials import Status, TrialRow

LET_GO = ""
"""The item of an assignment that says that a person waited in vain."""


class Records:
    """The trials and assignments of one study; this process alone changes them (`lock_run`)."""

    def __init__(self, store: Store, study: str, run: str) -> None:
        self.store, self.study, self.run = store, study, run
        self.ledger = Ledger()
        self._rows: dict[str, TrialRow] = {}
        self._planned: _Planned = defaultdict(lambda: defaultdict(dict))
        for row in store.trials(run):
            self._set(row)
        self._own: defaultdict[int, list[AssignmentRow]] = defaultdict(list)
        for given in store.assignments(study):
            self._note(given)

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

    def of(self, person: int) -> Sequence[AssignmentRow]:
        """What a person was given, in that order."""
        return self._own.get(person, ())

    def ended(self, person: int) -> list[AssignmentRow]:
        """The plays that are over for a person."""
        return [one for one in self.of(person) if one.item != LET_GO and one.state in _OVER]

    def was_let_go(self, person: int) -> bool:
        """Whether a person waited in vain."""
        return any(one.item == LET_GO for one in self.of(person))

    def was_taken_back(self, given: AssignmentRow) -> bool:
        """Whether what was played there is deleted, since somebody else wished to be forgotten."""
        return given.state == "given up" and any(
            said.item == given.item and said.name == WITHDRAWN
            for said in self.store.answers(self.study, given.participant)
        )

    def under_way(self) -> list[tuple[Trial, dict[str, int], set[str]]]:
        """The trials that were being played when the server stopped, who sits in them, and the
        seats whose people have gone on already (`release`).

        One whose people are not all there any more stays as it is.
        """
        seated: defaultdict[str, dict[str, int]] = defaultdict(dict)
        released: defaultdict[str, set[str]] = defaultdict(set)
        for person, own in self._own.items():
            for one in own:
                if one.state != "given up":
                    seated[one.item][one.seat] = person
                if one.state == "done":
                    released[one.item].add(one.seat)
        playing = [row.trial for row in self._rows.values() if row.status == "playing"]
        found = [(trial, seated[trial.id], released[trial.id]) for trial in playing]
        return [one for one in found if set(one[1]) == set(seats_of_people(one[0]))]

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
        rows = [self._rows[one.item] for one in reversed(self.ended(person))]
        return len(list(takewhile(_is_broken, rows)))

    def events(self, trial: str) -> tuple[Event, ...]:
        """What has happened in a trial."""
        return self.store.events(self.run, trial)

    def kept(self, trial: str, people: Mapping[str, int]) -> dict[str, Sent]:
        """The last answer of each seat that was kept beside the events."""
        found = {}
        for seat, person in people.items():
            for one in self.store.answers(self.study, person):
                if one.item == trial and isinstance(one.value, dict):
                    found[seat] = Sent.model_validate(one.value)
        return found

    # ------------------------------------------------------------------ writing

    def begin(self, trial: Trial, people: Mapping[str, int]) -> None:
        """These people take these seats, and it begins."""
        with self.store.transaction():
            if trial.id not in self._rows:
                self._add(trial)
            self._status(trial.id, "playing")
            given = [
                AssignmentRow(
                    self.store.assign(person, trial.id, seat, "open"),
                    person, trial.id, seat, "open", 0.0, None,
                )
                for seat, person in people.items()
            ]  # fmt: skip
        for one in given:
            self._note(one)

    def write(self, trial: str, event: Event) -> None:
        """Put an event on disk, now: whoever did it is told so."""
        self.store.append(self.run, trial, event)
        self.store.commit()

    def keep(self, person: int, sent: Sent) -> None:
        """Put an answer on disk that is no event yet."""
        self.store.answer(person, sent.trial, sent.name, sent.model_dump(mode="json"))

    def end(
        self,
        trial: str,
        status: Status,
        cause: Cause | None = None,
        problem: str = "",
        gone: str = "",
    ) -> None:
        """It is over: as `status` says, with `gone` the seat of whoever gave up."""
        with self.store.transaction():
            self._status(trial, status, cause, problem)
            for person in self._own:
                self._over(person, trial, gone)

    def release(self, trial: str, person: int, sent: Sent | None) -> None:
        """It is over for a person, while others still answer their last question; `sent` is their
        own answer, where it is no event yet."""
        with self.store.transaction():
            if sent is not None:
                self.keep(person, sent)
            self._over(person, trial)

    def let_go(self, person: int) -> None:
        """A person waited in vain."""
        pk = self.store.assign(person, LET_GO, "", "given up")
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

    def _over(self, person: int, trial: str, gone: str = "") -> None:
        """A person's part in a trial is over, unless it was already."""
        own = self._own[person]
        for index, one in enumerate(own):
            if one.item == trial and one.state == "open":
                state: Progress = "given up" if one.seat == gone else "done"
                self.store.progress(one.pk, state)
                own[index] = replace(one, state=state)

    def _set(self, row: TrialRow) -> None:
        trial = row.trial
        self._rows[trial.id] = row
        planned = self._planned[len(seats_of_people(trial))][trial.task.id]
        if row.status == "planned":
            planned[trial.id] = trial
        else:
            planned.pop(trial.id, None)

    def _note(self, given: AssignmentRow) -> None:
        self._own[given.participant].append(given)
        if given.item in self._rows:
            self.ledger.enter(self._rows[given.item].trial, given.participant, given.seat)


def _is_broken(row: TrialRow) -> bool:
    return row.status == "failed" and row.cause != "gave up"


_OVER = ("done", "given up")
_Planned: TypeAlias = "defaultdict[int, defaultdict[str, dict[str, Trial]]]"
"""Trials by how many people play, by task, by id."""
