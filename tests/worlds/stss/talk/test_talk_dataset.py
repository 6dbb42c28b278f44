"""The conversation tasks that we ship, and sets in folders."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from sociolab.core import ConfigError
from sociolab.worlds import stss

REBUILT = ("strawberry-tea", 2)
LIVED = Path(__file__).parents[4] / "docs" / "examples" / "alderbrook-lived"


# ------------------------------------------------------------------ what we ship


def test_the_example_that_a_model_lived_is_labelled_and_remembers_enough() -> None:
    lived = stss.read_talks(LIVED)
    assert "Qwen2.5-Coder-1.5B" in lived.lived_by
    assert len(lived.scenarios) >= 20
    assert lived.name != stss.own_talks().name
    homes = {one.id: one.living_area.split(":")[0] for one in stss.own_town(1).residents}
    for one in lived.scenarios:
        sides = (one.performer, one.other)
        assert all(len(side.memories) >= 2 for side in sides)
        assert not any(side.heard for side in sides)  # no acts in typed form: no script spoke
        at_home = len({homes[side.resident.id] for side in sides}) == 1
        assert len(one.task.background) == 3 or (at_home and len(one.task.background) == 1)


def test_every_type_and_all_thirty_tasks_are_there() -> None:
    scenarios = stss.own_talks().scenarios
    assert {one.task.type for one in scenarios} == set(stss.TASK_TYPES)
    assert {one.task.id for one in scenarios} == {task.id for task in stss.own_town(1).tasks}


def test_no_pair_is_there_more_than_twice_in_a_task_and_appointments_are_with_the_partner() -> None:
    scenarios = stss.own_talks().scenarios
    pairs = Counter(
        (one.task.id, one.performer.resident.id, one.other.resident.id) for one in scenarios
    )
    assert max(pairs.values()) <= 2
    meetings = [one for one in scenarios if one.task.type == "appointment"]
    assert all(one.other.resident.id == one.task.partner for one in meetings)


def test_the_tasks_are_those_of_the_towns_that_they_were_frozen_from() -> None:
    towns = {one.seed: stss.own_town(one.seed) for one in stss.own_talks().scenarios}
    for one in stss.own_talks().scenarios:
        assert one.task in towns[one.seed].tasks


def test_every_talk_comes_before_its_event() -> None:
    for one in stss.own_talks().scenarios:
        noon = datetime.fromisoformat(f"{one.task.day}T12:00")
        start = one.task.start and datetime.fromisoformat(f"{one.task.day}T{one.task.start}")
        assert one.now <= (start - timedelta(minutes=30) if start else noon + timedelta(hours=8))


def test_nobody_has_promised_to_come_before_they_are_asked() -> None:
    for one in stss.own_talks().scenarios:
        assert not any(
            heard.act.kind == "accept" and heard.act.matter.what == one.task.activity
            for heard in one.other.heard
            if heard.act.matter is not None
        )


def test_building_again_gives_the_shipped_scenarios() -> None:
    name, seed = REBUILT
    town = stss.own_town(seed)
    again = stss.freeze_talks(town, next(one for one in town.tasks if one.id == name), seed)
    shipped = [one for one in stss.own_talks().scenarios if (one.task.id, one.seed) == REBUILT]
    assert shipped
    assert [one for one in again if one.id in {each.id for each in shipped}] == shipped


def test_each_task_has_two_conversations_with_days_behind_them_and_who_lived_is_said() -> None:
    data = stss.own_talks()
    counts = Counter(one.task.id for one in data.scenarios)
    assert (len(counts), sum(counts.values())) == (30, 325)
    assert min(counts.values()) >= 2
    for one in data.scenarios:
        for side in (one.performer, one.other):
            assert len(side.memories) >= 3
            assert side.resident.ties
    assert data.lived_by == "scripted players of the mind of Generative Agents (rule-based)"
    said = stss.describe_counts(data)
    assert said[0].startswith("public activity: ")
    assert said[-1] == f"days simulated by: {data.lived_by}"
    assert not any(line.startswith("fewer") for line in said)
    first = replace(data, scenarios=data.scenarios[:1], lived_by="", note="Said at night.")
    assert "fewer than 2 conversations: kite-evening" in stss.describe_counts(first)
    assert stss.describe_counts(first)[-2:] == ("days simulated by: not said", "Said at night.")


def test_appointments_and_both_days_are_well_represented() -> None:
    scenarios = stss.own_talks().scenarios
    assert sum(one.task.type == "appointment" for one in scenarios) >= 30
    assert sum(one.now.date() == one.task.day for one in scenarios) >= len(scenarios) / 5


def test_both_sides_remember_something_of_the_matter_in_many() -> None:
    """As somebody spoke of it to them; the performer's own goal is no memory."""
    both = 0
    for one in stss.own_talks().scenarios:
        names = (one.task.activity, "errands", *(errand.what for errand in one.task.errands))
        both += all(
            any(name in memory.text for memory in side.memories for name in names)
            for side in (one.performer, one.other)
        )
    assert both >= 65


def test_no_sentence_recurs_with_other_names_in_it() -> None:
    """Of 6,397 memories of the set before, 775 were "saw NAME: on the way to PLACE", and 629 were
    "I talked with NAME."."""
    frames: Counter[str] = Counter()
    for one in stss.own_talks().scenarios:
        for side in (one.performer, one.other):
            frames.update(frame(memory.text, one) for memory in side.memories)
    ((most, count),) = frames.most_common(1)
    assert count <= 100, most


def frame(text: str, scenario: stss.TalkScenario) -> str:
    """A sentence without what it says of whom, where, when and about what."""
    people = [person.name for person in scenario.people.values()]
    first_names = [name.split()[0] for name in people]
    places = sorted([*scenario.place_names, *scenario.places], key=len, reverse=True)
    matter = [scenario.task.activity, *(errand.what for errand in scenario.task.errands)]
    text = re.sub(r"\b\w+day \d+ May 2024|\d\d:\d\d", "WHEN", text)
    for kind, words in (("MATTER", matter), ("PLACE", places), ("NAME", [*people, *first_names])):
        text = re.sub("|".join(map(re.escape, words)), kind, text)
    return text


# ------------------------------------------------------------------ folders


def test_a_written_set_is_read_back_whole(tmp_path: Path) -> None:
    data = replace(stss.own_talks(), name="mine", scenarios=stss.own_talks().scenarios[:3])
    stss.write_talks(tmp_path / "set", data, "by hand")
    assert stss.read_talks(tmp_path / "set") == data
    assert stss.read_talks(tmp_path / "set").id == data.id
    assert json.loads((tmp_path / "set" / "meta.json").read_text())["command"] == "by hand"


def test_the_hash_changes_with_the_scenarios_and_their_order() -> None:
    data = stss.own_talks()
    others = (data.scenarios[:-1], data.scenarios[::-1])
    assert len({data.hash, *(replace(data, scenarios=one).hash for one in others)}) == 3


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda row: row.pop("now"), "line 2: now is missing"),
        (lambda row: row.update(seed="one"), 'found "one"'),
        (lambda row: row.update(id=stss.own_talks().scenarios[0].id), "occurs twice"),
        (lambda row: row["performer"]["resident"].update(id="nobody"), "found nobody"),
        (lambda row: row["other"]["resident"].update(id="nobody"), "found nobody"),
        (lambda row: row["people"].clear(), 'expected both among "people"'),
        (lambda row: row["performer"].update(place="Moon: base"), "expected both in one place"),
        (
            lambda row: [row[side].update(place="Moon: base") for side in ("performer", "other")],
            'found "Moon: base"',
        ),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, change: object, said: str) -> None:
    stss.write_talks(
        tmp_path, replace(stss.own_talks(), scenarios=stss.own_talks().scenarios[:2]), "by hand"
    )
    path = tmp_path / "scenarios.jsonl"
    first, second = path.read_text("utf-8").splitlines()
    row = json.loads(second)
    change(row)  # type: ignore[operator]
    path.write_text(f"{first}\n{json.dumps(row)}\n", "utf-8")
    with pytest.raises(ConfigError, match=r"scenarios\.jsonl, line 2") as told:
        stss.read_talks(tmp_path)
    assert said in str(told.value)


def test_a_damaged_line_is_quoted_as_it_stands(tmp_path: Path) -> None:
    stss.write_talks(
        tmp_path, replace(stss.own_talks(), scenarios=stss.own_talks().scenarios[:1]), "by hand"
    )
    with (tmp_path / "scenarios.jsonl").open("a", encoding="utf-8") as lines:
        lines.write('{"id":"\u00e9t\u00e9", "se\n')
    with pytest.raises(ConfigError, match=r'line 2: .* found {"id":"\u00e9t\u00e9", "se$'):
        stss.read_talks(tmp_path)


def test_a_set_that_is_not_what_its_meta_says_is_refused_with_what_it_is(tmp_path: Path) -> None:
    data = replace(stss.own_talks(), scenarios=stss.own_talks().scenarios[:4])
    stss.write_talks(tmp_path, data, "by hand")
    path = tmp_path / "scenarios.jsonl"
    lines = path.read_text("utf-8").splitlines(keepends=True)
    path.write_text("".join(lines[:3]), "utf-8")
    cut = replace(data, scenarios=data.scenarios[:3])
    said = rf"expected 4 conversation tasks of hash {data.hash}.* found 3 of hash {cut.hash}"
    with pytest.raises(ConfigError, match=said):
        stss.read_talks(tmp_path)
    path.write_text("".join(lines[::-1]), "utf-8")
    with pytest.raises(ConfigError, match=r"expected 4 .* found 4 of hash"):
        stss.read_talks(tmp_path)


def test_a_set_that_was_changed_on_purpose_needs_no_hash(tmp_path: Path) -> None:
    data = replace(stss.own_talks(), scenarios=stss.own_talks().scenarios[:2])
    stss.write_talks(tmp_path, data, "by hand")
    (tmp_path / "meta.json").write_text('{"name": "mine", "version": "2"}')
    assert stss.read_talks(tmp_path) == replace(data, name="mine", lived_by="")


def test_an_empty_set_and_no_set_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        stss.read_talks(tmp_path)
    stss.write_talks(tmp_path, replace(stss.own_talks(), scenarios=()), "by hand")
    with pytest.raises(ConfigError, match="expected at least one conversation task"):
        stss.read_talks(tmp_path)
    (tmp_path / "meta.json").write_text("{}")
    with pytest.raises(ConfigError, match=r"meta\.json: name is missing"):
        stss.read_talks(tmp_path)
