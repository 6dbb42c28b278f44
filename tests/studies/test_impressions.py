"""Which sessions are shown, what is seen of them, and the cloud of what people said."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from impression_runs import IEP, MARK, RUN, STUDY, build
from rating_runs import open_study
from sociolab.core.errors import ConfigError
from sociolab.core.score import Score
from sociolab.store.store import Store
from sociolab.studies.assignment import assign_next
from sociolab.studies.impressions import (
    MOST,
    counted,
    drawn,
    give_word,
    impression_study,
    low_sessions,
    session_shown,
    word_cloud,
    words_of,
)
from sociolab.studies.impressions import (
    session_pool as pile,
)
from sociolab.studies.ratings import people_judge
from sociolab.studies.settings import ImpressionsPlan

PLAN = ImpressionsPlan(run=RUN, sessions=3, raters=2)
MADE = {"title": "Tables", "impressions": {"run": RUN, "sessions": 3, "raters": 2}}


def test_only_sessions_below_the_limit_are_drawn_and_the_seed_decides_which(tmp_path: Path) -> None:
    build(tmp_path / "store.db", (0.1, 0.5, 0.2, 0.9, 0.3, 0.4, None))
    with Store.open(tmp_path / "store.db") as store:
        low_to_somebody = [Score(IEP, None, 0.0)]
        store.verdicts.add(RUN, people_judge("guests"), low_to_somebody, trial="table01")
        low = low_sessions(store, RUN, PLAN)
    assert low == {"table00": 0.1, "table02": 0.2, "table04": 0.3, "table05": 0.4}
    one = drawn(tuple(low), PLAN, RUN)
    assert drawn(tuple(reversed(low)), PLAN, RUN) == one
    assert len(one) == 3
    others = {drawn(tuple(low), PLAN.model_copy(update={"seed": n}), RUN) for n in range(9)}
    assert len(others) > 3


def test_a_run_without_low_sessions_is_refused(tmp_path: Path) -> None:
    build(tmp_path / "store.db", (0.8,))
    with Store.open(tmp_path / "store.db") as store:
        open_study(store, 1, STUDY, "impressions", RUN, MADE)
        with pytest.raises(ConfigError, match=r"iep below 0\.5, found none"):
            impression_study(store, store.studies.get(STUDY))


def test_a_word_is_kept_once_for_a_session_that_was_given(tmp_path: Path) -> None:
    build(tmp_path / "store.db", (0.1, 0.2))
    with Store.open(tmp_path / "store.db") as store:
        first, second = open_study(store, 2, STUDY, "impressions", RUN, MADE)
        study = impression_study(store, store.studies.get(STUDY))
        item = assign_next(store, STUDY, first.pk, pile(study))
        assert item is not None
        assert give_word(store, STUDY, first, item, "two words") == "Write one word only."
        assert give_word(store, STUDY, second, item, "sly") == ""
        assert words_of(store, STUDY) == ()
        assert give_word(store, STUDY, first, item, "Vague") == ""
        assert give_word(store, STUDY, first, item, "other") == ""
        assert words_of(store, STUDY) == ((item, "r1", "vague"),)
    assert counted([("a", "x", "dull"), ("b", "x", "vague"), ("a", "y", "dull")]) == (
        ("dull", 2),
        ("vague", 1),
    )


def test_a_session_is_shown_without_what_is_private(tmp_path: Path) -> None:
    build(tmp_path / "store.db", (0.1,))
    with Store.open(tmp_path / "store.db") as store:
        shown = session_shown(store, RUN, "table00")
    text = repr(shown)
    assert "a mill" in text
    assert "coat seen-player-1" in text
    assert "iron door" in text
    for private in (*MARK, "openai", "secret-model"):
        assert private not in text


WORDS = st.dictionaries(
    st.text("abcdefgh乏味सुं-", min_size=1, max_size=30), st.integers(1, 50), max_size=40
)


@given(WORDS)
def test_no_two_words_of_a_cloud_overlap_and_all_lie_in_its_frame(counts: dict[str, int]) -> None:
    made = word_cloud(tuple(counts.items()))
    assert {word.text for word in made.words} == set(counts)
    for i, word in enumerate(made.words):
        assert not any(word.overlaps(other) for other in made.words[:i])
        assert word.x - word.width / 2 >= made.left
        assert word.x + word.width / 2 <= made.left + made.width + 0.1
        assert word.y - word.height / 2 >= made.top
        assert word.y + word.height / 2 <= made.top + made.height + 0.1


@given(WORDS)
def test_the_same_counts_make_the_same_cloud_and_more_frequent_words_are_no_smaller(
    counts: dict[str, int],
) -> None:
    rows = tuple(counts.items())
    made = word_cloud(rows)
    assert word_cloud(tuple(reversed(rows))) == made
    sizes = [word.size for word in made.words]
    assert sizes == sorted(sizes, reverse=True)


def test_a_cloud_of_very_many_words_says_how_many_are_left_out() -> None:
    made = word_cloud(tuple((f"w{'x' * (n % 20)}{n}", 1) for n in range(MOST + 30)))
    assert (len(made.words), made.left_out) == (MOST, 30)
    assert word_cloud(()).words == ()
