"""Examples of the small run: how many, of what, and that prompts are those that were sent."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from sociolab.core import (
    Answered,
    CallKey,
    ChatReply,
    ConfigError,
    JudgeId,
    Measure,
    Message,
    Prompt,
    Score,
    Unscored,
)
from sociolab.store import RunReplies, Store
from sociolab.training import ExportedFiles, ExportOptions, export_training
from training_cases import SCRIPTED, TURNS, UNUSABLE, lines, play_bargain


def export(
    store: Path, file: Path, form: str, **wanted: Any
) -> tuple[ExportedFiles, list[dict[str, Any]]]:
    done = export_training(["small"], file, ExportOptions(form, **wanted), store)
    return done, lines(file) if file.exists() else []


def test_turns_are_all_turns_of_everybody_usable_or_not(small: Path, tmp_path: Path) -> None:
    done, rows = export(small, tmp_path / "t.jsonl", "turns", measures=("goal", "mood"))
    assert len(rows) == TURNS + SCRIPTED
    assert Counter(row["agent"] for row in rows) == {"openai/x": TURNS, "scripted": SCRIPTED}
    assert Counter(row["usable"] for row in rows) == {True: 32, False: UNUSABLE}
    assert {row["problem"] is None for row in rows if row["usable"]} == {True}
    assert {row["rebuilt"] for row in rows if row["agent"] == "scripted"} == {True}
    assert {row["tokens"] is None for row in rows if row["rebuilt"]} == {True}
    assert {row["tokens"]["estimated"] for row in rows if not row["rebuilt"]} == {False}
    assert Counter(row["turn"] for row in rows) == {1: 8, 2: 8, 3: 12, 4: 8}
    assert done.sentences() == [
        f"wrote {tmp_path / 't.jsonl'}: 36 examples from 8 episodes of 1 run, 2 scenarios; "
        "16 rebuilt for players without a model",
        "nothing was left out",
        "the reward is rule-based: goal and mood by by-hand: rule-based, from the transcript; "
        "where it cannot tell, there is no score; the Python class itself declares that it is "
        '"rules"',
    ]


def test_a_turn_tells_what_its_seat_and_its_episode_earned(small: Path, tmp_path: Path) -> None:
    _, rows = export(small, tmp_path / "t.jsonl", "turns", measures=("goal", "mood"))
    for row in rows:
        first = row["turn"] in (1, 3)
        scripted_first = (row["agent"] == "scripted") == first
        goal = (8 if row["repeat"] else 5) if first else None if scripted_first else 6
        assert row["scores"] == {"by-hand": {"goal": goal}}
        assert row["episode_scores"] == {"by-hand": {"mood": row["repeat"]}}
        assert row["rewards"] == {"goal": goal, "mood": row["repeat"]}
        assert row["methods"] == {"by-hand": "rules"}
        assert row["partner"] == ("openai/x" if row["agent"] == "scripted" else "scripted")


def test_messages_and_replies_are_those_of_the_store(small: Path, tmp_path: Path) -> None:
    _, rows = export(small, tmp_path / "t.jsonl", "turns")
    found = {
        (row["trial"], row["seat"], row["turn"], row["attempt"]): (row["messages"], row["reply"])
        for row in rows
        if not row["rebuilt"]
    }
    with Store.open(small) as store:
        kept = {
            (call.call.trial, call.call.seat, call.call.turn + 1, call.call.attempt): (
                [{"role": m.role, "content": m.text} for m in prompt.messages],
                call.reply.text,
            )
            for call, prompt in store.calls.with_prompts("small")
        }
    assert found == kept
    assert len(kept) == TURNS


def test_calls_that_judge_are_no_turns(small: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(small, tmp_path / "judged.db"))
    with Store.open(path) as store:
        trial = store.trials("small")[0].trial.id
        call, prompt = next(store.calls.with_prompts("small"))
        asked = CallKey(trial, "judge", "", 0, "goal", 1)
        RunReplies(store, "small").keep("k", asked, call.model, prompt, call.reply)
    _, rows = export(path, tmp_path / "t.jsonl", "turns")
    assert sum(not row["rebuilt"] for row in rows) == TURNS


def test_a_models_answer_to_the_closing_question_is_no_turn(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    play_bargain(path, "small", "words=Deal at $220.")
    with Store.open(path) as store:
        trial = store.trials("small")[0].trial.id
        said = next(e for e in store.events("small", trial) if isinstance(e, Answered))
        asked = CallKey(trial, "agent", said.seat, said.turn, said.question, said.attempt)
        prompt = Prompt((Message("user", "What was agreed?"),))
        RunReplies(store, "small").keep("k", asked, "openai/x", prompt, ChatReply("$220"))
    _, rows = export(path, tmp_path / "t.jsonl", "turns")
    assert {row["asked"] for row in rows} == {"act"}
    assert len(rows) == 2 * 4, "both ways round, four turns"


def test_chats_are_usable_turns_that_earned_enough(small: Path, tmp_path: Path) -> None:
    done, rows = export(small, tmp_path / "s.jsonl", "sft", measures=("goal",), least=7)
    assert len(rows) == 4, "its turns in the first seat, in the second repeat of two games"
    assert {row["metadata"]["rewards"]["goal"] for row in rows} == {8}
    assert [m["role"] for m in rows[0]["messages"]] == ["system", "user", "assistant"]
    assert {why.why: n for why, n in done.skipped.items()} == {
        "of the partner scripted, which --agent would include": SCRIPTED,
        "with goal below 7": 2 * 3,
        "whose goal by by-hand is unknown (failed)": 4 * 2,
        "with an unusable reply": 2,
    }


@pytest.mark.parametrize(
    ("wanted", "count"),
    [
        ({}, 16),
        ({"agent": "openai/x"}, 16),
        ({"agent": "scripted"}, 16),
        ({"agent": "scripted", "seat": "1"}, 8),
        ({"seat": "2"}, 8),
        ({"world": "sotopia"}, 16),
        ({"asked": "act"}, 16),
        ({"measures": ("goal",), "least": 6, "by": "by-hand", "agent": "openai/x"}, 4),
        ({"measures": ("goal",), "least": 6, "agent": "scripted"}, 4 + 8),
        ({"measures": ("mood",), "least": 1}, 8),
    ],
)
def test_filters_keep_what_they_say(
    small: Path, tmp_path: Path, wanted: dict[str, Any], count: int
) -> None:
    _, rows = export(small, tmp_path / "s.jsonl", "sft", **wanted)
    assert len(rows) == count


def test_a_seat_may_be_named_by_its_id(small: Path, tmp_path: Path) -> None:
    _, every = export(small, tmp_path / "t.jsonl", "turns")
    seat = every[0]["seat"]
    _, rows = export(small, tmp_path / "s.jsonl", "turns", seat=seat)
    assert {row["seat"] for row in rows} == {seat}


def test_a_whole_episode_is_one_chat_of_what_was_new_and_what_was_done(
    small: Path, tmp_path: Path
) -> None:
    _, turns = export(small, tmp_path / "t.jsonl", "turns")
    _, rows = export(small, tmp_path / "w.jsonl", "sft", whole=True)
    assert len(rows) == 8, "the model's seat of eight episodes"
    for row in rows:
        about = row["metadata"]
        own = [
            turn
            for turn in turns
            if (turn["trial"], turn["seat"]) == (about["trial"], about["seat"]) and turn["usable"]
        ]
        system, *rest = row["messages"]
        assert system == own[0]["messages"][0]
        assert [m["role"] for m in rest] == ["user", "assistant"] * 2
        assert [m["content"] for m in rest[1::2]] == [turn["reply"] for turn in own]
        assert rest[0] == own[0]["messages"][1]
        other = next(
            turn["reply"]
            for turn in turns
            if turn["trial"] == about["trial"]
            and turn["turn"] == own[0]["turn"] + 1
            and turn["usable"]
        )
        news = rest[2]["content"]
        assert json.loads(other)["text"] in news
        assert json.loads(own[0]["reply"])["text"] not in news
        assert "could not be used" not in news
        before = {line for line in rest[0]["content"].splitlines() if line}
        assert not before & set(news.splitlines()), "nothing is told twice"
        assert about["turns"] == 2


def test_the_same_export_twice_is_the_same_bytes(small: Path, tmp_path: Path) -> None:
    for name in ("a", "b"):
        export(small, tmp_path / f"{name}.jsonl", "turns")
        export_training(["small"], tmp_path / f"{name}.gz", ExportOptions("sft"), small)
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()


def test_a_run_named_twice_is_read_once(small: Path, tmp_path: Path) -> None:
    done = export_training(["small", "small"], tmp_path / "t.jsonl", ExportOptions("turns"), small)
    assert done.files[0].examples == 36


@pytest.mark.parametrize(
    ("wanted", "named"),
    [
        ({"agent": "nobody"}, "openai/x, scripted"),
        ({"seat": "3"}, "1 to 2"),
        ({"world": "stss"}, "sotopia"),
        ({"measures": ("fame",), "least": 1}, "goal, mood"),
        ({"measures": ("goal",), "by": "somebody"}, "by-hand"),
        ({"measures": ("goal",), "least": 9}, "12 turns with goal below 9"),
        ({"asked": "why"}, "nothing fits"),
    ],
)
def test_what_is_not_there_is_a_sentence_and_leaves_no_file(
    small: Path, tmp_path: Path, wanted: dict[str, Any], named: str
) -> None:
    with pytest.raises(ConfigError, match=named):
        export(small, tmp_path / "s.jsonl", "sft", **wanted)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("form", "wanted", "named"),
    [
        ("poems", {}, "turns, sft or pairs"),
        ("pairs", {"whole": True}, "--whole is for --as sft"),
        ("sft", {"whole": True, "asked": "act"}, "--asked"),
        ("sft", {"margin": 1.0}, "--margin is for"),
        ("pairs", {"margin": -1.0}, "more than 0"),
        ("pairs", {"least": 1.0, "measures": ("goal",)}, "--min is for"),
        ("sft", {"least": 1.0}, "one --metric, found none"),
        ("sft", {"least": 1.0, "measures": ("goal", "mood")}, "found goal, mood"),
        ("pairs", {"measures": ("goal", "mood")}, "found goal, mood"),
        ("sft", {"by": "by-hand"}, "give --metric, too"),
    ],
)
def test_wishes_that_do_not_go_together_are_refused(
    form: str, wanted: dict[str, Any], named: str
) -> None:
    with pytest.raises(ConfigError, match=named):
        ExportOptions(form, **wanted)


def test_a_place_that_cannot_be_written_is_a_sentence(small: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="is a folder"):
        export(small, tmp_path, "turns")
    with pytest.raises(ConfigError, match="there is no folder"):
        export(small, tmp_path / "no" / "t.jsonl", "turns")
    assert list(tmp_path.iterdir()) == []


def test_an_old_file_stays_whole_where_the_new_one_fails(small: Path, tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    file.write_text("old", "utf-8")
    wanted = ExportOptions("sft", measures=("goal",), least=9.5)
    with pytest.raises(ConfigError, match="nothing fits"):
        export_training(["small"], file, wanted, small, replace=True)
    assert [path.name for path in tmp_path.iterdir()] == ["s.jsonl"]
    assert file.read_text("utf-8") == "old"


def test_episodes_that_were_not_played_to_their_end_are_left_out_and_counted(
    small: Path, tmp_path: Path
) -> None:
    store = Path(shutil.copy(small, tmp_path / "s.db"))
    with Store.open(store) as opened:
        first, second, *_ = opened.trials("small")
        opened.set_status("small", first.trial.id, "failed", "timeout", "no reply")
        opened.set_status("small", second.trial.id, "playing")
    done = export_training(["small"], tmp_path / "t.jsonl", ExportOptions("turns"), store)
    assert len(done.files[0].episodes) == 6
    assert done.skipped.sentence() == "1 episode not played yet; 1 episode that failed"


def test_no_address_is_in_what_is_exported(small: Path, tmp_path: Path) -> None:
    export(small, tmp_path / "t.jsonl", "turns")
    assert "127.0.0.1" not in (tmp_path / "t.jsonl").read_text("utf-8")


def test_an_outcome_that_is_not_established_is_no_reward(small: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(small, tmp_path / "judged.db"))
    price, reader = Measure("goal_checked", 0, 10), JudgeId("openai/r", "model", role="reader")
    with Store.open(path) as store:
        first, second, *_ = store.trials("small")
        seat = first.trial.task.seats[0]
        known = Score(price, seat, 4.5)
        unknown = Unscored(price, second.trial.task.seats[0], "who knows", "disputed", 0, 9)
        store.verdicts.add("small", reader, (known,), trial=first.trial.id)
        store.verdicts.add("small", reader, (unknown,), trial=second.trial.id)
    done, rows = export(path, tmp_path / "t.jsonl", "turns", measures=("goal_checked",))
    columns = ("rewards", "reward_bounds", "reward_status")
    rewards = [tuple(row[column][price.name] for column in columns) for row in rows]
    assert set(map(str, rewards)) == {
        str((4.5, None, "score")),
        str((None, [0.0, 9.0], "disputed")),
        str((None, None, None)),
    }
    assert (
        "1 reward unknown (goal_checked by reader:openai/r: 1 disputed): null, with reward_bounds "
        "and reward_status"
    ) in done.sentences()
