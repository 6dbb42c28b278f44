"""Conversation tasks as a world: its contract, tasks, identity, settings, and transcripts."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path

import pytest

from any_mind import AnyMind
from sociolab.core import ConfigError, Episode, Player, Task, Transcript, World
from sociolab.engine import WorldSetup
from sociolab.testing import WorldContract, drive_recorded, play_task
from sociolab.town import QUESTIONS, MindPlayer, ScriptedMind
from sociolab.worlds import stss
from worlds.stss.talk.talk_plays import Says, Unreminded, held, seats_of
from worlds.stss.talk.talk_scenarios import PUBLIC, TASKS, scenario, scenarios, secret_of

DATA = stss.TalkData("five-talks", "1", scenarios())
KITE = scenario(PUBLIC)
PERFORMER, OTHER = seats_of(KITE)


class TestStssTalk(WorldContract):
    def world(self) -> World:
        return stss.StssTalk(DATA, stss.TalkSettings(tdp=True))

    def players(self, task: Task) -> Mapping[str, Player]:
        return dict.fromkeys(task.seats, MindPlayer(AnyMind(4)))

    def hidden(self, task: Task, seat: str) -> Sequence[str]:
        scenario = stss.parse_scenario(task.content)
        performer, other = task.seats
        if seat == performer:
            return (secret_of(other), scenario.other.resident.learned)
        return (secret_of(performer), scenario.performer.resident.learned, scenario.task.goal)

    def test_transcripts_show_an_episode_and_what_each_seat_saw_of_it(self) -> None:
        """As the contract has it, but that utterances are answers here, and nobody moves."""
        world = self.world()
        for task in world.tasks():
            episode = play_task(world, task, self.players(task))
            said = [
                line.text
                for line in stss.read_talk(stss.parse_scenario(task.content), episode).lines
            ]
            for seat in (None, *task.seats):
                seen = world.transcript(episode, seat)
                assert seen.title
                assert [line.actions[0].text for line in seen.lines] == said
                for word in self.hidden(task, seat) if seat else ():
                    assert word not in repr(seen)


# ------------------------------------------------------------------ tasks and identity


def test_a_task_is_a_scenario_of_two_seats_clustered_by_its_social_task() -> None:
    tasks = stss.StssTalk(DATA).tasks()
    assert [task.cluster for task in tasks] == list(TASKS)
    (kite, *_) = tasks
    assert (kite.id, kite.seats) == (KITE.id, (PERFORMER, OTHER))
    assert kite.tags == ("public-activity", "seed-1")
    assert [stss.parse_scenario(task.content) for task in tasks] == list(scenarios())


def test_the_identity_covers_the_scenarios_and_how_talks_are_held() -> None:
    worlds = (
        stss.StssTalk(DATA),
        stss.StssTalk(DATA, stss.TalkSettings(tdp=True)),
        stss.StssTalk(DATA, stss.TalkSettings(rounds=3)),
        stss.StssTalk(stss.TalkData("five-talks", "1", scenarios()[:4])),
    )
    assert len({world.data.hash for world in worlds}) == len(worlds)
    assert stss.StssTalk(DATA).data == stss.StssTalk(DATA).data


def test_a_run_shows_the_name_version_and_hash_that_the_set_bears_itself() -> None:
    for settings in (stss.TalkSettings(), stss.TalkSettings(tdp=True)):
        shown = stss.StssTalk(DATA, settings).data
        assert (shown.name, shown.version) == ("five-talks", f"1+{DATA.hash}")
    other = stss.TalkData("five-talks", "1", scenarios()[:4])
    assert stss.StssTalk(other).data.version != stss.StssTalk(DATA).data.version


def test_the_identity_covers_the_prompts_of_a_talk_and_no_others(tmp_path: Path) -> None:
    asked = {"head", "general_plan", "talk_reminder", "utter", "summarise"}
    before = stss.StssTalk(DATA).data.hash
    for changed in ("head", *(question.name for question in QUESTIONS), "judge_talk"):
        folder = tmp_path / changed
        shutil.copytree(Path(str(files("sociolab.worlds.stss"))) / "prompts" / "paper", folder)
        assert stss.StssTalk(DATA, stss.TalkSettings(prompts=str(folder))).data.hash == before
        (folder / f"{changed}.md").write_text("Reworded.")
        reworded = stss.StssTalk(DATA, stss.TalkSettings(prompts=str(folder))).data.hash
        assert (reworded != before) == (changed in asked), changed


def test_a_talk_is_another_by_seed_and_by_trial_and_the_same_by_both() -> None:
    world = stss.StssTalk(DATA)
    task = world.tasks()[0]
    players = dict.fromkeys(task.seats, MindPlayer(ScriptedMind()))

    def talk(trial: str, seed: int) -> str:
        return repr(drive_recorded(world.play(task, trial, seed), players))

    assert talk("a", 1) == talk("a", 1)
    assert len({talk("a", seed) for seed in range(4)}) > 1
    assert len({talk(trial, 1) for trial in "abcd"}) > 1


def test_settings_are_read_from_words() -> None:
    given = WorldSetup(settings={"tdp": "true", "rounds": "5"}).read("stss-talk", stss.TalkSettings)
    assert given == stss.TalkSettings(tdp=True, rounds=5)
    assert stss.TalkSettings().rounds == 8


@pytest.mark.parametrize("rounds", ["0", "9", "many"])
def test_rounds_are_one_to_eight(rounds: str) -> None:
    with pytest.raises(ConfigError, match="stss-talk, the setting rounds"):
        WorldSetup(settings={"rounds": rounds}).read("stss-talk", stss.TalkSettings)


# ------------------------------------------------------------------ transcripts


@cache
def with_tdp() -> Episode:
    return held(KITE, ScriptedMind(), ScriptedMind(), tdp=True)


def read(transcript: Transcript) -> str:
    return "\n".join(f"{heading}\n{text}" for heading, text in transcript.scene)


def shown(seat: str | None = None, episode: Episode | None = None) -> Transcript:
    return stss.StssTalk(DATA).transcript(episode or with_tdp(), seat)


def test_the_whole_shows_the_meeting_the_goal_the_reminders_and_what_is_to_be_conveyed() -> None:
    told = stss.read_talk(KITE, with_tdp())
    whole = shown()
    text = read(whole)
    assert whole.title == "Kite evening"
    assert "Monday 13 May 2024, 10:20, at Lantern Cafe: counter room" in text
    assert "Huw Pritchard speaks to Sefina Tuala" in text
    assert f"\nGoal: {KITE.task.goal}\n" in text
    for line in (*told.plan, *told.checklist, *(c.text for c in KITE.occasion.conditions)):
        assert f"- {line}" in text
    assert told.note is not None
    assert whole.notes[-1].text == f"Sefina Tuala keeps of it: {told.note.memo}"


def test_in_a_paragraph_what_others_see_comes_before_what_is_private() -> None:
    for heading, text in shown().scene:
        if heading in ("Huw Pritchard", "Sefina Tuala"):
            first, rest = text.split("\n", 1)
            assert first.endswith(("seen serving guests.", "seen having a coffee."))
            assert rest.startswith(("Goal: ", "Private: "))


def test_the_performer_is_not_shown_the_note_nor_the_other_what_is_to_be_conveyed() -> None:
    mine, theirs = shown(PERFORMER), shown(OTHER)
    assert "keeps of it" not in repr(mine)
    assert "keeps of it" in repr(theirs)
    assert "To be conveyed" not in read(theirs)
    assert KITE.task.title not in repr((theirs.title, theirs.scene))
    assert [line.you for line in mine.lines[:2]] == [True, False]
    assert [line.you for line in theirs.lines[:2]] == [False, True]


def test_replies_that_could_not_be_used_are_noted_for_who_gave_them() -> None:
    episode = held(KITE, Says("Hello."), Says(None))
    troubles = [note for note in shown(episode=episode).notes if note.trouble]
    assert [note.turn for note in troubles] == [1, 1, 1]
    assert troubles[0].text == (
        "Sefina Tuala, utter, attempt 1: asked again (unreadable: lost for words)"
    )
    assert "attempt 3: the talk ended here" in troubles[2].text
    assert not any(note.trouble for note in shown(PERFORMER, episode).notes)


def test_what_was_gone_without_is_noted_so() -> None:
    episode = held(KITE, Unreminded(), ScriptedMind(), tdp=True)
    troubles = [note.text for note in shown(episode=episode).notes if note.trouble]
    assert "talk_reminder, attempt 3: went without" in troubles[-1]


def test_two_who_meet_outdoors_are_said_to() -> None:
    sides = {
        name: getattr(KITE, name).model_copy(update={"place": ""})
        for name in ("performer", "other")
    }
    outdoors = KITE.model_copy(update=sides)
    episode = held(outdoors, ScriptedMind(), ScriptedMind())
    assert "10:20, outdoors." in read(shown(episode=episode))
