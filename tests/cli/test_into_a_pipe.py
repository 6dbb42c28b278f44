"""What is printed into a pipe or a file: lines of any length, and nothing cut; what lists cut in a
terminal; and the version."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.conftest import Done, Sociolab

RUN = "a-run-with-a-name-that-leaves-no-room-for-any-other-column-of-a-terminal-of-80"
TAGS = ("a-tag-that-is-not-short-either", "and-another-one")
AGENT = "python:an_agent_with_a_long_name:TheClassOfThatAgentHasALongNameToo"
CODE = """
from sociolab.core.episode import Action
from sociolab.core.ports import NoReply, Question, Reply


class TheClassOfThatAgentHasALongNameToo:
    async def reply(self, request, memory):
        if isinstance(request.expected, Question):
            return NoReply("gave up", "answers no questions", again=False)
        return Reply((Action("speak", "I see."),))
"""


@pytest.fixture(scope="module")
def piped(
    sociolab_in: Callable[[Path], Sociolab], tmp_path_factory: pytest.TempPathFactory
) -> Sociolab:
    """Runs the command line as in `sociolab ... | cat`; there are two runs of an agent with a long
    name in the store, which nothing here changes."""
    folder = tmp_path_factory.mktemp("piped")
    (folder / "an_agent_with_a_long_name.py").write_text(CODE, "utf-8")

    def run(*args: object, stdin: str = "", **variables: str) -> Done:
        return sociolab_in(folder)(*args, stdin=stdin, **{"COLUMNS": "", **variables})

    tags = [word for tag in TAGS for word in ("--tag", tag)]
    agents = ("--agent", AGENT, "--partner", "scripted", "--judge", "python:biased_judges:ByWords")
    for name in (RUN, f"{RUN}-2"):
        done = run("run", "sotopia", "--limit", 2, *agents, "--name", name, *tags)
        assert done.code == 0, done.err
    return run


def lines(done: Done) -> list[str]:
    assert done.code == 0, done.err
    assert "…" not in done.out
    return done.out.splitlines()


def test_a_run_is_a_line_with_all_that_is_listed_of_it(piped: Sociolab) -> None:
    head, *rows = lines(piped("list", "runs"))
    columns = ["run", "world", "created", "agents", "partner", "played", "score", "judges", "tags"]
    assert head.split("\t") == columns
    assert len(rows) == 2
    judges = "outcome, reported, by-words"
    for row in rows:
        for cell in (RUN, "sotopia", AGENT, "scripted", "4/4", judges, *TAGS):
            assert cell in row


def test_an_episode_is_a_line_with_whole_labels(piped: Sociolab) -> None:
    _, *rows = lines(piped("list", "episodes", "--run", RUN))
    assert len(rows) == 4
    assert all(AGENT in row and " / " in row for row in rows)


@pytest.mark.parametrize("what", ["tasks", "agents", "worlds"])
def test_a_line_of_any_list_is_what_json_has_of_it(what: str, piped: Sociolab) -> None:
    _, *rows = lines(piped("list", what))
    objects = piped("list", what, "--json").document[what]
    assert [row.split("\t") for row in rows] == [
        [str(value) for value in one.values()] for one in objects
    ]


@pytest.mark.parametrize(
    "words",
    [
        ("report", RUN), ("compare", RUN, f"{RUN}-2"), ("table", RUN),
        ("variance", RUN, "--metric", "BEL"),
    ],
)  # fmt: skip
def test_no_table_is_folded(words: tuple[str, ...], piped: Sociolab) -> None:
    whole, narrow = lines(piped(*words)), lines(piped(*words, COLUMNS="80"))
    assert any(AGENT in line for line in whole)
    assert len(whole) < len(narrow)
    assert max(map(len, narrow)) <= 80 < max(map(len, whole))


def test_nothing_is_filled_up_to_the_width(piped: Sociolab) -> None:
    out = piped("report", RUN).out
    assert max(map(len, out.splitlines())) < 1_000


def test_columns_that_are_set_are_kept_to_in_a_pipe_too(piped: Sociolab) -> None:
    out = piped("list", "tasks", "--world", "stss", COLUMNS="60").out
    assert max(map(len, out.splitlines())) <= 60
    assert "…" in out
    for _, *rows in (out.splitlines(), piped("list", "tasks", COLUMNS="80").out.splitlines()):
        assert not any("…" in row.split()[0] for row in rows), "an id is never cut"
    _, *rows = piped("list", "runs", COLUMNS="80").out.splitlines()
    assert all(RUN in row for row in rows if not row.startswith(" "))
    assert "".join(rows).count(AGENT) == 2


def test_the_version_is_printed(started: Sociolab) -> None:
    project = tomllib.loads(Path("pyproject.toml").read_text("utf-8"))["project"]
    done = started("--version")
    assert (done.code, done.out, done.err) == (0, f"sociolab {project['version']}\n", "")
