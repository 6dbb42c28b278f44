"""`sociolab credit` and what `show` then shows, on the local endpoint."""

from __future__ import annotations

import json
from pathlib import Path

from cli.conftest import Sociolab
from sociolab.endpoint import (
    ChatBody,
    EndpointSettings,
    Replies,
    start_in_process,
    start_in_thread,
)


class Misquoting:
    """Replies as the endpoint does, but gives words that nobody said as those of every secret."""

    def __init__(self) -> None:
        self._replies = Replies(EndpointSettings(characters=60))

    def __call__(self, chat: ChatBody) -> str:
        reply = json.loads(self._replies.valid(chat))
        for person in reply.values():
            person["secret"] = [row | {"quote": "nobody said this"} for row in person["secret"]]
        return json.dumps(reply)


def test_a_judge_that_makes_quotes_up_gives_no_credit_and_is_counted(
    sociolab: Sociolab, tmp_path: Path
) -> None:
    assert sociolab("run", "sotopia", "--limit", 3, "--set", "turns=4", "--name", "a").code == 0
    with start_in_thread(EndpointSettings(responder=Misquoting())) as endpoint:
        args = ("--judge", "openai/j", "--base-url", endpoint.url, "--out", "turns.jsonl")
        done = sociolab("credit", "a", *args, "--json")
        assert done.code == 0, done.err
        calls = endpoint.counters.requests
    found = done.document
    assert (found["kind"], found["judge"], found["calls"]) == ("credit", "openai/j", calls)
    failed = [play for play in found["plays"] if play["failure"]]
    assert {play["measure"] for play in failed} == {"secret"}
    assert {play["failure"] for play in failed} == {"not allowed"}
    assert all(play["sum"] is None and play["problem"] for play in failed)
    assert len((tmp_path / "turns.jsonl").read_text("utf-8").splitlines()) == 12
    episode = found["plays"][0]["episode"]
    shown = sociolab("show", episode)
    assert "Credit by openai/j:" in shown.out
    assert "Credit by" not in sociolab("show", episode, "--as", found["plays"][0]["seat"]).out


def test_where_no_list_of_turns_could_be_had_the_command_fails_and_counts(
    sociolab: Sociolab,
) -> None:
    assert sociolab("run", "sotopia", "--limit", 1, "--set", "turns=4", "--name", "a").code == 0
    with start_in_process(EndpointSettings(content_filter=1.0)) as endpoint:
        done = sociolab("credit", "a", "--judge", "openai/j", "--base-url", endpoint.url)
    assert done.code == 1
    assert "no list of turns exists: all of 4 lists are missing (" in done.err
    assert "1/1 episodes, 1 with a list of turns missing" in done.err
    assert "nothing was credited" in done.err
