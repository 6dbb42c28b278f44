"""People come from a recruiting platform by one open link, once each, and go back to it."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from recruiting_platform import Platform, recruiting
from sociolab.app import load_world
from sociolab.cli.main import app
from sociolab.store import Store
from sociolab.studies import StudySettings, create_study, export_study, set_open, take_place
from study_browser import Browser, Page, form
from web_serving import served

SCREENING = [
    {
        "name": "hours",
        "text": "How often do you negotiate?",
        "choices": ["daily", "weekly", "never"],
        "admit": ["daily", "weekly"],
        "quotas": {"daily": 1},
    }
]
CHECKS = [
    {"name": f"c{n}", "text": "Choose 3.", "kind": "scale", "points": 5, "expected": "3"}
    for n in (1, 2)
]


@dataclass
class Lab:
    """A server, its store, and the platform."""

    address: str
    path: Path
    platform: Platform

    def open(self, name: str = "s", **changed: Any) -> None:
        """An open study, to which the platform sends people."""
        with Store.open(self.path) as store:
            create_study(store, name, self.platform.study(**changed))
            set_open(store, name, is_open=True)
        shown = CliRunner().invoke(
            app,
            ["study", "recruit", name, "--public-url", self.address, "--store", str(self.path)],
        )
        self.platform.link = shown.stdout.strip()

    def come(self, person: str, session: str = "s1") -> tuple[Browser, Page]:
        """A new browser, and what it sees at first."""
        browser = Browser(self.address)
        return browser, browser.get(self.platform.sent(person, session).removeprefix(self.address))

    def begin(self, person: str) -> tuple[Browser, Page]:
        """A new browser in which Begin was pressed and consent given."""
        browser, page = self.come(person)
        page = browser.post(page.path.partition("?")[0], None, **form(page))
        if page.path.endswith("/consent"):
            page = browser.post(page.path, None, choice="agree")
        return browser, page

    def finish(self, person: str, **answers: str) -> Page:
        """Take part to the end; there is nothing to review for this person."""
        browser, page = self.begin(person)
        home = "/".join(page.path.split("/")[:4])
        self.do_all(home.split("/")[-1])
        page = browser.get(home)
        if page.path.endswith("/survey"):
            page = browser.post(page.path, None, **answers)
        assert page.path.endswith("/end")
        return page

    def do_all(self, participant: str) -> None:
        with Store.open(self.path) as store:
            who = store.studies.participant("s", participant)
            own = store.studies.assignments("s", who.pk)
            task = load_world("sotopia").world.tasks()[0].id
            pk = own[0].pk if own else store.studies.assign(who.pk, task, "", "open")
            store.studies.set_progress(pk, "done")

    def people(self) -> Counter[str]:
        with Store.open(self.path) as store:
            return Counter(who.state for who in store.studies.participants("s"))

    def command(self, *words: str) -> Any:
        return CliRunner().invoke(app, ["study", *words, "--store", str(self.path)])

    def an_hour_later(self) -> None:
        """Let all places be as old as if people had begun an hour ago."""
        with Store.open(self.path) as store:
            store.write("UPDATE recruits SET since = since - 3601")


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    path = tmp_path / "store.db"
    with recruiting() as platform, served(path) as address:
        yield Lab(address, path, platform)


def returns_to(page: Page) -> str:
    """Where the page's last button leads, if it leads to the platform."""
    part = page.text.partition('<a class="button main large" href="')[2]
    return part.partition('"')[0].replace("&amp;", "&")


def test_a_person_of_the_platform_takes_part_and_goes_back_with_the_code(lab: Lab) -> None:
    lab.open(completion_code="DONE1")
    page = lab.finish("5f3c-ada", remarks="")
    assert page.title == "Thank you for taking part!"
    assert returns_to(page) == f"{lab.platform.address}/complete?cc=DONE1&session=s1"
    assert "completion code" not in page.text, "the button is enough"
    assert page.text.index("Now you know.") < page.text.index("have my data deleted")
    assert page.text.index("have my data deleted") < page.text.index("Return to the site")
    assert lab.people() == {"finished": 1}


def test_one_person_takes_part_once(lab: Lab) -> None:
    lab.open(recruit={"places": 5})
    first, page = lab.begin("ada")
    home = "/".join(page.path.split("/")[:4])
    again, page = lab.come("ada", session="s2")
    assert "Welcome back" in page.text
    page = again.post(page.path.partition("?")[0], None, **form(page))
    assert page.path.startswith(f"{home}/review"), "where the first browser was"
    assert first.get(home).status == 404, "the first browser is not the person's any more"
    lab.do_all(home.split("/")[-1])
    again.get(home)
    third, page = lab.come("ada")
    assert page.title == "You have already taken part"
    page = third.post(page.path.partition("?")[0], None, **form(page))
    assert page.title == "Thank you for taking part!"
    assert lab.people() == {"finished": 1}


def test_looking_takes_no_place_and_an_address_with_gaps_is_refused(lab: Lab) -> None:
    lab.open()
    for _ in range(2):
        assert lab.come("ada")[1].status == 200
    assert lab.people() == {}
    path = lab.platform.link.removeprefix(lab.address)
    for wrong in (path, path.replace("{{%STUDY_ID%}}", "x"), path.partition("?")[0]):
        page = Browser(lab.address).get(wrong.replace("{", "%7B").replace("}", "%7D"))
        assert page.status == 400
        assert "Please open the study from the site that recruited you" in page.problem
    assert Browser(lab.address).get("/recruit/0123?PROLIFIC_PID=a").status == 404


def test_who_comes_when_all_places_are_taken_is_sent_back(lab: Lab) -> None:
    lab.open()
    browser, late = lab.come("bob")
    lab.begin("ada")
    page = browser.post(late.path.partition("?")[0], None, **form(late))
    assert page.title == "All places are taken"
    assert returns_to(page) == f"{lab.platform.address}/full?pid=bob"
    lab.come("cleo")
    assert lab.platform.returned == ["/full?pid=cleo"]
    assert lab.people() == {"consented": 1}
    lab.finish("ada")
    assert lab.people() == {"finished": 1}


def test_no_more_people_than_places_get_in_when_all_come_at_once(lab: Lab) -> None:
    lab.open(recruit={"places": 3})
    arrived = [lab.come(f"p{number}") for number in range(12)]

    def begin(visit: tuple[Browser, Page]) -> str:
        browser, page = visit
        return browser.post(page.path.partition("?")[0], None, **form(page)).title

    with ThreadPoolExecutor(12) as pool:
        titles = Counter(pool.map(begin, arrived))
    assert titles == {"Do you agree to take part?": 3, "All places are taken": 9}
    assert lab.people() == {"arrived": 3}


def test_a_place_is_taken_before_the_browser_has_its_cookie(lab: Lab) -> None:
    lab.open()
    with Store.open(lab.path) as store:
        study = store.studies.get("s")
        plan = StudySettings.model_validate(study.settings).recruit
        assert plan is not None
        first, second = (dict.fromkeys(plan.parameters, person) for person in ("ada", "bob"))
        assert take_place(store, study, plan, first) is not None
        assert take_place(store, study, plan, second) is None


def test_a_place_is_given_back_by_who_leaves_and_by_who_takes_too_long(lab: Lab) -> None:
    lab.open()
    browser, page = lab.begin("ada")
    browser.post("/".join(page.path.split("/")[:4]) + "/leave", None, data="keep")
    slow, page = lab.come("bob")
    page = slow.post(page.path.partition("?")[0], None, **form(page))
    home = "/".join(page.path.split("/")[:4])
    lab.an_hour_later()
    with Store.open(lab.path) as store:
        assert "0 under way, 1 free; 2 given back" in lab.command("recruit", "s").output
        assert store.studies.get("s").open
    assert slow.get(home).path == f"{home}/consent", "free again: who returns has it back"
    lab.an_hour_later()
    lab.begin("cleo")
    page = slow.get(home)
    assert page.title == "Your place was given to somebody else"
    assert returns_to(page) == f"{lab.platform.address}/full?pid=bob"
    assert lab.people() == {"left": 2, "consented": 1}


def test_who_has_begun_with_the_task_is_not_sent_away(lab: Lab) -> None:
    lab.open()
    browser, page = lab.begin("ada")
    lab.an_hour_later()
    lab.begin("bob")
    assert browser.get("/".join(page.path.split("/")[:4])).path == page.path
    assert lab.people() == {"consented": 2}


def test_people_are_screened_and_quotas_kept(lab: Lab) -> None:
    lab.open(recruit={"places": 5, "questions": SCREENING})
    ends = {}
    for person, hours in (("a", "never"), ("b", "daily"), ("c", "daily"), ("d", "weekly")):
        browser, page = lab.begin(person)
        assert page.path.endswith("/screening")
        assert browser.post(page.path, None, hours="hourly").status == 422
        assert browser.get(f"{page.path.rpartition('/')[0]}/review").status != 200
        ends[person] = browser.post(page.path, None, hours=hours)
    assert "you do not meet its criteria" in ends["a"].text
    assert returns_to(ends["a"]) == f"{lab.platform.address}/screened-out"
    assert "Enough people like you" in ends["c"].text
    assert returns_to(ends["c"]) == f"{lab.platform.address}/full?pid=c"
    assert all("/review" in ends[person].path for person in "bd")
    assert lab.people() == {"refused": 2, "consented": 2}


def test_conditions_are_balanced_over_those_who_hold_a_place(lab: Lab) -> None:
    conditions = [{"name": name, "instructions": f"You are {name}."} for name in ("told", "blind")]
    lab.open(conditions=conditions, recruit={"places": 9})
    texts = [lab.begin(f"p{n}")[1].text for n in range(4)]
    assert Counter("You are told." in text for text in texts) == {True: 2, False: 2}
    assert Counter("You are blind." in text for text in texts) == {True: 2, False: 2}
    with Store.open(lab.path) as store:
        given = {row.participant: row.value
                 for row in store.studies.answers("s", name="frame.condition")}  # fmt: skip
        for pk, condition in given.items():
            if condition == "told":
                store.studies.set_state(pk, "left")
    assert all("You are told." in lab.begin(f"q{n}")[1].text for n in range(2))


def test_attention_checks_decide_where_people_return_and_who_is_paid(lab: Lab) -> None:
    failed = f"{lab.platform.address}/failed"
    plan = {"places": 9, "failed_checks": failed, "bonus": 1.5}
    lab.open(survey=CHECKS, recruit=plan)
    assert "/complete" in returns_to(lab.finish("ada", c1="3", c2="3"))
    assert "/complete" in returns_to(lab.finish("bob", c1="3", c2="1"))
    assert returns_to(lab.finish("cleo", c1="1", c2="2")) == failed
    paid = lab.command("bonus", "s")
    assert paid.stdout.splitlines()[:2] == ["ada,1.50", "bob,1.50"]
    assert "2 bonuses, 3.00 in all" in paid.output
    assert "1 who failed too many attention checks" in paid.output


def test_only_who_passes_the_checks_gets_a_completion_code(lab: Lab) -> None:
    lab.open(survey=CHECKS, completion_code="DONE1", recruit={"places": 9, "complete": ""})
    assert "DONE1" in lab.finish("ada", c1="3", c2="3").text
    failed = lab.finish("cleo", c1="1", c2="2").text
    assert "DONE1" not in failed
    assert "so there is no completion code" in failed


def test_ids_stand_in_one_table_and_are_deleted_by_a_command(lab: Lab, tmp_path: Path) -> None:
    lab.open(recruit={"places": 9, "bonus": 1})
    lab.finish("quetzalcoatl")
    with closing(sqlite3.connect(lab.path)) as raw:
        raw.create_function("checksum", -1, lambda *_: 0, deterministic=True)
        tables = [name for (name,) in raw.execute("SELECT name FROM pragma_table_list "
                                                  "WHERE type = 'table'")]  # fmt: skip
        holding = [t for t in tables if b"quetzal" in repr(
            raw.execute(f"SELECT * FROM {t}").fetchall()).encode()]  # fmt: skip
    assert holding == ["platform_ids"]
    with Store.open(lab.path) as store:
        export_study(store, "s", tmp_path / "out")
        key = store.row("SELECT key FROM recruiting")[0]
    exported = b"".join(file.read_bytes() for file in (tmp_path / "out").iterdir())
    assert b"quetzal" not in exported
    assert json.dumps(key.hex()).encode() not in exported
    refused = lab.command("drop-ids", "s", "--yes")
    assert "close the study first" in str(refused.exception)
    assert lab.command("close", "s").exit_code == 0
    assert "deleted 1 id of s" in lab.command("drop-ids", "s", "--yes").output
    assert b"quetzal" not in lab.path.read_bytes()
    assert key not in lab.path.read_bytes()
    assert "were deleted" in str(lab.command("bonus", "s").exception)
    with Store.open(lab.path) as store:
        set_open(store, "s", is_open=True)
    assert lab.come("ada")[1].title == "This study is over"


def test_a_person_is_forgotten_by_the_platforms_id(lab: Lab) -> None:
    lab.open()
    lab.begin("quetzalcoatl")
    assert lab.command("forget", "s", "quetzalcoatl", "--yes").exit_code == 0
    assert lab.people() == {}
    assert b"quetzal" not in lab.path.read_bytes()


def test_other_platforms_are_served_by_naming_their_parameters(lab: Lab) -> None:
    address = f"{lab.platform.address}/credit?survey_code={{survey_code}}"
    lab.open(recruit={"parameters": ["survey_code"], "complete": address, "full": ""})
    assert lab.platform.link.endswith("?survey_code={{%survey_code%}}")
    lab.platform.link = lab.platform.link.replace("survey_code%", "PROLIFIC_PID%")
    assert returns_to(lab.finish("77")) == f"{lab.platform.address}/credit?survey_code=77"
    assert lab.come("78")[1].title == "All places are taken"


def test_a_bonus_file_is_private_and_new(lab: Lab, tmp_path: Path) -> None:
    lab.open(recruit={"bonus": 0.1})
    lab.finish("ada")
    file = tmp_path / "bonus.csv"
    assert lab.command("bonus", "s", "--out", str(file)).exit_code == 0
    assert file.read_text("utf-8") == "ada,0.10\n"
    assert file.stat().st_mode & 0o777 == 0o600
    assert "expected a new file" in str(lab.command("bonus", "s", "--out", str(file)).exception)
