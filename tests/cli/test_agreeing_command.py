"""Ratings imported and compared from the command line."""

from __future__ import annotations

import csv
import json
from pathlib import Path

from cli.conftest import Sociolab
from report.small_run import RUN, build

SCORES = (6, 8, 3, 9, 5, 7)


def ratings(folder: Path, plays: list[tuple[str, str]]) -> Path:
    rows = [
        {"episode": episode, "seat": seat, "rater": rater, "dimension": "goal", "score": score}
        for (episode, seat), score in zip(plays, SCORES, strict=False)
        for rater in ("r1", "r2")
    ]
    file = folder / "ratings.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    return file


def test_ratings_are_imported_reported_and_compared(sociolab: Sociolab, tmp_path: Path) -> None:
    sociolab("run", "sotopia", "--limit", 3, "--seed", 1, "--name", "a")
    none = sociolab("agree", "a")
    assert (none.code, "no ratings by people" in none.sentence) == (2, True)

    episodes = sociolab("list", "episodes", "--run", "a", "--json").document["episodes"]
    plays = [(e["episode"][:10], seat) for e in episodes for seat in e["task"].split(".")[1:]]
    done = sociolab("import", "ratings", ratings(tmp_path, plays), "--run", "a")
    assert done.code == 0, done.err
    assert "12 ratings by 2 raters of 6 seats of 3 episodes" in done.out
    assert "judge: people" in sociolab("report", "a", "--full").out

    page = tmp_path / "page.html"
    shown = sociolab("agree", "a", "--html", page)
    assert shown.code == 0, shown.err
    assert "Randolph's kappa 1.00" in shown.out
    assert all(len(line) <= 80 for line in shown.out.splitlines())
    assert "How far people agree" in page.read_text("utf-8")

    files = ("--csv", "a.csv", "--latex", "a.tex", "--markdown", "a.md")
    assert "wrote a.md" in sociolab("agree", "a", *files).err
    rows = list(csv.DictReader((tmp_path / "a.csv").read_text("utf-8").splitlines()))
    kappa = next(row for row in rows if (row["metric"], row["figure"]) == ("goal", "kappa"))
    assert [kappa[name] for name in ("first", "second", "group", "value", "n")] == [
        "people", "people", "", "1.0", "6",
    ]  # fmt: skip
    assert {"alpha (nominal)", "near"} <= {row["figure"] for row in rows}
    assert "kappa" in (tmp_path / "a.tex").read_text("utf-8").lower()

    document = sociolab("agree", "a", "--bins", 10, "--json").document
    assert (document["runs"], document["bins"]) == (["a"], 10)


def test_a_set_of_ratings_is_chosen_and_deleted_by_its_name(
    sociolab: Sociolab, tmp_path: Path
) -> None:
    store, file = tmp_path / "store.db", ratings(tmp_path, [("lamp-AA", "ann")])
    build(store)
    for name in ("people", "wide"):
        sociolab("import", "ratings", file, "--run", RUN, "--name", name, "--store", store)
    chosen = sociolab("agree", RUN, "--ratings", "wide", "--store", store)
    assert (chosen.code, "several sets" in chosen.out) == (0, False)
    none = sociolab("delete", RUN, "--ratings", "wid", "--store", store, "--yes")
    assert (none.code, '(people, wide), found "wid"' in none.sentence) == (2, True)
    done = sociolab("delete", RUN, "--ratings", "wide", "--store", store, "--yes")
    assert done.code == 0, done.err
    assert "2 people gave 2 ratings" in sociolab("agree", RUN, "--store", store).out
    assert sociolab("agree", RUN, "--ratings", "wide", "--store", store).code == 2


def test_what_is_wrong_is_one_sentence(sociolab: Sociolab, tmp_path: Path) -> None:
    store, file = tmp_path / "store.db", ratings(tmp_path, [("lamp-AA", "ann")] * len(SCORES))
    build(store)
    strange = ratings(tmp_path, [("moon-AA", "ann")] * len(SCORES))
    assert "--run" in sociolab("import", "ratings", strange, "--store", store).sentence
    assert "--name" in sociolab("import", "dnd", file, "--store", store).sentence
    assert "with dnd" in sociolab("import", "dnd", file, "--name", "x", "--run", RUN).sentence
    file.write_text("episode,seat\nx,y", "utf-8")
    wrong = sociolab("import", "ratings", file, "--run", RUN, "--store", store)
    assert (wrong.code, "found no rater" in wrong.sentence) == (2, True)
