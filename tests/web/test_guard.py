"""What holds for every request: hosts, origins, proofs, sizes, rates, headers, who is the
researcher."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from play_clients import lay_out, secret
from sociolab.core.errors import ConfigError
from sociolab.web.security.limits import Limiter, Rate
from sociolab.web.settings import WebSettings
from sociolab.web.taking import COOKIE as PARTICIPANT
from web_serving import TOKEN, served


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """An app for this machine only."""
    with served(tmp_path_factory.mktemp("here") / "store.db") as address:
        yield address


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """An app with an admin token."""
    with served(tmp_path_factory.mktemp("guarded") / "store.db", token=TOKEN) as address:
        yield address


def proof(browser: requests.Session, address: str) -> str:
    """The token that a page gives this browser."""
    page = browser.get(f"{address}/login").text
    return page.split('name="csrf" content="')[1].split('"')[0]


def signed_in(address: str) -> requests.Session:
    """A browser that has signed in."""
    browser = requests.Session()
    form = {"token": TOKEN, "csrf": proof(browser, address)}
    assert browser.post(f"{address}/login", data=form, allow_redirects=False).status_code == 303
    return browser


# ------------------------------------------------------------------ settings


@pytest.mark.parametrize(
    "values",
    [
        {"host": "0.0.0.0"},
        {"host": "192.168.1.5"},
        {"public_url": "https://lab.example.org"},
    ],
)
def test_others_can_reach_the_app_only_with_a_token(tmp_path: Path, values: dict[str, str]) -> None:
    with pytest.raises(ConfigError, match="needs an admin token"):
        WebSettings(tmp_path / "s.db", **values)  # type: ignore[arg-type]
    assert WebSettings(tmp_path / "s.db", admin_token=TOKEN, **values)  # type: ignore[arg-type]


def test_a_short_token_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="20 characters or more, found 6"):
        WebSettings(tmp_path / "s.db", admin_token="secret")


@pytest.mark.parametrize("url", ["lab.example.org", "ftp://lab.example.org", "https://a.org/sub"])
def test_a_public_address_is_one(tmp_path: Path, url: str) -> None:
    with pytest.raises(ConfigError, match="--public-url"):
        WebSettings(tmp_path / "s.db", admin_token=TOKEN, public_url=url)


def test_with_a_public_address_only_its_name_is_served(tmp_path: Path) -> None:
    settings = WebSettings(
        tmp_path / "s.db", admin_token=TOKEN, public_url="https://lab.example.org"
    )
    assert settings.serves("lab.example.org")
    assert settings.serves("127.0.0.1:8000")
    assert not settings.serves("evil.example")
    assert settings.secure


# ------------------------------------------------------------------ every request


def test_a_name_that_points_here_is_not_served(here: str) -> None:
    answer = requests.get(here, headers={"Host": "rebound.example"}, timeout=5)
    assert answer.status_code == 421


def test_every_answer_forbids_scripts_of_others(here: str) -> None:
    for path in ("/healthz", "/login", "/nowhere", "/static/js/app.js"):
        headers = requests.get(here + path, timeout=5).headers
        assert "script-src 'self'" in headers["Content-Security-Policy"]
        assert "unsafe" not in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff"


def test_who_asks_for_the_head_of_a_page_gets_it(here: str) -> None:
    answer = requests.head(f"{here}/login", timeout=5)
    assert (answer.status_code, answer.content) == (200, b"")
    assert int(answer.headers["Content-Length"]) > 500


def test_a_change_needs_the_proof_of_a_page_of_ours(here: str) -> None:
    browser = requests.Session()
    token = proof(browser, here)
    for wrong in ("", "0" * 64, token.upper()):
        assert browser.post(f"{here}/logout", data={"csrf": wrong}).status_code == 403
    fine = browser.post(f"{here}/logout", data={"csrf": token}, allow_redirects=False)
    assert fine.status_code == 303
    header = {"X-CSRF-Token": token}
    fine = browser.post(f"{here}/logout", headers=header, allow_redirects=False)
    assert fine.status_code == 303


def test_the_proof_of_one_browser_serves_no_other(here: str) -> None:
    mine, theirs = requests.Session(), requests.Session()
    token = proof(theirs, here)
    proof(mine, here)
    assert mine.post(f"{here}/logout", data={"csrf": token}).status_code == 403


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_a_change_at_the_request_of_another_site_is_refused(
    here: str, headers: dict[str, str]
) -> None:
    browser = requests.Session()
    form = {"csrf": proof(browser, here)}
    assert browser.post(f"{here}/logout", data=form, headers=headers).status_code == 403


def test_cookies_are_out_of_reach_of_scripts(here: str) -> None:
    cookie = requests.get(f"{here}/login", timeout=5).headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie


def test_a_body_that_does_not_say_how_long_it_is_ends_at_the_limit(here: str) -> None:
    browser = requests.Session()
    header = {
        "X-CSRF-Token": proof(browser, here),
        "Content-Type": "application/x-www-form-urlencoded",
    }
    pieces = (b"token=" + b"x" * 65_536 for _ in range(8))
    try:
        answer = browser.post(f"{here}/login", data=pieces, headers=header, timeout=10)
    except requests.ConnectionError:
        return  # the server hung up: that is a refusal, too
    assert 400 <= answer.status_code < 500


def test_files_are_kept_by_browsers_only_under_addresses_that_change_with_them(here: str) -> None:
    page = requests.get(f"{here}/login", timeout=5).text
    style = page.split('rel="stylesheet" href="')[1].split('"')[0]
    assert "immutable" in requests.get(here + style, timeout=5).headers["Cache-Control"]
    script = requests.get(f"{here}/static/js/app.js", timeout=5)
    assert script.headers["Cache-Control"] == "no-cache"
    again = {"If-None-Match": script.headers["ETag"]}
    assert requests.get(f"{here}/static/js/app.js", headers=again, timeout=5).status_code == 304
    assert 'src="/static/js/app.js"' in page, "one address, or the script runs twice"


# ------------------------------------------------------------------ the researcher


def test_without_a_token_this_machine_is_the_researcher(here: str) -> None:
    assert requests.get(f"{here}/runs", timeout=5).status_code == 200


def test_what_came_through_a_proxy_is_not_this_machine(here: str) -> None:
    header = {"X-Forwarded-For": "203.0.113.9", "Accept": "application/json"}
    assert requests.get(f"{here}/runs", headers=header, timeout=5).status_code == 401


def test_with_a_token_the_researchers_pages_ask_for_it(guarded: str) -> None:
    for path in ("/", "/runs", "/studies", "/search", "/api/runs", "/api/openapi.json"):
        answer = requests.get(guarded + path, timeout=5, allow_redirects=False)
        assert answer.status_code in (303, 401), path
        assert "/login" in answer.headers.get("Location", "/login")
    browser = signed_in(guarded)
    assert browser.get(f"{guarded}/runs").status_code == 200


def test_a_wrong_token_opens_nothing(guarded: str) -> None:
    browser = requests.Session()
    form = {"token": TOKEN[:-1] + "x", "csrf": proof(browser, guarded)}
    answer = browser.post(f"{guarded}/login", data=form)
    assert answer.status_code == 403
    assert "That is not the admin token." in answer.text
    assert TOKEN not in answer.text
    assert browser.get(f"{guarded}/runs", allow_redirects=False).status_code == 303


def test_the_cookie_of_the_researcher_serves_no_other_browser(guarded: str) -> None:
    browser = signed_in(guarded)
    stolen = browser.cookies["sociolab-admin"]
    other = requests.Session()
    proof(other, guarded)
    other.cookies.set("sociolab-admin", stolen)
    assert other.get(f"{guarded}/runs", allow_redirects=False).status_code == 303


@pytest.mark.parametrize("target", ["//evil.example", "https://evil.example", "/\\evil", "x"])
def test_signing_in_leads_to_no_other_site(guarded: str, target: str) -> None:
    browser = requests.Session()
    form = {"token": TOKEN, "next": target, "csrf": proof(browser, guarded)}
    answer = browser.post(f"{guarded}/login", data=form, allow_redirects=False)
    assert answer.headers["Location"] == "/"


def test_signing_out_ends_it(guarded: str) -> None:
    browser = signed_in(guarded)
    browser.post(f"{guarded}/logout", data={"csrf": proof(browser, guarded)})
    assert browser.get(f"{guarded}/runs", allow_redirects=False).status_code == 303


# ------------------------------------------------------------------ how often


def test_a_bucket_empties_and_fills_again() -> None:
    now = [0.0]
    limiter = Limiter(Rate(burst=3, a_minute=60), clock=lambda: now[0])
    assert [limiter.take("a") for _ in range(3)] == [0, 0, 0]
    assert limiter.take("a") == pytest.approx(1.0)
    assert limiter.take("b") == 0
    now[0] = 1.5
    assert limiter.take("a") == 0
    assert limiter.take("a") == pytest.approx(0.5)


def test_buckets_of_long_ago_are_forgotten() -> None:
    limiter = Limiter(Rate(burst=1, a_minute=1), most=2)
    for key in "abc":
        assert limiter.take(key) == 0
    assert limiter.take("a") == 0  # the bucket was forgotten, so it is full again
    assert limiter.take("c") > 0


def test_whoever_asks_too_often_is_told_when_to_come_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sociolab.web.security.guard.ADDRESS", Rate(burst=5, a_minute=1))
    with served(tmp_path / "store.db") as address:
        answers = [requests.get(f"{address}/healthz", timeout=5) for _ in range(6)]
    assert [answer.status_code for answer in answers] == [200] * 5 + [429]
    assert 50 <= int(answers[5].headers["Retry-After"]) <= 60


def test_a_participant_who_asks_too_often_holds_up_nobody_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sociolab.web.server.PAGES", Rate(burst=5, a_minute=1))
    lay_out(tmp_path / "store.db", participants=2, limit=1)
    with served(tmp_path / "store.db") as address:
        first, second = (
            [
                requests.get(  # without the cookie of a browser
                    f"{address}/take/chat/{who}/play/state",
                    cookies={PARTICIPANT: secret(who)},
                    timeout=5,
                ).status_code
                for _ in range(times)
            ]
            for who, times in (("p1", 7), ("p2", 2))
        )
    assert first == [200] * 5 + [429] * 2
    assert second == [200] * 2


# ------------------------------------------------------------------ what nobody sends by accident


@pytest.mark.parametrize("name", ["sociolab-admin", "sociolab", "sociolab-participant"])
@pytest.mark.parametrize("value", ["{now}.\xe9", "{now}.", ".", "\xff" * 43, "9" * 5000])
def test_a_cookie_of_any_letters_opens_nothing_and_breaks_nothing(
    guarded: str, name: str, value: str
) -> None:
    cookie = f"{name}={value.format(now=int(time.time()))}".encode("latin-1")
    for path in ("/runs", "/login", "/take/s/p"):
        answer = requests.get(
            guarded + path, headers={"Cookie": cookie}, timeout=5, allow_redirects=False
        )
        assert answer.status_code in (200, 303, 403, 404), path
        assert (answer.status_code == 200) == (path == "/login")


@pytest.mark.parametrize(
    "header",
    ["Forwarded", "X-Forwarded-Proto", "X-Real-IP", "Via", "CF-Connecting-IP", "X-Client-IP"],
)
def test_any_header_of_a_proxy_says_that_this_is_not_this_machine(here: str, header: str) -> None:
    headers = {header: "", "Accept": "application/json"}
    assert requests.get(f"{here}/runs", headers=headers, timeout=5).status_code == 401


def test_a_proxy_that_says_nothing_is_known_by_its_old_http(here: str) -> None:
    host = here.removeprefix("http://")
    for version, status in (("1.0", b"401"), ("1.1", b"200")):
        name, _, port = host.partition(":")
        with socket.create_connection((name, int(port)), timeout=5) as connection:
            connection.sendall(f"GET /api/runs HTTP/{version}\r\nHost: {host}\r\n\r\n".encode())
            assert connection.recv(100).split()[1] == status


def test_a_fault_of_ours_keeps_the_headers_and_no_secret_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(secret: str) -> bytes:
        raise ZeroDivisionError

    monkeypatch.setattr("sociolab.web.study.joining.digest", broken)
    with served(tmp_path / "store.db") as address:
        answer = requests.get(f"{address}/join/a-secret-link", timeout=5)
    assert answer.status_code == 500
    assert "script-src 'self'" in answer.headers["Content-Security-Policy"]
    assert "/join/{secret} failed" in caplog.text
    assert "a-secret-link" not in caplog.text
