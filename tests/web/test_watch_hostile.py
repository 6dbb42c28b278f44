"""What models write is hostile: over HTTP it is text, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser

import pytest
import requests

from sociolab.report.html import chart_scripts
from watched_stores import LONG, RUN, watched_store
from web_serving import served

EPISODES = f"/runs/{RUN}/episodes"
PAGES = (
    "/runs",
    f"/runs/{RUN}",
    f"/runs/{RUN}/report.html",
    EPISODES,
    f"{EPISODES}/{1:016x}",
    f"{EPISODES}/{1:016x}?q=script",
    f"{EPISODES}/{1:016x}/course",
    f"{EPISODES}/{1:016x}/calls",
    f"{EPISODES}/{2:016x}",
    f"{EPISODES}/{3:016x}",
    "/search?q=script",
    "/search?q=%3Cscript%3E%E2%80%AE%00",
)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    path = tmp_path_factory.mktemp("hostile") / "store.db"
    watched_store(path)
    with served(path) as found:
        yield found


class Elements(HTMLParser):
    """Collects what a browser would make of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.inline: list[str] = []
        """What scripts without an address hold; data (JSON) is none."""
        self._in_script = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        self._in_script = tag == "script" and not {"src", "type"} & dict(attrs).keys()
        if self._in_script:
            self.inline.append("")

    def handle_data(self, data: str) -> None:
        if self._in_script:
            self.inline[-1] += data

    def handle_endtag(self, tag: str) -> None:
        self._in_script = False


@pytest.mark.parametrize("path", PAGES)
def test_nothing_of_a_transcript_becomes_an_element(address: str, path: str) -> None:
    answer = requests.get(f"{address}{path}", timeout=20)
    assert answer.status_code == 200
    page = Elements(answer.text)
    elements = page.found
    # A report that is downloaded holds our own scripts, letter by letter; no other page holds any.
    ours = [chart_scripts().strip()] if path.endswith("report.html") else []
    assert [script.strip() for script in page.inline] == ours
    assert not [tag for tag, _ in elements if tag in ("img", "iframe", "object", "base", "embed")]
    for tag, attributes in elements:
        assert not [name for name in attributes if name.startswith("on")], (tag, attributes)
        if tag == "script":
            assert (attributes.get("src") or "/static/").startswith("/static/"), attributes
            kind = attributes.get("type", "application/json")
            assert "src" in attributes or kind == "application/json", attributes
        if not path.endswith("report.html"):  # a download, which no policy of ours holds for
            assert "style" not in attributes, (tag, attributes)
    assert "{{" not in answer.text or "{{ 7 * 7 }}" in answer.text, "texts are no templates"


@pytest.mark.parametrize("path", PAGES)
def test_what_cannot_be_seen_is_shown_as_such(address: str, path: str) -> None:
    text = requests.get(f"{address}{path}", timeout=20).content.decode("utf-8", "strict")
    unseen = {letter for letter in text if ord(letter) < 32} - {"\n", "\t"}
    assert not unseen, f"{unseen} reach the browser"


def test_a_line_of_a_million_letters_is_cut_and_says_so(address: str) -> None:
    page = requests.get(f"{address}{EPISODES}/{1:016x}", timeout=20).text
    assert LONG not in page
    assert f"{len(LONG) + len('said: '):,}"[:3] in page or "more characters are left out" in page
    assert len(page) < 200_000


def test_marks_of_direction_stay_within_their_own_box(address: str) -> None:
    page = requests.get(f"{address}{EPISODES}/{1:016x}", timeout=20).text
    for place in (at for at, letter in enumerate(page) if letter == "\u202e"):
        opened = page.rfind("<", 0, place)
        before = page[max(0, opened - 400) : place]
        isolated = (
            'class="said',
            'said">',
            "<pre",
            "<title",
            "aria-label",
            "<summary",
            "<th",
            "value=",
        )
        assert any(mark in before for mark in isolated), before[-200:]
