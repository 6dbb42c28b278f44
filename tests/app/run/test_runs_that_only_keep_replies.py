"""Replies of an audit or the like are kept in a run that no verb takes for a run of episodes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sociolab import JudgeConfig, judge_run, result_of
from sociolab.analysis import agreements
from sociolab.app import AuditConfig, CreditConfig, credit_run
from sociolab.app.audit import audit
from sociolab.app.run.session import run_for_replies
from sociolab.core import ConfigError
from sociolab.runner import TalliedReplies, Tally
from sociolab.store import Store, export_run, import_run
from sociolab.studies import import_ratings


@pytest.fixture
def kept(tmp_path: Path) -> tuple[Path, str]:
    """A store with nothing but the replies of an audit, and their run."""
    path = tmp_path / "s.db"
    about = ("audit", {"run": "r", "judge": "openai/j"})
    with (
        Store.open(path) as store,
        run_for_replies(store, path, "sotopia", about, TalliedReplies(Tally())) as name,
    ):
        return path, name


def _report(path: Path, run: str) -> None:
    with Store.open(path, create=False) as store:
        result_of(store, run)


def _agree(path: Path, run: str) -> None:
    with Store.open(path, create=False) as store:
        agreements(store, [run])


def _judge(path: Path, run: str) -> None:
    judge_run(run, JudgeConfig(judges=("heuristic",), store=path), repeats=1)


def _audit(path: Path, run: str) -> None:
    audit(AuditConfig(run=run, kinds=("family",), store=path))


def _credit(path: Path, run: str) -> None:
    credit_run(CreditConfig(run=run, judge="openai/j", metric="goal", store=path))


def _rate(path: Path, run: str) -> None:
    file = path.with_name("r.csv")
    file.write_text("episode,seat,rater,dimension,score\na,b,anna,goal,7\n", encoding="utf-8")
    import_ratings(file, run, store=path)


@pytest.mark.parametrize("verb", [_report, _agree, _judge, _audit, _credit, _rate])
def test_it_is_refused_where_episodes_are_wanted(
    kept: tuple[Path, str], verb: Callable[[Path, str], None]
) -> None:
    told = "expected a run of episodes, found audit-.*, which only keeps the replies of an audit"
    with pytest.raises(ConfigError, match=told):
        verb(*kept)


@pytest.mark.parametrize(
    ("keeps", "work"), [("gap", "a gap"), ("writer", "a writer"), ("audit", "an audit"), ("", "")]
)
def test_what_a_run_keeps_is_its_own_column_whatever_its_settings(
    tmp_path: Path, keeps: str, work: str
) -> None:
    with Store.open(tmp_path / "s.db") as store:
        store.create_run("r", "sotopia", {"audit": {}}, [], keeps=keeps)
        assert (store.run("r").keeps, store.run("r").work) == (keeps, work)
        export_run(store, "r", tmp_path / "r.zip")
        import_run(store, tmp_path / "r.zip", "copy")
        assert store.run("copy").keeps == keeps
