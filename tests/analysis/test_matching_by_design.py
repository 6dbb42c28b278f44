"""Agents that were cast at random: how their plays are matched, and what that tells."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from casts import seated
from declared_worlds import declared
from sociolab.analysis import (
    ComparedAgents,
    ComparedSide,
    CompareRequest,
    Value,
    compare_agents,
    compare_runs,
    match_sides,
    rank_runs,
    ranking_section,
)
from sociolab.analysis.all_pairs import compare_all, pairs_section
from sociolab.analysis.comparison_tables import comparison_document, comparison_section
from sociolab.analysis.gates import difference_gates, parse_rule
from sociolab.analysis.matching import Match
from sociolab.app import Import, import_anything
from sociolab.core import ConfigError, JudgeId, Measure, Score
from sociolab.store import Store
from worlds.sotopia.importing.conftest import public

__all__ = ["public"]

GOAL = Measure("goal", 0, 10, title="GOAL")
JUDGE = ("j", JudgeId("j", "model"))
SCENARIOS = 14
RATED = "sotopia_pi_human_eval_episodes.jsonl"


def cast_at_random(agent: str, better: float, seed: int, partner: str = "p") -> ComparedSide:
    """One agent in both places of each of 14 scenarios, with its own two characters, and so tasks,
    each time, as the public episodes of SOTOPIA-pi are; scenarios differ more than agents do."""
    hard = np.random.default_rng(0).normal(5, 2, SCENARIOS)
    noise = np.random.default_rng(seed).normal(0, 0.5, (SCENARIOS, 2))
    values, casts = [], {}
    for i in range(SCENARIOS):
        for place in (0, 1):
            pair = (seed if i > 2 else 0) * 10 + place  # three tasks are shared by chance
            task, seats = f"t{i}-{pair}", (f"c{i}-{pair}-0", f"c{i}-{pair}-1")
            trial = f"{agent}-{task}"
            cast = [partner, partner]
            cast[place] = agent
            casts[trial] = tuple(map(seated, seats, cast, "xy"))
            score = float(hard[i] + better + noise[i, place])
            values.append(
                Value("r", "sotopia", trial, task, f"scene {i}", None, 0, seats[place], agent,
                      partner, "j", "goal", score)
            )  # fmt: skip
    return ComparedSide(agent, "r", agent, tuple(values), casts)


A, B = cast_at_random("a", 1.0, 1), cast_at_random("b", 0.0, 2)


def held(match: Match | None = None, a: ComparedSide = A, b: ComparedSide = B) -> ComparedAgents:
    return compare_agents("sotopia", a, b, JUDGE, {"goal": GOAL}, declared("sotopia"), match)


def test_agents_cast_at_random_are_matched_by_scenario_and_partner() -> None:
    exact, found = held("exact"), held()
    assert exact.counts["play"].of_a == 6
    assert (found.match, found.by) == ("scenario", "partner")
    counts = found.counts["play"]
    assert (counts.of_a, counts.of_b, counts.matched) == (28, 28, 14)
    goal = found.metrics["goal"].test
    assert (goal.clusters, goal.pairs) == (14, 14)
    assert goal.holm_p is not None
    assert goal.holm_p < 0.01
    # The mean over blocks is that of each side; scenarios are in both.
    ours = [np.mean([v.value for v in side.values if v.value is not None]) for side in (A, B)]
    assert goal.difference.value == pytest.approx(ours[0] - ours[1])
    # Half as wide as the plays without their counterparts, which scenarios make differ.
    apart = held("none").metrics["goal"].test
    assert apart.difference.value == pytest.approx(goal.difference.value)
    assert exact.metrics["goal"].test.permutation.smallest == 0.25


def test_the_page_says_which_matching_was_taken_and_why() -> None:
    said = comparison_section(held(), "", ()).sentences[0]
    assert said.startswith(
        "14 blocks of episodes matched by scenario and partner, whatever the cast "
        "(only 6 of 28 episodes have a counterpart of the same task, seat and repeat)"
    )
    document = comparison_document(held())
    assert (document["match"], document["matched_by"]) == (
        "scenario", ["scenario", "partner"],
    )  # fmt: skip
    assert "matched by task" in comparison_section(held("exact"), "", ()).sentences[0]
    none = comparison_section(held("none"), "", ())
    assert "No episodes are matched: the means of A and B are compared" in none.sentences[0]
    assert "Welch" in " ".join(none.tables[0].notes)


def test_agents_in_different_scenarios_are_compared_as_they_are() -> None:
    moved = (v._replace(task=f"u{v.task}", cluster=f"u{v.cluster}") for v in B.values)
    other = replace(B, values=tuple(moved))
    found = held(None, A, other)
    assert (found.match, found.why) == ("none", "they share no scenario")
    assert found.metrics["goal"].test.clusters == 28


def test_who_only_sold_is_not_set_against_who_only_bought() -> None:
    sold, bought = (
        replace(side, values=tuple(v for v in side.values if v.seat and v.seat.endswith(place)))
        for side, place in ((A, "-0"), (B, "-1"))
    )
    with pytest.raises(ConfigError, match="no scenario in which both had the same place"):
        match_sides(sold, bought, "scenario")
    found = held("scenario", A, bought)
    (said,) = (one for one in comparison_section(found, "", ()).cautions if "seats" in one)
    assert said.startswith("In 14 scenarios A and B were not in the same seats equally often")


def test_other_partners_are_set_beside_each_other_only_where_that_is_asked_for() -> None:
    mirror = cast_at_random("b", 0.0, 2, partner="b")  # b with itself, a with p
    with pytest.raises(ConfigError, match="no task with the same seat, partner and repeat"):
        match_sides(A, mirror)
    assert not match_sides(A, mirror, "scenario").partners


def test_all_pairs_of_three_agents_share_one_correction() -> None:
    sides = [A, B, cast_at_random("c", 0.0, 3)]
    found = compare_all("sotopia", sides, JUDGE, {"goal": GOAL}, declared("sotopia"))
    ps = sorted(one.metrics["goal"].test.p or 1.0 for one in found.compared)
    holm = sorted(p for p in found.holm.values() if p is not None)
    assert holm[0] == pytest.approx(3 * ps[0])  # Holm over three pairs of one metric
    section = pairs_section(found, "", ())
    assert [row[:2] for row in section.tables[0].rows] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert "corrected for 3 tests (all pairs and metrics shown)" in section.tables[0].notes[0]


def test_each_planned_look_costs_its_part_of_the_level() -> None:
    plain = held().metrics["goal"].test
    found = compare_agents(
        "sotopia", A, B, JUDGE, {"goal": GOAL}, declared("sotopia"), looks=5
    )  # fmt: skip
    test = found.metrics["goal"].test
    assert test.holm_p == pytest.approx(5 * (plain.holm_p or 0))
    assert test.design.alpha == pytest.approx(0.01)
    assert "corrected for 1 metric and 5 looks" in " ".join(
        comparison_section(found, "", ()).tables[0].notes
    )


def test_planned_looks_widen_the_gate_of_unmatched_plays() -> None:
    once, five = (
        difference_gates(
            compare_agents(
                "sotopia", A, B, JUDGE, {"goal": GOAL}, declared("sotopia"), "none", looks
            ),
            [parse_rule("goal<0")],
        )[0]
        for looks in (1, 5)
    )
    assert five.low < once.low < once.high < five.high


def baseline_and_partner(seed: int) -> tuple[ComparedSide, ComparedSide, float]:
    """Agent "a" in one place of each of 14 scenarios against the baseline "p", which also played
    itself; the first place is worth three points. With the difference blocked by hand: in each
    scenario, of a's score and the baseline's in that place against itself."""
    random = np.random.default_rng(seed)
    hard, casts = random.normal(5, 2, SCENARIOS), {}
    values: dict[str, list[Value]] = {"a": [], "p": []}
    gaps = []
    for i in range(SCENARIOS):
        place, scores = int(random.integers(2)), {}
        seats = (f"c{i}-0", f"c{i}-1")
        for agents in ((("a", "p") if place == 0 else ("p", "a")), ("p", "p")):
            trial = f"{'-'.join(agents)}-{i}"
            casts[trial] = tuple(map(seated, seats, agents, "xy"))
            for seat, agent in enumerate(agents):
                score = hard[i] + 3 * (seat == 0) + (agent == "a") + random.normal(0, 0.5)
                scores[trial, seat] = score
                values[agent].append(
                    Value("r", "sotopia", trial, f"t{trial}", f"scene {i}", None, 0, seats[seat],
                          agent, agents[1 - seat], "j", "goal", float(score))
                )  # fmt: skip
        own = f"a-p-{i}" if place == 0 else f"p-a-{i}"
        gaps.append(scores[own, place] - scores[f"p-p-{i}", place])
    a, p = (ComparedSide(name, "r", name, tuple(values[name]), casts) for name in "ap")
    return a, p, float(np.mean(gaps))


@pytest.mark.parametrize("seed", range(5))
def test_a_baseline_that_is_the_partner_too_is_compared_where_it_played_itself(seed: int) -> None:
    a, p, blocked = baseline_and_partner(seed)
    found = held(a=a, b=p)
    assert (found.match, found.by) == ("scenario", "partner")
    counts = found.counts["play"]
    assert (counts.of_a, counts.of_b, counts.matched) == (14, 14, 14)
    difference = found.metrics["goal"].test.difference
    assert difference.value == pytest.approx(blocked)
    swapped = held(a=p, b=a).metrics["goal"].test.difference
    assert swapped.value == pytest.approx(-blocked)


def test_two_seats_of_one_episode_are_never_compared_with_each_other() -> None:
    a, p, _ = baseline_and_partner(0)
    alone = replace(p, values=tuple(v for v in p.values if v.partner == "a"))
    for how in (None, "scenario", "none"):
        with pytest.raises(ConfigError, match="no episode of a can be"):
            held(how, a=a, b=alone)
    # Unmatched, all of the baseline's own seats count, and none of those against a.
    counts = held("none", a=a, b=p).counts["play"]
    assert (counts.of_a, counts.of_b) == (14, 28)


def test_on_the_public_episodes_no_play_is_thrown_away_and_the_sign_holds(
    public: Path, tmp_path: Path
) -> None:
    """SOTOPIA-pi's 154 episodes, with planted goals: two points more for gpt-4, and scenarios that
    differ by more than that, as people's ratings of them do."""
    path = tmp_path / "s.db"
    import_anything("sotopia-episodes", Import(public / "episodes" / RATED, "pub", False, path))
    random = np.random.default_rng(3)
    with Store.open(path, create=False) as store:
        hard: dict[str, float] = {}
        for row in store.trials("pub"):
            base = hard.setdefault(row.trial.task.cluster, random.normal(5, 2.5))
            scores = [
                Score(
                    GOAL, one.seat,
                    float(np.clip(base + 2 * (one.agent == "gpt-4") + random.normal(), 0, 10)),
                )
                for one in row.trial.cast
            ]  # fmt: skip
            store.verdicts.add("pub", JUDGE[1], scores, trial=row.trial.id)
        agents = sorted({m.agent for row in store.trials("pub") for m in row.trial.cast})
        other = next(one for one in agents if "istral" in one or "BC" in one)
        wanted = CompareRequest(("pub",), "gpt-4", other, "j", match=None)
        found = compare_runs(store, wanted).comparison
        assert found is not None
        assert found.match == "scenario"
        assert (found.counts["play"].of_a, found.counts["play"].of_b) == (28, 28)
        test = found.metrics["goal"].test
        assert test.holm_p is not None
        assert test.holm_p < 0.01
        assert (test.difference.value or 0) > 1
        baseline = next(one for one in agents if "3.5" in one)
        against = compare_runs(store, CompareRequest(("pub",), baseline, other, "j")).comparison
        assert against is not None
        assert against.match == "scenario"
        assert against.counts["play"].of_b == 22
        every = compare_runs(store, CompareRequest(("pub",), judge="j")).every
        assert every is not None
        assert len(every.compared) == len(agents) * (len(agents) - 1) / 2 - len(every.apart)


def test_agents_cast_at_random_are_ranked_by_scenario(public: Path, tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    import_anything("sotopia-episodes", Import(public / "episodes" / RATED, "pub", False, path))
    with Store.open(path, create=False) as store:
        for row in store.trials("pub"):
            scores = [Score(GOAL, m.seat, 7 if m.agent == "gpt-4" else 3) for m in row.trial.cast]
            store.verdicts.add("pub", JUDGE[1], scores, trial=row.trial.id)
        exact, found = (
            rank_runs(store, ["pub"], "j", "goal", match=how) for how in ("exact", None)
        )
    assert exact.compared.unmatched > 190
    assert (found.match, found.few) == ("scenario", True)
    # 140 of these are the partner's, whom nobody else met.
    assert found.compared.unmatched < 150
    assert "whatever the cast (most have no counterpart" in ranking_section(found).sentences[0]
