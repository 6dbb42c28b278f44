"""`sociolab audit`, on the local endpoint: paid once, resumed, told in sentences."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.conftest import Sociolab
from sociolab import JudgeConfig, RunConfig, judge_run, run
from sociolab.app.run.session import run_for_replies
from sociolab.endpoint import EndpointProcess, EndpointSettings, start_in_process
from sociolab.runner import TalliedReplies, Tally
from sociolab.store import Store


@pytest.fixture(scope="module")
def endpoint() -> Iterator[EndpointProcess]:
    with start_in_process(EndpointSettings(characters=60)) as process:
        yield process


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("audit") / "s.db"
    run(RunConfig(tasks="bargain", limit=3, name="r", store=path))
    return path


@pytest.fixture
def played(sociolab: Sociolab, stored: Path, tmp_path: Path) -> Sociolab:
    shutil.copy(stored, tmp_path / "s.db")
    return sociolab


def test_an_audit_by_a_model_prints_every_kind_and_is_paid_once(
    played: Sociolab, endpoint: EndpointProcess, tmp_path: Path
) -> None:
    for name in ("Fair", "FavoursFirst"):
        played("judge", "r", "--judge", f"python:biased_judges:{name}", "--store", "s.db")
    command = (
        "audit", "r", "--judge", "openai/j", "--repeats", 1, "--base-url", endpoint.url,
        "--panel", "Fair,FavoursFirst", "--store", "s.db",
    )  # fmt: skip
    first = played(*command)
    assert first.code == 0, first.err
    kinds = ("Repeat:", "Order:", "Names:", "Padding:", "Self-preference:", "A panel of")
    for heading in ("Audit of openai/j", *kinds):
        assert heading in first.out
    asked = endpoint.counters.requests
    again = played(*command, "--json")
    assert again.code == 0, again.err
    assert endpoint.counters.requests == asked, "a reply was paid for twice"
    with Store.open(tmp_path / "s.db", create=False) as store:
        (name,) = [row.name for row in store.runs() if row.name.startswith("audit-")]
        # As it is, once more, reversed, names swapped, each of two seats padded, and a note to the
        # judge, goals swapped, cut, another transcript, secrets told, insults, forged
        # lines, names.
        assert store.calls.totals(name).calls == 3 * 14
        assert not list(store.verdicts.scores(name))
        assert store.calls.totals("r").calls == 0
    document = again.document
    assert list(document["audits"])[:5] == ["repeat", "order", "names", "padding", "judge-note"]
    overall = [e for e in document["audits"]["order"] if e["measure"] == "overall"]
    assert {e["what"] for e in overall} == {"listed first", "change", "absolute change"}
    assert all((e["n"], e["clusters"], e["missing"]) == (6, 3, 0) for e in overall)
    assert 'no model judged "r"' in document["family"]["why_not"]
    assert document["panel"]["judges"] == ["Fair", "FavoursFirst"]
    assert document["panel"]["methods"] == ["scripted", "scripted"]
    assert document["sections"][0]["title"] == "Audit of openai/j · run r"


@pytest.mark.parametrize(
    ("args", "problem"),
    [
        (("audit", "r"), "--judge: expected the judge to audit"),
        (("audit", "r", "--panel", "heuristic,outcome"), "--panel: expected judges of one"),
        (("audit", "r", "--judge", "heuristic", "--kind", "shout"), "--kind shout: sotopia has no"),
        (("audit", "r", "--kind", "family", "--family", "gpt"), "--family: expected NAME=PATTERN"),
    ],
)
def test_what_is_wrong_is_named_in_a_sentence(
    played: Sociolab, args: tuple[str, ...], problem: str
) -> None:
    done = played(*args, "--store", "s.db")
    assert done.code == 2
    assert problem in done.sentence


def test_where_every_judging_failed_the_command_fails_and_counts_them(played: Sociolab) -> None:
    judge = ("--judge", "python:biased_judges:Fails", "--repeats", 1)
    done = played("audit", "r", *judge, "--kind", "repeat", "--json", "--store", "s.db")
    assert done.code == 1
    assert "all of 6 judgings failed (unreadable 6): the audit found nothing" in done.err
    assert (done.document["judgings"], done.document["failed"]) == (6, {"unreadable": 6})


def test_a_judge_and_a_panel_that_failed_on_every_play_are_told_by_the_exit_code(
    played: Sociolab, tmp_path: Path
) -> None:
    fair = JudgeConfig(judges=("python:biased_judges:Fair",), store=tmp_path / "s.db")
    assert judge_run("r", fair, repeats=1).played == 3
    failed = played("judge", "r", "--judge", "python:biased_judges:Fails", "--store", "s.db")
    assert failed.code == 1
    assert "judge Fails, which gave none" in failed.err
    done = played("audit", "r", "--panel", "Fails,Fair", "--store", "s.db")
    assert done.code == 1
    assert "6 of 6 scores of the panel failed, and none is complete" in done.err


def test_what_an_audit_keeps_is_no_run_of_episodes(played: Sociolab, tmp_path: Path) -> None:
    path, about = tmp_path / "s.db", ("audit", {"run": "r", "judge": "openai/j"})
    replies = TalliedReplies(Tally())
    with (
        Store.open(path, create=False) as store,
        run_for_replies(store, path, "sotopia", about, replies) as kept,
    ):
        assert kept.startswith("audit-")
    listed = played("list", "runs", "--store", "s.db")
    assert "audit-" not in listed.out
    assert "not shown: 1 run without episodes (cached replies); --all shows them" in listed.err
    rows = played("list", "runs", "--all", "--store", "s.db", "--json").document["runs"]
    assert [(row["run"], row["holds"]) for row in rows] == [
        ("r", "episodes"), (kept, "the replies of an audit")
    ]  # fmt: skip
    done = played("report", kept, "--html", "page.html", "--store", "s.db")
    assert (done.code, (tmp_path / "page.html").exists()) == (2, False)
    assert f"expected a run of episodes, found {kept}, which only keeps the repl" in done.sentence
    assert played("delete", kept, "--yes", "--store", "s.db").code == 0
    with Store.open(path, create=False) as store:
        assert [row.name for row in store.runs()] == ["r"]


def test_with_check_a_control_that_fails_is_told_by_the_exit_code(played: Sociolab) -> None:
    command = ("audit", "r", "--judge", "python:biased_judges:Constant", "--kind", "insult")
    store = ("--store", "s.db")
    assert played(*command, *store).code == 0
    done = played(*command, "--check", *store, "--json")
    assert done.code == 1
    assert [one["verdict"] for one in done.document["controls"]] == ["fails", "fails"]


def test_a_dry_run_prints_what_an_audit_or_a_judging_takes_and_calls_nothing(
    played: Sociolab, endpoint: EndpointProcess
) -> None:
    before = endpoint.counters.requests
    judge = ("--judge", "openai/j", "--base-url", endpoint.url, "--store", "s.db")
    audit = ("audit", "r", *judge, "--kind", "repeat", "--repeats", 1, "--dry-run")
    printed = played(*audit, "--latency", 2)
    assert printed.code == 0, printed.err
    assert "to be judged: 3 episodes of 3 tasks, as they are and changed, in 6 judgings" in (
        printed.out
    )
    assert "time: about 4 s, at 2 s per call as given" in printed.out
    estimated = played(*audit, "--budget", 0.5, "--json").document
    assert (estimated["dry_run"], estimated["cases"][0]["calls"]) == (True, 6)
    assert (estimated["budget_usd"], estimated["spent_usd"]) == (0.5, 0.0)
    judged = played("judge", "r", *judge, "--repeats", 2, "--dry-run", "--json").document
    assert (judged["trials"], judged["cases"][0]["calls"], judged["exam"]) == (3, 6, None)
    exam = played("judge", "--exam", "openai/j", *judge[2:], "--dry-run", "--json").document
    assert exam["cases"][0]["calls"] == 20
    assert endpoint.counters.requests == before
    for verb in (("judge", "r"), ("audit", "r")):
        refused = played(*verb, *judge, "--latency", 2)
        assert refused.code == 2
        assert "--latency is for an estimate: say --dry-run too" in refused.sentence
