"""`sociolab compare`: offline runs, compared as a user would."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from cli.conftest import Sociolab
from report.small_run import ALPHA, build
from sociolab import RunConfig, run
from sociolab.cli.compare import parse_ks
from sociolab.core import ConfigError


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small run, and 4 conversation tasks played by two agents by rules."""
    path = tmp_path_factory.mktemp("compare") / "s.db"
    build(path)
    for agent, name in (("scripted", "vague"), ("scripted-complete", "complete")):
        run(RunConfig(world="stss-talk", agents=(agent,), limit=4, name=name, store=path))
    return path


@pytest.fixture
def played(sociolab: Sociolab, stored: Path, tmp_path: Path) -> Sociolab:
    shutil.copy(stored, tmp_path / "s.db")
    return sociolab


def test_two_runs_are_compared_in_words_and_tables(played: Sociolab, tmp_path: Path) -> None:
    done = played(
        "compare", "vague", "complete", "--full", "--store", "s.db", "--html", "page.html"
    )
    assert done.code == 0, done.err
    text = " ".join(done.out.split())
    assert "A: scripted vs. B: scripted-complete" in text
    assert "4 pairs of whole episodes" in text
    assert "no language model is compared" in text
    for heading in (
        "Differences", "Power", "SOTOPIA's Table 3",
        "Consistency over repeats",
    ):  # fmt: skip
        assert heading in text
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.index("A: scripted vs. B:") < page.index("Runs side by side")
    assert page.index("Runs side by side") < page.index("Reproduce this run")
    assert "wrote page.html" in done.err


def test_a_run_with_nothing_to_compare_says_what_would_be(played: Sociolab) -> None:
    done = played("compare", "vague", "--store", "s.db")
    assert (done.code, done.out) == (2, "")
    assert "vague: expected two agents to compare, found " in done.sentence
    assert "no pass^k, since no task was played twice (--repeats 4)" in done.sentence
    assert "sociolab run stss-talk --agent B --name OTHER" in done.sentence
    assert "sociolab compare vague OTHER; sociolab report vague shows" in done.sentence


def test_an_agent_that_is_the_partner_too_is_one_of_the_two(
    played: Sociolab, tmp_path: Path
) -> None:
    """As a report of the run says, whose next step this is."""
    agents = ("scripted", "scripted-complete")
    store = tmp_path / "s.db"
    run(
        RunConfig(
            world="stss-talk", agents=agents, partner=agents[0], limit=4, name="both", store=store
        )
    )
    done = played("compare", "both", "--store", "s.db")
    assert done.code == 0, done.err
    assert "A: scripted vs. B: scripted-complete" in done.out


def test_a_comparison_is_short_unless_all_of_it_is_asked_for(played: Sociolab) -> None:
    flags = ("--store", "s.db", "--agent", ALPHA, "--with", "scripted", "--judge", "heuristic")
    done = played("compare", "small", *flags)
    assert done.code == 0, done.err
    assert len(done.out.splitlines()) <= 40
    assert "Differences" in done.out
    for heading in ("Power and sample size", "t-test", "Consistency", "pairs of episodes that"):
        assert heading not in done.out
        assert heading in played("compare", "small", *flags, "--full").out
    assert "Next: sociolab show " in done.err
    assert "--full" in done.err


def test_the_document_holds_what_was_said_and_every_figure(played: Sociolab) -> None:
    flags = ("--store", "s.db", "--agent", ALPHA, "--with", "scripted", "--judge", "heuristic")
    document = played("compare", "small", *flags, "--threshold", 6, "--json").document
    comparison = document["comparison"]
    goal = comparison["measures"]["goal"]
    assert goal["difference"]["value"] == pytest.approx(32 / 9)
    assert (goal["pairs"], goal["permutation"]["p"], goal["holm_p"]) == (9, 0.25, 0.25)
    assert comparison["matched_by"] == ["task", "seat", "partner", "repeat"]
    a, b, difference = (one for one in document["consistency"] if one["measure"] == "goal")
    assert (a["side"], b["side"], difference["side"]) == (ALPHA, "scripted", None)
    # Of the 9 pairs behind the means; alpha has 11 plays with a goal, scripted 9.
    assert {one["plays"] for one in (a, b, difference)} == {9}
    assert any("Undecided" in sentence for sentence in document["said"])


def test_what_cannot_be_done_is_said_in_one_sentence(played: Sociolab) -> None:
    done = played("compare", "vague", "--threshold", "3", "--store", "s.db")
    assert done.code == 2
    assert "--threshold 3 tells no episodes apart" in done.sentence


def test_numbers_of_repeats_are_read() -> None:
    assert parse_ks("4, 1,2,2") == (1, 2, 4)
    for text in ("", "0", "1,", "x", "-1"):
        with pytest.raises(ConfigError, match="--k"):
            parse_ks(text)
