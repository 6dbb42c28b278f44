"""Two days of twelve residents with the model mind: a fifth of all replies fails, and worse.

Faults are drawn by the endpoint from a hash of a request and its attempt, so that a run that is cut
off meets the same ones again. Made-up replies hang on the prompt alone; a question that is put
again says what was wrong, which makes another prompt: so the replies here are made up from what is
asked without that, and a town in which replies failed must live as one in which none did.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from yarl import URL

from sociolab.app.config import RunConfig
from sociolab.app.play import run
from sociolab.core.episode import Answered, Ended, Event, Happened, Unusable
from sociolab.core.errors import ConfigError
from sociolab.core.ports import CallKey
from sociolab.core.score import Verdict
from sociolab.models import chat
from sociolab.models.endpoint.chat import ChatBody, ChatMessage
from sociolab.models.endpoint.counters import Counters
from sociolab.models.endpoint.replies import Replies
from sociolab.models.endpoint.running import start_in_thread
from sociolab.models.endpoint.server import Endpoint
from sociolab.models.endpoint.settings import FAULTS, EndpointSettings, Fault
from sociolab.prompting.ask import again_text
from sociolab.store.sqlite import Store
from sociolab.town.chunks import TRACE
from sociolab.town.recording import trace_from
from sociolab.town.trace import Noted, Talked, Walked, WentWithout

TASK = "lantern-walk"  # eleven residents in the background
PORT = 28_765
OF_TEXTS: tuple[Fault, ...] = (
    "truncated_text",
    "malformed_json",
    "ignores_schema",
    "content_filter",
    "empty",
)
"""What the town sees of faults; the client answers the others by trying again."""
AGAIN = f"\n\n{again_text('')[:20]}"

PLAY = """
import sys
from sociolab.app.config import RunConfig
from sociolab.app.play import run
from sociolab.models import chat

chat.LONGEST_WAIT = 0.01
run(RunConfig.model_validate_json(sys.argv[1]))
"""


# ------------------------------------------------------------------ the endpoint


class Unruffled:
    """Makes up the same reply however often a question is put, and one that fits."""

    def __init__(self) -> None:
        self._replies = Replies(EndpointSettings(characters=60))

    def __call__(self, asked: ChatBody) -> str:
        head, body = asked.messages
        first = ChatMessage(body.role, body.text.partition(AGAIN)[0])
        words = f"{head.text}\n{first.text}".encode()
        key = hashlib.blake2b(words, digest_size=16).digest()
        reply = json.loads(self._replies.good(replace(asked, messages=(head, first), key=key)))
        if "wake" in reply:
            reply["entries"][0]["start"] = reply["wake"]
        for agreed in reply.get("agreed", ()):
            agreed["day"] = "2024-05-14"  # never a day that is over
        return json.dumps(reply)


def shaky() -> EndpointSettings:
    """A fifth fails, in all eleven ways; few hang, since those take their time."""
    alike = EndpointSettings.with_faults(0.2, seed=2)
    moved = alike.hang - 0.002
    settings = replace(alike, hang=0.002, dropped=alike.dropped + moved, retry_after=0.0)
    return replace(settings, latency_ms=2, responder=Unruffled())


def calm() -> EndpointSettings:
    return EndpointSettings(seed=5, latency_ms=2, responder=Unruffled())


# ------------------------------------------------------------------ runs


def described(
    endpoint: Endpoint, folder: Path, name: str, order: str = "ahead", tries: int = 12
) -> RunConfig:
    models = folder / f"{name}.toml"
    models.write_text(
        f'[endpoints.here]\nbase_url = "{endpoint.url}"\ntimeout_s = 1.5\ntries = {tries}\n',
        "utf-8",
    )
    return RunConfig(
        world="stss",
        agents=("here/m",),
        judges=("rules",),
        tasks=TASK,
        seed=1,
        attempts=12,
        name=name,
        store=folder / f"{name}.db",
        models=models,
        settings={"order": order},
    )


@dataclass(frozen=True)
class Lived:
    """What a run left: its events and verdicts, and how many tries each of its calls took."""

    events: tuple[Event, ...]
    verdicts: tuple[Verdict, ...]
    tries: dict[CallKey, int]
    counted: Counters

    @property
    def trace(self) -> list[str]:
        """The recorded hours, to the byte."""
        hours = [e for e in self.events if isinstance(e, Happened) and e.what == TRACE]
        return [json.dumps(hour.value) for hour in hours]

    @property
    def unusable(self) -> set[Unusable]:
        return {event for event in self.events if isinstance(event, Unusable)}


def left_by(config: RunConfig, counted: Counters) -> Lived:
    assert config.store is not None
    assert config.name is not None
    with Store.open(config.store, create=False) as store:
        (row,) = store.trials(config.name)
        calls = list(store.calls(config.name))
        tries = {call.call: call.reply.tries for call in calls}
        assert len(tries) == len(calls), "a call was paid for twice"
        assert not store.call_failures(config.name)
        events = store.events(config.name, row.trial.id)
        verdicts = tuple(row.verdict for row in store.verdicts(config.name))
    return Lived(events, verdicts, tries, counted)


def killed_twice(config: RunConfig, events: int) -> None:
    """The run in processes of their own; the first two are killed on the way, with SIGKILL."""
    assert config.store is not None
    command = [sys.executable, "-c", PLAY, config.model_dump_json()]
    for share in (0.3, 0.7):
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as child:
            while written(config.store) < share * events:
                assert child.poll() is None, "it was over before it could be killed"
                time.sleep(0.005)
            child.kill()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)


def written(path: Path) -> int:
    try:
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as store:
            return int(store.execute("SELECT count(*) FROM events").fetchone()[0])
    except sqlite3.OperationalError:
        return 0  # not made yet


@pytest.fixture(scope="module", autouse=True)
def _short_pauses() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chat, "LONGEST_WAIT", 0.01)
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("town")


@pytest.fixture(scope="module")
def port() -> int:
    """One for all: where a model is served is part of who plays, and so of a trial's chance.

    The same in every session while it is free, so that all of them live the same days.
    """
    for wanted in (PORT, 0):
        with suppress(ConfigError), start_in_thread(calm(), wanted) as endpoint:
            return URL(endpoint.url).port or 0
    raise AssertionError("no port is free")


@pytest.fixture(scope="module")
def undisturbed(folder: Path, port: int) -> Lived:
    """No reply fails, and everybody waits for everybody."""
    with start_in_thread(calm(), port) as endpoint:
        config = described(endpoint, folder, "undisturbed", "lock-step")
        run(config)
        return left_by(config, endpoint.counters)


@pytest.fixture(scope="module")
def shaken(folder: Path, port: int) -> Lived:
    """A fifth of the replies fails."""
    with start_in_thread(shaky(), port) as endpoint:
        config = described(endpoint, folder, "shaken", "lock-step")
        run(config)
        return left_by(config, endpoint.counters)


@pytest.fixture(scope="module")
def killed(folder: Path, port: int, shaken: Lived) -> Lived:
    """The same, killed and resumed twice on the way."""
    with start_in_thread(shaky(), port) as endpoint:
        config = described(endpoint, folder, "killed")
        killed_twice(config, len(shaken.events))
        return left_by(config, endpoint.counters)


# ------------------------------------------------------------------ what must hold


def test_the_town_is_alive(undisturbed: Lived) -> None:
    """Else nothing below would mean much."""
    records = trace_from([json.loads(hour) for hour in undisturbed.trace]).records
    assert sum(isinstance(record, Walked) for record in records) > 50
    assert sum(isinstance(record, Talked) for record in records) > 5
    assert any(isinstance(record, Noted) for record in records)
    assert not undisturbed.unusable


def test_a_town_in_which_replies_failed_lives_as_one_in_which_none_did(
    undisturbed: Lived, shaken: Lived
) -> None:
    assert shaken.trace == undisturbed.trace
    assert shaken.verdicts == undisturbed.verdicts


def test_a_town_that_was_killed_twice_lives_as_one_that_was_not(
    undisturbed: Lived, killed: Lived
) -> None:
    assert killed.trace == undisturbed.trace
    assert killed.verdicts == undisturbed.verdicts
    assert killed.events[-1] == undisturbed.events[-1] == Ended("time is up", 2 * 8640)


def test_no_question_is_given_up(shaken: Lived, killed: Lived) -> None:
    for lived in (shaken, killed):
        assert not any(event.final for event in lived.unusable)
        records = trace_from([json.loads(hour) for hour in lived.trace]).records
        assert not any(isinstance(record, WentWithout) for record in records)


def test_residents_go_on_without_an_answer_that_never_came(folder: Path, port: int) -> None:
    """Asked once only: nothing is made up in place of an answer, and the trace says what lacks."""
    with start_in_thread(shaky(), port) as endpoint:
        config = described(endpoint, folder, "once", "lock-step")
        run(config.model_copy(update={"attempts": 1}))
        lived = left_by(config, endpoint.counters)
    records = trace_from([json.loads(hour) for hour in lived.trace]).records
    gone = [(r.step, r.question, r.cause) for r in records if isinstance(r, WentWithout)]
    assert gone
    assert sorted(gone) == sorted((e.turn, e.name, e.cause) for e in lived.unusable)
    assert all(event.final for event in lived.unusable)
    assert lived.events[-1] == Ended("time is up", 2 * 8640)


def test_every_failure_is_on_record(shaken: Lived) -> None:
    """As many as the endpoint counts: texts as events, requests as tries of their calls."""
    met = shaken.counted.by_fault
    assert len(met) >= len(FAULTS) - 2
    assert sum(met.values()) > 0.1 * shaken.counted.requests
    assert len(shaken.unusable) == sum(met.get(fault, 0) for fault in OF_TEXTS)
    assert sum(shaken.tries.values()) == shaken.counted.requests
    answers = sum(isinstance(event, Answered) for event in shaken.events)
    assert len(shaken.tries) == answers + len(shaken.unusable)


def test_no_failure_is_lost_or_doubled_by_kills(shaken: Lived, killed: Lived) -> None:
    """Only what was under way when the process died was asked a second time."""
    assert killed.unusable == shaken.unusable
    assert killed.tries == shaken.tries
    again = killed.counted.requests - shaken.counted.requests
    assert 0 <= again <= 2 * 12 * max(shaken.tries.values())


def test_events_come_in_another_order_but_are_the_same(shaken: Lived, killed: Lived) -> None:
    assert set(map(repr, killed.events)) == set(map(repr, shaken.events))
    assert len(killed.events) == len(shaken.events)


def test_a_town_whose_provider_broke_down_goes_on_where_it_was(
    folder: Path, port: int, undisturbed: Lived
) -> None:
    with start_in_thread(replace(calm(), server_error=0.04), port) as broken:
        config = described(broken, folder, "broken", "lock-step", tries=1)
        result = run(config)
        assert (result.failed, result.played) == (1, 0)
    assert config.store is not None
    before = written(config.store)
    assert before > 0
    with start_in_thread(calm(), port) as mended:
        run(described(mended, folder, "broken", "lock-step"))
        assert mended.counters.requests < len(undisturbed.tries)
    with Store.open(config.store, create=False) as store:
        (row,) = store.trials("broken")
        events = store.events("broken", row.trial.id)
    hours = [e.value for e in events if isinstance(e, Happened)]
    assert [json.dumps(hour) for hour in hours] == undisturbed.trace
