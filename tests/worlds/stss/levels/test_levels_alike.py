"""Which runs of the two levels of STSS are not compared, and what is cautioned against."""

from __future__ import annotations

import pytest

from alderbrook import flat_town
from declared_worlds import declared
from sociolab.core import ConfigError, Json
from sociolab.store import Store
from sociolab.worlds import stss
from stss_tasks import task
from worlds.stss.levels.levels_runs import STRONGER, TALK, TOWN, settings, talks, town


def cautioned(both: Store) -> tuple[str, ...]:
    (first, *_) = stss.read_levels(both, TALK, TOWN).agents
    return first.cautions


# ------------------------------------------------------------------ refused


def test_runs_of_the_wrong_world_are_refused(both: Store) -> None:
    with pytest.raises(ConfigError, match="--talk: expected a run of stss-talk, found lived"):
        stss.read_levels(both, TOWN, TALK)
    with pytest.raises(ConfigError, match="--action: expected a run of stss, found talks"):
        stss.read_levels(both, TALK, TALK)


def test_runs_without_a_common_agent_are_refused(store: Store) -> None:
    talks(store, agents=[STRONGER])
    town(store)
    with pytest.raises(
        ConfigError,
        match=r"in talks scripted-complete, in lived scripted; play the same agent at both levels",
    ):
        stss.read_levels(store, TALK, TOWN)


@pytest.mark.parametrize("of_talk", [True, False])
def test_a_run_with_tdp_is_not_compared_with_one_without(store: Store, of_talk: bool) -> None:
    talks(store, world_settings={"tdp": str(of_talk)})
    town(store, world_settings={"tdp": str(not of_talk)})
    words = ("with TDP", "without TDP") if of_talk else ("without TDP", "with TDP")
    with pytest.raises(ConfigError, match=f"found talks {words[0]} and lived {words[1]};"):
        stss.read_levels(store, TALK, TOWN)


def test_two_runs_with_tdp_are_compared(store: Store) -> None:
    talks(store, world_settings={"tdp": "true"})
    town(store, world_settings={"tdp": "yes"})
    assert not any("TDP" in sentence for sentence in cautioned(store))


def test_runs_of_other_social_tasks_are_refused(store: Store) -> None:
    talks(store)
    store.create_run(TOWN, "stss", settings(), [], declared("stss"))
    with pytest.raises(
        ConfigError, match="none in common: talks has conversations of party, meeting"
    ):
        stss.read_levels(store, TALK, TOWN)


# ------------------------------------------------------------------ cautions


def test_what_is_alike_but_for_the_level_has_no_caution_of_its_settings(both: Store) -> None:
    assert cautioned(both) == ("lived has 1 social task without a conversation in talks: game.",)


def test_each_difference_of_the_settings_is_named(store: Store) -> None:
    talks(store, other="openai/a", world_settings={"rounds": "1"}, attempts=1)
    town(
        store, others="openai/b", made="a2", on_failed_turn="stop",
        world_settings={"evaluated": "plan_day"},
    )  # fmt: skip
    assert cautioned(store)[1:] == (
        "Conversations in talks end after 1 round; in the town they may have 8.",
        "In the town scripted does not speak for the performer: another agent does, as "
        '"utter" is not among the evaluated questions.',
        "The background agents differ: openai/a in talks, openai/b in lived. Differences may "
        "be due to them.",
        "scripted was not set up the same way in both runs (other settings of the agent).",
        "The runs differ in attempts per reply: 1 in talks, 3 in lived.",
        "The runs differ in the handling of invalid turns: skip in talks, stop in lived.",
    )


@pytest.mark.parametrize(
    ("label", "listed", "told"),
    [
        ("openai/a", {}, False),
        ("openai/a", {"openai/a": "top_p=0.9"}, True),
        ("openai/a?temperature=0.5", {}, True),
    ],
)
def test_a_model_with_the_temperature_of_each_level_is_the_same_agent(
    store: Store, label: str, listed: dict[str, Json], told: bool
) -> None:
    """0 in conversations and 1 in the town are the paper's: only what else differs is named."""
    talks(store, other=label)
    town(store, others=label, made="a2", options=listed)
    set_up = [one for one in cautioned(store) if one.startswith(f"{label} was not set up")]
    assert bool(set_up) == told


def test_talks_from_another_town_and_of_other_tasks_are_named(store: Store) -> None:
    data: Json = ["row-talks", "1", "0123"]
    talks(store, of=task(id="feast"), town=flat_town("Home: room", "Moon: base"), data=data)
    town(store, data=["row", "1", "4567"])
    assert cautioned(store) == (
        "talks has conversations of 1 social task not simulated in lived: feast.",
        "lived has 2 social tasks without a conversation in talks: party, game.",
        "The conversations were frozen from another town: row-talks (talks) and row (lived) have "
        "different places.",
    )


def test_runs_that_are_not_finished_or_failed_are_named(store: Store) -> None:
    talks(store)
    town(store)
    trial = store.trials(TALK)[-1].trial
    store.set_status(TALK, trial.id, "failed", "plugin", "it broke")
    game = store.trials(TOWN)[-1].trial
    store.set_status(TOWN, game.id, "playing")
    assert cautioned(store)[:2] == (
        "talks: 1 trial failed.",
        "lived is not finished: 1 trial not played yet.",
    )
