"""What a town's episodes show in reports: questions that failed, and a cast of many."""

from __future__ import annotations

from dataclasses import replace

from casts import seated
from sociolab.app.episode_list import ListedEpisode
from sociolab.app.queries import EpisodeMatches
from sociolab.cli.list_rows import episode_table
from sociolab.core import (
    Action,
    Answered,
    Ended,
    Episode,
    Event,
    Moved,
    Task,
    Transcript,
    Trial,
    Unusable,
)
from sociolab.core.metrics import UNDECLARED
from sociolab.report import play_text, transcript_view
from sociolab.store.overview import EpisodeRow

from .observed_episodes import observed

SEATS = ("ben", "ben.routine", "ann", "cid", "dan", "eve", "fay")


def failure(seat: str, *, final: bool, name: str = "plan_day") -> Unusable:
    return Unusable(3, seat, name, 1, "unreadable", "no JSON", "hm", final)


def episode(*events: Event, seats: tuple[str, ...] = SEATS, agent: str = "") -> Episode:
    cast = tuple(
        seated(seat, agent or ("alpha" if number == 0 else "scripted"))
        for number, seat in enumerate(seats)
    )
    task = Task("party", seats, "party", "{}")
    return Episode(Trial("t1", "stss", task, cast, 0, 1), (*events, Ended("time is up", 10)))


def columns(*events: Event) -> dict[str, dict[str | None, object]]:
    return {
        column.measure.name: {seat: value for (_, seat), value in column.outcomes.items()}
        for column in observed(episode(*events)).columns()
    }


def test_in_a_town_the_questions_that_failed_for_good_are_counted_by_seat() -> None:
    found = columns(
        failure("ben", final=False),
        failure("ben", final=True),
        failure("ben", final=True, name="utter"),
        failure("ann", final=True),
        Answered(4, "cid", "plan_day", {}),
    )
    assert list(found) == ["failed_questions"]
    counts = found["failed_questions"]
    assert (counts["ben"], counts["ann"], counts["cid"]) == (2.0, 1.0, 0.0)
    assert set(counts) == set(SEATS)


def test_where_turns_are_taken_those_are_told_of_and_not_questions() -> None:
    found = columns(Moved(0, "ben", (Action("speak", "one two"),)), failure("ann", final=True))
    assert list(found) == ["words_per_turn", "turns", "failed_turns"]


def test_of_many_seats_the_first_of_each_agent_is_named_and_the_rest_counted() -> None:
    told = transcript_view(episode(), Transcript("A party", (), ()))
    assert told.cast == (
        "ben played by alpha",
        "ann and 4 more played by scripted",
    )
    assert "ann and 4 more played by scripted" in " ".join(play_text(told).split())


def test_a_list_of_episodes_counts_the_same_people() -> None:
    cast = tuple((member.seat, member.agent) for member in episode(agent="scripted").trial.cast)
    row = EpisodeRow("t", 0, "party", "dusk", (), cast, 0, "planned", "", "", "", 0, 0, 0)
    found = episode_table(EpisodeMatches((ListedEpisode(row, ()),), None, 1))
    assert [cells["agents"] for cells in found.cells] == ["scripted x 6"]
    assert len(found.objects[0]["cast"]) == 7


def test_few_seats_are_all_named() -> None:
    told = transcript_view(episode(seats=SEATS[:3]), Transcript("A party", (), ()))
    assert told.cast == (
        "ben played by alpha",
        "ben.routine played by scripted",
        "ann played by scripted",
    )


def test_a_seat_that_answers_for_its_own_agent_is_not_named() -> None:
    told = transcript_view(episode(agent="scripted", seats=SEATS[:3]), Transcript("Party", (), ()))
    assert told.cast == ("ben played by scripted", "ann played by scripted")


def test_one_agent_for_all_is_told_in_one_line() -> None:
    told = transcript_view(episode(agent="scripted"), Transcript("A party", (), ()))
    assert told.cast == ("ben and 5 more played by scripted",)


def test_play_by_rules_is_named_what_the_world_says_of_it() -> None:
    declared = replace(UNDECLARED, agents={"scripted": "rules"}, scripted="smoke test: by rules")
    told = transcript_view(episode(), Transcript("A party", (), ()), declared=declared)
    assert told.cast[0] == "ben played by alpha"
    assert told.cast[1] == "ann and 4 more played by scripted (smoke test: by rules)"
