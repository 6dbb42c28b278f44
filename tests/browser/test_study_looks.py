"""Studies in a browser: set up, invited, taken part in, looked at."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from looks import held
from sociolab.app import load_world
from sociolab.store import Store
from sociolab.studies import Link, create_study, invite, open_path
from study_samples import played_run, settings
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


@pytest.mark.parametrize("kind", ["rate", "impressions", "review"])
def test_every_kind_of_study_has_a_form_that_points_at_what_is_wrong(
    window: BrowserContext, tmp_path: Path, kind: str
) -> None:
    path = tmp_path / "store.db"
    tab = window.new_page()  # a page that says what is wrong is an error on the console
    with served(path) as address:
        tab.goto(f"{address}/studies/new?kind={kind}")
        held(tab, f"study-new-{kind}-empty")
        played_run(path)
        tab.goto(f"{address}/studies/new?kind={kind}")
        held(tab, f"study-new-{kind}")
        tab.fill("[name=name]", "s")
        tab.fill("[name=title]", "")
        tab.get_by_role("button", name="Set up the study").last.click()
        expect(tab.get_by_role("alert")).to_contain_text("Title: this is needed")
        expect(tab.locator("details[open]")).to_have_count(0)  # nothing is wrong in there
        held(tab, f"study-new-{kind}-wrong")
        each = tab.get_by_label("per person")
        each.fill("none")
        tab.get_by_role("link", name="Title").click()
        expect(tab.get_by_label("Title", exact=True)).to_be_in_viewport()
        tab.get_by_role("button", name="Set up the study").last.click()
        expect(tab.get_by_role("alert")).to_contain_text('expected a whole number, found "none"')
        expect(each).to_have_value("none")


def test_whoever_comes_too_late_or_elsewhere_is_told_so_in_peace(
    window: BrowserContext, tmp_path: Path
) -> None:
    path = tmp_path / "store.db"
    tab = window.new_page()  # the status of these pages is an error on the console
    recruit = {"places": 2, "complete": "https://lab.edu/done"}
    with Store.open(path) as store:
        create_study(store, "s", settings(review={"limit": 2}))
        store.studies.change("s", open=True)
        used, unused = invite(store, "s", 2)
        texts = {"completion_code": "", "recruit": recruit}
        create_study(store, "over", settings(review={"limit": 2, "raters": 2, "each": 2}, **texts))
        store.studies.change("over", open=True)
        over = open_path(store.studies.get("over"))
        store.recruits.delete_ids("over")
    with served(path) as address:
        tab.goto(address + used.path)
        tab.get_by_role("button", name="Begin").click()
        window.clear_cookies()
        tab.goto(address + used.path)
        expect(tab.get_by_role("heading", level=1)).to_have_text("This link has been used")
        held(tab, "take-used")
        tab.goto(f"{address}{over}?PROLIFIC_PID=ada&STUDY_ID=1&SESSION_ID=2")
        expect(tab.get_by_role("heading", level=1)).to_have_text("This study is over")
        expect(tab.get_by_role("alert")).to_contain_text("return your place on the site")
        expect(tab.get_by_role("link", name="Runs")).to_have_count(0)
        held(tab, "take-over")
        with Store.open(path) as store:
            store.studies.change("s", open=False)
        tab.goto(address + unused.path)
        expect(tab.get_by_role("heading", level=1)).to_have_text("You cannot go on here")
        held(tab, "take-closed")
        tab.goto(f"{address}/runs/none")
        expect(tab.get_by_role("link", name="Runs", exact=True)).to_be_visible()
        held(tab, "not-found")
