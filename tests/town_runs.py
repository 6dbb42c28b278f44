"""Runs of a town on the local endpoint: shaky or calm, whole or killed on the way; what they left.

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
from dataclasses import dataclass, replace
from pathlib import Path

from sociolab import RunConfig
from sociolab.core import CallKey, Event, Happened, Unusable, Verdict
from sociolab.endpoint import (
    ChatBody,
    ChatMessage,
    Counters,
    EndpointServer,
    EndpointSettings,
    Replies,
)
from sociolab.prompting import retry_text
from sociolab.store import Store
from sociolab.town import TRACE

TASK = "lantern-walk"  # eleven residents in the background
AGAIN = f"\n\n{retry_text('')[:20]}"

PLAY = """
import sys
from sociolab.app.run.config import RunConfig
from sociolab.app.run.play import run
from sociolab.models import traffic

traffic.LONGEST_PAUSE = 0.01
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
        reply = json.loads(self._replies.valid(replace(asked, messages=(head, first), key=key)))
        if "wake" in reply:
            reply["entries"][0]["start"] = reply["wake"]
        return json.dumps(reply)


def shaky() -> EndpointSettings:
    """A fifth fails, in all ways; few hang, since those take their time.

    Few are cut off, so that hardly a reply is cut off twice, which would be final.
    """
    alike = EndpointSettings.with_faults(0.2, seed=4)
    settings = replace(
        alike,
        hang=0.002,
        dropped=alike.dropped + alike.hang - 0.002,
        truncated_text=0.002,
        malformed_json=alike.malformed_json + alike.truncated_text - 0.002,
        retry_after=0.0,
    )
    return replace(settings, latency_ms=2, responder=Unruffled())


def calm() -> EndpointSettings:
    return EndpointSettings(seed=5, latency_ms=2, responder=Unruffled())


# ------------------------------------------------------------------ runs


def described(
    endpoint: EndpointServer, folder: Path, name: str, order: str = "ahead", tries: int = 12
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
        calls = list(store.calls.all(config.name))
        tries = {call.call: call.reply.tries for call in calls}
        assert len(tries) == len(calls), "a call was paid for twice"
        assert not store.calls.failures(config.name)
        events = store.events(config.name, row.trial.id)
        verdicts = tuple(row.verdict for row in store.verdicts.scores(config.name))
    return Lived(events, verdicts, tries, counted)


def killed_twice(config: RunConfig, events: int) -> None:
    """The run in processes of their own; the first two are killed on the way, with SIGKILL."""
    assert config.store is not None
    command = [sys.executable, "-c", PLAY, config.model_dump_json()]
    for share in (0.3, 0.7):
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as child:
            while written(config.store) < share * events:
                assert child.poll() is None, "it was over before it could be killed"
                time.sleep(0.02)
            child.kill()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)


def written(path: Path) -> int:
    try:
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as store:
            return int(store.execute("SELECT count(*) FROM events").fetchone()[0])
    except sqlite3.OperationalError:
        return 0  # not made yet
