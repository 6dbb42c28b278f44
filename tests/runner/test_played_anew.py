"""A trial that a plugin's error ended is played from its first turn when the run is resumed."""

from __future__ import annotations

from collections.abc import Callable

from sociolab.core import Ended, Episode, ModelError, Request
from sociolab.store import Store
from tiny_runs import RUN, CountingJudge, Speaker, play_run, statuses, table, trial


def breaks(error: Callable[[], Exception]) -> Callable[[Request], None]:
    def before(request: Request) -> None:
        if request.turn == 2:
            raise error()

    return before


def test_no_turn_of_the_broken_code_is_left(store: Store) -> None:
    play_run(table(store, Speaker(breaks(lambda: KeyError("x")))))
    assert statuses(store) == ["failed"] * 5
    again = Speaker()
    made = table(store, again)
    play_run(made)
    assert statuses(store) == ["played"] * 5
    assert sorted(again.asked) == [(f"t{n}", turn) for n in range(5) for turn in range(4)]
    assert made.tally.anew == 5
    for n in range(5):
        episode = Episode(trial(n), store.events(RUN, f"t{n}"))
        assert [move.turn for move in episode.moves] == [0, 1, 2, 3]
        assert isinstance(episode.events[-1], Ended)


def test_a_trial_that_a_end_call_goes_on_where_it_was(store: Store) -> None:
    play_run(table(store, Speaker(breaks(lambda: ModelError("no reply", cause="timeout")))))
    again = Speaker()
    made = table(store, again)
    play_run(made)
    assert {turn for _, turn in again.asked} == {2, 3}
    assert made.tally.anew == 0


def test_one_that_broke_at_its_first_turn_is_not_counted(store: Store) -> None:
    def before(request: Request) -> None:
        raise KeyError("x")

    play_run(table(store, Speaker(before)))
    made = table(store, Speaker())
    play_run(made)
    assert statuses(store) == ["played"] * 5
    assert made.tally.anew == 0


def test_an_episode_that_was_played_to_its_end_is_not_played_again(store: Store) -> None:
    """As older versions left it, whose judges failed the trial."""
    play_run(table(store, Speaker()))
    store.set_status(RUN, "t1", "failed", "plugin", "the judge broke")
    again, judge = Speaker(), CountingJudge()
    play_run(table(store, again, judge))
    assert again.asked == []
    assert judge.judged == ["t1"]
    assert statuses(store) == ["played"] * 5


def test_the_events_of_other_trials_stay(store: Store) -> None:
    play_run(table(store, Speaker()))
    kept = store.events(RUN, "t2")
    store.play_anew(RUN, "t1")
    assert store.events(RUN, "t1") == ()
    assert store.events(RUN, "t2") == kept
    assert statuses(store)[1] == "playing"
