"""The headline of the gap: agents beside people and controls, on play cut at its checks."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from random import Random

import pytest

from sociolab.core import ConfigError
from sociolab.report.formatting import NOTHING
from sociolab.worlds import anteval
from sociolab.worlds.anteval.gap import GapTable
from sociolab.worlds.anteval.gap_intervals import DMScores, Gap, GapDifference, GapFigure
from sociolab.worlds.anteval.gap_ladder import CONTROLS, Kind, Ladder, Rung, reweighted
from sociolab.worlds.anteval.gap_tables import gap_sections
from sociolab.worlds.anteval.virtual_dm.example import FScores
from sociolab.worlds.anteval.virtual_dm.linear import LinearDM

TABLE = ("Orsa", "Tilin", "Bram")
WORDS = {
    "stealth": "hide behind the barrels and creep past the guard",
    "perception": "listen at the door and look about the hall",
    "arcana": "read the glowing runes upon the altar",
}
SHARES = {"stealth": 0.3, "perception": 0.6, "arcana": 0.1}


def scenes(
    count: int, prefix: str, *, clear: float = 1.0, shares: Mapping[str, float] = SHARES
) -> list[anteval.Example]:
    """Each ends with a character who makes a check; with the chance `clear` the words say which."""
    chance = Random(prefix)
    rows = []
    for number in range(count):
        skill = chance.choices(list(shares), list(shares.values()))[0]
        who, other = chance.sample(TABLE, 2)
        shown = skill if chance.random() < clear else chance.choice(list(WORDS))
        turns = (
            anteval.Turn("DM", "The hall is dark."),
            anteval.Turn(other, "What now?"),
            anteval.Turn(who, f"I {WORDS[shown]}."),
        )
        labels = frozenset({anteval.Label(who, skill)})
        group = f"{prefix} {number // 10}"
        rows.append(anteval.Example(f"{prefix}/{number}", group, turns, TABLE, labels))
    return rows


def ladder_of(
    agents: Mapping[str, Sequence[anteval.Example]], real: Sequence[anteval.Example] = ()
) -> Ladder:
    table = asyncio.run(
        anteval.measure_gap(
            real or scenes(300, "real", clear=0.9),
            scenes(100, "test", clear=0.9),
            agents,
            lambda: anteval.LocalDM(LinearDM()),
            cut={
                name: anteval.CutPlay(tuple(some), 600, len(some)) for name, some in agents.items()
            },
            settings=anteval.GapSettings(refits=6),
        )
    )
    assert table.ladder is not None
    return table.ladder


@pytest.fixture(scope="module")
def ladder() -> Ladder:
    """An agent whose words are as clear as people's, one whose words say half the time another."""
    return ladder_of({"vague": scenes(200, "v", clear=0.2), "plain": scenes(200, "p", clear=0.9)})


def test_people_rank_above_every_control_and_agents_stand_where_their_words_put_them(
    ladder: Ladder,
) -> None:
    (people,) = ladder.of("people")
    controls = ladder.of("control")
    assert {rung.name for rung in controls} == {
        "words deleted", "skills shuffled", "stated intention", "small talk",
    }  # fmt: skip
    assert all(rung.surely_behind for rung in controls)
    assert people.signed == pytest.approx(0, abs=5)
    assert [rung.name for rung in ladder.of("agent")] == ["plain", "vague"]
    assert [rung.name for rung in ladder.rungs][:3] == ["real play", "vague", "plain"]


def test_steps_are_the_differences_of_neighbours(ladder: Ladder) -> None:
    (step,) = ladder.steps
    plain, vague = ladder.of("agent")
    assert (step.one, step.other) == ("plain", "vague")
    (people,) = ladder.of("people")
    assert step.p_o is not None
    assert vague.behind is not None
    assert plain.signed is not None
    assert vague.signed is not None
    assert people.signed is not None
    assert step.g_o.value == pytest.approx(plain.signed - vague.signed)
    assert vague.behind.value == pytest.approx(vague.signed - people.signed)


def test_everybody_is_learned_from_by_the_same_number_of_labels() -> None:
    """Real play has 300 labels, half of which are people's 150; an agent has 40."""
    ladder = ladder_of({"few": scenes(40, "f")})
    assert ladder.labels <= 40
    (few,) = ladder.of("agent")
    assert (few.sessions, few.assigned, few.shown) == (600, 40, 40)
    assert few.kept == ladder.labels


def test_g_c_of_cut_play_says_nothing(ladder: Ladder) -> None:
    for rung in ladder.rungs:
        assert rung.g_c.signed.value == pytest.approx(0, abs=3)


def test_play_is_thinned_to_skills_as_frequent_as_in_real_play_by_hand() -> None:
    """90 labels, 30 of each skill, wanted as .6, .3, .1. Of 54 labels perception is to have 32.4,
    2.4 more than there are, which is 4.4 % of 54; of 55 it lacks 3, which is 5.5 %. So it is 54:
    30, 16 and 5 are kept."""
    even = dict.fromkeys(WORDS, 1.0)
    rows = scenes(400, "even", shares=even)
    by_skill = {
        skill: [row for row in rows if next(iter(row.labels)).skill == skill][:30]
        for skill in WORDS
    }
    every = [row for some in by_skill.values() for row in some]
    kept = reweighted(every, SHARES, seed=0)
    counts = Counter(next(iter(row.labels)).skill for row in kept)
    assert counts == {"perception": 30, "stealth": 16, "arcana": 5}
    assert [row for row in every if row in kept] == list(kept), "in their own order"
    assert reweighted(every, {"history": 1.0}, seed=0) == ()
    one = reweighted(every, {"arcana": 0.1, "history": 0.9}, seed=0)
    assert {label.skill for row in one for label in row.labels} == {"arcana"}
    assert len(one) == 30, "what nobody shows is left out of account"


def test_skills_as_frequent_as_in_real_play_already_are_kept() -> None:
    rows = scenes(400, "same")
    counts = Counter(next(iter(row.labels)).skill for row in rows)
    shares = {skill: count / 400 for skill, count in counts.items()}
    assert reweighted(rows, shares, seed=0) == tuple(rows)


def test_controls_keep_who_speaks_and_lose_what_is_meant() -> None:
    rows = scenes(50, "c")
    made = {name: spoil(rows, 0) for name, spoil in CONTROLS.items()}
    for name, some in made.items():
        speakers = [turn.speaker for row in some for turn in row.turns]
        if name != "stated intention":
            assert speakers == [turn.speaker for row in rows for turn in row.turns], name
    assert {turn.text for row in made["words deleted"] for turn in row.turns} == {"Hm."}
    shuffled = [next(iter(row.labels)) for row in made["skills shuffled"]]
    own = [next(iter(row.labels)) for row in rows]
    assert [label.character for label in shuffled] == [label.character for label in own]
    assert Counter(label.skill for label in shuffled) == Counter(label.skill for label in own)
    assert shuffled != own
    stated = made["stated intention"][0]
    label = next(iter(stated.labels))
    assert {turn.text for turn in stated.turns[:-1]} == {"That sounds good to me."}
    assert stated.turns[-1] == anteval.Turn(label.character, f"I want to use {label.skill} now.")
    talk = {turn.text for row in made["small talk"] for turn in row.turns}
    assert len(talk) > 3
    assert not any("{" in text for text in talk)


def test_one_real_episode_cannot_be_people_and_teacher() -> None:
    with pytest.raises(ConfigError, match="at least 2 real episodes"):
        ladder_of({"one": scenes(20, "o")}, real=scenes(10, "real"))


def test_without_refits_or_cut_play_there_is_no_ladder() -> None:
    costly, unmarked = table_of(0, a=scenes(20, "a")), table_of(2, a=())
    assert costly.ladder is unmarked.ladder is None
    assert "it cannot be determined whether real play ranks above the controls" in said(costly)
    assert "play with --set marks=true" in said(unmarked)


def table_of(refits: int, **cut: Sequence[anteval.Example]) -> GapTable:
    """What is measured of agents who play alike, of whose play this is cut at its checks."""
    return asyncio.run(
        anteval.measure_gap(
            scenes(40, "real"),
            scenes(20, "test"),
            {name: scenes(20, name) for name in cut},
            lambda: anteval.LocalDM(LinearDM()),
            cut={name: anteval.CutPlay(tuple(some), 600, 20) for name, some in cut.items()},
            settings=anteval.GapSettings(refits=refits),
        )
    )


def test_marked_play_of_other_skills_is_not_called_unmarked() -> None:
    other = [
        replace(
            row, labels=frozenset(anteval.Label(one.character, "history") for one in row.labels)
        )
        for row in scenes(20, "o")
    ]
    alone = table_of(2, o=other)
    assert alone.ladder is None
    assert "no ranking of agents: no marked move shows a skill that is in the real" in said(alone)
    assert "marks=true" not in said(alone)
    beside = said(table_of(2, a=scenes(20, "a"), o=other, u=()))
    assert "o is not in this table: none of its marked moves shows a skill" in beside
    assert "u is not in this table: no move is marked" in beside


# ------------------------------------------------------------------ the verdict, on ladders by hand


def rung(
    name: str,
    kind: Kind,
    g_o: float | None,
    behind: tuple[float, float] | None,
    sessions: int = 600,
) -> Rung:
    figure = GapFigure(None) if g_o is None else GapFigure(float(g_o), g_o - 5, g_o + 5)
    scores = DMScores(figure, figure, figure, FScores(0.1, 0.1, 0.1))
    ends = behind or (None, None)
    return Rung(
        name=name,
        kind=kind,
        fg=scores,
        g_c=Gap(GapFigure(1.0), GapFigure(1.0)),
        g_o=Gap(figure, figure),
        behind=None if kind == "people" else GapFigure(g_o and g_o - 3, *ends),
        p=None if kind == "people" else 0.01,
        sessions=sessions if kind == "agent" else None,
        assigned=900,
        shown=800,
        kept=700,
    )


def said(table: GapTable) -> str:
    return " ".join(
        text
        for section in gap_sections(table, "real play", ())
        for text in (*section.sentences, *section.all_cautions)
    )


APART = GapFigure(-9.0, -15.0, -3.0)


def hand_made(
    *agents: Rung,
    control: tuple[float, float] = (5, 20),
    labels: int = 700,
    step: GapFigure = APART,
) -> GapTable:
    rungs = (
        rung("real play", "people", 3, None),
        *agents,
        rung("small talk", "control", 15, control),
    )
    names = sorted(one.name for one in agents)
    steps = tuple(
        GapDifference(one, other, GapFigure(0.0), step, 0.5, 0.01) for one, other in pairwise(names)
    )
    score = GapFigure(0.2)
    scores = DMScores(score, score, score, FScores(0.2, 0.2, 0.2))
    ladder = Ladder(labels, {"perception": 1.0}, scores, rungs, steps)
    return GapTable("linear", 100, 20, True, 1, True, 500, 12, None, scores, (), (), ladder, ())


def headline(table: GapTable) -> tuple[str, list[str], list[str]]:
    """The verdict, the rows of the first table, and the headings of all."""
    first = next(iter(gap_sections(table, "real play", ())))
    return (
        first.sentences[0],
        [row[0] for row in first.tables[0].rows],
        [each.heading for each in first.tables],
    )


def test_agents_are_put_in_order_nearest_to_people_first() -> None:
    table = hand_made(rung("b", "agent", 30, (10, 40)), rung("a", "agent", 8, (-2, 12)))
    verdict, rows, headings = headline(table)
    assert verdict == (
        "Closest to people's play first: a 8.0, b 30.0. People: real play 3.0. "
        "Controls: small talk 15.0."
    )
    assert rows == ["real play", "a", "small talk", "b"]
    assert headings[1] == "Each agent minus the next: G_o"
    order = next(iter(gap_sections(table, "real play", ()))).tables[1]
    assert order.rows[0][2] == "\N{MINUS SIGN}9.0 [\N{MINUS SIGN}15.0, \N{MINUS SIGN}3.0]"


def test_agents_whose_difference_may_be_0_are_not_told_apart() -> None:
    agents = rung("a", "agent", 8, (-2, 12)), rung("b", "agent", 9, (-1, 13))
    close, _, _ = headline(hand_made(*agents, step=GapFigure(-1.0, -7.0, 5.0)))
    assert close.startswith("Closest to people's play first: a 8.0 and b 9.0 (not told apart). ")
    unknown, _, _ = headline(hand_made(*agents, step=GapFigure(-1.0)))
    assert "(not told apart)" in unknown
    three = (*agents, rung("c", "agent", None, None))
    apart, rows, _ = headline(hand_made(*three))
    assert f"first: a 8.0, b 9.0, c {NOTHING}. People" in apart, (
        "without a figure, last and by itself"
    )
    assert rows[-1] == "c"
    joined, _, _ = headline(hand_made(*three, step=GapFigure(None)))
    assert f"first: a 8.0 and b 9.0 (not told apart), c {NOTHING}. People" in joined


def test_a_gap_that_is_not_defined_is_not_0() -> None:
    table = hand_made(rung("a", "agent", 8, (-2, 12)))
    assert table.ladder is not None
    *others, control = table.ladder.rungs
    silent = replace(control, g_c=Gap(GapFigure(None), GapFigure(None)))
    ladder = replace(table.ladder, rungs=(*others, silent))
    first = next(iter(gap_sections(replace(table, ladder=ladder), "real play", ())))
    assert f"(small talk {NOTHING})" in first.tables[0].notes[-1]


def unordered(table: GapTable) -> str:
    """The verdict of a ladder without an order; its agents stand as they were given."""
    verdict, _, headings = headline(table)
    assert verdict.startswith("No ranking of agents: ")
    assert len(headings) == 1
    return verdict


def test_fewer_than_600_sessions_or_labels_give_no_order() -> None:
    few = rung("b", "agent", 30, (10, 40), sessions=599)
    assert "b has 599 sessions, and a ranking needs 600 of each" in unordered(hand_made(few))
    enough = rung("b", "agent", 30, (10, 40))
    assert "599 labels are used for training" in unordered(hand_made(enough, labels=599))


def test_no_order_where_people_do_not_surely_rank_above_a_control() -> None:
    table = hand_made(rung("b", "agent", 30, (10, 40)), control=(-1.0, 25.0))
    assert "real play does not reliably rank above small talk (minus people's" in unordered(table)


def test_an_agent_better_than_people_is_flagged() -> None:
    """With the whole interval: one as good as people is ahead of them half the time."""
    chance = said(hand_made(rung("bot", "agent", -4, (-20, 6))))
    assert "better than people" not in chance
    assert "first: bot \N{MINUS SIGN}4.0. People" in chance
    table = hand_made(rung("bot", "agent", -14, (-30, -4)))
    assert "bot scores better than people (minus people's" in said(table)
    assert "a warning, not praise" in said(table)
    assert "first: no agent. People" in said(table), "a flagged agent leads no order"
    assert "better than people" not in said(hand_made(rung("b", "agent", 4, (-9, 11))))
