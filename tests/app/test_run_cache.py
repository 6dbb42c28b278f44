from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from declared_worlds import declared
from sociolab.app import RunCache
from sociolab.app.run_cache import _is_settled
from sociolab.core import Score, ScoreFailure
from sociolab.store import Store
from watched_stores import GOAL, MODEL, RUN, watched_store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    watched_store(tmp_path / "store.db")
    with Store.open(tmp_path / "store.db") as opened:
        yield opened


class Counted:
    """Counts how often it is asked."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self) -> int:
        self.times += 1
        return self.times


def test_a_result_is_worked_out_once_while_the_run_stays_as_it_is(store: Store) -> None:
    kept, make = RunCache(), Counted()
    assert [kept.get_or_make(store, RUN, "it", make) for _ in range(3)] == [1, 1, 1]
    assert kept.get_or_make(store, RUN, "another", Counted()) == 1
    assert make.times == 1


def test_results_are_made_anew_when_anything_of_the_run_changes(store: Store) -> None:
    kept, make = RunCache(), Counted()
    trials = [row.trial for row in store.trials(RUN)]
    first, second = trials[3].task.seats
    failure = ScoreFailure(GOAL, first, "timeout", "too late")
    changes: tuple[Callable[[], object], ...] = (
        lambda: store.set_status(RUN, trials[4].id, "playing"),
        lambda: store.set_status(RUN, trials[4].id, "failed", "timeout", "late"),
        lambda: store.verdicts.add(RUN, MODEL, (failure,), trial=trials[3].id),
        lambda: store.verdicts.add(RUN, MODEL, (Score(GOAL, first, 3),), trial=trials[3].id),
        lambda: store.verdicts.add(RUN, MODEL, (Score(GOAL, second, 3),), trial=trials[3].id),
        lambda: store.verdicts.delete(RUN, MODEL, trial=trials[3].id),
    )
    for number, change in enumerate(changes, 1):
        assert kept.get_or_make(store, RUN, "it", make) == number
        change()
        known = kept.peek(store, RUN, "it")
        assert known is not None
        assert not known.fresh, number
    assert kept.get_or_make(store, RUN, "it", make) == len(changes) + 1


def test_other_runs_change_nothing(store: Store) -> None:
    kept, make = RunCache(), Counted()
    kept.get_or_make(store, RUN, "it", make)
    store.create_run("another", "sotopia", {}, [], declared("sotopia"))
    assert kept.get_or_make(store, RUN, "it", make) == 1


def test_a_run_that_was_deleted_and_made_again_is_another(store: Store) -> None:
    kept, make = RunCache(), Counted()
    store.create_run("again", "sotopia", {}, [], declared("sotopia"))
    kept.get_or_make(store, "again", "it", make)
    store.delete_run("again")
    store.create_run("again", "sotopia", {"seed": 1}, [], declared("sotopia"))
    assert kept.get_or_make(store, "again", "it", make) == 2


def test_the_files_of_a_store_are_trusted_only_when_they_are_old(store: Store) -> None:
    """Two writings within one step of a file system's clock look like one."""
    kept, make = RunCache(), Counted()
    kept.get_or_make(store, RUN, "it", make)
    log = store.path.with_name(f"{store.path.name}-wal")
    trial = store.trials(RUN)[4].trial.id
    store.set_status(RUN, trial, "playing")
    assert kept.get_or_make(store, RUN, "it", make) == 2
    assert not _is_settled(((log.stat().st_mtime_ns, 1),))
    assert _is_settled(((log.stat().st_mtime_ns - 5 * 10**9, 1),))


def test_only_so_many_results_are_kept(store: Store) -> None:
    kept, make = RunCache(), Counted()
    for number in range(30):
        kept.get_or_make(store, RUN, number, make)
    assert kept.peek(store, RUN, 0) is None
    assert kept.peek(store, RUN, 29) is not None
