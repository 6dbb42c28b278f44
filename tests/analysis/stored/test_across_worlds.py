"""One table over worlds: its columns, and correlations worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from analysis.stored.comparing_runs import GOAL, JUDGE, add_run
from sociolab.analysis import Across, across
from sociolab.core import ConfigError, JudgeId, Measure
from sociolab.store import Store
from sociolab.worlds import stss

OVERALL = Measure("overall", 0, 1, title="overall")
TALKED = Measure("conversation_gcsr", 0, 1, title="conversation GCSR")
RULES = JudgeId("rules", "rules", "r1")


def four_agents(store: Store, *, town: tuple[float, ...]) -> Across:
    """Goal 2, 4, 6, 8 of agents a to d in SOTOPIA, and these shares in the town."""
    names = []
    for i, agent in enumerate("abcd"):
        add_run(store, f"goal-{agent}", agent, {"t1": (2 * i + 2,), "t2": (2 * i + 2,)})
        town_goals = {"t1": (town[i],), "t2": (town[i],)}
        add_run(store, f"town-{agent}", agent, town_goals, world="stss", measure=OVERALL,
                judge=RULES)  # fmt: skip
        names += [f"goal-{agent}", f"town-{agent}"]
    return across(store, names, {}, [stss.LEVELS])


def test_a_column_holds_all_agents_of_a_world(store: Store) -> None:
    found = four_agents(store, town=(0.1, 0.2, 0.3, 0.4))
    assert [(c.world, c.judge, list(c.places)) for c in found.columns] == [
        ("sotopia", "openai/judge", ["a", "b", "c", "d"]),
        ("stss", "rules", ["a", "b", "c", "d"]),
    ]
    assert found.columns[0].value("c") == 6
    rows = found.section.tables[0].rows
    assert [row[0] for row in rows] == ["a", "b", "c", "d"]
    assert rows[2][1].startswith("6.00")
    assert rows[2][2] == "0.30 (2)"


def test_worlds_are_correlated_over_agents(store: Store) -> None:
    found = four_agents(store, town=(0.1, 0.3, 0.2, 0.4))
    (one,) = found.worlds
    # Ranks 1234 and 1324: rho = 1 - 6 * 2 / (4 * 15) = 0.8; Pearson's r is the same here.
    assert one.spearman.value == pytest.approx(0.8)
    assert one.pearson.value == pytest.approx(0.8)
    assert one.of == "agent"
    words = " ".join(found.section.sentences)
    assert "sotopia GOAL / stss overall, 4 agents: Spearman's rho is 0.80" in words
    assert "as few as 4 points" in " ".join(found.section.cautions)


def test_two_agents_are_no_correlation(store: Store) -> None:
    four_agents(store, town=(0.1, 0.2, 0.3, 0.4))
    found = across(store, ["goal-a", "goal-b", "town-a", "town-b"], {}, [stss.LEVELS])
    assert found.worlds == ()
    assert "needs 3 or more agents" in " ".join(found.section.sentences)


def test_judges_never_share_a_column(store: Store) -> None:
    add_run(store, "one", "x", {"t": (1,)})
    add_run(store, "two", "y", {"t": (2,)}, judge=replace(JUDGE, settings="j2"))
    add_run(store, "three", "z", {"t": (3,)}, judge=JudgeId("openai/other", "model", "o1"))
    runs = ["one", "two", "three"]
    found = across(store, runs, {})
    assert [list(column.places) for column in found.columns] == [["x"], ["y"], ["z"]]
    assert len(set(found.section.tables[0].columns)) == 4
    named = across(store, runs, {"sotopia": "openai/other"})
    assert [list(column.places) for column in named.columns] == [["z"]]


def test_runs_of_one_agent_are_not_mixed(store: Store) -> None:
    add_run(store, "one", "x", {"t": (1,)}, seed=1)
    add_run(store, "two", "x", {"t": (5,)}, seed=2)
    columns = across(store, ["two", "one"], {}).columns
    assert [(column.value("x"), column.runs) for column in columns] == [
        (5, ("two",)),
        (1, ("one",)),
    ]


def test_what_is_said_and_what_comes_of_it_by_task(store: Store) -> None:
    """Talks 0.2, 0.6 of a task count as their mean; the town's goals by task id."""
    talks = {"scene of quiz": (0.2, 0.6), "scene of walk": (0.1,), "scene of swap": (0.9,)}
    add_run(store, "talk", "x", {name.removeprefix("scene of "): v for name, v in talks.items()},
            world="stss-talk", measure=TALKED, judge=RULES)  # fmt: skip
    goals = {"scene of walk": (0.2,), "scene of quiz": (0.5,), "scene of swap": (0.6,)}
    add_run(store, "town", "x", {**goals, "alone": (1.0,)}, world="stss", measure=OVERALL,
            judge=RULES)  # fmt: skip
    found = across(store, ["talk", "town"], {}, [stss.LEVELS])
    (one,) = found.levels
    # quiz 0.4, 0.5; swap 0.9, 0.6; walk 0.1, 0.2: ranks agree. Sums of products 0.15333, of squares
    # 0.32667 and 0.08667: r = 0.15333 / sqrt(0.32667 * 0.08667) = 0.91129.
    assert (one.spearman.n, one.spearman.value) == (3, 1)
    assert one.pearson.value == pytest.approx(0.91129, abs=1e-5)
    assert one.pearson.low is None
    words = " ".join(found.section.sentences)
    assert "without an interval" in words
    assert "x: conversations (talk, judge: rules) / outcomes in the town (town)" in words


def test_talks_without_reminders_say_nothing_of_a_town_with_them(store: Store) -> None:
    tasks = {"t1": (0.2,), "t2": (0.6,), "t3": (0.4,)}
    add_run(store, "talk", "x", tasks, world="stss-talk", measure=TALKED, judge=RULES)
    add_run(store, "town", "x", tasks, world="stss", measure=OVERALL, judge=RULES,
            world_settings={"tdp": "true"})  # fmt: skip
    assert across(store, ["talk", "town"], {}, [stss.LEVELS]).levels == ()


def test_a_run_is_not_named_twice(store: Store) -> None:
    add_run(store, "one", "a", {"t1": (2,)})
    with pytest.raises(ConfigError, match="expected each run once, found one more than once"):
        across(store, ["one", "one"], {})


def test_what_is_not_there_is_refused(store: Store) -> None:
    add_run(store, "one", "x", {"t": (1,)}, measure=GOAL)
    with pytest.raises(ConfigError, match='none of these runs is of "stss"'):
        across(store, ["one"], {"stss": "rules"})
    with pytest.raises(
        ConfigError, match='no judge "rules" scored sotopia; choose one of openai/judge'
    ):
        across(store, ["one"], {"sotopia": "rules"})
