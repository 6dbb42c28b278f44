"""Raters as a source of error wherever people's scores are analysed, and judges beside them."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import pytest
import scipy.stats
import statsmodels.api as sm

from analysis.goal_runs import Goals, Plays, add_run
from sociolab import Section, mean_of, result_of, values_of
from sociolab.analysis import (
    CompareRequest,
    agreements,
    compare_runs,
    rank_runs,
    ranking_section,
    run_variances,
)
from sociolab.analysis.judge_by_agent import (
    JudgedByAgent,
    biases,
    judge_by_agent,
    judge_by_agent_section,
)
from sociolab.analysis.ratings import PersonRating, RatedSeat, StoredRatings
from sociolab.analysis.variance_components import (
    Variances,
    variance_document,
    variance_section,
)
from sociolab.core import JudgeId, Measure, Score
from sociolab.report.formatting import NOTHING
from sociolab.stats import (
    Bins,
    JudgedPlay,
    RatedPlay,
    SeatScore,
    agreement_report,
    crossed_estimate,
    fit_bradley_terry,
    make_contests,
    mean,
)
from sociolab.stats.agreement import ItemRating
from sociolab.stats.crossed_raters import RatedEstimate
from sociolab.stats.raters import ceilings, for_other_raters, severities
from sociolab.store import Store

A, B, P = "lab/a", "lab/b", "lab/p"
PEOPLE = JudgeId("people", "people", "")
SCALE = Measure("goal", -100, 100, title="GOAL")
SCENARIOS, REPEATS, RATERS = 8, 2, 6


def scores(seed: int = 4) -> np.ndarray:
    """Of each scenario and repeat what each of six raters gave: all of them differ."""
    rng = np.random.default_rng(seed)
    scenario = rng.normal(0, 3, (SCENARIOS, 1, 1))
    repeat = rng.normal(0, 2, (SCENARIOS, REPEATS, 1))
    return (
        scenario + repeat + rng.normal(0, 4, RATERS) + rng.normal(size=(SCENARIOS, REPEATS, RATERS))
    )


def played(agent: str, given: np.ndarray) -> dict[str, Plays]:
    """The agent with one partner, whom everybody gives 0."""
    return {
        f"s{scenario}": {
            (agent, P): [[(float(value), 0.0) for value in repeat] for repeat in repeats]
        }
        for scenario, repeats in enumerate(given)
    }


def stored(folder: Path, *agents: tuple[str, np.ndarray]) -> Store:
    store = Store.open(folder / "rated.db")
    goals: dict[str, dict[tuple[str, str], list[list[Goals]]]] = {}
    for agent, given in agents:
        for task, plays in played(agent, given).items():
            goals.setdefault(task, {}).update(plays)  # type: ignore
    add_run(store, "r", goals, judges=(PEOPLE,), measure=SCALE)
    return store


def varied(store: Store) -> Variances:
    return run_variances(store, ["r"], ["people"], "goal")


def text(section: Section) -> str:
    return " ".join((*section.sentences, *section.cautions))


def test_raters_are_a_component_as_restricted_maximum_likelihood_has_it(tmp_path: Path) -> None:
    y = scores()
    with stored(tmp_path, (A, y)) as store:
        found = varied(store)
    one = next(one for one in found.agents if one.agent == A)
    at = [(s, p, r) for s in range(SCENARIOS) for p in range(REPEATS) for r in range(RATERS)]
    frame = pd.DataFrame(
        {
            "y": y.ravel(),
            "s": [f"s{s}" for s, _, _ in at],
            "e": [f"e{s}-{p}" for s, p, _ in at],
            "r": [f"r{r}" for _, _, r in at],
        }
    )
    parts = {"s": "0 + C(s)", "e": "0 + C(e)", "r": "0 + C(r)"}
    model = sm.MixedLM.from_formula("y ~ 1", frame, groups=np.ones(y.size), vc_formula=parts)
    fit = model.fit(reml=True)
    names = list(model.exog_vc.names)
    told = {part.factor: part.variance for part in one.parts}
    for ours, theirs in (("scenario", "s"), ("repeat", "e"), ("judge", "r")):
        assert told[ours] == pytest.approx(fit.vcomp[names.index(theirs)], rel=0.02)
    assert told["residual"] == pytest.approx(fit.scale, rel=0.02)


def test_the_advice_speaks_of_raters_and_how_many_of_them(tmp_path: Path) -> None:
    with stored(tmp_path, (A, scores())) as store:
        found = varied(store)
    section = variance_section(found)
    assert "across scenarios and raters in general" in text(section)
    assert "twice the raters" not in text(section)
    assert "More raters need no new episodes and help more here: twice" in text(section)
    assert "only one judge" not in text(section)
    assert "one rater" not in text(section)
    one = next(one for one in found.agents if one.agent == A)
    part = {each.factor: each.variance or 0.0 for each in one.parts}
    # Twice the scenarios, four times the raters: 16 scenarios, 32 plays, 24 raters, 192 ratings.
    error = math.sqrt(
        part["scenario"] / 16 + part["repeat"] / 32 + part["judge"] / 24 + part["residual"] / 192
    )
    plan = next(table for table in section.tables if table.heading.startswith("How many"))
    row = next(row for row in plan.rows if row[:3] == (A, "16", "32"))
    assert float(row[-1]) == pytest.approx(scipy.stats.t.ppf(0.975, 15) * error, abs=0.005)


def test_a_wanted_width_is_told_in_scenarios_episodes_and_raters(tmp_path: Path) -> None:
    with stored(tmp_path, (A, scores())) as store:
        found = varied(store)
    one = next(one for one in found.agents if one.agent == A)
    part = {each.factor: each.variance or 0.0 for each in one.parts}

    def half(scenarios: int, raters: int) -> float:
        """With two plays of each scenario, of which six people rate each."""
        variance = part["scenario"] / scenarios + part["repeat"] / (2 * scenarios)
        variance += part["judge"] / raters + part["residual"] / (12 * scenarios)
        return float(scipy.stats.t.ppf(0.975, min(scenarios, raters) - 1)) * math.sqrt(variance)

    wanted = half(30, 24) + 1e-6
    assert half(29, 24) > wanted
    assert half(800, 12) > wanted  # as many as are looked at
    table = variance_section(found, wanted).tables[0]
    rows = [row for row in table.rows if row[0] == A]
    assert rows == [(A, "6", NOTHING, NOTHING), (A, "12", NOTHING, NOTHING), (A, "24", "30", "60")]
    document = variance_document(found, wanted)["agents"][0]["needed"]
    assert document == [{"raters": 6}, {"raters": 12},
                        {"raters": 24, "scenarios": 30, "episodes": 60}]  # fmt: skip
    assert "needed" not in variance_document(found)["agents"][0]


def test_raters_who_agree_help_less_than_new_scenarios(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    alike = rng.normal(0, 5, (SCENARIOS, 1, 1)) + rng.normal(0, 0.1, (SCENARIOS, REPEATS, RATERS))
    with stored(tmp_path, (A, alike)) as store:
        told = text(variance_section(varied(store)))
    assert "Of new episodes, those in new scenarios help most. More raters" in told
    assert "help less here" in told


def test_raters_beside_a_model_judge_count_as_judges(tmp_path: Path) -> None:
    with stored(tmp_path, (A, scores())) as store:
        assert not any(
            "counts as a judge" in one for one in variance_section(varied(store)).cautions
        )
        for row in store.trials("r"):
            made = [Score(SCALE, "ann", len(row.trial.id)), Score(SCALE, "bob", 0.0)]
            store.verdicts.add("r", JudgeId("lab/judge", "model", "j"), made, trial=row.trial.id)
        section = variance_section(run_variances(store, ["r"], None, "goal"))
    assert any("Each of the 6 raters counts as a judge" in one for one in section.cautions)


def test_the_mean_in_a_report_has_an_interval_for_other_raters(tmp_path: Path) -> None:
    y = scores()
    with stored(tmp_path, (A, y)) as store:
        entries = result_of(store, "r").scores
        values = [one for one in values_of(store, "r").values if one.agent == A]
    entry = next(one for one in entries if one.agent == A and not one.by)
    plays = [
        RatedPlay(f"s{s}", tuple((f"#{i + 1}", value) for i, value in enumerate(y[s, p])))
        for s in range(SCENARIOS)
        for p in range(REPEATS)
    ]
    found = crossed_estimate(plays)
    alone = mean([float(y[s, p].mean()) for s in range(8) for p in range(2)],
                 [f"s{s}" for s in range(8) for p in range(2)])  # fmt: skip
    assert entry.interval == "crossed"
    assert (entry.value, entry.low, entry.high) == pytest.approx(
        (found.value, found.low, found.high), rel=1e-6
    )
    assert (entry.high or 0) - (entry.low or 0) > 1.2 * ((alone.high or 0) - (alone.low or 0))
    assert mean_of(values).low == pytest.approx(found.low)


def test_comparing_agents_that_the_same_people_rated_says_for_whom_it_holds(tmp_path: Path) -> None:
    y = scores()
    better = y + np.random.default_rng(1).normal(2, 1, (SCENARIOS, REPEATS, 1))
    with stored(tmp_path, (A, better), (B, y)) as store:
        found = compare_runs(store, CompareRequest(("r",), A, B, judge="people"))
    assert found.comparison is not None
    test = found.comparison.metrics["goal"].test
    assert isinstance(test.difference, RatedEstimate)
    assert test.difference.method == "model"
    assert test.difference.raters == RATERS
    # All raters rated all plays: nothing to adjust for. Each repeat was better by some of its own.
    gaps = (better - y).mean(axis=2)
    assert test.difference.value == pytest.approx(gaps.mean())
    assert test.difference.error == pytest.approx(gaps.std(ddof=1) / 4, rel=0.3)
    assert test.holm_p is not None
    assert test.holm_p < 0.01
    section = found.sections[0]
    assert "adjusted for how severe the raters (6) of either side are" in text(section)
    assert any("t-test in a mixed model with raters" in note for note in section.tables[0].notes)


def test_two_raters_are_told_to_be_too_few(tmp_path: Path) -> None:
    y = scores()[:, :, :2]
    with stored(tmp_path, (A, y + 1), (B, y)) as store:
        found = compare_runs(store, CompareRequest(("r",), A, B, judge="people"))
        ranked = text(ranking_section(rank_runs(store, ["r"], "people", "goal")))
    assert "for these raters only" in text(found.sections[0])
    assert "for these raters only" in ranked


def test_a_rating_of_agents_resamples_the_raters(tmp_path: Path) -> None:
    y = scores()
    lucky = y + np.random.default_rng(1).normal(1, 1, y.shape)
    with stored(tmp_path, (A, lucky), (B, y)) as store:
        found = rank_runs(store, ["r"], "people", "goal")
    assert found.ratings.raters == RATERS
    notes = [note for table in ranking_section(found).tables for note in table.notes]
    assert any("and raters (6)" in note for note in notes)


def test_an_order_that_one_severe_rater_makes_is_seldom_called_settled() -> None:
    wrong: dict[bool, int] = {True: 0, False: 0}
    for seed in range(60):
        rng = np.random.default_rng(seed)
        severity = rng.normal(0, 2, 8)
        rows = []
        for agent, often in (("a", (0, 1)), ("b", (2, 3))):
            for task in range(24):
                raters = {int(rng.choice(often)), int(rng.integers(8))}
                given = tuple((f"r{r}", severity[r] + rng.normal()) for r in raters)
                value = sum(score for _, score in given) / len(given)
                place = (agent, f"t{task}", "ann", "p", f"{agent} {task}", f"t{task}")
                rows.append(SeatScore(*place, value, given))
        for known in (True, False):
            some = rows if known else [row._replace(ratings=()) for row in rows]
            found = fit_bradley_terry(make_contests(some).comparisons, resamples=200)
            for pair in found.neighbours:
                wrong[known] += (pair.flipped or 0.0) < found.tails[1]
    assert wrong[False] > 15
    assert wrong[True] <= 6


def judged(rng: np.random.Generator, planted: float) -> JudgedByAgent:
    """Four agents, 24 plays each in 12 scenarios, two of 10 raters; the judge is `planted` too high
    for one agent."""
    severity = rng.normal(0, 1, 10)
    plays: dict[str, list[JudgedPlay]] = {}
    for agent in range(4):
        mine = plays.setdefault(f"agent-{agent}", [])
        for play in range(24):
            truth = rng.normal(5, 2)
            given = tuple(
                (f"r{r}", truth + severity[r] + rng.normal())
                for r in rng.choice(10, 2, replace=False)
            )
            judge = truth + 1 + planted * (agent == 0) + rng.normal()
            mine.append(JudgedPlay(f"s{play % 12}", judge, given))
    return {"goal": plays}


def test_two_points_for_one_agent_are_warned_of_and_nothing_is_not() -> None:
    rng = np.random.default_rng(6)
    warned = {
        planted: [
            [one.agent for one in biases("judge", judged(rng, planted)) if one.differs]
            for _ in range(150)
        ]
        for planted in (0.0, 2.0)
    }
    assert np.mean([bool(agents) for agents in warned[0.0]]) <= 0.05
    assert np.mean(["agent-0" in agents for agents in warned[2.0]]) >= 0.95


def test_a_bias_for_one_agent_is_on_the_first_page_of_agree(tmp_path: Path) -> None:
    y = scores() / 10
    with stored(tmp_path, (A, y), (B, y + 0.5)) as store:
        for row in store.trials("r"):
            trial = row.trial
            people = [
                float(verdict.verdict.value)
                for verdict in store.verdicts.scores("r", PEOPLE)
                if verdict.trial == trial.id
                and isinstance(verdict.verdict, Score)
                and verdict.verdict.seat == "ann"
            ]
            judge = sum(people) / len(people) + 2 * (trial.agent("ann") == A)
            judge += 0.1 * (int(trial.task.id[1:]) % 3 + trial.repeat)
            said = [Score(SCALE, "ann", judge), Score(SCALE, "bob", 0.0)]
            store.verdicts.add("r", JudgeId("lab/judge", "model", "j"), said, trial=trial.id)
        found = agreements(store, ["r"])
    first = found.sections[0]
    assert first.title == "Judge minus people: lab/judge"
    (caution,) = [one for one in first.cautions if f"bias for {A} " in one]
    assert "GOAL +2." in caution
    assert [cells[2] for cells in first.tables[0].rows if cells[1] == A] == ["16"]
    assert any(
        figure["figure"] == "bias" and figure["group"] == f"agent {A}" for figure in found.rows()
    )
    (cell,) = [one for one in found.report.judges if one.group is None]
    assert cell.spread.bias.method == "crossed"


def ratings(rows: list[tuple[str, str, float]]) -> list[ItemRating]:
    return [ItemRating(item, rater, "goal", value, item, "models") for item, rater, value in rows]


def test_severity_is_the_distance_from_the_others_of_the_same_plays() -> None:
    rows = ratings([("x", "ann", 3), ("x", "bob", 5), ("y", "ann", 4), ("y", "cid", 8),
                    ("z", "bob", 1)])  # fmt: skip
    found = {one.rater: one for one in severities(rows)}
    assert (found["ann"].mean, found["ann"].deviation, found["ann"].shared) == (3.5, -3.0, 2)
    assert (found["bob"].mean, found["bob"].deviation, found["bob"].ratings) == (3.0, 2.0, 2)


def test_the_r_of_two_raters_and_the_ceiling_worked_by_hand() -> None:
    given = {"x": (1.0, 2.0), "y": (4.0, 6.0), "z": (5.0, 5.0)}
    rows = ratings([(item, who, value) for item, two in given.items()
                    for who, value in zip("ab", two, strict=True)])  # fmt: skip
    (found,) = ceilings(rows)
    ones = [a for a, _ in given.values()] + [b for _, b in given.values()]
    twos = [b for _, b in given.values()] + [a for a, _ in given.values()]
    r = float(scipy.stats.pearsonr(ones, twos).statistic)
    assert found.pair == pytest.approx(r)
    assert found.ceiling == pytest.approx(math.sqrt(2 * r / (1 + r)))


def test_a_judge_that_knows_the_truth_reaches_the_ceiling() -> None:
    rng = np.random.default_rng(2)
    truth = rng.normal(size=3000)
    given = truth[:, None] + rng.normal(0, 0.8, (3000, 3))
    rows = ratings([(str(i), f"r{j}", given[i, j]) for i in range(3000) for j in range(3)])
    (found,) = ceilings(rows)
    reached = float(np.corrcoef(truth, given.mean(axis=1))[0, 1])
    assert found.ceiling == pytest.approx(reached, abs=0.01)


def test_the_interval_of_r_adds_the_jackknife_over_raters_on_fishers_z() -> None:
    rng = np.random.default_rng(8)
    truth = rng.normal(5, 1.5, 24).clip(1, 9)
    severity = rng.normal(0, 1, 5)
    given = {
        i: {
            f"r{r}": float(np.clip(truth[i] + severity[r] + rng.normal(), 0, 10))
            for r in (i % 5, (i + 2) % 5)
        }
        for i in range(24)
    }
    judge = [float(value) for value in np.clip(truth + rng.normal(0, 1, 24), 0, 10)]
    rows = [
        ItemRating(str(i), who, "goal", value, f"s{i % 8}", "models")
        for i, both in given.items()
        for who, value in both.items()
    ]
    said = [ItemRating(str(i), "j", "goal", judge[i], f"s{i % 8}", "models") for i in given]
    report = agreement_report(rows, said, {"goal": (0, 10)})
    cells = for_other_raters(report.judges, rows, said, {"goal": Bins(0, 10, 5)})
    fixed, found = (next(c for c in some if c.group is None) for some in (report.judges, cells))
    zs = []
    for left in range(5):
        kept = {i: [v for who, v in both.items() if who != f"r{left}"] for i, both in given.items()}
        pairs = [(judge[i], sum(some) / len(some)) for i, some in kept.items() if some]
        zs.append(math.atanh(float(scipy.stats.pearsonr(*zip(*pairs, strict=True)).statistic)))
    over_raters = 4 / 5 * float(((np.array(zs) - np.mean(zs)) ** 2).sum())
    ends = [math.atanh(end or 0.0) for end in (fixed.pearson.low, fixed.pearson.high)]
    over_scenarios = (ends[1] - ends[0]) / 2 / scipy.stats.t.ppf(0.975, 7)
    half = scipy.stats.t.ppf(0.975, 4) * math.sqrt(over_scenarios**2 + over_raters)
    middle = math.atanh(fixed.pearson.value or 0.0)
    assert found.pearson.value == fixed.pearson.value
    assert found.pearson.low == pytest.approx(math.tanh(middle - half))
    assert found.pearson.high == pytest.approx(math.tanh(middle + half))
    assert (found.spearman.high or 0) - (found.spearman.low or 0) > (
        (fixed.spearman.high or 0) - (fixed.spearman.low or 0)
    )


def test_means_of_few_ratings_are_corrected_on_the_page_with_what_the_judge_saves(
    tmp_path: Path,
) -> None:
    rng = np.random.default_rng(3)
    y = scores(9) * 4
    with stored(tmp_path, (A, y)) as store:
        add_run(store, "unrated", played(A, scores(10)), judges=(), measure=SCALE)
        truth = {row.trial.id: 0.0 for row in store.trials("unrated")}
        for verdict in store.verdicts.scores("r", PEOPLE):
            said = verdict.verdict
            if verdict.trial and isinstance(said, Score) and said.seat == "ann":
                truth.setdefault(verdict.trial, 0.0)
                truth[verdict.trial] += float(said.value) / RATERS
        for run in ("r", "unrated"):
            for row in store.trials(run):
                judge = max(-100.0, min(100.0, truth[row.trial.id] + 5 + rng.normal(0, 2)))
                made = [Score(SCALE, "ann", judge), Score(SCALE, "bob", 0.0)]
                store.verdicts.add(
                    run, JudgeId("lab/judge", "model", "j"), made, trial=row.trial.id
                )
        found = agreements(store, ["r", "unrated"])
    (one,) = [one for one in found.by_agent[0].corrected if one.agents == (A,)]
    assert one.found.people.n == 16
    assert one.found.judge.n == 32
    table = next(t for t in found.sections[0].tables if t.heading.endswith("(PPI++)"))
    (cells,) = [cells for cells in table.rows if cells[1] == A]
    assert cells[2] == "16 of 32"
    assert cells[-1] == f"{one.found.saved:,.0f}"
    ends = [getattr(each, end) for each in (one.found.people, one.found.corrected)
            for end in ("low", "high")]  # fmt: skip
    assert all(-100 <= (end or 0.0) <= 100 for end in ends)


def test_a_rated_agent_without_a_corrected_mean_is_named_with_the_reason() -> None:
    plays = {A: 12, B: 12, P: 4}  # one a scenario; P has too few, of B all are rated
    people = tuple(
        PersonRating(f"r {agent} {i}", "ann", "goal", i % 3, f"s{i}", "models")
        for agent, number in plays.items()
        for i in range(number if agent == B else min(number, 6))
    )
    judged = tuple(
        ItemRating(f"r {agent} {i}", "j", "goal", i % 4, f"s{i}", "models")
        for agent in plays
        for i in range(12)
    )
    ratings = StoredRatings(
        ("r",), {}, people, judged, (SCALE,), {"j": JudgeId("j", "model")}, ("people",),
        seats={row.item: RatedSeat("r", row.item, "ann", row.item.split(" ")[1], row.cluster,
                                   "models") for row in judged},
    )  # fmt: skip
    section = judge_by_agent_section(ratings, judge_by_agent(ratings, "j"))
    table = next(table for table in section.tables if table.heading.endswith("(PPI++)"))
    assert [cells[1] for cells in table.rows] == [A]
    assert table.notes[-2:] == (
        f"left out: {B} (unrated seats in fewer than 5 situations)",
        f"left out: {P} (rated seats in fewer than 5 situations)",
    )
