"""docs/troubleshooting.md and docs/upgrade-and-backup.md quote what the program prints."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.conftest import Done, Sociolab
from sociolab.endpoint import EndpointSettings, start_in_process

DOCS = Path(__file__).parents[2] / "docs"
TROUBLES = (DOCS / "troubleshooting.md").read_text("utf-8")
UPGRADE = (DOCS / "upgrade-and-backup.md").read_text("utf-8")


def words_of(text: str) -> str:
    """The text without line breaks, marks of quotations, and the numbers in it."""
    return " ".join(re.sub(r"[`$]|\d[\d.,]*", "", text).split())


def is_documented(done: Done, sentence: str) -> bool:
    """Whether the sentence stands on a page, and was printed."""
    pages, printed = words_of(TROUBLES + UPGRADE), words_of(done.out + done.err)
    assert words_of(sentence) in pages, sentence
    return words_of(sentence) in printed


@pytest.fixture(scope="module")
def stored(
    sociolab_in: Callable[[Path], Sociolab], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    folder = tmp_path_factory.mktemp("troubles")
    run = ("run", "sotopia", "--limit", 3, "--name", "small", "--store", "store.db")
    done = sociolab_in(folder)(*run)
    assert done.code == 0, done.err
    return folder / "store.db"


@pytest.fixture
def small(stored: Path, tmp_path: Path) -> str:
    shutil.copy(stored, tmp_path)
    return stored.name


def test_every_command_of_upgrades_and_backups_works_and_prints_what_the_page_shows(
    sociolab: Sociolab,
) -> None:
    printed = ""
    for block in re.findall(r"```sh\n(.*?)```", UPGRADE, re.DOTALL):
        for line in block.splitlines():
            program, *args = shlex.split(line)
            assert program == "sociolab"
            done = sociolab(*args)
            assert done.code == 0, (line, done.err)
            printed += done.out + done.err
    for line in (
        "wrote monday.db: 1 run, 0.3 MB, intact",
        "all.db: small has 3 of 3 episodes played; 3 of the 3 in 2 parts were new or more complete",
        "all.db: second has 3 of 3 episodes played; "
        "3 of the 3 in 2 parts were new or more complete",
    ):
        assert line in UPGRADE
        assert words_of(line) in words_of(printed)


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("report x --store nowhere.db",
         "there is no store at nowhere.db; play a run first, or name another --store"),
        ("report smal --store store.db",
         'there is no run "smal" in store.db (did you mean small?)'),
        ("show first --store store.db",
         'no episode in the store has an id that begins with "first"'),
        ("list runs --store text.db", "text.db is not a sociolab store: it is not an SQLite file"),
        ("run sotopia --limit 2 --seed 5 --name small --store store.db",
         "give this run another --name, or the old settings to resume it"),
        ("run sotopia --agent python:nope:Agent --limit 1",
         'there is no module "nope", neither in this folder nor installed nor on PYTHONPATH'),
        ("run sotopia --agent openai/gpt-x --judge none --limit 1",
         'endpoint "openai" takes its key from the environment variable OPENAI_API_KEY, '
         "which is not set"),
        ("run sotopia --agent ollama/m --limit 1",
         "a run with models needs a judge: --judge endpoint/model, or --judge none to play only"),
        ("run sotopia --agent limited/m --judge none --limit 1 --budget 1",
         '--budget: no price is known for "limited/m"'),
        ("import run small.zip --store store.db",
         'there is a run "small" already; choose another --name, or add --replace'),
        ("import run torn.zip --store store.db", "found no complete ZIP file"),
    ],
)  # fmt: skip
def test_bad_commands_get_the_sentence_that_the_page_explains(
    sociolab: Sociolab, small: str, tmp_path: Path, command: str, sentence: str
) -> None:
    (tmp_path / "text.db").write_text("hello\n", "utf-8")
    (tmp_path / "models.toml").write_text(
        '[endpoints.limited]\nbase_url = "http://127.0.0.1:9/v1"\n', "utf-8"
    )
    assert sociolab("export", "small", "small.zip", "--store", small).code == 0
    (tmp_path / "torn.zip").write_bytes((tmp_path / "small.zip").read_bytes()[:2000])
    done = sociolab(*shlex.split(command))
    assert done.code == 2, done.out
    assert is_documented(done, sentence)
    assert done.sentence


def test_a_damaged_store_gets_the_sentence_that_the_page_explains(
    sociolab: Sociolab, small: str, tmp_path: Path
) -> None:
    store = (tmp_path / small).read_bytes()
    (tmp_path / "damaged.db").write_bytes(store.replace(b'["moved",', b'["MOVED",', 1))
    done = sociolab("report", "small", "--store", "damaged.db")
    assert done.code == 2
    for part in ("the store damaged.db is damaged: events, row",
                 "was changed; go back to an earlier backup, or leave that run out "
                 "(`sociolab store check` names all damage)"):  # fmt: skip
        assert is_documented(done, part)


def test_servers_and_budgets_get_the_sentences_that_the_page_explains(
    sociolab: Sociolab, tmp_path: Path
) -> None:
    with (
        start_in_process(EndpointSettings()) as endpoint,
        start_in_process(EndpointSettings(context_tokens=1000)) as short,
    ):
        (tmp_path / "models.toml").write_text(
            f'[endpoints.ok]\nbase_url = "{endpoint.url}"\ntries = 2\n'
            '[prices."ok/m"]\ninput = 1\noutput = 10\n'
            f'[endpoints.cut]\nbase_url = "{short.url}"\n',
            "utf-8",
        )
        play = ("run", "sotopia", "--judge", "none", "--limit", 4, "--set", "turns=6")
        spent = sociolab(*play, "--agent", "ok/m", "--budget", "0.01", "--name", "spent")
        assert spent.code == 1
        assert is_documented(
            spent,
            "the budget of $0.01 is used up: $0.0054 spent, and another episode costs about "
            "$0.0089; resume with a larger --budget",
        )
        played = sociolab(*play, "--agent", "ok/m", "--name", "played")
        assert is_documented(played, "Cannot tell: goal (checked) has only")
        cut = sociolab("doctor", "cut/m")
        assert is_documented(cut, "give the server a longer context, or agents lose their goals")
    gone = sociolab("doctor", "ok/m")
    assert is_documented(gone, "cannot be reached (nothing listens there)")
