"""What a participant may not see or do is refused with a sentence."""

from __future__ import annotations

import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import requests

from sociolab.store import Store
from sociolab.studies import Link, create_study, invite
from study_browser import Browser
from study_samples import settings
from web_serving import TOKEN, served


@dataclass(frozen=True)
class Two:
    """Two participants of a study, each in a browser of their own."""

    path: Path
    first: Browser
    second: Browser
    links: tuple[Link, ...]


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Two]:
    path = tmp_path_factory.mktemp("apart") / "store.db"
    with Store.open(path) as store:
        create_study(store, "s", settings())
        create_study(store, "closed", settings())
        store.studies.change("s", open=True)
        links = invite(store, "s", 2)
    with served(path, token=TOKEN) as address:
        browsers = [Browser(address) for _ in links]
        for browser, link in zip(browsers, links, strict=True):
            browser.get(link.path)
            assert browser.post(link.path).status == 200
        yield Two(path, browsers[0], browsers[1], links)


def refused(status: int, sentence: str) -> bool:
    return status in (401, 403, 404, 410) and sentence.endswith(".") and len(sentence) > 20


PAGES = ("", "/consent", "/instructions", "/survey", "/end", "/leave", "/review")


@pytest.mark.parametrize("page", PAGES)
def test_pages_of_another_participant_are_refused(two: Two, page: str) -> None:
    found = two.first.get(f"/take/s/{two.links[1].participant}{page}")
    assert refused(found.status, found.problem), found
    assert "own free will" not in found.text


@pytest.mark.parametrize("other", ["/take/s/{1}", "/take/closed/{0}", "/take/s/p-aaaaaa"])
def test_a_cookie_that_is_sent_where_it_does_not_belong_opens_nothing(two: Two, other: str) -> None:
    cookie = next(each for each in two.first.cookies if each.name == "sociolab-participant")
    path = other.format(*(link.participant for link in two.links))
    request = urllib.request.Request(two.first.server + path)
    request.add_header("Cookie", f"{cookie.name}={cookie.value}")
    with pytest.raises(urllib.error.HTTPError) as raised:
        urllib.request.urlopen(request, timeout=20)
    with raised.value:
        assert raised.value.code == 404


@pytest.mark.parametrize("page", PAGES)
def test_another_study_under_the_same_name_is_refused(two: Two, page: str) -> None:
    found = two.first.get(f"/take/closed/{two.links[0].participant}{page}")
    assert refused(found.status, found.problem)


@pytest.mark.parametrize("who", ["p-aaaaaa", "p-%00", "%F0%9F%98%80", "..%2Fs", "a" * 300])
def test_guessed_names_are_refused_alike(two: Two, who: str) -> None:
    found = two.first.get(f"/take/s/{who}")
    real = two.first.get(f"/take/s/{two.links[1].participant}")
    assert found.status == 404
    assert found.problem in (real.problem, "There is nothing at this address.")


@pytest.mark.parametrize("page", [*PAGES, "/play", "/play/state", "/rate/instructions"])
@pytest.mark.parametrize("cookie", ["", "sociolab-participant=" + "x" * 43])
def test_nobody_learns_which_studies_and_participants_there_are(
    two: Two, page: str, cookie: str
) -> None:
    visit = next(f"{one.name}={one.value}" for one in two.first.cookies if one.path == "/")
    headers = {"Cookie": f"{visit}; {cookie}"}

    def answer(study: str, who: str) -> tuple[int, str]:
        address = f"{two.first.server}/take/{study}/{who}{page}"
        found = requests.get(address, headers=headers, timeout=20)
        return found.status_code, found.text

    there = two.links[0].participant
    assert answer("s", there)[0] == 404
    for study, who in (("s", "p-aaaaaa"), ("closed", there), ("nowhere", there)):
        assert answer(study, who) == answer("s", there)


@pytest.mark.parametrize("secret", ["a" * 32, "a", "a" * 99, "%00", "..%2F..", "%F0%9F%98%80"])
def test_guessed_links_lead_nowhere(two: Two, secret: str) -> None:
    found = Browser(two.first.server).get(f"/join/{secret}")
    assert found.status == 404
    assert found.problem.endswith(".")


def test_a_form_sent_by_another_page_is_refused(two: Two) -> None:
    home = f"/take/s/{two.links[0].participant}"
    for proof in ("", "0" * 64, two.second.csrf):
        found = two.first.post(f"{home}/leave", proof, data="delete")
        assert refused(found.status, found.problem)
    with Store.open(two.path) as store:
        assert store.studies.participant("s", two.links[0].participant).state == "arrived"


@pytest.mark.parametrize(
    "path",
    [
        "/studies",
        "/studies/new",
        "/studies/s",
        "/studies/s/progress",
        "/studies/s/texts",
        "/studies/s/preview",
        "/studies/s/export.zip",
        "/runs",
    ],
)
def test_the_researchers_pages_ask_for_the_token(two: Two, path: str) -> None:
    found = two.first.get(path)
    assert found.path.startswith("/login")
    assert found.title == "Sign in"


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("/studies/new", {"kind": "review", "name": "x"}),
        ("/studies/s/state", {"state": "closed"}),
        ("/studies/s/links", {"count": "1"}),
        ("/studies/s/texts", {"title": "Mine"}),
        ("/studies/s/delete", {"typed": "s"}),
    ],
)
def test_the_researchers_changes_ask_for_the_token(
    two: Two, path: str, fields: dict[str, str]
) -> None:
    two.first.get("/login")
    found = two.first.post(path, **fields)
    assert refused(found.status, found.problem)
    with Store.open(two.path) as store:
        assert [study.name for study in store.studies.all()] == ["s", "closed"]
        assert store.studies.get("s").open
        assert len(store.studies.participants("s")) == 2


def test_a_link_to_a_closed_study_is_kept(two: Two) -> None:
    with Store.open(two.path) as store:
        link = invite(store, "closed", 1)[0]
    browser = Browser(two.first.server)
    for found in (browser.get(link.path), browser.post(link.path)):
        assert refused(found.status, found.problem)
    with Store.open(two.path) as store:
        assert store.studies.participant("closed", link.participant).state == "invited"


def test_the_cookie_goes_to_the_participants_own_pages_only(two: Two) -> None:
    cookies = {cookie.name: cookie for cookie in two.first.cookies}
    found = cookies["sociolab-participant"]
    assert found.path == f"/take/s/{two.links[0].participant}"
    assert found.has_nonstandard_attr("HttpOnly")


def test_nothing_of_a_browser_is_stored(two: Two) -> None:
    data = two.path.read_bytes() + two.path.with_name(two.path.name + "-wal").read_bytes()
    secrets = [cookie.value for cookie in two.first.cookies if cookie.value]
    assert secrets
    for found in ("127.0.0.1", "Python-urllib", *secrets, two.links[0].secret):
        assert found.encode() not in data
