"""Ranking the agents of runs: worked by hand, and what cannot be rated."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

from analysis.goal_runs import DATA, GOAL, MODEL, SEATS, UNTOLD, Plays, add_run, settings
from declared_worlds import declared
from sociolab.analysis import RunValues, Value, pool_runs, rank_runs, ranking_section
from sociolab.analysis.rank import (
    PairRecord,
    Ranking,
    is_settled,
    points,
    ranking,
    ranking_document,
    rating_figure,
)
from sociolab.analysis.variance_components import variances
from sociolab.core import ConfigError, Declared, JudgeId, Measure, Unscored
from sociolab.stats.ranking import AdjacentModels
from sociolab.store import Store

A, B, P = "lab/a", "lab/b", "lab/p"


def met(a: float | None, b: float | None) -> Plays:
    """A and B sat in ann's seat with P, whose own goal is 5."""
    return {(A, P): [(a, 5)], (B, P): [(b, 5)]}


# A wins on three tasks, ties on one, loses on one: 3.5 wins to 1.5.
FIVE = {
    "one": met(7, 3),
    "two": met(8, 6),
    "three": met(9, 0),
    "four": met(4, 4),
    "five": met(2, 6),
}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.open(tmp_path / "ranking.db")


def ranked(store: Store, goals: dict[str, Plays], **given: object) -> Ranking:
    with store:
        add_run(store, "r", goals, **given)  # type: ignore[arg-type]
        return rank_runs(store, ["r"])


def test_two_agents_worked_by_hand(store: Store) -> None:
    # Two agents: the strengths differ by ln(3.5 / 1.5) = 0.8473, hence +-0.4236 = +-73.6 points.
    found = ranked(store, FIVE)
    first, second = found.ratings.models
    assert (first.model, second.model) == (A, B)
    assert points(first.strength) == pytest.approx(400 / math.log(10) * math.log(3.5 / 1.5) / 2)
    assert points(second.strength) == pytest.approx(-73.595, abs=1e-3)
    assert first.expected == pytest.approx(0.7)
    assert found.records == {(A, B): PairRecord(3, 1, 1), (B, A): PairRecord(1, 1, 3)}
    assert found.plays == {A: 5, B: 5, P: 10}
    # P met A and B in bob's seat, and nobody else met them there.
    assert (found.alone, found.compared.unmatched) == ((P,), 10)


def test_a_model_that_the_stand_in_endpoint_served_is_named(store: Store) -> None:
    with store:
        add_run(store, "r", FIVE)
        had = store.run("r").settings
        assert isinstance(had, dict)
        store.set_settings("r", {**had, "stand_ins": [A]})
        cautions = ranking_section(rank_runs(store, ["r"])).cautions
    assert f"{A} was served by the stand-in endpoint, not by a language model." in cautions


def test_the_seats_of_one_episode_are_never_compared(store: Store) -> None:
    goals: dict[str, Plays] = {task: {(A, B): [(9, 1)]} for task in FIVE}
    with pytest.raises(ConfigError, match="nothing can be ranked"):
        ranked(store, goals)


def test_agents_that_met_different_partners_are_not_compared(store: Store) -> None:
    goals: dict[str, Plays] = {
        task: {(A, P): [(9, 5)], (B, "lab/other"): [(1, 5)]} for task in FIVE
    }
    with pytest.raises(ConfigError, match="with the same partner in GOAL"):
        ranked(store, goals)


def test_whole_episodes_that_agents_played_alone_are_compared() -> None:
    def alone(run: str, agent: str, values: list[float]) -> RunValues:
        rows = tuple(
            Value(
                *(run, "anteval-information", f"{run}-{i}", f"t{i}", f"t{i}", None, 0),
                *(None, agent, agent, MODEL.name, GOAL.name, value),
            )
            for i, value in enumerate(values)
        )
        judges = {MODEL.name: MODEL}
        return RunValues(run, "anteval-information", rows, judges, {GOAL.name: GOAL})

    runs = [alone("one", A, [5, 6, 7]), alone("two", B, [4, 8, 7])]
    assert ranking(pool_runs(runs, None, GOAL.name)).records[A, B] == PairRecord(1, 1, 1)


def test_no_measure_takes_the_place_of_the_main_one_unasked() -> None:
    rows = (
        Value("one", "sotopia", "t-1", "t", "t", None, 0, "ann", A, P, MODEL.name, "guess", 1.0),
    )
    guess = replace(GOAL, name="guess")
    judges, measures = {MODEL.name: MODEL}, {"guess": guess}
    run = RunValues("one", "sotopia", rows, judges, measures, declared=declared("sotopia"))
    nothing = r"gave nothing in overall or goal_checked or goal in .*: guess"
    with pytest.raises(ConfigError, match=nothing):
        pool_runs([run], None, None)


def test_the_judge_of_the_declared_main_metric_leads_unasked() -> None:
    side = replace(MODEL, name="side")
    guess = replace(GOAL, name="guess")
    rows = tuple(
        Value(
            "one",
            "w",
            f"t-{i}",
            f"t{i}",
            f"t{i}",
            None,
            0,
            "ann",
            A,
            P,
            judge,
            metric,
            value,
            (value,),
        )
        for i, value in enumerate([3.0, 5.0])
        for judge, metric in ((side.name, "guess"), (MODEL.name, GOAL.name))
    )
    judges, metrics = {side.name: side, MODEL.name: MODEL}, {"guess": guess, GOAL.name: GOAL}
    run = RunValues("one", "w", rows, judges, metrics, declared=Declared(main=(GOAL.name,)))
    pool = pool_runs([run], None, None)
    assert (pool.judge, pool.measure) == (MODEL.name, GOAL)
    varying = variances([run], None, None)
    assert ([*varying.judges], varying.measure) == ([MODEL.name], GOAL)
    assert pool_runs([run], None, "guess").judge == side.name


def test_agents_whose_plays_all_tie_are_level_and_nothing_is_settled(store: Store) -> None:
    tied: dict[str, Plays] = {f"t{n}": {(A, P): [(5, 5)], (B, P): [(5, 5)]} for n in range(8)}
    section = ranking_section(ranked(store, tied))
    said = " ".join((section.verdict, *section.sentences))
    assert "are level with" in said
    assert "is settled" not in said


def test_a_setting_counts_once_however_often_it_was_repeated(store: Store) -> None:
    # On one task A has goals 7 and 2 against B's 5: half a win each way.
    goals = FIVE | {"six": {(A, P): [(7, 5), (2, 5)], (B, P): [(5, 5)]}}
    found = ranked(store, goals)
    assert found.records[A, B] == PairRecord(3.5, 1, 1.5)
    assert len(found.compared.comparisons) == 7


def test_an_agent_that_won_everything_has_no_rating_and_that_is_said(store: Store) -> None:
    found = ranked(store, {task: met(9, 1) for task in FIVE})
    assert [one.strength for one in found.ratings.models] == [None, None]
    section = ranking_section(found)
    told = " ".join(section.sentences)
    assert f"No rating for {A}: it won every comparison, and however high" in told
    assert f"No rating for {B}: it lost every comparison" in told
    assert any("groups" in caution for caution in section.cautions)
    assert section.figures == ()


def test_a_missing_score_is_no_loss_and_is_told(store: Store) -> None:
    found = ranked(store, FIVE | {"six": met(None, 9)})
    assert found.records[A, B] == PairRecord(3, 1, 1)
    assert found.missing == {A: 1}
    assert any(f"({A} 1)" in caution for caution in ranking_section(found).cautions)


def test_an_order_of_five_scenarios_is_not_settled(store: Store) -> None:
    # 3.5 to 1.5 over five scenarios: no single play turns it, but many resamples do.
    found = ranked(store, FIVE)
    (pair,) = found.ratings.neighbours
    assert not is_settled(found, pair)
    assert any(f"{A} above {B} is not robust" in said for said in ranking_section(found).sentences)


def test_episodes_that_would_turn_an_order_alone_are_counted(store: Store) -> None:
    # A's two plays of one goal 9 meet B's two goals in four comparisons of weight 1/4; elsewhere
    # B won once by a play that alone decides.
    goals = {"one": met(9, 0), "two": met(9, 0), "three": met(0, 9), "four": met(0, 9)}
    goals["five"] = {(A, P): [(9, 5), (9, 5)], (B, P): [(8, 5)]}
    found = ranked(store, goals)
    (pair,) = found.ratings.neighbours
    # 3 to 2. Without B's play on "five" it is 2 to 2, which does not turn it; with one of A's
    # plays fewer there, 2.5 to 2.
    assert (pair.above, pair.flipping_plays, pair.plays) == (A, 0, 11)


def test_an_order_of_forty_scenarios_is_settled(store: Store) -> None:
    goals = {f"t{i}": met(8, 3) if i % 10 else met(3, 8) for i in range(40)}
    found = ranked(store, goals)
    (pair,) = found.ratings.neighbours
    assert is_settled(found, pair)
    # t at 97.5 % with 39 degrees of freedom is 2.0227; times sqrt(40 / 39) it is 2.0485, and a
    # normal lies below -2.0485 in 2.03 % of cases.
    assert found.ratings.tails[1] == pytest.approx(0.0203, abs=1e-4)
    assert f"{A} above {B} is robust: no resample reverses it" in " ".join(
        ranking_section(found).sentences
    )


def test_an_order_that_hangs_on_one_episode_is_not_settled_whatever_resamples_say(
    store: Store,
) -> None:
    found = ranked(store, FIVE)
    assert is_settled(found, AdjacentModels(A, B, 0, 10, 0.0))
    assert not is_settled(found, AdjacentModels(A, B, 1, 10, 0.0))


def test_intervals_resample_scenarios_not_tasks(store: Store) -> None:
    found = ranked(store, FIVE, clusters=dict.fromkeys(FIVE, "the same"))
    assert found.ratings.models[0].low is None
    assert "fewer than 5 clusters" in found.ratings.models[0].note


def test_an_agent_of_other_settings_is_another_agent(store: Store) -> None:
    with store:
        add_run(store, "old", {task: {(A, P): [(3, 5)]} for task in FIVE})
        later = settings({A: "a2", P: "a1"})
        add_run(store, "new", {task: {(A, P): [(7, 5)]} for task in FIVE}, given=later)
        found = rank_runs(store, ["old", "new"])
    assert [one.model for one in found.ratings.models] == [f"{A}@a2", f"{A}@a1"]
    assert found.records[f"{A}@a2", f"{A}@a1"] == PairRecord(5, 0, 0)
    assert any("was not set up the same way" in note for note in found.pool.notes)


def test_runs_of_other_data_are_not_ranked_together(store: Store) -> None:
    with store:
        add_run(store, "old", FIVE)
        other = settings({A: "a1"}, ("by-hand", "2", "ffff"))
        add_run(store, "new", FIVE, given=other)
        with pytest.raises(ConfigError, match="the same data, found old by-hand 1"):
            rank_runs(store, ["old", "new"])


def test_the_main_measure_is_taken_unless_one_is_named(store: Store) -> None:
    overall = Measure("overall", -5, 10, title="Overall")
    with store:
        add_run(store, "r", FIVE, measure=overall)
        assert rank_runs(store, ["r"]).pool.measure == overall
        with pytest.raises(ConfigError, match=r'nothing in "goal".*it gave: overall'):
            rank_runs(store, ["r"], measure="goal")


def test_a_judge_by_rules_is_pointed_out(store: Store) -> None:
    found = ranked(store, FIVE, judges=[JudgeId("counting", "heuristic")])
    assert any("goes by rules" in caution for caution in ranking_section(found).cautions)


def test_its_document_holds_what_the_tables_show(store: Store) -> None:
    found = ranked(store, FIVE)
    document = ranking_document(found)
    assert document["measure"] == GOAL.name
    assert [agent["agent"] for agent in document["agents"]] == [A, B]
    assert document["agents"][0]["points"] == pytest.approx(73.595, abs=1e-3)
    assert document["records"][0] == {
        "agent": A,
        "against": B,
        "won": 3.0,
        "tied": 1.0,
        "lost": 1.0,
    }
    assert document["not_compared"] == [P]
    assert DATA[0] == "by-hand"


def test_a_lead_that_is_not_settled_is_not_called_one(store: Store) -> None:
    section = ranking_section(ranked(store, FIVE))
    said = " ".join((section.verdict, *section.sentences))
    assert "lab/a has the highest rating with +74 points" in said
    assert ", though the lead is not established; against lab/b" in said
    assert "ranks first" not in said


def test_a_settled_lead_is_called_one(store: Store) -> None:
    goals = {f"t{i}": met(3 if i % 8 == 0 else 9, 5) for i in range(40)}
    assert "lab/a ranks first with" in ranking_section(ranked(store, goals)).verdict


def test_a_run_is_not_ranked_with_itself(store: Store) -> None:
    with store:
        add_run(store, "r", FIVE)
        with pytest.raises(ConfigError, match="expected each run once, found r more than once"):
            rank_runs(store, ["r", "r"])


def open_(a: float, b: float, low: float = 0, high: float = 10) -> Plays:
    """As `met`, and a repeat in which nobody can tell A's score, which is within these bounds."""
    unknown = Unscored(GOAL, SEATS[0], "they differ", "disputed", low, high)
    return {(A, P): [(a, 5), (unknown, 5)], (B, P): [(b, 5), (b, 5)]}


def test_an_order_that_disputed_plays_could_turn_round_is_not_decided(store: Store) -> None:
    # A wins all but one, and half of its plays are disputed: if it lost them all its mean would be
    # (9 x 4 + 2 + 0 x 5) / 10 = 3.8, and B's is (5 x 4 + 6) / 5 = 5.2.
    goals = {f"t{n}": open_(9, 5) for n in range(4)} | {"t4": open_(2, 6)}
    found = ranked(store, goals)
    assert [one.model for one in found.ratings.models] == [A, B]
    assert found.plays[A] == 5  # no disputed play enters the strengths
    assert found.unscored == {A: 5}
    assert found.bounds[A] == pytest.approx((3.8, 8.8))
    assert found.bounds[B] == pytest.approx((5.2, 5.2))
    (pair,) = found.ratings.neighbours
    assert not is_settled(found, pair)
    said = " ".join(ranking_section(found).sentences)
    assert (
        f"{A} above {B} is undecided: outcomes that could not be established could reverse this "
        f"order. The mean GOAL of {A} lies between 3.80 and 8.80, that of {B} between 5.20 "
        "and 5.20."
    ) in said
    assert "ranks first" not in said
    assert ranking_document(found)["order"][0]["decided"] is False
    assert ranking_document(found)["agents"][0]["bounds"] == pytest.approx([3.8, 8.8])


def test_an_order_that_they_cannot_turn_round_stands(store: Store) -> None:
    goals = {f"t{n}": open_(9, 5, low=8, high=10) for n in range(4)} | {"t4": open_(4, 6, 6)}
    found = ranked(store, goals)
    assert found.bounds[A] == pytest.approx(((9 * 4 + 4 + 8 * 4 + 6) / 10, 9))  # 7.8
    assert "is not decided" not in " ".join(ranking_section(found).sentences)
    assert ranking_document(found)["order"][0]["decided"] is True


def test_where_nothing_could_be_scored_it_is_said_what_to_do(store: Store) -> None:
    goals: dict[str, Plays] = {"t": {(A, P): [(UNTOLD, UNTOLD)], (B, P): [(UNTOLD, UNTOLD)]}}
    with pytest.raises(ConfigError, match="2 episodes could not be scored: name another --judge"):
        ranked(store, goals)


def test_where_lower_is_better_the_lower_score_wins() -> None:
    """3 : 1 comparisons by the lower hallucination."""

    def values(agent: str, scores: list[float]) -> tuple[Value, ...]:
        return tuple(
            Value("r", "anteval-information", f"{agent}-{i}", f"t{i}", f"t{i}", None, 0, "ann",
                  agent, P, MODEL.name, "hallucination", score)
            for i, score in enumerate(scores)
        )  # fmt: skip

    rows = (*values(A, [0.1, 0.2, 0.0, 0.9]), *values(B, [0.3, 0.4, 0.5, 0.1]))
    measures = {"hallucination": Measure("hallucination", 0, 1, title="hallucinated")}
    run = RunValues(
        "r", "anteval-information", rows, {MODEL.name: MODEL}, measures,
        declared=declared("anteval-information"),
    )  # fmt: skip
    found = ranking(pool_runs([run], None, "hallucination"))
    assert [one.model for one in found.ratings.models] == [A, B]
    assert found.records[A, B] == PairRecord(3, 0, 1)
    section = ranking_section(found)
    assert "The lower hallucinated wins" in " ".join(section.sentences)
    assert "scores lower in hallucinated" in " ".join(section.cautions)


def test_the_figure_of_a_ranking_has_points_and_intervals(store: Store) -> None:
    (panel,) = rating_figure(ranked(store, FIVE))["vconcat"]
    assert panel["layer"][0]["encoding"]["x"]["title"] == "GOAL: Elo points"
    drawn = {one["row"]: one["value"] for one in panel["data"]["values"]}
    assert drawn == {A: pytest.approx(73.595, abs=1e-3), B: pytest.approx(-73.595, abs=1e-3)}
