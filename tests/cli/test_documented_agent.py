"""The agent and the judge in docs/agents.md, as they stand there, and its tables of what is asked.

The agent plays the three worlds that it says it plays, and no answer of it is missing.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from answer_forms import answer_form, inner
from cli.conftest import Sociolab
from sociolab import RunConfig, run
from sociolab.app import load_world, world_names
from sociolab.core import ActionSpace, Json, NoReply, Player, Question, Reply, Request
from sociolab.endpoint import EndpointSettings, start_in_thread
from sociolab.testing import drive_recorded
from sociolab.town import QUESTIONS

DOCS = Path(__file__).parents[2] / "docs" / "agents.md"
AGENT, JUDGE = "python:my_agent:Echo", "python:my_judge:Asks"
TURNS = ("sotopia", "anteval-information", "anteval-intention")


@pytest.fixture(autouse=True)
def _blocks(tmp_path: Path) -> None:
    """Write each Python block of the page under the name in its first line."""
    found = re.findall(r"```python\n# (\w+\.py)\n(.*?)```", DOCS.read_text("utf-8"), re.DOTALL)
    assert [name for name, _ in found] == [
        "my_program.py", "my_service.py", "my_agent.py", "my_chat_agent.py", "my_bargainer.py",
        "test_my_agent.py", "my_judge.py",
    ]  # fmt: skip
    for name, text in found:
        (tmp_path / name).write_text(text, "utf-8")


def test_the_agent_keeps_its_contract(tmp_path: Path) -> None:
    checked = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_my_agent.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert checked.returncode == 0, checked.stdout


@pytest.mark.parametrize("world", TURNS)
def test_the_agent_plays_where_it_says_so(sociolab: Sociolab, world: str) -> None:
    tried = sociolab("doctor", AGENT, "--world", world)
    assert tried.code == 0, tried.out
    done = sociolab("run", world, "--agent", AGENT, "--partner", "scripted", "--limit", 1, "--json")
    assert done.code == 0, done.err
    failures = done.document["failures"]
    assert done.document["played"] == done.document["trials"] > 0
    assert {key: found for key, found in failures.items() if found} == {}


def test_a_class_that_takes_chat_messages_plays(sociolab: Sociolab) -> None:
    tried = sociolab("doctor", "python:my_chat_agent:Mine")
    assert tried.code == 0, tried.out


@pytest.mark.parametrize("dialect", ["json", "plain", "words"])
def test_a_server_of_chat_completions_is_tried_in_its_dialect(
    sociolab: Sociolab, dialect: str
) -> None:
    with start_in_thread(EndpointSettings()) as server:
        spec = f"openai/mine?dialect={dialect}"
        tried = sociolab("doctor", spec, "--base-url", server.url, OPENAI_API_KEY="x")
        assert tried.code == 0, tried.out


def test_the_service_plays(sociolab: Sociolab, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "uvicorn", "my_service:app", "--port", "0"]
    service = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    assert service.stderr is not None
    try:
        lines = iter(service.stderr.readline, "")
        found = next(filter(None, (re.search(r"running on (http://\S+)", one) for one in lines)))
        agent = ("--agent", f"{found[1]}/act", "--partner", "scripted")
        done = sociolab("run", "sotopia", *agent, "--tasks", "bargain", "--limit", 1, "--json")
    finally:
        service.terminate()
        service.wait()
        service.stderr.close()
    assert done.code == 0, done.err
    assert done.document["played"] == 2
    assert not any(done.document["failures"].values())


BARGAIN = ("--tasks", "scenario=bargain-01-touring-bicycle", "--limit", 1, "--set", "turns=3")


def test_the_agent_that_knows_no_closing_question_plays_to_the_end(sociolab: Sociolab) -> None:
    done = sociolab("run", "sotopia", "--agent", AGENT, *BARGAIN, "--json")
    assert done.code == 0, done.err
    assert (done.document["played"], done.document["failures"]["turns"]) == (1, {})


def test_the_agent_that_answers_it_is_scored_by_what_it_says(
    sociolab: Sociolab, tmp_path: Path
) -> None:
    # The word of one agent in both seats establishes nothing.
    shutil.copy(tmp_path / "my_bargainer.py", tmp_path / "my_partner.py")
    seats = ("--agent", "python:my_bargainer:Bargainer", "--partner", "python:my_partner:Bargainer")
    done = sociolab("run", "sotopia", *seats, *BARGAIN[:-2], "--json")
    assert done.code == 0, done.err
    (entry,) = [
        one
        for one in done.document["scores"]
        if (one["measure"], one["agent"], one["by"]) == ("goal_checked", seats[1], {})
    ]
    # They meet at 202, where the seller's target is 230 and the buyer's 180: the mean of
    # 6 - 28 / 11.5 and 6 - 22 / 9.
    assert (entry["n"], entry["value"]) == (2, pytest.approx((3.565217 + 3.555556) / 2))


def test_the_judge_judges_and_judges_again(sociolab: Sociolab) -> None:
    assert sociolab("doctor", JUDGE).code == 0
    done = sociolab("run", "sotopia", "--judge", JUDGE, "--limit", 1, "--name", "asked", "--json")
    assert done.code == 0, done.err
    (entry,) = [
        one for one in done.document["scores"] if one["measure"] == "asking" and not one["by"]
    ]
    assert (entry["judge"], entry["n"], entry["failures"]) == ("asks", 2, 0)
    again = sociolab("judge", "asked", "--judge", JUDGE, "--repeats", 2, "--json")
    judges = {one["judge"]: one["judgings"] for one in again.document["judges"]}
    assert judges["asks"] == 2


def test_the_help_of_judge_names_own_classes(sociolab: Sociolab) -> None:
    for verb in ("run", "judge"):
        assert "python:module" in sociolab(verb, "--help").out.replace("\n", "")


def rows(head: str) -> list[list[str]]:
    """The rows of the table with this head, each as its cells."""
    text = DOCS.read_text("utf-8")
    body = text[text.index(head) :].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in body]


def names(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


class Listening:
    """A scripted player; notes what it is asked."""

    def __init__(self, player: Player) -> None:
        self._player = player
        self.asked: list[ActionSpace | Question] = []

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        self.asked.append(request.expected)
        return await self._player.reply(request, memory)


def asked_in(world: str) -> list[ActionSpace | Question]:
    """All that players are asked in the first tasks of a world."""
    kit = load_world(world)
    player = Listening(kit.players["scripted"])
    for task in kit.world.tasks()[: 3 if world == "sotopia" else 1]:  # the third is a bargain
        assert drive_recorded(kit.world.play(task, "t", 0), dict.fromkeys(task.seats, player))
    return player.asked


def test_each_world_has_its_kinds_of_action_in_the_table() -> None:
    found = {names(row[0])[0]: row for row in rows("| world | a turn holds |")}
    assert set(found) == set(world_names())
    for world in TURNS:
        (space,) = {one for one in asked_in(world) if isinstance(one, ActionSpace)}
        _, most, texts, bare = found[world]
        assert names(texts) == [kind.name for kind in space.kinds if kind.has_text]
        assert names(bare) == [kind.name for kind in space.kinds if not kind.has_text]
        assert most == ("1 or 2 actions of different kinds" if space.most == 2 else "1 action")
        assert space.distinct == (space.most == 2) == ("(alone)" in bare)


def test_each_question_is_in_the_table_with_the_type_of_its_answer() -> None:
    table = [
        (world, names(question)[0], names(answer)[0])
        for worlds, question, _, answer in rows("| world | question |")
        for world in names(worlds)
    ]
    for world in (*TURNS, "stss-talk"):
        asked = {one for one in asked_in(world) if isinstance(one, Question)}
        known = {(name, form) for where, name, form in table if where == world}
        assert {(one.name, answer_form(one.reply)) for one in asked} <= known, world
        if world in TURNS:
            assert {name for name, _ in known} == {one.name for one in asked}
    town = {(name, form) for where, name, form in table if where == "stss"}
    assert town == {(one.name, answer_form(one.answer_type)) for one in QUESTIONS}
    assert {form for where, _, form in table if where == "stss-talk"} <= {form for _, form in town}


def test_the_records_inside_answers_are_told() -> None:
    text = DOCS.read_text("utf-8")
    for question in QUESTIONS:
        for one in inner(question.answer_type):
            assert f"`{answer_form(one)}`" in text


def test_the_program_plays_with_the_model_behind_it(tmp_path: Path) -> None:
    with start_in_thread(EndpointSettings()) as endpoint:
        config = RunConfig(
            agents=f"bridge:{sys.executable} {tmp_path / 'my_program.py'}?model=openai/m",
            partner="scripted",
            judges="none",
            limit=1,
            base_url=endpoint.url,
            settings={"turns": "4"},
            name="program",
            store=tmp_path / "lab.db",
        )
        result = run(config).result
        assert result.played == 2
        assert result.calls == endpoint.counters.requests >= 4
