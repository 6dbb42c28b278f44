"""A run in a notebook: its tables as data frames, and what the notebook shows of it."""

from __future__ import annotations

import re
import sys
from importlib import import_module
from pathlib import Path

import pytest

import sociolab
from sociolab import Run, RunConfig, episodes_table, open_run, open_store, run
from sociolab.core import Action, ConfigError, Json, Reply, Request, StoreError

SAID = '<script>alert("hello")</script> & <b>goodbye</b>'


class Markup:
    """Says something that a page must not take for its own, and leaves."""

    async def reply(self, request: Request, memory: Json) -> Reply:
        return Reply((Action("leave") if memory else Action("speak", SAID),), 1)


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Run:
    store = tmp_path_factory.mktemp("opened") / "s.db"
    agent = f"python:{__name__}:Markup"
    run(RunConfig(tasks="bargain", limit=2, settings={"turns": "4"}, name="short", store=store))
    return run(
        RunConfig(agents=agent, partner="scripted", tasks="bargain", limit=2, store=store, name="a")
    )


def test_an_episode_is_a_row_with_its_seats_in_order(first: Run) -> None:
    frame = first.episodes
    assert (
        list(frame["agents"])
        == [
            f"python:{__name__}:Markup, scripted",
            f"scripted, python:{__name__}:Markup",
        ]
        * 2
    )
    assert next(iter(frame["seats"])) == "zoran-vukovic, kaveh-behzadi"
    assert list(frame["ended"]) == ["left"] * 4
    # Markup, partner, leaves; or: partner, Markup, partner, leaves
    assert list(frame["turns"]) == [3, 4, 3, 4]
    assert (list(frame["status"]), list(frame["failed"])) == (["played"] * 4, [0] * 4)


def test_a_trial_that_was_not_played_is_a_row_too(tmp_path: Path) -> None:
    config = RunConfig(limit=2, name="a", store=tmp_path / "s.db")

    def interrupt(now: sociolab.Progress) -> None:
        raise RuntimeError

    with pytest.raises(RuntimeError):
        run(config.model_copy(update={"episodes": 1}), on_progress=interrupt)
    with open_store(config.store) as store:
        rows = episodes_table(store, "a")
    assert [(row["status"], row["ended"]) for row in rows] == [("played", "left"), ("planned", "")]


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_tables_are_frames_of_what_is_installed(
    first: Run, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    frames = pytest.importorskip(kind)
    if kind == "polars":
        monkeypatch.setitem(sys.modules, "pandas", None)
    for name in ("scores", "episodes", "turns"):
        frame = getattr(first, name)
        assert isinstance(frame, frames.DataFrame)
        with open_store(first.store) as store:
            rows = getattr(sociolab, f"{name}_table")(store, "a")
        assert list(frame.columns) == list(rows.columns)
        for column in ("run", "trial", "agent") if name != "episodes" else ("task", "turns"):
            assert list(frame[column]) == [row[column] for row in rows]


def test_where_neither_is_installed_a_sentence_says_what_to_do(
    first: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(ConfigError, match="needs pandas or polars, and neither is installed"):
        _ = first.scores
    assert len(first._repr_html_()) > 1000  # to look at it needs neither


def test_a_stored_run_opens_as_it_was_played(first: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert open_run("a", first.store) == first
    monkeypatch.setenv("SOCIOLAB_STORE", str(first.store))
    assert open_run("a").result == first.result
    with pytest.raises(StoreError, match='no run "b"'):
        open_run("b", first.store)


def test_what_was_said_stays_text(first: Run) -> None:
    transcript = first.transcript(first.episodes["trial"][0])
    assert SAID in transcript
    assert repr(transcript) == str(transcript)
    html = transcript._repr_html_()
    assert "&lt;script&gt;alert(&#34;hello&#34;)&lt;/script&gt; &amp; &lt;b&gt;goodbye" in html
    assert "<script" not in html


def test_in_jupyter_text_is_returned_and_not_shown(
    first: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """rich's consoles there display what they print, whatever file they are given."""
    trial = first.episodes["trial"][0]
    plain = first.transcript(trial)
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    assert first.transcript(trial) == plain
    drawn = sociolab.draw(sociolab.Section("Who talks", ("Both do.",)), "terminal")
    assert "Both do." in drawn
    assert capsys.readouterr().out == ""


def test_one_seat_sees_no_secret_of_the_other(first: Run) -> None:
    trial = first.episodes["trial"][0]
    assert first.transcript(trial)._repr_html_().count("Secret:") == 2
    assert first.transcript(trial, "Kaveh")._repr_html_().count("Secret:") == 1


def test_a_run_and_a_comparison_are_shown_with_their_figures(first: Run) -> None:
    short = open_run("short", first.store)
    assert "Mean score per agent" in short._repr_html_()
    with pytest.raises(ConfigError, match="judges differ"):
        first.compare("short")
    longer = run(
        RunConfig(tasks="bargain", limit=2, settings={"turns": "20"}, name="l", store=first.store)
    )
    found = longer.compare(short, judge="outcome")
    goal = found["comparison"]["measures"]["goal_checked"]
    html = found._repr_html_()
    assert "scripted in l vs. B: scripted in short" in html
    assert f"<span>{goal['mean_a']:.2f}</span>" in html


def test_runs_of_two_stores_are_not_compared(first: Run, tmp_path: Path) -> None:
    other = run(RunConfig(tasks="bargain", limit=1, name="a", store=tmp_path / "other.db"))
    with pytest.raises(ConfigError, match="expected runs of one store"):
        first.compare(other)


def test_the_style_touches_nothing_else_and_has_no_colour_of_its_own(first: Run) -> None:
    shown = (first, first.transcript(first.episodes["trial"][0]))
    for style in re.findall(r"(?s)<style>(.*?)</style>", "".join(o._repr_html_() for o in shown)):
        selectors = re.findall(r"(?m)^([^{}]+)\{", re.sub(r"\{[^}]*\}", "{}", style))
        parts = [part.strip() for line in selectors for part in line.split(",")]
        assert len(parts) > 10
        assert [part for part in parts if not part.startswith(".sociolab")] == []
        assert (
            re.findall(r"#[0-9a-f]{3}|rgb\(|(?:white|black)\b(?!-)", style) == []
        )  # light and dark


def test_dir_names_what_there_is() -> None:
    named = dir(import_module("sociolab"))
    assert {"run", "open_run", "Run", "RunConfig", "compare", "Arena", "RunResult"} <= {*named}
    assert not {"TYPE_CHECKING", "load_public_names"} & {*named}
