"""Every number of the small run (see `small_run`), added up by hand."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from casts import seated
from declared_worlds import declared
from sociolab import RunResult, result_of
from sociolab.core import (
    CallKey,
    ChatReply,
    Ended,
    JudgeId,
    Measure,
    Message,
    Prompt,
    Score,
    ScoreFailure,
    StoreError,
    Unscored,
    Verdict,
)
from sociolab.report import ScoreEntry
from sociolab.stats import TRUNCATED_NOTE, t_quantile
from sociolab.store import RunReplies, Store

from .small_run import (
    ALPHA,
    CHECK,
    CHECKED,
    GOAL,
    HEURISTIC,
    RUN,
    SCRIPTED,
    TASKS,
    build,
    plan,
)

T2 = 4.302652729749464  # Student's t, 2 degrees of freedom, 97.5 %


def entry(
    result: RunResult,
    agent: str | None,
    measure: str,
    by: dict[str, str] | None = None,
    judge: str | None = None,
) -> ScoreEntry:
    found = [
        e
        for e in result.scores
        if (e.agent, e.measure, e.by) == (agent, measure, by or {}) and judge in (None, e.judge)
    ]
    assert len(found) == 1, found
    return found[0]


def absent(result: RunResult, agent: str, measure: str) -> bool:
    return not any((e.agent, e.measure) == (agent, measure) for e in result.scores)


def test_totals_are_over_both_parts_of_the_run(result: RunResult) -> None:
    assert (result.trials, result.played, result.failed) == (12, 11, 1)
    # ALPHA has 12 seats in the 11 played trials, each with one call, one of them with two.
    assert result.calls == 13
    assert (result.tokens.prompt, result.tokens.completion, result.tokens.cached) == (
        1300,
        130,
        650,
    )
    assert result.cost_usd == 0.026
    assert result.seconds == 15.0
    assert result.ends == {"left": 10, "turn limit": 1}
    assert result.agents == (ALPHA, SCRIPTED)
    assert (result.partner, result.seed, result.stopped) == (None, 7, "")


def test_everything_that_failed_is_counted_by_cause(result: RunResult) -> None:
    failures = result.failures
    assert failures.trials == {"plugin": 1}
    assert failures.turns == {"unreadable": 1}
    assert failures.replies_asked_again == 2  # noise-SS, and bike-SS which failed afterwards
    assert failures.scores == {"unreadable": 1}
    assert failures.calls == {"timeout": 1}


def test_mean_and_interval_over_all_plays_of_an_agent(result: RunResult) -> None:
    # ALPHA: sale 4 + 6 + 5 + 8 = 23, garage 6 + 6 + 7 + 9 = 28, stairs 8 + 10 + 9 + 10 = 37. The
    # mean of 7.33 with half of the interval, 4.41, passes 10, the end of the scale.
    goal = entry(result, ALPHA, "goal")
    assert goal.value == pytest.approx(88 / 12)
    assert (goal.n, goal.clusters, goal.failures, goal.unscored) == (12, 3, 0, 0)
    squares = sum((total - 4 * 88 / 12) ** 2 for total in (23, 28, 37))
    half = T2 * math.sqrt(3 / 2 * squares) / 12
    assert goal.low == pytest.approx(88 / 12 - half)
    assert goal.high == 10
    assert (goal.interval, goal.note) == ("t", TRUNCATED_NOTE)
    assert (goal.judge, goal.method) == ("heuristic", "heuristic")


def test_failed_scores_and_failed_trials_are_failures_and_no_values(result: RunResult) -> None:
    # SCRIPTED: sale 7 + 3 + 2 + 2 = 14, garage 1 (one failed score, two seats of a failed trial),
    # stairs 5 + 4 + 6 + 4 = 19.
    goal = entry(result, SCRIPTED, "goal")
    assert goal.value == pytest.approx(34 / 9)
    assert (goal.n, goal.clusters, goal.failures, goal.unscored) == (9, 3, 3, 0)
    # Weights 4/9, 1/9, 4/9; over 1 - w: 5/9 and 8/9. Freedom 1 / .68, and cut at 0.
    error = (((14 - 4 * 34 / 9) ** 2 + (19 - 4 * 34 / 9) ** 2) / 45 + (1 - 34 / 9) ** 2 / 72) ** 0.5
    high = 34 / 9 + t_quantile(0.975, 1 / 0.68) * error
    assert (goal.low, goal.high) == pytest.approx((0, high))
    assert (goal.interval, goal.note) == ("t", TRUNCATED_NOTE)


@pytest.mark.parametrize(
    ("agent", "partner", "values", "failures"),
    [
        (ALPHA, ALPHA, (4, 6, 6, 6, 8, 10), 0),
        (ALPHA, SCRIPTED, (5, 8, 7, 9, 9, 10), 0),
        (SCRIPTED, ALPHA, (7, 3, 1, 5, 4), 1),
        (SCRIPTED, SCRIPTED, (2, 2, 6, 4), 2),
    ],
)
def test_by_partner_both_seats_count(
    result: RunResult, agent: str, partner: str, values: tuple[int, ...], failures: int
) -> None:
    goal = entry(result, agent, "goal", {"partner": partner})
    assert goal.value == pytest.approx(sum(values) / len(values))
    assert (goal.n, goal.failures) == (len(values), failures)


def test_by_type_is_by_the_first_tag_of_the_task(result: RunResult) -> None:
    bargain = entry(result, ALPHA, "goal", {"type": "bargain"})
    assert (bargain.value, bargain.n, bargain.clusters) == (51 / 8, 8, 2)
    norms = entry(result, ALPHA, "goal", {"type": "norms"})
    assert (norms.value, norms.n) == (9.25, 4)
    assert (norms.interval, norms.note, norms.low, norms.high) == ("none", "1 cluster", None, None)
    assert {e.by["type"] for e in result.scores if "type" in e.by} == {"bargain", "norms"}


def test_what_is_not_established_counts_for_coverage_and_bounds_only(result: RunResult) -> None:
    alpha = entry(result, ALPHA, "goal_checked")
    assert (alpha.value, alpha.n, alpha.failures, alpha.unscored) == (5, 4, 0, 8)
    assert alpha.coverage == pytest.approx(4 / 12)
    scripted = entry(result, SCRIPTED, "goal_checked")
    assert (scripted.value, scripted.n, scripted.failures, scripted.unscored) == (5, 4, 2, 6)
    assert scripted.method == "formula"
    assert (alpha.disputed, alpha.unconfirmed, alpha.cannot_tell) == (4, 0, 4)
    # alpha's bike scores lie between 0 and 8, those of the noise anywhere: (20 + 4*8 + 4*10) / 12
    assert alpha.bounds == pytest.approx((20 / 12, 92 / 12))
    assert (scripted.disputed, scripted.unconfirmed, scripted.cannot_tell) == (2, 2, 2)
    # bike-SS failed: its two scores could be any, as those of the noise: (20 + 2*8 + 6*10) / 12
    assert scripted.bounds == pytest.approx((20 / 12, 96 / 12))
    goal = entry(result, ALPHA, "goal")
    assert goal.bounds == pytest.approx((goal.value, goal.value))


def test_what_was_never_scored_has_no_value(result: RunResult) -> None:
    found = entry(result, ALPHA, "believability")
    assert (found.value, found.n, found.unscored, found.clusters) == (None, 0, 12, 0)
    assert (found.interval, found.note) == ("none", "no values")


def test_scores_at_one_end_of_the_scale_have_the_interval_that_this_leaves(
    result: RunResult,
) -> None:
    found = entry(result, ALPHA, "social_rules")
    assert (found.value, found.n) == (0, 12)
    assert (found.interval, found.note) == ("end", "all clusters lie at one end of the scale")
    # On -10 to 0, by scenario: of fewer than 5 the pseudo-cluster at -10 weighs as much as they.
    assert found.clusters < 5
    assert found.low == pytest.approx(-10 * (1 - 0.025 ** (1 / found.clusters)))
    assert found.high == 0


def test_words_are_per_turn_with_words(result: RunResult) -> None:
    # ann speaks 3 words in one turn and bob 5; leaving and waving are turns without words.
    assert entry(result, ALPHA, "words_per_turn").value == 4  # 6 times ann, 6 times bob
    # SCRIPTED: ann in 2 x sale, 1 x garage, 2 x stairs; bob as often, but once without a word.
    words = entry(result, SCRIPTED, "words_per_turn")
    assert words.value == pytest.approx((5 * 3 + 4 * 5) / 9)
    assert (words.n, words.unscored, words.failures) == (9, 1, 0)
    assert (words.judge, words.method) == ("transcript", "rules")


def test_turns_are_of_the_episode_and_failed_turns_of_the_seat(result: RunResult) -> None:
    # Every episode has 3 turns, lamp-AS 2 and a failed one of bob's.
    assert entry(result, ALPHA, "turns").value == pytest.approx((11 * 3 + 2) / 12)
    assert entry(result, SCRIPTED, "turns").value == pytest.approx((9 * 3 + 2) / 10)
    assert entry(result, ALPHA, "failed_turns").value == 0
    assert entry(result, SCRIPTED, "failed_turns").value == pytest.approx(1 / 10)


def test_cost_is_per_episode_and_agent_and_absent_without_a_price(result: RunResult) -> None:
    cost = entry(result, ALPHA, "cost_usd")
    assert cost.value == pytest.approx(0.026 / 12)
    assert (cost.n, cost.judge) == (12, "ledger")
    assert absent(result, SCRIPTED, "cost_usd")


def test_a_call_without_a_price_leaves_the_cost_of_its_play_unknown(store: Store) -> None:
    call = CallKey("noise-AA", "agent", "ann", 8, "act", 1)
    prompt = Prompt((Message("user", "more"),))
    RunReplies(store, RUN).keep("free", call, ALPHA, prompt, ChatReply("{}", usd=None))
    cost = entry(result_of(store, RUN), ALPHA, "cost_usd")
    assert (cost.n, cost.unscored) == (11, 1)
    assert cost.value == pytest.approx(0.024 / 11)


def test_a_judges_own_calls_are_no_agents_cost(store: Store) -> None:
    call = CallKey("noise-AA", "judge", "ann", 0, "judge", 1)
    prompt = Prompt((Message("user", "judge"),))
    RunReplies(store, RUN).keep("judge", call, "openai/judge", prompt, ChatReply("{}", usd=1.0))
    result = result_of(store, RUN)
    assert result.cost_usd == pytest.approx(1.026)
    assert entry(result, ALPHA, "cost_usd").value == pytest.approx(0.026 / 12)


def test_an_agent_that_pays_costs_nothing_where_it_was_never_asked(tmp_path: Path) -> None:
    trials = plan()[:2]  # lamp-AA, lamp-AS: ALPHA in three seats
    with Store.open(tmp_path / "two.db") as store:
        store.create_run("two", "sotopia", {}, trials, declared("sotopia", trials))
        for trial in trials:
            store.append("two", trial.id, Ended("left", 0, "ann"))
            store.set_status("two", trial.id, "played")
        call = CallKey("lamp-AA", "partner", "bob", 0, "act", 1)
        reply = ChatReply("{}", usd=0.003)
        RunReplies(store, "two").keep("k", call, ALPHA, Prompt((Message("user", "hi"),)), reply)
        cost = entry(result_of(store, "two"), ALPHA, "cost_usd")
    assert (cost.value, cost.n) == (0.001, 3)


def test_plays_of_each_entry_add_up(result: RunResult) -> None:
    for found in result.scores:
        if not found.by and found.judge in ("heuristic", "goal check"):
            assert found.n + found.failures + found.unscored == 12


def test_repeated_judgings_are_averaged_first_and_count_once(store: Store) -> None:
    for judging, value in ((1, 10), (2, 1)):
        verdict = Score(GOAL, "ann", value)
        store.verdicts.add(RUN, HEURISTIC, [verdict], trial="lamp-AA", judging=judging)
    failed = ScoreFailure(GOAL, "bob", "timeout", "late")
    store.verdicts.add(RUN, HEURISTIC, [failed], trial="lamp-AA", judging=3)
    result = result_of(store, RUN)
    goal = entry(result, ALPHA, "goal")
    # lamp-AA: ann (4 + 10 + 1) / 3 = 5 instead of 4; bob's value stands beside his failure.
    assert goal.value == pytest.approx(89 / 12)
    assert (goal.n, goal.failures) == (12, 0)
    assert [(j.judge, j.judgings) for j in result.judges] == [("goal check", 1), ("heuristic", 4)]
    assert result.failures.scores == {"timeout": 1, "unreadable": 1}


def test_judges_of_one_name_stay_apart(store: Store) -> None:
    other = replace(HEURISTIC, settings="h2-and-more")
    store.verdicts.add(RUN, other, [Score(GOAL, "ann", 9)], trial="lamp-AA")
    result = result_of(store, RUN)
    assert [judge.judge for judge in result.judges] == [
        "goal check",
        "heuristic (heuristic h1)",
        "heuristic (heuristic h2-and-m)",
    ]
    assert entry(result, ALPHA, "goal", judge="heuristic (heuristic h1)").n == 12
    new = entry(result, ALPHA, "goal", judge="heuristic (heuristic h2-and-m)")
    assert (new.value, new.n, new.failures, new.unscored) == (9, 1, 0, 0)


def test_a_judge_may_not_pass_for_what_is_counted_here(store: Store) -> None:
    false = JudgeId("transcript", "model", "x")
    store.verdicts.add(RUN, false, [Score(GOAL, "ann", 9)], trial="lamp-AA")
    assert result_of(store, RUN).judges[-1].judge == "transcript (model x)"


def test_a_verdict_on_a_failed_trial_stands(store: Store) -> None:
    store.verdicts.add(RUN, CHECK, [Score(CHECKED, "ann", 1)], trial="bike-SS")
    checked = entry(result_of(store, RUN), SCRIPTED, "goal_checked")
    assert (checked.n, checked.failures) == (5, 1)


def test_measures_of_whole_episodes_belong_to_the_agent_that_played_alone(store: Store) -> None:
    harmony = Measure("harmony", 0, 1)
    for trial, value in (("lamp-AA", 0.5), ("bike-AA", 1), ("noise-AA", 0)):
        store.verdicts.add(RUN, HEURISTIC, [Score(harmony, None, value)], trial=trial)
    result = result_of(store, RUN)
    found = entry(result, ALPHA, "harmony")
    assert (found.value, found.n, found.clusters, found.failures) == (0.5, 3, 3, 0)
    assert entry(result, ALPHA, "harmony", {"type": "norms"}).value == 0
    failed = entry(result, SCRIPTED, "harmony")  # its bike failed, its other two were not judged
    assert (failed.value, failed.n, failed.failures) == (None, 0, 1)


def test_measures_of_whole_episodes_belong_to_nobody_where_several_agents_met(
    store: Store,
) -> None:
    harmony = Measure("harmony", 0, 1)
    store.verdicts.add(RUN, HEURISTIC, [Score(harmony, None, 0.5)], trial="lamp-AS")
    result = result_of(store, RUN)
    assert entry(result, None, "harmony").value == 0.5
    assert absent(result, ALPHA, "harmony")


def test_measures_of_whole_episodes_belong_to_the_agent_that_met_the_partner(
    tmp_path: Path,
) -> None:
    harmony = Measure("harmony", 0, 1)
    with Store.open(tmp_path / "p.db") as store:
        settings = {"partner": [SCRIPTED, "s1"]}
        trials = [trial for trial in plan() if trial.id in ("lamp-AS", "lamp-SA")]
        store.create_run("p", "sotopia", settings, trials, declared("sotopia", trials))  # type: ignore[arg-type]
        for trial, value in zip(trials, (0.0, 1.0), strict=True):
            store.append("p", trial.id, Ended("left", 0, "ann"))
            store.set_status("p", trial.id, "played")
            store.verdicts.add("p", HEURISTIC, [Score(harmony, None, value)], trial=trial.id)
        result = result_of(store, "p")
    assert entry(result, ALPHA, "harmony", {"partner": SCRIPTED}).value == 0.5


def test_verdicts_on_cells_and_on_the_run_are_shown_as_they_are(store: Store) -> None:
    gap = Measure("gap", -1, 1)
    store.verdicts.add(RUN, CHECK, [Score(gap, None, 0.25)], cell={"agent": ALPHA, "level": 2})
    store.verdicts.add(RUN, CHECK, [Score(gap, None, 0.5)])
    result = result_of(store, RUN)
    cell = entry(result, ALPHA, "gap", {"level": "2"})
    assert (cell.value, cell.n, cell.interval) == (0.25, 1, "none")
    assert entry(result, None, "gap").value == 0.5


def test_what_is_not_played_yet_is_neither_value_nor_failure(tmp_path: Path) -> None:
    with Store.open(tmp_path / "new.db") as store:
        store.create_run("new", "sotopia", {}, plan(), declared("sotopia", plan()))
        result = result_of(store, "new", stopped="the budget of $1 is spent")
    assert (result.trials, result.played, result.failed) == (12, 0, 0)
    assert (result.scores, result.judges, result.measures) == ((), (), ())
    assert (result.data, result.seed, result.cost_usd) == (None, None, None)
    assert result.stopped == "the budget of $1 is spent"


@pytest.mark.parametrize(
    ("third", "partners"),
    [
        # ann (alpha), bob (beta), cy: who meets one agent beside itself has it for a partner.
        ("alpha", {"alpha": {"beta"}, "beta": {"alpha"}}),
        ("gamma", {"alpha": set(), "beta": set(), "gamma": set()}),
    ],
)
def test_a_partner_is_the_one_agent_that_is_met(
    third: str, partners: dict[str, set[str]], tmp_path: Path
) -> None:
    task = replace(TASKS[0], seats=("ann", "bob", "cy"))
    cast = tuple(
        seated(seat, agent)
        for seat, agent in zip(task.seats, ("alpha", "beta", third), strict=True)
    )
    trial = replace(plan()[0], task=task, cast=cast)
    with Store.open(tmp_path / "three.db") as store:
        store.create_run("three", "sotopia", {}, [trial], declared("sotopia", [trial]))
        store.append("three", trial.id, Ended("left", 0, "ann"))
        store.set_status("three", trial.id, "played")
        result = result_of(store, "three")
    for agent, expected in partners.items():
        assert {
            found.by["partner"]
            for found in result.scores
            if found.agent == agent and "partner" in found.by
        } == expected


def test_an_unknown_run_is_refused(store: Store) -> None:
    with pytest.raises(StoreError, match='there is no run "other"'):
        result_of(store, "other")


def test_json_is_the_documented_object(result: RunResult, snapshot: SnapshotAssertion) -> None:
    assert result.model_copy(update={"scores": result.scores[:3]}).as_json() == snapshot


def test_half_a_surrogate_pair_in_what_a_model_wrote_does_not_lose_the_json(
    result: RunResult,
) -> None:
    half = result.model_copy(update={"agents": ("lab/\ud83d",)})
    assert json.loads(half.as_json())["agents"] == ["lab/\ud83d"]
    half.as_json().encode()  # can be printed


def test_the_same_store_gives_the_same_bytes(store: Store) -> None:
    assert result_of(store, RUN).as_json() == result_of(store, RUN).as_json()


def test_what_seats_say_is_held_against_what_a_reader_reads(tmp_path: Path) -> None:
    """Alpha's six plays of the lamp are 5 by formula: of these two are read as 5, one as 3, and of
    one the reader cannot tell; of alpha's four of the bike, which are disputed, one is read."""
    build(tmp_path / "s.db")
    reader = JudgeId("openai/r", "model", "r1", "reader")
    read: dict[str, list[Verdict]] = {
        "lamp-AA": [Score(CHECKED, "ann", 5), Score(CHECKED, "bob", 5)],
        "lamp-AS": [Score(CHECKED, "ann", 3), Score(CHECKED, "bob", 5)],
        "lamp-SA": [Unscored(CHECKED, "ann", "?"), Unscored(CHECKED, "bob", "?")],
        "bike-AA": [Score(CHECKED, "ann", 8), Unscored(CHECKED, "bob", "?")],
    }
    with Store.open(tmp_path / "s.db") as store:
        for trial, verdicts in read.items():
            store.verdicts.add(RUN, reader, verdicts, trial=trial)
        alpha, scripted = result_of(store, RUN).readings
    assert (alpha.agent, alpha.measure) == (ALPHA, "goal_checked")
    assert (alpha.judge, alpha.reader) == ("goal check", "reader:openai/r")
    counts = (alpha.agree, alpha.differ, alpha.only_judge, alpha.only_reader, alpha.neither)
    assert counts == (2, 1, 1, 1, 1)
    assert (scripted.agree, scripted.differ, scripted.only_judge) == (1, 0, 1)


def test_importing_the_result_does_not_import_numpy() -> None:
    code = "import sys, sociolab.report.result as r; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
