"""Who may be ranked with whom."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sociolab import RunResult
from sociolab.core import Metric
from sociolab.report import Board, Data, NeighbourTest, boards_section, make_boards
from sociolab.report.leaderboard import index

from .small_run import ALPHA, SCRIPTED

BETA = "openai/beta"


def run(result: RunResult, name: str, agent: str = ALPHA, **changed: object) -> RunResult:
    """The small run as one of an agent with the scripted partner, judged by a model."""
    judges = tuple(
        j.model_copy(update={"judge": "openai/judge", "method": "model", "settings": "p1"})
        for j in result.judges
        if j.judge == "heuristic"
    )
    scores = tuple(
        e.model_copy(update={"judge": "openai/judge", "method": "model",
                             "agent": agent if e.agent == ALPHA else e.agent})
        for e in result.scores if e.judge == "heuristic"
    )  # fmt: skip
    usual = {
        "run": name,
        "agents": (agent, SCRIPTED),
        "partner": SCRIPTED,
        "judges": judges,
        "scores": scores,
        "settings": {"partner": [SCRIPTED, "s1"], "tasks": None, "limit": 3},
    }
    return result.model_copy(update=usual | changed)


def with_value(result: RunResult, value: float | None) -> RunResult:
    """With another goal of its agent; None: all of them failed."""
    missing = {"n": 0, "failures": 12} if value is None else {}
    scores = tuple(
        e.model_copy(update={"value": value, **missing}) if e.measure == "goal" and not e.by else e
        for e in result.scores
    )
    return result.model_copy(update={"scores": scores})


def ranks(board: Board) -> list[tuple[int | None, str, str]]:
    return [(place.rank, place.agent, place.run) for place in board.places]


def test_agents_are_ranked_by_the_main_measure_whatever_the_order_of_runs(
    result: RunResult,
) -> None:
    runs = [with_value(run(result, "a"), 4), with_value(run(result, "b", BETA), 6)]
    (board,) = make_boards(runs)
    assert (board.title, board.ranked) == ("GOAL", True)
    assert ranks(board) == [(1, BETA, "b"), (2, ALPHA, "a")]
    assert ranks(make_boards(runs[::-1])[0]) == ranks(board)


def test_a_metric_of_which_little_is_established_comes_behind_one_of_which_enough_is(
    result: RunResult,
) -> None:
    def partly(one: RunResult) -> RunResult:
        changed = {"n": 3, "unscored": 9, "cannot_tell": 9, "bounds": (1.0, 9.0)}
        scores = (e.model_copy(update=changed) if e.measure == "goal" else e for e in one.scores)
        return one.model_copy(update={"scores": tuple(scores)})

    first, second = make_boards([partly(run(result, "a")), run(result, "b", BETA)])
    assert (first.title, second.title) == ("SOC", "GOAL")
    assert [place.agent for place in second.places] == [ALPHA, BETA]
    assert not any("so it is not shown first" in note for note in first.notes)
    assert any("less than 80 % of GOAL is established" in note for note in second.notes)


def test_a_board_names_the_models_that_no_language_model_served(result: RunResult) -> None:
    plain = run(result, "a")
    assert isinstance(plain.settings, dict)
    tagged = run(result, "b", BETA, settings={**plain.settings, "stand_ins": [BETA]})
    (board,) = make_boards([plain, tagged])
    assert f"{BETA} was served by the stand-in endpoint, not by a language model" in board.notes
    spoofed = run(result, "a", settings={**plain.settings, "tags": [f"stand-in:{ALPHA}"]})
    assert not [note for note in make_boards([spoofed])[0].notes if "stand-in" in note]


def test_equal_values_share_a_rank_and_without_a_value_there_is_none(result: RunResult) -> None:
    runs = [with_value(run(result, n), v) for n, v in (("a", 5), ("b", 5), ("c", 3), ("d", None))]
    (board,) = make_boards(runs)
    found = [(place.rank, place.run) for place in board.places]
    assert found == [(1, "a"), (1, "b"), (3, "c"), (None, "d")]


@pytest.mark.parametrize(
    "changed",
    [
        {"data": Data(name="by-hand", version="1", hash="other")},
        {"data": None},
        {"world": "elsewhere"},
        {"partner": None},
        {"settings": {"partner": [SCRIPTED, "s2"], "tasks": None, "limit": 3}},
        {"settings": {"partner": [SCRIPTED, "s1"], "tasks": None, "limit": 4}},
        {"settings": {"partner": [SCRIPTED, "s1"], "tasks": "bargain", "limit": 3}},
        {
            "settings": {
                "partner": [SCRIPTED, "s1"],
                "tasks": None,
                "limit": 3,
                "world_settings": {"turns": "4"},
            }
        },
    ],
)
def test_other_data_tasks_or_partners_are_another_board(
    result: RunResult, changed: dict[str, object]
) -> None:
    runs = [run(result, "a"), run(result, "b", BETA, **changed)]
    found = make_boards(runs)
    assert len(found) == 2
    assert all(len({place.run for place in board.places}) == 1 for board in found)


def test_another_judge_or_another_prompt_of_it_is_another_board(result: RunResult) -> None:
    first = run(result, "a")
    judges = tuple(j.model_copy(update={"settings": "p2"}) for j in first.judges)
    assert len(make_boards([first, run(result, "b", BETA, judges=judges)])) == 2


def test_the_partner_is_in_no_board(result: RunResult) -> None:
    agents = [place.agent for board in make_boards([run(result, "a")]) for place in board.places]
    assert agents == [ALPHA]


def test_players_by_rules_are_baselines_without_a_rank(result: RunResult) -> None:
    changed = {"partner": None, "settings": {"limit": 3}}
    (board,) = make_boards([run(result, "a").model_copy(update=changed)])
    assert ranks(board) == [(1, ALPHA, "a")]
    assert [(p.rank, p.agent) for p in board.baselines] == [(None, SCRIPTED)]
    assert "openai/alpha" in board.terms.met


def test_a_heuristic_judge_ranks_nobody(result: RunResult) -> None:
    found = make_boards([result])
    heuristic = next(board for board in found if board.terms.judge_id.method == "heuristic")
    assert not heuristic.ranked
    assert {place.rank for place in heuristic.places} == {None}
    notes = boards_section([heuristic]).tables[0].notes
    assert "not ranked: scored by a heuristic judge" in notes


def test_the_first_page_of_a_site_names_judges_and_escapes_what_runs_are_called(
    result: RunResult,
) -> None:
    hostile = run(result, "b", "<script>/x")
    runs = [run(result, "a"), hostile, result]
    links = {"a": "runs/a.html", "b": "runs/b.html", "small": "runs/small.html"}
    text = index(runs, links, make_boards(runs), {})
    assert "<script" not in text
    assert "&lt;script&gt;/x" in text
    assert "judge: openai/judge (LLM judge)" in text
    assert 'href="runs/small.html"' in text
    assert "not ranked" in text
    assert "http" not in text


def test_where_lower_is_better_the_lowest_stands_first(result: RunResult) -> None:
    lower = replace(result.declared, metrics=(Metric("goal", better="lower"),), main=("goal",))
    runs = [
        with_value(run(result, name, agent, declared=lower), value)
        for name, agent, value in (("a", ALPHA, 6), ("b", BETA, 4), ("c", "openai/c", None))
    ]
    (board,) = make_boards(runs)
    assert board.title == "GOAL \N{DOWNWARDS ARROW}"
    assert ranks(board) == [(1, BETA, "b"), (2, ALPHA, "a"), (None, "openai/c", "c")]
    assert "lower is better" in " ".join(board.notes)
    assert NeighbourTest(9, -2.0, 0.01, better="lower").conclusion == "higher, p 0.010"
    assert (
        NeighbourTest(9, 2.0, 0.01, better="lower").conclusion
        == "lower on common episodes, p 0.010"
    )
