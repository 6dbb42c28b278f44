"""Tables, rows and figures for a paper, as `compare`, `report` and `rank` write them."""

from __future__ import annotations

import csv
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.conftest import Sociolab

AGENT = "python:app.run.test_python_api:Parrot"
RENAMED = ("--rename", f"{AGENT}=Parrot", "--rename", "scripted=Rules")


@pytest.fixture(scope="module")
def stored(
    sociolab_in: Callable[[Path], Sociolab], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A folder with a run of two agents, judged offline."""
    folder = tmp_path_factory.mktemp("papers")
    pair = ("--agent", "scripted", "--agent", AGENT, "--judge", "python:biased_judges:ByWords")
    run = ("run", "sotopia", *pair, "--limit", 6, "--name", "two")
    assert sociolab_in(folder)(*run).code == 0
    return folder


@pytest.fixture
def played(sociolab: Sociolab, stored: Path, tmp_path: Path) -> Sociolab:
    shutil.copytree(stored, tmp_path, dirs_exist_ok=True)
    return sociolab


def test_the_two_agents_of_a_run_are_compared_without_being_named(
    played: Sociolab, tmp_path: Path
) -> None:
    files = ("--latex", "c.tex", "--markdown", "c.md", "--csv", "c.csv", "--figure", "c.svg")
    done = played("compare", "two", "--metric", "BEL", *RENAMED, *files)
    assert done.code == 0, done.err
    assert "A: Rules vs. B: Parrot" in done.out
    assert "A does better in BEL: A \N{MINUS SIGN} B = 6.75 [4.88, 8.63], p = 0.031" in done.out
    means = "means over 24 pairs in 6 scenarios; partners of both: Parrot and Rules"
    assert means in (tmp_path / "c.md").read_text("utf-8")
    assert all(f"wrote c.{kind}" in done.err for kind in ("tex", "md", "csv", "svg"))
    tex = (tmp_path / "c.tex").read_text("utf-8")
    assert r"metric & Rules & Parrot & difference & 95 \% interval & p & Holm p \\" in tex
    assert r"\toprule" in tex
    assert AGENT not in tex
    (row,) = csv.DictReader((tmp_path / "c.csv").read_text("utf-8").splitlines())
    assert (row["agent_a"], row["agent_b"], row["metric"]) == ("Rules", "Parrot", "believability")
    assert float(row["mean_a"]) - float(row["mean_b"]) == pytest.approx(float(row["difference"]))
    assert "Rules \N{MINUS SIGN} Parrot (points)" in (tmp_path / "c.svg").read_text("utf-8")
    assert "| metric | Rules | Parrot |" in (tmp_path / "c.md").read_text("utf-8")


def test_a_report_and_a_ranking_write_the_same_files(played: Sociolab, tmp_path: Path) -> None:
    files = ("--latex", "r.tex", "--csv", "r.csv", "--figure", "r.svg", "--html", "r.html")
    done = played("report", "two", *RENAMED, *files)
    assert done.code == 0, done.err
    assert "Rules (A) vs. Parrot (B)" in done.out
    page = (tmp_path / "r.html").read_text("utf-8")
    assert page.index("Rules (A) vs. Parrot (B)") < page.index("Limitations")
    for name in ("r.tex", "r.csv", "r.svg", "r-pairs.svg"):
        text = (tmp_path / name).read_text("utf-8")
        assert "Parrot" in text
        assert AGENT not in re.sub(r"(?m)^%.*$", "", text)
    done = played("rank", "two", *RENAMED, "--latex", "k.tex", "--csv", "k.csv")
    assert done.code == 0, done.err
    rows = list(csv.DictReader((tmp_path / "k.csv").read_text("utf-8").splitlines()))
    assert {row["agent"] for row in rows} == {"Rules", "Parrot"}
    assert "Parrot" in (tmp_path / "k.tex").read_text("utf-8")
    done = played("rank", "two", "--figure", "k.svg")
    assert (done.code, (tmp_path / "k.svg").exists()) == (2, False)
    assert "no agent has a rating that could be drawn" in done.sentence


def test_judges_and_transcripts_are_renamed_too(played: Sociolab, tmp_path: Path) -> None:
    both = (*RENAMED, "--rename", "by-words=Words")
    for verb in ("report", "compare", "rank"):
        done = played(verb, "two", *both, "--judge", "by-words", "--html", "p.html")
        assert done.code == 0, done.err
        assert "Words" in done.out
        page = (tmp_path / "p.html").read_text("utf-8")
        assert "Scores by Words (" in page
        assert "played by Parrot" in page
        # What was recorded, and the command that plays it again, keep the labels.
        shown, _, again = page.rpartition("Reproduce this run")
        assert (AGENT in shown, "by-words" in shown) == (False, False)
        assert f"--agent scripted --agent {AGENT} --judge" in again
    done = played("compare", "two", "--rename", "by-words=outcome")
    assert "would both be called" in done.sentence


def test_a_partner_that_is_evaluated_too_is_so_by_any_name(sociolab: Sociolab) -> None:
    cast = ("--agent", "scripted", "--agent", AGENT, "--partner", "scripted")
    assert sociolab("run", "sotopia", *cast, "--limit", 4, "--name", "with").code == 0
    told = " ".join(sociolab("report", "with", *RENAMED).out.split())
    assert "model) and Parrot (Python class), each with the partner Rules" in told


def test_seats_are_told_apart_when_asked(played: Sociolab) -> None:
    seats = played("compare", "two", "--by-seat", "--json").document["seats"]
    assert list(seats) == ["seat 1", "seat 2"]
    pairs = [seats[seat]["measures"]["believability"]["pairs"] for seat in seats]
    assert (
        sum(pairs)
        == played("compare", "two", "--json").document["comparison"]["measures"]["believability"][
            "pairs"
        ]
    )
    told = played("report", "two", "--by-seat", "--metric", "BEL").out
    assert "scripted as seat 1" in told


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (("--rename", "nobody=X"), 'expected an agent, a judge or a run, one of .*found "nobody"'),
        (("--rename", "scripted=X", "--rename", f"{AGENT}=X"), 'would both be called "X"'),
        (("--rename", "scripted"), "expected A=B"),
        (("--figure", "f.gif"), r"expected a file .pdf, .svg or .png, found f.gif"),
    ],
)
def test_what_cannot_be_written_is_refused(
    played: Sociolab, given: tuple[str, ...], sentence: str
) -> None:
    for verb in ("compare", "report", "rank"):
        done = played(verb, "two", *given)
        assert done.code == 2
        assert re.search(sentence, done.sentence)


def test_where_a_figure_cannot_be_drawn_no_other_file_is_written(
    sociolab: Sociolab, tmp_path: Path
) -> None:
    assert sociolab("run", "stss-talk", "--limit", 2, "--repeats", 2, "--name", "one").code == 0
    files = ("--html", "c.html", "--latex", "c.tex", "--csv", "c.csv", "--figure", "c.svg")
    done = sociolab("compare", "one", *files)
    assert (done.code, "--figure is for two agents" in done.sentence) == (2, True)
    assert not list(tmp_path.glob("c.*"))
