"""`sociolab reproduce`: each recipe runs whole on the local endpoint; what stands beside what."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from casts import seated
from cli.conftest import Sociolab
from declared_worlds import declared
from rating_runs import ADA, BEN, MODEL, casting, play
from sociolab import result_of
from sociolab.app import Models, tool_names
from sociolab.app.tools import find_tool, run_tool
from sociolab.core import JudgeId, Measure, Prompts, Score, Task, Trial
from sociolab.endpoint import EndpointProcess, EndpointSettings, start_in_process
from sociolab.plugin import sheet
from sociolab.plugin.api import Findings
from sociolab.plugin.recipe import RecipeConfig, Yours, figure, reproduced, standing
from sociolab.report.formatting import NOTHING
from sociolab.stats import Estimate
from sociolab.store import Store

GOAL = Measure("goal", 0, 10, whole=True, title="GOAL")
PEOPLE, JUDGE = JudgeId("raters", "people", "1"), JudgeId("openai/judge", "model", "1")
MODEL_AGENT, JUDGED = ("--agent", "openai/m"), ("--judge", "openai/j")
BACKGROUND = ("--background", "openai/b")


@pytest.fixture(scope="module")
def endpoint() -> Iterator[EndpointProcess]:
    with start_in_process(EndpointSettings()) as process:
        yield process


# ------------------------------------------------------------------ runs with people

CASTS = (("human", MODEL), (MODEL, "human"), ("human", "human"))
JUDGE_GAVE = ((8, 4), (6, 6), (9, 9))
"""By trial, what the judge gave ADA and BEN in goal."""
PEOPLE_GAVE = ((7, 3), (4, 8), (9, 5))


def with_people(
    path: Path, scored: bool = True, dimensions: Sequence[str] = (), agent: str = MODEL
) -> None:
    """At each of three stalls, a person with an agent in both seats and two people; "people".

    All are scored in GOAL, and with the same values in further `dimensions`.
    """
    measures = (GOAL, *(Measure(name, -10, 10, whole=True) for name in dimensions))
    trials = []
    for number in range(3):
        content = casting(number).model_dump_json()
        task = Task(f"stall-{number}.1", (ADA, BEN), f"stall-{number}", content, ("bargain",))
        for place, (ada, ben) in enumerate(CASTS):
            ada, ben = (agent if who == MODEL else who for who in (ada, ben))
            cast = (seated(ADA, ada), seated(BEN, ben))
            trials.append(Trial(f"t{number}{place}", "sotopia", task, cast, 0, 0))
    with Store.open(path) as store:
        settings: Any = {"agents": [[agent, "m"]], "partner": ["human", "h"]}
        store.create_run("people", "sotopia", settings, trials, declared("sotopia", trials))
        for number, one in enumerate(trials):
            play(store, "people", one)
            gave = ((PEOPLE, PEOPLE_GAVE), (JUDGE, JUDGE_GAVE)) if scored else ()
            for judge, values in (*gave, *(() if scored else ((PEOPLE, PEOPLE_GAVE),))):
                scores = [
                    Score(measure, seat, max(0, value - number // 3), "[r1] why")
                    for measure in measures
                    for seat, value in zip((ADA, BEN), values[number % 3], strict=True)
                ]
                store.verdicts.add("people", judge, scores, trial=one.id)


def recipe(name: str, **given: Any) -> Findings:
    """What a recipe finds, in this process."""
    tool = find_tool(name, "recipes")
    assert tool is not None
    return run_tool(tool, tool.config(**given), lambda step: None)


def figures(found: Findings, metric: str = "goal") -> dict[tuple[str, str], dict[str, Any]]:
    return {
        (one["who"], one["part"]): one for one in found.document()["figures"]
        if one["metric"] == metric
    }  # fmt: skip


def test_table_1_is_pearsons_r_of_judge_and_people_by_who_played(tmp_path: Path) -> None:
    with_people(tmp_path / "s.db")
    findings = recipe("sotopia-table1", runs=("people",), store=tmp_path / "s.db")
    assert "n: openai/judge 6 pairs" in findings.sections[0].tables[0].notes
    found = figures(findings)
    models = found["openai/judge", "models"]
    # The model's scores at stall n: judge 4 - n and 6 - n, people 3 - n and 4 - n, of n = 0, 1, 2:
    # x = 4, 6, 3, 5, 2, 4 (mean 4), y = 3, 4, 2, 3, 1, 2 (mean 2.5); sums of products of deviations
    # xy 7, xx 10, yy 5.5: r = 7 / sqrt(55) = .9439.
    assert models["value"] == pytest.approx(7 / 55**0.5)
    assert (models["n"], models["published"], models["published_row"]) == (6, 0.71, "GPT-4")
    people = found["openai/judge", "people"]
    assert (people["n"], people["published"]) == (12, 0.78)
    assert people["inside"] is None  # the prompts are none of the authors'


def test_table_1_has_the_papers_dimensions_alone_where_all_seven_were_rated(
    tmp_path: Path,
) -> None:
    columns = sheet("sociolab.worlds.sotopia", "sotopia-table1").columns
    with_people(tmp_path / "s.db", dimensions=[name for name in columns if name != "goal"])
    found = recipe("sotopia-table1", runs=("people",), store=tmp_path / "s.db").document()
    assert {one["metric"] for one in found["figures"]} == {*columns}
    assert {one["published"] is None for one in found["figures"]} == {True, False}


def test_stored_scores_fill_tables_without_a_model(tmp_path: Path) -> None:
    with_people(tmp_path / "s.db")
    given: Any = {"stored": "people", "store": tmp_path / "s.db"}
    findings = recipe("sotopia-table2", **given)
    # By the judge, over the three stalls: the model 4, 6 less 0, 1, 2: mean 4.
    model = figures(findings)[MODEL, "all"]
    assert (model["value"], model["n"]) == (pytest.approx(4), 6)
    assert "The stored scores of people, by openai/judge" in findings.sections[0].sentences[0]
    by_partner = figures(recipe("sotopia-figure-f4", **given))
    assert {key: one["value"] for key, one in by_partner.items()} == {
        (MODEL, "with human"): pytest.approx(4)
    }


def test_stored_scores_on_hard_tasks_are_chosen_by_themselves_or_named(tmp_path: Path) -> None:
    with_people(tmp_path / "s.db", dimensions=("overall",))
    given: Any = {"stored": "people", "store": tmp_path / "s.db"}
    with Store.open(tmp_path / "s.db", create=False) as store:
        task = sorted({row.trial.task.id for row in store.trials("people")})[0]
    one = figures(recipe("sotopia-hard", tasks=task, **given))
    assert one[MODEL, "all"]["n"] == 2
    chosen = recipe("sotopia-hard", **given)
    assert figures(chosen)[MODEL, "all"]["n"] == 6
    assert "chosen by these very scores" in " ".join(chosen.sections[0].cautions)


@pytest.mark.parametrize("name", ["sotopia-table1", "sotopia-table3"])
def test_a_dry_run_needs_no_judge_where_the_recipe_needs_none(
    sociolab: Sociolab, tmp_path: Path, name: str
) -> None:
    with_people(tmp_path / "s.db")
    command = ("reproduce", name, "--run", "people", "--store", "s.db", "--json")
    assert sociolab(*command).code == 0
    dry = sociolab(*command, "--dry-run")
    assert dry.code == 0, dry.err
    assert dry.document["calls"] == [0, 0]


def test_table_3_parts_people_and_models_by_whom_they_met(tmp_path: Path) -> None:
    with_people(tmp_path / "s.db")
    findings = recipe("sotopia-table3", runs=("people",), store=tmp_path / "s.db")
    found = figures(findings)
    # By the judge, over the three stalls: the model 4, 6 less 0, 1, 2: mean 4; people with it
    # 8, 6 less as much: 6; two people 9, 9: 8.
    by = {part: one["value"] for (_, part), one in found.items()}
    assert by["model with a person, by a judge"] == pytest.approx(4)
    assert by["person with a model, by a judge"] == pytest.approx(6)
    assert by["person with a person, by a judge"] == pytest.approx(8)
    assert by["model with a person, by raters"] == pytest.approx(2.5)
    assert found[MODEL, "model with a person, by a judge"]["published"] == 4.85
    assert found["people", "person with a model, by raters"]["published_row"] == "Human"
    (section,) = findings.sections
    tests = {table.heading: table for table in section.tables}
    table = tests[f"People less {MODEL} with people, by a judge (openai/judge)"]
    rows = {row[0]: row[1:] for row in table.rows}
    # x = 8, 6, 7, 5, 6, 4 and y = 4, 6, 3, 5, 2, 4: difference 2, both variances 2:
    # t = 2 / sqrt(2 (1/6 + 1/6)) = 2.45, p (10 degrees) .034; three tasks that all differ by 2:
    # p of sign flips 2^(1 - 3) = .25.
    assert rows["person with a model, GOAL"] == ("+2.00", "2.45", "0.034", "0.250")
    assert "6 scores of people, where the paper has 40" in " ".join(section.cautions)


def test_a_run_that_nobody_rated_or_played_is_not_judged(
    sociolab: Sociolab, tmp_path: Path
) -> None:
    sociolab("run", "sotopia", "--limit", 1, "--name", "alone", "--store", "s.db")
    for name, said in (("table1", "no ratings by people in alone"), ("table3", "nobody did")):
        done = sociolab("reproduce", f"sotopia-{name}", "--run", "alone", *JUDGED, "--base-url",
                        "http://127.0.0.1:9/v1", "--store", "s.db")  # fmt: skip
        assert done.code == 2
        assert said in done.sentence


# ------------------------------------------------------------------ whole, on the local endpoint


PLAYED: dict[str, tuple[tuple[object, ...], str, set[str]]] = {
    "sotopia-table2": ((*JUDGED, "--set", "turns=4"), "all", {"goal", "secret"}),
    "sotopia-figure-f4": ((*JUDGED, "--set", "turns=4"), "with openai/b", {"goal", "secret"}),
    "sotopia-hard": ((*JUDGED, "--set", "turns=4"), "all", {"goal"}),
    "anteval-table1": (
        (*JUDGED, "--set", "turns=4", "--set", "facts=5", "--real", "sample", "--refits", 0),
        "all", {"fg_c", "g_c"}),
    "anteval-table2": (
        ("--set", "turns=4", "--real", "sample", "--refits", 0, "--dm", "linear",
         "--dm", "openai/dm?examples=2"),
        "GPT-3.5-lc", {"f0_c", "fr_c", "fg_c", "f0_o", "fr_o", "fg_o"}),
    "stss-table3": ((*JUDGED, "--set", "rounds=2"), "GA + TDP",
                    {"conversation_sr", "summary_gcsr_macro"}),
    "stss-table4": ((*JUDGED, "--arm", "tdp", "--set", "step=60", "--set", "mind=lean"),
                    "lean mind + TDP",
                    {"overall", "conversation_ratio"}),
    "stss-5.3": ((*JUDGED, "--arm", "plain", "--set", "step=60", "--set", "mind=lean"), "lean mind",
                 {"conversation_sr", "overall", "lost"}),
}  # fmt: skip
"""Of each recipe that plays: what is given beside an agent and a background of its own, and a part
of the paper's table with some of the metrics that it then has."""
STORED = {"sotopia-table1", "sotopia-table3"}


def test_every_recipe_is_tried_here() -> None:
    of_files = {"sotopia-pi-human"}  # see test_public_ratings.py
    assert {*tool_names("recipes")} == {*PLAYED} | STORED | of_files


@pytest.mark.parametrize("name", PLAYED)
def test_each_recipe_scores_its_agent_alone_and_sets_no_stand_in_beside_the_paper(
    sociolab: Sociolab, endpoint: EndpointProcess, tmp_path: Path, name: str
) -> None:
    more, part, metrics = PLAYED[name]
    limit = 6 if "anteval" in name or "5.3" in name else 8 if name == "stss-table3" else 1
    command = ("reproduce", name, *MODEL_AGENT, *BACKGROUND, *more, "--limit", limit,
               "--base-url", endpoint.url, "--store", "s.db")  # fmt: skip
    done = sociolab(*command, "--json", "--markdown", "f.md")
    assert done.code == 0, done.err
    assert "Traceback" not in done.err
    found = done.document
    assert found["recipe"] == name
    assert found["pilot"] is True
    assert {one["published"] for one in found["figures"]} == {None}
    assert metrics <= {one["metric"] for one in found["figures"] if one["part"] == part}
    assert {one["who"].partition(",")[0] for one in found["figures"]} == {"openai/m"}
    page = (tmp_path / "f.md").read_text("utf-8")
    columns = {head: {*cells} for head, *cells in columns_of(page) if "95 %" in head}
    assert all("openai/m" in head and cells != {NOTHING} for head, cells in columns.items())
    assert columns
    assert not re.search(r"^n: .*openai/b| 0 scores$", page, re.MULTILINE)
    told = " ".join(found["cautions"])
    assert "A pilot on at most" in told
    assert "The published figures are left out" in told or name == "sotopia-hard"
    assert found["cannot_be_repeated"]
    # Of the hard tasks it is not known beforehand which they are; of both levels, the town is lived
    # again to be priced, as for table 4.
    if name not in ("sotopia-hard", "stss-5.3"):
        dry = sociolab(*command, "--dry-run", "--json").document
        assert all(run["played"] == run["trials"] for run in dry["runs"].values())


def columns_of(page: str) -> Iterator[list[str]]:
    """The columns of the tables of a Markdown file, each below its heading."""
    for block in page.split("\n\n"):
        rows = [line.strip("|").split("|") for line in block.splitlines() if line.startswith("|")]
        if rows:
            head, _, *body = rows
            for column in zip(head, *body, strict=True):
                yield [cell.strip() for cell in column]


def test_a_judging_of_stored_runs_is_priced_then_done_and_marked(
    sociolab: Sociolab, endpoint: EndpointProcess, tmp_path: Path
) -> None:
    with_people(tmp_path / "s.db", scored=False)
    for name in ("sotopia-table1", "sotopia-table3"):
        command = ("reproduce", name, "--run", "people", *JUDGED, "--base-url", endpoint.url,
                   "--store", "s.db")  # fmt: skip
        first = name == "sotopia-table1"
        priced = sociolab(*command, "--dry-run", "--json")
        assert priced.code == 0, priced.err
        dry = priced.document
        assert dry["runs"]["people"]["played"] == (0 if first else 9)
        assert dry["runs"]["people"]["exams"] == []  # a stand-in sits none
        assert dry["calls"] == ([9, 9] if first else [0, 0])
        elsewhere = (*command, "--dry-run", "--json", "--base-url", "http://127.0.0.1:9/v1")
        real = sociolab(*elsewhere).document
        exams = [(exam["judge"], exam["calls"]) for exam in real["runs"]["people"]["exams"]]
        assert exams == [("openai/j", 20)]
        assert real["calls"] == ([29, 29] if first else [20, 20])
        assert sociolab(*elsewhere, "--exam", "off").document["calls"] == dry["calls"]
        found = sociolab(*command, "--json")
        assert found.code == 0, found.err
        judged = [one for one in found.document["figures"] if "raters" not in one["part"]]
        assert {one["published"] for one in judged} == {None}
    with Store.open(tmp_path / "s.db", create=False) as store:
        settings: Any = store.run("people").settings
    assert settings["stand_ins"] == ["openai/j"]


def test_a_run_and_a_judging_note_the_models_that_the_stand_in_served(
    sociolab: Sociolab, endpoint: EndpointProcess, tmp_path: Path
) -> None:
    store = ("--base-url", endpoint.url, "--store", "s.db")
    run = ("run", "sotopia", *MODEL_AGENT, "--agent", "openai/n", "--limit", 1, "--set", "turns=2")
    played = sociolab(*run, *JUDGED, "--tag", "mine", "--name", "first", *store)
    assert played.code == 0, played.err
    caution = "openai/m, openai/n, openai/j were served by the stand-in endpoint"
    for command in (("report", "first", "--html", "f.html"), ("compare", "first")):
        told = sociolab(*command, "--store", "s.db")
        assert told.code == 0, told.err
        assert " ".join(told.out.split()).count(caution) == 1
    assert (tmp_path / "f.html").read_text("utf-8").count(caution) == 1
    assert sociolab("judge", "first", "--judge", "openai/k", *store).code == 0
    with Store.open(tmp_path / "s.db", create=False) as opened:
        result = result_of(opened, "first")
        with_people(tmp_path / "s.db")
    assert result.recorded["tags"] == ["mine"]
    assert result.recorded["stand_ins"] == [f"openai/{name}" for name in "mnjk"]
    assert "stand-in" in standing([result], (), "openai/k")[0]
    # A judge that was not the stand-in may stand beside the paper, and one that was may not.
    judged = sociolab("judge", "people", *JUDGED, *store)
    assert judged.code == 0, judged.err
    found = recipe("sotopia-table1", runs=("people",), store=tmp_path / "s.db").document()
    rows = {(one["who"], one["published_row"]) for one in found["figures"]}
    assert rows == {("openai/judge", "GPT-4"), ("openai/j", None)}
    (left_out,) = (one for one in found["cautions"] if "published" in one)
    assert left_out.startswith("The published figures are left out beside openai/j. openai/j: the")
    # A judge that is named stands alone, and nobody else's missing scores are counted.
    for name in ("sotopia-table1", "sotopia-table3"):
        given: Any = {"runs": ("people",), "store": tmp_path / "s.db", "base_url": endpoint.url}
        alone = recipe(name, **given, judges=("openai/j",)).document()
        judges = {one["who"] for one in alone["figures"]}
        assert judges == {"openai/j"} if name == "sotopia-table1" else "openai/judge" not in judges
        assert {one["published"] for one in alone["figures"] if "raters" not in one["part"]} == {
            None
        }


def test_the_price_of_a_recipe_is_told_before_anything_is_called(
    sociolab: Sociolab, tmp_path: Path
) -> None:
    done = sociolab("reproduce", "sotopia-table2", *MODEL_AGENT, *JUDGED, "--dry-run", "--json",
                    "--base-url", "http://127.0.0.1:9/v1", "--store", "s.db", "--csv",
                    "f.csv")  # fmt: skip
    assert done.document["runs"]["reproduce-grid"]["trials"] == 450
    low, high = done.document["calls"]
    assert 450 < low < high
    with (tmp_path / "f.csv").open() as file:
        rows = {(row["about"], row["figure"]): row for row in csv.DictReader(file)}
    assert rows["run=reproduce-grid", "trials"]["value"] == "450"
    calls = rows["run=all", "calls"]
    assert (calls["low"], calls["high"]) == (str(low), str(high))
    assert not (tmp_path / "s.db").exists()


def test_the_exam_of_a_judge_is_priced_once_for_all_runs_of_a_world(
    sociolab: Sociolab, tmp_path: Path
) -> None:
    (tmp_path / "models.toml").write_text('[prices."openai/j"]\ninput = 1.0\noutput = 4.0\n')
    command = ("reproduce", "stss-5.3", "--agent", "scripted", *JUDGED, "--limit", 1, "--set",
               "mind=lean", "--dry-run", "--base-url", "http://127.0.0.1:9/v1",
               "--store", "s.db")  # fmt: skip
    dry = sociolab(*command, "--json", "--markdown", "f.md").document
    assert [len(run["exams"]) for run in dry["runs"].values()] == [1, 1, 1, 1]
    talk, town = (run["exams"][0] for run in list(dry["runs"].values())[:2])
    assert (talk["world"], talk["calls"], town["world"]) == ("stss-talk", 40, "stss")
    for what in ("calls", "cost_usd"):
        exams = talk[what] + town[what]
        assert exams > 0
        played = [
            sum(run["cases"][end][what] for run in dry["runs"].values()) for end in (0, 1)
        ]  # the low end and the high one
        assert dry[what] == pytest.approx([end + exams for end in played])
    shown = (tmp_path / "f.md").read_text("utf-8")
    assert re.search(r"\| exam of openai/j \(stss-talk\) \| \S+ \| \S+ \| 40 \| \\\$", shown), shown
    assert "exam: once for each new judge; --exam off skips it" in shown
    talks = ("reproduce", "stss-table3", *command[2:])
    runs = sociolab(*talks, "--exam", "off", "--json").document["runs"]
    assert [run["exams"] for run in runs.values()] == [[], []]


def test_rule_based_players_stand_alone(sociolab: Sociolab) -> None:
    done = sociolab("reproduce", "stss-table4", "--agent", "scripted", "--arm", "plain", "--limit",
                    1, "--store", "s.db", "--csv", "f.csv")  # fmt: skip
    assert done.code == 0, done.err
    assert "left out. scripted: rule-based" in done.out
    assert "published" not in done.out.replace("The published figures", "")
    assert "mind of Generative Agents" in done.out
    lean = sociolab("reproduce", "stss-table4", "--agent", "scripted", "--arm", "plain", "--limit",
                    1, "--set", "mind=lean", "--name", "lean", "--store", "s.db",
                    "--json")  # fmt: skip
    assert {figure["part"] for figure in lean.document["figures"]} == {"lean mind"}


def test_without_a_name_all_recipes_are_listed_with_what_they_need(sociolab: Sociolab) -> None:
    told = " ".join(sociolab("reproduce").out.split())
    for words in ("sotopia-table1", "stss-5.3", "--real", "in part:", "as a method"):
        assert words in told


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("sotopia-table2",), "expected --agent openai/MODEL, found none"),
        (("sotopia-table2", *MODEL_AGENT), "expected --judge openai/MODEL, found none"),
        (("sotopia-table2", *MODEL_AGENT, "--run", "r"), "plays nothing: leave out --agent"),
        (("sotopia-table1",), "expected --run RUN, found none"),
        (("sotopia-table3",), "sotopia-table3 needs runs that people played"),
        (("anteval-table2", *MODEL_AGENT), "expected --real DATA, found none"),
        (("sotopia-table2", *MODEL_AGENT, *JUDGED, "--as", "GPT-9"), "row of the paper (GPT-4,"),
        (("anteval-table2", *MODEL_AGENT, "--real", "x"), "--real: there is no data set"),
        (("anteval-table2", *MODEL_AGENT, "--real", "sample", "--dm", "x"), "no virtual DM"),
        (("anteval-table2", *MODEL_AGENT, *JUDGED, "--real", "sample"), "expected no --judge"),
        (("stss-table4", *MODEL_AGENT, "--arm", "x"), "expected plain or tdp"),
        (("stss-table4", *MODEL_AGENT, "--set", "mind=none"), "the setting mind: "),
    ],
)
def test_what_is_missing_is_one_sentence(
    sociolab: Sociolab, tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    done = sociolab("reproduce", *words, "--store", "s.db")
    assert done.code == 2
    assert said in done.sentence
    assert not (tmp_path / "s.db").exists()


@pytest.mark.parametrize("name", sorted(STORED))
@pytest.mark.parametrize("option", [MODEL_AGENT, BACKGROUND, ("--limit", 1), ("--seed", 1)])
def test_a_recipe_of_stored_runs_refuses_what_it_would_not_use(
    sociolab: Sociolab, tmp_path: Path, name: str, option: tuple[object, ...]
) -> None:
    with_people(tmp_path / "s.db")
    done = sociolab("reproduce", name, "--run", "people", *option, "--store", "s.db")
    assert done.code == 2
    assert f"No such option: {option[0]}" in done.err


def test_published_figures_stand_beside_no_rule_based_player_of_a_stored_run(
    endpoint: EndpointProcess, tmp_path: Path
) -> None:
    given: Any = {"store": tmp_path / "s.db", "runs": ("people",)}
    with_people(tmp_path / "s.db", agent="scripted")
    found = recipe("sotopia-table1", **given).document()
    assert {one["published"] for one in found["figures"]} == {None}
    assert "scripted: rule-based" in " ".join(found["cautions"])


# ------------------------------------------------------------------ beside the paper's


def test_models_stand_beside_the_rows_that_were_asked_for(
    sociolab: Sociolab, endpoint: EndpointProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def a_real_one(self: Models, spec: object) -> bool:
        return False

    monkeypatch.setattr(Models, "is_stand_in", a_real_one)
    store = tmp_path / "s.db"
    given: Any = {"agents": ("openai/a", "openai/b"), "judges": ("openai/j",), "limit": 1,
                  "settings": {"turns": "3"}, "base_url": endpoint.url, "store": store}  # fmt: skip
    every = recipe("sotopia-table2", **given)
    rows = {one["published_row"] for one in every.document()["figures"]}
    assert rows == {"GPT-4", "GPT-3.5", "Llama-2-70b-chat", "MPT-30b-chat"}
    found = recipe("sotopia-table2", **given, beside=("GPT-4", "openai/b=GPT-3.5"))
    by = figures(found)
    assert by["openai/a", "all"]["published"] == 7.62
    assert by["openai/b", "all"]["published"] == 6.45
    tables = found.sections[0].tables
    assert [table.columns[1] for table in tables[:2]] == ["GPT-4, published", "GPT-3.5, published"]
    assert "inside?" not in tables[0].columns
    assert "published: SOTOPIA (arXiv 2310.11667), Table 2" in tables[0].notes
    done = sociolab("reproduce", "sotopia-table2", "--agent", "openai/a", "--agent", "openai/b",
                    *JUDGED, "--limit", 1, "--set", "turns=3", "--as", "GPT-4", "--base-url",
                    endpoint.url, "--store", "s.db", "--csv", "f.csv", "--latex", "f.tex",
                    "--markdown", "f.md", "--html", "f.html")  # fmt: skip
    assert done.code == 0, done.err
    with (tmp_path / "f.csv").open() as file:
        assert {row["who"] for row in csv.DictReader(file)} == {"openai/a", "openai/b"}
    assert "inside" not in (tmp_path / "f.tex").read_text("utf-8")


def test_instructions_are_the_authors_own_where_players_and_judge_had_them(
    endpoint: EndpointProcess, tmp_path: Path
) -> None:
    given: Any = {"agents": ("openai/a",), "judges": ("openai/j",), "limit": 1,
                  "settings": {"turns": "2"}, "base_url": endpoint.url}  # fmt: skip
    (result,) = recipe("sotopia-table2", **given, store=tmp_path / "s.db").results
    why, original = standing([result], ("openai/a",), "openai/j")
    assert "stand-in" in why
    assert not original
    theirs = {"name": "original", "standing": "verified original", "hash": "ab"}
    played = result.model_copy(
        update={"settings": {**result.recorded, "instructions": theirs, "stand_ins": []}}
    )
    assert standing([played], ("openai/a",), "openai/j") == ("", False)
    texts = {"prompts": Prompts("verified original", "ab")}
    judges = tuple(one.model_copy(update=texts) for one in result.judges)
    both = played.model_copy(update={"judges": judges})
    assert standing([both], ("openai/a",), "openai/j") == ("", True)
    assert standing([both, result], ("openai/a",), "openai/j")[1] is False


def test_agents_of_one_arm_share_a_table() -> None:
    yours = [
        Yours(who, part, {"overall": figure(Estimate(0.5, 30, 30, 0.4, 0.6, "t"))})
        for who in ("openai/a", "openai/b")
        for part in ("GA", "GA + TDP")
    ]
    found = reproduced(sheet("sociolab.worlds.stss", "stss-table4"), yours,
                       RecipeConfig(beside=("GPT-4",)), ())  # fmt: skip
    tables = found.sections[0].tables
    assert [table.columns[1:] for table in tables[:2]] == [
        ("GPT-4, published", "openai/a [95 %]", "openai/b [95 %]")
    ] * 2
    assert [{row[0]: row[1] for row in table.rows}["overall"] for table in tables[:2]] == [
        "0.399", "0.550",
    ]  # fmt: skip


def ascii_of(cell: str) -> str:
    """With the hyphens of a keyboard."""
    return cell.replace("\N{MINUS SIGN}", "-").replace("\N{EN DASH}", "-")


def placed(original: bool, **given: Any) -> Any:
    """The first table of figures by hand, beside GPT-4 of SOTOPIA's Table 2."""
    yours = Yours(
        "openai/a",
        "all",
        {
            "goal": figure(Estimate(7.5, 900, 90, 7.3, 7.7, "t")),
            "social_rules": figure(Estimate(-0.2, 900, 90, -0.3, -0.1, "t")),
            "secret": figure(Estimate(0.0, 900, 90, None, None, "none")),
        },
        original=original,
    )
    config = RecipeConfig(beside=("GPT-4",), **given)
    found = reproduced(sheet("sociolab.worlds.sotopia", "sotopia-table2"), [yours], config, ())
    return found.sections[0].tables[0]


def test_whether_the_papers_figure_lies_inside_is_asked_of_original_prompts_alone() -> None:
    table = placed(original=True)
    assert table.columns == ("", "GPT-4, published", "openai/a [95 %]", "inside?")
    rows = {row[0]: tuple(map(ascii_of, row[1:])) for row in table.rows}
    # 7.62 lies in [7.3, 7.7], -0.07 above [-0.3, -0.1].
    assert rows["GOAL"] == ("7.62", "7.50 [7.30, 7.70]", "yes")
    assert rows["SOC"] == ("-0.07", "-0.20 [-0.30, -0.10]", "no")
    assert rows["SEC"] == ("-0.14", "0.00", "-")
    assert rows["BEL"] == ("9.28", "-", "-")
    assert "inside?" not in placed(original=False).columns
    assert "inside?" not in placed(original=True, limit=5).columns
