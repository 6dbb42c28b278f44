"""Studies in a browser: set up, invited, taken part in, looked at."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page, expect

from looks import held
from sociolab.app import load_world
from sociolab.store import Store
from sociolab.studies import Link, create_study, invite
from study_samples import settings
from web_serving import served


def invited(path: Path) -> Link:
    """The link of a participant who has reviewed all there is to review, and will be asked the
    rest."""
    with Store.open(path) as store:
        create_study(store, "s", settings(review={"limit": 1, "raters": 1, "each": 1}))
        store.studies.change("s", open=True)
        link = invite(store, "s", 1)[0]
        task = load_world("sotopia").world.tasks()[0].id
        done = store.studies.assign(
            store.studies.participant("s", link.participant).pk, task, "", "open"
        )
        store.studies.set_progress(done, "done")
    return link


def test_a_study_is_set_up_in_a_form_that_loses_nothing(tab: Page, tmp_path: Path) -> None:
    with served(tmp_path / "store.db") as address:
        tab.goto(f"{address}/studies")
        held(tab, "studies-none")
        tab.click("text=New study")
        held(tab, "study-kinds")
        tab.click("text=Play")
        held(tab, "study-new")
        tab.fill("[name=name]", "strangers")
        tab.fill("[name=welcome]", "Good to see you.")
        tab.click("text=Set up the study")
        tab.wait_for_url("**/studies/strangers")
        held(tab, "study")
        tab.click("text=Preview")
        held(tab, "study-preview")
        tab.go_back()
        tab.click("text=Edit texts")
        held(tab, "study-texts")
        tab.fill("[name=title]", "Another title")
        tab.click("text=Save")
        tab.click("button:has-text('Open')")
        tab.fill("[name=count]", "3")
        tab.click("text=Make links")
        held(tab, "study-links")
        with tab.expect_download() as download:
            tab.get_by_role("button", name="Download").click()
        assert download.value.path().read_text().count("/join/") == 3
        tab.click("text=Done")
        expect(tab.locator("tbody code")).to_have_count(3)
        tab.goto(f"{address}/studies")
        held(tab, "studies")


def test_the_form_shows_the_fields_that_an_answer_needs(tab: Page, tmp_path: Path) -> None:
    with served(tmp_path / "store.db") as address:
        tab.goto(f"{address}/studies/new?kind=review")
        choices = tab.locator("[name='survey.0.choices']")
        assert not choices.is_visible()
        tab.select_option("[name='survey.0.kind']", "choice")
        assert choices.is_visible()
        tab.once("dialog", lambda dialog: dialog.accept())


def test_a_participant_comes_to_the_end_with_the_keyboard_alone(tab: Page, tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    link = invited(path)
    with served(path) as address:
        tab.goto(address + link.path)
        held(tab, "take-join")
        tab.get_by_role("button", name="Begin").press("Enter")
        held(tab, "take-consent")
        tab.get_by_role("button", name="I agree").press("Enter")
        held(tab, "take-instructions")
        tab.get_by_role("button", name="Continue").press("Enter")
        held(tab, "take-survey")
        tab.get_by_role("radio", name="4").press("Space")
        tab.get_by_role("radio", name="I cannot tell").press("Space")
        tab.get_by_role("button", name="Send").press("Enter")
        held(tab, "take-end")
        tab.goto(f"{address}/take/s/{link.participant}/leave")
        held(tab, "take-leave")
