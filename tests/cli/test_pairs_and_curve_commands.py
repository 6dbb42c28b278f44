"""From a difference to its episodes, runs in an order, gates: offline runs, as a user would."""

from __future__ import annotations

import csv
import re
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest

from analysis.stored.comparing_runs import add_run
from cli.conftest import Sociolab
from sociolab import RunConfig, run
from sociolab.store import Store


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four tasks played by rules with three seeds, four turns each; and goals written by hand."""
    path = tmp_path_factory.mktemp("pairs") / "s.db"
    for seed in (1, 2, 3):
        run(
            RunConfig(
                world="sotopia", agents=("scripted",), limit=4, seed=seed, name=f"s{seed}",
                store=path, settings={"turns": "4"}, judges=("python:biased_judges:ByWords",),
            )
        )  # fmt: skip
    with Store.open(path) as store:
        for name, more in (("h1", 0), ("h2", 1), ("h3", 3)):
            goals = {f"t{i}": (3 + (more if i % 3 else 0),) for i in range(9)}
            extra = {"own": (9,)} if name == "h1" else {}
            add_run(store, name, "openai/x", goals | extra, partner="openai/p", seed=more)
    return path


@pytest.fixture
def played(sociolab: Sociolab, stored: Path, tmp_path: Path) -> Sociolab:
    shutil.copy(stored, tmp_path / "s.db")

    def command(*args: object, **variables: str) -> object:
        return sociolab(*args, "--store", "s.db", **variables)

    return command  # type: ignore[return-value]


BY_WORDS = ("--judge", "by-words")


def test_a_comparison_ends_with_episodes_that_show_prints_side_by_side(played: Sociolab) -> None:
    done = played("compare", "s1", "s2", *BY_WORDS, "--all")
    assert done.code == 0, done.err
    end = done.out[done.out.index("The pairs of episodes that differ most") :]
    command = re.search(r"sociolab (show \w+ \w+ --run s1 --run s2)", " ".join(end.split()))
    assert command is not None, end
    shown = played(*command[1].split())
    assert shown.code == 0, shown.err
    assert shown.out.count("Scores by by-words") == 2
    assert shown.out.index(" of s1") < shown.out.index(" of s2")


def test_json_holds_the_pairs_shown_and_the_file_all_of_them(
    played: Sociolab, tmp_path: Path
) -> None:
    flags = (*BY_WORDS, "--all", "--pairs-shown", 2, "--pairs", "pairs.csv", "--json")
    document = played("compare", "s1", "s2", *flags).document
    measures = document["comparison"]["measures"]
    assert [one["measure"] for one in document["pairs"]] == list(measures)
    rows = list(csv.DictReader((tmp_path / "pairs.csv").read_text("utf-8").splitlines()))
    assert {(row["judge"], row["method"]) for row in rows} == {("by-words", "rules")}
    for one in document["pairs"]:
        mine = [row for row in rows if row["measure"] == one["measure"]]
        assert len(mine) == one["pairs"] == measures[one["measure"]]["pairs"]
        assert len(one["shown"]) == min(2, one["differ"])
        gaps = [abs(float(row["difference"])) for row in mine]
        assert gaps == sorted(gaps, reverse=True)
        for pair, row in zip(one["shown"], mine, strict=False):
            assert (pair["a"]["episode"], pair["a"]["reason"]) == (
                row["episode_a"], row["reason_a"]
            )  # fmt: skip
    again = played("compare", "s1", "s2", *flags)
    assert again.code == 2
    assert "pairs.csv is there already" in again.sentence


def test_a_page_leads_from_each_pair_to_both_transcripts(played: Sociolab, tmp_path: Path) -> None:
    done = played("compare", "s1", "s2", *BY_WORDS, "--all", "--html", "page.html")
    assert done.code == 0, done.err
    page = (tmp_path / "page.html").read_text("utf-8")
    links = set(re.findall(r'href="#(pair-\d+)"', page))
    assert links
    assert links == set(re.findall(r'id="(pair-\d+)"', page))
    assert page.count('<div class="beside">') == len(links)
    assert "A, and why" in page
    assert not re.search(r'(src|href)="(?!#)', page)


def test_two_episodes_make_a_page_of_their_own(played: Sociolab, tmp_path: Path) -> None:
    rows = [
        played("list", "episodes", "--run", name, "--json").document["episodes"][0]["episode"]
        for name in ("s1", "s2")
    ]
    done = played("show", *rows, "--html", "two.html")
    assert done.code == 0, done.err
    page = (tmp_path / "two.html").read_text("utf-8")
    assert f"{rows[0]} of s1" in page
    assert f"{rows[1]} of s2" in page
    assert page.count('<table class="sheet">') >= 2
    assert not re.search(r'(src|href)="(?!#)', page)
    assert played("show", *rows, "--markdown").out.count("### ") == 2
    for flags, problem in (
        ((*rows, rows[0]), "one episode or two, found 3"),
        ((*rows, "--prompts"), "--prompts is for one episode"),
        ((rows[0], "--run", "s1", "--run", "s2"), "as many --run as episodes"),
    ):
        done = played("show", *flags)
        assert (done.code, problem in done.sentence) == (2, True), done.err


def test_a_named_agent_of_three_runs_is_compared_in_each_two_of_them(played: Sociolab) -> None:
    document = played("compare", "h1", "h2", "h3", "--agent", "openai/x", "--json").document
    # Six of nine goals are higher by 1 in h2, and by 3 in h3.
    pairs = {
        (pair["a"]["run"], pair["b"]["run"]): pair["difference"] for pair in document["all_pairs"]
    }
    assert pairs == {
        ("h1", "h2"): pytest.approx(-2 / 3),
        ("h1", "h3"): -2,
        ("h2", "h3"): pytest.approx(-4 / 3),
    }


def test_each_two_are_compared_in_the_main_metric_unless_others_are_named(
    played: Sociolab,
) -> None:
    # Overall is declared first, and so the main metric; by-words scores it and seven dimensions.
    command = ("compare", "s1", "s2", "s3", *BY_WORDS, "--json")
    named = ("--metric", "overall", "--metric", "believability")
    runs = (played(*command), played(*command, *named))
    alone, both = ([pair["measure"] for pair in one.document["all_pairs"]] for one in runs)
    assert alone == ["overall"] * 3
    assert sorted({*both}) == ["believability", "overall"]
    first, second = (one.document["all_pairs"][0] for one in runs)
    assert first["p"] == second["p"]
    assert first["holm_p"] <= second["holm_p"], "each further metric costs every pair"


def test_a_curve_follows_runs_in_the_order_given(played: Sociolab, tmp_path: Path) -> None:
    without = played("compare", "h2", "h1", "h3")
    assert without.code == 0
    assert "3 agents in 3 pairs" in without.out, "without it, each two of them are compared"
    document = played("compare", "h2", "h1", "h3", "--curve", "--json").document
    assert document["runs"] == ["h2", "h1", "h3"]
    assert (document["tasks"], document["tasks_left_out"]) == (9, 1)
    refused = played("compare", "h2", "h1", "--curve", "--with", "scripted")
    assert "--with is for two agents" in refused.sentence


def test_a_page_draws_a_line_for_each_measure(played: Sociolab, tmp_path: Path) -> None:
    done = played("compare", "s1", "s2", *BY_WORDS, "--curve", "--html", "curve.html")
    assert done.code == 0, done.err
    assert "Curve over runs: s1, s2" in done.out
    page = (tmp_path / "curve.html").read_text("utf-8")
    section = page.partition("Curve over runs")[2].partition("</section>")[0]
    assert section.count("data-chart ") == section.count("means with 95 % intervals (judge:") > 1


def test_a_gate_that_fails_is_the_exit_code(played: Sociolab) -> None:
    both = ("--fail-if", "goal<-9", "--fail-if", "goal>-9", "--json")
    done = played("compare", "h1", "h3", *both)
    assert done.code == 1
    assert [one["failed"] for one in done.document["gates"]] == [False, True]
    difference = "A \N{MINUS SIGN} B (h1 \N{MINUS SIGN} h3) is"
    assert f"--fail-if goal<-9: passed; {difference}" in done.err
    assert f"--fail-if goal>-9: FAILED; {difference}" in done.err
    assert played("compare", "h1", "h3", "--fail-if", "goal<-9").code == 0


def test_a_floor_for_a_run_is_a_gate_of_its_report(played: Sociolab, tmp_path: Path) -> None:
    done = played("report", "h1", "--fail-if", "goal<2", "--junit", "gates.xml")
    assert done.code == 0, done.err
    assert 'tests="1" failures="0"' in (tmp_path / "gates.xml").read_text("utf-8")
    assert played("report", "h1", "--fail-if", "goal<9", "--junit", "gates.xml").code == 1
    assert 'failures="1"' in (tmp_path / "gates.xml").read_text("utf-8")
    assert "say --fail-if too" in played("report", "h1", "--junit", "gates.xml").sentence


def test_a_gate_that_cannot_be_decided_is_an_error_in_the_junit_file(
    played: Sociolab, tmp_path: Path
) -> None:
    """Written over the file of an earlier run, which would show a pass."""
    for verb in (("report", "h1"), ("compare", "h1", "h3")):
        (tmp_path / "gates.xml").write_text("an earlier pass", "utf-8")
        done = played(*verb, "--fail-if", "charm<2", "--junit", "gates.xml")
        assert done.code == 2
        case = ElementTree.parse(tmp_path / "gates.xml").getroot()
        assert (case.attrib["failures"], case.attrib["errors"]) == ("0", "1")
        (error,) = case.iter("error")
        assert error.attrib["message"] in done.err
        assert '"charm"' in error.attrib["message"]


def test_episodes_are_listed_by_who_played_and_how_it_went(played: Sociolab) -> None:
    flags = ("--agent", "x", "--score", "goal>=3", "--sort", "goal", "--limit", 2, "--json")
    done = played("list", "episodes", "--run", "h1", *flags)
    assert [one["scores"] for one in done.document["episodes"]] == [
        [{"seat": "ann", "value": 3}]
    ] * 2
    assert (done.document["of"], done.document["score"]["measure"]) == (10, "goal")
    assert "2 of 10 episodes" in done.err
    assert "GOAL, by" in played("list", "episodes", "--run", "h1", "--sort", "goal").out
    refused = played("list", "runs", "--failed")
    assert (refused.code, "is for `sociolab list epi" in refused.sentence) == (2, True)


def test_runs_are_listed_with_who_played_who_judged_and_what_it_cost(played: Sociolab) -> None:
    rows = played("list", "runs", "--json").document["runs"]
    assert [row["run"] for row in rows] == ["s1", "s2", "s3", "h1", "h2", "h3"]
    assert rows[0]["agents"] == ["scripted"]
    assert "by-words" in rows[0]["judges"]
    assert (rows[0]["failed"], rows[0]["cost_usd"]) == (0, None)
    printed = played("list", "runs", COLUMNS="80").out
    assert re.search(r"s1 +sotopia +20\d\d-\d\d-\d\d.* +(\d+)/\1 ", printed)
    assert len(printed.splitlines()) == 13  # a line for each and one with names, below the head
    assert rows[0]["score"]["metric"] in printed
    assert "failed" not in printed  # no run has any: nothing stands in the column


def test_a_comparison_that_is_looked_at_again_as_it_grows_is_told_so(
    played: Sociolab, tmp_path: Path
) -> None:
    with Store.open(tmp_path / "s.db") as store:
        for name in ("a", "b"):
            add_run(store, name, "openai/x", {f"t{i}": (i % 3,) for i in range(8)}, partner="p")
    planned = ("--looks", "1")
    assert "This is look" not in played("compare", "a", "b", *planned).out
    assert "This is look" not in played("compare", "b", "a", *planned).out, "the same data again"
    with Store.open(tmp_path / "s.db") as store:  # as if it had been made with fewer tasks
        store.write("UPDATE looks SET pairs = 7")
    told = " ".join(played("compare", "a", "b", *planned).out.split())
    assert "This is look 2 at this comparison as it grew (7, 8 pairs)" in told
    assert "This is look" not in played("compare", "a", "b", "--looks", "2").out


def test_a_comparison_without_planned_looks_writes_nothing_to_the_store(
    played: Sociolab, tmp_path: Path
) -> None:
    with Store.open(tmp_path / "s.db") as store:
        for name in ("a", "b"):
            add_run(store, name, "openai/x", {f"t{i}": (i % 3,) for i in range(8)}, partner="p")
    played("compare", "a", "b")
    with Store.open(tmp_path / "s.db") as store:
        assert store.row("SELECT count(*) FROM looks") == (0,)
