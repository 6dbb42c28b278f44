"""The papers' figures that ship with their worlds: what follows from what, and where from."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any

import pytest

from sociolab.app import tool_names
from sociolab.plugin import Sheet, sheet

SHARED = Path(os.environ.get("SOCIOLAB_SHARED", Path(__file__).parents[3] / "shared"))


def called(name: str) -> Sheet:
    """The sheet of a recipe."""
    return sheet(f"sociolab.worlds.{name.partition('-')[0]}", name)


def rows(name: str) -> list[tuple[str, str, dict[str, float]]]:
    """Part, row and figures by column."""
    found = called(name)
    return [
        (part, row, dict(zip(found.columns, figures, strict=True)))
        for part, some in found.rows.items()
        for row, figures in some.items()
    ]


def gap(fr: float, fg: float) -> float:
    return abs(fr - fg) / (fr + fg) * 100


def test_there_are_eleven_recipes_and_each_says_what_it_needs_and_what_cannot_be_had() -> None:
    assert set(tool_names("recipes")) == {
        "sotopia-table1", "sotopia-table2", "sotopia-table3", "sotopia-hard",
        "sotopia-figure-f4", "sotopia-pi-human",
        "anteval-table1", "anteval-table2", "stss-table3", "stss-table4", "stss-5.3",
    }  # fmt: skip
    for name in tool_names("recipes"):
        found = called(name)
        assert found.needs
        assert found.repeatable
        assert found.missing
        for part in found.rows.values():
            assert {len(figures) for figures in part.values()} == {len(found.columns)}
        assert set(found.beside) <= {row for part in found.rows.values() for row in part}


def test_g_of_antevals_table_2_follows_from_fr_and_fg() -> None:
    # By hand: |39.73 - 32.65| / (39.73 + 32.65) x 100 = 7.08 / 72.38 x 100 = 9.78.
    assert gap(39.73, 32.65) == pytest.approx(9.78, abs=0.005)
    for _, _, figures in rows("anteval-table2"):
        for kind in ("c", "o"):
            found = gap(figures[f"fr_{kind}"], figures[f"fg_{kind}"])
            assert found == pytest.approx(figures[f"g_{kind}"], abs=0.011)


def test_g_of_antevals_table_1_follows_but_for_the_row_that_is_noted_as_an_erratum() -> None:
    (fr,) = {
        (figures["fr_c"], figures["fr_o"])
        for dm, _, figures in rows("anteval-table2")
        if dm == "GPT-3.5"
    }
    wrong = {
        row
        for _, row, figures in rows("anteval-table1")
        for kind, real in zip("co", fr, strict=True)
        if abs(gap(real, figures[f"fg_{kind}"]) - figures[f"g_{kind}"]) > 0.011
    }
    assert wrong == {"GPT-4"}
    (note,) = called("anteval-table1").notes
    (right,) = (f for dm, row, f in rows("anteval-table2") if (dm, row) == ("GPT-3.5", "GPT-4"))
    assert note.startswith("erratum")
    for name in ("fg_c", "g_c", "fg_o", "g_o"):
        assert f"{right[name]:.2f}" in note


def test_the_overall_of_stss_table_4_is_the_mean_of_ten_and_four_times_five_tasks() -> None:
    # By hand, GPT-4 with TDP: (7.59 + 5 x (.4 + .2 + .686 + .5)) / 30 = 16.52 / 30 = .5507.
    types = ("public_activity", "appointment", "inviting_companions", "online_activity",
             "asking_for_help")  # fmt: skip
    tasks = (10, 5, 5, 5, 5)
    for _, _, figures in rows("stss-table4"):
        whole = sum(n * figures[name] for n, name in zip(tasks, types, strict=True)) / 30
        assert whole == pytest.approx(figures["overall"], abs=0.0011)


def test_what_stands_for_section_5_3_of_stss_is_of_tables_3_and_4() -> None:
    said = {(part, row): f["conversation_sr"] for part, row, f in rows("stss-table3")}
    done = {(part, row): f["overall"] for part, row, f in rows("stss-table4")}
    for part, row, figures in rows("stss-5.3"):
        assert figures["conversation_sr"] == said[part, row]
        assert figures["overall"] == done[part, row]
        assert figures["lost"] == pytest.approx(said[part, row] - done[part, row])


def test_a_figure_that_the_paper_does_not_have_is_none() -> None:
    found = sheet("sociolab.worlds.sotopia", "sotopia-table1")
    assert found.value("models", "GPT-4", "secret") == 0.22
    assert found.value("people", "GPT-4", "secret") is None
    assert found.value("people", "GPT-5", "goal") is None


# ------------------------------------------------------------------ against the facts


def facts(name: str) -> Any:
    path = SHARED / "data" / "facts" / f"{name}_paper_tables.json"
    if not path.exists():
        pytest.skip(f"{path} is not there")
    return json.loads(path.read_text("utf-8"))


def test_sotopias_figures_are_those_of_the_paper() -> None:
    known = facts("sotopia")
    told = {(part, row): figures for part, row, figures in rows("sotopia-table1")}
    for part, name in (("models", "models"), ("people", "humans")):
        for dimension, r in known["table1_pearson_gpt4_vs_human"][name].items():
            ours = told[part, "GPT-4"][dimension]
            assert ours == r or (r is None and math.isnan(ours))
    models = {row: figures for _, row, figures in rows("sotopia-table2")}
    assert models == known["table2_by_model_avg_over_partners"]
    played = {(part, row): figures for part, row, figures in rows("sotopia-table3")}
    names = {
        "GPT-4 (w H)": ("model with a person", "GPT-4"),
        "Human (w G)": ("person with a model", "Human"),
        "Human (w H)": ("person with a person", "Human"),
    }
    for table, by in (("table3_hard_gpt4_judge", "a judge"),
                      ("tableF2_hard_human_annotators", "raters")):  # fmt: skip
        for name, (part, row) in names.items():
            assert played[f"{part}, by {by}", row] == known[table][name]


def test_antevals_and_stss_figures_are_those_of_the_papers() -> None:
    known = facts("anteval")
    ours = {row: figures for _, row, figures in rows("anteval-table1")}
    for one in known["table1"]:
        figures = ours[one["model"]]
        assert list(figures.values()) == [
            one[name] for name in ("IEP", "fg_c", "G_c", "fg_o", "G_o")
        ]
    both = {(dm, row): figures for dm, row, figures in rows("anteval-table2")}
    for one in known["table2"]:
        figures = both[one["virtual_dm"], one["interaction_agent"]]
        assert list(figures.values()) == [
            one[name] for name in ("f0_c", "fg_c", "fr_c", "G_c", "f0_o", "fg_o", "fr_o", "G_o")
        ]
    known = facts("stss")
    for recipe, table in (("stss-table3", "table3_language_level"),
                          ("stss-table4", "table4_action_level")):  # fmt: skip
        for part, row, figures in rows(recipe):
            assert list(figures.values()) == known[table][f"{row} {part.replace(' + ', '+')}"]
