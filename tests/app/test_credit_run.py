"""Credit for the turns of stored runs: paid once, kept beside the scores, shown and exported."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sociolab import RunConfig, result_of, run
from sociolab.analysis.credit import CREDIT, add_credit, load_credit
from sociolab.app import CreditConfig, credit_run
from sociolab.app.credit import CreditResult
from sociolab.app.transcripts import observations, replaying_world, world_of
from sociolab.core import ConfigError, Ended
from sociolab.endpoint import (
    ChatBody,
    EndpointServer,
    EndpointSettings,
    bad_request,
    start_in_thread,
)
from sociolab.store import Store, export_run, import_run

WORLDS = {
    "sotopia": {"turns": "6"},
    "anteval-information": {"sessions": "1", "turns": "8"},
    "stss-talk": {},
}


def reads(chat: ChatBody) -> str:
    """A judge for whom every third turn is a small step for everybody asked about."""
    told, asked = chat.messages[1].text.split("# What is asked")
    lines = re.findall(r"(?m)^(\d+)\. (.*)$", told.split("# What happened")[1])
    steps = [
        {"turn": int(number), "quote": text, "reason": "a step", "effect": 1}
        for number, text in lines[::3]
    ]
    leak = {"turn": 1, "quote": lines[0][1], "reason": "a hint", "leaked": True}
    sheets: dict[str, Any] = {}
    for field, name, what in re.findall(r"(?m)^(person_\d+): (.+): (.+)$", asked):
        sheets[field] = {"goal": steps} if "goal" in what else {}
        if "secret" in what:
            sheets[field]["secret"] = [leak] if lines[0][1].startswith(name) else []
    return json.dumps(sheets)


@pytest.fixture(scope="module")
def endpoint() -> Iterator[EndpointServer]:
    with start_in_thread(EndpointSettings(responder=reads)) as running:
        yield running


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a run of each world that has lines."""
    path = tmp_path_factory.mktemp("credit") / "s.db"
    for world, settings in WORLDS.items():
        judges = ("python:biased_judges:ByWords",) if world == "sotopia" else ()
        config: Any = {"world": world, "settings": settings, "judges": judges}
        run(RunConfig(**config, limit=2, name=world, store=path))
    return path


@pytest.fixture
def store(played: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(played, tmp_path / "s.db"))


def credit(store: Path, url: str, run: str = "sotopia", **more: Any) -> CreditResult:
    return credit_run(CreditConfig(run=run, judge="openai/j", base_url=url, store=store, **more))


def test_a_run_is_credited_and_asking_again_costs_nothing(
    store: Path, endpoint: EndpointServer
) -> None:
    before = endpoint.counters.requests
    found = credit(store, endpoint.url)
    assert (endpoint.counters.requests - before, found.calls) == (2, 2)
    assert [(play.measure, play.total) for play in found.plays[:4]] == [
        ("goal", 2),
        ("secret", -1),
        ("goal", 2),
        ("secret", 0),
    ]
    again = credit(store, endpoint.url)
    assert (endpoint.counters.requests - before, again.calls) == (2, 0)
    assert again.plays == found.plays


def test_the_scores_of_the_run_stay_as_they_are(store: Path, endpoint: EndpointServer) -> None:
    with Store.open(store) as opened:
        before = result_of(opened, "sotopia")
        credit(store, endpoint.url)
        after = result_of(opened, "sotopia")
    assert (after.scores, after.judges, after.failures) == (
        before.scores,
        before.judges,
        before.failures,
    )
    assert after.calls == before.calls + 2, "what was paid for it is told"


def test_what_is_asked_about_later_is_added(store: Path, endpoint: EndpointServer) -> None:
    first = credit(store, endpoint.url, metric="goal", limit=1)
    assert [play.measure for play in first.plays] == ["goal", "goal"]
    second = credit(store, endpoint.url, metric="secret")
    assert (second.calls, {play.measure for play in second.plays}) == (2, {"secret"})
    both = credit(store, endpoint.url)
    assert both.calls == 1, "only the second episode lacks its goals"
    assert len(both.plays) == 8


def test_credit_is_shown_beside_the_turns_and_survives_export(
    store: Path, endpoint: EndpointServer, tmp_path: Path
) -> None:
    credit(store, endpoint.url)
    with Store.open(store) as opened:
        export_run(opened, "sotopia", tmp_path / "run.zip")
        import_run(opened, tmp_path / "run.zip", "copy")
        transcript_of = world_of("sotopia").transcript
        for name in ("sotopia", "copy"):
            episode = next(opened.episodes(name))
            notes = add_credit(opened, name, transcript_of)(episode).notes
            shown = [note for note in notes if "openai/j" in note.text]
            assert [note.turn for note in shown] == [0, 3, 0, 0, 3, None]
            renamed = add_credit(opened, name, transcript_of, {"openai/j": "Judge"}.__getitem__)
            assert renamed(episode).notes[-1].text.startswith("Credit by Judge: ")
        trial = episode.trial.id
        assert load_credit(opened, "copy", trial) == load_credit(opened, "sotopia", trial)


@pytest.mark.parametrize("world", WORLDS)
def test_every_turn_is_exported_with_what_it_moved(
    world: str, store: Path, endpoint: EndpointServer, tmp_path: Path
) -> None:
    out = tmp_path / "turns.jsonl"
    found = credit(store, endpoint.url, world, out=out)
    rows = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert len(rows) == found.lines > 0
    by_play: dict[tuple[str, str, str], int] = {}
    for row in rows:
        for seat, moved in row["moved"].items():
            for measure, amount in moved.items():
                key = (row["episode"], seat, measure)
                by_play[key] = by_play.get(key, 0) + amount
        assert row["credit"].get("goal") == row["moved"].get(row["seat"], {}).get("goal")
    assert by_play == {(p.trial, p.seat, p.measure): p.total for p in found.plays}
    with Store.open(store) as opened:
        agents = {trial.trial.id: trial.trial for trial in opened.trials(world)}
    assert all(row["agent"] == agents[row["episode"]].agent(row["seat"]) for row in rows)
    assert all(row["scores"] for row in rows)


@pytest.mark.parametrize("world", ["sotopia", "anteval-information"])
def test_what_a_seat_saw_is_rebuilt_as_it_was(
    world: str, store: Path, endpoint: EndpointServer, tmp_path: Path
) -> None:
    out = tmp_path / "turns.jsonl"
    assert credit(store, endpoint.url, world, limit=1, out=out).unseen == 0
    rows = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    for number, row in enumerate(rows):
        assert len(row["observation"]["history"]) == number
        told = (
            f"turn {row['turn']} of at most {len(rows)}"
            if world == "sotopia"
            else f"{row['turn']} is"
        )
        assert told in row["observation"]["tail"], "as the run itself had it"
    assert rows[0]["actions"][0]["text"] in rows[1]["observation"]["history"][0]


def test_a_world_that_shows_its_players_no_text_has_no_observation(
    store: Path, endpoint: EndpointServer, tmp_path: Path
) -> None:
    found = credit(store, endpoint.url, "stss-talk", out=tmp_path / "turns.jsonl")
    assert found.unseen == found.lines > 0


def test_an_episode_that_goes_another_way_when_repeated_has_no_observation(
    store: Path, endpoint: EndpointServer, tmp_path: Path
) -> None:
    with Store.open(store) as opened:
        trial = next(opened.episodes("sotopia")).trial.id
        pk = opened.trial_pk("sotopia", trial)
        opened.write("DELETE FROM events WHERE trial = ? AND n = 2", (pk,))
    found = credit(store, endpoint.url, limit=1, out=tmp_path / "turns.jsonl")
    assert found.unseen == found.lines > 0


def test_a_replay_that_ends_otherwise_than_the_record_is_not_believed(store: Path) -> None:
    with Store.open(store) as opened:
        episode = next(opened.episodes("anteval-information"))
        world = replaying_world(opened.run("anteval-information"))
    assert observations(world, episode)
    other = replace(episode, events=(*episode.events[:-1], Ended("left", 7, "nobody")))
    assert observations(world, other) == {}


def test_failed_lists_are_missing_and_are_asked_for_again(store: Path) -> None:
    def forgets(chat: ChatBody) -> str:
        sheets = json.loads(reads(chat))
        del sheets["person_2"]
        return json.dumps(sheets)

    with start_in_thread(EndpointSettings(responder=forgets)) as poor:
        found = credit(store, poor.url, limit=1)
        assert found.calls == 3
        assert [play.total for play in found.plays] == [2, -1, None, None]
        again = credit(store, poor.url, limit=1)
        assert (again.calls, again.plays) == (0, found.plays), "the replies were kept"
    with Store.open(store) as opened:
        trial = next(opened.episodes("sotopia")).trial.id
        assert len(list(opened.attachment("sotopia", trial, CREDIT))) == 1, "said once"


def test_a_call_that_failed_is_made_again(store: Path, endpoint: EndpointServer) -> None:
    def refuses(chat: ChatBody) -> str:
        raise bad_request("Not this one.")

    with start_in_thread(EndpointSettings(responder=refuses)) as poor:
        lost = credit(store, poor.url, limit=1)
    assert (lost.stopped, [play.total for play in lost.plays]) == ("", [None] * 4)
    assert {play.failure.cause for play in lost.plays if play.failure} == {"refused"}
    found = credit(store, endpoint.url, limit=1)
    assert [play.total for play in found.plays] == [2, -1, 2, 0]


def test_an_error_that_all_calls_would_meet_stops_the_work(
    store: Path, endpoint: EndpointServer
) -> None:
    found = credit(store, f"{endpoint.url}/nowhere")
    assert "404" in found.stopped
    assert (found.waiting, found.plays) == (2, ())


def test_a_town_has_no_turns_to_credit(tmp_path: Path) -> None:
    path = tmp_path / "town.db"
    run(RunConfig(world="stss", limit=1, name="s", store=path))
    with pytest.raises(ConfigError, match="have no lines"):
        credit_run(CreditConfig(run="s", judge="openai/j", store=path))


@pytest.mark.parametrize(
    ("judge", "run", "measure", "problem"),
    [
        ("heuristic", "sotopia", "goal", "expected one model"),
        ("openai/j", "nobody", "goal", 'there is no run "nobody"'),
        ("openai/j", "sotopia", "wit", 'expected goal or secret, or both, found "wit"'),
        ("openai/j", "anteval-information", "secret", "nobody in"),
    ],
)
def test_what_is_not_there_is_told_in_a_sentence(
    judge: str, run: str, measure: str, problem: str, store: Path
) -> None:
    config = CreditConfig(run=run, judge=judge, metric=measure, store=store)
    with pytest.raises(ConfigError, match=re.escape(problem)):
        credit_run(config)


@pytest.mark.parametrize("place", ["none/turns.jsonl", "folder", "x" * 300])
def test_a_place_that_cannot_be_written_is_told_before_anything_is_paid(
    place: str, store: Path, endpoint: EndpointServer, tmp_path: Path
) -> None:
    (tmp_path / "folder").mkdir()
    before, there = endpoint.counters.requests, sorted(tmp_path.iterdir())
    with pytest.raises(ConfigError, match=r"--out: .* cannot be written"):
        credit(store, endpoint.url, out=tmp_path / place)
    assert endpoint.counters.requests == before
    assert sorted(tmp_path.iterdir()) == there, "something was left"


def test_the_fields_of_a_line_are_documented(
    store: Path, endpoint: EndpointServer, tmp_path: Path
) -> None:
    out = tmp_path / "turns.jsonl"
    credit(store, endpoint.url, limit=1, out=out)
    fields = set(json.loads(out.read_text("utf-8").splitlines()[0]))
    page = (Path(__file__).parents[2] / "docs" / "credit.md").read_text("utf-8")
    table = page.split("## The lines of `--out`")[1].split("##")[0]
    named = {
        name
        for cells in re.findall(r"(?m)^\| (.+?) \|", table)
        for name in re.findall(r"`(\w+)`", cells)
    }
    assert named == fields
