"""What an estimate says before anything is paid for, beside what runs then take."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sociolab import JudgeConfig, RunConfig, RunResult, Section, estimate, judge_run, run
from sociolab.app import AuditConfig, ExamConfig, Models, ModelSpec, load_world
from sociolab.app.audit import audit
from sociolab.app.preflight.estimate import between, chance_range
from sociolab.app.preflight.measuring import CallRate, seconds_in_all
from sociolab.app.preflight.run_estimate import CallCounts, Case, RunEstimate
from sociolab.app.run.exam import section as exam_section, take_exam
from sociolab.app.run.play import cautions
from sociolab.core import Json, NoReply, Reply, Request, WorldKit
from sociolab.endpoint import ChatBody, EndpointSettings, Replies, start_in_thread
from sociolab.engine import drive
from sociolab.models import Price
from sociolab.report.exam import exam_runs
from sociolab.store import Store
from sociolab.worlds import stss

PRICES = """
[endpoints.lab]
base_url = "http://127.0.0.1:9/v1"
in_flight = 4

[prices."openai/m"]
input = 10.0
cached = 1.0
output = 20.0

[prices."lab/j"]
input = 5.0
output = 5.0
"""


STRICT = {"closing_question": "off"}
"""Turns alone: as many calls whatever the goals are."""


def described(folder: Path, **more: object) -> RunConfig:
    (folder / "models.toml").write_text(PRICES, "utf-8")
    values = {"agents": ("openai/m",), "partner": "scripted", "judges": ("openai/m",), "limit": 4,
              "store": folder / "s.db", "models": folder / "models.toml"}  # fmt: skip
    return RunConfig.model_validate(
        {**values, "base_url": "http://127.0.0.1:9/v1", "in_flight": None, **more}
    )


def said(found: RunEstimate) -> str:
    """All the sentences, beside the table."""
    section = found.section()
    return " ".join(
        (*section.sentences, *section.cautions, *(n for t in section.tables for n in t.notes))
    )


def rows(section: Section) -> list[tuple[str, ...]]:
    return [row for table in section.tables for row in table.rows]


def calls(case: Case) -> dict[tuple[str, str], int]:
    return {key: part.calls for key, part in case.parts.items() if part.calls}


# ------------------------------------------------------------------ calls, beside those of a run


class Staying:
    """Makes replies up as the endpoint does, but for goodbyes; texts of 203 characters, the mean
    of the public SOTOPIA episodes."""

    def __init__(self) -> None:
        self._replies = Replies(EndpointSettings(characters=203))

    def __call__(self, asked: ChatBody) -> str:
        text = self._replies.valid(asked)
        if not text.startswith("{"):
            return text
        reply = json.loads(text)
        return json.dumps(reply | {"ends": False} if "ends" in reply else reply)


def played_to_the_limit(config: RunConfig) -> RunResult:
    """A run whose models never leave."""
    with start_in_thread(EndpointSettings(responder=Staying())) as server:
        result = run(config.model_copy(update={"base_url": server.url, "name": "run"})).result
    assert result.played == result.trials
    return result


def played(config: RunConfig) -> dict[tuple[str, str], int]:
    """The calls of a run whose models never leave, by model and role, without those asked again."""
    played_to_the_limit(config)
    assert config.store is not None
    with Store.open(config.store, create=False) as store:
        return Counter(
            (row.model, row.call.role) for row in store.calls.all("run") if row.call.attempt == 1
        )


def of_several_shapes(folder: Path) -> Path:
    """Sessions of information exchange of which no two ask for as many calls."""
    kit = load_world("anteval-information", settings={"players": "3", "sessions": "2"})
    most, least = (json.loads(task.content) for task in kit.world.tasks())
    least |= {
        "turns": 5,
        "knowledge": least["knowledge"][:2],
        "characters": least["characters"][1:],
    }
    longer = most | {"id": "longer", "turns": most["turns"] + 3}
    (folder / "sessions.jsonl").write_text(
        "\n".join(json.dumps(one) for one in (most, least, longer)), "utf-8"
    )
    return folder


A_B = ("openai/a", "openai/b")
RUNS: dict[str, dict[str, Any]] = {
    "a grid with repeats and two judges": {
        "agents": A_B, "partner": None, "limit": 3, "repeats": 2,
        "judges": ("openai/j", "openai/k", "heuristic"),
    },
    "a partner, who judges too": {"agents": A_B, "partner": "openai/p", "judges": ("openai/p",)},
    "both dialects": {
        "agents": ("openai/a", "openai/b?dialect=plain"), "partner": None, "judges": ("none",),
    },
    "information": {
        "world": "anteval-information", "agents": A_B, "partner": None, "judges": ("openai/j",),
        "settings": {"snapshots": "4"}, "limit": 3,
    },
    "sessions of several shapes": {
        "world": "anteval-information", "agents": A_B, "partner": "openai/npc", "limit": None,
        "judges": ("openai/j",), "data": "sessions",
    },
    "intention": {
        "world": "anteval-intention", "agents": A_B, "partner": "openai/npc", "limit": 2,
        "judges": ("none",),
    },
    "talks": {
        "world": "stss-talk", "agents": A_B, "partner": "openai/p", "judges": ("openai/j",),
    },
    "talks with TDP": {
        "world": "stss-talk", "agents": A_B, "partner": None, "judges": ("openai/j",),
        "settings": {"tdp": "true", "rounds": "3"},
    },
    "talks in text": {
        "world": "stss-talk", "agents": ("openai/a?dialect=plain",), "partner": "openai/p",
        "judges": ("none",), "limit": 2, "settings": {"rounds": "2"},
    },
}  # fmt: skip


@pytest.mark.parametrize("kind", RUNS)
def test_the_calls_are_those_of_a_run_in_which_nobody_leaves(kind: str, tmp_path: Path) -> None:
    more = dict(RUNS[kind])
    if more.get("data"):
        more["data"] = str(of_several_shapes(tmp_path))
    config = described(tmp_path, attempts=1, **more)
    found = estimate(config)
    assert [case.name for case in found.cases] == ["low", "high", "most"]
    assert calls(found.most) == played(config)


@pytest.mark.parametrize("seed", [1, 2])
def test_the_bound_is_not_passed_where_nobody_leaves_and_is_close(
    seed: int, tmp_path: Path
) -> None:
    """Calls are exact there, and its texts of 250 characters are a little longer than these."""
    config = described(tmp_path, seed=seed, limit=4, partner=None)
    found = estimate(config)
    bound, cached = found.usd(found.most), found.usd(found.most, cached=True)
    assert bound is not None
    assert cached is not None
    assert f"at most {found.most.total.calls} calls and $" in said(found)
    assert "if every episode runs to its turn limit" in said(found)
    cost = played_to_the_limit(config).cost_usd
    assert cost is not None
    assert cost <= bound
    assert 0.9 * cost <= cached <= 1.3 * cost  # the endpoint's cache misses some of what repeats


SWAPPED: dict[str, dict[str, Any]] = {
    "a plan whose cycle a stride would fall in with": {"partner": None, "limit": 60},
    "a scripted partner": {"limit": 60},
    "three agents": {"agents": ("openai/m", "lab/j", "openai/x?dialect=plain"), "partner": None},
    "information": {"world": "anteval-information", "partner": None, "limit": 12},
    "talks": {"world": "stss-talk", "limit": 5},
}


@pytest.mark.parametrize("kind", SWAPPED)
def test_the_order_in_which_agents_are_named_changes_nothing(kind: str, tmp_path: Path) -> None:
    config = described(
        tmp_path, **{"agents": ("openai/m", "lab/j"), "judges": ("openai/m",), **SWAPPED[kind]}
    )
    found = estimate(config)
    turned = estimate(config.model_copy(update={"agents": config.agents[::-1]}))
    assert turned.document() == found.document()
    assert turned.section() == found.section()


def test_agents_of_a_grid_have_equal_shares(tmp_path: Path) -> None:
    """Four casts a task: each agent sits in half of all seats."""
    more = {"judges": ("none",), "limit": 60, "settings": STRICT}
    config = described(tmp_path, agents=A_B, partner=None, **more)
    parts = estimate(config).most.parts
    assert parts["openai/a", "agent"] == parts["openai/b", "agent"]
    assert parts["openai/a", "agent"].calls == 60 * 4 * 20 / 2


# ------------------------------------------------------------------ towns


@pytest.fixture
def small_town(tmp_path: Path) -> Path:
    """Three tasks of our own town, with three people in the background of each."""
    town = stss.own_town(1)
    tasks = [task for task in town.tasks if task.type in ("appointment", "asking for help")][:3]
    few = [task.model_copy(update={"background": _few(task)}) for task in tasks]
    stss.write_town(tmp_path / "town", replace(town, tasks=tuple(few)))
    return tmp_path / "town"


def _few(task: Any) -> tuple[str, ...]:
    needed = [one for one in (task.partner, *task.errands) if one in task.background]
    return tuple(dict.fromkeys((*needed, *task.background)))[:3]


@pytest.mark.parametrize(
    ("background", "repeats"), [(None, 10), ("scripted", 20), ("openai/p", 10)]
)
def test_what_a_town_takes_is_within_half_of_what_is_expected(
    background: str | None, repeats: int, small_town: Path, tmp_path: Path
) -> None:
    """The endpoint replies at random, as the dry run does, and not with the same replies: from run
    to run too, for its port is part of what an agent is. So many repeats that a third less than
    expected is at least four standard deviations away (2 repeats: the one alone varies by 12 %)."""
    with start_in_thread(EndpointSettings()) as server:
        config = described(
            tmp_path, world="stss", data=str(small_town), partner=background, judges=("rules",),
            repeats=repeats, base_url=server.url,
        )  # fmt: skip
        found, result = estimate(config), run(config).result
    low, high = found.range
    assert found.expected is not None
    assert result.calls is not None
    expected = found.expected.total.calls
    assert low.total.calls < expected < high.total.calls
    assert 1 / 1.5 < result.calls / expected < 1.5


class Counting:
    """Replies as scripted residents do, and counts what they are asked."""

    def __init__(self, kit: WorldKit) -> None:
        self.scripted, self.asked = kit.players["scripted"], 0

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        self.asked += request.attempt == 1
        return await self.scripted.reply(request, memory)


def asked_in(config: RunConfig, number: int) -> tuple[int, int]:
    """The number of seats of a trial, and the questions asked in it if all are scripted."""
    result = run(config.model_copy(update={"agents": ("scripted",), "partner": "scripted"})).result
    assert config.store is not None
    with Store.open(config.store, create=False) as store:
        trial = store.trials(result.run)[number].trial
    kit = load_world("stss", data=config.data, settings=config.settings)
    counting = Counting(kit)
    seats = dict.fromkeys(trial.task.seats, counting)
    asyncio.run(drive(kit.world.play(trial.task, "x", trial.seed), seats, lambda _: None))
    return len(seats), counting.asked


def test_of_the_papers_mind_a_scripted_episode_is_counted_and_scaled_by_residents(
    small_town: Path, tmp_path: Path
) -> None:
    """The costliest mind: the questions of one episode, for as many residents as all have."""
    town = stss.read_town(small_town)
    smaller = town.tasks[1].model_copy(update={"background": town.tasks[1].background[:2]})
    stss.write_town(tmp_path / "two", replace(town, tasks=(town.tasks[0], smaller)))
    config = described(
        tmp_path, world="stss", data=str(tmp_path / "two"), judges=("rules",), seed=1,
        settings={"mind": "generative-agents", "step": "60"}, partner=None, limit=None,
    )  # fmt: skip
    found = estimate(config)
    assert found.expected is not None
    assert found.measured == 1
    assert "one episode is played by rules" in said(found)
    (several, asked), (fewer, asked_less) = (asked_in(config, n) for n in (0, 1))
    assert several != fewer
    seats = several + fewer
    assert found.expected.total.calls in (  # one scripted episode differs from another
        pytest.approx(asked * seats / several, rel=0.2),
        pytest.approx(asked_less * seats / fewer, rel=0.2),
    )


def test_a_cost_varies_as_a_gamma_and_at_least_by_a_half() -> None:
    """With a standard deviation of half the mean the shape is 4: half the chi-square of 8 degrees,
    whose quantiles in the tables are 2.18 and 17.53."""
    assert chance_range(10, 25) == pytest.approx((2.18 / 8, 17.53 / 8), rel=0.02)
    assert chance_range(10, 1000)[0] == 0
    assert chance_range(10, 0.1) == chance_range(10, 0) == (1 / 1.5, 1.5)


def test_the_fewer_tasks_a_performer_plays_the_wider_is_its_range(
    small_town: Path, tmp_path: Path
) -> None:
    def width(repeats: int) -> float:
        low, high = estimate(
            described(
                tmp_path, world="stss", data=str(small_town), partner="scripted",
                judges=("rules",), repeats=repeats,
            )
        ).range  # fmt: skip
        return high.total.calls / low.total.calls

    assert width(1) > width(2) >= width(5) == pytest.approx(width(10), rel=0.1)
    assert width(5) <= 3


def test_the_order_of_agents_changes_nothing_in_a_town_either(
    small_town: Path, tmp_path: Path
) -> None:
    config = described(
        tmp_path, world="stss", data=str(small_town), agents=("openai/m", "scripted"),
        partner="lab/j", judges=("rules",), limit=1,
    )  # fmt: skip
    found = estimate(config)
    turned = estimate(config.model_copy(update={"agents": ("scripted", "openai/m")}))
    assert turned.document() == found.document()


def test_a_town_says_what_its_range_rests_on(small_town: Path, tmp_path: Path) -> None:
    config = described(
        tmp_path, world="stss", data=str(small_town), partner="scripted", judges=("rules",), limit=1
    )
    found = estimate(config, latency=2.0)
    assert "times what is expected: how much it varies by chance in simulations" in said(found)
    assert "turn limit" not in said(found)
    document = found.document()
    assert [case["case"] for case in document["cases"]] == ["low", "high", "expected"]
    low, high, expected = (case["calls"] for case in document["cases"])
    assert low < expected < high
    assert f"expected: {expected} calls and $" in said(found)
    seconds = [case.seconds or 0 for case in found.cases]
    assert seconds == sorted(seconds)
    assert "time: about 1 s to " in said(found)


# ------------------------------------------------------------------ the range


def test_the_high_end_is_at_most_twice_the_low_end_and_else_the_most() -> None:
    """Worked by hand, at $1 a token read. The low end is $20 + $10. $40 + $12 are less than twice
    that; of $140 + $10, $60 are a quarter of the way."""
    prices = {"a": Price(1e6, 0, 1e6), "j": Price(1e6, 0, 1e6)}

    def case(agent: int, judge: int) -> Case:
        return Case(
            "", {("a", "agent"): CallCounts(agent, agent), ("j", "judge"): CallCounts(2, judge)}
        )

    low = case(20, 10)
    assert calls(between(low, case(40, 12), prices)) == {("a", "agent"): 40, ("j", "judge"): 2}
    cut = between(low, case(140, 10), prices)
    assert cut.parts == {("a", "agent"): CallCounts(50, 50), ("j", "judge"): CallCounts(2, 10)}


# ------------------------------------------------------------------ cost


def test_cost_is_told_by_role_with_and_without_the_cache(tmp_path: Path) -> None:
    found = estimate(described(tmp_path, settings=STRICT))
    agent, judge = (found.most.parts["openai/m", role] for role in ("agent", "judge"))
    assert judge.calls == found.trials == 8
    assert agent.calls == 80
    assert 0.5 < agent.cached / agent.prompt < 1
    case = found.document()["cases"][-1]
    row = case["models"]["openai/m"]
    for role in ("agent", "judge"):
        assert row["roles"][role]["cost_usd_cached"] < row["roles"][role]["cost_usd"]
    whole = sum(part["cost_usd"] for part in row["roles"].values())
    assert whole == pytest.approx(row["cost_usd"]) == pytest.approx(case["cost_usd"])
    (table,) = found.section().tables
    assert table.columns == (
        "model",
        "role",
        "calls",
        "tokens in",
        "tokens out",
        "cost",
        "if cached",
    )
    assert [row[:3] for row in table.rows] == [
        ("openai/m", "agent", "32\N{EN DASH}60"),
        ("openai/m", "judge", "8"),
        ("openai/m", "exam", "20"),
        ("total", "", "60\N{EN DASH}88"),
    ]
    assert "at most 88 calls and $" in said(found)
    assert " % of input tokens" in said(found)


def test_dollars_are_tokens_times_prices() -> None:
    """Worked by hand: 2,000 in at $10, 500 of them cached at $1, 100 out at $20 a million."""
    case = Case("turn limit", {("m", "agent"): CallCounts(3, 2000, 500, 100)})
    found = RunEstimate(1, 1, 1, (case,), {"m": Price(10.0, 20.0, 1.0)})
    assert found.usd(case) == pytest.approx(0.022)
    assert found.usd(case, cached=True) == pytest.approx(0.0175)
    assert rows(found.section()) == [
        ("m", "agent", "3", "2,000", "100", "$0.0220", "$0.0175"),
    ]  # fmt: skip


def test_without_a_price_for_the_cache_there_is_one_figure(tmp_path: Path) -> None:
    found = estimate(described(tmp_path, agents=("lab/j",), judges=("none",)))
    assert "cache" not in said(found)
    assert len(rows(found.section())) == 1


def test_a_price_that_is_missing_is_said_and_is_not_nothing(tmp_path: Path) -> None:
    found = estimate(described(tmp_path, agents=("openai/free",), judges=("openai/m",)))
    agent, judge, exam, whole = (row[-2] for row in rows(found.section()))
    assert agent == whole == "no price"
    assert judge.startswith("$")
    assert exam.startswith("$")
    assert 'no price is known for "openai/free"' in said(found)
    document = found.document()
    assert document["no_price"] == ["openai/free"]
    case = document["cases"][0]
    assert case["cost_usd"] is None
    assert case["models"]["openai/free"]["cost_usd"] is None
    assert case["models"]["openai/m"]["cost_usd"] > 0


# ------------------------------------------------------------------ time


def test_time_is_told_from_the_seconds_that_are_given_and_the_places_in_flight(
    tmp_path: Path,
) -> None:
    config = described(tmp_path, agents=("lab/j",), judges=("none",), settings=STRICT)
    found = estimate(config, latency=60.0)  # 4 at once
    assert found.most.seconds == pytest.approx(80 * 60 / 4)
    assert "time: about 8 min to 12 min, at 60 s per call as given, 4 at once to lab" in said(found)
    alone = estimate(config.model_copy(update={"in_flight": 64}), 6.0)
    assert alone.most.seconds == pytest.approx(10 * 6)  # its turns, one after the other


def test_time_is_told_from_what_the_store_has_measured_and_else_not(tmp_path: Path) -> None:
    config = described(tmp_path, agents=("openai/m",), judges=("none",), models=None)
    unknown = estimate(config)
    assert unknown.most.seconds is None
    assert "no stored call to openai/m went to the address above" in said(unknown)
    with start_in_thread(EndpointSettings(latency_ms=20)) as server:
        here = config.model_copy(update={"base_url": server.url})
        run(here.model_copy(update={"limit": 1}))
        known = estimate(here)
    assert known.most.seconds is not None
    assert 10 * 0.02 < known.most.seconds < 10
    assert "at the seconds per call last measured there" in said(known)
    assert "answered by the stand-in endpoint, not by a language model: openai/m" in said(known)
    assert known.document()["stand_ins"] == ["openai/m"]
    elsewhere = estimate(config)
    assert elsewhere.most.seconds is None
    assert elsewhere.document()["cases"][0]["seconds"] is None


class Serving:
    """Whether the server of a test says of itself that it is the stand-in endpoint."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.stands_in = False

        async def is_stand_in(models: Models, spec: ModelSpec) -> bool:
            return self.stands_in

        monkeypatch.setattr(Models, "is_stand_in", is_stand_in)


@pytest.fixture
def serving(monkeypatch: pytest.MonkeyPatch) -> Serving:
    return Serving(monkeypatch)


def test_the_speed_of_a_stand_in_is_never_that_of_a_server_in_its_place(
    tmp_path: Path, serving: Serving
) -> None:
    """The same address, first of the stand-in endpoint, then of a real server."""
    config = described(tmp_path, agents=("openai/m",), judges=("none",), models=None, limit=1)
    with start_in_thread(EndpointSettings(latency_ms=20)) as server:
        config = config.model_copy(update={"base_url": server.url})
        serving.stands_in = True
        run(config.model_copy(update={"name": "rehearsal"}))
        assert estimate(config).most.seconds is not None
        serving.stands_in = False
        unknown = estimate(config)
        assert unknown.most.seconds is None
        assert "no stored call to openai/m went to the address above" in said(unknown)
        run(config.model_copy(update={"name": "real"}))
        known = estimate(config)
        assert known.most.seconds is not None
        # A run that both have served tells the speed of neither.
        serving.stands_in = True
        run(config.model_copy(update={"name": "real", "repeats": 2}))
        with Store.open(config.store or Path(), create=False) as store:
            store.delete_run("rehearsal")
        assert estimate(config).most.seconds is None


def test_a_judge_of_work_besides_runs_is_timed_too(tmp_path: Path, serving: Serving) -> None:
    config = described(tmp_path, agents=("scripted",), partner=None, models=None, name="r")
    with start_in_thread(EndpointSettings(latency_ms=20)) as server:
        config = config.model_copy(update={"base_url": server.url, "judges": ("none",)})
        run(config)
        assert config.store is not None
        audit(
            AuditConfig(
                run="r", judge="openai/m", kinds=("repeat",), repeats=1, limit=1,
                base_url=server.url, store=config.store,
            )
        )  # fmt: skip
        judged = estimate(config.model_copy(update={"judges": ("openai/m",), "name": "other"}))
    assert judged.most.seconds is not None
    assert judged.most.seconds >= 0.02


def test_an_exam_that_a_stand_in_sat_is_no_exam_of_the_model(
    tmp_path: Path, serving: Serving
) -> None:
    config = described(tmp_path, settings=STRICT, models=None, limit=1)
    with start_in_thread(EndpointSettings()) as server:
        config = config.model_copy(update={"base_url": server.url})
        serving.stands_in = True
        assert estimate(config).exam is None, "a stand-in sits none"
        exam = ExamConfig(judge="openai/m", base_url=server.url, store=config.store)
        rehearsed = take_exam(exam)
        assert rehearsed.entry is not None
        assert exam_section(rehearsed).warnings == (
            "openai/m was served by the stand-in endpoint, not by a language model",
        )
        played = run(config.model_copy(update={"name": "rehearsal"})).result
        assert [judge.exam for judge in played.judges if judge.judge == "openai/m"] == [None]
        serving.stands_in = False
        pending = estimate(config)
        assert pending.exam is not None
        assert pending.exam.total.calls == 20
        # The stand-in judged this run under the same name; the model sits its exam all the same.
        judge_run(
            "rehearsal",
            JudgeConfig(judges=("openai/m",), base_url=server.url, store=config.store),
            repeats=2,
        )
        assert estimate(config).exam is None
    with Store.open(config.store or Path(), create=False) as store:
        (sat,) = exam_runs(store, "sotopia")
        assert store.has_run(rehearsed.run)
        assert rehearsed.run != sat


def test_an_estimate_leaves_no_store(tmp_path: Path) -> None:
    estimate(described(tmp_path))
    assert not (tmp_path / "s.db").exists()


@pytest.mark.parametrize(
    ("per_minute", "at_once", "seconds"),
    [
        (None, None, 600.0),  # 1000 + 200 calls of 2 and 5 s, 5 at once
        (None, 2, 1500.0),  # two trials at once, whose calls wait for one another
        (60.0, None, 1200.0),  # one call a second
        (None, 600, 600.0),
    ],
)
def test_the_slowest_of_what_bounds_a_run_tells_its_time(
    per_minute: float | None, at_once: int | None, seconds: float
) -> None:
    ours = CallRate("a/x", "a", 2.0, 5, per_minute, 1000, 40)
    other = CallRate("a/j", "a", 5.0, 5, per_minute, 200, 8)
    assert seconds_in_all([ours, other], at_once) == pytest.approx(seconds)
    longest = CallRate("b/x", "b", 2.0, 500, None, 1000, 900)
    assert seconds_in_all([ours, longest], 600) == pytest.approx(1880.0)


def test_the_bound_holds_closing_answers_that_are_asked_for_again(tmp_path: Path) -> None:
    """Models that make quotes up may be asked for each closing answer three times."""
    config = described(tmp_path, partner=None, judges=("none",))
    once = estimate(config.model_copy(update={"attempts": 1})).most.total.calls
    most = estimate(config).most.total.calls
    assert played_to_the_limit(config).calls <= most
    assert config.store is not None
    with Store.open(config.store, create=False) as store:
        rows = [row.call for row in store.calls.all("run") if row.call.name == "closing"]
    closing = sum(call.attempt == 1 for call in rows)
    assert 0 < closing <= len(rows)
    assert most == once + 2 * closing


def test_a_dry_run_says_where_replies_are_cut_and_whose_limit_is_too_low(tmp_path: Path) -> None:
    agents = ("openai/m", "lab/j?max_tokens=350")
    found = estimate(
        described(tmp_path, agents=agents, judges=("openai/m",), partner=None, reply_room=1.5)
    )
    assert found.document()["longest_replies"] == {
        "lab/j?max_tokens=350": {
            "closing question": {"tokens": 350, "needs": 600},
            "turn": {"tokens": 350, "needs": 450},
        },
        "openai/m": {
            "closing question": {"tokens": 600, "needs": 600},
            "turn": {"tokens": 450, "needs": 450},
            "judge": {"tokens": 4_500, "needs": 4_500},
        },
    }
    assert (
        "longest replies of openai/m: closing question 600, turn 450, judge 4,500 tokens"
        in said(found)
    )
    (sentence,) = found.too_short
    assert sentence in said(found)
    assert sentence == (
        "lab/j?max_tokens=350: max_tokens = 350 is less than its replies may need: closing "
        "question (600) and turn (450); longer ones are cut and fail; raise it or leave it out"
    )


def test_a_run_says_at_its_start_whose_limit_is_too_low(tmp_path: Path) -> None:
    assert cautions(described(tmp_path, agents=("openai/m",))) == ()
    assert cautions(described(tmp_path, agents=("openai/m?max_tokens=3000",))) == ()
    (sentence,) = cautions(described(tmp_path, agents=("openai/m?max_tokens=160",)))
    assert sentence.startswith("openai/m?max_tokens=160: max_tokens = 160 is less")


def test_an_exam_is_priced_once_and_left_out_on_demand(tmp_path: Path) -> None:
    found = estimate(described(tmp_path, settings=STRICT))
    assert found.exam is not None
    assert found.exam.total.calls == 20
    assert "exam: once for each new judge" in said(found)
    document = found.document()
    assert document["exam"]["calls"] == 20
    assert document["cases"][-1]["calls"] == found.most.total.calls
    without = estimate(described(tmp_path, settings=STRICT, exam="off"))
    assert without.exam is None
    assert without.most.total.calls == found.most.total.calls
    assert without.document()["exam"] is None
