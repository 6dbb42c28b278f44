"""Raters and their researcher at a real browser: by keyboard, with reloads, on a phone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

import impression_runs as tables
from declared_worlds import declared
from looks import held
from rating_runs import ADA, BEN, RUN, STUDY, build, link, open_study, play, trial
from sociolab import Rating
from sociolab.store import Store
from sociolab.studies import hold_item, ratings_in, store_ratings, submit_word
from sociolab.worlds import sotopia
from web_serving import served


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    build(tmp_path / "store.db")
    with Store.open(tmp_path / "store.db") as opened:
        yield opened


def test_a_click_on_a_turn_quotes_it_for_a_yes(tab: Page, store: Store) -> None:
    open_study(store, guide="behaviour", dimensions=("stalled",))
    with served(store.path) as address:
        arrive(tab, address)
        held(tab, "rate-instructions-behaviour")
        tab.get_by_role("button", name="Begin").click()
        held(tab, "rate-play-behaviour")
        first, second = tab.locator("fieldset.rating").all()
        first.locator("label.word", has_text="yes").click()
        first.get_by_role("textbox").fill("they go round in circles")
        expect(first.locator(".state")).to_have_text("Saved")
        expect(tab.locator("#complete")).to_have_text("0")
        first.get_by_role("textbox").focus()
        tab.locator("ol.talk li").nth(6).click()
        expect(first.get_by_role("textbox")).to_have_value(
            'they go round in circles 7: "Thirty it is. You have made my morning." '
        )
        expect(tab.locator("#complete")).to_have_text("1")
        second.locator("label.word", has_text="not applicable").click()
        second.get_by_role("textbox").fill("nothing was open")
        expect(tab.locator("#complete")).to_have_text("2")
        tab.get_by_role("button", name="Submit").click()
        expect(tab.locator("h1")).to_contain_text("Episode 2")
        given = {one.seat: one.score for one in ratings_in(store, RUN, STUDY)}
        assert given == {ADA: 1, BEN: "not applicable"}


def arrive(tab: Page, address: str, study: str = STUDY, number: int = 1) -> None:
    tab.goto(f"{address}/join/{link(study, number)}")
    tab.get_by_role("button").last.click()


def test_a_rater_rates_by_keyboard_and_a_reload_loses_nothing(tab: Page, store: Store) -> None:
    open_study(store)
    with served(store.path) as address:
        arrive(tab, address)
        held(tab, "rate-instructions")
        tab.get_by_role("button", name="Begin").click()
        held(tab, "rate-play")
        boxes = tab.locator("fieldset.rating")
        assert boxes.count() == 14
        keys = {"believability": "10", "relationship": "3-", "financial": "2", "goal": "7"}
        for number in range(14):
            box = boxes.nth(number)
            box.get_by_role("radio").first.focus()
            for key in keys.get(str(box.get_attribute("data-dimension")), "4"):
                tab.keyboard.press(key)
            tab.keyboard.press("Tab")
            tab.keyboard.press("Tab")
            tab.keyboard.insert_text("polite and to the point")
        expect(tab.locator("#complete")).to_have_text("14")
        tab.reload()
        expect(tab.locator("#complete")).to_have_text("14")
        boxes.nth(13).get_by_role("textbox").fill("ok")
        tab.get_by_role("button", name="Submit").click()
        expect(tab.locator("#lacking")).to_contain_text("at least 2 words")
        boxes.nth(13).get_by_role("textbox").fill("sold too cheaply for that")
        tab.get_by_role("button", name="Submit").click()
        tab.wait_for_url("**/rate/play/**")
        expect(tab.get_by_role("heading", level=1)).to_contain_text("Episode 2")
    found = {(r.seat, r.dimension): r.score for r in ratings_in(store, RUN, STUDY)}
    assert (found[ADA, "believability"], found[BEN, "relationship"]) == (10, -3)
    assert (found[ADA, "secret"], found[BEN, "financial"], found[BEN, "goal"]) == (-4, 2, 7)


STEP = 2500
"""Pixels of a page that a phone shows at a time, at most."""


def test_on_a_phone_a_rater_takes_one_step_at_a_time(tab: Page, store: Store) -> None:
    """A long episode, in steps that none needs to scroll far, and without a reason."""
    with Store.open(store.path) as other:
        long = "And I say so with the patience of somebody who has all of Sunday before her. " * 3
        more = [((ADA, BEN)[turn % 2], "speak", long) for turn in range(24)]
        other.create_run("long", "sotopia", {}, [trial(7)], declared("sotopia", [trial(7)]))
        play(other, "long", trial(7), *more)
    made = {"title": "A long Sunday", "rate": {"run": "long"}}
    open_study(store, 1, run="long", made=made)
    tab.set_viewport_size({"width": 390, "height": 844})
    with served(store.path) as address:
        arrive(tab, address)
        expect(tab.locator("main")).to_contain_text(
            re.compile(r"An episode takes\s+about \d+ minutes")
        )
        tab.get_by_role("button", name="Begin").click()
        step = tab.locator("#step-count")
        for page in range(1, 6):
            expect(step).to_have_text(f"Reading, page {page} of 5")
            assert height(tab) <= STEP, page
            tab.get_by_role("button", name="Next").click()
        for number in range(1, 15):
            expect(step).to_have_text(f"Rating {number} of 14")
            expect(tab.locator("fieldset.rating:visible")).to_have_count(1)
            assert height(tab) <= STEP, number
            if number == 3:
                tab.get_by_role("button", name="Read again").click()
                expect(step).to_have_text("Reading, page 2 of 5")
                for _ in range(4):
                    tab.get_by_role("button", name="Next").click()
                expect(step).to_have_text("Rating 3 of 14")
            if number != 9:
                tab.locator("fieldset.rating:visible label.point").nth(3).click()
            if number < 14:
                tab.get_by_role("button", name="Next").click()
        expect(tab.locator("#complete")).to_have_text("13")
        tab.reload()
        expect(step).to_have_text("Rating 9 of 14")  # where a rating is missing
        for _ in range(5):
            tab.get_by_role("button", name="Next").click()
        tab.get_by_role("button", name="Submit").click()
        tab.locator("#lacking a").click()
        expect(step).to_have_text("Rating 9 of 14")
        tab.locator("fieldset.rating:visible label.point").nth(3).click()
        expect(tab.locator("#complete")).to_have_text("14")
        for _ in range(5):
            tab.get_by_role("button", name="Next").click()
        tab.get_by_role("button", name="Submit").click()
        tab.wait_for_url("**/end")
    assert {r.reason for r in ratings_in(store, "long", STUDY)} == {""}


def height(tab: Page) -> int:
    return int(tab.evaluate("document.documentElement.scrollHeight"))


def test_raters_thanked_after_the_test(tab: Page, store: Store) -> None:
    reference = {"episode": "fair00", "seat": ADA, "scores": {"goal": 9}, "within": 1}
    open_study(store, 1, references=(reference,))
    with served(store.path) as address:
        arrive(tab, address)
        tab.get_by_role("button", name="Begin").click()
        tab.get_by_role("radio", name="2", exact=True).check(force=True)
        tab.get_by_role("textbox").fill("she paid too much")
        tab.get_by_role("button", name="Submit").click()
        tab.wait_for_url("**/end")
        held(tab, "rate-thanks")


def test_the_researcher_follows_the_ratings_and_decides(tab: Page, store: Store) -> None:
    open_study(store)
    reasons = (
        "She wanted a lift home as well, and never asked.",
        "She got the lamp for her price.",
    )
    far = {("fair00", ADA, "goal"): 6, ("fair01", BEN, "relationship"): 5}
    ratings = [
        Rating(f"fair0{i}", seat, f"r{rater + 1}", name, value, why, 21.0)
        for i in range(3)
        for seat in (ADA, BEN)
        for name, measure in ((m.name, m) for m in sotopia.DIMENSIONS)
        for rater, why in enumerate(reasons)
        for value in (measure.low + i + rater * far.get((f"fair0{i}", seat, name), i + 1),)
    ]
    store_ratings(store, RUN, STUDY, ratings)
    with served(store.path) as address:
        tab.goto(f"{address}/studies/{STUDY}/ratings")
        expect(tab.get_by_role("heading", name="How far people agree")).to_be_visible()
        held(tab, "rate-ratings")
        for part in ("Raters", "Episodes"):
            tab.get_by_role("link", name=part, exact=True).click()
            expect(tab.get_by_role("heading", name=part)).to_be_visible()
            expect(tab.get_by_role("heading", name="How far people agree")).to_be_hidden()
            held(tab, f"rate-ratings-{part.lower()}")
        tab.get_by_role("link", name="Disagreements").click()
        held(tab, "rate-disagreements")
        box = tab.locator("section.dispute").first
        box.get_by_label("Your rating").select_option("0")
        box.get_by_label("Why?").fill("Neither is right: the lift was no part of the talk.")
        box.get_by_role("button", name="Decide").click()
        expect(tab.get_by_role("heading", name="Settled")).to_be_visible()


def test_annotations_that_agree_least_are_reviewed(tab: Page, store: Store) -> None:
    """Three people rate one episode; the third is far from the others."""
    people = open_study(store, 3)
    why = "The price was a fair one for a shade that is made by hand, and he carries it home."
    ratings = [
        Rating("fair00", seat, who.id, measure.name, measure.low + 4 * (who.id == "r3"), why, 21.0)
        for who in people
        for seat in (ADA, BEN)
        for measure in sotopia.DIMENSIONS
    ]
    store_ratings(store, RUN, STUDY, ratings)
    for who in people:
        done = store.studies.assign(who.pk, "fair00", "", "open")
        store.studies.set_progress(done, "done")
    with served(store.path) as address:
        tab.goto(f"{address}/studies/{STUDY}/ratings/annotations")
        held(tab, "rate-annotations-none-drawn")
        tab.get_by_role("button", name="Draw the next batch").click()
        expect(tab.get_by_role("heading", name="r3 on fair00")).to_be_visible()
        held(tab, "rate-annotations")
        tab.set_viewport_size({"width": 390, "height": 844})
        for table in tab.get_by_role("table").all():  # no rationale is cut off on a phone
            assert table.evaluate("one => one.scrollWidth <= one.parentElement.clientWidth")
        tab.get_by_label("Why does it fail?").fill("It names nothing that was said.")
        tab.get_by_role("button", name="Fails: have it rated again").click()
        expect(tab.get_by_role("heading", name="Reviewed")).to_be_visible()
        held(tab, "rate-annotations-reviewed")


def test_one_word_for_a_session_and_the_cloud_of_words(tab: Page, tmp_path: Path) -> None:
    tables.build(tmp_path / "store.db", (0.1, 0.2, 0.3, 0.4))
    made = {"title": "Six tables", "impressions": {"run": tables.RUN, "raters": 40}}
    said = (
        "vague vague vague vague evasive evasive evasive flat flat polite stiff coy circular tense"
    )
    with Store.open(tmp_path / "store.db") as store, served(store.path) as address:
        people = open_study(store, 20, tables.STUDY, "impressions", tables.RUN, made)
        for who, word in zip(people[1:], said.split(), strict=False):
            hold_item(store, tables.STUDY, who.pk, "table00")
            assert submit_word(store, tables.STUDY, who, "table00", word) == ""
        arrive(tab, address, tables.STUDY)
        held(tab, "impression")
        tab.get_by_label("In one word").fill("Vague")
        tab.get_by_role("button", name="Next").click()
        expect(tab.get_by_role("heading", level=1)).to_contain_text("Session 2")
        tab.goto(f"{address}/studies/{tables.STUDY}/impressions")
        held(tab, "impressions")


def test_a_scenario_is_reviewed(tab: Page, tmp_path: Path) -> None:
    name, made = "fit-to-play", {"title": "Fit to play?", "review": {"limit": 2}}
    with Store.open(tmp_path / "store.db") as store, served(store.path) as address:
        open_study(store, 1, name, "review", None, made)
        arrive(tab, address, name)
        expect(tab.locator("fieldset.holds")).to_have_count(7)  # the page may still be coming
        for group in tab.locator("fieldset.holds").all()[:-1]:
            group.get_by_label("Yes").check()
        tab.locator("fieldset.holds").last.get_by_label("No").check()
        tab.get_by_label("Edit: play it").check()
        tab.get_by_label("The scene").fill("Two flatmates talk about the rent, over breakfast.")
        held(tab, "review")
        tab.get_by_label("Why?").fill("It was too long to take in at once.")
        tab.get_by_role("button", name="Next").click()
        expect(tab.get_by_role("alert")).to_have_count(0)
        expect(tab.get_by_role("heading", level=1)).to_contain_text("Scenario 2")
        tab.goto(f"{address}/studies/{name}/reviews")
        tab.locator("summary").first.click()
        held(tab, "reviews")
