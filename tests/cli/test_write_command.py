"""`sociolab write`: a model writes the people and the knowledge of sessions."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.conftest import Sociolab
from sociolab.endpoint import ChatBody, EndpointServer, EndpointSettings, start_in_thread
from sociolab.store import Store

NAMES = ("Ama", "Bertil", "Cosima", "Davit", "Edda", "Farouk", "Gudrun", "Hana")
PROSE = "keeps bees behind the mill, owes the baker for three loaves, and hums when it rains. "


def writer(chat: ChatBody) -> str:
    """What a willing model writes: a person who fits the traits, or two facts."""
    text = chat.messages[-1].text
    if '"look"' not in chat.schema:
        facts = [
            {
                "kind": "place", "subject": f"the {name} stair",
                "text": f"The {name} stair has nine steps.",
            }
            for name in ("Qorlin", "Vashtek")
        ]  # fmt: skip
        return json.dumps({"facts": facts})
    traits = dict(re.findall(r"(?m)^([a-z ]+): (.*)$", text))
    taken = traits["first names that are taken"]
    name = next(name for name in NAMES if name not in taken)
    who = f"a {traits['race']} {traits['class']}"
    they = traits["pronouns"].split("/")
    told = f"{name} Moor is {who}; {they[0]} and {they[1]} things: " + PROSE * 4
    return json.dumps({"name": f"{name} Moor", "look": f"A {traits['race']}.", "description": told})


@pytest.fixture(scope="module")
def endpoint() -> Iterator[EndpointServer]:
    with start_in_thread(EndpointSettings(responder=writer)) as served:
        yield served


def write(sociolab: Sociolab, endpoint: EndpointServer, *more: object) -> tuple[int, str, str]:
    done = sociolab(
        "write", "anteval-information", "--writer", "openai/w", "--to", "written",
        "--base-url", endpoint.url, "--set", "sessions=2", "--set", "facts=2",
        "--set", "turns=8", "--store", "s.db", *more,
    )  # fmt: skip
    return done.code, done.out, done.err


def test_sessions_are_written_and_can_be_played(
    sociolab: Sociolab, endpoint: EndpointServer, tmp_path: Path
) -> None:
    code, out, err = write(sociolab, endpoint)
    assert code == 0, err
    assert "2 sessions written by openai/w" in out
    done = sociolab("run", "anteval-information", "--data", "written", "--store", "s.db", "--json")
    assert done.code == 0, done.err
    assert (done.document["trials"], done.document["data"]["name"]) == (2, "written")
    with Store.open(tmp_path / "s.db", create=False) as store:
        (name,) = [run.name for run in store.runs() if run.world.startswith("anteval")
                   and run.name.startswith("anteval")]  # fmt: skip
        content = store.trials(name)[0].trial.task.content
    assert "Ama Moor" in content
    assert "The Qorlin stair has nine steps." in content


def test_a_reply_is_not_paid_for_twice(
    sociolab: Sociolab, endpoint: EndpointServer, tmp_path: Path
) -> None:
    assert write(sociolab, endpoint)[0] == 0
    before = endpoint.counters.requests
    code, _, err = write(sociolab, endpoint)
    assert (code, "exists already" in err) == (2, True)
    (tmp_path / "written" / "sessions.jsonl").unlink()
    assert write(sociolab, endpoint)[0] == 0
    assert endpoint.counters.requests == before


@pytest.mark.parametrize(
    ("flags", "problem"),
    [
        (("--writer", "scripted"), "expected a model such as openai/MODEL"),
        (("--set", "colour=red"), 'anteval-information has no setting "colour"'),
        (("--set", "sessions"), "expected NAME=VALUE"),
    ],
)
def test_bad_input_is_named_in_a_sentence(
    sociolab: Sociolab, flags: tuple[str, str], problem: str
) -> None:
    args = ["write", "anteval-information", "--to", "x", *flags]
    if flags[0] != "--writer":
        args += ["--writer", "openai/w"]
    done = sociolab(*args)
    assert done.code == 2
    assert problem in done.sentence


def test_what_no_model_can_write_is_refused(sociolab: Sociolab) -> None:
    done = sociolab("write", "stss", "--writer", "openai/w", "--to", "x")
    assert done.code == 2
    assert "of stss, a model can write prompts; found nothing" in done.sentence
    done = sociolab("write", "sotopia", "songs", "--writer", "openai/w", "--to", "x")
    assert done.code == 2
    assert 'characters, relationships, scenarios, prompts; found "songs"' in done.sentence


def test_a_dry_run_counts_calls_and_writes_nothing(sociolab: Sociolab, tmp_path: Path) -> None:
    (tmp_path / "models.toml").write_text(
        '[prices."openai/w"]\ninput = 1\noutput = 2\n', encoding="utf-8"
    )
    done = sociolab(
        "write", "anteval-information", "--writer", "openai/w", "--to", "x", "--n", "2",
        "--set", "facts=2", "--dry-run",
    )  # fmt: skip
    assert done.code == 0, done.err
    # Of each session four characters and the knowledge.
    assert "2 sessions by openai/w: about 10 calls" in done.out
    assert "cost: $0.0" in done.out
    assert not (tmp_path / "x").exists()


def test_nothing_is_kept_where_no_session_could_be_written(
    sociolab: Sociolab, tmp_path: Path
) -> None:
    with start_in_thread(EndpointSettings(characters=20)) as useless:
        done = sociolab(
            "write", "anteval-intention", "--writer", "openai/w", "--to", "x", "--base-url",
            useless.url, "--set", "sessions=1", "--store", "s.db",
        )  # fmt: skip
    assert done.code == 2
    assert "wrote no usable session" in done.sentence
    assert not list(tmp_path.rglob("sessions.jsonl"))
