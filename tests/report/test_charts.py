"""Small charts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree

import pytest
from rich.cells import cell_len

from sociolab.report.charts import Dot, dot_plot, label, shortened
from sociolab.report.score_tables import PALEST, STRONGEST, shade

HALF = Dot("alpha", 5, 4, 6)


def test_a_dot_lies_in_proportion_between_the_ends_of_its_axis() -> None:
    ends = [_circle(Dot("a", value, None, None)) for value in (0, 10)]
    assert _circle(HALF) == pytest.approx(sum(ends) / 2, abs=0.1)


def test_an_interval_is_cut_off_at_the_ends_of_the_axis() -> None:
    plot = str(dot_plot("k", "GOAL", [Dot("a", 5, -3, 14)], 0, 10))
    line = re.search(r'class="ci" x1="([\d.]+)" y1="\d+" x2="([\d.]+)"', plot)
    assert line is not None
    low, high = (_circle(Dot("a", value, None, None)) for value in (0, 10))
    assert (float(line[1]), float(line[2])) == (low, high)


def test_its_figures_can_be_read_aloud() -> None:
    dots = [HALF, Dot("beta", 1, None, None), Dot("gamma", None, None, None)]
    root = ElementTree.fromstring(str(dot_plot("k", "GOAL", dots, 0, 10)))
    assert root.get("role") == "img"
    assert root.get("aria-labelledby") == "k-t k-d"
    assert [child.get("id") for child in root[:2]] == ["k-t", "k-d"]
    assert root[0].text == "GOAL"
    assert root[1].text == (
        "alpha: 5.00, 95 % interval 4.00 to 6.00; beta: 1.00, no interval; gamma: not scored"
    )


def test_a_hostile_label_stays_text() -> None:
    plot = str(dot_plot("k", "<b>", [Dot('</svg><script>"', 5, 4, 6)], 0, 10))
    assert "<script" not in plot
    assert ElementTree.fromstring(plot)[0].text == "<b>"


def test_zero_is_marked_where_the_axis_crosses_it() -> None:
    assert ">0</text>" in str(dot_plot("k", "Overall", [HALF], -4.3, 7.1))
    assert ">5</text>" in str(dot_plot("k", "GOAL", [HALF], 0, 10))


def test_colours_span_the_values() -> None:
    assert (shade(1, 1, 3), shade(3, 1, 3)) == (PALEST, STRONGEST)
    assert shade(2, 2, 2) == pytest.approx((PALEST + STRONGEST) / 2, abs=1e-3)


@pytest.mark.parametrize(
    ("paper", "ink"), [((255, 255, 255), (27, 31, 36)), ((20, 24, 29), (228, 231, 235))]
)
def test_figures_can_be_read_on_the_strongest_colour(
    paper: tuple[int, int, int], ink: tuple[int, int, int]
) -> None:
    mixed = [p + (c - p) * STRONGEST for p, c in zip(paper, (0, 114, 178), strict=True)]
    lighter, darker = sorted((_luminance(mixed), _luminance(ink)), reverse=True)
    assert (lighter + 0.05) / (darker + 0.05) > 4.5  # WCAG 2.2, success criterion 1.4.3


def _luminance(colour: Sequence[float]) -> float:
    """Relative luminance as WCAG 2.2 defines it."""
    parts = [c / 255 for c in colour]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _circle(dot: Dot) -> float:
    found = re.search(r'cx="([\d.]+)"', str(dot_plot("k", "GOAL", [dot], 0, 10)))
    assert found is not None
    return float(found[1])


def test_labels_that_are_too_long_keep_both_ends_and_all_of_them_can_be_had() -> None:
    names = ["openai/gpt-4o-2024-05-13", "openai/gpt-4o-2024-08-06"]
    plot = str(dot_plot("k", "GOAL", [Dot(name, 5, 4, 6) for name in names], 0, 10))
    root = ElementTree.fromstring(plot)
    labels = [text for text in root.findall("text") if text.find("title") is not None]
    assert [(text.findtext("title"), (text.find("title").tail)) for text in labels] == [  # type: ignore[union-attr]
        (names[0], "openai/gpt…2024-05-13"),
        (names[1], "openai/gpt…2024-08-06"),
    ]


@pytest.mark.parametrize(("text", "shown"), [("x" * 21, 21), ("M" * 30, 16), ("x" * 99, 21)])
def test_a_label_of_wide_letters_is_cut_sooner(text: str, shown: int) -> None:
    found = re.search(r"<text[^>]*>(?:<title>.*?</title>)?(.*?)</text>", str(label(text, 0)))
    assert found is not None
    assert len(found[1]) == shown


@pytest.mark.parametrize("text", ["a", "x" * 21, "x" * 22, "模型" * 20, "a模" * 9])
def test_a_label_is_never_wider_than_its_place(text: str) -> None:
    assert cell_len(shortened(text, 21)) <= 21
