"""G, and every G of the paper from its F-scores (arXiv 2401.06509v3, Tables 1 and 2; CC BY 4.0)."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sociolab.worlds.anteval.gap import printed_gap, signed_gap

ROUNDING = 0.015
"""F-scores and G are printed with two decimals."""


class Row(NamedTuple):
    """An agent's row: fg and G over characters, then over (character, skill) tuples, in percent."""

    agent: str
    fg_c: float
    g_c: float
    fg_o: float
    g_o: float


REAL = {"GPT-3.5": (39.73, 30.61), "GPT-3.5-lc": (44.01, 33.48)}
"""fr_c and fr_o by virtual DM."""

TABLE_1 = (
    Row("Alpaca-13b", 4.96, 77.80, 0.08, 99.48),
    Row("ChatGLM2-6b", 5.16, 77.01, 0.02, 99.87),
    Row("Vicuna-7b", 12.41, 52.40, 0.49, 96.85),
    Row("Vicuna-13b", 15.59, 43.64, 1.52, 90.54),
    Row("LLaMA-2-7b", 13.51, 49.25, 0.90, 94.29),
    Row("LLaMA-2-13b", 17.74, 38.26, 3.59, 79.01),
    Row("LLaMA-2-70b", 22.10, 28.51, 4.12, 76.27),
    Row("Mistral-7B", 16.21, 42.04, 2.93, 82.52),
    Row("Mixtral-8x7B", 20.72, 31.45, 3.71, 78.38),
    Row("GPT-3.5", 29.28, 15.14, 10.12, 50.31),
    Row("GPT-4", 33.92, 12.94, 20.22, 24.44),
)
"""All with the virtual DM GPT-3.5."""

TABLE_2 = (
    ("GPT-3.5", Row("GPT-3.5", 29.28, 15.14, 10.12, 50.31)),
    ("GPT-3.5-lc", Row("GPT-3.5", 33.92, 12.94, 20.33, 24.44)),
    ("GPT-3.5", Row("GPT-3.5-lc", 29.97, 14.00, 12.16, 43.14)),
    ("GPT-3.5-lc", Row("GPT-3.5-lc", 35.41, 10.83, 23.51, 17.49)),
    ("GPT-3.5", Row("GPT-4", 32.65, 9.78, 14.89, 34.55)),
    ("GPT-3.5-lc", Row("GPT-4", 37.27, 8.29, 27.09, 10.55)),
)
"""By virtual DM."""


def values() -> list[tuple[str, float, float, float]]:
    """What it is, fr, fg and the printed G, of all 34."""
    rows = [("Table 1", "GPT-3.5", row) for row in TABLE_1]
    rows += [("Table 2", dm, row) for dm, row in TABLE_2]
    return [
        (f"{table}, {row.agent}, DM {dm}, {kind}", fr, fg, g)
        for table, dm, row in rows
        for kind, fr, fg, g in (
            ("G_c", REAL[dm][0], row.fg_c, row.g_c),
            ("G_o", REAL[dm][1], row.fg_o, row.g_o),
        )
    ]


def test_of_the_papers_34_gaps_all_but_two_recompute() -> None:
    wrong = []
    for name, fr, fg, printed in values():
        gap = printed_gap(fr, fg)
        assert gap is not None
        if abs(gap - printed) > ROUNDING:
            wrong.append(name)
    assert len(values()) == 34
    assert wrong == ["Table 1, GPT-4, DM GPT-3.5, G_c", "Table 1, GPT-4, DM GPT-3.5, G_o"]


def test_the_row_that_does_not_fit_is_another_one_of_table_2_with_two_digits_wrong() -> None:
    wrong, copied, right = TABLE_1[-1], TABLE_2[1][1], TABLE_2[4][1]
    assert (wrong.fg_c, wrong.g_c, wrong.g_o) == (copied.fg_c, copied.g_c, copied.g_o)
    assert (wrong.fg_o, copied.fg_o) == (20.22, 20.33)
    assert right == Row("GPT-4", 32.65, 9.78, 14.89, 34.55)


def test_where_both_score_0_there_is_no_gap_to_speak_of() -> None:
    assert printed_gap(0.0, 0.0) is None
    assert signed_gap(0.0, 0.0) is None


def test_the_sign_tells_which_play_trains_the_better_dm() -> None:
    assert signed_gap(0.6, 0.2) == pytest.approx(50)
    assert signed_gap(0.2, 0.6) == pytest.approx(-50)
    assert printed_gap(0.2, 0.6) == pytest.approx(50)
    assert signed_gap(0.3, 0.0) == 100


score = st.floats(0, 1).filter(lambda value: value == 0 or value > 1e-6)


@given(score, score)
def test_the_gap_is_the_same_in_percent_and_lies_in_its_range(fr: float, fg: float) -> None:
    gap = printed_gap(fr, fg)
    if gap is None:
        assert fr == fg == 0
        return
    assert 0 <= gap <= 100
    assert printed_gap(fr * 100, fg * 100) == pytest.approx(gap)
    assert signed_gap(fr, fg) == -(signed_gap(fg, fr) or 0)
