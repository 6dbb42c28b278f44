"""The import of a data set, on our own small files that carry every quirk."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from sociolab.core.episode import Task
from sociolab.core.errors import ConfigError
from sociolab.worlds.sotopia.dataset import DataSet, load
from sociolab.worlds.sotopia.importing.importer import ImportReport, import_sotopia
from sociolab.worlds.sotopia.importing.quirks import Quirk
from sociolab.worlds.sotopia.profiles import RelationshipType
from sociolab.worlds.sotopia.scenarios import DivisionGoal, FriendGoal, PriceGoal
from sociolab.worlds.sotopia.scene import SotopiaScene
from sociolab.worlds.sotopia.world import casting_of


@pytest.fixture
def report(fixtures: Path, tmp_path: Path) -> ImportReport:
    return import_sotopia(fixtures, tmp_path / "sets" / "small", "small")


@pytest.fixture
def data(report: ImportReport, tmp_path: Path) -> DataSet:
    assert report.tasks
    return load(tmp_path / "sets" / "small")


def heads(task: Task) -> tuple[str, ...]:
    """What each seat is told before the first turn."""
    scene = SotopiaScene(casting_of(task))
    return tuple(scene.witness(seat).observe(0).head for seat in scene.seats)


def test_everything_is_counted(report: ImportReport) -> None:
    assert report.characters == 4
    assert (report.relationship_rows, report.pairs) == (6, 5)
    assert (report.scenarios, report.scenarios_with_facts) == (9, 3)
    assert (report.tasks, report.hard_tasks) == (12, 4)


def test_every_quirk_of_the_files_is_met_and_counted(report: ImportReport) -> None:
    assert dict(report.quirks) == {
        Quirk.SPACED_ITEM: 2,
        Quirk.UNREAD_TRAITS: 1,
        Quirk.EMPTY_CONSTRAINT: 17,
        Quirk.AGENT_CONSTRAINT: 1,
        Quirk.ENVIRONMENT_PART: 2,
        Quirk.SEAT_PART: 2,
        Quirk.FOREIGN_PART: 1,
        Quirk.EXTRA_INFO: 10,
        Quirk.CLARIFICATION_HINT: 1,
        Quirk.STRATEGY_HINT: 2,
        Quirk.ESCAPED_QUOTE: 1,
        Quirk.GLUED_SENTENCES: 1,
        Quirk.AGENT_NAMED: 2,
        Quirk.AGENT_NAME_LEFT: 1,
        Quirk.FACTS_UNREAD: 2,
        Quirk.CONFLICTING_PAIR: 1,
        Quirk.TASK_OF_CONFLICT: 3,
        Quirk.TASK_DISAGREES: 2,
        Quirk.PAIR_WITHOUT_ROW: 2,
        Quirk.OUTSIDE_CONSTRAINT: 2,
    }


def test_the_report_is_one_line_for_what_there_is_and_one_for_each_quirk(
    report: ImportReport,
) -> None:
    assert report.lines[0] == (
        "4 characters, 6 relationship rows of 5 pairs, 9 scenarios (3 with goals that have a "
        "formula), 12 tasks (4 on the 2 hard scenarios)"
    )
    assert "pairs whose relationship rows conflict: 1" in report.lines
    assert len(report.lines) == 1 + len(report.quirks)


def test_the_data_set_loads_with_its_name_and_notes(data: DataSet, tmp_path: Path) -> None:
    meta = json.loads((tmp_path / "sets" / "small" / "meta.json").read_text("utf-8"))
    assert data.id.name == "small"
    assert meta["license"] == "as its authors declare: CC BY-SA 4.0"
    assert meta["notes"][0].startswith("4 characters")
    assert [task.id for task in data.tasks()] == [f"t-{n:02}" for n in range(1, 13)]


def test_no_tag_is_left_in_any_text(data: DataSet) -> None:
    texts = [scene.context for scene in data.scenarios.values()]
    texts += [goal.text for scene in data.scenarios.values() for goal in scene.goals]
    assert not [text for text in texts if "<" in text or "viewer" in text]


def test_each_private_part_reaches_its_own_seat_only(data: DataSet) -> None:
    tasks = {task.id: heads(task) for task in data.tasks()}
    buyer, seller = tasks["t-01"]
    assert "You know: The spout was soldered once." in buyer
    assert "soldered" not in seller
    first, second = tasks["t-06"]
    assert "You know: The paint is already ordered!" in second
    assert "already ordered" not in first
    assert not any("owe you a ladder" in head for head in (first, second))
    for task in ("t-04", "t-05"):
        assert not any("common friends" in head for head in tasks[task])


def test_goals_are_private_to_their_seat(data: DataSet) -> None:
    for task in data.tasks():
        goals = [goal.text for goal in casting_of(task).scenario.goals]
        for seat, head in enumerate(heads(task)):
            assert [goal in head for goal in goals] == [seat == n for n in range(len(goals))]


def test_facts_are_read_where_they_are_plain(data: DataSet) -> None:
    facts = {key: scene.goals[0].facts for key, scene in data.scenarios.items()}
    assert facts["s-kettle"] == PriceGoal(
        role="buyer", item="the copper kettle", listed=1240.5, target=900
    )
    assert facts["s-pears"] == DivisionGoal(
        counts={"pears": 4, "quinces": 3, "marrows": 1},
        values={"pears": 2, "quinces": 1, "marrows": 6},
    )
    assert isinstance(facts["s-party"], FriendGoal)
    assert facts["s-tools"] is None  # "saws are worth 5 points": each, or together?
    assert facts["s-crowd"] is None  # the environment is told another common friend


def test_a_scenario_has_facts_for_all_its_seats_or_for_none(data: DataSet) -> None:
    for scene in data.scenarios.values():
        assert len({goal.facts is None for goal in scene.goals}) == 1


def test_families_tags_and_constraints_are_those_of_the_rows(data: DataSet) -> None:
    scenes = data.scenarios
    assert [scene.family for scene in scenes.values()] == [
        "bargain",
        "division",
        "division",
        "mutual-friend",
        "mutual-friend",
        "norms",
        "place",
        "other",
        "other",
    ]
    assert scenes["s-kettle"].tags == ("craigslist_bargains",)
    assert scenes["s-party"].tags == ("mutual_friends", "mutual_friend")
    assert scenes["s-stage"].ages == ((21, 70), (21, 70))
    assert scenes["s-stage"].occupations == (("actor",), ())
    assert scenes["s-tools"].ages == ()
    assert scenes["s-tools"].occupations == ()


def test_tasks_on_the_hard_list_are_tagged(data: DataSet) -> None:
    hard = [task.id for task in data.tasks() if "public-hard" in task.tags]
    assert hard == ["t-01", "t-07", "t-08", "t-12"]


def test_the_scenarios_relationship_wins_over_the_pairs(data: DataSet) -> None:
    for task in data.tasks():
        casting = casting_of(task)
        pair = casting.relationships[0]
        assert pair.type is casting.scenario.relationships[0]
    kept = {frozenset(key): pair.type for key, pair in data.relationships.items()}
    # Its rows say romantic and friend; two of its three tasks are on scenarios for friends.
    assert kept[frozenset({"c-odile", "c-wren"})] is RelationshipType.FRIEND
    overridden = {row.id for row in data.rows if row.relationship is not None}
    assert overridden == {"t-07", "t-08", "t-11", "t-12"}


def test_strategy_hints_can_be_left_out(fixtures: Path, tmp_path: Path) -> None:
    report = import_sotopia(fixtures, tmp_path / "plain", "plain", strategy_hints=False)
    goals = load(tmp_path / "plain").scenarios["s-fence"].goals
    assert goals[0].text == (
        "Agree on a colour. Extra information: you like green. Hint: white is out of the question."
    )
    assert dict(report.quirks)[Quirk.STRATEGY_HINT_DROPPED] == 2


def test_the_folder_itself_or_its_parent_may_be_given(fixtures: Path, tmp_path: Path) -> None:
    import_sotopia(fixtures / "profiles", tmp_path / "inner", "x")
    import_sotopia(fixtures, tmp_path / "outer", "x")
    for name in ("tasks.jsonl", "scenarios.jsonl", "meta.json"):
        assert (tmp_path / "inner" / name).read_bytes() == (tmp_path / "outer" / name).read_bytes()


def test_without_a_hard_list_no_task_is_tagged(copied: Path, tmp_path: Path) -> None:
    (copied / "profiles" / "sotopia_hard_env_ids.json").unlink()
    report = import_sotopia(copied, tmp_path / "x", "x")
    assert report.hard_tasks == 0
    assert dict(report.quirks)[Quirk.NO_HARD_LIST] == 1


Change = Callable[[str], str]


@pytest.mark.parametrize(
    ("file", "change", "message"),
    [
        ("agent_profiles", lambda t: t.replace('"age": 58', '"age": "old"'), "line 3: age: "),
        ("agent_profiles", lambda t: t[:-40], "line 5: expected JSON, found "),
        ("agent_profiles", lambda t: f"[1]\n{t}", "line 1: expected a JSON object, found '[1]'"),
        ("agent_profiles", lambda t: t.replace('"age": 58,', ""), "line 3: age is missing"),
        ("agent_profiles", lambda t: t.replace("c-piet", "c-wren"), "line 5: the character c-wren"),
        (
            "agent_profiles",
            lambda t: t.replace('"agent_id": "c-piet"', '"agent_id": "c piet"'),
            "line 5: id: ",
        ),
        (
            "environment_profiles",
            lambda t: t.replace('"relationship": "4"', '"relationship": "7"'),
            "line 8: the relationship '7' is not known",
        ),
        (
            "environment_profiles",
            lambda t: t.replace("viewer='agent_0'", "viewer='agent_9'"),
            "line 1: the viewer 'agent_9' is not known",
        ),
        (
            "environment_profiles",
            lambda t: t.replace("[(21, 70), (21, 70)]", "[(21, 70)]"),
            "line 8: age_constraint should be 2 pairs",
        ),
        (
            "environment_profiles",
            lambda t: t.replace("[actor, nan]", "[actor]"),
            "line 8: occupation_constraint should be 2 occupations",
        ),
        (
            "environment_profiles",
            lambda t: t.replace('["Calm the other one down.", ', "["),
            "line 8: a scenario needs at least 2 goals, found 1",
        ),
        (
            "relationship_profiles",
            lambda t: t.replace('"agent2_id": "c-piet"', '"agent2_id": "c-nobody"'),
            "line 6: there is no character with the id 'c-nobody'",
        ),
        (
            "env_agent_combo_storages",
            lambda t: t.replace("s-pears", "s-plums"),
            "line 3: there is no scenario with the id 's-plums'",
        ),
        (
            "env_agent_combo_storages",
            lambda t: t.replace('["c-wren", "c-odile"]', '["c-wren", "c-wren"]'),
            "line 3: the scenario s-pears has 2 seats and needs as many different characters",
        ),
        (
            "env_agent_combo_storages",
            lambda t: t.replace("t-03", "t-01"),
            "line 4: the combination t-01 comes a second time",
        ),
    ],
)
def test_a_broken_line_is_named_and_leaves_nothing(
    copied: Path, tmp_path: Path, file: str, change: Change, message: str
) -> None:
    path = copied / "profiles" / f"{file}.jsonl"
    text = path.read_text("utf-8")
    assert change(text) != text
    path.write_text(change(text), "utf-8")
    with pytest.raises(ConfigError, match=r"line \d+: ") as caught:
        import_sotopia(copied, tmp_path / "sets" / "x", "x")
    assert str(caught.value).startswith(f"{path}, {message}")
    assert "\n" not in str(caught.value)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["source"]


@pytest.mark.parametrize("file", ["agent_profiles", "relationship_profiles"])
def test_a_missing_file_is_named(copied: Path, tmp_path: Path, file: str) -> None:
    (copied / "profiles" / f"{file}.jsonl").unlink()
    with pytest.raises(ConfigError, match=rf"^expected .*{file}\.jsonl.*, and there is none$"):
        import_sotopia(copied, tmp_path / "x", "x")
    assert not (tmp_path / "x").exists()


def test_data_without_anything_to_play_is_refused(copied: Path, tmp_path: Path) -> None:
    (copied / "profiles" / "env_agent_combo_storages.jsonl").write_text("\n", "utf-8")
    with pytest.raises(ConfigError, match=r"env_agent_combo_storages\.jsonl holds no combination"):
        import_sotopia(copied, tmp_path / "x", "x")
    assert not (tmp_path / "x").exists()


def test_a_hard_list_with_an_unknown_scenario_is_refused(copied: Path, tmp_path: Path) -> None:
    path = copied / "profiles" / "sotopia_hard_env_ids.json"
    path.write_text('{"environments": ["s-plums"]}', "utf-8")
    with pytest.raises(ConfigError, match="there is no scenario with the id 's-plums'"):
        import_sotopia(copied, tmp_path / "x", "x")


def test_a_write_that_fails_leaves_nothing(
    fixtures: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = Path.write_text

    def full(self: Path, data: str, encoding: str | None = None) -> int:
        if self.name == "tasks.jsonl":
            raise OSError(28, "No space left on device")
        return write(self, data, encoding)

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(ConfigError, match=r"cannot be written \(No space left on device\)$"):
        import_sotopia(fixtures, tmp_path / "sets" / "x", "x")
    assert list((tmp_path / "sets").iterdir()) == []


def test_an_existing_folder_is_not_overwritten(fixtures: Path, tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    with pytest.raises(ConfigError, match="exists already; import under another name"):
        import_sotopia(fixtures, tmp_path / "x", "x")
    assert list((tmp_path / "x").iterdir()) == []
