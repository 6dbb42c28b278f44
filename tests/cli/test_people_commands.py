"""Agents beside people: imports, percentiles and realism, on files of our own."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cli.conftest import Sociolab
from own_code import AGENT, JUDGE
from sociolab.analysis import Value, values_of
from sociolab.core import Agent, CastMember, Declared
from sociolab.endpoint import EndpointSettings, start_in_process
from sociolab.store import Store, open_store
from sociolab.worlds import sotopia

OURS = Path(__file__).parents[1] / "negotiations"


@pytest.fixture(scope="module")
def stored(
    sociolab_in: Callable[[Path], Sociolab], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A folder with people who divide packages, and scripted players on the same tasks."""
    folder = tmp_path_factory.mktemp("people")
    done = sociolab_in(folder)("import", "casino", OURS / "camps.json", "--name", "camps")
    assert done.code == 0, done.err
    run = ("run", "sotopia", "--data", "camps", "--agent", "scripted", "--name", "mine")
    done = sociolab_in(folder)(*run)
    assert done.code == 0, done.err
    return folder


@pytest.fixture
def imported(sociolab: Sociolab, stored: Path, tmp_path: Path) -> Sociolab:
    shutil.copytree(stored, tmp_path, dirs_exist_ok=True)
    return sociolab


def test_an_import_makes_a_run_of_people_and_the_tasks_that_they_had(sociolab: Sociolab) -> None:
    done = sociolab("import", "dealornodeal", OURS / "bargains.txt", "--name", "bargains")
    assert done.out.splitlines() == [
        "3 dialogues of 2 tasks, by people",
        "deals: 1 (33.3 %); walked away: 0; mean points: 2.33",
        "Deal or No Deal (Lewis et al., EMNLP 2017): your copy, CC BY-NC 4.0; cite it, and see its "
        "licence before you share",
        "left out: 1 dialogue that broke off (<disconnect>)",
        "agents on the same tasks: sociolab run sotopia --data bargains; beside these people: "
        "sociolab report RUN --people bargains",
    ]
    again = sociolab("import", "dealornodeal", OURS / "bargains.txt", "--name", "bargains")
    assert again.code == 2
    assert 'a data set called "bargains" is there already' in again.sentence
    played = sociolab("run", "sotopia", "--data", "bargains", "--agent", "scripted", "--json")
    assert (played.document["world"], played.document["played"]) == ("sotopia", 2)


def test_a_percentile_is_that_of_the_scores_in_the_same_task_and_seat(
    imported: Sociolab, tmp_path: Path
) -> None:
    document = imported("report", "mine", "--people", "camps", "--json").document
    (row,) = document["beside_people"]["agents"]
    with open_store(tmp_path / "lab" / "store.db") as store:
        mine, people = ([*values_of(store, run).values] for run in ("mine", "camps"))

    def rank(value: Value) -> float:
        others = [v.value for v in people if (v.task, v.seat) == (value.task, value.seat)]
        below = sum(float(o or 0) < float(value.value or 0) - 1e-9 for o in others)
        equal = sum(abs(float(o or 0) - float(value.value or 0)) <= 1e-9 for o in others)
        return 100 * (below + equal / 2) / len(others)

    ranks = [rank(value) for value in mine if value.judge == "outcome"]
    assert len(ranks) == 4
    assert row["percentile"]["value"] == pytest.approx(sum(ranks) / 4)
    assert (row["agent"], row["measure"], row["due"]) == ("scripted", "goal_checked", 4)


def test_a_report_says_the_percentile_and_that_scripted_play_is_no_result(
    imported: Sociolab, tmp_path: Path
) -> None:
    page, latex = tmp_path / "page.html", tmp_path / "table.tex"
    done = imported("report", "mine", "--people", "camps", "--html", page, "--latex", latex)
    assert "mine compared with people (camps)" in done.out
    assert "percentile of people" in done.out
    assert "scripted is rule-based: its percentile is a smoke test, not a result." in done.out
    assert max(map(len, done.out.splitlines())) <= 80
    assert "percentile of people" in page.read_text("utf-8")
    assert "Percentile of people" in latex.read_text("utf-8")


def test_a_comparison_places_its_agents_among_people_too(
    imported: Sociolab, tmp_path: Path
) -> None:
    text = AGENT.format(words="Hm.") + JUDGE.format(more=0)
    (tmp_path / "quiet.py").write_text(text, "utf-8")
    play = ("run", "sotopia", "--data", "camps", "--judge", "python:quiet:Judge", "--agent")
    for agent, name in (("scripted", "a"), ("python:quiet:Mine", "b")):
        done = imported(*play, agent, "--name", name)
        assert done.code == 0, done.err
    compare = ("compare", "a", "b", "--judge", "mine", "--people", "camps")
    done = imported(*compare, "--metric", "length", "--json")
    first, second = (beside["agents"] for beside in done.document["beside_people"])
    assert [row["agent"] for row in first] == ["scripted"]
    # Whoever only says "Hm." never submits a deal: 5 points of 36, as whoever walks away.
    assert [row["score"]["value"] for row in second] == [pytest.approx(50 / 36, abs=1e-6)]
    shown = imported(*compare, "--metric", "length", "--rename", "scripted=Sam")
    assert "Sam: at the " in shown.out
    refused = imported("compare", "mine", "mine", "--curve", "--people", "camps")
    assert refused.code == 2
    assert "--people is for two agents" in refused.sentence


def test_realism_is_of_the_same_tasks_and_names_the_easy_mode(imported: Sociolab) -> None:
    done = imported("realism", "mine", "--people", "camps", "--json")
    (cast,) = done.document["casts"]
    rows = {row["measure"]: row for row in cast["measures"]}
    # People on the two tasks: 3, 3 and 2 turns that speak in the one, mean 8/3, and 2 in the other.
    assert rows["turns"]["people"] == pytest.approx((8 / 3 + 2) / 2)
    # Ann claims 3 food and 1 water, then 2 + all firewood for Bea: ... see test_claims for rules.
    assert rows["deals"]["people"] == pytest.approx(100 * (2 / 3 + 1) / 2)
    assert rows["walked"]["people"] == pytest.approx(100 * (1 / 3 + 0) / 2)
    # "Thank you!" in 1 turn of 3, "Sorry." in 1 of 3, "Could you" in the first: 2/3, 1/3, 0; 0.
    assert rows["polite"]["people"] == pytest.approx(100 * ((2 / 3 + 1 / 3 + 0) / 3 + 0) / 2)
    (ease,) = cast["ease"]
    assert (ease["partner"], ease["agent"], ease["same_agent"]) == ("scripted", "scripted", False)
    points = [22, 23, 5], [19, 18, 5], [17], [21]
    assert ease["people"] == pytest.approx(sum(sum(p) / len(p) / 3.6 for p in points) / 4)
    assert cast["by_rules"] == ["scripted"]
    assert (rows["deals"]["simulated"], rows["walked"]["simulated"]) == (100, 0)
    assert rows["deals"]["gap"]["low"] is None  # two dialogues are too few
    text = imported("realism", "mine", "--people", "camps").out
    assert "Easy mode: opposite scripted, scripted scored" in text
    assert "scripted is rule-based: these figures are a smoke test, not a result." in text
    assert max(map(len, text.splitlines())) <= 80


def test_leaving_that_only_ends_the_talk_is_no_walking_away(sociolab: Sociolab) -> None:
    sociolab("import", "dealornodeal", OURS / "bargains.txt", "--name", "bargains")
    words = ("--data", "bargains", "--agent", "scripted")
    done = sociolab("run", "sotopia", *words, "--name", "settled", "--json")
    assert done.document["ends"] == {"left": 2}
    done = sociolab("realism", "settled", "--people", "bargains", "--json")
    (cast,) = done.document["casts"]
    rows = {row["measure"]: row["simulated"] for row in cast["measures"]}
    assert rows["deals"] == 100
    assert "walked" not in rows


def test_the_same_agent_opposite_people_is_the_measure_of_a_partner(
    imported: Sociolab, tmp_path: Path
) -> None:
    """A study in which people sat opposite the agent: Kim is the agent in what Robin played."""
    camps = sotopia.import_casino(OURS / "camps.json")
    agent = Agent("scripted", "rules")
    episodes = [
        replace(one, trial=replace(one.trial, cast=(one.trial.cast[0], CastMember("kim", agent))))
        for one in camps.episodes
    ]
    with Store.open(tmp_path / "lab" / "store.db") as store, store.transaction():
        trials = [episode.trial for episode in episodes]
        store.create_run("study", "sotopia", {"imported": True}, trials, Declared())
        for episode, judging in zip(episodes, camps.judgings, strict=True):
            for event in episode.events:
                store.append("study", episode.trial.id, event)
            store.set_status("study", episode.trial.id, "played")
            store.verdicts.add("study", judging.judge, judging.verdicts, trial=episode.trial.id)
    done = imported("realism", "mine", "--people", "study", "--json")
    (cast,) = done.document["casts"]
    assert (cast["measures"], cast["ease"][0]["same_agent"]) == ([], True)
    # The agent sat in Kim's seat alone: 19, 18 and 5 points in one task, mean 14, 21 in the other.
    assert cast["ease"][0]["people"] == pytest.approx((14 + 21) / 2 / 3.6)
    text = " ".join(imported("realism", "mine", "--people", "study").out.split())
    assert "relative to scripted opposite people" in text
    assert "no human dialogue to compare with" in text


def test_a_run_without_a_finished_episode_gets_a_sentence(
    imported: Sociolab, tmp_path: Path
) -> None:
    (tmp_path / "models.toml").write_text("[endpoints.openai]\ntries = 1\n", "utf-8")
    with start_in_process(EndpointSettings(latency_ms=0, characters=60)) as endpoint:
        url = endpoint.url
    play = ("--data", "camps", "--agent", "openai/x", "--judge", "none", "--base-url", url)
    imported("run", "sotopia", *play, "--name", "gone", OPENAI_API_KEY="x")
    done = imported("realism", "gone", "--people", "camps")
    assert done.code == 2
    assert "expected an episode of gone with agents on a task that people have played" in (
        done.sentence
    )


def test_models_fill_in_the_form_that_people_had_and_the_stand_in_is_named(
    sociolab: Sociolab,
) -> None:
    sociolab("import", "dealornodeal", OURS / "bargains.txt", "--name", "bargains")
    with start_in_process(EndpointSettings(latency_ms=0, characters=60)) as endpoint:
        key, serve = {"OPENAI_API_KEY": "x"}, ("--base-url", endpoint.url)
        play = ("--data", "bargains", "--agent", "openai/x", "--judge", "none", "--set", "turns=4")
        assert sociolab("run", "sotopia", *play, *serve, "--name", "talk", **key).code == 0
    (cast,) = sociolab("realism", "talk", "--people", "bargains", "--json").document["casts"]
    document = sociolab("report", "talk", "--people", "bargains", "--json").document
    (agent,) = document["beside_people"]["agents"]
    assert agent["judge"] == "outcome"
    known = 2 - cast["untold"]  # as many forms as the stand-in, which draws its answers, fills in
    told = [one["gap"]["n"] for one in cast["measures"] if one["measure"] == "deals"]
    assert told in ([known], [])
    assert agent["score"]["n"] == 2 * known
    assert "served by the stand-in" in sociolab("realism", "talk", "--people", "bargains").out


def test_a_prompt_set_with_a_reply_form_of_its_own_has_no_place_for_deals(
    imported: Sociolab, tmp_path: Path
) -> None:
    own = tmp_path / "own"
    shutil.copytree(Path(sotopia.__file__).parent / "prompts" / "paper", own)
    with (own / "manifest.toml").open("a", encoding="utf-8") as manifest:
        manifest.write('\n[layout]\nreply_form = "in prompt"\n')
    play = ("--data", "camps", "--agent", "scripted", "--set", f"prompts={own}")
    refused = imported("run", "sotopia", *play, "--name", "odd")
    assert (refused.code, refused.sentence) == (
        2,
        "sociolab: camps has scenarios that close by deals, for which the prompt set own has no "
        "form: it asks for replies in a form of its own; choose another one, such as --set "
        "prompts=paper",
    )


def test_people_beside_others_need_people_and_common_tasks(imported: Sociolab) -> None:
    nobody = imported("report", "camps", "--people", "mine")
    assert (nobody.code, nobody.sentence) == (
        2,
        "sociolab: --people: expected a run that people played, found mine, played by scripted",
    )
    imported("import", "dealornodeal", OURS / "bargains.txt", "--name", "bargains")
    for verb in ("report", "realism"):
        apart = imported(verb, "mine", "--people", "bargains")
        assert apart.code == 2
        assert "mine and bargains have no task in common" in apart.sentence
    unknown = imported("realism", "mine", "--people", "camp")
    assert unknown.code == 2
    assert "camp" in unknown.sentence


# ------------------------------------------------------------------ files that cannot be read


def _without_points(rows: Any) -> Any:
    del rows[1]["participant_info"]["ann"]["outcomes"]
    return rows


def _other_points(rows: Any) -> Any:
    rows[0]["participant_info"]["bea"]["outcomes"]["points_scored"] = 23
    return rows


def _too_much(rows: Any) -> Any:
    rows[0]["chat_logs"][3]["task_data"]["issue2youget"]["Food"] = "4"
    return rows


def _twice(rows: Any) -> Any:
    return [*rows, rows[0]]


def _third_person(rows: Any) -> Any:
    rows[3]["chat_logs"][0]["id"] = "cleo"
    return rows


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (_without_points, "dialogue 2: participant_info.ann.outcomes is missing"),
        (_other_points, "dialogue 1: the deal on record is worth 22 points to robin, and the file"),
        (_too_much, "dialogue 1: expected a deal over 3 packages each, found 4 food, 1 water"),
        (_twice, "dialogue 5: the dialogue casino-11 comes a second time"),
        (_third_person, "dialogue 4: expected "),
        (lambda rows: {"rows": rows}, "expected a list of dialogues, found dict"),
        (lambda rows: [], 'expected dialogues with "chat_logs", found none'),
    ],
)
def test_a_spoilt_casino_file_gets_one_sentence_and_leaves_nothing(
    sociolab: Sociolab, tmp_path: Path, spoil: Callable[[Any], Any], sentence: str
) -> None:
    rows = json.loads((OURS / "camps.json").read_text("utf-8"))
    file = tmp_path / "spoilt.json"
    file.write_text(json.dumps(spoil(rows)), "utf-8")
    done = sociolab("import", "casino", file, "--name", "spoilt")
    assert done.code == 2
    assert sentence in done.sentence
    assert "spoilt" not in sociolab("list", "runs").out
    assert not list((tmp_path / "lab").glob("data/*/spoilt"))


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("<input> 1 4 4 1 1 2", "<input> 1 4 4 1 1", "line 1: expected <input> of six numbers"),
        ("<input> 1 4 4 1 1 2", "<input> 1 4 3 1 1 2", "line 1: expected the same counts"),
        (
            "item1=4 item2=0",
            "item1=3 item2=0",
            "line 1: expected <output> to divide 1 books, 4 hat",
        ),
        ("YOU: all hats", "WE: all hats", "line 3: expected <input> of six numbers, <dialogue> of"),
        ("1 2 4 2 1 0", "1 0 4 0 1 0", "line 1: division: expected goods that are worth something"),
    ],
)
def test_a_spoilt_line_of_deal_or_no_deal_is_named(
    sociolab: Sociolab, tmp_path: Path, old: str, new: str, sentence: str
) -> None:
    file = tmp_path / "val.txt"
    file.write_text((OURS / "bargains.txt").read_text("utf-8").replace(old, new), "utf-8")
    done = sociolab("import", "dealornodeal", file, "--name", "spoilt")
    assert done.code == 2
    assert sentence in done.sentence


def test_a_file_that_was_cut_off_gets_one_sentence(sociolab: Sociolab, tmp_path: Path) -> None:
    packed = gzip.compress((OURS / "camps.json").read_bytes())
    (tmp_path / "camps.json.gz").write_bytes(packed[: len(packed) // 2])
    done = sociolab("import", "casino", tmp_path / "camps.json.gz", "--name", "cut")
    assert done.code == 2
    assert "cannot be read" in done.sentence
    (tmp_path / "half.json").write_text((OURS / "camps.json").read_text("utf-8")[:500], "utf-8")
    done = sociolab("import", "casino", tmp_path / "half.json", "--name", "cut")
    assert done.code == 2
    assert "expected JSON" in done.sentence
    done = sociolab("import", "casino", OURS / "bargains.txt", "--name", "cut")
    assert done.code == 2
