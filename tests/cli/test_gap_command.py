"""`sociolab gap`: the paper's tables from stored runs, offline and with a model as virtual DM."""

from __future__ import annotations

import csv
import json
import shutil
from collections import Counter
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from statistics import correlation
from typing import Any

import pytest

from cli.conftest import Sociolab
from sociolab import RunConfig, run
from sociolab.endpoint import (
    ChatBody,
    EndpointProcess,
    EndpointSettings,
    start_in_process,
    start_in_thread,
)
from sociolab.store import Store
from worlds.anteval.finetune_examples import encoder_checkpoint


@pytest.fixture(scope="module")
def endpoint() -> Iterator[EndpointProcess]:
    with start_in_process(EndpointSettings(characters=60)) as process:
        yield process


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a run of each of the two worlds."""
    path = tmp_path_factory.mktemp("gap") / "s.db"
    for world, name in (("intention", "g"), ("information", "i")):
        settings = {"sessions": "12", "turns": "12"}
        run(RunConfig(world=f"anteval-{world}", settings=settings, name=name, store=path))
    return path


@pytest.fixture
def played(sociolab: Sociolab, stored: Path, tmp_path: Path) -> Sociolab:
    shutil.copy(stored, tmp_path / "s.db")
    return sociolab


def gap(sociolab: Sociolab, *more: object) -> dict[str, Any]:
    done = sociolab("gap", "--real", "sample", "--generated", "g", "--store", "s.db",
                    "--refits", 2, "--json", *more)  # fmt: skip
    assert done.code == 0, done.err
    document: dict[str, Any] = done.document
    return document


def test_the_gap_of_a_run_stands_beside_its_information_exchange(played: Sociolab) -> None:
    document = gap(played, "--information", "i")
    (table,) = document["tables"]
    (row,) = table["rows"]
    fr, fg = row["fr"]["f_c"]["value"], row["fg"]["f_c"]["value"]
    signed = (fr - fg) / (fr + fg) * 100
    assert row["g_c"]["signed"]["value"] == pytest.approx(signed)
    assert row["g_c"]["printed"]["value"] == pytest.approx(abs(signed))
    assert (row["name"], row["examples"]) == ("scripted", 12)
    (scripted,) = [rung for rung in table["ladder"]["rungs"] if rung["kind"] == "agent"]
    assert row["labels"] == scripted["assigned"]
    result = played("report", "i", "--store", "s.db", "--json").document
    (iep,) = [s for s in result["scores"] if s["measure"] == "iep" and s["by"] == {}]
    assert row["information"]["value"] == pytest.approx(iep["value"])
    assert [b["name"] for b in table["baselines"]] == [
        "last speaker", "last speaker + majority skill",
    ]  # fmt: skip


def test_sample_data_and_scripted_players_are_called_so(played: Sociolab) -> None:
    done = played("gap", "--real", "sample", "--generated", "g", "--store", "s.db", "--refits", 2)
    text = " ".join(done.out.split())
    assert "not human play" in text
    assert "scripted: rule-based players" in text
    assert "baseline: last speaker" in text
    assert "No ranking of agents: scripted has 12 sessions, and a ranking needs 600 of each" in text
    for control in ("words deleted", "skills shuffled", "stated intention", "small talk"):
        assert f"{control} control" in text
    assert text.index("No ranking") < text.index("real play people") < text.index("F_c %")


def test_the_same_command_gives_the_same_figures(played: Sociolab, started: Sociolab) -> None:
    assert gap(played) == gap(started)


def test_a_model_as_virtual_dm_is_paid_once(
    played: Sociolab, endpoint: EndpointProcess, tmp_path: Path
) -> None:
    flags = ("--dm", "openai/x?examples=2", "--base-url", endpoint.url, "--refits", 0)
    first = gap(played, *flags)
    with Store.open(tmp_path / "s.db", create=False) as store:
        (name,) = [run.name for run in store.runs() if run.name.startswith("gap-")]
        calls = store.calls.totals(name).calls
    assert calls > 0
    assert gap(played, *flags) == first
    with Store.open(tmp_path / "s.db", create=False) as store:
        assert store.calls.totals(name).calls == calls
    (table,) = first["tables"]
    assert table["f0"] is not None
    assert table["ladder"] is None  # nor refits, unless asked for: each costs money


def test_turns_are_embedded_once_whatever_play_is_compared(
    played: Sociolab, endpoint: EndpointProcess, tmp_path: Path
) -> None:
    more(tmp_path, "h", seed=5)
    flags = ("--dm", "linear:openai/e", "--base-url", endpoint.url)
    calls = []
    for generated in ((), (), ("--generated", "h"), ("--generated", "h", "--most", 2)):
        (table,) = gap(played, *flags, *generated)["tables"]
        assert table["virtual_dm"] == "linear + openai/e"
        with Store.open(tmp_path / "s.db", create=False) as store:
            (name,) = [run.name for run in store.runs() if run.name.startswith("gap-")]
            calls.append(store.calls.totals(name).calls)
            assert {call.call.role for call in store.calls.all(name)} == {"embedder"}
    assert 0 < calls[0] == calls[1] < calls[2] == calls[3]


def test_vectors_from_a_checkpoint_need_no_endpoint(played: Sociolab, tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="needs the extra finetune")
    encoder_checkpoint(tmp_path / "tiny-bert")
    (table,) = gap(played, "--dm", "linear:./tiny-bert", "--refits", 0)["tables"]
    assert table["virtual_dm"] == "linear + local/tiny-bert"
    assert table["rows"][0]["g_o"]["signed"]["low"] is not None


@pytest.mark.parametrize(
    ("spec", "code", "problem"),
    [
        ("linear:wise", 2, 'expected "endpoint/model" or the folder of a checkpoint'),
        ("linear:./none", 2, "--dm: expected a folder with a checkpoint"),
        ("linear:openai/e", 1, 'check the model name "e" and the base URL'),
    ],
)
def test_what_cannot_embed_is_named_in_a_sentence(
    played: Sociolab, spec: str, code: int, problem: str
) -> None:
    with start_in_process(EndpointSettings(models=("chat",))) as chat_only:
        done = played("gap", "--real", "sample", "--generated", "g", "--store", "s.db",
                      "--dm", spec, "--base-url", chat_only.url)  # fmt: skip
    assert done.code == code
    assert problem in done.err.splitlines()[-1]
    assert "Traceback" not in done.err


def name_nobody(chat: ChatBody) -> str:
    return '{"checks": [{"character": "nobody", "skill": "arcana"}]}'


def test_a_model_whose_replies_are_of_no_use_is_given_no_figure(played: Sociolab) -> None:
    flags = ("gap", "--real", "sample", "--generated", "g", "--store", "s.db", "--dm",
             "openai/x?examples=2")  # fmt: skip
    with start_in_thread(EndpointSettings(responder=name_nobody)) as server:
        done = played(*flags, "--base-url", server.url)
    text = " ".join(done.out.split())
    assert "smoke test, not a result: the virtual DM openai/x?examples=2 is answered by the" in text
    assert "f0: 15 of 15 replies of the virtual DM could not be used (not allowed)" in text
    assert "real play: 30 of 30 replies" in text
    assert "nothing was predicted, so there is no F and no G" in text
    f0 = text.split("nothing (f0)")[1].split("examples of")[0]
    assert "0.0" not in f0
    assert (
        "it cannot be determined whether real play ranks above the controls; give --refits 12"
        in text
    )


def test_answers_without_a_score_are_counted_beside_the_iep(
    played: Sociolab, tmp_path: Path
) -> None:
    settings = {"sessions": "2", "turns": "16", "controls": "false"}
    with start_in_process(EndpointSettings(malformed_json=0.7)) as broken:
        run(RunConfig(world="anteval-information", judges=("openai/j",), base_url=broken.url,
                      settings=settings, name="j", store=tmp_path / "s.db"))  # fmt: skip
    notes = gap(played, "--information", "j")["notes"]
    assert isinstance(notes, list)
    scores = played("report", "j", "--store", "s.db", "--json").document["scores"]
    (lost,) = [s["failures"] for s in scores if s["measure"] == "iep" and s["by"] == {}]
    assert lost > 0
    assert f"IEP of j: judged by openai/j; {lost} answers have no score" in notes


def test_a_budget_that_is_spent_is_not_spent_again(
    played: Sociolab, endpoint: EndpointProcess, tmp_path: Path
) -> None:
    (tmp_path / "models.toml").write_text(
        '[prices."openai/x"]\ninput = 100\noutput = 100\n', encoding="utf-8"
    )
    flags = ("gap", "--real", "sample", "--generated", "g", "--store", "s.db", "--dm",
             "openai/x?examples=2&max_tokens=100", "--base-url", endpoint.url, "--budget", 2,
             "--models", "models.toml")  # fmt: skip
    calls = []
    for _ in range(2):
        assert "the budget of $2.00 is used up" in played(*flags).err
        with Store.open(tmp_path / "s.db", create=False) as store:
            (name,) = [run.name for run in store.runs() if run.name.startswith("gap-")]
            calls.append(store.calls.totals(name).calls)
    assert calls[0] == calls[1] > 0


@pytest.mark.parametrize(
    ("flags", "problem"),
    [
        (("--real", "nobody"), 'there is no data set or file "nobody"'),
        (("--test", "nobody"), "--test: there is no data set"),
        (("--generated", "i"), "expected a run of anteval-intention"),
        (("--generated", "none"), 'there is no run "none"'),
        (("--generated", "none.jsonl"), "none.jsonl cannot be read"),
        (("--information", "g"), "expected a run of anteval-information"),
        (("--dm", "wise"), 'there is no virtual DM "wise"'),
        (("--dm", "openai/x"), "an untuned model learns nothing"),
        (("--dm", "openai/x?examples=0"), "expected a whole number from 1"),
    ],
)
def test_what_is_not_there_is_named_in_a_sentence(
    played: Sociolab, flags: tuple[str, str], problem: str
) -> None:
    given = {"--real": "sample", "--generated": "g", flags[0]: flags[1]}
    args = [part for pair in given.items() for part in pair]
    done = played("gap", *args, "--store", "s.db")
    assert done.code == 2
    assert problem in done.sentence


def test_a_broken_file_is_named_with_its_line(played: Sociolab, tmp_path: Path) -> None:
    line = {
        "id": "a", "episode": "e", "candidates": [{"character": "Ann"}],
        "context_turns": [{"speaker": "DM", "text": "A door."}],
        "labels": [{"character": "Bob", "skill": "stealth"}],
    }  # fmt: skip
    (tmp_path / "bad.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    done = played("gap", "--real", "bad.jsonl", "--generated", "g", "--store", "s.db")
    assert done.code == 2
    assert "bad.jsonl, line 1" in done.sentence
    assert "Bob" in done.sentence


def test_sessions_in_which_the_party_did_nothing_are_left_out_and_counted(
    sociolab: Sociolab, tmp_path: Path
) -> None:
    (tmp_path / "mute.py").write_text(
        "from sociolab.core.ports import NoReply\n"
        "class Mute:\n"
        "    async def reply(self, request, memory):\n"
        "        return NoReply('gave up', 'says nothing', again=False)\n",
        encoding="utf-8",
    )
    done = sociolab(
        "run", "anteval-intention", "--agent", "scripted", "--agent", "python:mute:Mute",
        "--partner", "scripted", "--set", "sessions=3", "--set", "turns=8", "--name", "g",
        "--store", "s.db", "--json",
    )  # fmt: skip
    mute = [s for s in done.document["scores"] if s["agent"] == "python:mute:Mute" and not s["by"]]
    assert {s["measure"]: (s["n"], s["failures"]) for s in mute if s["judge"] == "record"} == {
        "f_c": (0, 3), "f_o": (0, 3),
    }  # fmt: skip
    document = gap(sociolab)
    (table,) = document["tables"]
    assert [(row["name"], row["examples"]) for row in table["rows"]] == [("scripted", 3)]
    notes = document["notes"]
    assert isinstance(notes, list)
    assert any("g: 3 of 6 sessions are left out" in note for note in notes)


@pytest.mark.parametrize("then", ["skip", "stop"])
def test_failed_turns_are_counted_and_sessions_that_stopped_at_one_left_out(
    sociolab: Sociolab, tmp_path: Path, then: str
) -> None:
    (tmp_path / "shaky.py").write_text(
        "from sociolab.core.ports import NoReply\n"
        "from sociolab.worlds.anteval.scripted import ScriptedPartyPlayer\n"
        "class Shaky(ScriptedPartyPlayer):\n"
        "    async def reply(self, request, memory):\n"
        "        if request.turn == 4:\n"
        "            return NoReply('gave up', 'says nothing', again=False)\n"
        "        return await super().reply(request, memory)\n",
        encoding="utf-8",
    )
    sociolab("run", "anteval-intention", "--agent", "python:shaky:Shaky", "--partner", "scripted",
             "--set", "sessions=6", "--set", "turns=12", "--name", "g", "--store", "s.db",
             "--on-failed-turn", then)  # fmt: skip
    done = sociolab("gap", "--real", "sample", "--generated", "g", "--store", "s.db", "--refits",
                    0, "--json")  # fmt: skip
    if then == "stop":
        assert "no session was played in g" in done.sentence
    else:
        assert "g: 6 failed turns in the sessions compared" in done.document["notes"]
        assert done.document["tables"][0]["rows"][0]["examples"] == 6


SETTINGS = {"sessions": "8", "turns": "12"}


def more(tmp_path: Path, name: str, seed: int = 0, **settings: str) -> None:
    """Another run of the scripted agent; with seed 0 the first eight sessions of "g" again."""
    run(RunConfig(world="anteval-intention", settings=SETTINGS | settings, name=name, seed=seed,
                  store=tmp_path / "s.db"))  # fmt: skip


def compared(sociolab: Sociolab, *args: object) -> Any:
    return sociolab("gap", *args, "--real", "sample", "--refits", 2, "--store",
                    "s.db", "--json")  # fmt: skip


def test_two_runs_are_compared_over_the_sessions_that_both_played(
    played: Sociolab, tmp_path: Path
) -> None:
    more(tmp_path, "h")
    done = compared(played, "g", "h")
    (table,), notes = done.document["tables"], done.document["notes"]
    assert [row["name"] for row in table["rows"]] == ["scripted (g)", "scripted (h)"]
    assert table["rows"][0]["examples"] == table["rows"][1]["examples"] <= 8
    assert (
        "scripted (g) and scripted (h) are compared over the 8 sessions that both played; 4 of "
        "scripted (g) and 0 of scripted (h) are left out"
    ) in notes
    (step,) = table["ladder"]["steps"]
    assert {step["one"], step["other"]} == {"scripted (g)", "scripted (h)"}
    assert {rung["sessions"] for rung in table["ladder"]["rungs"]} == {8, None}


def test_runs_of_other_sessions_are_not_compared(played: Sociolab, tmp_path: Path) -> None:
    more(tmp_path, "other", seed=5)
    more(tmp_path, "meant", per_player="2")  # the same people and scenes, other intentions
    for name in ("other", "meant"):
        done = compared(played, "g", name)
        assert done.code == 2
        assert f"expected scripted (g) and scripted ({name}) to have played" in done.sentence
    alone = compared(played, "g")
    assert alone.code == 2
    assert "expected two agents to compare, found 1: scripted" in alone.sentence


def test_files_in_the_open_format_need_no_store(sociolab: Sociolab, tmp_path: Path) -> None:
    source = files("sociolab.worlds.anteval") / "data" / "sample_play.jsonl"
    (tmp_path / "mine.jsonl").write_text(source.read_text("utf-8"), encoding="utf-8")
    done = sociolab("gap", "--real", "sample", "--generated", "mine.jsonl",
                    "--refits", 0, "--html", "gap.html", "--store", "no.db")  # fmt: skip
    assert done.code == 0, done.err
    text = " ".join(done.out.split())
    assert "which include sampling of the test rows only" in text or "no intervals" in text
    assert 'no "real play in this format"' in text
    assert "Intention gap: virtual DM linear" in (tmp_path / "gap.html").read_text("utf-8")
    assert not (tmp_path / "no.db").exists()


def test_two_files_of_one_name_are_two_rows(sociolab: Sociolab, tmp_path: Path) -> None:
    sample = files("sociolab.worlds.anteval") / "data" / "sample_play.jsonl"
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "play.jsonl").write_text(sample.read_text("utf-8"), encoding="utf-8")
    done = sociolab("gap", "--real", "sample", "--generated", "a/play.jsonl,b/play.jsonl",
                    "--refits", 0, "--store", "no.db", "--json")  # fmt: skip
    rows = done.document["tables"][0]["rows"]
    assert [row["name"] for row in rows] == ["play (a/play.jsonl)", "play (b/play.jsonl)"]


def test_agents_stand_beside_people_and_controls_on_play_cut_at_its_checks(
    played: Sociolab,
) -> None:
    document = gap(played)
    (table,) = document["tables"]
    rungs = table["ladder"]["rungs"]
    assert [rung["kind"] for rung in rungs] == ["people", "agent", *["control"] * 4]
    (agent,) = [rung for rung in rungs if rung["kind"] == "agent"]
    assert agent["name"] == "scripted"
    assert agent["assigned"] == agent["shown"] > agent["kept"] >= table["ladder"]["labels"]
    (verdict,) = document["verdicts"]
    assert verdict.startswith("No ranking of agents: scripted has 12 sessions")


def test_sessions_that_are_played_again_are_no_other_sessions(sociolab: Sociolab) -> None:
    sociolab("run", "anteval-intention", "--agent", "scripted", "--repeats", 3, "--name", "g",
             "--set", "sessions=4", "--set", "turns=12", "--store", "s.db")  # fmt: skip
    (verdict,) = gap(sociolab)["verdicts"]
    assert verdict.startswith("No ranking of agents: scripted has 4 sessions")


def test_play_without_marks_has_no_headline_and_the_paper_format_all_the_same(
    sociolab: Sociolab, tmp_path: Path
) -> None:
    (tmp_path / "own.py").write_text(
        "from sociolab.core.ports import Reply\n"
        "from sociolab.core.episode import Action\n"
        "class Own:\n"
        "    async def reply(self, request, memory):\n"
        "        return Reply((Action('speak', 'I listen at the door.'),))\n",
        encoding="utf-8",
    )
    sociolab("run", "anteval-intention", "--agent", "python:own:Own", "--judge", "none", "--set",
             "sessions=8", "--set", "turns=12", "--name", "g", "--store", "s.db")  # fmt: skip
    done = sociolab("gap", "--real", "sample", "--generated", "g", "--store", "s.db", "--refits", 2)
    text = " ".join(done.out.split())
    assert (
        "No G of play cut at its checks, and therefore no ranking of agents: no move is marked"
        in text
    )
    assert "In the paper's format: virtual DM linear" in text


def test_a_plan_that_cannot_order_agents_says_so_before_it_is_played(sociolab: Sociolab) -> None:
    sentence = "sociolab gap will not be able to rank agents by this run: "
    plain = " ".join(sociolab("run", "anteval-intention", "--dry-run").out.split())
    assert f"{sentence}50 sessions are planned, and a ranking needs 600" in plain
    assert "(--set marks=true)" in plain
    assert "(--set prior=DATA" in plain
    enough = ("--set", "sessions=600", "--set", "marks=true", "--set", "prior=sample")
    assert sentence not in " ".join(
        sociolab("run", "anteval-intention", "--dry-run", *enough).out.split()
    )
    limited = sociolab("run", "anteval-intention", *enough, "--limit", 1, "--set", "turns=2",
                       "--name", "g", "--store", "s.db")  # fmt: skip
    assert f"{sentence}1 session are planned" not in limited.err
    assert f"{sentence}1 session is planned, and a ranking needs 600" in limited.err
    again = ("--set", "sessions=50", *enough[2:], "--repeats", 12)
    repeated = " ".join(sociolab("run", "anteval-intention", "--dry-run", *again).out.split())
    assert f"{sentence}50 sessions are planned" in repeated, "played 12 times they are still 50"


def test_an_agent_nearer_than_people_in_whole_sessions_is_flagged(
    played: Sociolab, tmp_path: Path
) -> None:
    """People whose play after the check is of something else teach less than a session."""
    source = files("sociolab.worlds.anteval") / "data" / "sample_play.jsonl"
    rows = [json.loads(line) for line in source.read_text("utf-8").splitlines()]
    after = [{"speaker": "DM", "text": "Roll a die."}, *[{"speaker": "Nobody", "text": "."}] * 9]
    longer = [json.dumps(row | {"after_turns": after}) for row in rows]
    (tmp_path / "real.jsonl").write_text("\n".join(longer), "utf-8")
    done = played("gap", "--real", "real.jsonl", "--generated", "real.jsonl", "--store", "s.db",
                  "--refits", 0)  # fmt: skip
    text = " ".join(done.out.split())
    assert "people's in this format" in text
    assert "a warning, not praise" in text


def test_several_virtual_dms_stand_side_by_side_in_every_format(
    played: Sociolab, endpoint: EndpointProcess, tmp_path: Path
) -> None:
    done = played("gap", "--real", "sample", "--generated", "g", "--store", "s.db",
                  "--refits", 2, "--dm", "linear", "--dm", "openai/x?examples=2", "--base-url",
                  endpoint.url, "--csv", "g.csv", "--latex", "g.tex",
                  "--html", "g.html")  # fmt: skip
    assert done.code == 0, done.err
    assert "G in percent, by agent and virtual DM" in done.out
    rows = list(csv.DictReader((tmp_path / "g.csv").read_text("utf-8").splitlines()))
    dms = {row["virtual_dm"] for row in rows}
    assert dms == {"linear", "openai/x, 2 examples"}
    assert Counter((row["format"], row["kind"]) for row in rows) == {
        ("cut at checks", "o"): 12, ("as in the paper", "c"): 2, ("as in the paper", "o"): 2,
    }  # fmt: skip
    assert all(row["refits"] == "2" for row in rows)
    assert "Intention gap by virtual DM" in (tmp_path / "g.html").read_text("utf-8")
    assert "\\toprule" in (tmp_path / "g.tex").read_text("utf-8")


def test_several_runs_may_stand_behind_one_flag(played: Sociolab) -> None:
    done = played("gap", "--real", "sample", "--generated", "g", "none", "--store", "s.db")
    assert done.code == 2
    assert 'there is no run "none"' in done.sentence


def test_what_simulated_raters_found_expressive_stands_beside_g(
    sociolab: Sociolab, tmp_path: Path
) -> None:
    path = tmp_path / "s.db"
    for seed, name in enumerate(("one", "two", "three")):
        settings = {"sessions": "6", "turns": "12"}
        run(RunConfig(world="anteval-intention", settings=settings, name=name, store=path,
                      seed=seed))  # fmt: skip
        with Store.open(path, create=False) as store:
            lines = [
                f"{row.trial.id},{member.seat},simulated,expressiveness,{2 + seed}"
                for row in store.trials(name)
                for member in row.trial.cast[:3]
            ]
        file = tmp_path / f"{name}.csv"
        file.write_text("\n".join(("episode,seat,rater,dimension,score", *lines)), "utf-8")
        rated = sociolab("import", "ratings", file, "--run", name, "--name", "simulated",
                         "--store", "s.db")  # fmt: skip
        assert rated.code == 0, rated.err
    command = ("gap", "--real", "sample", "--generated", "one,two,three", "--store", "s.db",
               "--refits", 0)  # fmt: skip
    found = sociolab(*command, "--json").document
    means = {name: one["value"] for name, one in found["rated"].items()}
    assert means == {"scripted (one)": 2, "scripted (two)": 3, "scripted (three)": 4}
    gaps = [row["g_c"]["printed"]["value"] for row in found["tables"][0]["rows"]]
    rho = correlation([0, 1, 2], [sorted(gaps).index(gap) for gap in gaps])
    told = " ".join(sociolab(*command).out.split())
    assert f"G_c as in the paper, linear {rho:.2f} (n 3)".replace("-", "\N{MINUS SIGN}") in told
    assert "so few agents show little" in told


def test_a_checkpoint_on_this_machine_is_trained_and_its_figures_have_intervals(
    played: Sociolab, tmp_path: Path
) -> None:
    pytest.importorskip("torch", reason="needs the extra finetune")
    encoder_checkpoint(tmp_path / "tiny-bert")
    document = gap(played, "--dm", "encoder:tiny-bert", "--refits", 0)
    (table,) = document["tables"]
    assert table["virtual_dm"] == "encoder:tiny-bert"
    (row,) = table["rows"]
    for figures in (table["fr"], row["fg"]):
        for name in ("f_c", "f_o"):
            assert 0 <= figures[name]["value"] <= 1
    held = row["fg"]["f_c"]
    assert held["low"] <= held["value"] <= held["high"]
