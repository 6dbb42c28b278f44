"""Which trial people get next: nobody the same task twice, all tasks, partners, seats alike."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from sociolab.app.players.models import HUMAN
from sociolab.core.episode import Trial


class Ledger:
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
        trial = min(trials[task], key=lambda one: self._burden(one, people))
        return trial, self.seated(trial, people)

    def seated(self, trial: Trial, people: Sequence[int]) -> dict[str, int]:
        """Each in the place that they had least often; who came first chooses first."""
        left = list(people)
        seats = {}
        for seat in seats_of_people(trial):
            place = trial.task.seats.index(seat)
            who = min(left, key=lambda person: self._own_places[person][place])
            left.remove(who)
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
    return tuple(member.seat for member in trial.cast if member.agent == HUMAN)


def partner_of(trial: Trial) -> str:
    """The label of who takes the other seats; "" where people take all."""
    return next((member.agent for member in trial.cast if member.agent != HUMAN), "")
