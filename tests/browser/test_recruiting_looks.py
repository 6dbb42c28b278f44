"""People who come from a recruiting platform and go back to it, in Chromium."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from looks import held
from recruiting_platform import Platform, recruiting
from sociolab.store import Store
from sociolab.studies import create_study, open_path, set_open
from study_samples import SURVEY
from web_serving import served

WHERE = {
    "name": "where",
    "text": "Do you live in Alderbrook?",
    "choices": ["Yes", "No"],
    "admit": ["Yes"],
}


def open_study(path: Path, platform: Platform, address: str) -> None:
    """A play study of two places, for people of Alderbrook."""
    texts = {"completion_code": "C0DE", "instructions": "", "survey": SURVEY}
    plan = {"limit": 2, "words_a_minute": 0, "settings": {"turns": "2"}}
    settings = platform.study(
        play=plan, review=None, recruit={"places": 2, "questions": [WHERE]}, **texts
    )
    with Store.open(path) as store:
        create_study(store, "s", settings)
        set_open(store, "s", is_open=True)
        gaps = "PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"
        platform.link = f"{address}{open_path(store.studies.get('s'))}?{gaps}"


def begin(page: Page, platform: Platform, person: str, lives: str) -> None:
    """From the platform's page to the answer of the screening question."""
    page.goto(f"{platform.address}/work/{person}")
    page.get_by_role("link", name="Open study").click()
    page.get_by_role("button", name="Begin").click()
    page.get_by_role("button", name="I agree").click()
    page.get_by_role("radio", name=lives).check()
    page.get_by_role("button", name="Continue").click()


def test_people_come_from_the_platform_play_and_go_back_to_it(
    tab: Page, chromium: Browser, tmp_path: Path
) -> None:
    path = tmp_path / "store.db"
    with recruiting() as platform, served(path) as address:
        open_study(path, platform, address)
        tab.goto(f"{platform.address}/work/ada")
        tab.get_by_role("link", name="Open study").click()
        held(tab, "recruit")
        tab.get_by_role("button", name="Begin").click()
        tab.get_by_role("button", name="I agree").click()
        held(tab, "take-screening")
        tab.get_by_role("radio", name="Yes").check()
        tab.get_by_role("button", name="Continue").click()
        tab.get_by_role("button", name="I am ready").click()
        tab.get_by_label("Leave", exact=True).check()
        tab.get_by_role("button", name="Leave the scene").click()
        tab.get_by_role("link", name="Continue").click()
        tab.get_by_role("radio", name="4").check()
        tab.get_by_role("radio", name="I cannot tell").check()
        tab.get_by_role("button", name="Send").click()
        held(tab, "take-end-recruited")
        tab.get_by_role("link", name="Return to the site").click()
        expect(tab.get_by_role("heading", name="complete")).to_be_visible()
        assert platform.returned == ["/complete?cc=C0DE&session=s1"]

        other_window = chromium.new_context(locale="en-GB")
        other = other_window.new_page()
        begin(other, platform, "bob", "No")
        other.get_by_role("link", name="Return to the site").click()
        expect(other.get_by_role("heading", name="screened-out")).to_be_visible()
        other_window.clear_cookies()
        begin(other, platform, "cleo", "Yes")
        expect(other.get_by_role("button", name="I am ready")).to_be_visible()
        other_window.clear_cookies()
        other.goto(f"{platform.address}/work/dan")
        other.get_by_role("link", name="Open study").click()
        expect(other.get_by_role("heading", name="full")).to_be_visible()
        assert platform.returned[1:] == ["/screened-out", "/full?pid=dan"]
        other_window.close()

        tab.goto(f"{platform.address}/work/ada")
        tab.get_by_role("link", name="Open study").click()
        expect(tab.get_by_role("heading", name="You have already taken part")).to_be_visible()
        tab.goto(f"{address}/studies/s")
        expect(tab.get_by_text("2 places: 1 finished, 1 under way, 0 free")).to_be_visible()
        held(tab, "study-recruiting")
