"""A site is made, renewed, and touches nothing that is not its own."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from report.small_run import CHECK, RUN, build
from sociolab import RunResult, result_of, values_of
from sociolab.app import write_page
from sociolab.app.results import MARKER, shown_run, slug, write_csv, write_site
from sociolab.core import ConfigError, Transcript
from sociolab.report import details_of
from sociolab.report.result import read_distributions
from sociolab.store import Store
from sociolab.store.verdicts import Verdicts


class _World:
    """Shows an episode without its scene: the small run's tasks have none."""

    @staticmethod
    def transcript(episode: object) -> Transcript:
        return Transcript("Ann and Bob", (), (), ())


@pytest.fixture(autouse=True)
def plain_world(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sociolab.app.results.world_of", lambda name: _World)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    build(tmp_path / "store.db")
    with Store.open(tmp_path / "store.db") as opened:
        yield opened


@pytest.fixture
def result(store: Store) -> RunResult:
    return result_of(store, RUN)


def files(folder: Path) -> set[str]:
    return {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()}


def test_a_site_has_a_first_page_and_one_for_each_run(
    store: Store, result: RunResult, tmp_path: Path
) -> None:
    site = tmp_path / "new" / "site"
    write_site(store, [result], site)
    assert files(site) == {MARKER, "index.html", "charts.js", "runs/small.html"}
    page = (site / "runs/small.html").read_text("utf-8")
    links = set(re.findall(r'href="(.*?)"', page + (site / "index.html").read_text("utf-8")))
    outward = {link for link in links if not link.startswith("#")}
    assert outward == {"../index.html", "runs/small.html"}
    assert set(re.findall(r'src="(.*?)"', page)) == {"../charts.js"}


def test_a_site_is_renewed_and_pages_of_left_out_runs_go(
    store: Store, result: RunResult, tmp_path: Path
) -> None:
    site = tmp_path / "site"
    bystander = tmp_path / "bystander"
    bystander.touch()
    # Both name this test's own file, so that a site that is too trusting harms nothing else.
    outside = str(bystander)
    write_site(store, [result], site)
    (site / "runs/mine.html").write_text("mine", "utf-8")
    (site / MARKER).write_text(
        json.dumps(
            {"pages": ["index.html", "charts.js", "runs/gone.html", "../bystander", outside]}
        ),
        "utf-8",
    )
    (site / "runs/gone.html").write_text("old", "utf-8")
    (site / "runs/small.html").unlink()
    write_site(store, [result], site)
    assert files(site) == {
        *(MARKER, "index.html", "charts.js"),
        *("runs/small.html", "runs/mine.html"),
    }
    assert bystander.exists()
    assert (site / "runs/mine.html").read_text("utf-8") == "mine"


def test_a_page_that_is_not_of_the_site_is_not_replaced(
    store: Store, result: RunResult, tmp_path: Path
) -> None:
    site = tmp_path / "site"
    (site / "runs").mkdir(parents=True)
    (site / MARKER).write_text('{"pages": ["index.html"]}', "utf-8")
    (site / "runs/small.html").write_text("mine", "utf-8")
    with pytest.raises(ConfigError, match=r"small\.html is not of this site"):
        write_site(store, [result], site)
    assert (site / "runs/small.html").read_text("utf-8") == "mine"


@pytest.mark.parametrize("name", ["thesis.tex", "index.html"])
def test_a_folder_with_other_files_is_refused(
    store: Store, result: RunResult, tmp_path: Path, name: str
) -> None:
    folder = tmp_path / "thesis"
    folder.mkdir()
    (folder / name).write_text("years of work", "utf-8")
    with pytest.raises(ConfigError, match="not of a site of sociolab"):
        write_site(store, [result], folder)
    assert files(folder) == {name}


@pytest.mark.parametrize("text", ["", "[]", '{"pages": 3}', '{"pages": [3]}', "\x00"])
def test_a_damaged_marker_is_refused_in_a_sentence(
    store: Store, result: RunResult, tmp_path: Path, text: str
) -> None:
    site = tmp_path / "site"
    site.mkdir()
    (site / MARKER).write_text(text, "utf-8")
    with pytest.raises(ConfigError, match="cannot be read"):
        write_site(store, [result], site)


def test_a_file_is_no_folder(store: Store, result: RunResult, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="is not a folder"):
        write_site(store, [result], tmp_path / "store.db")
    with pytest.raises(ConfigError, match="cannot be made"):
        write_csv(store, [result], tmp_path / "store.db" / "x")


def test_names_of_files_differ_where_those_of_runs_do() -> None:
    names = ["a", "A", "a.", "a_", "first-run", "First.Run", "Ω"]
    slugs = [slug(name) for name in names]
    assert len({one.lower() for one in slugs}) == len(names)
    assert all(re.fullmatch(r"[a-z0-9-]+", one) for one in slugs)
    assert slug("first-run") == "first-run"


def test_a_page_holds_the_lowest_and_the_highest_episode_of_each_agent(
    store: Store,
) -> None:
    for row in store.trials(RUN):  # whose scores would lead, and are all equal
        store.verdicts.delete(RUN, CHECK, trial=row.trial.id)
    run = shown_run(store, result_of(store, RUN))
    # Goals: alpha 3 in none; its lowest is 4 in lamp-AA, its highest 10 in noise-AA; scripted has
    # 1 in bike-SA and 7 in none of the others' lowest (see tests/report/small_run.py).
    trials = {episode.trial for episode in run.episodes}
    assert {"lamp-AA", "noise-AA", "bike-SA"} <= trials
    goals = [s for s in run.spreads if (s.judge, s.measure) == ("heuristic", "goal")]
    assert [(s.agent, len(s.points), s.missing) for s in goals] == [
        ("openai/alpha", 12, 0),
        ("scripted", 9, 3),
    ]


def test_a_page_of_figures_at_hand_reads_no_judgings(
    store: Store, result: RunResult, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    write_page(store, [result], tmp_path / "read.html")
    figures = details_of(store, RUN)
    monkeypatch.setattr(Verdicts, "scores", None)
    write_page(store, [figures], tmp_path / "at-hand.html")
    assert (tmp_path / "at-hand.html").read_text() == (tmp_path / "read.html").read_text()


def test_spreads_are_the_values_of_an_analysis(store: Store, result: RunResult) -> None:
    wanted: dict[tuple[str, str, str | None], list[float | None]] = {}
    for value in values_of(store, RUN).values:
        wanted.setdefault((value.judge, value.measure, value.agent), []).append(value.value)
    found = {(s.judge, s.measure, s.agent): s for s in read_distributions(store, result)}
    assert {key: (s.values, s.missing) for key, s in found.items()} == {
        key: (tuple(v for v in values if v is not None), values.count(None))
        for key, values in wanted.items()
        if key[2] is not None
    }


def test_a_folder_of_csv_has_scores_plays_and_runs(
    store: Store, result: RunResult, tmp_path: Path
) -> None:
    written = write_csv(store, [result], tmp_path / "csv")
    assert [path.name for path in written] == ["scores.csv", "plays.csv", "runs.csv"]
    plays = written[1].read_text("utf-8").splitlines()
    failed = [row for row in plays if row.startswith("small,sotopia,bike-SS") and ",goal," in row]
    assert len(failed) == 2
    assert all(row.endswith(",heuristic,heuristic,goal,") for row in failed)
    methods = {(row["judge"], row["method"]) for row in csv.DictReader(plays)}
    assert methods == {("heuristic", "heuristic"), ("goal check", "formula")}
    assert len(written[2].read_text("utf-8").splitlines()) == 2
    (only,) = write_csv(store, [result], tmp_path / "one.csv")
    assert only.read_text("utf-8") == written[0].read_text("utf-8")
