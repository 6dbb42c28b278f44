"""The local endpoint with replies that the reference package accepts too, for `bench_sotopia.py`.

It asks for scores without saying their range in the schema, and refuses those outside; here each of
its scores is 0, which lies in every range. All other replies are the endpoint's own.

    python benchmarks/sotopia_endpoint.py LATENCY_MS

Prints its URL, and serves until its input is closed.
"""

from __future__ import annotations

import json
import sys
from functools import partial

from sociolab.endpoint.chat import ChatBody
from sociolab.endpoint.replies import Replies
from sociolab.endpoint.server import run_forever, stdin_closed
from sociolab.endpoint.settings import EndpointSettings

CHARACTERS = 150


def main() -> None:
    latency = float(sys.argv[1])
    replies = Replies(EndpointSettings(characters=CHARACTERS))

    def reply(chat: ChatBody) -> str:
        text = replies.valid(chat)
        return _judged(text) if '"SotopiaDimensions"' in chat.schema else text

    settings = EndpointSettings(characters=CHARACTERS, latency_ms=latency, responder=reply)
    run_forever(settings, announce=partial(print, flush=True), until=stdin_closed)


def _judged(text: str) -> str:
    """A sheet for each of the two agents: the reasons as they were made up, every score 0."""
    made_up = next(iter(json.loads(text)["evaluations"].values()))
    sheet = {name: [reason, 0] for name, (reason, _) in made_up.items()}
    return json.dumps({"evaluations": {"agent_1": sheet, "agent_2": sheet}})


if __name__ == "__main__":
    main()
