"""A process that is killed in the middle of writing loses nothing that was acknowledged."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sociolab.store import RunReplies, Store

from . import samples

WRITER = """
import itertools, sys
from pathlib import Path
from sociolab.core.episode import Action, Moved
from sociolab.core.ports import CallKey, ChatReply, Message, Prompt
from sociolab.store.calls import RunReplies
from sociolab.store.store import Store

store = Store.open(Path(sys.argv[1]))
replies = RunReplies(store, "r")
text = "It was a long day. "
for turn in itertools.count():
    prompt = Prompt((Message("user", text * (turn % 50)),))
    key = CallKey("t1", "agent", "ann", turn, "act", 1)
    store.begin()
    replies.keep(f"k{turn}", key, "m", prompt, ChatReply("Hi."))
    store.append("r", "t1", Moved(turn, "ann", (Action("speak", text * (turn % 9)),)))
    print(turn, flush=True)
"""


@pytest.mark.parametrize("turns", [1, 37, 400])
def test_every_append_that_returned_survives_kill_9(path: Path, turns: int) -> None:
    with Store.open(path) as store:
        store.create_run("r", "world", {}, samples.plan(1))
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True
    )
    assert writer.stdout is not None
    for turn in range(turns):
        assert writer.stdout.readline() == f"{turn}\n"
    writer.send_signal(signal.SIGKILL)
    rest, _ = writer.communicate()
    acknowledged = turns + len(rest.splitlines())

    with Store.open(path) as store:
        events = store.events("r", "t1")
        assert [event.turn for event in events] == list(range(len(events)))
        assert acknowledged <= len(events) <= acknowledged + 1
        replies = RunReplies(store, "r")
        assert all(replies.find(f"k{turn}") is not None for turn in range(acknowledged))
        for call in store.calls.all("r"):
            assert store.calls.prompt(call).messages[0].text == "It was a long day. " * (
                call.call.turn % 50
            )
        store.append("r", "t1", samples.moved(len(events)))
        assert len(store.events("r", "t1")) == len(events) + 1
