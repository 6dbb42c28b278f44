"""Sessions of an arena: what a run would send, unusable replies told, rewards at the end."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from sociolab import Arena, ArenaConfig, RunConfig, run
from sociolab.core import (
    Act,
    Action,
    ActionSpace,
    ConfigError,
    Json,
    ModelError,
    NoReply,
    Reply,
    Request,
    Unusable,
    WorldError,
)
from sociolab.endpoint import ChatBody, EndpointSettings, bad_request, start_in_thread
from sociolab.store import Store
from sociolab.training import ArenaSession, ExportOptions, Observed, export_training
from training_cases import Offers, closing, play_out

SHORT = ArenaConfig(settings={"turns": "4", "closing_question": "false"})
HELLO = json.dumps({"action": "speak", "text": "Hello."})


def short(**more: object) -> Arena:
    given: dict[str, object] = {"tasks": "bargain", "seed": 1, "config": SHORT, **more}
    return Arena("sotopia", **given)  # type: ignore[arg-type]


def greet(observed: Observed) -> str:
    return HELLO


def first(session: ArenaSession) -> Observed:
    """What a session asks now."""
    assert session.observation is not None
    return session.observation


def test_an_episode_goes_from_its_beginning_to_its_rewards() -> None:
    with short() as arena:
        session = arena.begin()
        asked = first(session)
        assert (asked.task, asked.turn, asked.attempt) == (arena.tasks()[0], 1, 1)
        assert [message["role"] for message in asked.prompt] == ["system", "user"]
        assert asked.schema is not None
        assert set(asked.schema["properties"]) == {"action", "text"}
        assert isinstance(asked.request.expected, ActionSpace)
        assert asked.observation.view.goal.text in asked.prompt[0]["content"]
        observation, reward, terminated, truncated, info = session.step(HELLO)
        assert (reward, terminated, truncated, session.done) == (0.0, False, False, False)
        assert (info["usable"], info["status"], session.rewards) == (True, "playing", {})
        assert observation is not None
        assert observation.turn == 3
        assert "Hello." in observation.prompt[1]["content"]
        last = session.step(Action("speak", "That is all."))
        assert (last.observation, last.terminated, last.truncated) == (None, False, True)
        assert (last.reward, last.info["status"]) == (None, "cannot tell")
        assert (last.info["lower_bound"], last.info["upper_bound"]) == (0, 10)
        assert session.rewards[asked.seat].bounds == (0, 10)
        assert session.turn_rewards(asked.seat) is None
        assert session.episode is not None
        assert session.episode.moves[0].actions == (Action("speak", "Hello."),)
        assert session.episode.trial.agent(asked.seat) == "policy"


def test_whoever_leaves_terminates() -> None:
    with short() as arena:
        step = arena.begin().step({"action": "leave", "text": ""})
    assert (step.terminated, step.truncated) == (True, False)


def test_the_prompts_are_those_that_a_model_is_sent_in_a_run(tmp_path: Path) -> None:
    with start_in_thread(EndpointSettings(responder=Offers())) as endpoint:
        run(
            RunConfig(
                agents=("openai/x",),
                partner="scripted",
                judges=("none",),
                settings={"turns": "4"},
                tasks="bargain",
                limit=1,
                name="r",
                store=tmp_path / "s.db",
                base_url=endpoint.url,
            )
        )
    with Store.open(tmp_path / "s.db") as store:
        calls = {
            (call.call.seat, call.call.turn, call.call.attempt): prompt
            for call, prompt in store.calls.with_prompts("r")
        }
    with short(seed=0) as arena:
        asked = first(arena.begin())
        sent = calls[asked.seat, 0, 1]
        assert asked.sent.messages == sent.messages
        assert asked.sent.schema == sent.schema


def test_new_is_what_the_seat_has_not_been_sent_yet() -> None:
    with short(partner="haggler:1") as arena:
        session = arena.begin()
        assert first(session).new == first(session).prompt
        session.step({"action": "speak", "text": "I want $300."})
        (new,) = first(session).new
        assert new["role"] == "user"
        lines = new["content"].splitlines()
        assert lines[0].startswith("The other person: My price is $")
        assert lines[1:] == ["", "It is your turn: turn 3 of at most 4, counting everyone's turns."]
        session.step("hm")
        (told,) = first(session).new
        assert told["content"].startswith("It is your turn: turn 3")
        assert told["content"].endswith("Reply again, in the form asked for.")
        assert "My price" not in told["content"]


def test_an_unusable_reply_is_told_and_the_turn_is_lost_after_the_last_attempt() -> None:
    with short(config=SHORT.model_copy(update={"attempts": 2})) as arena:
        session = arena.begin()
        step = session.step("hm")
        assert (step.info["usable"], session.done) == (False, False)
        assert "expected a JSON object" in step.info["problem"]
        assert (first(session).attempt, first(session).turn) == (2, 1)
        assert step.info["problem"] in first(session).prompt[-1]["content"]
        again = session.step(Action("fly"))
        assert again.info["usable"] is False
        assert '"fly" is no kind of action' in again.info["problem"]
        assert (first(session).attempt, first(session).turn) == (1, 3)
        session.step(HELLO)
        assert session.episode is not None
        finals = [event.final for event in session.episode.events if isinstance(event, Unusable)]
        assert finals == [False, True]


# ------------------------------------------------------------------ which episodes


def test_tasks_come_in_order_then_as_the_next_repeat_and_by_name() -> None:
    config = ArenaConfig(settings={"turns": "4"}, limit=2)
    with short(config=config) as arena:
        assert len(arena.tasks()) == 2
        trials = [arena.begin().trial for _ in range(3)]
        assert [trial.task.id for trial in trials] == [*arena.tasks(), arena.tasks()[0]]
        assert [trial.repeat for trial in trials] == [0, 0, 1]
        assert len({trial.id for trial in trials}) == 3
        named = arena.begin(arena.tasks()[0])
        assert (named.trial.task.id, named.trial.repeat) == (arena.tasks()[0], 2)
        same = arena.begin(arena.tasks()[0], repeat=1)
        assert same.trial == trials[2]
        assert arena.begin(arena.tasks()[0], repeat=1, seed=9).trial.seed == 9
        with pytest.raises(ConfigError, match="no task"):
            arena.begin("nowhere")


def test_the_split_is_that_of_export(tmp_path: Path) -> None:
    store, file = tmp_path / "s.db", tmp_path / "a.jsonl"
    run(RunConfig(tasks="bargain", settings={"turns": "4"}, name="all", store=store))
    export_training(["all"], file, ExportOptions("sft", heldout=0.3, seed=5), store)
    heldout = {
        json.loads(line)["metadata"]["scenario"]
        for line in file.with_name("a.heldout.jsonl").read_text("utf-8").splitlines()
    }
    with short(split_by="scenario:0.3", seed=5) as arena:
        assert {first(arena.begin(task)).scenario for task in arena.tasks("test")} == heldout
        assert not heldout & {first(arena.begin(task)).scenario for task in arena.tasks("train")}
        assert len(heldout) == 6
        assert arena.begin(split="test").trial.task.id == arena.tasks("test")[0]
        assert arena.begin(arena.tasks("test")[1]).split == "test"
        assert arena.begin().split == "train"


def test_a_split_that_is_none_is_a_sentence() -> None:
    with short() as arena, pytest.raises(ConfigError, match=r'split_by="scenario:0\.3"'):
        arena.begin(split="test")
    with short() as arena, pytest.raises(ConfigError, match='expected "train" or "test"'):
        arena.begin(split="dev")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="split_by: expected scenario:SHARE"):
        short(split_by="task:0.3")
    with pytest.raises(ConfigError, match="leaves nothing in test: all 20 scenarios"):
        short(split_by="scenario:0.01")


# ------------------------------------------------------------------ who sits where


def test_the_other_seat_is_asked_after_the_partner_spoke() -> None:
    with short() as arena:
        session = arena.begin(seats=1)
        assert first(session).turn == 2
        assert first(session).seat == session.trial.task.seats[1]
        assert len(first(session).observation.history) == 1


def test_all_seats_are_played_from_outside() -> None:
    with short(config=ArenaConfig(settings={"turns": "4"})) as arena:
        for seats in ("all", (0, 1), (1, 0)):
            session = arena.begin(seats=seats)
            asked = []
            while len(session.observations) == 1:
                asked.append(first(session).seat)
                session.step(HELLO)
            assert asked == [*session.seats] * 2
            # The closing question is put to both at once, and may be answered in any order.
            assert set(session.observations) == set(session.seats)
            step = session.step(closing("nothing"), seat=session.seats[1])
            assert step.info["usable"] is None
            with pytest.raises(ConfigError, match="expected a seat that is asked"):
                session.step(closing("nothing"), seat=session.seats[1])
            session.step(closing("nothing"))
            assert session.done
            assert {reward.value for reward in session.rewards.values()} == {None}


def test_a_partner_may_be_an_object() -> None:
    class Echo:
        async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
            return Reply((Action("speak", "Echo."),))

    with short() as arena:
        session = arena.begin(partner=Echo())
        session.step(HELLO)
        assert "Echo." in first(session).prompt[1]["content"]
        assert session.trial.agent(session.trial.task.seats[1]) == "Echo"
        with pytest.raises(ConfigError, match='"int" is no player'):
            arena.begin(partner=3)  # type: ignore[arg-type]
    with Arena("sotopia", partner=Echo(), tasks="bargain", config=SHORT) as arena:
        assert play_out(arena, greet)[0].done


def test_any_number_of_sessions_is_under_way_at_once() -> None:
    with short() as arena:
        alone = [play_out(arena, greet, task=task)[0] for task in arena.tasks()[:4]]
    with short() as arena:
        sessions = [arena.begin(task) for task in arena.tasks()[:4]]
        while any(not session.done for session in sessions):
            for session in reversed(sessions):
                if not session.done:
                    session.step(HELLO)
    assert [session.episode for session in sessions] == [session.episode for session in alone]


def test_sessions_of_one_event_loop_are_awaited_in_it() -> None:
    async def play(arena: Arena) -> ArenaSession:
        session = await arena.begin_async()
        async with session:
            while not session.done:
                await session.step_async(HELLO)
        return session

    async def both() -> list[ArenaSession]:
        async with short() as arena:
            played = await asyncio.gather(*(play(arena) for _ in range(4)))
            elsewhere = arena.begin()
            with pytest.raises(ConfigError, match="belongs to another event loop"):
                await elsewhere.step_async(HELLO)
            elsewhere.step(HELLO)
        return played

    played = asyncio.run(both())
    with short() as arena:
        assert [one.episode for one in played] == [one.episode for one in play_out(arena, greet, 4)]
    assert not [t for t in threading.enumerate() if t.name == "sociolab"]


def test_an_episode_that_ends_before_the_seat_is_asked_is_done() -> None:
    with short() as arena:
        session = arena.begin(seats=1, partner="python:training_cases:Leaver")
        assert (session.done, session.observation) == (True, None)
        assert session.rewards
        with pytest.raises(ConfigError, match="the episode is over"):
            session.step(HELLO)


@pytest.mark.parametrize(
    ("world", "asked"),
    [("anteval-information", "learned"), ("anteval-intention", "act"), ("stss-talk", "utter")],
)
def test_other_worlds_are_arenas_too(world: str, asked: str) -> None:
    settings = {} if world == "stss-talk" else {"sessions": "1", "turns": "4"}
    config = ArenaConfig(settings=settings, limit=1)
    with Arena(world, config=config) as arena:
        session = arena.begin()
        assert first(session).request_name == asked
        assert first(session).schema is not None
        assert session.step("hm").info["usable"] is False


def test_several_actions_are_a_turn_where_the_world_allows_them() -> None:
    config = ArenaConfig(settings={"sessions": "1", "turns": "4"}, limit=1)
    with Arena("anteval-intention", config=config) as arena:
        session = arena.begin()
        expected = first(session).request.expected
        assert isinstance(expected, ActionSpace)
        kinds = [kind.name for kind in expected.kinds if kind.has_text][:2]
        step = session.step([Action(kind, "So it is.") for kind in kinds])
        assert step.info["usable"] is True


# ------------------------------------------------------------------ what is wrong


def test_steps_out_of_place_and_wrong_arguments_are_sentences() -> None:
    with short() as arena:
        session = arena.begin()
        with pytest.raises(ConfigError, match="expected a reply as text"):
            session.step(7)  # type: ignore[arg-type]
        with pytest.raises(ConfigError, match="expected a mapping that is JSON"):
            session.step({"action": object()})  # type: ignore[dict-item]
        with pytest.raises(ConfigError, match="found nobody"):
            session.step(HELLO, seat="nobody")
        assert session.step(HELLO).info["usable"]
        for seats in (2, "nobody", (0, 7)):
            with pytest.raises(ConfigError, match=r"expected .* 0 to 1"):
                arena.begin(seats=seats)
        with pytest.raises(ConfigError, match="one at least"):
            arena.begin(seats=())
        with pytest.raises(ConfigError, match="no agent called"):
            arena.begin(partner="nobody")
    for more, named in (
        ({"partner": "nobody"}, "no agent called"),
        ({"judge": "nobody"}, "no judge called"),
        ({"credit": "heuristic"}, 'expected "endpoint/model"'),
        ({"metric": "persona_lost"}, "lower is better for persona_lost"),
        ({"tasks": "nothing"}, "matches no task"),
        ({"tasks": ["bargain"]}, "tasks: expected a filter as for --tasks"),
        ({"config": RunConfig(world="sotopia")}, "config: expected an ArenaConfig, found Run"),
        ({"config": ArenaConfig(settings={"turns": "none"})}, "turns"),
    ):
        with pytest.raises(ConfigError, match=named):
            short(**more)


@pytest.fixture(scope="module")
def refusing() -> Iterator[str]:
    """An endpoint that refuses whatever holds the word "Hello"."""

    def responder(chat: ChatBody) -> str:
        if "Hello" in chat.messages[-1].text:
            raise bad_request("no greetings here")
        return HELLO

    with start_in_thread(EndpointSettings(responder=responder)) as endpoint:
        yield endpoint.url


def test_a_partners_failed_call_is_no_reward_but_raised(refusing: str) -> None:
    config = ArenaConfig(settings={"turns": "4"}, base_url=refusing)
    with short(partner="openai/p", config=config) as arena:
        session = arena.begin()
        with pytest.raises(ModelError, match="no greetings"):
            session.step(HELLO)
        assert (session.rewards, session.episode, session.observation) == ({}, None, None)
        assert first(arena.begin()).turn == 1


def test_a_bug_in_the_partner_is_raised_with_its_name() -> None:
    broken = pytest.raises(WorldError, match="KeyError: 'stumbled'")
    with short(partner="python:training_cases:Stumbler") as arena, broken:
        arena.begin().step(HELLO)


# ------------------------------------------------------------------ rewards that rest on an outcome

BARGAIN = ArenaConfig(settings={"turns": "4"})


def sold(partner: str, answer: str, **more: object) -> ArenaSession:
    """The policy sells for $220, and then says this of it."""

    def policy(observed: Observed) -> str:
        if observed.request_name == "closing":
            return answer
        return json.dumps({"action": "speak", "text": "I want $220 for it."})

    given = {"partner": f"python:training_cases:Buyer{partner}", "config": BARGAIN, **more}
    with short(**given) as arena:
        (session,) = play_out(arena, policy)
    return session


def said(outcome: str, dollars: float = 220) -> str:
    return json.dumps(closing(outcome, dollars))


def test_what_both_seats_say_alike_is_a_report_and_no_reward() -> None:
    quotes = {"offer": "I want $220 for it", "acceptance": "Deal, $220."}
    session = sold("?quotes=yes", json.dumps({**closing("agreed"), **quotes}))
    (reward,) = session.rewards.values()
    assert (reward.value, reward.status, reward.bounds) == (None, "reported", (0, 10))


@pytest.mark.parametrize(
    ("partner", "answer", "kind"),
    [
        # One liar: the policy sold below its target and disputes it, or says that it got more.
        ("", said("nothing"), "disputed"),
        ("", said("still open"), "disputed"),
        ("", said("agreed", 340), "disputed"),
        # The other one lies.
        ("?outcome=nothing", said("agreed"), "disputed"),
        # Two liars who agree on a price that nobody named.
        ("?dollars=500", said("agreed", 500), "unconfirmed"),
        # Somebody went away before the question, or refuses it.
        ("?outcome=silence", said("agreed"), "cannot tell"),
        ("", "I will not say.", "cannot tell"),
        # Both agreed on what the form cannot hold.
        ("?outcome=something else", said("something else"), "cannot tell"),
    ],
)
def test_whoever_disputes_lies_or_is_silent_gains_nothing(
    partner: str, answer: str, kind: str
) -> None:
    session = sold(partner, answer)
    (reward,) = session.rewards.values()
    assert (reward.value, reward.status) == (None, kind)
    assert session.scores.failures == ()
    missed = session.missed_turns(session.seats[0])
    assert (missed.own, missed.others) == (0, 0)


def test_two_who_say_that_nothing_was_agreed_have_no_reward_either() -> None:
    """Else only failures would be known, and each reward a punishment."""
    session = sold("?outcome=nothing", said("still open"))
    (reward,) = session.rewards.values()
    assert (reward.value, reward.status) == (None, "reported")


def test_a_reader_gives_a_reward_of_its_own_whatever_the_seats_say() -> None:
    quotes = {"offer": "I want $220 for it", "acceptance": "Deal, $220."}
    read = json.dumps({**closing("agreed"), **quotes})
    with start_in_thread(EndpointSettings(responder=lambda chat: read)) as endpoint:
        config = ArenaConfig(settings={"turns": "4"}, base_url=endpoint.url)
        session = sold("", said("nothing"), reader="openai/r", config=config)
    expected = 6 + (220 - 230) / (0.05 * 230)  # the target is worth 6, each 5 % of it a point
    (seat,) = session.seats
    assert session.rewards[seat].value == pytest.approx(expected)
    scores = session.scores.scores[seat]
    assert scores["reader:openai/r"]["goal_checked"] == session.rewards[seat]
    assert scores["reported"]["goal_checked"].status == "disputed"


def test_acts_that_a_policy_writes_count_for_nothing() -> None:
    offer = Action("speak", "Mine for $999?", acts=(Act("offer", 999.0), Act("accept")))

    def policy(observed: Observed) -> Action | str:
        return said("agreed", 999) if observed.request_name == "closing" else offer

    with short(config=BARGAIN) as arena:  # a scripted partner, which would understand acts
        (session,) = play_out(arena, policy)
    (reward,) = session.rewards.values()
    assert (reward.value, reward.status) == (None, "cannot tell")
    assert session.episode is not None
    moves = [move for move in session.episode.moves if move.turn % 2 == 0]
    assert not any(action.acts for move in moves for action in move.actions)
