"""The replay of a town in a browser: what it shows is what happened, by mouse, keys and link."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from looks import held, overflow, serious
from sociolab.plugin import Replay
from sociolab.store import Store
from sociolab.town import Talked
from sociolab.worlds import stss
from web_serving import served
from web_towns import BAD, CUT, HOSTILE, WHOLE, first_trial, town_store

POSITIONS = """async ([path, moments]) => {
  const town = await import("/static/js/town/moments.js");
  const replay = town.decode(await (await fetch(path)).json());
  const spot = { x: 0, y: 0, dx: 0, dy: 0, there: false };
  return replay.residents.map((one) => moments.map((moment) => {
    town.positionAt(one.track, moment, spot);
    const at = town.lastBy(one.did, moment, town.DID) * town.DID;
    const [words, state] = at < 0 ? ["", -1] : [replay.texts[one.did[at + 1]], one.did[at + 5]];
    return [spot.x, spot.y, words, state];
  }));
}"""


COLOURS = """() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => {
  const canvas = document.querySelector("#town canvas");
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const found = new Map();
  for (const one of new Uint32Array(data.buffer)) found.set(one, (found.get(one) ?? 0) + 1);
  done([...found].sort());
})))"""
"""Which colours are on the map, and on how many pixels each."""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return town_store(tmp_path_factory.mktemp("town"))


@pytest.fixture(scope="module")
def address(store: Path) -> Iterator[str]:
    with served(store) as found:
        yield f"{found}/runs/{{}}/episodes/{first_trial(store)}/town"


@pytest.fixture(scope="module")
def days(store: Path) -> Replay:
    with Store.open(store) as opened:
        return stss.replay(opened, WHOLE, first_trial(store))


def opened(tab: Page, address: str, hash: str = "", run: str = WHOLE) -> Page:
    """The page with the town drawn."""
    tab.goto(address.format(run) + hash)
    expect(tab.locator("#town")).to_have_attribute("aria-busy", "false")
    return tab


def clock(tab: Page) -> str:
    return tab.locator("[data-clock]").inner_text()


def test_positions_and_actions_of_any_moment_are_those_of_the_trajectory(
    tab: Page, address: str, days: Replay
) -> None:
    opened(tab, address)
    trajectory = days.lived.trajectory
    chance = random.Random(7)
    steps = [chance.randrange(trajectory.trace.steps) for _ in range(400)]
    steps += range(3300, 3700)  # one after the other, as when it plays
    moments = [step + part for step in steps for part in (0, 0.5)]
    found: list[list[list[Any]]] = tab.evaluate(
        POSITIONS, [f"{tab.url.split('#')[0]}.json", moments]
    )
    for one, seen in zip(days.residents, found, strict=True):
        for n, step in enumerate(steps):
            x, y, doing, _ = seen[2 * n]
            assert (x, y) == trajectory.tile_at(one.id, step), (one.id, step)
            did = trajectory.action_at(one.id, step)
            assert doing == (did.doing if did else "")
            end = trajectory.tile_at(one.id, step + 1)
            assert seen[2 * n + 1][:2] == [(x + end[0]) / 2, (y + end[1]) / 2], (one.id, step)


def test_it_plays_pauses_and_steps_by_keys_and_the_address_says_the_moment(
    tab: Page, address: str
) -> None:
    opened(tab, address, "#t=2024-05-13T09:00:00")
    tab.locator("[data-speed]").select_option("60")
    tab.locator("[data-speed]").blur()
    assert clock(tab) == "Monday 13 May 2024, 09:00"
    tab.keyboard.press("ArrowRight")
    assert clock(tab) == "Monday 13 May 2024, 09:01"
    tab.keyboard.press("Shift+ArrowRight")
    tab.keyboard.press("ArrowLeft")
    assert clock(tab) == "Monday 13 May 2024, 10:00"
    expect(tab).to_have_url(re.compile("#t=2024-05-13T10:00:00$"))
    tab.keyboard.press(".")
    expect(tab).to_have_url(re.compile("#t=2024-05-13T10:00:10$"))
    tab.keyboard.press("]")
    expect(tab.locator("[data-speed]")).to_have_value("120")
    tab.keyboard.press("Space")
    expect(tab.get_by_role("button", name="Pause", exact=True)).to_be_visible()
    expect(tab.locator("[data-clock]")).not_to_have_text("Monday 13 May 2024, 10:00")
    tab.keyboard.press("Space")
    expect(tab.locator("[data-do=play]")).to_have_text("Play")
    expect(tab).not_to_have_url(re.compile("#t=2024-05-13T10:00:10$"))
    assert tab.evaluate("location.hash.slice(3)") > "2024-05-13T10:00:10"
    tab.get_by_role("button", name="Jump to event").click()
    assert clock(tab) == "Tuesday 14 May 2024, 17:00"
    expect(tab.locator("[data-event]")).to_have_text("the event is on")
    expect(tab.get_by_label("Moment")).to_have_attribute(
        "aria-valuetext", "Tuesday 14 May 2024, 17:00"
    )


def test_a_resident_is_followed_from_the_list_the_map_and_a_link(
    tab: Page, address: str, days: Replay
) -> None:
    trajectory, step = days.lived.trajectory, 3600
    tiles = {one.id: trajectory.tile_at(one.id, step) for one in days.residents}
    alone = next(
        one
        for one in days.residents
        if all(
            abs(tiles[one.id][0] - x) + abs(tiles[one.id][1] - y) > 12
            for who, (x, y) in tiles.items()
            if who != one.id
        )
    )
    opened(tab, address, "#t=2024-05-13T10:00:00")
    box = tab.locator("canvas").bounding_box()
    assert box is not None
    town = days.lived.town
    scale = min(box["width"] / town.width, box["height"] / town.height)
    x, y = (part + 0.5 for part in tiles[alone.id])
    left = box["width"] / 2 + (x - town.width / 2) * scale
    top = box["height"] / 2 + (y - town.height / 2) * scale
    tab.locator("canvas").click(position={"x": left, "y": top})
    assert tab.locator("#one").inner_text() == alone.name
    expect(tab).to_have_url(re.compile(f"&who={alone.id}$"))
    expect(tab.locator('.people [aria-pressed="true"] .name')).to_have_text(alone.name)
    expect(tab.locator(".now")).to_contain_text(str(trajectory.place_at(alone.id, step)))
    tab.keyboard.press("Escape")
    expect(tab.locator("#one")).to_be_hidden()
    guest = next(one for one in days.outcomes if one.counts)
    name = days.lived.names[guest.who]
    row = tab.get_by_role("row").filter(has=tab.get_by_role("rowheader", name=name, exact=True))
    row.get_by_role("link").click()
    assert tab.locator("#one").inner_text() == name
    expect(tab.locator('.people [aria-pressed="true"] .mark')).to_have_text("✓ attended")
    tab.locator(".people button").first.click()
    assert tab.locator("#one").inner_text() == days.residents[0].name


def test_the_map_is_drawn_moved_and_zoomed_without_moving_time(
    tab: Page, address: str, days: Replay
) -> None:
    opened(tab, address, f"#t=2024-05-13T10:00:00&who={days.task.performer}")
    keep = tab.get_by_role("button", name="Keep in view")
    near = tab.evaluate(COLOURS)
    assert len(near) > 20
    expect(keep).to_have_attribute("aria-pressed", "true")
    tab.locator("canvas").focus()
    tab.keyboard.press("+")
    expect(keep).to_have_attribute("aria-pressed", "true")
    tab.keyboard.press("ArrowRight")
    expect(keep).to_have_attribute("aria-pressed", "false")
    keep.click()
    expect(keep).to_have_attribute("aria-pressed", "true")
    tab.mouse.move(300, 600)
    tab.mouse.down()
    tab.mouse.move(420, 640, steps=4)
    tab.mouse.up()
    expect(keep).to_have_attribute("aria-pressed", "false")
    tab.keyboard.press("0")
    tab.get_by_role("button", name="Zoom in").click()
    assert clock(tab) == "Monday 13 May 2024, 10:00"
    assert tab.locator("#one").inner_text() == days.lived.names[days.task.performer]
    assert tab.evaluate(COLOURS) != near


def test_the_panel_tells_what_was_so_far_and_nothing_of_what_comes(
    tab: Page, address: str, days: Replay
) -> None:
    performer, trajectory = days.task.performer, days.lived.trajectory
    talks = trajectory.everybody(Talked)
    mine = [one for one in talks if performer in (one.who, one.other)]
    first = mine[0]
    before = trajectory.clock.at(first.step - 1).isoformat()
    opened(tab, address, f"#t={before}&who={performer}")
    lines = tab.locator('[data-part="talks"] .lines p:not(.faint)')
    expect(lines).to_have_count(0)
    tab.keyboard.press(".")
    expect(lines).to_have_count(1)
    expect(lines.first).to_have_text(f"{first.lines[0].name}: {first.lines[0].text}")
    tab.keyboard.press("ArrowRight")
    after = first.step + trajectory.clock.minutes(1)  # a line is said in each step
    said = sum(min(len(one.lines), max(after - one.step + 1, 0)) for one in mine)
    expect(lines).to_have_count(said)
    expect(tab.locator('[data-part="plan"] [aria-current="time"]')).to_have_count(1)
    tab.locator('[data-part="reminders"] > summary').click()
    expect(tab.locator('[data-part="reminders"]')).to_contain_text("general plan")


def test_bad_texts_are_shown_and_do_nothing(tab: Page, address: str, days: Replay) -> None:
    opened(tab, address, f"#t=2024-05-13T08:30:10&who={days.task.performer}", HOSTILE)
    tab.locator("[data-seen]").check()
    panel = tab.locator(".one")
    expect(panel.locator('[data-part="memories"]')).to_contain_text(BAD[0])
    expect(panel.locator('[data-part="talks"]')).to_contain_text(BAD[0])
    assert tab.locator(".one img, .one script, .one b").count() == 0
    assert tab.title() != "1"
    for width in (1280, 390):
        tab.set_viewport_size({"width": width, "height": 900})
        assert overflow(tab) == 0


def test_days_that_are_not_over_are_shown_as_far_as_they_were_lived(
    tab: Page, address: str
) -> None:
    opened(tab, address, "#t=2024-05-14T17:00:00", CUT)
    assert clock(tab) == "Monday 13 May 2024, 19:59"
    expect(tab.get_by_role("button", name="Jump to event")).to_be_disabled()
    expect(tab.locator(".people .mark").first).to_be_hidden()
    assert not serious(tab)


def test_the_town_is_usable_by_everybody(tab: Page, address: str, days: Replay) -> None:
    guest = next(one for one in days.outcomes if one.counts)
    opened(tab, address, f"#t=2024-05-14T17:20:00&who={guest.who}")
    tab.locator(".keys > summary").click()
    held(tab, "town")
