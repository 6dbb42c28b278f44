"""The intention gap: the formula against the paper's tables, and how it is measured."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import pytest
from hypothesis import given, strategies as st

from sociolab.core import ConfigError
from sociolab.stats import Estimate
from sociolab.worlds import anteval
from sociolab.worlds.anteval.gap import GapTable, UnusableReplies
from sociolab.worlds.anteval.gap_intervals import (
    DMScores,
    Draws,
    Gap,
    ScoredDM,
    Trained,
    halves,
    redrawn,
    sample_groups,
    signed_gap as signed_gaps,
)
from sociolab.worlds.anteval.virtual_dm.example import Overlaps, windows

# --- g, and every G of the paper from its F-scores (arXiv 2401.06509v3, Tables 1 and 2; CC BY 4.0)


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


def signed_gap(fr: float, fg: float) -> float | None:
    gap = float(signed_gaps(fr, fg))
    return None if math.isnan(gap) else gap


def printed_gap(fr: float, fg: float) -> float | None:
    gap = signed_gap(fr, fg)
    return None if gap is None else abs(gap)


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


# ---------- the intention gap, measured with virtual DMs whose answers are known beforehand


TABLE = ("Orsa", "Tilin")
RIGHT, WRONG = anteval.Label("Orsa", "stealth"), anteval.Label("Tilin", "arcana")
HALF = anteval.Label("Orsa", "arcana")


def play(
    count: int, label: anteval.Label = RIGHT, *, prefix: str = "g", groups: int = 5
) -> list[anteval.Example]:
    return [
        anteval.Example(
            f"{prefix}/{number}",
            f"{prefix} {number % groups}",
            (anteval.Turn("Orsa", "Hm."),),
            TABLE,
            frozenset({label}),
            strict=number % 2 == 0,
        )
        for number in range(count)
    ]


class Parrot:
    """Predicts the first label that it learned, everywhere, and notes what it learned from."""

    def __init__(self, seen: list[tuple[anteval.Example, ...]]) -> None:
        self._seen = seen
        self._label = HALF

    @property
    def name(self) -> str:
        return "parrot"

    def fit(self, examples: Sequence[anteval.Example]) -> None:
        self._seen.append(tuple(examples))
        self._label = min(examples[0].labels)

    def predict(
        self, examples: Sequence[anteval.Example], most: int = 1
    ) -> tuple[frozenset[anteval.Label], ...]:
        return tuple(frozenset([self._label, WRONG][:most]) for _ in examples)


def parrots(seen: list[tuple[anteval.Example, ...]] | None = None) -> Callable[[], anteval.LocalDM]:
    notes = [] if seen is None else seen
    return lambda: anteval.LocalDM(Parrot(notes))


def measured(
    generated: dict[str, list[anteval.Example]],
    *,
    settings: anteval.GapSettings | None = None,
    test: list[anteval.Example] | None = None,
    real: list[anteval.Example] | None = None,
    seen: list[tuple[anteval.Example, ...]] | None = None,
) -> GapTable:
    return asyncio.run(
        anteval.measure_gap(
            real or play(20),
            test or play(10, prefix="t"),
            generated,
            parrots(seen),
            settings=settings or anteval.GapSettings(refits=0),
        )
    )


def trained(*many: Sequence[Overlaps]) -> Trained:
    """The DM of a study with these rows; the others are its refits."""
    own, *refits = (ScoredDM(tuple(rows), 0) for rows in many)
    return Trained(own, tuple(refits))


def scores_of(draws: Draws, rows: Sequence[Overlaps]) -> DMScores:
    return draws.scores(trained(rows))


def gap_o(draws: Draws, real: Sequence[Overlaps], generated: Sequence[Overlaps]) -> Gap:
    return draws.gaps(trained(real), trained(generated))[1]


def test_f_and_g_of_dms_that_are_all_right_all_wrong_and_half_right() -> None:
    table = measured(
        {
            "right": play(20, RIGHT, prefix="a"),
            "wrong": play(20, WRONG, prefix="b"),
            "half": play(20, HALF, prefix="c"),
        }
    )
    right, wrong, half = table.rows
    assert table.fr.f_o.value == right.fr.f_o.value == 1.0
    assert (right.g_c.printed.value, right.g_o.printed.value) == (0.0, 0.0)
    assert (wrong.fg.f_c.value, wrong.g_c.printed.value, wrong.g_o.signed.value) == (0, 100, 100)
    assert (half.fg.f_c.value, half.fg.f_o.value) == (1.0, 0.0)
    assert (half.g_c.printed.value, half.g_o.printed.value) == (0.0, 100.0)


def test_a_generated_set_that_beats_the_real_one_has_a_negative_signed_gap() -> None:
    table = measured({"better": play(20, RIGHT, prefix="a")}, real=play(20, HALF))
    (row,) = table.rows
    assert row.g_o.printed.value == 100
    assert row.g_o.signed.value == -100


def test_only_strict_rows_are_tested_unless_all_are_wanted() -> None:
    generated = {"one": play(20, prefix="a")}
    strict = measured(generated)
    assert (strict.test_rows, strict.measured_on) == (5, "measured on 5 strict rows, 5 groups")
    every = measured(generated, settings=anteval.GapSettings(strict=False, refits=0))
    assert (every.test_rows, every.measured_on) == (10, "measured on 10 rows, 5 groups")


def test_real_play_is_cut_to_the_size_of_the_generated_set_and_the_other_way_round() -> None:
    seen: list[tuple[anteval.Example, ...]] = []
    table = measured(
        {"few": play(6, prefix="a"), "many": play(50, prefix="b")},
        settings=anteval.GapSettings(refits=0),
        seen=seen,
    )
    few, many = table.rows
    assert (few.examples, few.real_examples) == (6, 6)
    assert (many.examples, many.real_examples) == (20, 20)
    assert sorted(len(examples) for examples in seen) == [6, 6, 20, 20]


def test_which_real_examples_are_drawn_hangs_on_the_seed() -> None:
    def drawn(seed: int) -> tuple[anteval.Example, ...]:
        seen: list[tuple[anteval.Example, ...]] = []
        measured(
            {"few": play(4, prefix="a")},
            settings=anteval.GapSettings(seed=seed, refits=0),
            seen=seen,
        )
        return seen[1]  # after those of the generated play

    assert drawn(0) == drawn(0)
    assert len({drawn(seed) for seed in range(5)}) > 1


def test_few_groups_take_the_percentiles_further_out() -> None:
    """One of six groups is wrong: F is 1 less a sixth for each time that it is drawn.

    It is drawn 3 times or more in 6.2 % of draws, 4 times or more in 0.87 %, 5 in 0.07 %. Student
    asks for the percentile of -sqrt(6 / 5) x 2.571 = -2.816, which is 0.24 % in the place of 2.5 %.
    """
    rows = [play(1, prefix=f"g{number}")[0] for number in range(6)]
    found = anteval.count_overlaps([{WRONG}, *[{RIGHT}] * 5], rows)
    scores = scores_of(Draws(rows, seed=0), found)
    assert scores.f_c.value == pytest.approx(5 / 6)
    assert scores.f_c.low == pytest.approx(2 / 6)
    assert scores.f_c.high == 1


def test_without_matching_each_learns_from_all_there_is() -> None:
    table = measured(
        {"few": play(6, prefix="a")},
        settings=anteval.GapSettings(matched=False, refits=0),
    )
    assert (table.rows[0].examples, table.rows[0].real_examples) == (6, 20)


def test_more_guesses_a_row_cost_precision() -> None:
    (row,) = measured(
        {"one": play(9, prefix="a")}, settings=anteval.GapSettings(most=2, refits=0)
    ).rows
    assert row.fg.f_o.value == pytest.approx(2 / 3)  # 1 right of 2 guesses, 1 label: 2 / (2 + 1)


def test_the_baselines_and_f0_are_in_the_table() -> None:
    untrained = anteval.LocalDM(Parrot([]))
    information = Estimate(0.4, 150, 50, 0.3, 0.5, "t")
    table = asyncio.run(
        anteval.measure_gap(
            play(20),
            play(10, prefix="t"),
            {"one": play(9, prefix="a"), "two": play(9, prefix="b")},
            parrots(),
            untrained=untrained,
            information={"two": information},
            settings=anteval.GapSettings(refits=0),
        )
    )
    names = [row.name for row in table.baselines]
    assert names == ["last speaker", "last speaker + majority skill"]
    assert [row.names_skills for row in table.baselines] == [False, True]
    assert table.baselines[1].scores.f_o.value == 1.0
    assert table.f0 is not None
    assert (table.f0.f_c.value, table.f0.f_o.value) == (1.0, 0.0)
    assert [row.information for row in table.rows] == [None, information]


def test_what_no_usable_reply_came_to_is_counted() -> None:
    untrained = anteval.LocalDM(Parrot([]))
    untrained.failures["unreadable"] = 3
    table = asyncio.run(
        anteval.measure_gap(
            play(20),
            play(10, prefix="t"),
            {"one": play(9, prefix="a")},
            parrots(),
            untrained=untrained,
            settings=anteval.GapSettings(refits=0),
        )
    )
    assert table.failures == (UnusableReplies("f0", "unreadable", 3, 5),)
    assert table.f0 is not None
    assert (table.f0.failed, table.f0.f_c.value) == (3, 1.0)


def test_a_dm_of_whose_replies_none_could_be_used_has_no_score_and_no_gap() -> None:
    def mute() -> anteval.LocalDM:
        dm = anteval.LocalDM(Parrot([]))
        dm.failures["timeout"] = 5
        return dm

    generated = {"one": play(9, prefix="a")}
    test = play(10, prefix="t")
    table = asyncio.run(
        anteval.measure_gap(play(20), test, generated, mute, settings=anteval.GapSettings(refits=0))
    )
    (row,) = table.rows
    assert (row.fg.failed, row.fg.f_c.value, row.fg.f_o.value, row.fg.macro.f_o) == (5,) + (
        None,
    ) * 3
    assert row.g_c.printed.value is None
    assert row.g_o.signed.value is None
    assert {one.what: (one.count, one.of) for one in table.failures}["one"] == (5, 5)


def test_a_refit_of_whose_replies_none_could_be_used_is_no_score_of_0() -> None:
    """Refits of 4, 4 and no usable reply: those of value do not vary, so there is no spread."""
    rows = play(60, prefix="t", groups=12)
    own, one, other, lost = fifths_wrong(1, 1, 1, 5).all
    mute = ScoredDM(lost.rows, failed=len(lost.rows))
    found = Draws(rows, 0).scores(Trained(own, (one, other, mute)))
    assert (found.f_c.value, found.f_c.low) == (0.8, None)


def test_each_training_is_told_of_before_it_begins() -> None:
    told: list[str] = []
    generated = {"one": play(9, prefix="a")}
    asyncio.run(
        anteval.measure_gap(
            play(20),
            play(10, prefix="t"),
            generated,
            parrots(),
            settings=anteval.GapSettings(refits=0),
            tell=told.append,
        )
    )
    assert told == [
        "training on 9 examples of one",
        "training on 9 examples of real play",
        "training on all 20 examples of real play",
    ]


def test_the_same_seed_gives_the_same_table() -> None:
    generated = {"one": play(9, HALF, prefix="a")}
    assert measured(generated) == measured(generated)


def test_the_gap_of_a_dm_with_itself_is_0_and_claims_no_certainty() -> None:
    rows = play(30, prefix="t")
    found = anteval.count_overlaps(
        [frozenset({WRONG if n < 12 else RIGHT}) for n in range(30)], rows
    )
    draws = Draws(rows, 0)
    gap = gap_o(draws, found, found)
    assert (gap.signed.value, gap.signed.low, gap.signed.high) == (0, None, None)
    scores = scores_of(draws, found)
    assert scores.f_o.low is not None
    assert scores.f_o.high is not None
    assert scores.f_o.low < 0.6 < scores.f_o.high


def test_pairing_takes_out_what_is_hard_for_both() -> None:
    # In 6 of 12 episodes both are always wrong; the other DM has 4 more rows wrong: 30 and 26 of 60
    # right, a gap of 4 / 56.
    rows = play(60, prefix="t", groups=12)
    hard = {f"t {number}" for number in range(6)}
    one = [WRONG if row.group in hard else RIGHT for row in rows]
    other = [WRONG if int(row.id[2:]) < 10 else label for row, label in zip(rows, one, strict=True)]
    draws = Draws(rows, 0)
    first = anteval.count_overlaps([frozenset({label}) for label in one], rows)
    second = anteval.count_overlaps([frozenset({label}) for label in other], rows)
    gap, scores = gap_o(draws, first, second).signed, scores_of(draws, first).f_o
    assert gap.value == pytest.approx(100 * 4 / 56)
    assert gap.low is not None
    assert gap.high is not None
    assert scores.low is not None
    assert scores.high is not None
    assert gap.low > 0
    assert (gap.high - gap.low) / 100 < (scores.high - scores.low) / 4


def test_the_printed_gap_starts_at_0_where_the_signed_one_reaches_across_it() -> None:
    rows = play(40, prefix="t", groups=8)
    one = [RIGHT if int(row.id[2:]) % 8 < 4 else WRONG for row in rows]
    other = [RIGHT if int(row.id[2:]) % 8 > 3 else WRONG for row in rows]
    found = [
        anteval.count_overlaps([frozenset({label}) for label in side], rows)
        for side in (one, other)
    ]
    gap = gap_o(Draws(rows, 0), *found)
    assert gap.signed.low is not None
    assert gap.signed.low < 0
    assert gap.printed.low == 0
    assert gap.printed.high == max(-gap.signed.low, gap.signed.high or 0)


@pytest.mark.parametrize("groups", [1, 2, 4])
def test_few_groups_have_no_interval(groups: int) -> None:
    rows = play(12, prefix="t", groups=groups)
    found = anteval.count_overlaps(
        [frozenset({RIGHT if n < 7 else WRONG}) for n in range(12)], rows
    )
    figure = scores_of(Draws(rows, 0), found).f_o
    assert figure.value == pytest.approx(7 / 12)
    assert (figure.low, figure.high) == (None, None)


def test_five_groups_have_one() -> None:
    rows = play(12, prefix="t", groups=5)
    found = anteval.count_overlaps(
        [frozenset({RIGHT if n < 7 else WRONG}) for n in range(12)], rows
    )
    figure = scores_of(Draws(rows, 0), found).f_o
    assert figure.low is not None
    assert figure.low < 7 / 12


def test_a_sample_takes_whole_groups_but_the_last() -> None:
    examples = play(40, groups=8)
    drawn = sample_groups(examples, 13, seed=3)
    sizes = [sum(one.group == name for one in drawn) for name in {one.group for one in drawn}]
    assert len(drawn) == len(set(drawn)) == 13
    assert sorted(sizes) == [3, 5, 5]
    assert sample_groups(list(reversed(examples)), 40, 3) == tuple(reversed(examples))
    assert {one.group for one in sample_groups(examples[::-1], 15, 3)} == {
        one.group for one in sample_groups(examples, 15, 3)
    }
    assert sample_groups(examples, 13, seed=4) != drawn


def test_two_halves_share_no_group_and_have_about_as_many_labels() -> None:
    one, other = halves([*play(40, groups=8), *play(10, prefix="x", groups=1)], seed=0)
    assert abs(len(one) - len(other)) <= 10
    assert len(one) + len(other) == 50
    assert not {row.group for row in one} & {row.group for row in other}


def test_samples_are_of_so_many_labels_not_examples() -> None:
    """Examples of 2 labels: 7 labels take 4 of them; of 1 label each, 7."""
    double = [replace(row, labels=frozenset({RIGHT, WRONG})) for row in play(20)]
    assert len(sample_groups(double, 7, seed=0)) == len(redrawn(double, 7, 0, 1)) == 4
    assert len(sample_groups(play(20), 7, seed=0)) == len(redrawn(play(20), 7, 0, 1)) == 7
    table = measured({"double": double}, real=play(50, prefix="r"))
    (row,) = table.rows
    assert (row.examples, row.labels, row.real_examples) == (20, 40, 40)


def test_an_episode_is_not_both_learned_from_and_tested_on() -> None:
    with pytest.raises(ConfigError, match='"g 0" is in the real play to train on and in the test'):
        measured({"one": play(5, prefix="a")}, test=play(10))


def test_empty_sets_are_refused_by_name() -> None:
    with pytest.raises(ConfigError, match="examples to train on in nothing"):
        measured({"nothing": []})
    loose = [replace(row, strict=False) for row in play(4, prefix="t")]
    with pytest.raises(ConfigError, match="at least a strict test row"):
        measured({"one": play(5, prefix="a")}, test=loose)
    with pytest.raises(ConfigError, match="at least 1 label per row"):
        measured({"one": play(5, prefix="a")}, settings=anteval.GapSettings(most=0, refits=0))


def fifths_wrong(*wrong: int) -> Trained:
    """In each of 12 groups so many of 5 rows are wrong: in the study, then in each refit."""
    rows = play(60, prefix="t", groups=12)
    every = [
        anteval.count_overlaps(
            [{WRONG if number // 12 < one else RIGHT} for number in range(60)], rows
        )
        for one in wrong
    ]
    return trained(*every)


def test_the_spread_of_refits_by_hand() -> None:
    """All real rows right, F 1; generated 4 of 5, refits 5, 4 and 3 of 5: G 11.1; 0, 11.1 and 25.

    The variance of 0, 11.1 and 25 is 156.9 (2 degrees of freedom, t 4.303), that of the test rows
    0, as all groups are alike: 11.1 +- 4.303 x 12.53.
    """
    draws = Draws(play(60, prefix="t", groups=12), 0)
    gap, _ = draws.gaps(fifths_wrong(0, 0, 0, 0), fifths_wrong(1, 0, 1, 2))
    assert gap.signed.value == pytest.approx(100 / 9)
    assert gap.signed.low == pytest.approx(-42.78, abs=0.01)
    assert gap.signed.high == pytest.approx(65.01, abs=0.01)
    assert (gap.printed.low, gap.printed.high) == (0, gap.signed.high)


def test_the_spread_of_test_rows_by_hand() -> None:
    """Half of 12 groups wrong: G 33.3, slope -88.9 in F, whose variance is .25 / 12: sd 12.8.

    Refits that change nothing leave 11 degrees of freedom: 33.3 +- 2.201 x 12.8.
    """
    rows = play(60, prefix="t", groups=12)
    half = anteval.count_overlaps(
        [{WRONG if number % 12 < 6 else RIGHT} for number in range(60)], rows
    )
    gap, _ = Draws(rows, 0).gaps(fifths_wrong(0, 0, 0), trained(half, half, half))
    assert gap.signed.value == pytest.approx(100 / 3)
    assert gap.signed.high is not None
    assert gap.signed.high - 100 / 3 == pytest.approx(28.2, rel=0.1)


def test_the_spread_of_test_rows_is_the_mean_over_the_study_and_its_refits() -> None:
    """The study's rows are all right and do not vary, those of two refits as above: two thirds of
    the variance 164, so 10.5 x 2.201 about the G of 0, and the refits are alike."""
    rows = play(60, prefix="t", groups=12)
    half = anteval.count_overlaps(
        [{WRONG if number % 12 < 6 else RIGHT} for number in range(60)], rows
    )
    right = anteval.count_overlaps([{RIGHT}] * 60, rows)
    gap, _ = Draws(rows, 0).gaps(fifths_wrong(0, 0, 0), trained(right, half, half))
    assert gap.signed.value == 0
    assert gap.signed.high == pytest.approx(23.0, rel=0.1)


def test_an_interval_ends_where_the_scale_does() -> None:
    draws = Draws(play(60, prefix="t", groups=12), 0)
    gap, _ = draws.gaps(fifths_wrong(0, 0, 0, 0), fifths_wrong(3, 0, 3, 5))
    assert (gap.signed.low, gap.signed.high) == (-100, 100)
    f_c = draws.scores(fifths_wrong(3, 0, 3, 5)).f_c
    assert (f_c.low, f_c.high) == (0, 1)


def test_test_rows_drawn_without_any_right_answer_tell_nothing_of_the_gap() -> None:
    """Both are right in one group alone, 5 and 3 of 5 rows: G is 25 wherever it is drawn."""
    rows = play(60, prefix="t", groups=12)
    real, generated = (
        anteval.count_overlaps(
            [{RIGHT if number in right else WRONG} for number in range(60)], rows
        )
        for right in (range(0, 60, 12), range(0, 36, 12))
    )
    gap = gap_o(Draws(rows, 0), real, generated).signed
    assert gap.value == pytest.approx(25)
    assert (gap.low, gap.high) == (None, None)


def test_the_difference_of_two_gaps_by_hand() -> None:
    """G 11.1 and 25; in refits 0 and 11.1, 25 and 42.9, 11.1 and 25. Differences -13.9; -11.1,
    -17.9 and -13.9, whose sd is 3.391: -13.9 +- 4.303 x 3.391; t 4.096, p .0547."""
    draws = Draws(play(60, prefix="t", groups=12), 0)
    one, other = fifths_wrong(1, 0, 2, 1), fifths_wrong(2, 1, 3, 2)
    (found, p), _ = draws.differences(fifths_wrong(0, 0, 0, 0), one, other)
    assert found.value == pytest.approx(-13.889, abs=0.001)
    assert found.low == pytest.approx(-28.48, abs=0.01)
    assert found.high == pytest.approx(0.70, abs=0.01)
    assert p == pytest.approx(0.0547, abs=0.0001)
    (_, none), _ = draws.differences(fifths_wrong(0), fifths_wrong(1), fifths_wrong(2))
    assert none is None


def test_whoever_learns_from_other_sessions_each_time_has_a_wider_interval() -> None:
    """Of ten sessions a parrot repeats the first it is given: half of them teach it the wrong."""
    mixed = [*play(5, RIGHT, prefix="a"), *play(5, WRONG, prefix="b")]
    fixed = measured({"one": mixed}).rows[0].g_c.signed
    found = measured({"one": mixed}, settings=anteval.GapSettings()).rows[0].g_c.signed
    assert (fixed.low, fixed.high) == (None, None)
    assert found.low is not None
    assert found.high is not None
    assert found.high - found.low > 50


def test_sets_of_the_same_sessions_are_redrawn_alike() -> None:
    one, other = play(20, prefix="a", groups=10), play(20, prefix="b", groups=10)
    renamed = [replace(row, group=row.group.replace("b", "a")) for row in other]
    for number in range(3):
        drawn = redrawn(one, 20, 5, number)
        assert [row.group for row in drawn] == [
            row.group for row in redrawn(renamed, 20, 5, number)
        ]
        assert len(drawn) == 20
        assert len(set(drawn)) < 20
    assert redrawn(one, 20, 5, 0) != redrawn(one, 20, 5, 1)
    assert len(redrawn(one, 50, 5, 0)) == 50


def test_a_window_has_its_check_in_the_middle() -> None:
    """15 turns of 20 before it, 15 of 18 after it; with 4 after it there is no window."""
    before = tuple(anteval.Turn("Orsa", f"before {number}") for number in range(20))
    after = tuple(anteval.Turn("Tilin", f"after {number}") for number in range(18))
    (row,) = play(1)
    (found,) = windows([replace(row, turns=before, after=after), replace(row, after=after[:4])])
    assert found.turns == (*before[5:], *after[:15])
    assert (found.group, found.labels, found.after) == (row.group, row.labels, ())


def test_real_play_in_the_format_of_generated_play_is_measured_at_its_sizes() -> None:
    table = asyncio.run(
        anteval.measure_gap(
            play(20),
            play(10, prefix="t"),
            {"a": play(6, prefix="a"), "b": play(6, prefix="b"), "c": play(30, prefix="c")},
            parrots(),
            control=play(10, WRONG),
            settings=anteval.GapSettings(refits=0),
        )
    )
    sizes = [(row.name, row.examples, row.real_examples) for row in table.controls]
    assert sizes == [("real play in this format", 6, 6), ("real play in this format", 10, 10)]
    assert [row.g_c.printed.value for row in table.controls] == [100, 100]
