"""The scores of one judge with their reasons, in one query: what `judgings` says, in short."""

from __future__ import annotations

from pathlib import Path

from report.small_run import HEURISTIC, RUN, build
from sociolab.core.score import JudgeId, Score
from sociolab.store.store import Store
from sociolab.store.verdicts import Reasoned


def test_it_says_what_the_judgings_say_without_failures(tmp_path: Path) -> None:
    build(tmp_path / "store.db")
    with Store.open(tmp_path / "store.db") as store:
        found = store.verdicts.reasons(RUN, HEURISTIC)
        wanted = tuple(
            Reasoned(str(row.trial), row.judging, v.measure.name, v.seat or "", v.value, v.reason)
            for row in store.verdicts.judgings(RUN, HEURISTIC)
            for v in row.verdicts
            if isinstance(v, Score)
        )
        assert found == wanted
        assert len(found) == 43
        assert store.verdicts.reasons(RUN, JudgeId("nobody", "people", "x")) == ()
