"""What a user without a model can do, command by command."""

from __future__ import annotations

import json
import re
from pathlib import Path

from cli.conftest import Sociolab


def test_twenty_tasks_are_played_offline_without_any_set_up(started: Sociolab) -> None:
    done = started("run", "sotopia", "--limit", 20, "--seed", 1, "--json")
    assert done.code == 0, done.err
    result = done.document
    assert (result["schema"], result["world"]) == (1, "sotopia")
    assert (result["trials"], result["failed"], result["calls"]) == (20, 0, 0)
    methods = {score["method"] for score in result["scores"]}
    assert methods <= {"rules", "heuristic", "formula"}
    assert "model" not in methods


def test_the_same_seed_gives_the_same_scores(started: Sociolab) -> None:
    first, again = (
        started("run", "sotopia", "--limit", 6, "--seed", 3, "--json").document for _ in range(2)
    )
    other = started("run", "sotopia", "--limit", 6, "--seed", 4, "--json").document
    assert first["scores"] == again["scores"]
    assert first["scores"] != other["scores"]


def test_a_table_names_the_judge_and_that_it_is_no_model(sociolab: Sociolab) -> None:
    done = sociolab("run", "sotopia", "--tasks", "bargain", "--limit", 3)
    assert done.code == 0, done.err
    assert "judge outcome: the goal's formula" in done.out
    assert "applied to the outcome on record" in " ".join(done.out.split())
    assert "scripted" in done.out
    assert all(len(line) <= 80 for line in done.out.splitlines())


def test_progress_goes_to_stderr_in_plain_lines_without_a_terminal(sociolab: Sociolab) -> None:
    done = sociolab("run", "sotopia", "--limit", 3, "--name", "a", "--json")
    assert "3/3 episodes" in done.err
    assert "\x1b" not in done.err + done.out
    json.loads(done.out)


def test_a_run_is_listed_shown_reported_renamed_exported_and_deleted(
    sociolab: Sociolab, tmp_path: Path
) -> None:
    bargains = ("--tasks", "bargain", "--limit", 2)
    assert sociolab("run", "sotopia", *bargains, "--name", "a").code == 0
    runs = sociolab("list", "--json").document["runs"]
    assert [(run["run"], run["played"]) for run in runs] == [("a", 2)]

    episode = sociolab("list", "episodes", "--json").document["episodes"][0]
    shown = sociolab("show", episode["episode"][:10])
    assert shown.code == 0, shown.err
    assert "Goal:" in shown.out
    assert "Scores by" in shown.out

    page = tmp_path / "page.html"
    assert sociolab("report", "a", "--html", page).code == 0
    assert page.read_text("utf-8").lower().startswith("<!doctype html>")

    assert sociolab("rename", "a", "b").code == 0
    assert sociolab("export", "b", tmp_path / "b.zip").code == 0
    assert sociolab("import", "run", tmp_path / "b.zip", "--name", "c").code == 0
    reports = [sociolab("report", name, "--json").document["scores"] for name in ("b", "c")]
    assert reports[0] == reports[1]

    assert sociolab("delete", "b", "--yes").code == 0
    assert [run["run"] for run in sociolab("list", "--json").document["runs"]] == ["c"]


def test_what_one_seat_saw_holds_neither_the_others_secret_nor_goal(sociolab: Sociolab) -> None:
    sociolab("run", "sotopia", "--tasks", "bargain", "--limit", 1, "--name", "a")
    episode = sociolab("list", "episodes", "--json").document["episodes"][0]
    whole = sociolab("show", episode["episode"]).out
    one, other = episode["task"].split(".")[1:]
    seen = [sociolab("show", episode["episode"], "--as", seat).out for seat in (one, other)]
    secrets = [line.split("Secret: ")[1][:20] for line in whole.splitlines() if "Secret: " in line]
    assert len(secrets) == 2
    assert secrets[0] in seen[0]
    assert secrets[1] not in seen[0]
    assert secrets[1] in seen[1]
    assert secrets[0] not in seen[1]


def test_a_larger_limit_and_more_repeats_extend_a_run(sociolab: Sociolab) -> None:
    run = ("run", "sotopia", "--agent", "scripted", "--seed", 3, "--json")
    small = sociolab(*run, "--limit", 4, "--name", "grown").document
    grown = sociolab(*run, "--limit", 9, "--repeats", 2, "--name", "grown").document
    whole = sociolab(*run, "--limit", 9, "--repeats", 2, "--name", "whole").document
    assert (small["played"], grown["played"], grown["trials"]) == (4, 18, 18)
    assert grown["scores"] == whole["scores"]
    refused = sociolab(*run, "--limit", 8, "--repeats", 2, "--name", "grown")
    assert refused.code == 2
    assert 'the run "grown" is larger (limit 9, now 8)' in refused.sentence


def test_a_shard_is_not_extended(sociolab: Sociolab) -> None:
    run = ("run", "sotopia", "--shard", "1/2", "--name", "part", "--limit")
    assert sociolab(*run, 4).code == 0
    refused = sociolab(*run, 6)
    assert refused.code == 2
    assert "extend the merged run" in refused.sentence


def test_the_same_name_resumes_and_has_nothing_left_to_do(sociolab: Sociolab) -> None:
    command = ("run", "sotopia", "--limit", 4, "--name", "a", "--json")
    first, again = sociolab(*command), sociolab(*command)
    assert first.document["scores"] == again.document["scores"]
    assert "a: 4/4 episodes" in again.err


def test_another_setting_under_the_same_name_is_refused(sociolab: Sociolab) -> None:
    sociolab("run", "sotopia", "--limit", 2, "--name", "a")
    done = sociolab("run", "sotopia", "--limit", 2, "--seed", 5, "--name", "a")
    assert done.code == 2
    assert "seed 0, now 5" in done.sentence


def test_a_run_can_be_described_in_a_file_and_a_flag_wins(
    sociolab: Sociolab, tmp_path: Path
) -> None:
    file = tmp_path / "run.toml"
    file.write_text('world = "sotopia"\nlimit = 5\nseed = 7\nname = "f"\n', "utf-8")
    result = sociolab("run", "--file", file, "--limit", 2, "--json").document
    assert (result["trials"], result["seed"], result["run"]) == (2, 7, "f")


def test_a_class_in_the_users_folder_plays(sociolab: Sociolab, tmp_path: Path) -> None:
    (tmp_path / "my_agent.py").write_text(
        "from sociolab.core.episode import Action\n"
        "from sociolab.core.ports import Reply\n"
        "class Leaver:\n"
        "    async def reply(self, request, memory):\n"
        "        return Reply((Action('leave'),))\n",
        "utf-8",
    )
    done = sociolab("run", "sotopia", "--agent", "python:my_agent:Leaver", "--limit", 1, "--json")
    assert done.code == 0, done.err
    assert done.document["ends"] == {"left": 1}


def test_a_judge_that_breaks_is_named_in_a_sentence(sociolab: Sociolab, tmp_path: Path) -> None:
    (tmp_path / "my_judge.py").write_text(
        "from sociolab.core.score import JudgeId\n"
        "class Bad:\n"
        "    id = JudgeId('bad', 'rules')\n"
        "    async def judge(self, episode, judging=0):\n"
        "        raise ValueError('boom')\n",
        "utf-8",
    )
    sociolab("run", "sotopia", "--limit", 1, "--name", "a")
    done = sociolab("judge", "a", "--judge", "python:my_judge:Bad")
    assert done.code == 1
    assert "Traceback" not in done.err
    assert "the judge bad broke" in done.err
    assert "ValueError: boom" in done.err


def test_an_estimate_of_an_offline_run_is_that_it_is_free(sociolab: Sociolab) -> None:
    done = sociolab("run", "sotopia", "--limit", 2, "--dry-run")
    assert done.code == 0
    assert "free" in done.out
    assert sociolab("list", "--json").code == 2  # there is not even a store


def test_tasks_worlds_and_agents_are_listed(sociolab: Sociolab) -> None:
    assert len(sociolab("list", "tasks", "--json").document["tasks"]) == 450
    named = sociolab("list", "tasks", "stss", "--json").document["tasks"]
    assert named == sociolab("list", "tasks", "--world", "stss", "--json").document["tasks"]
    assert len(named) == 30
    assert [one["world"] for one in sociolab("list", "worlds", "--json").document["worlds"]] == [
        "anteval-decision", "anteval-information", "anteval-intention", "sotopia", "stss",
        "stss-talk",
    ]  # fmt: skip
    assert all(one["about"] for one in sociolab("list", "worlds", "--json").document["worlds"])
    agents = sociolab("list", "agents", "--json").document["agents"]
    assert {"scripted", "human", "openai/MODEL"} <= {agent["agent"] for agent in agents}


def test_the_documented_episode_is_printed_as_it_stands_there(sociolab: Sociolab) -> None:
    root = Path(__file__).parents[2]
    about = (root / "docs" / "episode.md").read_text("utf-8")
    play, show = re.findall(r"`sociolab ([^`]*)`", about)[:2]
    (printed,) = re.findall(r"```text\n(.*?)```", about, re.DOTALL)[:1]
    assert sociolab(*play.split()).code == 0
    shown = sociolab(*show.split(), COLUMNS="92").out
    assert [line.rstrip() for line in shown.rstrip().splitlines()] == printed.splitlines()
    readme = (root / "README.md").read_text("utf-8")
    six = readme[readme.index("## Six turns") :].split("```text\n")[1].split("```")[0]
    assert set(six.splitlines()) <= set(printed.splitlines())
