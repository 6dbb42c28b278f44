"""Intentions: how they are given out, the examples made of play, and the judges of a session."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from anteval_cases import chats, episode_of, over, says, session
from fake_models import FakeModel, ImprovisingModel
from sociolab.core import (
    Act,
    Action,
    ConfigError,
    Episode,
    Judge,
    Measure,
    ModelError,
    Moved,
    Score,
    ScoreFailure,
    Unscored,
)
from sociolab.testing import JudgeContract
from sociolab.worlds import anteval
from sociolab.worlds.anteval.intention import (
    MEASURES,
    Assigned,
    ChatIntentionJudge,
    IntentionRecordJudge,
    agreement,
    cut_examples,
    describe_intention,
    example_of,
    read_prior,
)

SEATS = tuple(f"player-{number}" for number in range(1, 4))
TABLE = session("intention", turns=8)
"""Mira (player-1) means to use stealth, Tom (player-2) arcana, Odo (player-3) nothing."""


def does(turn: int, seat: str, deed: str, words: str = "") -> Moved:
    actions = (Action("act", deed), *((Action("speak", words),) if words else ()))
    return Moved(turn, seat, actions)


PLAY = (
    says(0, "player-1", "Good day."),
    does(1, "player-2", "looks at the door", "What is behind it?"),
    Moved(2, "player-3", (Action("pass"),)),
    says(3, anteval.NPC, "Nothing that is mine."),
    does(4, "player-1", "sneaks along the wall, in the shadow", "Hush"),
    says(5, "player-2", "I study the runes. What spell is this?"),
    says(6, "player-3", "I wait."),
    says(7, anteval.NPC, "As you like."),
    over(8),
)


# ---------------------------------------------------------------- assigning


def many(assigned: Assigned, sessions: int = 600) -> list[tuple[str, str]]:
    return [
        (one.seat, one.skill)
        for number in range(sessions)
        for one in assigned.draw(3, f"intention-3-{number:04d}", SEATS)
    ]


def test_skills_are_given_out_uniformly_and_some_players_get_none() -> None:
    given = many(Assigned(read_prior("uniform"), none=0.15, per_player=1))
    assert len(given) / 1800 == pytest.approx(0.85, abs=0.03)
    counts = Counter(skill for _, skill in given)
    assert set(counts) == set(anteval.SKILLS)
    assert all(50 < count < 125 for count in counts.values())  # 85 expected


def test_a_real_prior_is_kept_to(tmp_path: Path) -> None:
    path = tmp_path / "prior.json"
    path.write_text(json.dumps({"perception": 3, "stealth": 1, "arcana": 0}))
    counts = Counter(skill for _, skill in many(Assigned(read_prior(str(path)), 0, 1)))
    assert set(counts) == {"perception", "stealth"}
    assert counts["perception"] / 1800 == pytest.approx(0.75, abs=0.04)


def test_several_intentions_of_a_player_are_different_ones() -> None:
    for number in range(40):
        given = Assigned(read_prior("uniform"), 0, 3).draw(0, f"s-{number}", SEATS)
        assert len(given) == len(set(given)) == 9
    few = Assigned((("arcana", 1.0),), 0, 3).draw(0, "s-1", SEATS)
    assert [(one.seat, one.skill) for one in few] == [(seat, "arcana") for seat in SEATS]


def test_the_same_seed_and_session_give_the_same_and_others_do_not() -> None:
    assigned = Assigned(read_prior("uniform"), 0.15, 1)
    assert assigned.draw(1, "s-1", SEATS) == assigned.draw(1, "s-1", SEATS)
    assert len({assigned.draw(seed, "s-1", SEATS) for seed in range(5)}) == 5


def test_the_sentence_for_the_player_says_which_skill_and_what_for() -> None:
    texts = [describe_intention(skill) for skill in anteval.SKILLS]
    assert len(set(texts)) == 18
    assert all(
        anteval.names_skill([anteval.Turn(anteval.DM, text)], [skill])
        for text, skill in zip(texts, anteval.SKILLS, strict=True)
    )


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ('{"piloting": 1}', 'expected one of the 18 skills, found "piloting"'),
        ('{"arcana": -1}', "arcana: expected a weight of 0 or more, found -1"),
        ('{"arcana": 0}', "expected a weight above 0 for at least one skill"),
        ("{}", "expected a weight above 0 for at least one skill"),
        ("[1]", "expected a JSON object from skill to weight"),
        ("{", "expected a JSON object from skill to weight"),
    ],
)
def test_a_wrong_prior_is_said_in_a_sentence(tmp_path: Path, content: str, problem: str) -> None:
    path = tmp_path / "prior.json"
    path.write_text(content)
    with pytest.raises(ConfigError, match=r"prior\.json: ") as raised:
        read_prior(str(path))
    assert problem in str(raised.value)


def test_a_prior_may_be_that_of_real_play(tmp_path: Path) -> None:
    """Three checks of perception and one of stealth: about 90 of 120 intentions are perception."""
    rows = [
        {
            "id": str(number), "episode": "e", "candidates": [{"character": "Ann"}],
            "context_turns": [{"speaker": "Ann", "text": "Hm."}],
            "labels": [{"character": "Ann", "skill": skill}],
        }
        for number, skill in enumerate(["perception", "stealth", "perception", "perception"])
    ]  # fmt: skip
    path = tmp_path / "real.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    settings = anteval.IntentionSettings(prior=str(path), sessions=40, none=0)
    skills = [one.skill for session in settings.draw(0).all() for one in session.intentions]
    assert len(skills) == 120
    assert set(skills) == {"perception", "stealth"}
    assert skills.count("perception") == pytest.approx(90, abs=15)


def test_a_prior_that_is_not_there_says_what_may_stand_there() -> None:
    with pytest.raises(ConfigError, match='expected "uniform" or a path to a JSON object'):
        read_prior("uniformly")


# ---------------------------------------------------------------- examples


def test_an_example_is_the_whole_session_with_all_that_was_assigned() -> None:
    example = example_of(episode_of(TABLE, *PLAY))
    assert (example.id, example.group) == ("trial", "intention-0-0007")
    assert example.candidates == ("Mira", "Tom", "Odo")
    assert example.labels == {anteval.Label("Mira", "stealth"), anteval.Label("Tom", "arcana")}
    assert example.turns == (
        anteval.Turn("Mira", "Good day."),
        anteval.Turn("Tom", "looks at the door. What is behind it?"),
        anteval.Turn(anteval.DM, "Nothing that is mine."),
        anteval.Turn("Mira", "sneaks along the wall, in the shadow. Hush."),
        anteval.Turn("Tom", "I study the runes. What spell is this?"),
        anteval.Turn("Odo", "I wait."),
        anteval.Turn(anteval.DM, "As you like."),
    )
    assert example.strict


@pytest.mark.parametrize(
    ("words", "strict"),
    [
        ("I want to use Stealth here.", False),
        ("Let me roll arcana!", False),
        ("The stealthy one is me.", True),
        ("That takes sleight  of\nhand.", True),  # named, but not assigned
    ],
)
def test_strict_says_that_no_assigned_skill_is_named(words: str, strict: bool) -> None:
    assert example_of(episode_of(TABLE, says(0, "player-3", words))).strict is strict


def test_a_skill_of_several_words_is_named_across_line_ends() -> None:
    assert anteval.names_skill(
        [anteval.Turn(anteval.DM, "That takes Sleight\nof  hand.")], ["sleight of hand"]
    )
    assert not anteval.names_skill([anteval.Turn(anteval.DM, "good-natured")], ["nature"])


TABLE_LABELS = {anteval.Label("Mira", "stealth"), anteval.Label("Tom", "arcana")}


def marks(turn: int, seat: str, skill: str) -> Moved:
    """A player of no built-in kind says in the private field that this move shows its skill."""
    return Moved(turn, seat, (Action("speak", f"So be it, {turn}.", fields={"uses": skill}),))


def test_a_session_is_cut_where_players_marked_their_intentions() -> None:
    """The first mark of each intention counts; another's skill, and a second time, do not."""
    play = (
        says(0, "player-1", "Good day."),
        marks(1, "player-2", "arcana"),
        marks(2, "player-3", "arcana"),  # who means to use nothing
        says(3, anteval.NPC, "Well."),
        marks(4, "player-2", "arcana"),
        marks(5, "player-1", "stealth"),
        says(6, anteval.NPC, "Stealth, indeed."),
    )
    arcana, stealth = cut_examples(episode_of(TABLE, *play, over(7)))
    assert (arcana.id, arcana.group) == ("trial/1", "intention-0-0007")
    assert [turn.text for turn in arcana.turns] == ["Good day.", "So be it, 1."]
    assert arcana.labels == {anteval.Label("Tom", "arcana")}
    assert arcana.candidates == ("Mira", "Tom", "Odo")
    assert stealth.id == "trial/5"
    assert stealth.labels == {anteval.Label("Mira", "stealth")}
    assert stealth.turns[-1] == anteval.Turn("Mira", "So be it, 5.")
    assert stealth.strict  # the skill is named after the mark
    on_record = cut_examples(episode_of(TABLE, uses(0, "player-1", "stealth"), over(1)))
    assert [one.labels for one in on_record] == [{anteval.Label("Mira", "stealth")}]
    assert cut_examples(episode_of(TABLE, *PLAY)) == ()


# ---------------------------------------------------------------- judges


def test_agreement_worked_by_hand() -> None:
    assigned = {anteval.Label("Mira", "stealth"), anteval.Label("Tom", "arcana")}
    scores = agreement({anteval.Label("Mira", "arcana")}, assigned)
    # Characters: 2 x 1 / (1 + 2); tuples: 2 x 0 / (1 + 2)
    assert [s.value for s in scores if isinstance(s, Score)] == [pytest.approx(2 / 3), 0]
    scores = agreement({anteval.Label("Tom", "arcana")}, assigned)
    assert [s.value for s in scores if isinstance(s, Score)] == [pytest.approx(2 / 3)] * 2
    scores = agreement({*assigned, anteval.Label("Odo", "stealth")}, assigned)  # 2 x 2 / (3 + 2)
    assert [s.value for s in scores if isinstance(s, Score)] == [pytest.approx(0.8)] * 2
    assert all(isinstance(verdict, Unscored) for verdict in agreement(set(), set()))
    scores = agreement({anteval.Label("Tom", "arcana")}, set())
    assert [s.value for s in scores if isinstance(s, Score)] == [0, 0]


def judged(model: FakeModel) -> list[object]:
    found = asyncio.run(ChatIntentionJudge(model).judge(episode_of(TABLE, *PLAY)))
    return [verdict.value if isinstance(verdict, Score) else verdict for verdict in found]


def test_a_chat_model_is_asked_as_the_untuned_virtual_dm() -> None:
    answer = (
        '{"checks":[{"character":"Mira","skill":"stealth"},{"character":"Odo","skill":"arcana"}]}'
    )
    model = FakeModel(answer)
    assert judged(model) == [0.5, 0.5]  # one of two guesses is right, of two assigned one is found
    prompt, key = model.calls[0]
    assert (key.trial, key.role, key.name) == ("trial", "judge", "virtual-dm")
    assert "meanmark" not in repr(prompt)
    assert prompt.schema is not None
    assert all(f'"{skill}"' in prompt.schema.text for skill in anteval.SKILLS)
    assert "At the table: Mira, Tom, Odo" in prompt.messages[-1].text


def test_a_character_who_is_not_at_the_table_is_asked_for_again_and_then_a_failure() -> None:
    wrong = '{"checks":[{"character":"Gandor","skill":"stealth"}]}'
    right = '{"checks":[{"character":"Tom","skill":"arcana"}]}'
    assert judged(FakeModel(wrong, right)) == [pytest.approx(2 / 3)] * 2
    for verdict in judged(FakeModel(wrong, wrong, wrong)):
        assert isinstance(verdict, ScoreFailure)
        assert "a character at the table" in verdict.problem
        assert verdict.attempts == 3


def test_a_call_that_fails_is_a_failure_and_a_fatal_one_passes_through() -> None:
    for verdict in judged(FakeModel(ModelError("slow", cause="timeout"))):
        assert isinstance(verdict, ScoreFailure)
        assert verdict.cause == "timeout"
    with pytest.raises(ModelError, match="no key"):
        judged(FakeModel(ModelError("no key", cause="credentials", fatal=True)))


EPISODES = (episode_of(TABLE, *PLAY), episode_of(TABLE, *PLAY[:3], over(3)))


class TestRecordJudge(JudgeContract):
    def judge(self) -> Judge:
        return IntentionRecordJudge()

    def episodes(self) -> Sequence[Episode]:
        return EPISODES

    def measures(self) -> Sequence[Measure]:
        return MEASURES


class TestChatJudge(JudgeContract):
    pure = False

    def judge(self) -> Judge:
        return ChatIntentionJudge(ImprovisingModel())

    def episodes(self) -> Sequence[Episode]:
        return EPISODES

    def measures(self) -> Sequence[Measure]:
        return MEASURES


def uses(turn: int, seat: str, skill: str) -> Moved:
    return says(turn, seat, "Watch this.", acts=(Act(anteval.USE, skill),))


def recorded_of(one: anteval.Session, *moves: Moved) -> list[float | str]:
    found = asyncio.run(IntentionRecordJudge().judge(episode_of(one, *moves, over(8))))
    return [v.value if isinstance(v, Score) else type(v).__name__ for v in found]


def test_whoever_guesses_three_right_of_three_has_all() -> None:
    three = {
        anteval.Label("Mira", "stealth"),
        anteval.Label("Tom", "arcana"),
        anteval.Label("Odo", "nature"),
    }
    assert [s.value for s in agreement(three, three) if isinstance(s, Score)] == [1, 1]
    answer = [{"character": who, "skill": skill} for who, skill in sorted(TABLE_LABELS)]
    assert judged(FakeModel(json.dumps({"checks": answer}))) == [1, 1]


def test_on_record_all_skills_that_were_used_are_the_guesses() -> None:
    play = (chats(0, "player-3"), uses(1, "player-2", "arcana"), uses(2, "player-1", "stealth"))
    assert recorded_of(TABLE, *play) == [1, 1]
    assert recorded_of(TABLE, *play[:2]) == [pytest.approx(2 / 3)] * 2  # one of two was used
    assert recorded_of(TABLE, chats(0, "player-1")) == [0, 0]  # nobody acted on it
    nobody: anteval.Session = TABLE.model_copy(update={"intentions": ()})
    assert recorded_of(nobody, chats(0, "player-1")) == ["Unscored"] * 2


def test_what_is_not_on_record_needs_a_judge_model_and_a_sentence_says_so() -> None:
    found = asyncio.run(IntentionRecordJudge().judge(episode_of(TABLE, *PLAY)))
    for verdict in found:
        assert isinstance(verdict, Unscored)
        assert "--judge openai/MODEL" in verdict.why
    assert (
        recorded_of(TABLE, uses(1, "player-1", "stealth"), says(2, anteval.NPC, "Oh."))
        == ["Unscored"] * 2
    )


def test_a_party_that_took_no_turn_is_a_failure_whatever_the_npc_said() -> None:
    assert recorded_of(session("intention"), chats(3, anteval.NPC)) == ["ScoreFailure"] * 2
