from __future__ import annotations

from collections import Counter

import pytest

from sociolab.core import HUMAN, ConfigError
from sociolab.studies import PlayPlan, people_agent, run_settings, trials_of


def test_each_task_is_played_with_each_partner_in_each_seat_for_people() -> None:
    trials = trials_of(PlayPlan(limit=3, plays=2))
    assert len(trials) == 3 * 2 * 2
    seats = Counter(trial.task.seats.index(m.seat) for trial in trials for m in trial.cast
                    if m.agent == HUMAN)  # fmt: skip
    assert seats == {0: 6, 1: 6}
    assert len({trial.id for trial in trials}) == len(trials)


def test_the_first_play_of_all_tasks_comes_before_the_second_of_any() -> None:
    plays = [trial.repeat for trial in trials_of(PlayPlan(limit=2, plays=2))]
    assert plays == sorted(plays)


def test_people_who_take_all_seats_need_no_partner() -> None:
    (trial,) = trials_of(PlayPlan(limit=1, people=2, partners=()))
    assert [member.agent for member in trial.cast] == [HUMAN, HUMAN]


def test_at_a_dnd_table_people_sit_in_the_party_and_never_as_the_npc() -> None:
    trials = trials_of(PlayPlan(world="anteval-information", limit=1))
    taken = [m.seat for trial in trials for m in trial.cast if m.agent == HUMAN]
    assert taken == ["player-1", "player-2", "player-3"]
    assert all(trial.agent("npc") == "scripted" for trial in trials)


@pytest.mark.parametrize(
    ("plan", "says"),
    [
        ({"world": "stss"}, "people cannot take a seat"),
        ({"world": "chess"}, "there is no world"),
        ({"people": 3, "limit": 1}, "3 people cannot sit"),
        ({"partners": ["human"]}, '"human" is a person at a terminal'),
        ({"partners": ["nobody"]}, 'no agent called "nobody"'),
        ({"partners": [], "limit": 1}, "left for a partner"),
        ({"tasks": "no-such-task"}, "matches no task"),
        ({"judges": ["nobody"]}, 'no judge called "nobody"'),
        ({"stand_in": "human"}, '"human" is a person'),
        ({"settings": {"turns": "none"}}, "turns"),
    ],
)  # fmt: skip
def test_what_cannot_be_played_is_refused_with_a_sentence(
    plan: dict[str, object], says: str
) -> None:
    with pytest.raises(ConfigError, match=says):
        trials_of(PlayPlan.model_validate(plan))


def test_the_time_for_a_turn_is_a_setting_of_the_people_who_play() -> None:
    assert people_agent(PlayPlan()) != people_agent(PlayPlan(turn_seconds=60))
    assert run_settings(PlayPlan())["turn_seconds"] == 180
