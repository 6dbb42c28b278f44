"""FIREBALL: checks that the bot has on record, and the play before and after them."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from sociolab.app import Import, import_anything
from sociolab.core import ConfigError
from sociolab.worlds import anteval

Row: TypeAlias = dict[str, Any]

DM_ID, IDA_ID, OTTO_ID = 1, 2, 3
PLAYERS = {DM_ID: "Player 0", IDA_ID: "Player 1", OTTO_ID: "Player 2"}


def actor(name: str, controller: int, type: str = "player") -> Row:
    return {"name": name, "controller_id": controller, "type": type, "attacks": []}


IDA, OTTO, OGRE = actor("Ida", IDA_ID), actor("Otto", OTTO_ID), actor("OG1", DM_ID, "monster")
ROWAN = actor("Rowan", DM_ID)


class Combat:
    """The events of a combat, as they are recorded."""

    def __init__(self, *combatants: Row, id: str = "c1") -> None:
        self.id = id
        self.rows: list[Row] = []
        self.combatants = [*(combatants or (IDA, OTTO, OGRE))]
        self.state()

    def event(self, type: str, **fields: Any) -> None:
        self.rows.append({"combat_id": self.id, "event_type": type, "timestamp": 1.5, **fields})

    def state(self, current: int | None = None) -> None:
        data = {"dm": DM_ID, "combatants": self.combatants, "current": current, "options": {}}
        self.event("combat_state_update", data=data, human_readable="...")

    def says(self, author: int, text: str, **fields: Any) -> int:
        id = 1000 + len(self.rows)
        self.event(
            "message",
            **{
                "message_id": id,
                "author_id": str(author),
                "author_name": PLAYERS.get(author, "Avrae"),
                "author_bot": author not in PLAYERS,
                "content": text,
                "embeds": [],
            }
            | fields,
        )
        return id

    def answers(self, title: str | None = None, text: str = "") -> None:
        self.says(99, text, embeds=[{"type": "rich", "title": title}] if title else [])

    def checks(
        self, author: int, text: str, title: str | None, caster: Row | None, name: str = "check"
    ) -> None:
        id = self.says(author, text)
        if title:
            self.answers(title)
        self.event(
            "command", message_id=id, author_id=str(author), author_name=PLAYERS[author],
            content=text, prefix="!", command_name=name, caster=caster, targets=None,
        )  # fmt: skip

    def acts(
        self, author: int, text: str, caster: Row, targets: Sequence[Row], *nodes: Row
    ) -> None:
        id = self.says(author, text)
        iterations = [
            {"type": "target_iteration", "target_index": index, "results": [node]}
            for index, node in enumerate(nodes)
        ]
        result = {"type": "root", "children": [{"type": "target", "results": iterations}]}
        self.event(
            "automation_run", interaction_id=id, automation_result=result, caster=caster,
            targets=targets,
        )  # fmt: skip


def written(folder: Path, rows: Sequence[Row], name: str = "raw.jsonl") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(row) + "\n" for row in rows).encode()
    (folder / name).write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    return folder / name


def imported(source: Path) -> tuple[tuple[anteval.Example, ...], tuple[str, ...]]:
    lines = import_anything("fireball", Import(source, "discord", True, None))
    folder = next(Path.cwd().rglob("dnd/discord"))
    return anteval.read_examples(folder), lines


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOCIOLAB_HOME", str(tmp_path / "lab"))
    monkeypatch.chdir(tmp_path)


def one(combat: Combat) -> anteval.Example:
    (example,), _ = imported(written(Path.cwd(), combat.rows))
    return example


def test_a_check_is_labelled_by_what_the_bot_recorded() -> None:
    combat = Combat()
    combat.says(DM_ID, "The stairs end at a door.")
    combat.says(OTTO_ID, '"Quiet." *He listens.*')
    combat.checks(OTTO_ID, "!c perc adv", "Otto makes a Perception check!", OTTO)
    combat.says(DM_ID, "Nothing moves.")
    combat.says(IDA_ID, "*She tries the handle.*")

    example = one(combat)

    assert example.labels == {("Otto", "perception")}
    assert example.candidates == ("Ida", "Otto")
    assert example.turns == (
        anteval.Turn("DM", "The stairs end at a door."),
        anteval.Turn("Otto", '"Quiet." *He listens.*'),
    )
    assert example.after == (anteval.Turn("Ida", "*She tries the handle.*"),)
    assert example.group == "c1"
    assert example.strict


@pytest.mark.parametrize(
    ("command", "title", "skill"),
    [
        ("!c athletics str", "Ida makes a Strength (Athletics) check!", "athletics"),
        ("!check s -h", "An unknown creature makes a Sleight Of Hand check!", "sleight of hand"),
        ('!check animalHandling -title "Ida hums"', "Ida hums", "animal handling"),
        ("!check stealth", "Otto makes a Perception check!", "stealth"),
        ("!check decep", None, "deception"),
    ],
)
def test_titles_of_any_kind_give_the_skill(command: str, title: str | None, skill: str) -> None:
    combat = Combat()
    combat.says(IDA_ID, "I go first.")
    combat.checks(IDA_ID, command, title, IDA)
    assert one(combat).labels == {("Ida", skill)}


def test_what_is_no_skill_check_of_a_character_is_counted() -> None:
    combat = Combat()
    combat.says(IDA_ID, "I go first.")
    combat.checks(IDA_ID, "!c str", "Ida makes a Strength check!", IDA)
    combat.checks(IDA_ID, "!c per", None, IDA)  # perception, performance or persuasion
    combat.checks(DM_ID, "!mc ogre ath", "An Ogre makes an Athletics check!", None, "moncheck")
    combat.checks(OTTO_ID, "!s dex", "Otto makes a Dexterity Save!", OTTO, "save")
    combat.checks(OTTO_ID, "!c arcana", "Otto makes an Arcana check!", OTTO)

    (example,), lines = imported(written(Path.cwd(), combat.rows))

    assert example.labels == {("Otto", "arcana")}
    assert "read: 1 combats, 1 turns, 4 checks" in lines
    assert "dropped: 1 not of a skill, 1 skill not on record, 1 by a monster or companion" in lines


def test_a_contest_has_both_sides_and_an_automatic_success_none() -> None:
    roll = {"total": 12}
    contest = {
        "type": "check", "skill_name": "Acrobatics", "check_roll": roll,
        "contest_skill_name": "Athletics",
    }  # fmt: skip
    combat = Combat()
    combat.says(IDA_ID, "I shove him.")
    combat.acts(IDA_ID, "!a shove -t otto", IDA, [OTTO], contest)
    assert one(combat).labels == {("Otto", "acrobatics"), ("Ida", "athletics")}

    passed = {"type": "check", "skill_name": "Stealth", "check_roll": None}
    combat.acts(IDA_ID, "!a hide -t ida -t otto", IDA, [IDA, OTTO], passed, passed)
    assert one(combat).labels == {("Otto", "acrobatics"), ("Ida", "athletics")}


def test_checks_without_a_turn_between_them_are_one_example() -> None:
    combat = Combat()
    combat.says(DM_ID, "The floor creaks. Everybody roll stealth!")
    combat.checks(IDA_ID, "!c stealth", "Ida makes a Stealth check!", IDA)
    combat.checks(OTTO_ID, "!c stealth", "Otto makes a Stealth check!", OTTO)
    combat.says(IDA_ID, "On tiptoe.")
    combat.checks(IDA_ID, "!c arcana", "Ida makes an Arcana check!", IDA)

    (together, alone), _ = imported(written(Path.cwd(), combat.rows))

    assert together.labels == {("Ida", "stealth"), ("Otto", "stealth")}
    assert together.turns == (anteval.Turn("DM", "The floor creaks."),)
    assert together.strict
    assert together.after == (anteval.Turn("Ida", "On tiptoe."),)
    assert alone.labels == {("Ida", "arcana")}


def test_commands_menus_and_bots_are_no_play() -> None:
    combat = Combat()
    combat.says(IDA_ID, "!i joni")
    combat.answers("Multiple Matches Found")
    combat.says(IDA_ID, "2")
    combat.answers(text="**Initiative 9 (round 1)**: Ida")
    combat.says(99, "Awaiting combatants...", author_bot=None)  # as in the first recordings
    combat.says(OTTO_ID, "<@2>, behind you! <@7> saw it, too.")
    combat.checks(IDA_ID, "!c insight", "Ida makes an Insight check!", IDA)
    assert one(combat).turns == (anteval.Turn("Otto", "Ida, behind you! somebody saw it, too."),)


def test_a_bot_that_speaks_for_a_character_replaces_its_message() -> None:
    combat = Combat()
    combat.says(IDA_ID, "ida: Wait here.")
    combat.says(77, "Wait here.", author_name="Ida", author_bot=True)
    combat.says(OTTO_ID, "Wait here. No.")
    combat.checks(OTTO_ID, "!c insight", "Otto makes an Insight check!", OTTO)
    assert one(combat).turns == (
        anteval.Turn("Ida", "Wait here."),
        anteval.Turn("Otto", "Wait here. No."),
    )


def test_a_game_master_speaks_for_an_own_character_in_its_turn() -> None:
    combat = Combat(IDA, ROWAN, {**OGRE, "type": "group", "combatants": [OTTO]})
    combat.says(DM_ID, "The ogre wakes.")
    combat.state(current=1)
    combat.says(DM_ID, "Rowan draws a bow.")
    combat.state(current=0)
    combat.says(DM_ID, "The ogre yawns.")
    combat.checks(DM_ID, "!c nature", "Rowan makes a Nature check!", ROWAN)

    example = one(combat)

    assert [turn.speaker for turn in example.turns] == ["DM", "Rowan", "DM"]
    assert example.labels == {("Rowan", "nature")}
    assert example.candidates == ("Ida", "Rowan", "Otto")


# ---------- filtered triples


def triple(speaker: int, history: Sequence[str], index: int, **fields: Any) -> Row:
    def known(each: Row) -> Row:
        return {
            "name": each["name"],
            "class": "Rogue 3" if each["type"] == "player" else None,
            "controller_id": str(each["controller_id"]),
        }

    before = [line.partition(": ")[2] for line in history if line.startswith(PLAYERS[speaker])]
    return {
        "speaker_id": str(speaker),
        "before_utterances": before[-1:],
        "combat_state_before": [known(each) for each in (IDA, OTTO, OGRE)],
        "commands_norm": ["!a hide"],
        "automation_results": [],
        "utterance_history": list(history),
        "command_idxs": [index, index + 1],
    } | fields


SAID = ["Player 0: The hall is dark.", "Player 1: I hide.", "Player 2: So do I.", "Player 0: Hm."]


def test_triples_give_checks_with_the_play_put_together() -> None:
    arcana = "Ida rolled a Arcana check but failed."
    rows = [
        triple(DM_ID, SAID[:1], 4),
        triple(IDA_ID, SAID[:2], 9, automation_results=["Ida hides!\nIda rolled a Stealth check "
                                                        "and succeeded.\n"]),
        triple(OTTO_ID, SAID[1:3], 14, automation_results=[
            "OG1 rolled a Perception contest against Otto's Sleight Of Hand but failed."]),
        triple(DM_ID, SAID[1:4], 20, automation_results=["Ida uses Luck!", arcana]),
        triple(DM_ID, ["Player 0: Another day."], 2, automation_results=[arcana]),
    ]  # fmt: skip

    examples, lines = imported(written(Path.cwd(), rows, "night.jsonl"))

    assert [example.labels for example in examples] == [
        {("Ida", "stealth")},
        {("Otto", "sleight of hand")},
        {("Ida", "arcana")},
        {("Ida", "arcana")},
    ]
    assert examples[1].turns == (
        anteval.Turn("DM", "The hall is dark."),
        anteval.Turn("Ida", "I hide."),
        anteval.Turn("Otto", "So do I."),
    )
    assert [example.id for example in examples] == [
        "night-1_00009", "night-1_00014", "night-1_00020", "night-2_00002",
    ]  # fmt: skip
    assert "dropped: 1 by a monster or companion" in lines


# ---------- files


def test_a_folder_holds_combats_in_files_packed_or_not() -> None:
    folder = Path.cwd() / "data"
    for number in (1, 2):
        combat = Combat(id=f"c{number}")
        combat.says(IDA_ID, "I look.")
        combat.checks(IDA_ID, "!c inv", "Ida makes an Investigation check!", IDA)
        written(folder / combat.id, combat.rows[:2], "a.jsonl.gz")
        written(folder / combat.id, combat.rows[2:], "b.jsonl")

    examples, lines = imported(folder)

    assert {example.group for example in examples} == {"c1", "c2"}
    assert lines[-1] == "train on it: sociolab gap --real discord --generated RUN"
    assert len({example.id for example in examples}) == 2


def test_other_files_are_refused_in_a_sentence() -> None:
    path = written(Path.cwd(), [{"a": 1}])
    with pytest.raises(ConfigError, match="line 1: expected an event of FIREBALL"):
        imported(path)
    (Path.cwd() / "empty").mkdir()
    with pytest.raises(ConfigError, match=r"expected files of FIREBALL \(.jsonl"):
        imported(Path.cwd() / "empty")
    combat = Combat()
    combat.says(IDA_ID, "I look.")
    with pytest.raises(ConfigError, match="expected at least one check"):
        imported(written(Path.cwd(), combat.rows))
    with pytest.raises(ConfigError, match="sociolab import fireball"):
        import_anything("dnd", Import(written(Path.cwd(), combat.rows), "x", False, None))


def test_the_public_samples_are_read(shared_play: Path) -> None:
    for name in ("raw_sample.jsonl", "filtered_triples_sample.jsonl"):
        path = shared_play.parent / "fireball" / name
        with pytest.raises(ConfigError, match="none was met"):  # they begin before any check
            imported(path)
