"""`rank`, `hard` and `variance` on the command line, over one offline run."""

from __future__ import annotations

from pathlib import Path

from cli.conftest import Sociolab

AGENT = "python:app.run.test_python_api:Parrot"


def test_a_round_of_the_three_verbs(sociolab: Sociolab, tmp_path: Path) -> None:
    pair, store = ("--agent", "scripted", "--agent", AGENT), ("--store", "s.db")
    judge = ("--judge", "python:biased_judges:ByWords")
    done = sociolab("run", "sotopia", *pair, *judge, "--limit", 12, "--name", "two", *store)
    assert done.code == 0, done.err

    done = sociolab("rank", "two", "--html", "page.html", *store)
    assert done.code == 0, done.err
    assert "Bradley-Terry ratings" in done.out
    assert "Ranking by" in (tmp_path / "page.html").read_text("utf-8")

    hard = ("hard", "two", "--target", AGENT, "--name", "hard-two", "--most", 2, *store)
    bad = sociolab(*hard, "--html", tmp_path)
    assert bad.code == 2
    assert "--html: expected a file name, found the folder" in bad.sentence
    assert sociolab("list", "task-lists", "--json").document["task-lists"] == []
    found = sociolab(*hard, "--metric", "BEL", "--json").document
    ids = [task["task"] for task in found["hardest"]]
    listed = sociolab("list", "tasks", "--tasks", "hard-two", "--json").document["tasks"]
    assert {row["task"] for row in listed} == set(ids)
    (row,) = sociolab("list", "task-lists", "--json").document["task-lists"]
    assert (row["task-list"], row["tasks"], row["made for"]) == ("hard-two", 2, AGENT)
    again = sociolab(*hard)
    assert again.code == 2
    assert "--replace" in again.sentence

    done = sociolab("variance", "two", "--cost-per-play", 0.1, *store)
    assert done.code == 0, done.err
    assert "The next dollar is best spent" in " ".join(done.out.split())


def test_offline_what_is_on_record_ranks_and_what_nobody_can_tell_is_said(
    sociolab: Sociolab,
) -> None:
    sociolab("run", "sotopia", "--tasks", "bargain", "--limit", 4, "--name", "own")
    planned = sociolab("variance", "own", "--half-width", 0.5, "--json")
    assert planned.code == 0, planned.err
    assert all("needed" in agent for agent in planned.document["agents"])
    assert (
        "Needed for an interval of ± 0.50" in sociolab("variance", "own", "--half-width", 0.5).out
    )
    alone = sociolab("variance", "own")
    assert alone.code == 0, alone.err
    assert "Variance components of goal (checked) (judge: outcome)" in alone.out
    other = ("--agent", AGENT, "--partner", "scripted", "--tasks", "bargain", "--limit", 4)
    sociolab("run", "sotopia", *other, "--name", "other")
    ranked = sociolab("rank", "other")
    assert ranked.code == 2
    assert "8 episodes could not be scored" in ranked.sentence
    assert "--reader endpoint/model" in ranked.sentence
    compared = sociolab("compare", "own", "other")
    assert compared.code == 2
    assert "--reader endpoint/model" in compared.sentence
    table = sociolab("table", "other")
    assert table.code == 2
    assert "--reader endpoint/model" in table.sentence
