"""Which sessions are shown, what is seen of them, and what people said."""

from __future__ import annotations

from pathlib import Path

import pytest

from impression_runs import IEP, MARK, RUN, STUDY, build
from rating_runs import open_study
from sociolab.core import ConfigError, Score
from sociolab.store import Store
from sociolab.studies import assign_next, people_judge, submit_word
from sociolab.studies.impressions import (
    count_words,
    draw_sessions,
    impression_study,
    impression_words,
    low_sessions,
    session_pool as pile,
    view_session,
)
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
    one = draw_sessions(tuple(low), PLAN, RUN)
    assert draw_sessions(tuple(reversed(low)), PLAN, RUN) == one
    assert len(one) == 3
    others = {draw_sessions(tuple(low), PLAN.model_copy(update={"seed": n}), RUN) for n in range(9)}
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
        assert submit_word(store, STUDY, first, item, "two words") == "Write one word only."
        assert submit_word(store, STUDY, second, item, "sly") == ""
        assert impression_words(store, STUDY) == ()
        assert submit_word(store, STUDY, first, item, "Vague") == ""
        assert submit_word(store, STUDY, first, item, "other") == ""
        assert impression_words(store, STUDY) == ((item, "r1", "vague"),)
    assert count_words([("a", "x", "dull"), ("b", "x", "vague"), ("a", "y", "dull")]) == (
        ("dull", 2),
        ("vague", 1),
    )


def test_a_session_is_shown_without_what_is_private(tmp_path: Path) -> None:
    build(tmp_path / "store.db", (0.1,))
    with Store.open(tmp_path / "store.db") as store:
        shown = view_session(store, RUN, "table00")
    text = repr(shown)
    assert "a mill" in text
    assert "coat seen-player-1" in text
    assert "iron door" in text
    for private in (*MARK, "openai", "secret-model"):
        assert private not in text
