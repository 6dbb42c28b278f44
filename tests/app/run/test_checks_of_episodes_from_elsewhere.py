"""Episodes that were not played here get what goals come to when somebody has them judged."""

from __future__ import annotations

from pathlib import Path

from sociolab import JudgeConfig, RunConfig, judge_run, run
from sociolab.store import Store

BARGAINS = RunConfig(tasks="bargain", limit=2, seed=1, name="b", judges=("none",))


def by_heuristic(store: Path) -> JudgeConfig:
    return JudgeConfig(judges=("heuristic",), store=store)


def judgings(store: Path) -> dict[str, int]:
    """How many judgings there are of each judge."""
    with Store.open(store, create=False) as opened:
        found = [row.judge.name for row in opened.verdicts.judgings("b")]
    return {name: found.count(name) for name in found}


def test_checks_judge_where_they_never_have_and_once(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    config = BARGAINS.model_copy(update={"store": path})
    run(config)
    assert judgings(path) == {"outcome": 2, "reported": 2}
    with Store.open(path, create=False) as store:  # as episodes are that were imported
        for row in list(store.verdicts.judgings("b")):
            store.verdicts.delete("b", row.judge, trial=row.trial)
    result = judge_run("b", by_heuristic(path), repeats=2).result
    assert judgings(path) == {"outcome": 2, "reported": 2, "heuristic": 4}
    assert {one.judge for one in result.scores if one.measure == "goal_checked"} == {"outcome"}


def test_what_a_check_has_judged_it_does_not_judge_again(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    config = BARGAINS.model_copy(update={"store": path})
    run(config)
    judge_run("b", by_heuristic(path), repeats=1)
    assert judgings(path) == {"outcome": 2, "reported": 2, "heuristic": 2}


def test_a_check_that_was_cut_off_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    config = BARGAINS.model_copy(update={"store": path})
    run(config)
    with Store.open(path, create=False) as store:
        first = next(row for row in store.verdicts.judgings("b") if row.judge.name == "outcome")
        store.verdicts.delete("b", first.judge, trial=first.trial)
    judge_run("b", by_heuristic(path), repeats=1)
    assert judgings(path) == {"outcome": 2, "reported": 2, "heuristic": 2}


def test_a_check_of_another_version_is_not_put_beside_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    config = BARGAINS.model_copy(update={"store": path})
    run(config)
    with Store.open(path, create=False) as store:
        store.write("UPDATE judges SET settings = 'older' WHERE name = 'outcome'")
    judge_run("b", by_heuristic(path), repeats=1)
    assert judgings(path) == {"outcome": 2, "reported": 2, "heuristic": 2}
