"""A stand-in of a recruiting platform: it sends people to a study, and they come back to it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from sociolab.studies import StudySettings
from study_samples import settings


@dataclass
class Platform:
    """Its address, the study's link with the gaps that it fills, and what people came back to."""

    address: str = ""
    link: str = ""
    returned: list[str] = field(default_factory=list)

    def sent(self, person: str, session: str = "s1") -> str:
        """The address to which it sends a person."""
        values = {"PROLIFIC_PID": person, "STUDY_ID": "study-1", "SESSION_ID": session}
        link = self.link
        for name, value in values.items():
            link = link.replace(f"{{{{%{name}%}}}}", value)
        return link

    def study(self, **changed: Any) -> StudySettings:
        """The settings of a study that recruits here; `recruit` is changed field by field."""
        recruit = {
            "places": 1,
            "complete": f"{self.address}/complete?cc={{code}}&session={{SESSION_ID}}",
            "screened_out": f"{self.address}/screened-out",
            "full": f"{self.address}/full?pid={{PROLIFIC_PID}}",
            **changed.pop("recruit", {}),
        }
        texts = {"instructions": "", "survey": [], "debriefing": "Now you know."}
        review = {"limit": 3, "raters": 20, "each": 1}
        return settings(**{"review": review, **texts, **changed, "recruit": recruit})


@contextmanager
def recruiting() -> Iterator[Platform]:
    """The platform, on a port of 127.0.0.1. Its page `/work/PERSON` leads people to the study."""
    platform = Platform()

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            place, _, person = self.path.removeprefix("/").partition("/")
            text = f"<h1>{escape(place)}</h1>"
            if place == "work":
                text += f'<a href="{escape(platform.sent(person))}">Open study</a>'
            elif place != "favicon.ico":
                platform.returned.append(self.path)
            body = f"<!doctype html><html lang=en><title>Platform</title>{text}".encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    platform.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield platform
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)
