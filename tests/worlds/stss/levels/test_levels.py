"""Both levels of STSS side by side: figures counted by hand, and how they read."""

from __future__ import annotations

import pytest

from sociolab import Section
from sociolab.store import Store
from sociolab.worlds import stss
from worlds.stss.levels.levels_runs import (
    AGENT,
    STRICT,
    STRONGER,
    TALK,
    TOWN,
    talks,
    town,
)

DONE, UNMET, UNTOLD, LOST, IDLE = stss.OUTCOMES


def by_rules(store: Store) -> stss.AgentLevels:
    return next(
        one for one in stss.read_levels(store, TALK, TOWN).agents if one.judge == "recorded"
    )


def section(store: Store, judge: str = "recorded") -> Section:
    found = stss.read_levels(store, TALK, TOWN)
    return next(stss.levels_section(found, one) for one in found.agents if one.judge == judge)


# ------------------------------------------------------------------ figures


def test_talks_and_goals_are_those_counted_by_hand(both: Store) -> None:
    found = {
        row.type: {name: entry.value for name, entry in row.scores.items()}
        for row in by_rules(both).rows
    }
    half, third = 1 / 2, pytest.approx(1 / 3)
    assert found == {
        "public-activity": {
            "conversation_sr": half,
            "conversation_gcsr": pytest.approx(2 / 3),  # (1 + 1/3) / 2
            "summary_sr": half,
            "summary_gcsr": half,
            "overall": third,
        },
        "appointment": {
            "conversation_sr": 0,
            "conversation_gcsr": 0,
            "summary_sr": 0,
            "summary_gcsr": 0,
            "overall": 0,
        },
        "online-activity": {"overall": None},
        "all": {
            "conversation_sr": third,
            "conversation_gcsr": pytest.approx(4 / 9),  # (1 + 1/3 + 0) / 3
            "summary_sr": third,
            "summary_gcsr": third,
            "overall": pytest.approx(1 / 6),  # (1/3 + 0) / 2
        },
    }


def test_losses_are_counted_by_type_and_what_was_not_lived_is_left_out(both: Store) -> None:
    found = {row.type: (dict(row.fates), row.required, row.left_out) for row in by_rules(both).rows}
    assert found == {
        "public-activity": ({DONE: 1, UNMET: 2, UNTOLD: 1, LOST: 0, IDLE: 1}, 3, 0),
        "appointment": ({DONE: 0, UNMET: 0, UNTOLD: 1, LOST: 0, IDLE: 0}, 1, 0),
        "online-activity": ({}, 0, 1),
        "all": ({DONE: 1, UNMET: 2, UNTOLD: 2, LOST: 0, IDLE: 1}, 4, 1),
    }


def test_each_judge_of_the_talks_has_its_rows_and_only_shared_agents_have_any(
    both: Store,
) -> None:
    found = stss.read_levels(both, TALK, TOWN)
    assert [(one.agent, one.judge) for one in found.agents] == [
        (AGENT, STRICT.name),
        (AGENT, "recorded"),
    ]
    assert STRONGER in found.talk.agents
    strict = found.agents[0].rows[-1].scores
    assert strict["conversation_gcsr"].value == 0
    assert strict["overall"].value == pytest.approx(1 / 6)


def test_where_nobody_says_what_was_conveyed_there_are_no_losses_but_a_sentence(
    store: Store,
) -> None:
    talks(store)
    town(store, acts=False)
    (found,) = (
        one for one in stss.read_levels(store, TALK, TOWN).agents if one.judge == "recorded"
    )
    assert found.read_by == ""
    assert not found.rows[-1].fates
    assert found.rows[-1].left_out == 3
    said = section(store)
    assert len(said.tables) == 3
    assert any("--judge openai/MODEL" in caution for caution in said.cautions)


# ------------------------------------------------------------------ as it reads


def test_the_sentences_say_the_figures(both: Store) -> None:
    assert section(both).sentences == (
        "In conversation the agent conveys 44 % of what it must convey; in the simulation its "
        "tasks reach 17 % of their goals.",
        "1 of 6 eligible residents attended; the goals ask for 4. Of the rest, 2 never spoke to "
        "the performer, 2 were not told everything, 0 did not retain everything, and 1 did but "
        "did not act on it.",
    )
    assert (
        section(both)
        .cautions[0]
        .startswith("scripted is a smoke test: rule-based residents; these figures are a baseline")
    )
    assert section(both).cautions[-1] == (
        "Why people did not attend is unknown for 1 episode of lived."
    )


def test_the_tables_show_the_rows_and_no_interval_passes_the_scale(both: Store) -> None:
    talked, kept, lived, lost = section(both).tables
    assert talked.rows[0] == ("public-activity", "0.50", "0.67", "2", "0", "1")
    assert talked.rows[-1] == ("all", "0.33 [0.01, 0.89]", "0.44 [0.01, 0.91]", "3", "0", "2")
    assert kept.rows[-1] == ("all", "0.33 [0.01, 0.89]", "0.33 [0.01, 0.89]", "3", "0", "2")
    assert lived.rows[2:] == (
        ("online-activity", "\N{EN DASH}", "0", "1"),
        ("all", "0.17 [0.00, 0.87]", "2", "1"),
    )
    assert lost.columns[3:] == ("attended", *stss.OUTCOMES[1:])
    assert lost.rows[0] == ("public-activity", "5", "3", "1", "2", "1", "0", "1")
    assert lost.rows[-1] == ("all", "6", "4", "1", "2", "2", "0", "1")
    # Half of the tasks lie at 0, so that each interval is made for that end.
    assert not any("truncated" in " ".join(table.notes) for table in (talked, kept, lived))


def test_a_judge_that_gives_one_measure_has_its_talks_counted(both: Store) -> None:
    talked, kept, *_ = section(both, STRICT.name).tables
    assert talked.rows[0] == ("public-activity", "\N{EN DASH}", "0.00", "2", "0", "1")
    assert kept.rows[0] == ("public-activity", "\N{EN DASH}", "\N{EN DASH}", "0", "0", "0")
