"""A browser without a screen, for tests of pages: keeps cookies, sends forms as pages do."""

from __future__ import annotations

import re
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from html import unescape
from http.cookiejar import CookieJar
from urllib.parse import urlencode


@dataclass(frozen=True)
class Page:
    """An answer: status, the address that it came from in the end, and its text."""

    status: int
    address: str
    text: str

    @property
    def path(self) -> str:
        """The address without the server."""
        return re.sub(r"^https?://[^/]+", "", self.address)

    @property
    def title(self) -> str:
        """The first heading."""
        found = re.search(r"<h1[^>]*>(.*?)</h1>", self.text, re.DOTALL)
        return unescape(re.sub(r"<[^>]+>", "", found[1]).strip()) if found else ""

    @property
    def problem(self) -> str:
        """What the page says is wrong."""
        found = re.search(
            r'<(?:p|div) class="problem"[^>]*>(.*?)</(?:p|div)>', self.text, re.DOTALL
        )
        return unescape(re.sub(r"<[^>]+>", "", found[1]).strip()) if found else ""


@dataclass
class Browser:
    """One browser at one server."""

    server: str
    cookies: CookieJar = field(default_factory=CookieJar)
    csrf: str = ""

    def get(self, path: str) -> Page:
        """Go to a page."""
        return self._ask(path, None)

    def post(self, path: str, csrf: str | None = None, /, **fields: str) -> Page:
        """Send a form with the proof of the last page, or with the one given."""
        form = {"csrf": self.csrf if csrf is None else csrf, **fields}
        return self._ask(path, urlencode(form).encode())

    def _ask(self, path: str, body: bytes | None) -> Page:
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.cookies))
        try:
            with opener.open(self.server + path, body, timeout=20) as answer:
                page = Page(answer.status, answer.url, answer.read().decode("utf-8", "replace"))
        except urllib.error.HTTPError as error:
            with error:
                page = Page(error.code, error.url or path, error.read().decode())
        found = re.search(r'<meta name="csrf" content="(\w+)"', page.text)
        self.csrf = found[1] if found else self.csrf
        return page


def form(page: Page) -> dict[str, str]:
    """What a browser would send of the page's form, were its button pressed."""
    found: dict[str, str] = {}
    for tag in re.findall(r"<input[^>]*>", page.text):
        name, value = re.search(r'name="([^"]+)"', tag), re.search(r'value="([^"]*)"', tag)
        if name and ('type="checkbox"' not in tag or "checked" in tag):
            found[name[1]] = value[1] if value else ""
    found |= dict(
        re.findall(r'<textarea[^>]*name="([^"]+)"[^>]*>(.*?)</textarea>', page.text, re.DOTALL)
    )
    for name_, options in re.findall(
        r'<select[^>]*name="([^"]+)"[^>]*>(.*?)</select>', page.text, re.DOTALL
    ):
        chosen = re.search(r'<option(?: value="([^"]*)")? selected>([^<]*)<', options)
        found[name_] = (chosen[1] or chosen[2]) if chosen else ""
    found.pop("csrf")
    return found
