"""What the terminal shows."""

from __future__ import annotations

import io
from typing import Any

import pytest
from rich.console import Console
from syrupy.assertion import SnapshotAssertion

from sociolab import RunResult, Section, result_of
from sociolab.core import Measure, Score
from sociolab.core.metrics import UNDECLARED
from sociolab.report import (
    MeasureEntry,
    ScoreEntry,
    TextTable,
    agent_grids,
    full_report,
    setting_facts,
    warnings,
)
from sociolab.report.score_tables import other_grids, pair_grids, type_grids
from sociolab.report.terminal import printed
from sociolab.report.words import counted, first_digits, nature, number, plural, symmetric
from sociolab.store import Store

from .small_run import ALPHA, CHECK, CHECKED, RUN, SCRIPTED


def shown(
    result: RunResult, width: int = 80, *, details: bool = False, colour: bool = False
) -> str:
    file = io.StringIO()
    console = Console(
        file=file, width=width, force_terminal=colour, color_system="standard" if colour else None
    )
    console.print(full_report(result, details=details))
    return "\n".join(line.rstrip() for line in file.getvalue().splitlines())


def test_report_at_80_columns(result: RunResult, snapshot: SnapshotAssertion) -> None:
    assert shown(result) == snapshot


@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_no_line_is_wider_than_the_terminal(result: RunResult, width: int) -> None:
    assert max(len(line) for line in shown(result, width, details=True).splitlines()) <= width


def test_without_a_terminal_it_is_plain_text(result: RunResult) -> None:
    assert "\x1b" not in shown(result)
    assert "\x1b" in shown(result, colour=True)


def test_failures_are_told_before_and_after_the_tables(result: RunResult) -> None:
    text = shown(result)
    warning = "! 1 of 12 episodes failed: plugin 1"
    assert text.index(warning) < text.index("Mean score per agent") < text.rindex(warning)
    assert "! 1 turn without a usable reply: unreadable 1" in text
    assert "! 1 score missing: unreadable 1" in text
    assert "! 1 call failed after all retries: timeout 1" in text


def test_a_python_class_that_calls_itself_a_model_is_told_from_one(result: RunResult) -> None:
    def judged(code: str | None) -> RunResult:
        update = {"method": "model", "settings": f"v1@{'0' * 16}", "code": code}
        judges = tuple(judge.model_copy(update=update) for judge in result.judges)
        return result.model_copy(update={"judges": judges})

    own, other = judged("0" * 16), judged(None)
    assert '; the Python class itself declares that it is "model"' in nature(own, "heuristic")
    assert (
        "heuristic (LLM judge), as its Python class declares" in dict(setting_facts(own))["Judges"]
    )
    assert "python" not in nature(other, "heuristic") + dict(setting_facts(other))["Judges"]


def test_a_run_without_failures_warns_of_nothing(result: RunResult) -> None:
    clean = result.model_copy(
        update={"played": 12, "failed": 0, "failures": result.failures.model_copy(update={
            "trials": {}, "turns": {}, "agents": (), "scores": {}, "calls": {}})}
    )  # fmt: skip
    assert warnings(clean) == ()
    assert "! " not in shown(clean)


def test_an_early_stop_and_trials_to_come_are_warned_of(result: RunResult) -> None:
    early = result.model_copy(update={"trials": 20, "stopped": "the budget of $1 is spent"})
    assert warnings(early)[:5] == (
        "the run stopped early: the budget of $1 is spent",
        "1 of 20 episodes failed: plugin 1",
        "plugin 1, in episode bike-SS: KeyError: 'goal'",
        'an episode that failed with "plugin" is replayed from its beginning when the run is '
        "resumed with the same code; changed code needs a new --name",
        "8 of 20 episodes not played yet",
    )


def test_a_skewed_interval_shows_both_ends(result: RunResult) -> None:
    uneven = {"interval": "t", "low": 6.91, "high": 7.7, "note": ""}
    skewed = result.model_copy(
        update={"scores": tuple(_of_alphas_goal(e, uneven) for e in result.scores)}
    )
    assert any("7.33 [6.91, 7.70]" in line for line in shown(skewed, 120).splitlines())


def test_an_interval_that_was_cut_shows_both_ends_and_another_how_far_it_reaches(
    result: RunResult,
) -> None:
    assert any("7.33 [2.93, 10.00]" in line for line in shown(result, 120).splitlines())
    even = {"low": 22 / 3 - 1.88, "high": 22 / 3 + 1.88, "note": ""}
    whole = result.model_copy(
        update={"scores": tuple(_of_alphas_goal(e, even) for e in result.scores)}
    )
    assert any("7.33 ±1.88" in line for line in shown(whole, 120).splitlines())


def test_that_intervals_were_cut_is_said_where_one_was_and_nowhere_else(result: RunResult) -> None:
    said = "truncated at the ends of the scale"
    assert any(note.endswith(said) for note in agent_grids(result)[0].notes)
    whole = {"low": 5.0, "high": 9.66, "note": ""}
    uncut = result.model_copy(
        update={"scores": tuple(_of_alphas_goal(e, whole) for e in result.scores)}
    )
    assert not any("cut" in note for note in agent_grids(uncut)[1].notes)


def _of_alphas_goal(entry: ScoreEntry, changed: dict[str, Any]) -> ScoreEntry:
    """The entry, changed if it is the first agent's goal over all its plays."""
    mine = (entry.agent, entry.measure, entry.by) == (ALPHA, "goal", {})
    return entry.model_copy(update=changed) if mine else entry


def test_a_tiny_interval_is_symmetric_but_for_the_rounding_of_figures(result: RunResult) -> None:
    goal = next(e for e in result.scores if (e.agent, e.measure) == (ALPHA, "goal"))
    tiny = goal.model_copy(update={"value": 7.3333333, "low": 7.3333322, "high": 7.3333345})
    assert symmetric(tiny)
    assert not symmetric(tiny.model_copy(update={"high": 7.3333365}))
    assert not symmetric(tiny.model_copy(update={"low": None, "high": None}))


def test_measures_stand_in_the_order_of_the_paper(result: RunResult) -> None:
    grid = agent_grids(result)[0]
    assert grid.columns == ("SOC", "GOAL", "BEL")
    other = agent_grids(result.model_copy(update={"declared": UNDECLARED}))[0]
    assert other.columns == ("BEL", "GOAL", "SOC")  # as the judge gave them


def test_each_judge_has_a_table_that_says_what_it_is(result: RunResult) -> None:
    heuristic, check = agent_grids(result)
    assert heuristic.notes[0] == (
        "judge heuristic: offline judge: scores only what is on record; not comparable with an LLM "
        "judge or the paper"
    )
    assert check.notes[0].startswith("judge goal check: the goal's formula")
    how = "95 % interval, clustered by scenario (3): skew-corrected t"
    assert any(note.startswith(how) for note in heuristic.notes)


def test_repeated_judging_is_told(store: Store) -> None:
    store.verdicts.add(RUN, CHECK, [Score(CHECKED, "ann", 5)], trial="lamp-AA", judging=1)
    check = agent_grids(result_of(store, RUN))[1]
    assert check.notes[0].endswith("each episode judged 2 times; the scores are averaged first")


def test_pairs_are_compared_by_the_main_measure_established_first(
    result: RunResult,
) -> None:
    grid, checked = pair_grids(result, details=False)
    assert checked.heading.startswith("goal (checked): agent (row) by partner (column)")
    assert grid.heading.startswith("GOAL: agent (row) by partner (column)")
    assert grid.columns == (ALPHA, SCRIPTED)
    cells = [[cell.value for cell in row.cells if cell] for row in grid.rows]
    assert cells == [
        [pytest.approx(40 / 6), pytest.approx(8)],
        [pytest.approx(4), pytest.approx(3.5)],
    ]


def test_details_add_a_matrix_for_every_measure(result: RunResult) -> None:
    headings = [grid.heading.split(":")[0] for grid in pair_grids(result, details=True)]
    assert headings == ["SOC", "GOAL", "BEL", "goal (checked)"]


def test_one_agent_has_no_matrix(result: RunResult) -> None:
    assert pair_grids(result.model_copy(update={"agents": (ALPHA,)}), details=True) == ()


def test_a_type_that_a_judge_cannot_score_is_a_note(result: RunResult) -> None:
    heuristic, _, check, _ = type_grids(result)
    assert [row.label for row in heuristic.rows] == ["bargain", "norms"]
    assert [row.label for row in check.rows] == ["bargain"]
    assert check.notes[-1] == "nothing could be scored in: norms"


def test_scores_of_whole_episodes_and_of_cells_have_a_table_of_their_own(store: Store) -> None:
    harmony, gap = Measure("harmony", 0, 1), Measure("gap", -1, 1)
    store.verdicts.add(RUN, CHECK, [Score(harmony, None, 0.5)], trial="lamp-AS")
    store.verdicts.add(RUN, CHECK, [Score(gap, None, 0.25)], cell={"agent": ALPHA, "level": 2})
    (grid,) = other_grids(result_of(store, RUN))
    cells = {
        (row.label, title): cell.value
        for row in grid.rows
        for title, cell in zip(grid.columns, row.cells, strict=True)
        if cell is not None
    }
    assert cells == {
        ("all", "harmony"): 0.5,
        ("all, type bargain", "harmony"): 0.5,
        ("openai/alpha, level 2", "gap"): 0.25,
    }


def test_labels_are_shown_as_they_are(result: RunResult) -> None:
    entries = tuple(
        entry.model_copy(update={"agent": "[red]x[/]"}) if entry.agent == ALPHA else entry
        for entry in result.scores
    )
    text = shown(result.model_copy(update={"agents": ("[red]x[/]",), "scores": entries}))
    assert "[red]x[/]" in text


def test_a_partner_is_marked(result: RunResult) -> None:
    text = shown(result.model_copy(update={"partner": SCRIPTED}), 120)
    assert "scripted (rule-based, no model, the partner)" in text


def test_a_run_without_scores_has_no_tables(result: RunResult) -> None:
    text = shown(result.model_copy(update={"scores": ()}))
    assert "Mean score per agent" not in text
    assert "11 of 12 played, 1 failed" in text


def test_figures_have_the_digits_that_matter() -> None:
    goal = MeasureEntry(measure="goal", title="GOAL", low=0, high=10, whole=True)
    cost = goal.model_copy(update={"measure": "cost_usd"})
    assert number(7.456, goal) == "7.46"
    assert number(0.0000984, cost) == "0.0000984"
    assert (first_digits(0), first_digits(12.345), first_digits(-0.5)) == (
        "0.00",
        "12.35",
        "-0.500",
    )
    assert counted({"timeout": 2, "plugin": 1}) == "timeout 2, plugin 1"
    assert (plural(1, "reply", "replies"), plural(1200, "turn")) == ("1 reply", "1,200 turns")


def test_the_settings_of_the_world_are_told_where_some_were_given(result: RunResult) -> None:
    assert isinstance(result.settings, dict)
    given = {**result.settings, "world_settings": {"tdp": "true", "rounds": "3"}}
    told = shown(result.model_copy(update={"settings": given}))
    assert "Settings  tdp=true, rounds=3" in told
    assert "Settings " not in shown(result)


def test_a_table_without_rows_or_headings_is_printed_all_the_same() -> None:
    tables = (TextTable("nothing", ("", "n"), ()), TextTable("empty", ("",), (("",),)))
    console = Console(record=True, width=80)
    with console.capture() as shown:
        console.print(printed([Section("t", tables=tables)]))
    assert "nothing" in shown.get()
