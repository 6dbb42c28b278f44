from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from looks import held, serious
from play_clients import COOKIE, home, lay_out, secret
from sociolab.core import Answered, Unusable
from sociolab.store import Store
from web_serving import free_port, served


def bound(window: BrowserContext, address: str, participant: str) -> str:
    """Give a participant's cookie to a browser; the address of the page to play on."""
    window.add_cookies([{"name": COOKIE, "value": secret(participant), "url": address}])
    return f"{address}{home('chat', participant)}/play"


def say(page: Page, text: str) -> None:
    """Type a turn and press Enter."""
    page.get_by_label("Your words").fill(text)
    page.get_by_label("Your words").press("Enter")


def test_a_person_plays_against_a_partner_to_the_end(
    tab: Page, window: BrowserContext, tmp_path: Path
) -> None:
    lay_out(tmp_path / "store.db", limit=2, each=2)
    with served(tmp_path / "store.db") as address:
        tab.goto(bound(window, address, "p1"))
        expect(tab.get_by_role("heading", name="Your conversation 1 of 2")).to_be_visible()
        held(tab, "play-ready")
        expect(tab.get_by_role("link", name="Leave the study")).to_be_visible()
        tab.get_by_role("button", name="I am ready").click()
        expect(tab.get_by_role("heading", name="Your social goal")).to_be_visible()
        say(tab, "Good evening. <script>alert(1)</script>\u202e We need to talk.")
        expect(tab.get_by_text("Turn 3 of 6")).to_be_visible()
        held(tab, "play-turn")
        tab.get_by_label("Physical action").check()
        tab.get_by_label("What you do").fill("puts the letter on the table")
        tab.get_by_role("button", name="Send").click()
        expect(tab.get_by_text("Turn 5 of 6")).to_be_visible()
        tab.get_by_label("Leave").check()
        tab.get_by_role("button", name="Leave the scene").click()
        expect(tab.locator("#ready").get_by_text("You left.")).to_be_visible()
        expect(tab.locator("#announced")).to_be_empty()
        held(tab, "play-next")
    with Store.open(tmp_path / "store.db") as store:
        assert [one.state for one in store.studies.assignments("chat")] == ["done"]


def test_two_people_play_with_each_other_in_two_browsers(
    tab: Page, window: BrowserContext, chromium: Browser, tmp_path: Path
) -> None:
    lay_out(tmp_path / "store.db", participants=2, people=2, limit=1)
    with served(tmp_path / "store.db") as address:
        tab.goto(bound(window, address, "p1"))
        tab.get_by_role("button", name="I am ready").click()
        expect(tab.get_by_role("heading", name="Waiting for your partner")).to_be_visible()
        held(tab, "play-waiting")
        other_window = chromium.new_context()
        other = other_window.new_page()
        other.goto(bound(other_window, address, "p2"))
        other.get_by_role("button", name="I am ready").click()
        for turn in range(3):
            for number, page in enumerate((tab, other)):
                expect(page.get_by_role("heading", name="Your turn")).to_be_visible()
                say(page, f"Line {turn}.{number}")
                if turn == 0 and number == 0:
                    held(tab, "play-partner-writes")
        for page in (tab, other):
            expect(page.locator("#done").get_by_text("All turns have been used.")).to_be_visible()
            expect(page.locator("#done").get_by_text("Line 2.1")).to_be_visible()
        held(tab, "play-done")
        other_window.close()


def test_what_was_typed_survives_a_reload_and_a_restart_of_the_server(
    window: BrowserContext, tmp_path: Path
) -> None:
    lay_out(tmp_path / "store.db", limit=1)
    port = free_port()
    page = window.new_page()
    with served(tmp_path / "store.db", port=port) as address:
        page.goto(bound(window, address, "p1"))
        page.get_by_role("button", name="I am ready").click()
        page.get_by_label("Your words").fill("Half a sentence that")
        page.reload()
        expect(page.get_by_label("Your words")).to_have_value("Half a sentence that")
        say(page, "A whole sentence.")
        expect(page.get_by_text("Turn 3 of 6")).to_be_visible()
        page.get_by_label("Your words").fill("Not sent yet")
    expect(page.get_by_text("The connection is lost.")).to_be_visible()
    page.get_by_label("Your words").press("Enter")  # while nobody listens
    with served(tmp_path / "store.db", port=port):
        expect(page.get_by_text("Turn 5 of 6")).to_be_visible(timeout=20_000)
        expect(page.get_by_text("Not sent yet")).to_be_visible()
        expect(page.get_by_text("A whole sentence.")).to_be_visible()


def test_at_a_dnd_table_one_speaks_aside_acts_as_well_and_is_asked_at_the_end(
    tab: Page, window: BrowserContext, tmp_path: Path
) -> None:
    lay_out(
        tmp_path / "store.db", world="anteval-information", limit=1,
        settings={"turns": "5", "controls": "false"},
    )  # fmt: skip
    with served(tmp_path / "store.db") as address:
        tab.goto(bound(window, address, "p1"))
        tab.get_by_role("button", name="I am ready").click()
        tab.get_by_label("Your words").fill("Do you hear that?")
        tab.get_by_role("checkbox").first.check()
        tab.get_by_role("button", name="Do something else as well").click()
        tab.get_by_label("What you do").fill("listens at the door")
        held(tab, "play-party")
        tab.get_by_role("button", name="Send both").click()
        expect(tab.get_by_text("Turn 5 of 5")).to_be_visible()
        tab.get_by_label("Pass").check()
        tab.get_by_role("button", name="Pass the turn").click()
        expect(tab.get_by_role("heading", name="The conversation is over")).to_be_visible()
        expect(tab.get_by_role("button", name="Skip")).to_be_hidden()  # the measure needs it
        expect(tab.locator("#log > li").last).to_be_in_viewport(ratio=0.9)
        tab.get_by_label("Facts").fill("The door leads to the old mill.")
        held(tab, "play-question")
        tab.get_by_role("button", name="Send the answer").click()
        expect(tab.locator("#done").get_by_text("All turns have been used.")).to_be_visible()
    with Store.open(tmp_path / "store.db") as store:
        (given,) = store.studies.assignments("chat")
        events = store.events("chat", given.item)
    assert {"facts": ["The door leads to the old mill."]} in [
        getattr(event, "value", None) for event in events
    ]


def lines(page: Page, *said: str) -> None:
    """Say these, each when it is this page's turn."""
    for words in said:
        expect(page.get_by_role("heading", name="Your turn")).to_be_visible()
        say(page, words)
        expect(page.locator("#log").get_by_text(words)).to_be_visible()


def test_two_people_say_what_came_of_it_and_neither_waits_for_the_other(
    tab: Page, window: BrowserContext, chromium: Browser, tmp_path: Path
) -> None:
    lay_out(
        tmp_path / "store.db", participants=2, people=2, limit=1, settings={"turns": "4"},
        tasks="scenario=bargain-01-touring-bicycle",
    )  # fmt: skip
    phone_window = chromium.new_context(viewport={"width": 390, "height": 844}, has_touch=True)
    phone = phone_window.new_page()
    with served(tmp_path / "store.db") as address:
        for page, who in ((tab, "p1"), (phone, "p2")):
            page.goto(bound(page.context, address, who))
            page.get_by_role("button", name="I am ready").click()
        lines(tab, "It is yours for 300.")
        lines(phone, "Would you take $250 for it?")
        lines(tab, "280, and the lock goes with it.")
        lines(phone, "Done, 280 it is.")

        expect(tab.get_by_role("heading", name="The conversation is over")).to_be_visible()
        expect(tab.locator("#over")).to_have_text("All turns have been used.")
        expect(tab.get_by_text("Turn 4 of 4")).to_be_hidden()
        expect(tab.get_by_label("What price")).to_be_hidden()
        tab.get_by_role(
            "button", name="Send the answer"
        ).click()  # the browser says what is missing
        expect(tab.get_by_role("heading", name="The conversation is over")).to_be_visible()
        tab.get_by_label("We agreed on something else").check()
        expect(tab.get_by_label("What did you agree on?")).to_be_visible()
        tab.get_by_label("Yes, we agreed on a price").check()
        expect(tab.get_by_label("What did you agree on?")).to_be_hidden()
        tab.get_by_label("What price").fill("280")
        # By keyboard alone: to the button, to the last line but one, and back.
        proposed = tab.get_by_role("group", name="Which line proposed it?")
        proposed.get_by_role("button", name="Choose a line").focus()
        tab.keyboard.press("Enter")
        expect(tab.get_by_role("button", name="Choose this line: Done, 280 it is.")).to_be_focused()
        tab.evaluate("scrollTo(0, 0)")
        held(tab, "play-closing-line")
        tab.keyboard.press("Shift+Tab")
        tab.keyboard.press("Enter")
        expect(proposed.get_by_text("280, and the lock goes with it.")).to_be_visible()
        expect(proposed.get_by_role("button", name="Choose another line")).to_be_focused()
        expect(tab.locator("#announced")).to_contain_text("Chosen: 280, and the lock")
        # And by a click on the line; a second choice, Escape, and a line that is cleared.
        accepted = tab.get_by_role("group", name="Which line accepted it?")
        accepted.get_by_role("button", name="Choose a line").click()
        tab.locator("#log li").first.click()
        expect(accepted.get_by_text("It is yours for 300.")).to_be_visible()
        accepted.get_by_role("button", name="Choose another line").click()
        expect(accepted.get_by_role("button", name="Clear")).to_be_hidden()
        tab.keyboard.press("Escape")
        expect(accepted.get_by_text("It is yours for 300.")).to_be_visible()
        accepted.get_by_role("button", name="Clear").click()
        expect(accepted.get_by_text("No line chosen.")).to_be_visible()
        accepted.get_by_role("button", name="Choose a line").click()
        proposed.get_by_role("button", name="Choose another line").click()  # one at a time
        expect(accepted.get_by_role("button", name="Choose a line")).to_be_visible()
        tab.keyboard.press("Escape")
        expect(tab.locator(".pick-line")).to_have_count(0)
        accepted.get_by_role("button", name="Choose a line").click()
        tab.get_by_role("button", name="Choose this line: Done, 280 it is.").click()
        tab.reload()
        expect(tab.get_by_label("What price")).to_have_value("280")
        expect(accepted.get_by_text("Done, 280 it is.")).to_be_visible()
        tab.evaluate("scrollTo(0, 0)")
        held(tab, "play-closing")
        tab.get_by_role("button", name="Send the answer").click()
        expect(tab.locator("#done").get_by_text("Done, 280 it is.")).to_be_visible()
        expect(phone.locator("#answer-title")).to_have_text("The conversation is over")
        phone.get_by_label("No, we left it undecided").check()
        phone.get_by_label("Yes, we agreed on a price").check()
        phone.get_by_role("button", name="Choose a line").first.tap()
        expect(phone.locator("#log li").first).to_be_in_viewport(ratio=1)
        pick = phone.get_by_role("button", name="Choose this line: Done, 280 it is.")
        expect(pick).to_be_in_viewport(ratio=1)
        if directory := os.environ.get("SOCIOLAB_SCREENSHOTS"):
            phone.screenshot(path=f"{directory}/phone-line.png")
        pick.tap()
        expect(phone.get_by_role("button", name="Choose another line")).to_be_in_viewport(ratio=1)
        phone.get_by_role("button", name="Skip").click()
        expect(phone.locator("#done")).to_be_visible()
        phone_window.close()
    with Store.open(tmp_path / "store.db") as store:
        (row,) = store.trials("chat")
        events = store.events("chat", row.trial.id)
    assert row.status == "played"
    assert [event.value for event in events if isinstance(event, Answered)] == [
        {
            "outcome": "agreed", "price": 280, "in_words": "",
            "offer": "280, and the lock goes with it.", "acceptance": "Done, 280 it is.",
        }
    ]  # fmt: skip
    assert [event.problem for event in events if isinstance(event, Unusable)] == [
        "the person skipped the question"
    ]


@pytest.mark.parametrize(
    ("scenario", "fields", "value"),
    [
        (
            "division-01-basket-of-mushrooms",
            {"How many of the 6 chanterelles": "5", "3 porcini": "0", "2 puffballs": "2"},
            {"chanterelles": 5, "porcini": 0, "puffballs": 2},
        ),
        ("norms-15-shared-car", {"Which one did you agree on?": "6:45"}, {"option": "6:45"}),
        ("mutual-friend-01-launderette", {"Who is it?": "Florian"}, {"friend": "Florian"}),
    ],
)
def test_every_kind_of_goal_has_its_form(
    tab: Page, window: BrowserContext, tmp_path: Path,
    scenario: str, fields: dict[str, str], value: dict[str, Any],
) -> None:  # fmt: skip
    lay_out(tmp_path / "store.db", limit=1, settings={"turns": "2"}, tasks=f"scenario={scenario}")
    with served(tmp_path / "store.db") as address:
        tab.goto(bound(window, address, "p1"))
        tab.get_by_role("button", name="I am ready").click()
        say(tab, "So be it.")
        expect(tab.get_by_role("heading", name="The conversation is over")).to_be_visible()
        tab.get_by_role("radio").nth(1).check()
        friend = "friend" in value
        if not friend:  # a friend is found or not
            tab.get_by_role("textbox").fill("Something else, on second thoughts not.")
        tab.get_by_role("radio").first.check()  # what is out of sight now is not sent
        for label, typed in fields.items():
            field = tab.get_by_label(label)
            if field.evaluate("one => one.tagName") == "SELECT":
                expect(field).to_have_value("")  # nothing is chosen for anybody
                field.select_option(typed)
            else:
                field.fill(typed)
        assert serious(tab) == []
        tab.get_by_role("button", name="Send the answer").click()
        expect(tab.locator("#done")).to_be_visible()
    with Store.open(tmp_path / "store.db") as store:
        (given,) = store.studies.assignments("chat")
        events = store.events("chat", given.item)
    blank = {"outcome": "found" if friend else "agreed", "offer": "", "acceptance": ""}
    blank |= {} if friend else {"in_words": ""}
    assert blank | value in [getattr(event, "value", None) for event in events]


def test_what_is_refused_is_told_and_stays_typed(window: BrowserContext, tmp_path: Path) -> None:
    lay_out(tmp_path / "store.db", limit=1)
    tab = window.new_page()
    with served(tmp_path / "store.db") as address:
        tab.goto(bound(window, address, "p1"))
        tab.get_by_role("button", name="I am ready").click()
        say(tab, "   ")
        expect(tab.get_by_role("alert")).to_have_text('"speak" needs a text.')
        tab.get_by_label("Your words").fill("One line")
        tab.get_by_label("Your words").press("Shift+Enter")
        tab.get_by_label("Your words").press_sequentially("and another")
        expect(tab.get_by_label("Your words")).to_have_value("One line\nand another")
        tab.get_by_label("Your words").press("Enter")
        expect(tab.locator("#log").get_by_text("and another")).to_be_visible()


def test_on_a_phone_the_clock_and_the_field_are_there_at_once_however_much_was_said(
    chromium: Browser, tmp_path: Path
) -> None:
    lay_out(
        tmp_path / "store.db", world="anteval-information", limit=1,
        settings={"turns": "9", "controls": "false"},
    )  # fmt: skip
    window = chromium.new_context(viewport={"width": 390, "height": 844})
    phone = window.new_page()
    with served(tmp_path / "store.db") as address:
        phone.goto(bound(window, address, "p1"))
        phone.get_by_role("button", name="I am ready").click()
        for turn in ("Turn 1 of", "Turn 5 of", "Turn 9 of"):
            expect(phone.get_by_text(turn)).to_be_visible()
            expect(phone.locator("#clock")).to_be_in_viewport(ratio=1)
            expect(phone.get_by_label("Your words")).to_be_in_viewport(ratio=1)
            expect(phone.locator("#kept h2").first).to_be_in_viewport()
            if turn != "Turn 1 of":
                expect(phone.locator("#log > li").last).to_be_in_viewport(ratio=0.5)
            if directory := os.environ.get("SOCIOLAB_SCREENSHOTS"):
                phone.screenshot(path=f"{directory}/phone-{turn[5]}.png")
            say(phone, "Nobody has told me of that yet. " * 6)
    window.close()
