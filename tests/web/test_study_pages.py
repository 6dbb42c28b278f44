"""The researcher sets a study up, sends links, looks how far it is, and takes the data away."""

from __future__ import annotations

import io
import re
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from zipfile import ZipFile

import pytest

from sociolab.store import Store, lock_run
from sociolab.studies import StudySettings, create_study, hash_secret, invite
from study_browser import Browser, form
from study_samples import played_run, settings
from web_serving import served


@dataclass(frozen=True)
class Lab:
    path: Path
    browser: Browser

    def settings(self, study: str) -> StudySettings:
        with Store.open(self.path) as store:
            return StudySettings.model_validate(store.studies.get(study).settings)


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    path = tmp_path_factory.mktemp("lab") / "store.db"
    played_run(path)
    with Store.open(path) as store:
        create_study(store, "s", settings())
    with served(path) as address:
        yield Lab(path, Browser(address))


@pytest.mark.parametrize("kind", ["play", "rate", "review"])
def test_the_form_as_it_is_offered_makes_a_study(lab: Lab, kind: str) -> None:
    page = lab.browser.get(f"/studies/new?kind={kind}")
    made = lab.browser.post("/studies/new", None, **{**form(page), "name": f"my-{kind}"})
    assert (made.status, made.path) == (200, f"/studies/my-{kind}")
    found = lab.settings(f"my-{kind}")
    assert found.kind == kind
    assert found.consent.startswith("In this study")
    assert found.survey or kind == "review"


def test_a_form_that_is_wrong_is_shown_again_and_nothing_is_lost(lab: Lab) -> None:
    page = lab.browser.get("/studies/new?kind=play")
    given = form(page) | {
        "name": "wrong",
        "welcome": "Hello <i>you</i>",
        "play.people": "nine",
        "play.partners": "scripted\nnobody",
        "survey.0.points": "50",
    }
    made = lab.browser.post("/studies/new", None, **given)
    assert made.status == 422
    assert 'id="play.people-wrong"' in made.text
    assert "Hello &lt;i&gt;you&lt;/i&gt;" in made.text
    again = form(made)
    assert again["play.partners"] == "scripted\nnobody"
    assert again["survey.0.points"] == "50"
    assert {name for name in given if name not in again} == set()
    with Store.open(lab.path) as store:
        assert "wrong" not in [study.name for study in store.studies.all()]


@pytest.mark.parametrize(
    ("fields", "place"),
    [
        ({"play.partners": "nobody"}, "play.partners"),
        ({"play.judges": "nobody"}, "play.judges"),
        ({"play.people": "3"}, "play.people"),
        ({"play.tasks": "no-such-tag"}, "play.tasks"),
        ({"play.world": "chess"}, "play.world"),
        ({"name": ""}, "name"),
        ({"name": "a b"}, "name"),
        ({"name": "s"}, "name"),
        ({"title": ""}, "title"),
    ],
)
def test_what_is_wrong_is_told_beside_its_field(
    lab: Lab, fields: dict[str, str], place: str
) -> None:
    page = lab.browser.get("/studies/new?kind=play")
    made = lab.browser.post("/studies/new", None, **{**form(page), "name": "wrong", **fields})
    assert made.status == 422
    assert f'id="{place}-wrong"' in made.text


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("play.partners", "scripted\npython:os:getcwd"),
        ("play.stand_in", " python:os:getcwd"),
        ("play.judges", "python:os:getcwd"),
        ("play.data", "/etc"),
        ("play.data", "../../data"),
        ("play.data", "x" * 5000),
    ],
)
def test_a_form_reaches_neither_code_nor_folders(lab: Lab, place: str, value: str) -> None:
    page = lab.browser.get("/studies/new?kind=play")
    made = lab.browser.post("/studies/new", None, **{**form(page), "name": "beyond", place: value})
    assert made.status == 422
    assert f'id="{place}-wrong"' in made.text
    assert "sociolab study create FILE" in made.text


def test_more_questions_are_asked_for_without_losing_any(lab: Lab) -> None:
    page = lab.browser.get("/studies/new?kind=play")
    before = form(page)
    made = lab.browser.post("/studies/new", None, **{**before, "more": "question"})
    assert made.status == 200
    after = form(made)
    assert {name: after[name] for name in before} == before
    assert sum(name.endswith(".text") for name in after) > sum(
        name.endswith(".text") for name in before
    )


def test_a_study_like_another_begins_with_all_its_settings(lab: Lab) -> None:
    page = lab.browser.get("/studies/new?like=s")
    made = lab.browser.post("/studies/new", None, **{**form(page), "name": "like-s"})
    assert made.path == "/studies/like-s"
    old, new = lab.settings("s"), lab.settings("like-s")
    assert new.model_copy(update={"code_key": old.code_key}) == old
    assert new.code_key != old.code_key


def test_references_are_typed_in_lines(lab: Lab) -> None:
    with Store.open(lab.path) as store:
        trial = store.trials("played")[0].trial
    page = lab.browser.get("/studies/new?kind=rate")
    line = f"{trial.id} {trial.task.seats[0]} goal=8 believability=9 within=1"
    given = {**form(page), "name": "tested", "rate.references": line}
    assert lab.browser.post("/studies/new", None, **given).path == "/studies/tested"
    plan = lab.settings("tested").rate
    assert plan is not None
    assert plan.references[0].scores == {"goal": 8, "believability": 9}
    assert plan.references[0].within == 1
    assert line in lab.browser.get("/studies/new?like=tested").text


def test_the_exam_is_chosen_and_goes_with_no_references(lab: Lab) -> None:
    given = {**form(lab.browser.get("/studies/new?kind=rate")), "name": "sat", "rate.exam": "yes"}
    with Store.open(lab.path) as store:
        trial = store.trials("played")[0].trial
    both = {"rate.references": f"{trial.id} {trial.task.seats[0]} goal=8"}
    refused = lab.browser.post("/studies/new", None, **(given | both))
    assert "found the exam and references" in refused.text
    assert lab.browser.post("/studies/new", None, **given).path == "/studies/sat"
    assert lab.settings("sat").exam_run.startswith("exam-sotopia-")
    assert form(lab.browser.get("/studies/new?like=sat"))["rate.exam"] == "yes"


def test_links_are_shown_once_and_let_people_in(lab: Lab) -> None:
    lab.browser.get("/studies/s")
    page = lab.browser.post("/studies/s/links", None, count="2")
    secrets = re.findall(r"/join/([\w-]+)", page.text)
    assert len(secrets) == 2
    with Store.open(lab.path) as store:
        who = store.studies.participant_of_link(hash_secret(secrets[0]))
    assert who is not None
    page = lab.browser.get("/studies/s")
    assert who.id in page.text
    assert not any(secret in page.text for secret in secrets)
    page = lab.browser.post(f"/studies/s/people/{who.id}/link")
    assert len(re.findall(r"/join/([\w-]+)", page.text)) == 1
    with Store.open(lab.path) as store:
        assert store.studies.participant_of_link(hash_secret(secrets[0])) is None


def test_what_the_researcher_does_on_pages_is_in_the_audit_log(lab: Lab) -> None:
    lab.browser.get("/studies/s")
    made = lab.browser.post("/studies/s/links", None, count="3")
    who = re.findall(r"(p-\w+),http", made.text)[0]
    lab.browser.post(f"/studies/s/people/{who}/delete")
    assert lab.browser.post("/studies/s/links", None, count="none").status == 422
    with Store.open(lab.path) as store:
        log = [entry.action for entry in store.audit_log.entries("s")]
    assert log[-2:] == ["made 3 links (web app)", "deleted a participant (web app)"]


def test_opening_and_closing_is_one_button(lab: Lab) -> None:
    assert "admit nobody until you open it" in lab.browser.get("/studies/s").text
    page = lab.browser.post("/studies/s/state", None, state="open")
    assert "admit nobody until you open it" not in page.text
    assert lab.browser.post("/studies/s/state", None, state="closed").path == "/studies/s"
    assert lab.browser.post("/studies/s/state", None, state="ajar").status == 422


def test_texts_are_changed_while_it_runs(lab: Lab) -> None:
    page = lab.browser.get("/studies/s/texts")
    given = {**form(page), "thanks": "Thank\r\nyou!"}
    assert lab.browser.post("/studies/s/texts", None, **given).path == "/studies/s"
    assert lab.settings("s").thanks == "Thank\nyou!"
    page = lab.browser.post("/studies/s/texts", None, **{**given, "title": " ", "welcome": "kept"})
    assert page.status == 422
    assert "kept" in page.text
    assert page.problem.startswith("title: ")


def test_the_preview_shows_what_participants_will_see(lab: Lab) -> None:
    text = lab.browser.get("/studies/s/preview").text
    assert "have everything that is stored about you deleted" in text
    for words in ("of your own free will", "Read, then decide.", "How natural was it?"):
        assert words in text


def test_the_data_are_taken_away_as_an_archive(lab: Lab) -> None:
    with urllib.request.urlopen(f"{lab.browser.server}/studies/s/export.zip") as answer:
        assert answer.headers["Content-Type"] == "application/zip"
        names = ZipFile(io.BytesIO(answer.read())).namelist()
    assert "s/participants.csv" in names


def test_a_participant_is_deleted_with_a_button(lab: Lab) -> None:
    with Store.open(lab.path) as store:
        create_study(store, "talks", settings(play={"limit": 1}))
        who = invite(store, "talks", 1)[0].participant
        trial = store.trials("talks")[0].trial.id
        store.studies.assign(store.studies.participant("talks", who).pk, trial, "ann", "open")
    assert who in lab.browser.get("/studies/talks").text
    page = lab.browser.post(f"/studies/talks/people/{who}/delete")
    assert page.path.startswith("/studies/talks")
    assert who not in page.text
    assert lab.browser.post(f"/studies/talks/people/{who}/delete").status == 404


def test_a_run_that_another_process_plays_is_not_meddled_with(lab: Lab) -> None:
    with Store.open(lab.path) as store:
        create_study(store, "busy", settings(play={"limit": 1}))
        who = invite(store, "busy", 1)[0].participant
    with lock_run(lab.path, "busy"):
        lab.browser.get("/studies/busy")
        page = lab.browser.post(f"/studies/busy/people/{who}/delete")
        assert (page.status, 'run "busy" is in use' in page.problem) == (400, True)
        assert lab.browser.post("/studies/busy/delete", None, typed="busy").status == 400
    with Store.open(lab.path) as store:
        assert store.studies.participant("busy", who).id == who
        assert store.has_run("busy")


def test_a_study_is_deleted_when_its_name_was_typed(lab: Lab) -> None:
    with Store.open(lab.path) as store:
        create_study(store, "gone", settings(play={"limit": 1}))
    lab.browser.get("/studies/gone")
    page = lab.browser.post("/studies/gone/delete", None, typed="yes")
    assert (page.status, "Nothing was deleted" in page.problem) == (400, True)
    assert lab.browser.post("/studies/gone/delete", None, typed="gone").path == "/studies"
    assert lab.browser.get("/studies/gone").status == 404
    with Store.open(lab.path) as store:
        assert not store.has_run("gone")


def test_drop_outs_are_told_with_their_reasons_and_no_markup(lab: Lab) -> None:
    with Store.open(lab.path) as store:
        create_study(store, "lost", settings())
        pk = store.studies.participant("lost", invite(store, "lost", 1)[0].participant).pk
        store.studies.set_state(pk, "left")
        store.studies.answer(pk, "", "frame.reason", "<script>alert(1)</script>\u202e")
    text = lab.browser.get("/studies/lost").text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert lab.browser.get("/studies/lost/progress").text.count("<b>1</b> left") == 1


@pytest.mark.parametrize("page", ["", "/progress", "/preview", "/texts", "/export.zip"])
def test_a_study_that_is_not_there_is_told(lab: Lab, page: str) -> None:
    found = lab.browser.get(f"/studies/nothing{page}")
    assert (found.status, found.problem) == (404, 'There is no study called "nothing".')
