"""A participant's way through a study: one page after the other, and nobody else's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from sociolab.app import load_world
from sociolab.store import Store
from sociolab.studies import Link, StudySettings, completion_code, create_study, invite, reissue
from study_browser import Browser
from study_samples import settings
from web_serving import TOKEN, served


@dataclass(frozen=True)
class Served:
    """A server with an open study "s" of one review, and links to it."""

    address: str
    path: Path

    def link(self, *, done: bool = False, study: str = "s") -> Link:
        """A new participant's link; `done`: nothing is left to review."""
        with Store.open(self.path) as store:
            made = invite(store, study, 1)[0]
            if done:
                task = load_world("sotopia").world.tasks()[0].id
                pk = store.studies.participant(study, made.participant).pk
                store.studies.set_progress(store.studies.assign(pk, task, "", "open"), "done")
        return made

    def state(self, link: Link) -> str:
        with Store.open(self.path) as store:
            return store.studies.participant("s", link.participant).state

    def joined(self, link: Link) -> Browser:
        """A browser in which the link's Begin was pressed."""
        browser = Browser(self.address)
        browser.get(link.path)
        browser.post(link.path)
        return browser


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    path = tmp_path_factory.mktemp("taking") / "store.db"
    with Store.open(path) as store:
        create_study(store, "s", settings(review={"limit": 1, "raters": 20, "each": 1}))
        store.studies.change("s", open=True)
    with served(path, token=TOKEN) as address:
        yield Served(address, path)


def home(link: Link) -> str:
    return f"/take/s/{link.participant}"


def test_looking_at_a_link_does_not_use_it_up(site: Served) -> None:
    link = site.link()
    for _ in range(3):
        page = Browser(site.address).get(link.path)
        assert (page.status, page.title) == (200, "Talking with strangers")
    assert site.state(link) == "invited"


def test_the_way_leads_from_consent_to_the_end(site: Served) -> None:
    link = site.link(done=True)
    browser = site.joined(link)
    assert site.state(link) == "arrived"
    page = browser.get(home(link))
    assert page.path == f"{home(link)}/consent"
    assert "of your own free will" in page.text
    page = browser.post(f"{home(link)}/consent", choice="agree")
    assert (page.path, site.state(link)) == (f"{home(link)}/instructions", "consented")
    page = browser.post(f"{home(link)}/instructions")
    assert page.path == f"{home(link)}/survey"
    page = browser.post(f"{home(link)}/survey", natural="4", partner="A person", remarks="Fine.")
    assert (page.path, site.state(link)) == (f"{home(link)}/end", "finished")
    with Store.open(site.path) as store:
        found = StudySettings.model_validate(store.studies.get("s").settings)
        pk = store.studies.participant("s", link.participant).pk
        answers = {
            row.name: row.value for row in store.studies.answers("s", pk) if "." not in row.name
        }
    assert answers == {"natural": 4, "partner": "A person", "remarks": "Fine."}
    assert completion_code(found, link.participant) in page.text
    assert browser.get(home(link)).path == f"{home(link)}/end"


def test_what_the_study_does_comes_after_consent(site: Served) -> None:
    link = site.link()
    browser = site.joined(link)
    page = browser.get(f"{home(link)}/review")
    assert (page.status, page.path) == (403, f"{home(link)}/review")
    assert "comes after your consent" in page.problem
    browser.get(home(link))
    browser.post(f"{home(link)}/consent", choice="agree")
    assert browser.post(f"{home(link)}/instructions").path.startswith(f"{home(link)}/review")


@pytest.mark.parametrize("step", ["consent", "instructions", "survey", "end"])
def test_any_page_leads_to_the_one_that_is_due(site: Served, step: str) -> None:
    link = site.link()
    browser = site.joined(link)
    assert browser.get(f"{home(link)}/{step}").path == f"{home(link)}/consent"


def test_going_back_and_sending_again_changes_nothing(site: Served) -> None:
    link = site.link(done=True)
    browser = site.joined(link)
    browser.post(f"{home(link)}/consent", choice="agree")
    page = browser.post(f"{home(link)}/consent", choice="decline")
    assert page.path == f"{home(link)}/instructions"
    assert site.state(link) == "consented"
    browser.post(f"{home(link)}/instructions")
    browser.post(f"{home(link)}/survey", natural="4", partner="A person")
    page = browser.post(f"{home(link)}/survey", natural="1", partner="I cannot tell")
    assert page.path == f"{home(link)}/end"
    with Store.open(site.path) as store:
        pk = store.studies.participant("s", link.participant).pk
        found = {row.name: row.value for row in store.studies.answers("s", pk)}
    assert found["natural"] == 4


def test_who_declines_is_thanked_and_asked_nothing_more(site: Served) -> None:
    link = site.link(done=True)
    browser = site.joined(link)
    page = browser.post(f"{home(link)}/consent", choice="decline")
    assert (page.title, site.state(link)) == ("You chose not to take part", "refused")
    assert "completion code" not in page.text
    assert browser.get(f"{home(link)}/review").status == 403


@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        ({}, 2),
        ({"natural": "4"}, 1),
        ({"natural": "6", "partner": "A person"}, 1),
        ({"natural": "x", "partner": "A robot"}, 2),
        ({"natural": "4", "partner": "A person", "remarks": "x" * 5001}, 1),
    ],
)
def test_a_survey_with_a_gap_is_shown_again_with_all_that_was_said(
    site: Served, given: dict[str, str], wrong: int
) -> None:
    link = site.link(done=True)
    browser = site.joined(link)
    browser.post(f"{home(link)}/consent", choice="agree")
    browser.post(f"{home(link)}/instructions")
    page = browser.post(f"{home(link)}/survey", **{"remarks": "This <b>stays</b>.", **given})
    assert page.status == 422
    assert page.text.count('class="wrong"') == wrong
    assert "remarks" in given or "This &lt;b&gt;stays&lt;/b&gt;." in page.text
    assert site.state(link) == "consented"


def test_a_link_is_used_once(site: Served) -> None:
    link = site.link()
    first = site.joined(link)
    second = Browser(site.address)
    page = second.get(link.path)
    assert (page.status, page.title) == (410, "This link has been used")
    assert second.post(link.path).status == 410
    assert second.get(home(link)).status == 404
    assert first.get(home(link)).status == 200


def test_a_new_link_goes_on_where_the_old_browser_was(site: Served) -> None:
    link = site.link()
    first = site.joined(link)
    first.post(f"{home(link)}/consent", choice="agree")
    with Store.open(site.path) as store:
        again = reissue(store, "s", link.participant)
    assert first.get(home(link)).status == 404
    assert Browser(site.address).get(link.path).status == 404
    assert site.joined(again).get(home(link)).path == f"{home(link)}/instructions"


def test_two_who_press_begin_at_once_are_not_both_let_in(site: Served) -> None:
    link = site.link()
    browsers = [Browser(site.address) for _ in range(2)]
    for browser in browsers:
        browser.get(link.path)
    pages = [browser.post(link.path) for browser in browsers]
    assert sorted(page.status for page in pages) == [200, 410]


def test_leaving_keeps_what_was_done_and_says_why(site: Served) -> None:
    link = site.link()
    browser = site.joined(link)
    assert "Leave the study" in browser.get(home(link)).text
    assert browser.get(f"{home(link)}/leave").title == "Leave the study?"
    page = browser.post(f"{home(link)}/leave", data="keep", reason="No time.")
    assert (page.title, site.state(link)) == ("You have left the study", "left")
    with Store.open(site.path) as store:
        pk = store.studies.participant("s", link.participant).pk
        assert [row.value for row in store.studies.answers("s", pk)] == ["No time."]
    assert browser.get(f"{home(link)}/review").status == 403


def test_leaving_can_delete_everything(site: Served) -> None:
    link = site.link()
    browser = site.joined(link)
    browser.post(f"{home(link)}/consent", choice="agree")
    page = browser.post(f"{home(link)}/leave", data="delete", reason="quetzalcoatl")
    assert (page.path, page.title) == ("/deleted", "Your data are deleted")
    with Store.open(site.path) as store:
        assert link.participant not in [who.id for who in store.studies.participants("s")]
    files = [site.path, site.path.with_name(site.path.name + "-wal")]
    data = b"".join(file.read_bytes() for file in files if file.exists())
    assert link.participant.encode() not in data
    assert browser.get(home(link)).status == 404
    assert browser.get(link.path).status == 404


def test_a_study_without_consent_asks_nobody(site: Served) -> None:
    with Store.open(site.path) as store:
        create_study(store, "free", settings(consent="", instructions="", survey=[]))
        store.studies.change("free", open=True)
    link = site.link(study="free")
    assert (
        site.joined(link)
        .get(f"/take/free/{link.participant}")
        .path.startswith(f"/take/free/{link.participant}/review")
    )


def test_who_finished_sees_the_code_when_the_study_is_closed(site: Served) -> None:
    with Store.open(site.path) as store:
        create_study(store, "past", settings(completion_code="DONE"))
        store.studies.change("past", open=True)
    link, late = site.link(study="past"), site.link(study="past")
    browser = site.joined(link)
    with Store.open(site.path) as store:
        store.studies.set_state(store.studies.participant("past", link.participant).pk, "finished")
        store.studies.change("past", open=False)
    assert "DONE" in browser.get(f"/take/past/{link.participant}").text
    page = Browser(site.address).get(late.path)
    assert page.status == 403
    assert "not open at the moment" in page.problem
