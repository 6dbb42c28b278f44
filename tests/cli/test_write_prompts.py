"""`sociolab write WORLD prompts`: a model rewords what players are told."""

from __future__ import annotations

import filecmp
import json
import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest

from cli.conftest import Done, Sociolab
from sociolab.endpoint import ChatBody, EndpointServer, EndpointSettings, start_in_thread
from sociolab.worlds import sotopia

PAPER = Path(str(files(sotopia.PACKAGE))) / "prompts" / "paper"


def reword(chat: ChatBody) -> str:
    """A willing model; one called "careless" translates a tag of Jinja, too, until it is told."""
    given = json.loads(re.findall(r"```json\n(.*?)\n```", chat.messages[1].text, re.DOTALL)[0])
    text = given["text"].replace("You play a character", "You are given a character")
    text = text.replace("It is your turn", "Your turn has come")
    if chat.model == "careless":
        text = text.replace("{{ goal }}", "{{ ziel }}").replace("{{ turn }}", "{{ runde }}")
    return json.dumps({"text": text})


@pytest.fixture(scope="module")
def endpoint() -> Iterator[EndpointServer]:
    with start_in_thread(EndpointSettings(responder=reword)) as served:
        yield served


def write(sociolab: Sociolab, endpoint: EndpointServer, model: str, *more: object) -> Done:
    return sociolab(
        "write", "sotopia", "prompts", "--writer", f"openai/{model}", "--to", "words",
        "--base-url", endpoint.url, *more,
    )  # fmt: skip


def test_what_players_are_told_is_reworded_and_nothing_else(
    sociolab: Sociolab, endpoint: EndpointServer, tmp_path: Path
) -> None:
    done = write(sociolab, endpoint, "w", "--n", 2)
    assert done.code == 0, done.err
    assert "2 prompt sets written by openai/w" in done.out
    assert "review each before you use it: act_head.md, act_tail.md" in done.out
    for name in ("paraphrase-1", "paraphrase-2"):
        differing = filecmp.dircmp(PAPER, tmp_path / "words" / name)
        assert differing.left_only == differing.right_only == []
        assert sorted(differing.diff_files) == ["act_head.md", "act_tail.md", "manifest.toml"]
    head = (tmp_path / "words" / "paraphrase-1" / "act_head.md").read_text("utf-8")
    assert "You are given a character" in head
    again = write(sociolab, endpoint, "w", "--n", 3)
    assert "1 prompt set written" in again.out


def test_reworded_sets_are_played_and_marked_as_not_reviewed(
    sociolab: Sociolab, endpoint: EndpointServer, tmp_path: Path
) -> None:
    assert write(sociolab, endpoint, "w", "--n", 2).code == 0
    sets = ",".join(str(tmp_path / "words" / f"paraphrase-{n}") for n in (1, 2))
    run = ("run", "sotopia", "--limit", 2, "--set", f"prompts={sets}", "--name", "r")
    played = sociolab(*run)
    assert played.code == 0, played.err
    stored = sociolab("report", "r-paraphrase-1", "--json").document
    assert stored["settings"]["instructions"]["standing"] == "unverified"


def test_a_paraphrase_that_changes_code_is_left_out(
    sociolab: Sociolab, endpoint: EndpointServer, tmp_path: Path
) -> None:
    done = write(sociolab, endpoint, "careless", "--n", 1)
    assert done.code == 2
    assert "expected this code, in this order: " in done.err
    assert not (tmp_path / "words" / "paraphrase-1").exists()


def test_the_cost_is_estimated_without_a_model(
    sociolab: Sociolab, endpoint: EndpointServer, tmp_path: Path
) -> None:
    before = endpoint.counters.requests
    done = write(sociolab, endpoint, "w", "--dry-run")
    assert done.code == 0, done.err
    assert "3 prompt sets by openai/w: about 6 calls" in done.out
    assert endpoint.counters.requests == before
    assert not (tmp_path / "words").exists()


@pytest.mark.parametrize("world", ["stss", "stss-talk", "anteval-information"])
def test_every_world_with_prompts_can_have_them_reworded(sociolab: Sociolab, world: str) -> None:
    done = sociolab("write", world, "prompts", "--writer", "openai/w", "--to", "w", "--dry-run")
    assert done.code == 0, done.err
    assert "3 prompt sets" in done.out
