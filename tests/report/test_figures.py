"""Figures for papers: what they show, and the files that they are drawn into."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest

from sociolab import RunResult
from sociolab.core import ConfigError
from sociolab.report.figures import (
    Panel,
    Point,
    heat_figure,
    interval_figure,
    mean_figure,
    write_figure as write,
)

from .small_run import ALPHA, SCRIPTED

DIFFERENCE = Panel(
    "a \N{MINUS SIGN} b (points)", -2, 2, (Point("GOAL", "n.s.", 0.5, -1, 2, "0.5"),)
)


def axis_titles(spec: dict[str, Any]) -> list[str]:
    return [panel["layer"][0]["encoding"]["x"]["title"] for panel in spec["vconcat"]]


def shown(spec: dict[str, Any]) -> dict[tuple[str, str], float]:
    return {
        (one["row"], one["series"]): one["value"]
        for panel in spec["vconcat"]
        for one in panel["data"]["values"]
    }


def test_means_stand_by_metric_and_agent_on_axes_with_unit_and_range(result: RunResult) -> None:
    spec = mean_figure(result)
    assert spec is not None
    assert "mean, 0 to 10 (points)" in axis_titles(spec)
    found = shown(spec)
    values = {
        (e.measure, str(e.agent)): e.value
        for e in result.scores
        if e.judge == "goal check" and e.agent and not e.by
    }
    # The main judge: a formula comes before a heuristic.
    assert found == {
        ("goal (checked)", agent): values["goal_checked", agent] for agent in (ALPHA, SCRIPTED)
    }


def test_agents_differ_in_colour_and_in_shape(result: RunResult) -> None:
    spec = mean_figure(result)
    assert spec is not None
    dots = spec["vconcat"][0]["layer"][1]["encoding"]
    for channel in ("fill", "shape"):
        scale = dots[channel]["scale"]
        assert scale["domain"] == [ALPHA, SCRIPTED]
        assert len(set(scale["range"])) == 2


def test_the_matrix_of_pairs_names_its_metric_and_both_axes(result: RunResult) -> None:
    spec = heat_figure(result)
    assert spec is not None
    legend = spec["layer"][0]["encoding"]["color"]["legend"]
    assert legend["title"] == "goal (checked), 0 to 10 (points)"
    assert (spec["encoding"]["x"]["title"], spec["encoding"]["y"]["title"]) == ("partner", "agent")


@pytest.mark.parametrize(("name", "start"), [("f.pdf", b"%PDF"), ("f.png", b"\x89PNG")])
def test_a_figure_is_drawn_into_its_file(tmp_path: Path, name: str, start: bytes) -> None:
    write(tmp_path / name, interval_figure([DIFFERENCE], ("p < 0.05", "n.s."), filled=True))
    assert (tmp_path / name).read_bytes().startswith(start)


def test_an_svg_holds_its_words(tmp_path: Path) -> None:
    write(tmp_path / "f.svg", interval_figure([DIFFERENCE], ("p < 0.05", "n.s."), filled=True))
    text = (tmp_path / "f.svg").read_text("utf-8")
    assert all(word in text for word in ("GOAL", "(points)", "n.s."))


def test_a_difference_of_zero_lies_on_the_line_at_zero(tmp_path: Path) -> None:
    panel = Panel("a \N{MINUS SIGN} b (points)", -2.5, 2.5, (Point("GOAL", "n.s.", 0, -1, 2, "0"),))
    write(tmp_path / "f.svg", interval_figure([panel], ("p < 0.05", "n.s."), filled=True))
    text = (tmp_path / "f.svg").read_text("utf-8")
    (axis,) = set(re.findall(r'role-axis"[^>]*><g transform="translate\(([\d.]+),1', text))
    (line,) = re.findall(r'<line transform="translate\(([\d.]+),0\)"[^>]*stroke="#777777"', text)
    (dot,) = re.findall(r'<path aria-label="[^"]*GOAL[^"]*"[^>]*translate\(([\d.]+),', text)
    assert float(axis) + float(line) == float(dot) == 105 / 2


def test_other_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"expected a file .pdf, .svg or .png, found .*f.gif"):
        write(tmp_path / "f.gif", {})
    with pytest.raises(ConfigError, match="name a file in a folder that exists"):
        write(tmp_path / "none" / "f.png", interval_figure([DIFFERENCE], ("n.s.",)))


def test_without_the_extra_a_sentence_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(ConfigError, match="make extras EXTRAS=figures"):
        write(tmp_path / "f.png", {})
