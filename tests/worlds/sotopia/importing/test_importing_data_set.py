"""SOTOPIA's public profile files as a data set."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from sociolab.core import ConfigError, Task
from sociolab.core.user_files import fresh_folder
from sociolab.worlds import sotopia
from sociolab.worlds.sotopia.importing.public_data import (
    RawAgent,
    RawRelationship,
    SotopiaImport,
    build_character,
    merge_relationships,
    normalize_gender,
    parse_traits,
    relationship_type,
)
from sociolab.worlds.sotopia.importing.reading import PlacedRow

RATED = "sotopia_pi_human_eval_episodes.jsonl"


# ---------- profiles, traits and relationships


FIVE = ("openness", "conscientiousness", "extraversion", "agreeableness", "neuroticism")
TEXT = (
    "Openness to Experience - High; Conscientiousness - Low; Extraversion - Medium; "
    "Agreeableness - low; Neuroticism - Average"
)


def person(key: str) -> sotopia.Character:
    return sotopia.Character(
        id=key, first_name=key, gender="woman", pronouns="she/her", age=40, occupation="baker"
    )


def test_traits_are_levels() -> None:
    levels = ("high", "low", "average", "low", "average")
    assert parse_traits(TEXT) == sotopia.BigFive.model_validate(
        dict(zip(FIVE, levels, strict=True))
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Openness - High",  # the other four are missing
        TEXT.replace("Medium", "Enormous"),
        TEXT.replace("Extraversion", "Charm"),
        TEXT.replace("Extraversion - Medium", "rather extraverted"),
    ],
)
def test_traits_that_are_not_all_there_are_none(text: str) -> None:
    assert parse_traits(text) is None


def test_a_profile_is_stripped_and_keeps_its_id() -> None:
    quirks = sotopia.Quirks()
    raw = RawAgent(
        agent_id="01ABC",
        first_name="Ida",
        age=30,
        occupation="Cook",
        gender="Woman",
        gender_pronoun="She/her",
        public_info="Ida sings. ",
        big_five="?",
        moral_values=("Care", " Fairness", " "),
    )
    found = build_character(PlacedRow("here", raw), quirks)
    assert (found.id, found.gender, found.pronouns) == ("01ABC", "woman", "she/her")
    assert (found.public_info, found.moral_values) == ("Ida sings.", ("Care", "Fairness"))
    assert found.big_five is None
    assert quirks == {sotopia.Quirk.SPACED_ITEM: 2, sotopia.Quirk.UNREAD_TRAITS: 1}


def test_genders_have_our_words() -> None:
    assert [
        normalize_gender(word) for word in ("Man", "male", "Female", "Nonbinary", "non-binary")
    ] == [
        "man",
        "man",
        "woman",
        "nonbinary",
        "nonbinary",
    ]


def test_each_digit_is_a_relationship() -> None:
    found = [relationship_type(str(digit), "here") for digit in range(6)]
    assert found == ["stranger", "known-by-name", "acquaintance", "friend", "romantic", "family"]
    assert relationship_type(3, "here") is sotopia.RelationshipType.FRIEND


def test_another_digit_is_refused_with_the_place() -> None:
    with pytest.raises(ConfigError, match=r"^here: the relationship .6. is not known; expected"):
        relationship_type("6", "here")


def rows(*digits: str) -> list[PlacedRow[RawRelationship]]:
    return [
        PlacedRow(
            f"line {number}",
            RawRelationship(agent1_id="a", agent2_id="b", relationship=digit)
            if number % 2
            else RawRelationship(agent1_id="b", agent2_id="a", relationship=digit),
        )
        for number, digit in enumerate(digits)
    ]


PAIR = frozenset({"a", "b"})
PEOPLE = {key: person(key) for key in "ab"}
FRIEND, ROMANTIC = sotopia.RelationshipType.FRIEND, sotopia.RelationshipType.ROMANTIC


def test_of_conflicting_rows_the_one_that_most_tasks_agree_with_is_kept() -> None:
    quirks = sotopia.Quirks()
    found = merge_relationships(rows("4", "3"), PEOPLE, {PAIR: (FRIEND, ROMANTIC, FRIEND)}, quirks)
    assert found[PAIR].type is FRIEND
    assert quirks == {sotopia.Quirk.CONFLICTING_PAIR: 1, sotopia.Quirk.TASK_OF_CONFLICT: 3}


def test_of_rows_that_tie_the_first_is_kept() -> None:
    assert merge_relationships(rows("4", "3"), PEOPLE, {}, sotopia.Quirks())[PAIR].type is ROMANTIC


def test_the_same_row_twice_is_no_conflict() -> None:
    quirks = sotopia.Quirks()
    assert merge_relationships(rows("3", "3"), PEOPLE, {}, quirks)[PAIR].type is FRIEND
    assert not quirks


def test_a_relationship_of_one_with_itself_or_a_stranger_to_the_file_is_refused() -> None:
    itself = PlacedRow("here", RawRelationship(agent1_id="a", agent2_id="a", relationship="3"))
    with pytest.raises(ConfigError, match=r"^here: a is in a relationship with itself"):
        merge_relationships([itself], PEOPLE, {}, sotopia.Quirks())
    unknown = PlacedRow("here", RawRelationship(agent1_id="a", agent2_id="z", relationship="3"))
    with pytest.raises(ConfigError, match=r"^here: there is no character with the id 'z'"):
        merge_relationships([unknown], PEOPLE, {}, sotopia.Quirks())


# ---------- sOTOPIA's public files themselves, where they are at hand


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("public") / "set"


@pytest.fixture(scope="module")
def public_report(public: Path, target: Path) -> SotopiaImport:
    return sotopia.import_sotopia(public, target, "public")


@pytest.fixture(scope="module")
def public_data(public_report: SotopiaImport, target: Path) -> sotopia.DataSet:
    assert public_report.lines
    return sotopia.load(target)


@pytest.fixture(scope="module")
def played(public: Path) -> sotopia.ImportedEpisodes:
    return sotopia.import_episodes(public / "episodes" / RATED)


def test_everything_is_imported(public_report: SotopiaImport) -> None:
    assert public_report.lines[0] == (
        "40 characters, 120 relationship rows of 118 pairs, 90 scenarios (30 with goals that have "
        "a formula), 450 tasks (70 on the 14 hard scenarios)"
    )


def test_the_quirks_are_those_that_a_count_by_hand_found(public_report: SotopiaImport) -> None:
    assert dict(public_report.quirks) == {
        sotopia.Quirk.SPACED_ITEM: 30,
        sotopia.Quirk.EMPTY_CONSTRAINT: 179,
        sotopia.Quirk.ENVIRONMENT_PART: 10,
        sotopia.Quirk.EXTRA_INFO: 154,
        sotopia.Quirk.CLARIFICATION_HINT: 2,
        sotopia.Quirk.STRATEGY_HINT: 25,
        sotopia.Quirk.ESCAPED_QUOTE: 3,
        sotopia.Quirk.GLUED_SENTENCES: 1,
        sotopia.Quirk.CONFLICTING_PAIR: 2,
        sotopia.Quirk.TASK_OF_CONFLICT: 23,
        sotopia.Quirk.TASK_DISAGREES: 1,
        sotopia.Quirk.OUTSIDE_CONSTRAINT: 5,
    }


def test_texts_are_clean(public_data: sotopia.DataSet) -> None:
    texts = [scene.context for scene in public_data.scenarios.values()]
    texts += [goal.text for scene in public_data.scenarios.values() for goal in scene.goals]
    dirty = re.compile(r"<|\\|\(\s*\)|  |\s[.,]|[a-z]Hint:|nan\b")
    assert not [text for text in texts if dirty.search(text)]
    assert all(text[0].isupper() or text[0].isdigit() for text in texts)


def test_no_seat_is_told_what_is_for_the_environment_or_the_other_seat(
    public_data: sotopia.DataSet,
) -> None:
    kept = [one.environment for one in public_data.scenarios.values() if one.environment]
    assert any("common friends" in text for text in kept)  # for the judge
    for task in public_data.tasks():
        scene = sotopia.SotopiaScene(sotopia.casting_of(task))
        goals = [goal.text for goal in scene.casting.scenario.goals]
        for seat, key in enumerate(scene.seats):
            head = scene.witness(key).observe(0).head
            assert "common friends" not in head
            assert goals[seat] in head
            other = goals[1 - seat]
            assert other not in head or other == goals[seat]


def test_families_follow_the_sources(public_data: sotopia.DataSet) -> None:
    assert Counter(scene.family for scene in public_data.scenarios.values()) == {
        "bargain": 10,
        "division": 10,
        "mutual-friend": 10,
        "norms": 20,
        "feelings": 15,
        "place": 9,
        "other": 16,
    }


def test_every_task_has_its_scenarios_relationship(public_data: sotopia.DataSet) -> None:
    for task in public_data.tasks():
        casting = sotopia.casting_of(task)
        assert casting.relationships[0].type is casting.scenario.relationships[0]


def test_all_episodes_are_imported_onto_their_tasks(
    played: sotopia.ImportedEpisodes, public_data: sotopia.DataSet
) -> None:
    tasks = {task.id: task for task in public_data.tasks()}
    assert len(played.episodes) == 154
    assert all(episode.trial.task == tasks[episode.trial.task.id] for episode in played.episodes)
    hard = [e for e in played.episodes if "public-hard" in e.trial.task.tags]
    assert len(hard) == 151  # three name a hard scenario and played another one
    assert dict(played.quirks)[sotopia.Quirk.OTHER_SCENARIO] == 3


def test_no_turn_of_the_episodes_is_lost(played: sotopia.ImportedEpisodes) -> None:
    kinds = Counter(
        action.kind for e in played.episodes for move in e.moves for action in move.actions
    )
    assert kinds == {
        "speak": 1148,
        "non-verbal communication": 84,
        "physical action": 52,
        "none": 83,
        "leave": 117,
    }
    assert Counter(e.ended.reason for e in played.episodes if e.ended) == {
        "left": 117,
        "silence": 30,
        "turn limit": 7,
    }


def test_players_take_turns_in_every_episode(played: sotopia.ImportedEpisodes) -> None:
    for episode in played.episodes:
        seats = episode.trial.task.seats
        assert all(move.seat == seats[move.turn % 2] for move in episode.moves)


def test_each_models_seat_shows_in_how_it_plays(played: sotopia.ImportedEpisodes) -> None:
    """The reading of `models` (the judge, then the seats in order) holds in both seats: gpt-4
    never leaves, and the tuned models that speak briefly do so wherever they sit."""
    leavers: Counter[str] = Counter()
    lengths: dict[tuple[str, int], list[int]] = {}
    for episode in played.episodes:
        trial = episode.trial
        for move in episode.moves:
            label, seat = trial.agent(move.seat), trial.task.seats.index(move.seat)
            leavers[label] += move.actions[0].kind == "leave"
            if move.actions[0].kind == "speak" and "SR" in {m.agent for m in trial.cast}:
                lengths.setdefault((label, seat), []).append(len(move.actions[0].text))
    assert leavers["gpt-4"] == 0
    assert leavers["gpt-3.5-turbo"] > 80
    means = {key: sum(found) / len(found) for key, found in lengths.items()}
    assert max(means["SR", 0], means["SR", 1]) < 150
    assert min(means["gpt-3.5-turbo", 0], means["gpt-3.5-turbo", 1]) > 190


def test_episodes_alone_are_enough(public: Path, tmp_path: Path) -> None:
    (tmp_path / "alone").mkdir()
    (tmp_path / "alone" / RATED).write_bytes((public / "episodes" / RATED).read_bytes())
    alone = sotopia.import_episodes(tmp_path / "alone")
    assert len(alone.episodes) == 154
    assert len({e.trial.task.cluster for e in alone.episodes}) == 17
    assert dict(alone.quirks)[sotopia.Quirk.REBUILT_CHARACTER] == 36


# ---------- the import of a data set, on our own small files that carry every quirk


@pytest.fixture
def report(fixtures: Path, tmp_path: Path) -> SotopiaImport:
    return sotopia.import_sotopia(fixtures, tmp_path / "sets" / "small", "small")


@pytest.fixture
def data(report: SotopiaImport, tmp_path: Path) -> sotopia.DataSet:
    assert report.lines
    return sotopia.load(tmp_path / "sets" / "small")


def heads(task: Task) -> tuple[str, ...]:
    """What each seat is told before the first turn."""
    scene = sotopia.SotopiaScene(sotopia.casting_of(task))
    return tuple(scene.witness(seat).observe(0).head for seat in scene.seats)


def test_everything_is_counted(report: SotopiaImport) -> None:
    assert report.lines[0].startswith(
        "4 characters, 6 relationship rows of 5 pairs, 9 scenarios (3 with goals that have a "
        "formula), 12 tasks (4 on "
    )


def test_every_quirk_of_the_files_is_met_and_counted(report: SotopiaImport) -> None:
    assert dict(report.quirks) == {
        sotopia.Quirk.SPACED_ITEM: 2,
        sotopia.Quirk.UNREAD_TRAITS: 1,
        sotopia.Quirk.EMPTY_CONSTRAINT: 17,
        sotopia.Quirk.AGENT_CONSTRAINT: 1,
        sotopia.Quirk.ENVIRONMENT_PART: 2,
        sotopia.Quirk.SEAT_PART: 2,
        sotopia.Quirk.FOREIGN_PART: 1,
        sotopia.Quirk.EXTRA_INFO: 10,
        sotopia.Quirk.CLARIFICATION_HINT: 1,
        sotopia.Quirk.STRATEGY_HINT: 2,
        sotopia.Quirk.ESCAPED_QUOTE: 1,
        sotopia.Quirk.GLUED_SENTENCES: 1,
        sotopia.Quirk.AGENT_NAMED: 2,
        sotopia.Quirk.AGENT_NAME_LEFT: 1,
        sotopia.Quirk.FACTS_UNREAD: 2,
        sotopia.Quirk.CONFLICTING_PAIR: 1,
        sotopia.Quirk.TASK_OF_CONFLICT: 3,
        sotopia.Quirk.TASK_DISAGREES: 2,
        sotopia.Quirk.PAIR_WITHOUT_ROW: 2,
        sotopia.Quirk.OUTSIDE_CONSTRAINT: 2,
    }


def test_the_report_is_one_line_for_what_there_is_and_one_for_each_quirk(
    report: SotopiaImport,
) -> None:
    assert report.lines[0] == (
        "4 characters, 6 relationship rows of 5 pairs, 9 scenarios (3 with goals that have a "
        "formula), 12 tasks (4 on the 2 hard scenarios)"
    )
    assert "pairs whose relationship rows conflict: 1" in report.lines
    assert len(report.lines) == 1 + len(report.quirks)


def test_the_data_set_loads_with_its_name_and_notes(data: sotopia.DataSet, tmp_path: Path) -> None:
    meta = json.loads((tmp_path / "sets" / "small" / "meta.json").read_text("utf-8"))
    assert data.id.name == "small"
    assert meta["license"] == "as its authors declare: CC BY-SA 4.0"
    assert meta["notes"][0].startswith("4 characters")
    assert [task.id for task in data.tasks()] == [f"t-{n:02}" for n in range(1, 13)]


def test_no_tag_is_left_in_any_text(data: sotopia.DataSet) -> None:
    texts = [scene.context for scene in data.scenarios.values()]
    texts += [goal.text for scene in data.scenarios.values() for goal in scene.goals]
    assert not [text for text in texts if "<" in text or "viewer" in text]


def test_each_private_part_reaches_its_own_seat_only(data: sotopia.DataSet) -> None:
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


def test_goals_are_private_to_their_seat(data: sotopia.DataSet) -> None:
    for task in data.tasks():
        goals = [goal.text for goal in sotopia.casting_of(task).scenario.goals]
        for seat, head in enumerate(heads(task)):
            assert [goal in head for goal in goals] == [seat == n for n in range(len(goals))]


def test_facts_are_read_where_they_are_plain(data: sotopia.DataSet) -> None:
    facts = {key: scene.goals[0].facts for key, scene in data.scenarios.items()}
    assert facts["s-kettle"] == sotopia.PriceGoal(
        role="buyer", item="the copper kettle", listed=1240.5, target=900
    )
    assert facts["s-pears"] == sotopia.DivisionGoal(
        counts={"pears": 4, "quinces": 3, "marrows": 1},
        values={"pears": 2, "quinces": 1, "marrows": 6},
    )
    assert isinstance(facts["s-party"], sotopia.FriendGoal)
    assert facts["s-tools"] is None  # "saws are worth 5 points": each, or together?
    assert facts["s-crowd"] is None  # the environment is told another common friend


def test_a_scenario_has_facts_for_all_its_seats_or_for_none(data: sotopia.DataSet) -> None:
    for scene in data.scenarios.values():
        assert len({goal.facts is None for goal in scene.goals}) == 1


def test_families_tags_and_constraints_are_those_of_the_rows(data: sotopia.DataSet) -> None:
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


def test_tasks_on_the_hard_list_are_tagged(data: sotopia.DataSet) -> None:
    hard = [task.id for task in data.tasks() if "public-hard" in task.tags]
    assert hard == ["t-01", "t-07", "t-08", "t-12"]


def test_the_scenarios_relationship_wins_over_the_pairs(data: sotopia.DataSet) -> None:
    for task in data.tasks():
        casting = sotopia.casting_of(task)
        pair = casting.relationships[0]
        assert pair.type is casting.scenario.relationships[0]
    kept = {frozenset(key): pair.type for key, pair in data.relationships.items()}
    # Its rows say romantic and friend; two of its three tasks are on scenarios for friends.
    assert kept[frozenset({"c-odile", "c-wren"})] is sotopia.RelationshipType.FRIEND
    overridden = {row.id for row in data.rows if row.relationship is not None}
    assert overridden == {"t-07", "t-08", "t-11", "t-12"}


def test_strategy_hints_can_be_left_out(fixtures: Path, tmp_path: Path) -> None:
    report = sotopia.import_sotopia(fixtures, tmp_path / "plain", "plain", strategy_hints=False)
    goals = sotopia.load(tmp_path / "plain").scenarios["s-fence"].goals
    assert goals[0].text == (
        "Agree on a colour. Extra information: you like green. Hint: white is out of the question."
    )
    assert dict(report.quirks)[sotopia.Quirk.STRATEGY_HINT_DROPPED] == 2


def test_the_folder_itself_or_its_parent_may_be_given(fixtures: Path, tmp_path: Path) -> None:
    sotopia.import_sotopia(fixtures / "profiles", tmp_path / "inner", "x")
    sotopia.import_sotopia(fixtures, tmp_path / "outer", "x")
    for name in ("tasks.jsonl", "scenarios.jsonl", "meta.json"):
        assert (tmp_path / "inner" / name).read_bytes() == (tmp_path / "outer" / name).read_bytes()


def test_without_a_hard_list_no_task_is_tagged(copied: Path, tmp_path: Path) -> None:
    (copied / "profiles" / "sotopia_hard_env_ids.json").unlink()
    report = sotopia.import_sotopia(copied, tmp_path / "x", "x")
    assert "12 tasks (0 on " in report.lines[0]
    assert dict(report.quirks)[sotopia.Quirk.NO_HARD_LIST] == 1


Change = Callable[[str], str]


@pytest.mark.parametrize(
    ("file", "change", "message"),
    [
        ("agent_profiles", lambda t: t.replace('"age": 58', '"age": "old"'), "line 3: age: "),
        ("agent_profiles", lambda t: t[:-40], "line 5: expected JSON, found "),
        ("agent_profiles", lambda t: f"[1]\n{t}", "line 1: expected a JSON object, found [1]"),
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
        sotopia.import_sotopia(copied, tmp_path / "sets" / "x", "x")
    assert str(caught.value).startswith(f"{path}, {message}")
    assert "\n" not in str(caught.value)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["source"]


@pytest.mark.parametrize("file", ["agent_profiles", "relationship_profiles"])
def test_a_missing_file_is_named(copied: Path, tmp_path: Path, file: str) -> None:
    (copied / "profiles" / f"{file}.jsonl").unlink()
    with pytest.raises(ConfigError, match=rf"{file}\.jsonl.*there is no(ne$| such file$)"):
        sotopia.import_sotopia(copied, tmp_path / "x", "x")
    assert not (tmp_path / "x").exists()


def test_data_without_anything_to_play_is_refused(copied: Path, tmp_path: Path) -> None:
    (copied / "profiles" / "env_agent_combo_storages.jsonl").write_text("\n", "utf-8")
    with pytest.raises(ConfigError, match=r"env_agent_combo_storages\.jsonl holds no combination"):
        sotopia.import_sotopia(copied, tmp_path / "x", "x")
    assert not (tmp_path / "x").exists()


def test_a_hard_list_with_an_unknown_scenario_is_refused(copied: Path, tmp_path: Path) -> None:
    path = copied / "profiles" / "sotopia_hard_env_ids.json"
    path.write_text('{"environments": ["s-plums"]}', "utf-8")
    with pytest.raises(ConfigError, match="there is no scenario with the id 's-plums'"):
        sotopia.import_sotopia(copied, tmp_path / "x", "x")


def test_a_write_that_fails_leaves_nothing(
    fixtures: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = Path.write_text

    def full(self: Path, data: str, *more: str, **named: str) -> int:
        if self.name == "tasks.jsonl":
            raise OSError(28, "No space left on device")
        return write(self, data, *more, **named)

    monkeypatch.setattr(Path, "write_text", full)
    target = tmp_path / "sets" / "x"
    with (
        pytest.raises(ConfigError, match="No space left on device"),
        fresh_folder(target) as fresh,
    ):
        sotopia.import_sotopia(fixtures, fresh, "x")
    assert list(target.parent.iterdir()) == []


def test_an_existing_folder_is_not_overwritten(fixtures: Path, tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    with pytest.raises(ConfigError, match="File exists"):
        sotopia.import_sotopia(fixtures, tmp_path / "x", "x")
    assert list((tmp_path / "x").iterdir()) == []
