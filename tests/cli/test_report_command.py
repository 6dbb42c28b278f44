"""`sociolab report` and `sociolab site`, as a user calls them."""

from __future__ import annotations

from pathlib import Path

from cli.conftest import Sociolab


def test_several_runs_are_reported_in_every_format_and_as_a_site(
    sociolab: Sociolab, tmp_path: Path
) -> None:
    for seed, name in ((1, "a"), (2, "b")):
        done = sociolab("run", "sotopia", "--limit", 3, "--seed", seed, "--name", name)
        assert done.code == 0, done.err
    done = sociolab(
        "report", "a", "b", "--json", "--html", "r.html", "--csv", "r.csv", "--latex", "r.tex",
        "--markdown", "r.md",
    )  # fmt: skip
    assert done.code == 0, done.err
    assert [run["run"] for run in done.document] == ["a", "b"]
    page, rows, tex, text = (
        (tmp_path / f"r.{kind}").read_text("utf-8") for kind in ("html", "csv", "tex", "md")
    )
    assert "Runs side by side" in page
    assert '<details class="episode">' in page
    assert {row.split(",")[0] for row in rows.splitlines()[1:]} == {"a", "b"}
    assert tex.count("\\begin{table}") == text.count("\n### ") > 4
    assert (
        "expected a name that ends in .csv, or a folder"
        in sociolab("report", "a", "--csv", "x.txt").sentence
    )
    assert not (tmp_path / "x.txt").exists()
    assert sociolab("site", "web", "a", "b").code == 0
    assert sociolab("site", "web", "b").code == 0
    assert [path.name for path in (tmp_path / "web" / "runs").iterdir()] == ["b.html"]
