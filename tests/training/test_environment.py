"""A seat as an environment: what a run would send, unusable replies told, rewards at the end."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from sociolab import Environment, EnvironmentConfig, RunConfig, run
from sociolab.core import (
    Act,
    Action,
    ActionSpace,
    ConfigError,
    ModelError,
    SociolabError,
    Unusable,
    WorldError,
)
from sociolab.endpoint import ChatBody, EndpointSettings, bad_request, start_in_thread
from sociolab.store import Store
from sociolab.training import Observed, Rollout, Step
from training_cases import Offers, closing

SHORT = EnvironmentConfig(settings={"turns": "4", "closing_question": "false"})
HELLO = json.dumps({"action": "speak", "text": "Hello."})


def short(**more: object) -> Environment:
    given: dict[str, object] = {"tasks": "bargain", "seed": 1, "config": SHORT, **more}
    return Environment("sotopia", **given)  # type: ignore[arg-type]


async def greet(observed: Observed) -> str:
    return HELLO


def test_an_episode_goes_from_reset_to_rewards() -> None:
    with short() as env:
        first = env.reset_sync()
        assert (first.task, first.turn, first.attempt) == (env.tasks[0], 1, 1)
        assert [message["role"] for message in first.messages] == ["system", "user"]
        assert first.schema is not None
        assert set(first.schema["properties"]) == {"action", "text"}
        assert isinstance(first.request.expected, ActionSpace)
        assert first.observation.view.goal.text in first.messages[0]["content"]
        step = env.step_sync(HELLO)
        assert (step.done, step.usable, step.rewards) == (False, True, {})
        assert step.observation is not None
        assert step.observation.turn == 3
        assert "Hello." in step.observation.messages[1]["content"]
        last = env.step_sync(Action("speak", "That is all."))
        assert last.done
        assert last.rewards["reported"] == {"goal_checked": None}
        assert last.reward_status["reported"] == {"goal_checked": "cannot tell"}
        assert last.reward_bounds["reported"] == {"goal_checked": (0, 10)}
        assert last.episode is not None
        assert last.episode.moves[0].actions == (Action("speak", "Hello."),)
        assert last.episode.trial.agent(first.seat) == "policy"


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
    with short(seed=0) as env:
        asked = env.reset_sync()
        sent = calls[asked.seat, 0, 1]
        assert asked.prompt.messages == sent.messages
        assert asked.prompt.schema == sent.schema


def test_an_unusable_reply_is_told_and_the_turn_is_lost_after_the_last_attempt() -> None:
    with short(config=replace_attempts(2)) as env:
        env.reset_sync()
        step = env.step_sync("hm")
        assert (step.usable, step.done) == (False, False)
        assert "expected a JSON object" in step.problem
        assert step.observation is not None
        assert (step.observation.attempt, step.observation.turn) == (2, 1)
        assert step.problem in step.observation.messages[-1]["content"]
        again = env.step_sync(Action("fly"))
        assert (again.usable, '"fly" is no kind of action' in again.problem) == (False, True)
        assert again.observation is not None
        assert (again.observation.attempt, again.observation.turn) == (1, 3)
        end = env.step_sync(HELLO)
        assert end.episode is not None
        assert [event.final for event in end.episode.events if isinstance(event, Unusable)] == [
            False,
            True,
        ]


def replace_attempts(attempts: int) -> EnvironmentConfig:
    return SHORT.model_copy(update={"attempts": attempts})


def test_tasks_come_in_order_then_as_the_next_repeat_and_by_name() -> None:
    config = EnvironmentConfig(settings={"turns": "4"}, limit=2)
    with short(config=config) as env:
        assert len(env.tasks) == 2
        trials = [env.reset_sync().trial for _ in range(3)]
        assert [trial.task.id for trial in trials] == [*env.tasks, env.tasks[0]]
        assert [trial.repeat for trial in trials] == [0, 0, 1]
        assert len({trial.id for trial in trials}) == 3
        named = env.reset_sync(env.tasks[0])
        assert (named.task, named.trial.repeat) == (env.tasks[0], 2)
        with pytest.raises(ConfigError, match="no task"):
            env.reset_sync("nowhere")


def test_the_other_seat_is_asked_after_the_partner_spoke() -> None:
    with short(seat=1) as env:
        second = env.reset_sync()
        assert second.turn == 2
        assert second.seat == second.trial.task.seats[1]
        assert len(second.observation.history) == 1


def test_rollouts_are_the_same_each_time_however_many_are_in_flight() -> None:
    def once(in_flight: int) -> tuple[Rollout, ...]:
        with short() as env:
            return env.rollouts_sync(greet, 6, in_flight)

    one, many = once(1), once(6)
    assert len(one) == 6
    assert [r.trial.id for r in one] == [r.trial.id for r in many]
    assert [r.rewards for r in one] == [r.rewards for r in many]
    assert [r.episode for r in one] == [r.episode for r in many]
    assert [[t.observation.prompt for t in r.turns] for r in one] == [
        [t.observation.prompt for t in r.turns] for r in many
    ]
    assert {turn.usable for r in one for turn in r.turns} == {True}
    assert {len(r.turns) for r in one} == {2}


def test_a_rollout_earns_what_stepping_earns() -> None:
    with short() as env:
        (rolled,) = env.rollouts_sync(greet, 1)
    with short() as env:
        env.reset_sync()
        env.step_sync(HELLO)
        assert env.step_sync(HELLO).rewards == rolled.rewards


def test_episodes_are_really_in_flight_together() -> None:
    async def gathered() -> None:
        waiting = 0
        all_here = asyncio.Event()

        async def policy(observed: Observed) -> str:
            nonlocal waiting
            waiting += 1
            if waiting == 4:
                all_here.set()
            await all_here.wait()
            return HELLO

        async with short() as env:
            assert len(await env.rollouts(policy, 4, in_flight=4)) == 4

    asyncio.run(asyncio.wait_for(gathered(), 30))


@pytest.fixture(scope="module")
def refusing() -> Iterator[str]:
    """An endpoint that refuses whatever holds the word "Hello"."""

    def responder(chat: ChatBody) -> str:
        if "Hello" in chat.messages[-1].text:
            raise bad_request("no greetings here")
        return HELLO

    with start_in_thread(EndpointSettings(responder=responder)) as endpoint:
        yield endpoint.url


def test_a_partners_failed_call_is_no_reward_but_raised_or_marked(refusing: str) -> None:
    config = EnvironmentConfig(settings={"turns": "4"}, base_url=refusing)
    with short(partner="openai/p", judges=("heuristic",), config=config) as env:
        env.reset_sync()
        with pytest.raises(ModelError, match="no greetings"):
            env.step_sync(HELLO)
        (rollout,) = env.rollouts_sync(greet, 1)
        assert "no greetings" in rollout.error
        assert (rollout.rewards, rollout.episode) == ({}, None)
        assert [turn.usable for turn in rollout.turns] == [None]


def test_a_judge_that_fails_gives_no_reward_and_is_told() -> None:
    with short(seat=1, judges=("python:training_cases:ByHand",)) as env:
        (rollout,) = env.rollouts_sync(greet, 1)
        assert rollout.rewards["by-hand"] == {"goal": None}
        assert rollout.reward_status["by-hand"] == {"goal": "failed"}
        assert rollout.failures == ("goal by by-hand: unreadable: no number",)
        assert rollout.episode_scores == {"by-hand": {"mood": 0}}


def test_the_async_methods_work_in_a_loop_and_the_sync_ones_beside_it() -> None:
    async def both() -> tuple[Step, Step]:
        async with short() as env:
            await env.reset()
            await env.step(HELLO)
            own = await env.step(HELLO)
        with short() as env:
            env.reset_sync()
            env.step_sync(HELLO)
            return own, env.step_sync(HELLO)

    own, beside = asyncio.run(both())
    assert own.rewards == beside.rewards
    assert not [t for t in threading.enumerate() if t.name == "sociolab"]


@pytest.mark.parametrize(
    ("world", "asked"),
    [("anteval-information", "learned"), ("anteval-intention", "act"), ("stss-talk", "utter")],
)
def test_other_worlds_are_environments_too(world: str, asked: str) -> None:
    settings = {} if world == "stss-talk" else {"sessions": "1", "turns": "4"}
    config = EnvironmentConfig(settings=settings, limit=1)
    with Environment(world, config=config) as env:
        assert env.reset_sync().request_name == asked
        schema = env.reset_sync().schema
        assert schema is not None
        step = env.step_sync("hm")
        assert step.usable is False


def test_steps_out_of_place_and_wrong_arguments_are_sentences() -> None:
    with short() as env:
        with pytest.raises(ConfigError, match="call reset first"):
            env.step_sync(HELLO)
        env.reset_sync()
        with pytest.raises(ConfigError, match="expected a reply as text"):
            env.step_sync(7)  # type: ignore[arg-type]
        with pytest.raises(ConfigError, match="1 at least"):
            env.rollouts_sync(greet, 0)
    for more, named in (
        ({"seat": 2}, "expected 0 to 1"),
        ({"seat": "nobody"}, "expected 0 to 1"),
        ({"partner": "nobody"}, "no agent called"),
        ({"judges": ("nobody",)}, "no judge called"),
        ({"tasks": "nothing"}, "matches no task"),
        ({"tasks": ["bargain"]}, "tasks: expected a filter as for --tasks"),
        (
            {"config": RunConfig(world="sotopia")},
            "config: expected an EnvironmentConfig, found Run",
        ),
        ({"config": EnvironmentConfig(settings={"turns": "none"})}, "turns"),
    ):
        with pytest.raises(ConfigError, match=named):
            short(**more)


def test_a_model_partner_needs_a_judge_to_be_named(refusing: str) -> None:
    with pytest.raises(ConfigError, match="needs a judge"):
        short(partner="openai/p", config=EnvironmentConfig(base_url=refusing))


def test_an_episode_that_ends_before_the_seat_is_asked_is_told() -> None:
    with short(seat=1, partner="python:training_cases:Leaver") as env:
        with pytest.raises(SociolabError, match="was over before"):
            env.reset_sync()
        (rollout,) = env.rollouts_sync(greet, 1)
        assert (rollout.turns, rollout.error) == ((), "")
        assert rollout.rewards


def test_a_bug_in_the_partner_is_marked_with_its_name() -> None:
    with short(partner="python:training_cases:Stumbler") as env:
        (rollout,) = env.rollouts_sync(greet, 1)
        assert "KeyError: 'stumbled'" in rollout.error
        assert rollout.rewards == {}
        env.reset_sync()
        with pytest.raises(WorldError, match="stumbled"):
            env.step_sync(HELLO)


def test_an_episode_under_way_is_broken_off_by_the_next_reset() -> None:
    with short() as env:
        first = env.reset_sync()
        second = env.reset_sync()
        assert first.trial != second.trial
        step = env.step_sync(HELLO)
        assert step.observation is not None
        assert step.observation.trial == second.trial


def test_several_actions_are_a_turn_where_the_world_allows_them() -> None:
    config = EnvironmentConfig(settings={"sessions": "1", "turns": "4"}, limit=1)
    with Environment("anteval-intention", config=config) as env:
        asked = env.reset_sync()
        assert isinstance(asked.request.expected, ActionSpace)
        kinds = [kind.name for kind in asked.request.expected.kinds if kind.has_text][:2]
        step = env.step_sync([Action(kind, "So it is.") for kind in kinds])
        assert step.usable is True


# ------------------------------------------------------------------ rewards that rest on an outcome

BARGAIN = EnvironmentConfig(settings={"turns": "4"})


def sold(partner: str, answer: str, **more: object) -> Rollout:
    """The policy sells for $220, and then says this of it."""

    async def policy(observed: Observed) -> str:
        if observed.request_name == "closing":
            return answer
        return json.dumps({"action": "speak", "text": "I want $220 for it."})

    given = {"partner": f"python:training_cases:Buyer{partner}", "config": BARGAIN, **more}
    with short(**given) as env:
        (rollout,) = env.rollouts_sync(policy, 1)
    return rollout


def said(outcome: str, dollars: float = 220) -> str:
    return json.dumps(closing(outcome, dollars))


def test_what_both_seats_say_alike_is_a_report_and_no_reward() -> None:
    quotes = {"offer": "I want $220 for it", "acceptance": "Deal, $220."}
    rollout = sold("?quotes=yes", json.dumps({**closing("agreed"), **quotes}))
    facts = rollout.turns[0].observation.observation.view.goal.facts
    assert (facts.role, facts.listed, facts.target) == ("seller", 340, 230)
    assert rollout.rewards["reported"] == {"goal_checked": None}
    assert rollout.reward_status["reported"] == {"goal_checked": "reported"}
    assert rollout.reward_bounds["reported"] == {"goal_checked": (0, 10)}


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
    rollout = sold(partner, answer)
    assert rollout.rewards["reported"] == {"goal_checked": None}
    assert rollout.reward_status["reported"] == {"goal_checked": kind}
    assert rollout.failures == ()
    assert (rollout.unusable, rollout.lost) == (0, 0)


def test_two_who_say_that_nothing_was_agreed_have_no_reward_either() -> None:
    """Else only failures would be known, and each reward a punishment."""
    rollout = sold("?outcome=nothing", said("still open"))
    assert rollout.rewards["reported"] == {"goal_checked": None}
    assert rollout.reward_status["reported"] == {"goal_checked": "reported"}


def test_a_reader_gives_a_reward_of_its_own_whatever_the_seats_say() -> None:
    quotes = {"offer": "I want $220 for it", "acceptance": "Deal, $220."}
    read = json.dumps({**closing("agreed"), **quotes})
    with start_in_thread(EndpointSettings(responder=lambda chat: read)) as endpoint:
        config = EnvironmentConfig(settings={"turns": "4"}, base_url=endpoint.url)
        rollout = sold("", said("nothing"), readers="openai/r", config=config)
    expected = 6 + (220 - 230) / (0.05 * 230)  # the target is worth 6, each 5 % of it a point
    assert rollout.rewards["reader:openai/r"]["goal_checked"] == pytest.approx(expected)
    assert rollout.reward_status["reported"] == {"goal_checked": "disputed"}


def test_acts_that_a_policy_writes_count_for_nothing() -> None:
    offer = Action("speak", "Mine for $999?", acts=(Act("offer", 999.0), Act("accept")))

    async def policy(observed: Observed) -> Action | str:
        return said("agreed", 999) if observed.request_name == "closing" else offer

    with short(config=BARGAIN) as env:  # a scripted partner, which would understand acts
        (rollout,) = env.rollouts_sync(policy, 1)
    assert rollout.rewards["reported"] == {"goal_checked": None}
    assert rollout.reward_status["reported"] == {"goal_checked": "cannot tell"}
    assert rollout.episode is not None
    assert not any(a.acts for m in rollout.episode.moves for a in m.actions if m.turn % 2 == 0)
