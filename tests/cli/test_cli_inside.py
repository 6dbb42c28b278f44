"""Units that are worth a test alone, from inside: cli."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from cli.conftest import Sociolab
from sociolab import RunConfig, Section
from sociolab.app.run.config import SPELLINGS
from sociolab.cli import try_out
from sociolab.cli.compare import parse_ks
from sociolab.cli.list_rows import aligned
from sociolab.cli.main import GROUPS, command
from sociolab.cli.options import spread
from sociolab.cli.output import Media, VerbResult
from sociolab.core import ConfigError
from sociolab.endpoint import EndpointSettings, start_in_process
from sociolab.report import TextTable
from sociolab.report.figures import Panel, Point, interval_figure


def test_a_csv_file_without_a_figure_is_told_and_not_written(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no figure has a value"):
        Media(csv=tmp_path / "f.csv").write_files(VerbResult((), [], dict))
    assert not (tmp_path / "f.csv").exists()


def test_tables_and_figures_say_that_a_stand_in_played(tmp_path: Path) -> None:
    section = Section("A section", tables=(TextTable("Means", ("agent", "GOAL"), (("A", "7"),)),))
    drawn = interval_figure([Panel("GOAL", 0, 10, (Point("A", "x", 7, 6, 8),))], ["x"])
    for name, settings in (
        ("real", {"tags": ["stand-in:x"]}),
        ("random", {"stand_ins": ["openai/x"]}),
    ):
        paths = [tmp_path / f"{name}.{ending}" for ending in ("tex", "md", "svg")]
        tex, md, svg = paths
        media = Media(latex=tex, markdown=md, figure=svg)
        media.write_files(VerbResult((), [section], dict, figure=drawn), [settings])
        texts = [path.read_text() for path in paths]
        shown = [line for text in texts for line in text.splitlines() if not line.startswith("%")]
        assert sum("stand-in endpoint" in line for line in shown) == 3 * (name == "random")


ORDER = [
    "run", "list", "show", "town", "report", "compare", "table", "rank", "hard", "variance",
    "site", "agree", "analyze", "reproduce", "judge", "audit", "credit", "write", "import",
    "export", "data", "rename", "tag", "note", "delete", "store", "web", "study",
    "mcp", "serve-env", "endpoint", "doctor", "prices", "demo", "tool",
]  # fmt: skip


def every_verb() -> dict[str, Any]:
    """All verbs by what is typed, those of a family with its name before theirs."""
    found: dict[str, Any] = {}
    for name in ORDER:
        made = command(name)
        own = getattr(made, "commands", {})
        found |= {f"{name} {one}": verb for one, verb in own.items()} or {name: made}
    return found


def test_every_verb_and_all_that_it_takes_is_described() -> None:
    for name, verb in every_verb().items():
        assert verb.help, name
        for param in verb.params:
            assert param.help, (name, param.opts)
            assert param.metavar or getattr(param, "is_flag", False), (name, param.opts)


def test_an_option_that_several_verbs_share_has_one_text() -> None:
    shared = {"--store", "--json", "--budget", "--in-flight", "--base-url", "--key-env", "--models"}
    texts = {
        (option.opts[0], option.help)
        for verb in every_verb().values()
        for option in verb.params
        if option.opts[0] in shared
    }
    assert sorted(option for option, _ in texts) == sorted(shared)


def test_the_example_of_every_verb_is_of_that_verb_and_can_be_read() -> None:
    for name, verb in every_verb().items():
        program, *words = shlex.split(verb.epilog.removeprefix("Example: "))
        assert len(verb.epilog) <= 76, "one line of a terminal, to copy"
        assert (program, words[: len(name.split())]) == ("sociolab", name.split())
        assert verb.make_context(name, words[len(name.split()) :]).command is verb


def test_the_examples_that_need_no_model_work_one_after_the_other(sociolab: Sociolab) -> None:
    verbs = (
        "run", "list", "show", "report", "variance", "export", "tag", "note", "rename",
        "delete",
        "store size", "town picture", "study example", "study list",
    )  # fmt: skip
    sociolab("run", "sotopia", "--limit", 2, "--name", "second")
    for name in verbs:
        _, *words = shlex.split(every_verb()[name].epilog.removeprefix("Example: "))
        gone = [{"first": "baseline"}.get(word, word) for word in words]
        done = sociolab(*(gone if name == "delete" else words), stdin="y\n")
        assert done.code == 0, (name, done.err)


def test_the_summary_in_the_list_of_all_verbs_is_that_of_the_verb() -> None:
    for verbs in GROUPS.values():
        for name, (_, summary) in verbs.items():
            assert command(name).get_short_help_str(1_000) == summary, name


def test_numbers_of_repeats_are_read() -> None:
    assert parse_ks("4, 1,2,2") == (1, 2, 4)
    for text in ("", "0", "1,", "x", "-1"):
        with pytest.raises(ConfigError, match="--k"):
            parse_ks(text)


def test_doctor_says_that_it_still_waits(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(try_out, "QUIET", 0.1)
    with start_in_process(EndpointSettings(latency_ms=300)) as endpoint:
        argv = ["openai/m", "--base-url", endpoint.url]
        monkeypatch.setenv("OPENAI_API_KEY", "x")
        assert command("doctor").main(argv, standalone_mode=False) in (0, None)
    assert "no answer from openai/m after 0.1 s: still waiting" in capfd.readouterr().err


def test_what_tells_rows_apart_is_cut_last() -> None:
    pairs = [("gpt-4o", "gpt-4.1-mini"), ("gpt-4o-mini", "gpt-4.1-mini")]
    rows = [
        {
            "run": f"r{number}",
            "created": "2026-11-28 15:05",
            "agents": " / ".join(f"openai/{one}" for one in pair),
            "task": "norms-01-late-rent.fergal-muldowney.rodel-macaraeg",
            "Overall, by openai/gpt-4.1": "\N{MINUS SIGN}0.86 / 2.71",
        }
        for number, pair in enumerate(pairs)
    ]
    head, first, _, second, below = aligned(rows, 80)
    assert max(map(len, (head, first, second, below))) <= 80
    for line in (first, second):
        assert "2026-11-28 15:05  norms-01-late-rent" in line
        assert line.endswith("\N{MINUS SIGN}0.86 / 2.71")
    assert below == "  agents: openai/gpt-4o-mini / openai/gpt-4.1-mini"
    assert "openai/gpt-4o / openai/gpt" in list(aligned(rows, 200))[1]


PAGE = (Path(__file__).parents[2] / "docs" / "runs.md").read_text("utf-8")


def test_every_flag_of_run_stands_in_the_table() -> None:
    (table,) = re.findall(r"(?s)\| flag \|.*?\n\n", PAGE)
    flags = {name for one in command("run").params for name in one.opts if name.startswith("--")}
    assert flags <= set(re.findall(r"--[a-z-]+", table))


def test_every_field_of_a_file_is_a_flag_of_the_table() -> None:
    (table,) = re.findall(r"(?s)\| flag \|.*?\n\n", PAGE)
    flags = {flag.replace("-", "_") for flag in re.findall(r"--([a-z-]+)", table)} | {"world"}
    spelled = {SPELLINGS.get(flag, flag) for flag in flags}
    assert set(RunConfig.model_fields) <= spelled


def test_a_flag_is_put_before_every_name_behind_it() -> None:
    given = ["gap", "--real", "r", "--generated", "a", "b", "--dm", "x", "--generated", "c"]
    assert spread(given, ["--generated"]) == [
        "gap", "--real", "r", "--generated", "a", "--generated", "b", "--dm", "x",
        "--generated", "c",
    ]  # fmt: skip
