"""What holds for every request: hosts, origins, proofs, sizes, rates, headers, who is the
researcher."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import requests

from play_clients import COOKIE as PARTICIPANT, lay_out, secret
from sociolab.core import ConfigError
from sociolab.store import Store
from sociolab.studies import create_study, invite
from sociolab.web import Rate, WebSettings
from study_samples import settings
from web_serving import TOKEN, free_port, running, served


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """An app without a token, for this machine only."""
    with served(tmp_path_factory.mktemp("here") / "store.db") as address:
        yield address


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """An app with an admin token, which lets the tests sign in as often as they like."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sociolab.web.server.SECRETS", Rate(1000, 1000))
        with served(tmp_path_factory.mktemp("guarded") / "store.db", token=TOKEN) as address:
            yield address


def proof(browser: requests.Session, address: str) -> str:
    """The token that a page gives this browser."""
    page = browser.get(f"{address}/login").text
    return page.split('name="csrf" content="')[1].split('"')[0]


def cookie(browser: requests.Session, name: str) -> str:
    """What the browser keeps under a name, to which the app adds its port."""
    (value,) = (one.value for one in browser.cookies if one.name.rpartition("-")[0] == name)
    assert value
    return value


def with_cookies(of: requests.Session) -> requests.Session:
    """Another browser with copies of all cookies."""
    copy = requests.Session()
    copy.cookies.update(of.cookies)
    return copy


def let_in(browser: requests.Session, address: str) -> bool:
    """Whether the researcher's pages open in this browser."""
    answer = browser.get(f"{address}/runs", allow_redirects=False)
    assert answer.status_code in (200, 303)
    return answer.status_code == 200


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


@pytest.mark.parametrize(
    ("token", "found"),
    [
        ("secret", "found 6 characters, 5 of them different"),
        (" " * 40, "found 0 characters"),
        (" 123456789abcde ", "found 14 characters"),
        ("abab" * 10, "found 40 characters, 2 of them different"),
        ("\0" * 40, "found characters that cannot be printed"),
        ("a-good-token-but\nfor-its-second-line", "found characters that cannot be printed"),
    ],
)
def test_a_token_that_could_be_guessed_is_refused(tmp_path: Path, token: str, found: str) -> None:
    with pytest.raises(ConfigError, match=found) as raised:
        WebSettings(tmp_path / "s.db", admin_token=token)
    assert "secret" not in str(raised.value)
    assert WebSettings(tmp_path / "s.db", admin_token="0123456789abcdef")


@pytest.mark.parametrize("proxy", ["", "lab.example.org", "10.0.0.0/64", "10.0.0.1/8", "*"])
def test_a_trusted_proxy_is_an_address_or_a_network(tmp_path: Path, proxy: str) -> None:
    with pytest.raises(ConfigError, match="--trusted-proxy: expected an IP address or network"):
        WebSettings(tmp_path / "s.db", admin_token=TOKEN, trusted_proxies=(proxy,))


def test_a_proxy_is_believed_only_where_it_is_named(tmp_path: Path) -> None:
    alone = WebSettings(tmp_path / "s.db", admin_token=TOKEN)
    shared = WebSettings(tmp_path / "s.db", admin_token=TOKEN, public_url="https://lab.example.org")
    named = replace(shared, trusted_proxies=("192.0.2.0/24", "2001:db8::7"))
    addresses = ("127.0.0.1", "::1", "192.0.2.9", "2001:db8::7", "198.51.100.1", "")
    assert [alone.trusts(one) for one in addresses] == [False] * 6
    assert [shared.trusts(one) for one in addresses] == [True, True, *[False] * 4]
    assert [named.trusts(one) for one in addresses] == [False, False, True, True, False, False]


def test_over_https_cookies_are_kept_from_anybody_else(tmp_path: Path) -> None:
    plain = WebSettings(tmp_path / "s.db", port=8123, admin_token=TOKEN)
    assert plain.cookie("x") == "x-8123", "apps on several ports share a browser's cookies"
    assert replace(plain, public_url="https://lab.example.org").cookie("x") == "__Host-x"


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


@pytest.mark.parametrize("app", ["here", "guarded"])
def test_a_name_that_points_here_is_not_served(app: str, request: pytest.FixtureRequest) -> None:
    address = request.getfixturevalue(app)
    answer = requests.get(address, headers={"Host": "rebound.example"}, timeout=5)
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


def test_over_https_no_other_site_can_plant_a_cookie(tmp_path: Path) -> None:
    with Store.open(tmp_path / "store.db") as store:
        create_study(store, "s", settings())
        store.studies.change("s", open=True)
        (link,) = invite(store, "s", 1)
    lab = WebSettings(
        tmp_path / "store.db", port=free_port(), admin_token=TOKEN, public_url="https://lab.org"
    )

    def ask(path: str, visit: str = "", **form: str) -> requests.Response:
        return requests.request(
            "POST" if form else "GET",
            f"http://127.0.0.1:{lab.port}{path}",
            headers={"Cookie": visit},
            data=form,
            timeout=20,
            allow_redirects=False,
        )

    with running(lab):
        first = ask(link.path)
        visit = first.headers["Set-Cookie"]
        assert visit.startswith("__Host-sociolab=")
        csrf = first.text.split('name="csrf" content="')[1].split('"')[0]
        joined = ask(link.path, visit.partition(";")[0], csrf=csrf).headers["Set-Cookie"]
        assert joined.startswith("__Secure-sociolab-participant=")
        assert f"Path=/take/s/{link.participant}" in joined
        home = ask(f"/take/s/{link.participant}", joined.partition(";")[0])
        assert home.headers["Location"].endswith("/consent")
        signed = ask(f"/?token={TOKEN}").headers["Set-Cookie"]
        assert "__Host-sociolab-admin=" in signed
        assert "Domain" not in visit + signed
        assert [text.count("; Secure") for text in (visit, joined, signed)] == [1, 1, 2]


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


def test_without_a_token_whoever_is_here_is_the_researcher(here: str) -> None:
    assert let_in(requests.Session(), here)
    first = requests.get(f"{here}/?token={TOKEN}", timeout=5, allow_redirects=False)
    assert (first.status_code, first.headers["Location"]) == (303, "/runs")


def test_with_a_token_the_researchers_pages_ask_for_it(guarded: str) -> None:
    for path in ("/runs", "/studies", "/search", "/api/runs", "/api/openapi.json"):
        answer = requests.get(guarded + path, timeout=5, allow_redirects=False)
        assert answer.status_code in (303, 401), path
        assert "/login" in answer.headers.get("Location", "/login")
    assert "/login?" in requests.get(guarded, timeout=5).url
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
    browser, other = signed_in(guarded), requests.Session()
    proof(other, guarded)
    for one in browser.cookies:
        if one.name.startswith("sociolab-admin"):
            other.cookies.set(one.name, one.value)
    assert len(other.cookies) == 2
    assert not let_in(other, guarded)
    assert let_in(with_cookies(browser), guarded)


@pytest.mark.parametrize("target", ["//evil.example", "https://evil.example", "/\\evil", "x"])
def test_signing_in_leads_to_no_other_site(guarded: str, target: str) -> None:
    browser = requests.Session()
    form = {"token": TOKEN, "next": target, "csrf": proof(browser, guarded)}
    answer = browser.post(f"{guarded}/login", data=form, allow_redirects=False)
    assert answer.headers["Location"] == "/"


def test_the_printed_link_signs_in_and_leaves_the_address(guarded: str) -> None:
    browser = requests.Session()
    answer = browser.get(f"{guarded}/?token={TOKEN}", allow_redirects=False)
    assert (answer.status_code, answer.headers["Location"]) == (303, "/runs")
    assert answer.headers["Referrer-Policy"] == "same-origin"
    assert answer.headers["Cache-Control"] == "no-store"
    assert TOKEN not in str(answer.headers)
    assert let_in(browser, guarded)
    assert let_in(signed_in(guarded), guarded), "the link is good for more than one browser"


def test_an_old_link_leads_to_the_form(guarded: str) -> None:
    browser = requests.Session()
    answer = browser.get(f"{guarded}/?token=one-of-an-earlier-start", allow_redirects=False)
    assert answer.status_code == 403
    assert "That is not the admin token." in answer.text
    assert "one-of-an-earlier-start" not in answer.text
    assert not let_in(browser, guarded)


def test_links_are_tried_as_seldom_as_the_form(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sociolab.web.server.SECRETS", Rate(burst=3, a_minute=0.01))
    with served(tmp_path / "store.db", token=TOKEN) as address:
        found = [
            requests.get(
                f"{address}/?token={token}",
                headers={"X-Forwarded-For": f"198.51.100.{number}"},  # of no proxy that was named
                timeout=5,
            ).status_code
            for number, token in enumerate(["one", "two", "three", TOKEN])
        ]
    assert found == [403, 403, 403, 429]


def test_signing_out_ends_the_session_wherever_its_cookies_were_copied(guarded: str) -> None:
    browser = signed_in(guarded)
    copy = with_cookies(browser)
    assert let_in(copy, guarded)
    browser.post(f"{guarded}/logout", data={"csrf": proof(browser, guarded)})
    assert not let_in(browser, guarded)
    assert not let_in(copy, guarded)


def test_signing_in_leaves_nothing_of_what_the_browser_had_before(guarded: str) -> None:
    browser = requests.Session()
    before = proof(browser, guarded)
    visit = cookie(browser, "sociolab")
    planted = with_cookies(browser)  # whoever chose this browser's cookie knows it
    form = {"token": TOKEN, "csrf": before}
    browser.post(f"{guarded}/login", data=form, allow_redirects=False)
    assert cookie(browser, "sociolab") != visit
    assert not let_in(planted, guarded)
    assert browser.post(f"{guarded}/logout", data={"csrf": before}).status_code == 403
    session, copy = cookie(browser, "sociolab-admin"), with_cookies(browser)
    browser.get(f"{guarded}/?token={TOKEN}")
    assert cookie(browser, "sociolab-admin") != session
    assert let_in(browser, guarded)
    assert not let_in(copy, guarded), "who signs in again ends the session before"


def test_the_proof_of_a_page_cannot_be_computed_from_cookies(tmp_path: Path) -> None:
    proofs = []
    port = free_port()
    browser = requests.Session()
    for _ in range(2):
        with served(tmp_path / "store.db", token=TOKEN, port=port) as address:
            proofs.append(proof(browser, address))
    assert proofs[0] != proofs[1], "the same cookies, another key"


def test_a_restart_signs_the_researcher_out(tmp_path: Path) -> None:
    port = free_port()
    with served(tmp_path / "store.db", token=TOKEN, port=port) as address:
        browser = signed_in(address)
        assert let_in(browser, address)
    with served(tmp_path / "store.db", token=TOKEN, port=port) as address:
        assert not let_in(browser, address)


# ------------------------------------------------------------------ how often


def test_whoever_asks_too_often_is_told_when_to_come_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sociolab.web.security.ADDRESS", Rate(burst=5, a_minute=1))
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


@pytest.mark.parametrize("name", ["sociolab-admin-{port}", "sociolab-{port}", PARTICIPANT])
@pytest.mark.parametrize("value", ["{now}.\xe9", "{now}.", ".", "\xff" * 43, "9" * 5000])
def test_a_cookie_of_any_letters_opens_nothing_and_breaks_nothing(
    guarded: str, name: str, value: str
) -> None:
    port = guarded.rpartition(":")[2]
    text = f"{name.format(port=port)}={value.format(now=int(time.time()))}"
    cookie = text.encode("latin-1")
    for path in ("/runs", "/login", "/take/s/p"):
        answer = requests.get(
            guarded + path, headers={"Cookie": cookie}, timeout=5, allow_redirects=False
        )
        assert answer.status_code in (200, 303, 403, 404), path
        assert (answer.status_code == 200) == (path == "/login")


def test_a_fault_of_ours_keeps_the_headers_and_no_secret_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(secret: str) -> bytes:
        raise ZeroDivisionError

    monkeypatch.setattr("sociolab.web.participant_pages.hash_secret", broken)
    with served(tmp_path / "store.db") as address:
        answer = requests.get(f"{address}/join/a-secret-link", timeout=5)
    assert answer.status_code == 500
    assert "script-src 'self'" in answer.headers["Content-Security-Policy"]
    assert "/join/{secret} failed" in caplog.text
    assert "a-secret-link" not in caplog.text
