"""Somebody's browser without a screen: cookies are kept, forms and scripts' requests are sent."""

from __future__ import annotations

import json
import re
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass
from http.cookiejar import CookieJar
from typing import Any


@dataclass(frozen=True)
class Answer:
    """What came back, redirects followed."""

    status: int
    url: str
    body: bytes

    @property
    def text(self) -> str:
        """The body as text."""
        return self.body.decode()

    @property
    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


class Client:
    """A browser at an address of the app."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        self._csrf = ""

    def get(self, path: str) -> Answer:
        """Open a page."""
        return self._ask(urllib.request.Request(self.address + path))

    def form(self, path: str, **fields: str) -> Answer:
        """Send a form."""
        data = urllib.parse.urlencode({"csrf": self._csrf, **fields}).encode()
        return self._ask(urllib.request.Request(self.address + path, data))

    def send(self, path: str, value: Any) -> Answer:
        """Send JSON, as a page's script does."""
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json",
            "X-CSRF-Token": self._csrf,
        }
        data = json.dumps(value).encode()
        return self._ask(urllib.request.Request(self.address + path, data, headers))

    def join(self, secret: str) -> Answer:
        """Open a participant's link and begin."""
        self.get(f"/join/{secret}")
        return self.form(f"/join/{secret}")

    def _ask(self, request: urllib.request.Request) -> Answer:
        try:
            with self._opener.open(request, timeout=20) as answer:
                found = Answer(answer.status, answer.url, answer.read())
        except urllib.error.HTTPError as error:
            found = Answer(error.code, error.url or "", error.read())
        known = re.search(rb'<meta name="csrf" content="([0-9a-f]+)"', found.body)
        if known:
            self._csrf = known[1].decode()
        return found
