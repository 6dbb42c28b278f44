"""What watchers ask of the store, over episodes that models may leave behind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sociolab.app import EpisodeFilter
from sociolab.app.episode_list import list_page
from sociolab.store import Store
from sociolab.store.overview import episode_rows, trial_place
from watched_stores import GOAL, HOSTILE, MODEL, RUN, watched_store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    watched_store(tmp_path / "store.db")
    with Store.open(tmp_path / "store.db") as opened:
        yield opened


def test_a_list_tells_of_each_episode_what_its_events_tell(store: Store) -> None:
    rows = episode_rows(store, RUN)
    planned = store.trials(RUN)
    for row, plan in zip(rows, planned, strict=True):
        episode = store.episode(RUN, plan.trial.id)
        assert (row.trial, row.index, row.status) == (plan.trial.id, plan.index, plan.status)
        assert row.cast == tuple((member.seat, member.agent) for member in plan.trial.cast)
        assert (row.task, row.cluster, row.tags) == (
            plan.trial.task.id,
            plan.trial.task.cluster,
            plan.trial.task.tags,
        )
        assert row.turns == len(episode.moves)
        assert row.failed == len(episode.failed_turns)
        assert row.ended == (episode.ended.reason if episode.ended else "")
        assert (row.cause, row.problem) == (plan.cause or "", plan.problem)
    assert rows[1].turns == 4, "texts that UTF-8 cannot say are counted, too"
    assert rows[1].cast[0][1] == HOSTILE


def test_scores_are_means_of_repeated_judgings_by_trial_and_seat(store: Store) -> None:
    trial = store.trials(RUN)[0].trial
    again = next(row.verdicts for row in store.verdicts.judgings(RUN, trial=trial.id))[:1]
    store.verdicts.add(RUN, MODEL, again, trial=trial.id, judging=1)
    page = list_page(store, RUN, EpisodeFilter())
    found = {one.row.trial: one.scores for one in page.episodes if one.scores}
    assert found[trial.id] == ((trial.task.seats[0], 7.0), (trial.task.seats[1], 2.0))
    assert len(found) == 3
    assert store.verdicts.measures(RUN) == ((MODEL, GOAL),)


def test_a_trial_knows_its_neighbours_in_the_plan_of_its_run(store: Store) -> None:
    first, second, *_, last = (row.trial.id for row in store.trials(RUN))
    assert trial_place(store, RUN, first)[3:] == (None, second)
    assert trial_place(store, RUN, last).after is None
    assert trial_place(store, RUN, second).before == first


def test_calls_of_players_are_told_from_those_of_judges(store: Store) -> None:
    trial = store.trials(RUN)[0].trial
    places = store.calls.player_calls(RUN, trial.id)
    assert [(one.turn, one.name, one.attempt) for one in places] == [
        (0, "act", 1),
        (1, "act", 1),
        (2, "act", 1),
    ]


def test_the_index_says_how_much_of_the_store_it_holds(store: Store) -> None:
    assert store.search.indexed_share() == (0, 3)
    run, trial = store.search.unindexed(1)[0]
    store.search.index(run, trial, "words")
    assert store.search.indexed_share() == (1, 3)
